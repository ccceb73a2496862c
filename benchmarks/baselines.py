"""The baselines of the paper on the streams: accuracy, speed, and Condor's sweep over mu.

    python benchmarks/baselines.py            # all streams; results are kept, a run goes on
    python benchmarks/baselines.py --again    # also what is there already
    python benchmarks/baselines.py --streams Usenet1,Weather

Prequential, every row counted, inputs as they arrive, defaults of each. Speed is that of the
learner, processor time, the quickest of three turns on streams below 100,000 rows.
"""

# ruff: noqa: E402

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import argparse
import json
import time
from functools import cache
from pathlib import Path

import numpy as np
import page
from baselines_section import CHECKED, LABELS, MORE_MUS, MUS, STREAMS, SWEPT

from mooe.datasets import open_stream
from mooe.evaluate import Numbering
from mooe.models import make_learner
from mooe.results import origin

RESULTS = Path(__file__).parent / "results" / "baselines.json"
TURNS, MANY = 3, 100_000


@cache
def loaded(name):
    """Return the rows of a stream and the numbers of its labels in order of appearance."""
    (chunk,) = open_stream(name).chunks(10**9)
    return np.ascontiguousarray(chunk.X), Numbering().number_all(chunk.y)


def in_hindsight(stream, parameters):
    """Return rows and right answers with min-max scaling of the whole stream, epoch 1 left out."""
    X, y = loaded(stream)
    least, most = X.min(axis=0), X.max(axis=0)
    X = (X - least) / np.where(most > least, most - least, 1.0)
    learner = make_learner("condor", parameters={**parameters, "scale": "false"})
    right = (learner.predict_then_learn(X, y).chosen == y)[learner.params.epoch :]
    return {"rows": len(right), "right": int(right.sum())}


def measured(stream, model, parameters):
    """Return rows, right answers and the processor time of one model on a stream."""
    if model == "condor in hindsight":
        return in_hindsight(stream, parameters)
    X, y = loaded(stream)
    seconds = np.inf
    make_learner(model, parameters=parameters).predict_then_learn(X[:100], y[:100])
    for _ in range(TURNS if len(X) < MANY else 1):
        learner = make_learner(model, parameters=parameters)
        began = time.process_time()
        found = learner.predict_then_learn(X, y)
        seconds = min(seconds, time.process_time() - began)
    return {"rows": len(y), "right": int((found.chosen == y).sum()), "seconds": seconds}


def tasks(streams):
    """Yield (stream, what it is called, model, parameters) in the order of running."""
    for stream in streams:
        for model in LABELS:
            name, _, option = model.partition(" ")
            yield stream, model, name, dict([option.split("=")]) if option else {}
        if stream in SWEPT:
            for mu in MUS:
                yield stream, f"condor mu={mu}", "condor", {"mu": mu}
        if stream in CHECKED:
            for mu in MORE_MUS:
                called = "condor in hindsight"
                yield stream, f"{called} mu={mu}", called, {"mu": mu}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--streams", help="some of them, with commas between")
    parser.add_argument("--again", action="store_true", help="also what is there already")
    asked = parser.parse_args()
    kept = json.loads(RESULTS.read_text())["runs"] if RESULTS.exists() else {}
    for stream, called, model, parameters in tasks((asked.streams or ",".join(STREAMS)).split(",")):
        key = f"{stream} | {called}"
        if key in kept and not asked.again:
            continue
        one = kept[key] = measured(stream, model, parameters)
        speed = f", {one['rows'] / one['seconds']:,.0f} rows/s" if "seconds" in one else ""
        print(f"{key}: {100 * one['right'] / one['rows']:.2f} %{speed}", flush=True)
        whole = {"origin": origin(), "seed": 0, "runs": kept}
        RESULTS.write_text(json.dumps(whole, indent=1, sort_keys=True) + "\n")
    page.write()


if __name__ == "__main__":
    main()
