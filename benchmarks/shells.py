"""The cost of the shells around a model, and both models beside themselves at an earlier commit.

    python benchmarks/shells.py                    # writes results/shells.json and the page
    python benchmarks/shells.py --before 66be4dd   # also the chunk paths of both states, in turns

Processor time, the quickest of interleaved turns. An earlier commit is checked out beside, in a
folder that is taken away afterwards, and runs in processes of its own, turn by turn with this one:
in several, for where memory happens to lie makes two per cent of difference.
"""

# ruff: noqa: E402

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import argparse
import json
import tempfile
from functools import partial
from pathlib import Path

import digest
import numpy as np
import page
from core import processor, seconds
from earlier import ROOT, Worker, checked_out
from river import linear_model

from mooe import Model, MOOEClassifier, PaperMOOEClassifier, river_adapter
from mooe.datasets import open_stream
from mooe.evaluate.results import origin
from mooe.labels import Labels

RESULTS = Path(__file__).parent / "results" / "shells.json"
TURNS, TIMES, ROWS = 15, 20, {8: 2_000, 500: 300}
PROCESSES = 4  # of each state, and
TURNS_BESIDE = 6  # of each of them, after one that warms up

# Reads a line, learns a chunk with each model, and writes the processor seconds of each; works with
# this state of the code and with those in which the paper's engine was mooe.core.
WORKER = """
import sys, time, numpy as np
try:
    from mooe.paper import core as paper
    from mooe.paper.params import Params
except ImportError:
    from mooe import core as paper
    from mooe.params import Params
from mooe.auto import core as auto
from mooe.auto.params import AutoParams
runs = []
for d, classes, n in ((8, 2, 20_000), (54, 3, 6_000)):
    rng = np.random.default_rng(d)
    X = rng.normal(size=(n, d))
    runs.append((paper, Params(), X, (X @ rng.normal(size=(d, classes))).argmax(axis=1)))
for path in sys.argv[1:]:
    rows = np.load(path)
    runs.append((auto, AutoParams(), rows["X"], rows["y"]))
for line in sys.stdin:
    took = []
    for engine, params, X, y in runs:
        state = engine.init(params, X.shape[1], int(y.max()) + 1)
        start = time.process_time()
        engine.predict_then_learn(params, state, X, y.astype(float))
        took.append(time.process_time() - start)
    print(*took, flush=True)
"""
PAPER = ("paper, d = 8", "paper, d = 54")
STREAMS = {"Electricity": 45_312, "Covertype": 60_000}  # rows that the default model learns


def samples(d, n):
    """Return rows, labels and the rows as dicts."""
    rng = np.random.default_rng(d)
    X = rng.normal(size=(n + 200, d))
    y = (X @ rng.normal(size=d) > 0).astype(np.int64)
    names = [f"x{j}" for j in range(d)]
    return X, y, [dict(zip(names, row, strict=True)) for row in X.tolist()]


def quickest(runs):
    """Return the least seconds of each function, measured in turns."""
    best = dict.fromkeys(runs, np.inf)
    for _ in range(TURNS):
        for name, run in runs.items():
            best[name] = min(best[name], seconds(run))
    return best


def one_by_one(model, x, y):
    """Return a function that answers and learns samples, from dicts."""
    for sample, label in zip(x[:200], y[:200].tolist(), strict=True):
        model.learn_one(sample, label)

    def run():
        for sample, label in zip(x[200:], y[200:].tolist(), strict=True):
            model.predict_one(sample)
            model.learn_one(sample, label)

    return run


def rows_of(estimator, X, y):
    """Return a function that answers and learns rows, each an array of its own."""
    estimator.fit(X[:200], y[:200])

    def run():
        for i in range(200, len(X)):
            estimator.predict(X[i : i + 1])
            estimator.partial_fit(X[i : i + 1], y[i : i + 1])

    return run


def measured_shells(d, n):
    """Return microseconds a row of every shell."""
    X, y, x = samples(d, n)
    model = MOOEClassifier().fit(X[:200], y[:200]).model_
    numbers = model.labels.find(y[200:].tolist())
    runs = {
        "chunk": lambda: model.learn(X[200:], numbers),
        "River adapter": one_by_one(river_adapter.MOOEClassifier(), x, y),
        "River's logistic regression": one_by_one(linear_model.LogisticRegression(), x, y),
        "scikit-learn": rows_of(MOOEClassifier(), X, y),
        "scikit-learn, paper": rows_of(PaperMOOEClassifier(), X, y),
    }
    return {name: 1e6 * took / n for name, took in quickest(runs).items()}


def measured_bytes():
    """Return microseconds to save and to load a model of 8 columns."""
    X, y, _ = samples(8, 3_000)
    model = MOOEClassifier().fit(X, y).model_
    blob = model.to_bytes()
    runs = {
        "save": model.to_bytes,
        "load, verified": lambda: Model.from_bytes(blob),
        "load, trusted": lambda: Model.from_bytes(blob, verify=False),
    }
    many = {name: partial(repeated, run) for name, run in runs.items()}
    return {name: 1e6 * took / TIMES for name, took in quickest(many).items()}


def repeated(run):
    """Run a function several times, each time done with what it gave before."""
    for _ in range(TIMES):
        run()


def stored(folder):
    """Return the files with the rows of the streams, and their labels as numbers."""
    paths = []
    for name, n in STREAMS.items():
        (chunk,) = open_stream(name).chunks(10**9)
        paths.append(Path(folder) / f"{name}.npz")
        np.savez(paths[-1], X=chunk.X[:n], y=Labels().encode(chunk.y[:n]))
    return paths


def beside(commit):
    """Return how many times as fast as at a commit the chunk paths are now."""
    with tempfile.TemporaryDirectory() as rows, checked_out(commit) as folder:
        paths = stored(rows)
        workers = [Worker(source, WORKER, *paths) for source in (folder, ROOT) * PROCESSES]
        turns = [[worker.ask("go") for worker in workers] for _ in range(TURNS_BESIDE + 1)]
        for worker in workers:
            worker.end()
    before, now = (np.array(turns[1:])[:, k::2].min(axis=(0, 1)) for k in (0, 1))
    return dict(zip((*PAPER, *STREAMS), (before / now).tolist(), strict=True))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", metavar="COMMIT", help="an earlier state of the code")
    before = parser.parse_args().before
    now = digest.of("shells")
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    results = {
        "digest": now,
        "origin": origin(),
        "processor": processor(),
        "rows": {str(d): measured_shells(d, n) for d, n in ROWS.items()},
        "bytes": measured_bytes(),
    }
    if before is not None:
        results["beside"] = {"commit": before, "digest": now, "times as fast": beside(before)}
    elif "beside" in kept:
        results["beside"] = kept["beside"]
    RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")
    page.write()


if __name__ == "__main__":
    main()
