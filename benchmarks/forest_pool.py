"""What the pool of forests is worth, and what there would be to gain at most.

    python benchmarks/forest_pool.py            # what is not there, or of an earlier state
    python benchmarks/forest_pool.py --again

The default model stands beside itself without the pool, and beside one that is told every change of
regime, which no model is: there the forest is parked at the change, and that of the next regime put
back. That one learns row by row, and between rows its forest is copied and replaced.
"""

# ruff: noqa: E402

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import argparse
import json
from functools import cache
from pathlib import Path

import numpy as np
import page
from ablation import loaded
from ablation_section import MADE
from forest_pool_section import KINDS, KNOWN, LONG, STREAMS, WITHOUT, digest_of, seeds_of
from streams import RIVERS
from streams import STREAMS as MAKERS

from mooe.auto import core
from mooe.auto.experts import forest
from mooe.auto.layout import LAYOUT
from mooe.auto.params import AutoParams
from mooe.evaluate.results import origin
from mooe.labels import Labels
from mooe.numerics.blocks import copy_alike, records, values
from mooe.numerics.scores import answers

RESULTS = Path(__file__).parent / "results" / "forest_pool.json"
MOST_ROWS, LONG_ROWS = 60_000, 60_000


def parked(params, state):
    """Return a copy of a model's forest: how many leaves it takes, how many are free, arrays."""
    c = records(params, state.counters)[1]
    arrays = forest.save(c, core.views(params, state).experts.forest)
    return int(c.leaves_used), int(c.leaves_free), arrays


def put_back(params, state, copy):
    """In place: a copy in place of the model's own forest."""
    sizes = values(state.counters)
    sizes.leaves_used, sizes.leaves_free, arrays = copy
    counters = {name: getattr(sizes, name) for name in ("leaves_used", "leaves_free")}
    room = forest.room_for(values(params.settings), sizes, 1)
    other = LAYOUT.resized(params, state, leaf_room=room, **counters)
    old, new = core.views(params, state), core.views(params, other)
    for before, after in zip(old[:-1], new[:-1], strict=True):
        copy_alike(before, after)
    for kind, before in old.experts._asdict().items():
        if kind != "forest":
            copy_alike(before, getattr(new.experts, kind))
    forest.restore(*records(params, other.counters), new.experts.forest, arrays)
    state.become(other)


def told(params, X, y, regimes):
    """Return how many rows a model answers right that is told every change of regime."""
    state, kept, right = core.init(params, X.shape[1]), {}, 0
    ends = [*(1 + np.flatnonzero(np.diff(regimes))).tolist(), len(y)]
    for begin, end in zip([0, *ends[:-1]], ends, strict=True):
        if regimes[begin] in kept:
            put_back(params, state, kept[regimes[begin]])
        right += n_right(params, state, X[begin:end], y[begin:end])
        kept[regimes[begin]] = parked(params, state)
    return right


def n_right(params, state, X, y):
    """In place: learn rows; return how many were answered right."""
    scores = core.predict_then_learn(params, state, X, y.astype(float))
    return int((answers(params, scores) == y).sum())


@cache
def rows_of(stream, seed):
    """Return the rows of a stream and its labels as numbers."""
    name = stream.removesuffix(LONG)
    if stream != name:
        made = MAKERS[name](seed=seed, n=LONG_ROWS).load()
        return made.X, Labels().encode(made.y)
    X, y = loaded(stream, seed if stream in MADE else 0)
    y = y[:MOST_ROWS].astype(np.int64)
    return np.ascontiguousarray(X[:MOST_ROWS], dtype=np.float64), Labels().encode(y)


def regimes_of(stream, n):
    """Return the number of every row's regime, or None where they are not known or never return."""
    name = stream.removesuffix(LONG)
    if name in RIVERS:
        _, makers, length = RIVERS[name].args
        n_regimes = len(makers)
    else:
        settings = getattr(MAKERS.get(name), "keywords", {})
        n_regimes, length = len(settings.get("concepts", ())), settings.get("length", 0)
    if length == 0 or n <= n_regimes * length:
        return None
    return np.arange(n) // length % n_regimes


def measured(stream, kind, seed):
    """Return what came out of one run, None where there is nothing to run."""
    X, y = rows_of(stream, seed)
    params = AutoParams(seed=seed, without=() if kind not in (WITHOUT, KNOWN) else ("forest_pool",))
    if kind == KNOWN:
        regimes = regimes_of(stream, len(y))
        if regimes is None:
            return None
        return {"rows": len(y), "right": told(params, X, y, regimes)}
    state = core.init(params, X.shape[1])
    found = {"rows": len(y), "right": n_right(params, state, X, y)}
    return found | {"bytes": core.sizes(params, state)["forest_pool"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--again", action="store_true", help="also what is there already")
    parser.add_argument("--streams", help="some of them, with semicolons between")
    asked = parser.parse_args()
    whole = {"runs": {}, "digests": {}}
    if RESULTS.exists():
        whole |= json.loads(RESULTS.read_text())
    for stream in asked.streams.split(";") if asked.streams else STREAMS:
        for seed in seeds_of(stream):
            for kind in KINDS:
                key = f"{stream} | {kind} | {seed}"
                if not asked.again and whole["digests"].get(key) == digest_of(key):
                    continue
                one = measured(stream, kind, seed)
                if one is None:
                    continue
                print(f"{key}: {100 * one['right'] / one['rows']:.2f} %", flush=True)
                whole["runs"][key], whole["digests"][key] = one, digest_of(key)
                whole["origin"] = origin()
        rows_of.cache_clear()
        loaded.cache_clear()
        RESULTS.write_text(json.dumps(whole, indent=1, sort_keys=True) + "\n")
    page.write()


if __name__ == "__main__":
    main()
