"""The baselines of the paper on the streams and other readings of them: accuracy, speed, sweeps.

    python benchmarks/baselines.py            # what is not there, or of an earlier state
    python benchmarks/baselines.py --again    # also what is there already
    python benchmarks/baselines.py --streams "Usenet1|Weather"

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

import baselines_page
import digest
import numpy as np
import page
from baselines_page import READ_BY, READINGS, SWEPT_READINGS, TRIED
from baselines_section import CHECKED, LABELS, MORE_MUS, MUS, STREAMS, SWEPT

from mooe.datasets import open_stream
from mooe.evaluate.results import origin
from mooe.labels import Labels
from mooe.run.registry import make_learner

RESULTS = Path(__file__).parent / "results" / "baselines.json"
TURNS, MANY = 3, 100_000


def read_otherwise(how, names, X, y):
    """Return rows and labels of a stream in another reading."""
    if how == "first 100,000 rows":
        return X[:100_000], y[:100_000]
    if how == "class 2 or not":
        return X, y == 2
    day = names.index("day")
    rest = np.delete(X, day, axis=1)
    if how == "weekday as seven columns":
        return np.hstack([rest, X[:, [day]] == np.unique(X[:, day])]), y
    if how == "weekday left out":
        return rest, y
    raise ValueError(f"a reading must be one that is known, got {how!r}")


@cache
def loaded(name):
    """Return the rows of a stream and the numbers of its labels in order of appearance."""
    stream, *readings = name.split("; ")
    opened = open_stream(stream)
    (chunk,) = opened.chunks(10**9)
    X, y = chunk.X, chunk.y
    for how in readings:
        X, y = read_otherwise(how, opened.feature_names, X, y)
    return np.ascontiguousarray(X), Labels().encode(y)


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
        models = [*LABELS] if stream in STREAMS else []
        models += [one for one in READ_BY if stream in READINGS and one not in models]
        for model in models:
            name, _, option = model.partition(" ")
            yield stream, model, name, dict([option.split("=")]) if option else {}
        if stream in SWEPT:
            for mu in MUS:
                yield stream, f"condor mu={mu}", "condor", {"mu": mu}
        if stream in CHECKED or stream in SWEPT_READINGS:
            called = "condor in hindsight"
            for option in ("", *(TRIED if stream == "Electricity" else ())):
                chosen = dict([option.split("=")]) if option else {}
                for mu in MORE_MUS:
                    name = " ".join(filter(None, (called, option, f"mu={mu}")))
                    yield stream, name, called, {**chosen, "mu": mu}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--streams", help="some of them, with | between")
    parser.add_argument("--again", action="store_true", help="also what is there already")
    asked = parser.parse_args()
    whole = {"runs": {}, "digests": {}, "seed": 0}
    if RESULTS.exists():
        whole |= json.loads(RESULTS.read_text())
    now = digest.of("baselines")
    every = dict.fromkeys((*STREAMS, *READINGS, *SWEPT_READINGS))
    streams = asked.streams.split("|") if asked.streams else every
    for stream, called, model, parameters in tasks(streams):
        key = f"{stream} | {called}"
        if whole["digests"].get(key) == now and not asked.again:
            continue
        one = whole["runs"][key] = measured(stream, model, parameters)
        whole["digests"][key] = now
        speed = f", {one['rows'] / one['seconds']:,.0f} rows/s" if "seconds" in one else ""
        print(f"{key}: {100 * one['right'] / one['rows']:.2f} %{speed}", flush=True)
        names = sorted({one.partition(" |")[0].partition(";")[0] for one in whole["runs"]})
        whole["data"] = {one: open_stream(one).sha256 for one in names}
        whole["origin"] = origin()
        RESULTS.write_text(json.dumps(whole, indent=1, sort_keys=True) + "\n")
    page.write()
    baselines_page.write()


if __name__ == "__main__":
    main()
