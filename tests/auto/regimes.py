"""Random streams for the default model, and what it has learnt beside what the oracle has."""

import math
from dataclasses import dataclass

import numpy as np
from auto_reference import EXPERTS, AutoReference
from hypothesis import strategies as st

from mooe.auto import core
from mooe.auto.experts.linear import FRESH, LIVE
from mooe.auto.experts.memory import (
    BORN,
    COMPARED,
    IN_CHARGE,
    LAST,
    N_CONCEPTS,
    N_MADE,
    N_NAMED,
    N_SWITCHED,
    NAME,
    RECOGNISED,
    SAMPLES,
    T,
)
from mooe.auto.params import AutoParams


@dataclass(frozen=True)
class Rows:
    """Rows in the order of their arrival; classes are numbered by their first learnt row."""

    X: np.ndarray  # (n, d), NaN where a value is absent
    y: np.ndarray  # (n,), NaN where a label is missing
    weights: np.ndarray  # (n,)
    known: np.ndarray  # (n,), the last label known when a row was answered; NaN: the last learnt

    def __getitem__(self, some):
        return Rows(self.X[some], self.y[some], self.weights[some], self.known[some])

    def __len__(self):
        return len(self.X)


def regimes(
    rng,
    n=120,
    d=3,
    n_classes=2,
    length=30,
    noise=0.0,
    zeros=0.0,
    absent=0.0,
    unlabelled=0.0,
    weighted=False,
    late=0,
    constant=False,
):
    """Return rows of two concepts that take turns, the second with the labels of the first turned.

    A stretch has about `length` rows. n_classes 0 is regression. `late`: a label is known that many
    rows later. The last column is always there and never the same, for a row that returned would be
    scored exactly 1 or -1 by a passive-aggressive learner, and rounding would say who is ahead.
    """
    X = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-2, 2, d) + rng.choice([0.0, 5.0], d)
    X[:, :-1][rng.random((n, d - 1)) < zeros] = 0.0
    if constant:
        X[:, : d - 1][:, :1] = 0.1
    ends = np.cumsum(rng.integers(length // 2 + 1, 2 * length, n))
    turned = np.searchsorted(ends, np.arange(n), side="right") % 2
    unit = (X - X.mean(axis=0)) / (X.std(axis=0) + 1e-9)
    scores = unit @ rng.normal(size=(d, max(n_classes, 1))) + rng.normal(size=max(n_classes, 1))
    if n_classes == 0:
        y = 5.0 + 3.0 * (1 - 2 * turned) * np.tanh(scores[:, 0]) + noise * rng.normal(size=n)
    else:
        y = (scores.argmax(axis=1) + turned) % n_classes
        wrong = rng.random(n) < noise
        y = np.where(wrong, rng.integers(0, n_classes, n), y).astype(float)
    X[:, :-1][rng.random((n, d - 1)) < absent] = np.nan
    y[rng.random(n) < unlabelled] = np.nan
    weights = (
        rng.choice([0.0, 0.5, 1.0, 3.0], n, p=[0.1, 0.2, 0.5, 0.2]) if weighted else np.ones(n)
    )
    if n_classes:
        order = list(dict.fromkeys(y[~np.isnan(y) & (weights > 0)]))
        numbers = {label: float(number) for number, label in enumerate(order)}
        y = np.array([numbers.get(label, math.nan) for label in y])
    return Rows(X, y, weights, known_at(y, weights, late))


def overlapping(rng, n=80):
    """Return rows in which one column tells the label, then another, then both do.

    Two concepts that are told apart at first and do equally well in the end.
    """
    side = rng.choice([-1.0, 1.0], 3 * n)
    X = side[:, None] * rng.uniform(1, 2, (3 * n, 2))
    X[:n, 1] = 0.1 * rng.normal(size=n)
    X[n : 2 * n, 0] = 0.1 * rng.normal(size=n)
    y = (side != side[0]).astype(float)
    return Rows(X, y, np.ones(3 * n), np.full(3 * n, math.nan))


def known_at(y, weights, late):
    """Return the last label that is known when each row is answered, if labels are so late."""
    known = np.full(len(y), math.nan)
    if late == 0:
        return known
    last = math.nan
    for i in range(len(y)):
        before = i - late
        if before >= 0 and weights[before] > 0 and not math.isnan(y[before]):
            last = y[before]
        known[i] = last
    return known


@st.composite
def settings(draw, task=None):
    """Draw AutoParams with short intervals and few concepts, so that memories have much to do."""
    return AutoParams(
        task=task or draw(st.sampled_from(["classification", "classification", "regression"])),
        interval=draw(st.integers(2, 10)),
        max_concepts=draw(st.integers(1, 3)),
        seed=draw(st.integers(0, 9)),
        without=draw(st.sampled_from([(), (), (), (), ("early_switch",), ("merge",)])),
    )


@st.composite
def rows_for(draw, params, n=None, d=None):
    """Draw rows that the settings can learn: continuous numbers, so nothing is tied."""
    classify = params.task == "classification"
    return regimes(
        np.random.default_rng(draw(st.integers(0, 2**32 - 1))),
        n=n or draw(st.integers(1, 200)),
        d=d or draw(st.sampled_from([1, 2, 3, 5, 30, 130])),
        n_classes=draw(st.sampled_from([1, 2, 2, 3, 4])) if classify else 0,
        length=draw(st.sampled_from([8, 20, 60])),
        noise=draw(st.sampled_from([0.0, 0.1])),
        zeros=draw(st.sampled_from([0.0, 0.0, 0.6, 0.85])),
        absent=draw(st.sampled_from([0.0, 0.0, 0.2])),
        unlabelled=draw(st.sampled_from([0.0, 0.0, 0.3])),
        weighted=draw(st.booleans()),
        late=draw(st.sampled_from([0, 0, 1, 5])),
        constant=draw(st.booleans()),
    )


def oracle(params, n_features, n_classes=0, groups=None):
    """Return a new oracle with the random draws of the model."""
    block = core.views(params, core.init(params, n_features, n_classes, groups))
    return AutoReference(
        params,
        n_features,
        n_classes,
        block.inputs.frequencies,
        block.inputs.phases,
        block.inputs.pairs,
        groups,
    )


def nominal(rng, n=600, n_numbers=3, sizes=(4, 3), n_classes=2, absent=0.0, late=0.0):
    """Return rows of numbers and of indicators, and the groups of the columns.

    The class, or for none the value, hangs on values and a number; the last value of each nominal
    column is met only in the later share `late` of rows. A row without a value has all 0.
    """
    numbers = rng.normal(size=(n, n_numbers)) * 10.0 ** rng.uniform(-1, 1, n_numbers)
    columns, groups, score = [numbers], [0] * n_numbers, (numbers[:, 0] > 0).astype(float)
    for group, size in enumerate(sizes, 1):
        value = rng.integers(0, size, n)
        value[: int(n * (1 - late))] %= size - 1 if late else size
        score += rng.permutation(size)[value]
        has_value = rng.random(n) >= absent
        columns.append((value[:, None] == np.arange(size)) & has_value[:, None])
        groups += [group] * size
    X, groups = np.column_stack(columns).astype(float), np.array(groups, float)
    if n_classes == 0:
        return Rows(X, score, np.ones(n), np.full(n, math.nan)), groups
    numbers = {label: k for k, label in enumerate(dict.fromkeys((score % n_classes).tolist()))}
    y = np.array([float(numbers[label]) for label in (score % n_classes).tolist()])
    return Rows(X, y, np.ones(n), np.full(n, math.nan)), groups


def learn(params, state, rows):
    """Let the model learn rows; return the scores that it gave before each label."""
    return core.predict_then_learn(params, state, rows.X, rows.y, rows.weights, rows.known)


def widened(scores, n_outputs):
    """Return a row of scores as a chunk reports it that ends with this number of outputs."""
    if len(scores) == 1 and n_outputs > 1:
        scores = [0.0 if scores[0] == -math.inf else -scores[0], scores[0]]
    return np.append(scores, np.full(n_outputs - len(scores), -math.inf))


def memories(params, state, reference):
    """Return the memories in use in threes: lanes and memory of the model, memory of the oracle."""
    experts = core.views(params, state).experts
    names = ("memory_plain", "memory_rich")
    return [
        (lanes, memory, getattr(reference, name))
        for name, lanes, memory in zip(names, experts.linear, experts.memory, strict=True)
        if reference.on[EXPERTS.index(name)]
    ]


def decisions(memory):
    """Return what a memory of the model has decided: all whole numbers."""
    status, n = memory.status.astype(int), int(memory.status[N_CONCEPTS])
    facts = [BORN, LAST, SAMPLES, RECOGNISED, NAME, COMPARED]
    whole = [status[i] for i in (IN_CHARGE, T, N_MADE, N_SWITCHED, N_NAMED)]
    return whole, memory.facts[facts, :n].astype(int).T.tolist()


def expected_decisions(memory):
    """Return what a memory of the oracle has decided."""
    current = -1 if memory.current is None else memory.current
    whole = [
        current,
        len(memory.rows),
        memory.n_made,
        memory.n_switched,
        memory.model.n_named,
    ]
    facts = [[c.born, c.last, c.samples, c.recognised, c.name, c.compared] for c in memory.concepts]
    return whole, facts


def learners(lanes, reference):
    """Return (weights, sums) of each concept, live and fresh, in pairs: model's, oracle's."""
    frozen = [(lanes.frozen, k) for k in range(len(reference.concepts))]
    places = [*frozen, (lanes.busy, LIVE), (lanes.busy, FRESH)]
    own = [*(c.learner for c in reference.concepts), reference.live, reference.fresh]
    return [
        ((scorers.weights[:, :, k], scorers.sums[:, :, k]), (one.weights, one.sums))
        for (scorers, k), one in zip(places, own, strict=True)
    ]
