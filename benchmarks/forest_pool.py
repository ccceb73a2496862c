"""Would a pool of parked forests pay, of which one takes over when its regime returns?

    python benchmarks/forest_pool.py            # what is not there, or of an earlier state
    python benchmarks/forest_pool.py --again

The default model has one forest. Here it learns row by row as it is, and between rows its forest is
copied, scored beside the one that learns, and put in its place. Nothing of the model is changed,
so these are the figures of its own mixture; time is not measured, for the pool is not compiled.
"""

# ruff: noqa: E402

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import argparse
import json
import math
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
import page
from ablation import loaded
from ablation_section import MADE
from forest_pool_section import LONG, POOLS, STREAMS, digest_of, seeds_of
from numba import njit
from streams import RIVERS
from streams import STREAMS as MAKERS

from mooe.auto import core, kernel
from mooe.auto.experts import forest
from mooe.auto.experts.forest import ALARM, NODE, PAIR, QUICK, SLOW, THRESHOLD, TREES, WHICH, YOUNG
from mooe.auto.layout import LAYOUT, open_desk
from mooe.auto.params import AutoParams
from mooe.evaluate.results import origin
from mooe.labels import Labels
from mooe.numerics.blocks import copy_alike, records, values
from mooe.numerics.scores import answers

RESULTS = Path(__file__).parent / "results" / "forest_pool.json"
MOST_ROWS, LONG_ROWS = 60_000, 60_000
SMALLEST = 1e-9  # probability of a label


@njit
def probability(nodes, thresholds, leaves, width, weights, n_outputs, x, label):
    """Return the probability that the learner over the leaves of a forest gives a label."""
    scores = np.zeros(n_outputs)
    for t in range(TREES):
        node = 2 * NODE * t
        while nodes[node + PAIR] > 0:
            is_above = x[nodes[node + WHICH]] > thresholds[node + THRESHOLD]
            node = 2 * NODE * nodes[node + PAIR] + (NODE if is_above else 0)
        for o in range(n_outputs):
            scores[o] += leaves[width * nodes[node + WHICH] + weights + o]
    if n_outputs == 1:
        one = 1.0 / (1.0 + math.exp(min(700.0, -2.0 * scores[0])))
        return one if label == 1 else 1.0 - one
    shares = np.exp(scores - scores.max())
    return shares[label] / shares.sum()


class Parked:
    """A copy of a model's forest, which scores and learns nothing."""

    def __init__(self, params, state):
        s, c = records(params, state.counters)
        self.tensors = forest.save(c, core.views(params, state).experts.forest)
        self.used, self.free = int(c.leaves_used), int(c.leaves_free)
        self.n_outputs = int(c.n_outputs)
        thresholds = self.tensors["forest.nodes"].ravel()
        leaves, places = self.tensors["forest.leaves"].ravel(), forest.places_in_leaf(s, c)
        self.arrays = thresholds.view(np.int32), thresholds, leaves, places.width, places.weights

    def loss(self, x, label):
        """Return its log-loss on a row."""
        return -math.log(max(SMALLEST, probability(*self.arrays, self.n_outputs, x, label)))

    def n_bytes(self):
        """Return the room it takes."""
        return sum(array.nbytes for array in self.tensors.values())


def put(params, state, parked):
    """In place: a parked forest in place of the model's own; None for trees that are all roots."""
    sizes = values(state.counters)
    sizes.leaves_used, sizes.leaves_free = (parked.used, parked.free) if parked else (TREES, 0)
    counters = {name: getattr(sizes, name) for name in ("leaves_used", "leaves_free")}
    room = forest.room_for(values(params.settings), sizes, 1)
    other = LAYOUT.resized(params, state, leaf_room=room, **counters)
    old, new = core.views(params, state), core.views(params, other)
    for before, after in zip(old[:-1], new[:-1], strict=True):
        copy_alike(before, after)
    for kind, before in old.experts._asdict().items():
        if kind != "forest":
            copy_alike(before, getattr(new.experts, kind))
    if parked:
        forest.restore(*records(params, other.counters), new.experts.forest, parked.tensors)
    else:
        forest.start(new.experts.forest)
    state.become(other)


@dataclass
class Known:
    """Regimes are told: at each change the forest is parked, and that of the next one put back."""

    regimes: np.ndarray
    kept: dict = field(default_factory=dict)
    recalls: int = 0
    scored: int = 0

    def follow(self, params, state, i, x, label, chance, wrong):
        """In place: what is done after row i; return whether the forest is another."""
        now, ahead = self.regimes[i : i + 2].tolist() if i + 1 < len(self.regimes) else (0, 0)
        if now == ahead:
            return False
        self.kept[now] = Parked(params, state)
        if ahead not in self.kept:
            return False
        put(params, state, self.kept[ahead])
        self.recalls += 1
        return True

    def n_bytes(self):
        """Return the room that parked forests take."""
        return sum(one.n_bytes() for one in self.kept.values())


