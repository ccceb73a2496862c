"""What the prequential loop costs: beside the bare chunk path, and beside River's own loop.

    python benchmarks/evaluate.py            # prints, and writes benchmarks/results/evaluate.json
    python benchmarks/evaluate.py --memory   # also a CSV of five million rows

Processor time, the quickest of many short turns, from one interleaved run.
"""

# ruff: noqa: E402

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import digest
import numpy as np
from river import evaluate as river_evaluate
from river import linear_model, metrics

from mooe.datasets import recurring
from mooe.evaluate.learners import MooeLearner
from mooe.evaluate.loop import prequential
from mooe.evaluate.results import origin
from mooe.paper import core
from mooe.paper.core import Params

TURNS = 50
ROWS, RIVER_ROWS = 60_000, 4_000
CSV_ROWS = 5_000_000
RESULTS = Path(__file__).parent / "results" / "evaluate.json"

# Reads a CSV through the command's own parts and prints the resident size along the way.
READER = """
import sys
from mooe.paper.core import Params
from mooe.datasets import open_stream
from mooe.evaluate.loop import prequential
from mooe.evaluate.learners import MooeLearner

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 1e6

seen = []
def note(results):
    if results.rows >= 100_000 and not seen:
        seen.append(resident())

prequential(MooeLearner(Params()), open_stream(sys.argv[1], label="y"), progress=note)
print(resident() - seen[0])
"""


def seconds(run):
    """Return the processor time of a call."""
    start = time.process_time()
    run()
    return time.process_time() - start


def measure(d):
    """Return microseconds a row of the bare path, of our loop and of River's."""
    stream = recurring(n=ROWS, n_features=d, length=250)
    labels = stream.y.astype(float)
    names = [f"x{j}" for j in range(d)]
    rows = zip(stream.X[:RIVER_ROWS].tolist(), stream.y[:RIVER_ROWS].tolist(), strict=True)
    samples = [(dict(zip(names, x, strict=True)), bool(y)) for x, y in rows]

    def bare():
        params = Params()
        core.predict_then_learn(params, core.init(params, d), stream.X, labels)

    def loop():
        prequential(MooeLearner(Params()), stream)

    def river():
        model = linear_model.LogisticRegression()
        river_evaluate.progressive_val_score(samples, model, metrics.Accuracy())

    best = {"bare": np.inf, "loop": np.inf, "river": np.inf}
    for _ in range(TURNS):
        for name, run, n in (("bare", bare, ROWS), ("loop", loop, ROWS)):
            best[name] = min(best[name], 1e6 * seconds(run) / n)
        best["river"] = min(best["river"], 1e6 * seconds(river) / RIVER_ROWS)
    return best


def grown():
    """Return by how many MB a process grows from row 100,000 to the end of a long CSV."""
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.csv"
        with path.open("w") as file:
            file.write("a,b,c,d,y\n")
            for _ in range(CSV_ROWS // 50_000):
                X = rng.normal(size=(50_000, 4)).round(4)
                np.savetxt(file, np.column_stack([X, X.sum(axis=1) > 0]), "%.4f,%.4f,%.4f,%.4f,%d")
        done = subprocess.run(
            [sys.executable, "-c", READER, path], capture_output=True, text=True, check=True
        )
    return float(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--memory", action="store_true", help="also a CSV of five million rows")
    memory = parser.parse_args().memory
    now = digest.of("evaluate")
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    kept = kept if kept.get("digest") == now else {}
    rows = {str(d): measure(d) for d in (8, 54)}
    results = {**kept, "digest": now, "origin": origin(), "rows": rows}
    if memory:
        results["MB grown"] = grown()
    RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")
    for d, us in results["rows"].items():
        cost, gain = us["loop"] / us["bare"], us["river"] / us["loop"]
        print(
            f"d = {d}: bare {us['bare']:.3f} us a row, loop {us['loop']:.3f}, "
            f"River's loop {us['river']:.1f}"
        )
        print(f"  loop / bare {cost:.2f} (at most 1.3: {'ok' if cost <= 1.3 else 'missed'})")
        print(f"  River's loop / loop {gain:.1f} (at least 10: {'ok' if gain >= 10 else 'missed'})")
    if "MB grown" in results:
        print(
            f"{CSV_ROWS:,} rows of CSV: {results['MB grown']:.1f} MB from row 100,000 on (below 50)"
        )


if __name__ == "__main__":
    main()
