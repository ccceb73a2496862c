"""What every part of the default model is worth: each left out in turn, on every stream.

    python benchmarks/ablation.py                     # floors, then the parts; results are kept
    python benchmarks/ablation.py --streams Usenet1,Email --again
    python benchmarks/ablation.py --floors            # the default model alone, five seeds
    python benchmarks/ablation.py --times             # what the parts cost, measured in turns

Prequential, every row counted, one setting for all. Usenet1 and Email are the mean over starts at
rows 0, 11, 23 and 37: their regimes begin at multiples of 50. Every run is written as soon as it is
there, so an interrupted run goes on; what is of an earlier state of the code is run again.
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
from ablation_section import APART, BESIDE, FLOORS, MADE, REGIMES, STARTS, VARIANTS, WIDE, digest_of
from streams import RIVERS, STREAMS

from mooe.auto import core
from mooe.auto.params import AutoParams
from mooe.datasets import open_stream
from mooe.evaluate.results import origin
from mooe.labels import Labels
from mooe.numerics.scores import answers

RESULTS = Path(__file__).parent / "results" / "ablation.json"
SEEDS = range(5)
TURNS, TIMED_ROWS = 7, 20_000


def made(name, n=40_000):
    """Return a stream of regimes that come back after random stretches, and its labels.

    Three have no regimes: in one the boundary goes round, a turn in some 6,300 rows, in one three
    labels in ten are wrong, in one there is nothing to learn.
    """
    rng = np.random.default_rng(7)
    n_regimes, shortest, longest = {"fast": (6, 100, 500), "linear": (6, 500, 3000)}.get(
        name, (3, 500, 3000)
    )
    lengths = rng.integers(shortest, longest, n)
    regime = np.repeat(rng.integers(0, n_regimes, n), lengths)[:n]
    X = rng.uniform(-1.0, 1.0, (n, 600 if name == "sparse" else 10))
    if name == "sparse":
        X *= rng.random(X.shape) < 0.05
    W = rng.normal(size=(n_regimes, X.shape[1], 4))
    scores = np.einsum("nd,ndc->nc", X, W[regime])
    if name == "turning":
        angle = np.arange(n) / 1000
        scores[:, 0] = X @ W[0, :, 0] * np.cos(angle) + X @ W[0, :, 1] * np.sin(angle)
    if name == "wrong labels":
        scores[:, 0] = X @ W[0, :, 0]
        scores[rng.random(n) < 0.3, 0] *= -1.0
    if name == "nothing":
        scores[:, 0] = 0.4 - rng.random(n)
    if name == "four classes":
        y = scores.argmax(axis=1)
    elif name == "curved":
        y = (scores[:, 0] * scores[:, 1] > 0.0).astype(int)
    else:
        y = (scores[:, 0] > 0.0).astype(int)
    wrong = rng.random(n) < (0.0 if name in ("wrong labels", "nothing") else 0.05)
    y[wrong] = rng.integers(0, y.max() + 1, wrong.sum())
    return X, y.astype(float)


@cache
def loaded(name, seed=0):
    """Return the rows of a stream and the numbers of its labels in order of appearance.

    The seed is that of a stream of a generator; the others are as they are.
    """
    if name in REGIMES:
        X, y = made(name)
        return X, Labels().encode(y)
    if name in MADE:
        stream = (STREAMS | RIVERS)[name](seed=seed).load()
        return stream.X, Labels().encode(stream.y)
    (chunk,) = open_stream(name).chunks(10**9)
    return chunk.X, Labels().encode(chunk.y)


def measured(stream, without, seed, start, **fields):
    """Return what came out of one run; fields are those of AutoParams."""
    X, y = loaded(stream, seed if stream in MADE else 0)
    X, y = X[start:], Labels().encode(y[start:].astype(np.int64))
    params = AutoParams(**{"without": without, "seed": seed, **fields})
    state = core.init(params, X.shape[1])
    began = time.process_time()
    scores = core.predict_then_learn(params, state, X, y)
    seconds = time.process_time() - began
    right = int((answers(params, scores) == y).sum())
    return {
        "rows": len(y),
        "right": right,
        "seconds": seconds,
        "shown": len(core.concepts(params, state)),
    }


def timed(stream):
    """Return the processor time of the default model and of it without each part, by their names.

    The quickest of several turns, over the first rows of the stream.
    """
    X, y = loaded(stream)
    X, y = X[:TIMED_ROWS], Labels().encode(y[:TIMED_ROWS].astype(np.int64))
    best = dict.fromkeys(("default", *APART), np.inf)
    for _ in range(TURNS):
        for variant in best:
            params = AutoParams(without=VARIANTS[variant])
            state = core.init(params, X.shape[1])
            began = time.process_time()
            core.predict_then_learn(params, state, X, y)
            best[variant] = min(best[variant], time.process_time() - began)
    return best


def tasks(streams, floors_only):
    """Yield (stream, variant, seed, start) in the order in which they are to be run."""
    for stream in streams:
        for seed in SEEDS if stream in FLOORS else ():
            for start in STARTS.get(stream, (0,)):
                for variant in ("default", *BESIDE):
                    yield stream, variant, seed, start
        if stream == "Powersupply":
            for seed in SEEDS:
                yield stream, "no-change", seed, 0
    if not floors_only:
        for variant in VARIANTS:
            for stream in streams:
                for start in STARTS.get(stream, (0,)):
                    yield stream, variant, 0, start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--streams", help="some of them, with commas between")
    parser.add_argument("--floors", action="store_true", help="the default model alone")
    parser.add_argument("--times", action="store_true", help="the time that parts take alone")
    parser.add_argument("--again", action="store_true", help="also what is there already")
    asked = parser.parse_args()
    streams = asked.streams.split(",") if asked.streams else [*FLOORS, *REGIMES]
    whole = {"runs": {}, "times": {}, "digests": {}}
    if RESULTS.exists():
        whole |= json.loads(RESULTS.read_text())
    done = {} if asked.again else whole["digests"]
    measuring = times(streams, done) if asked.times else runs(asked, streams, done)
    for name, one in measuring:
        whole["times" if asked.times else "runs"][name] = one
        whole["digests"][name] = digest_of(name)
        whole["origin"] = origin()
        RESULTS.write_text(json.dumps(whole, indent=1, sort_keys=True) + "\n")
    page.write()


def times(streams, done):
    """Yield the narrow streams with what is to be kept of them: the times of the parts.

    done: the digests of those that are kept.
    """
    for stream in streams:
        if stream not in WIDE and done.get(stream) != digest_of(stream):
            one = timed(stream)
            print(f"{stream}: {one['default']:.3f} s", flush=True)
            yield stream, one


def runs(asked, streams, done):
    """Yield the names of the runs that are asked for and not kept yet, with what came out.

    done: the digests of those that are kept.
    """
    named = {" | ".join(map(str, task)): task for task in tasks(streams, asked.floors)}
    for key, (stream, variant, seed, start) in named.items():
        if done.get(key) == digest_of(key):
            continue
        one = measured(stream, VARIANTS[variant], seed, start)
        print(
            f"{key}: {100 * one['right'] / one['rows']:.2f} %, "
            f"{one['rows'] / one['seconds']:,.0f} rows/s",
            flush=True,
        )
        yield key, one


if __name__ == "__main__":
    main()
