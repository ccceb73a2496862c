"""The default model beside the one of an earlier commit, on the streams that have floors.

    python benchmarks/before.py 16c952b   # into results/before.json

Prequential, every row counted, five seeds, as in ablation.py, whose runs stand beside these.
"""

# ruff: noqa: E402

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import argparse
import json
import tempfile
from pathlib import Path

import digest
import numpy as np
import page
from ablation import SEEDS, loaded
from ablation_section import FLOORS, MADE, STARTS
from earlier import Worker, checked_out

from mooe.evaluate.results import origin
from mooe.labels import Labels

RESULTS = Path(__file__).parent / "results" / "before.json"

# Reads a file of rows and a seed from each line, and writes how many answers were right.
EARLIER = """
import sys, numpy as np
from mooe.auto import core
from mooe.auto.params import AutoParams
for line in sys.stdin:
    path, seed = line.split()
    rows = np.load(path)
    params = AutoParams(seed=int(seed))
    state = core.init(params, rows["X"].shape[1])
    scores = core.predict_then_learn(params, state, rows["X"], rows["y"])
    chosen = scores[:, 0] > 0 if scores.shape[1] == 1 else scores.argmax(axis=1)
    print((chosen == rows["y"]).sum(), flush=True)
"""


def measured_before(commit, streams):
    """Return what the default model of an earlier commit came to: runs by stream, seed and start.

    Before the first label it is counted as wrong there as here: a NaN is no class.
    """
    runs = {}
    with tempfile.TemporaryDirectory() as rows, checked_out(commit) as folder:
        worker, path = Worker(folder, EARLIER), Path(rows) / "rows.npz"
        for stream, seed in ((stream, seed) for stream in streams for seed in SEEDS):
            X, y = loaded(stream, seed if stream in MADE else 0)
            for start in STARTS.get(stream, (0,)):
                labels = Labels().encode(y[start:].astype(np.int64)).astype(np.float64)
                np.savez(path, X=np.ascontiguousarray(X[start:], dtype=np.float64), y=labels)
                (right,) = worker.ask(path, seed)
                runs[f"{stream} | before | {seed} | {start}"] = {
                    "rows": len(labels),
                    "right": right,
                }
                print(f"{stream}, seed {seed}: {100 * right / len(labels):.2f} %", flush=True)
        worker.end()
    return {"commit": commit, "runs": runs}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commit", help="an earlier state of the code")
    asked = parser.parse_args()
    results = measured_before(asked.commit, [one for one in FLOORS if one != "Spam_full"])
    results |= {"origin": origin(), "digest": digest.of("before")}
    RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")
    page.write()


if __name__ == "__main__":
    main()