@dataclass
class Pool:
    """A copy is parked at an alarm; a parked one takes over when it has saved enough log-loss."""

    need: float  # nats that it saves until it takes over, a CUSUM
    trial: int  # rows after an alarm in which parked ones are scored
    steady: bool = False  # they are scored on all rows
    empty: bool = False  # at an alarm trees begin again; else they go on as they are
    size: int = 3  # parked ones
    kept: list = field(default_factory=list)
    alarms: int = 0
    recalls: int = 0
    scored: int = 0

    def __post_init__(self):
        self.forget()

    def forget(self):
        """In place: no forest is parked."""
        self.kept, self.saved, self.last = [], [], []
        self.home = self.copy = -1  # the place of the one that learns; of the copy on trial
        self.left, self.worse = 0, 0.0
        self.calm_down()

    def calm_down(self):
        """In place: the mean errors start anew."""
        self.age, self.quick, self.slow = 0, 0.0, 0.0

    def is_alarmed(self, wrong):
        """In place: the mean errors of the leaves, by the rule of a tree's own."""
        self.age += 1
        self.quick += max(QUICK, 1.0 / self.age) * (wrong - self.quick)
        self.slow += max(SLOW, 1.0 / self.age) * (wrong - self.slow)
        deviation = math.sqrt(max(self.slow * (1.0 - self.slow), 0.01) * QUICK * 0.5)
        return self.age > YOUNG and self.quick - self.slow > ALARM * deviation

    def follow(self, params, state, i, x, label, chance, wrong):
        """In place: what is done after row i; return whether the forest is another."""
        if self.kept and self.kept[0].n_outputs != state.n_outputs:
            self.forget()
        best = self.judge(x, label, -math.log(max(SMALLEST, chance)))
        if best >= 0:
            if self.steady and self.home < 0 and self.copy < 0:
                self.park(params, state, i)
            self.take_over(params, state, i, best)
            return True
        if not self.is_alarmed(wrong):
            return False
        self.calm_down()
        if self.left > 0:
            return False
        self.alarms += 1
        self.park(params, state, i)
        self.saved, self.left = [0.0] * len(self.kept), self.trial
        if self.empty:
            put(params, state, None)
        return self.empty

    def judge(self, x, label, own):
        """In place: what parked forests have saved; return one that takes over, or -1."""
        best = -1
        if not (self.steady or self.left > 0):
            return best
        for k, parked in enumerate(self.kept):
            if k == self.home:
                continue
            self.scored += 1
            gain = own - parked.loss(x, label)
            self.worse -= gain if k == self.copy else 0.0
            self.saved[k] = max(0.0, self.saved[k] + gain)
            if self.saved[k] > self.need and (best < 0 or self.saved[k] > self.saved[best]):
                best = k
        self.left = max(0, self.left - 1)
        if self.left == 0 and self.copy >= 0:  # a copy that did as well is of the same regime
            self.home = self.copy if self.worse < self.need else -1
            self.copy = -1
        return best

    def park(self, params, state, i):
        """In place: a copy where the one that learns was before, else where none was for long."""
        k = self.home
        if k < 0 and len(self.kept) < self.size:
            k = len(self.kept)
            for places in (self.kept, self.saved, self.last):
                places.append(0.0)
        elif k < 0:
            k = int(np.argmin(self.last))
        self.kept[k], self.last[k] = Parked(params, state), i
        self.home, self.copy, self.worse = -1, k, 0.0

    def take_over(self, params, state, i, best):
        """In place: a parked forest learns from now on."""
        put(params, state, self.kept[best])
        self.home, self.copy, self.left, self.last[best] = best, -1, 0, i
        self.saved = [0.0] * len(self.kept)
        self.recalls += 1
        self.calm_down()

    def n_bytes(self):
        """Return the room that parked forests take."""
        return sum(one.n_bytes() for one in self.kept)


class Rows:
    """A default model that learns row by row, and what its leaves said of the last one."""

    def __init__(self, d, seed):
        self.params = AutoParams(seed=seed)
        self.state = core.init(self.params, d)
        self.look()

    def look(self):
        """In place: views of the state as it is now."""
        self.room = core.scratch(self.params, self.state)
        desk = open_desk(*records(self.params, self.state.counters), self.room)[0]
        self.x, self.scores = desk.seen.raw[0], desk.experts.forest.scores
        self.out = np.empty((1, self.state.n_outputs))

    def learn(self, x, y):
        """In place: learn a row (1, d); return whether its answer was right, and it was judged."""
        nothing, state = np.zeros(0), self.state
        rows = x, nothing, nothing, np.zeros(2), np.zeros((1, 0))
        labels = y, np.ones(1), np.full(1, np.nan), 0
        block = self.params.settings, state.counters, state.block, self.room
        if kernel.learn(*block, *rows, *labels, self.out) < 0:  # no room: first that is made
            core.make_room(self.params, state, 1)
            scores = core.predict_then_learn(self.params, state, x, y)
            self.look()
            return bool(answers(self.params, scores)[0] == y[0]), False
        return bool(answers(self.params, self.out)[0] == y[0]), True

    def said(self, label):
        """Return the probability that the leaves gave the label, and whether they were wrong.

        From their gradient, which learning has left.
        """
        if len(self.scores) == 1:
            chance = 1.0 - abs(self.scores[0])
            return chance, chance < 0.5
        chances = self.scores.copy()
        chances[label] += 1.0
        return chances[label], chances.argmax() != label


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


def measured(stream, pool, seed):
    """Return what came out of one run, None where there is nothing to run."""
    X, y = rows_of(stream, seed)
    follower = Pool(**POOLS[pool]) if POOLS[pool] else None
    if pool == "changes known":
        regimes = regimes_of(stream, len(y))
        if regimes is None:
            return None
        follower = Known(regimes)
    model, right = Rows(X.shape[1], seed), 0
    for i in range(len(y)):
        is_right, is_judged = model.learn(X[i : i + 1], y[i : i + 1])
        right += is_right
        if follower and is_judged:
            label = int(y[i])
            row = model.x, label, *model.said(label)
            if follower.follow(model.params, model.state, i, *row):
                model.look()
    found = {"rows": len(y), "right": right}
    if follower:
        found |= {"recalls": follower.recalls, "scored": follower.scored}
        found["bytes"] = follower.n_bytes()
    return found


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
            for pool in POOLS:
                key = f"{stream} | {pool} | {seed}"
                if not asked.again and whole["digests"].get(key) == digest_of(key):
                    continue
                one = measured(stream, pool, seed)
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
