"""Speed of the default model, the yardstick of its recipe beside it where that is at hand.

    python benchmarks/auto.py   # writes results/auto.json and docs/benchmarks.md

The yardstick is a throw-away loop in one file; MOOE_YARDSTICK says where, if not beside the
project. Both are told the number of classes. Processor time, the quickest of interleaved turns.
"""

# ruff: noqa: E402

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import importlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import auto_section
import digest
import numba
import numpy as np
import page
from core import SLICES, exponent, processor, resident_grown, row_by_row, seconds

from mooe.auto import core
from mooe.auto.params import AutoParams
from mooe.datasets import open_stream
from mooe.evaluate.results import origin
from mooe.labels import Labels
from mooe.modelfile import Contents, to_bytes

RESULTS = Path(__file__).parent / "results" / "auto.json"
YARDSTICK = Path(__file__).parents[2] / "shared" / "prototype" / "default_model.py"
STREAMS = ("Electricity", "Covertype", "GasSensor", "Spam", "Spam_full", "40 classes")
TURNS = {"Covertype": 2}  # 6 otherwise
ROWS = 8_000  # of the made stream for single rows
SIZES = (20_000, 40_000, 80_000, 160_000)
PARAMS = AutoParams()

# Imports what a user of the estimators does, fits, and says what was compiled for it.
START = """
import sys, time
a, b = time.process_time(), time.perf_counter()
import mooe
if sys.argv[1:]:
    import numpy as np
    import mooe.estimators
    mooe.estimators.MOOEClassifier().fit(np.random.rand(50, 3), np.arange(50) % 2)
print(time.process_time() - a, time.perf_counter() - b)
"""


def made(n, d, n_classes):
    """Return inputs and labels of classes that are linear, with some noise."""
    rng = np.random.default_rng((0, d, n_classes))
    X = rng.normal(size=(n, d))
    scores = X @ rng.normal(size=(d, n_classes)) + 0.5 * rng.normal(size=(n, n_classes))
    return X, Labels().encode(scores.argmax(axis=1))


def loaded(stream):
    """Return inputs and numbers of the labels of a stream."""
    if stream == "40 classes":
        return made(20_000, 20, 40)
    (chunk,) = open_stream(stream).chunks(10**9)
    return chunk.X, Labels().encode(chunk.y)


def yardstick():
    """Return the model of the recipe, or None where it is not at hand."""
    path = Path(os.environ.get("MOOE_YARDSTICK", YARDSTICK))
    if not path.exists():
        return None
    sys.path.insert(0, str(path.parent))
    before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, tempfile.mkdtemp()
    try:  # nothing is left beside the file, which is not ours
        return importlib.import_module(path.stem).model
    finally:
        numba.config.CACHE_DIR = before


def measure_stream(stream, other):
    """Return what a stream costs, ours and the yardstick's, and the bytes of the model learnt."""
    X, y = loaded(stream)
    n_classes, dense = int(y.max()) + 1, isinstance(X, np.ndarray)
    state = None

    def ours():
        nonlocal state
        state = core.init(PARAMS, X.shape[1], n_classes)
        core.predict_then_learn(PARAMS, state, X, y)

    runs = {"ours": ours}
    if other and dense:
        other(X[:200], y[:200], n_classes)  # compiles
        runs["yardstick"] = lambda: other(X, y, n_classes)
    best = dict.fromkeys(runs, np.inf)
    for _ in range(TURNS.get(stream, 6)):
        for name, run in runs.items():
            best[name] = min(best[name], seconds(run))
    return {
        "stream": stream,
        "rows": len(y),
        "inputs": X.shape[1],
        "classes": n_classes,
        "rows_per_second": len(y) / best["ours"],
        "yardstick": len(y) / best["yardstick"] if "yardstick" in best else None,
        "state_bytes": state.block.nbytes,
        "file_bytes": len(to_bytes(Contents(PARAMS, state))),
    }


def learning(state, X, y):
    """In place: learn the rows; return the seconds it took."""
    return seconds(lambda: core.predict_then_learn(PARAMS, state, X, y))


def measure_one_row():
    """Return microseconds a row of eight inputs, in a chunk and as a dict, answered and learnt."""
    from mooe.river_adapter import MOOEClassifier

    X, y = made(ROWS, 8, 2)
    samples = [dict(zip("abcdefgh", map(float, x), strict=True)) for x in X]
    one = row_by_row(MOOEClassifier(), samples, [bool(label) for label in y])
    state = core.init(PARAMS, 8, 2)
    costs = {"chunk": np.inf, "dict": np.inf}
    for _ in range(60):
        costs["chunk"] = min(costs["chunk"], 1e6 * learning(state, X, y) / ROWS)
        costs["dict"] = min(costs["dict"], 1e6 * seconds(one) * SLICES / ROWS)
    return costs


def measure_growth():
    """Return seconds against the rows of a stream, and those of its first and second half."""
    X, y = made(max(SIZES), 8, 2)
    costs, halves = dict.fromkeys(SIZES, np.inf), [np.inf, np.inf]
    for _ in range(6):
        for n in SIZES:
            state, half = core.init(PARAMS, 8, 2), n // 2
            first = learning(state, X[:half], y[:half])
            second = learning(state, X[half:n], y[half:n])
            costs[n] = min(costs[n], first + second)
        halves = [min(halves[0], first), min(halves[1], second)]
    return {
        "rows": list(SIZES),
        "seconds": list(costs.values()),
        "exponent": exponent(SIZES, list(costs.values())),
        "halves": halves,
    }


def measure_memory():
    """Return the resident size in megabytes after the first rows and after ten million."""
    X, y = made(100_000, 8, 2)
    state = core.init(PARAMS, 8, 2)
    core.predict_then_learn(PARAMS, state, X, y)
    grown = resident_grown(lambda: core.predict_then_learn(PARAMS, state, X, y), len(X))
    return {"rows": state.n_labelled, **grown}


def measure_start():
    """Return seconds of processor and clock of the first steps, and what is compiled for them."""

    def timed(*steps, **environment):
        command = [sys.executable, "-c", START, *steps]
        env = {**os.environ, **environment}
        done = subprocess.run(command, env=env, stdout=subprocess.PIPE, check=True, text=True)
        return [float(number) for number in done.stdout.split()]

    compiled, first = set(), []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            first.append(timed("fit", NUMBA_CACHE_DIR=folder))
            found = Path(folder).rglob("*.nbi")
            compiled |= {f"{path.parent.name.split('_')[0]}/{path.name}" for path in found}
    return {
        "import mooe": min(timed() for _ in range(3)),
        "import mooe.estimators and fit": min(timed("fit") for _ in range(3)),
        "the same, compiling": min(first),
        "compiled": sorted(name.split("-")[0] for name in compiled),
    }


def main():
    other = yardstick()
    results = {
        "digest": digest.of("auto"),
        "origin": origin(),
        "machine": processor(),
        "streams": [measure_stream(stream, other) for stream in STREAMS],
        "one row": measure_one_row(),
        "growth": measure_growth(),
        "memory": measure_memory(),
        "start": measure_start(),
    }
    RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")
    page.write()
    print(auto_section.rendered(results))


if __name__ == "__main__":
    main()
