"""One run of benchmarks/peers.py in a process of its own: prints its record as the last line."""

# ruff: noqa: E402

import os

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
# CapyMOA's own limits; the collector of one thread, which costs the least processor time.
os.environ["CAPYMOA_JVM_ARGS"] = "-Xmx8g -Xss10M -XX:+UseSerialGC"

import argparse
import json
import resource
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
import peers_capymoa
import streams
from peers_models import MODELS
from peers_names import ENOUGH, SHOWN
from scipy import sparse

from mooe.datasets import open_stream
from mooe.evaluate.results import origin

PARTS = 100  # of a stream, whose right answers are counted one by one
SPEED_ROWS, SPEED_CELLS = ENOUGH, 1_000_000  # the first rows of a stream, fewer if they are wide
TURNS = 3  # the quickest counts; Java compiles during the first
SILENCE = 60.0  # seconds between lines of progress


def loaded(name, max_rows):
    """Return what is known of a stream, its rows, and its labels as numbers."""
    made = streams.STREAMS.get(name)
    stream = (open_stream(name, seed=0) if made is None else made(seed=0)).load()
    X, numbers = stream.X, {}
    y = np.array([numbers.setdefault(label, len(numbers)) for label in stream.y.tolist()])
    about = {
        "name": name,
        "rows": len(y),
        "features": X.shape[1],
        "classes": len(numbers),
        "sha256": stream.digest(),
        "nominal": nominal_columns(stream),
    }
    return about, X[:max_rows], y[:max_rows]


def nominal_columns(stream):
    """Return the number of values of each column that is nominal, or holds nothing but 0 and 1."""
    X = stream.X
    if sparse.issparse(X):
        others = X.indices[X.data != 1.0]
        return dict.fromkeys(sorted(set(range(X.shape[1])) - set(others.tolist())), 2)
    binary = np.flatnonzero(((X == 0.0) | (X == 1.0)).all(axis=0)).tolist()
    codes = {j: int(X[:, j].max()) + 1 for j in stream.nominal}
    return dict.fromkeys(binary, 2) | codes


def seconds(call, *arguments):
    """Return what a call gives, and its processor time, that of all threads."""
    began = time.process_time()
    found = call(*arguments)
    return found, time.process_time() - began


def accuracy_run(name, model, seed, budget, max_rows):
    """Return the record of a model on a stream: right answers of each part until the budget ends.

    Every row is answered first, then learnt. The budget ends nothing before enough rows are done,
    and a part that it cuts is not in the record.
    """
    stream, X, y = loaded(name, max_rows)
    enough = 0 if name in SHOWN else ENOUGH
    part = -(-len(y) // PARTS)
    step = 1 if model in peers_capymoa.MODELS else part  # row by row
    correct, rows, counted = [], 0, 0.0  # of whole parts
    spent, ended, said = 0.0, None, time.monotonic()
    try:
        learner = MODELS[model](stream, seed)
        while rows < len(y) and ended is None:
            right, end = 0, min(len(y), rows + part)
            for at in range(rows, end, step):
                cut = slice(at, min(end, at + step))
                chosen, cost = seconds(learner, X[cut], y[cut])
                right, spent = right + int((chosen == y[cut]).sum()), spent + cost
                if spent > budget and enough <= rows and cut.stop < len(y):
                    ended = f"budget of {budget:g} s"
                    break
            else:
                correct, rows, counted = [*correct, right], end, spent
            if rows and time.monotonic() - said > SILENCE:
                said, share = time.monotonic(), sum(correct) / rows
                say(f"{name} {model}: {rows:,} rows, {share:.4f}, {rows / spent:,.0f} rows/s")
    except Exception as error:  # what a peer cannot do is a result
        ended = f"{type(error).__name__}: {error}".splitlines()[0][:200]
    return {
        "stream": name,
        "model": model,
        "seed": seed,
        "rows": rows,
        "part": part,
        "correct": correct,
        "seconds": round(counted, 3),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "budget": budget,
        "ended": ended,
        "about": stream,
        "origin": versions(),
    }


def speed_run(name, models):
    """Return rows a second of processor time of each model on the first rows, in turns."""
    stream, X, y = loaded(name, SPEED_ROWS)
    n = max(100, min(SPEED_ROWS, SPEED_CELLS // stream["features"]))
    X, y = X[:n], y[:n]
    best = dict.fromkeys(models, np.inf)
    for turn in range(TURNS):
        for model in models:
            learner = MODELS[model](stream, 0)
            best[model] = min(best[model], seconds(learner, X, y)[1])
            say(f"{name} {model}, turn {turn + 1}: {len(y) / best[model]:,.0f} rows/s")
    rates = {model: len(y) / cost for model, cost in best.items()}
    return {
        "stream": name,
        "rows": len(y),
        "turns": TURNS,
        "rows_per_second": rates,
        "origin": versions(),
    }


def versions():
    """Return what the numbers depend on: packages, Java where it was started, processor."""
    more = {name: version(name) for name in ("capymoa", "river")}
    if "jpype" in sys.modules:
        more["java"] = str(sys.modules["jpype"].java.lang.System.getProperty("java.version"))
    text = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    named = [line.split(":")[1].strip() for line in text.splitlines() if "model name" in line]
    return origin(**more, **({"processor": named[0]} if named else {}))


def say(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stream")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--budget", type=float, default=np.inf)
    parser.add_argument("--max-rows", type=int)
    parser.add_argument("--speed", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CAPYMOA_DATASETS_DIR"] = folder  # it makes the folder even if it is not used
        if asked.speed:
            record = speed_run(asked.stream, asked.models)
        else:
            model = asked.models[0]
            record = accuracy_run(asked.stream, model, asked.seed, asked.budget, asked.max_rows)
    print(json.dumps(record))


if __name__ == "__main__":
    main()
