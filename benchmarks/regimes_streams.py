"""Streams of regimes that are known, and how well the names that a model gives fit them.

Streams are made from their number: even ones were looked at while the memory was worked on, odd
ones were kept for the figures in the end.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from mooe.auto import core
from mooe.auto.experts import memory
from mooe.auto.params import AutoParams

LOOK_EVERY = 10  # rows, at the end of which the name is asked for
SECOND = 0.05  # a second name, or a second regime, counts from this share of the rows on
APART = 0.15  # of the rows at least have another label in another regime; regression: of the spread
LONG, SHORT = (500, 1500), (150, 500)  # rows of a stretch


STREAMS = 240


class Plan(NamedTuple):
    """What a stream is made of."""

    number: int
    n_classes: int  # 0: regression
    n_regimes: int
    columns: int
    curved: bool
    noise: float  # share of labels that are drawn anew; regression: deviation beside the labels'
    stretch: tuple[int, int]  # rows, from and below
    visits: int  # of each regime

    @property
    def held_out(self):
        return self.number % 2 == 1

    @property
    def long(self):
        return self.stretch == LONG


def plan(number):
    """Return the plan of a stream."""
    rng, place = np.random.default_rng((20_261, number)), number // 2
    n_classes = (2, 0, 4, 0)[place % 4]
    curved = place % 5 == 4
    columns = int(rng.choice([2, 4, 8] if curved else [2, 3, 5, 10, 20, 50, 100]))
    most = 4 if columns < 4 or curved else 10
    n_regimes = int(rng.integers(2, most + 1))
    noise = float(rng.choice([0.0, 0.05, 0.1]))
    stretch = SHORT if place % 3 == 2 else LONG
    return Plan(number, n_classes, n_regimes, columns, curved, noise, stretch, 5)


def made(one):
    """Return rows, labels, the regime of each row, and whether it was there before."""
    rng = np.random.default_rng((7, one.number))
    order = _order(rng, one)
    lengths = rng.integers(*one.stretch, len(order))
    regime = np.repeat(order, lengths)
    first = np.array([k not in order[:i] for i, k in enumerate(order.tolist())])
    X = rng.normal(size=(len(regime), one.columns))
    signals = _signals(rng, one, X)[regime, np.arange(len(regime))]
    n = len(regime)
    if one.n_classes == 0:
        y = signals[:, 0] + one.noise * signals[:, 0].std() * rng.normal(size=n)
    else:
        anew = rng.random(n) < one.noise
        y = np.where(anew, rng.integers(0, one.n_classes, n), labels_of(one, signals))
    return X, y.astype(float), regime, np.repeat(~first, lengths)


def _order(rng, one):
    """Return the regimes in the order of their visits, never one twice in a row."""
    order = np.repeat(np.arange(one.n_regimes), one.visits)
    rng.shuffle(order)
    for _ in range(100 * len(order)):
        twice = np.flatnonzero(order[1:] == order[:-1])
        if not len(twice):
            break
        i, k = twice[0] + 1, rng.integers(len(order))
        order[i], order[k] = order[k], order[i]
    return order[np.append(True, order[1:] != order[:-1])]


def _signals(rng, one, X):
    """Return what labels are made of, (n_regimes, n, outputs); regimes are told apart by labels."""
    found = []
    while len(found) < one.n_regimes:
        for _ in range(1000):
            new = _signal(rng, one, X)
            if all(_apart(one, new, old) for old in found):
                break
        found.append(new)
    return np.array(found)


def _signal(rng, one, X):
    """Return what the labels of one regime are made of."""
    outputs = {2: 1, 0: 1}.get(one.n_classes, one.n_classes)
    weights = rng.normal(size=(2, one.columns, outputs))
    if one.curved:
        return (X @ weights[0]) * (X @ weights[1]) / np.sqrt(one.columns) + 0.5 * (X @ weights[1])
    return X @ weights[0] + 0.3 * rng.normal(size=outputs)


def labels_of(one, signals):
    """Return the class of each row."""
    return (signals[:, 0] > 0.0).astype(int) if one.n_classes == 2 else signals.argmax(axis=1)


def _apart(one, new, old):
    """Whether the labels of two regimes differ in enough rows, or by enough."""
    if one.n_classes:
        return np.mean(labels_of(one, new) != labels_of(one, old)) > APART
    return np.std(new - old) > APART**0.5 * np.std(old)


def named(one, X, y, seed=0):
    """Return the regime that users see after each row, 0 for none."""
    params = AutoParams("classification" if one.n_classes else "regression", seed=seed)
    state = core.init(params, X.shape[1], one.n_classes)
    names = np.zeros(len(y), dtype=int)
    for i in range(0, len(y), LOOK_EVERY):
        some = slice(i, i + LOOK_EVERY)
        core.predict_then_learn(params, state, X[some], y[some])
        shown = core.views(params, state).experts.memory[state.shown]
        names[some] = shown.facts[memory.NAME, int(shown.status[memory.IN_CHARGE])]
    return names


def judged(regime, counted, names):
    """Return how well names fit regimes, over the rows that count.

    A name belongs to the regime that most of its rows are of. A regime has two names if two that
    belong to it hold more than SECOND of its rows each: rows that a change was noticed late in do
    not count, for they have the name of another regime. A name has two regimes if it holds more
    than half of the rows of both.
    """
    regime, names = regime[counted], names[counted]
    table = np.zeros((regime.max() + 1, names.max() + 1), dtype=int)
    np.add.at(table, (regime, names), 1)
    share = (table / table.sum(axis=1, keepdims=True))[:, 1:]
    table = table[:, 1:]
    own = table.argmax(axis=0) == np.arange(len(table))[:, None]
    return {
        "rows": len(regime),
        "right": int(table[linear_sum_assignment(table, maximize=True)].sum()),
        "unnamed": int((names == 0).sum()),
        "two names": int(((own & (share > SECOND)).sum(axis=1) > 1).sum()),
        "two regimes": int(((share > 0.5).sum(axis=0) > 1).sum()),
    }


def measured(number):
    """Return what came out of a stream: see `judged`; "ever two names": first visits included."""
    one = plan(number)
    X, y, regime, returned = made(one)
    names = named(one, X, y)
    ever = judged(regime, np.ones(len(y), dtype=bool), names)["two names"]
    return {**judged(regime, returned, names), "ever two names": ever, "stream rows": len(y)}
