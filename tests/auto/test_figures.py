"""The default model on real streams, in one setting: accuracies that must hold, on every row.

benchmarks/ has the whole table; these are the streams that take a second.
"""

import importlib
import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from mooe import datasets
from mooe.auto import core
from mooe.auto.params import AutoParams
from mooe.labels import Labels
from mooe.numerics.scores import answers

HERE = os.environ.get("MOOE_DATA_HOME")
real = pytest.mark.skipif(
    not HERE or not Path(HERE).is_dir(), reason="MOOE_DATA_HOME is not set: no real streams"
)
STARTS = (0, 11, 23, 37)  # rows dropped from streams whose regimes begin on round numbers
FEW = 2000  # rows: there an accuracy may be .5 lower, elsewhere .1

# (stream, floor in %, seeds)
FLOORS = [
    ("usenet1", 82.8, range(5)),
    ("email", 89.0, [0]),  # wide: nothing is drawn
    ("weather", 81.2, range(5)),
    ("electricity", 93.3, range(2)),
    ("powersupply", 91.6, range(2)),
    ("wesad", 98.4, range(5)),
    ("gas_sensor", 99.0, range(2)),
    ("spam", 98.2, [0]),
    ("ijcnn1", 97.9, range(2)),
    ("recurring", 92.4, range(2)),
]
MEMORIES = ("memory_plain", "memory_rich")
# The labels before tell nearly all of these: what inputs teach is seen where those are left out.
ORDERED = ("usenet1", "email", "powersupply")
UNORDERED = ("autoregression",)
# Of the made streams of benchmarks/streams.py: floor in %. Those of agrawal recurring, led and rbf
# were set on other streams of these names, so benchmarks alone tell of them.
MADE_FLOORS = {
    "agrawal abrupt": 90.0,
    "sea recurring": 87.5,
    "mixed": 95.7,
    "sine": 96.3,
    "stagger": 99.6,
    "hyperplane": 92.0,
    "random-tree": 64.0,
}


@cache
def loaded(name):
    """Return rows and class numbers of a stream, in order of appearance."""
    if name != "recurring" and not HERE:
        pytest.skip("MOOE_DATA_HOME is not set: no real streams")
    stream = getattr(datasets, name)().load()
    numbers = {}
    y = [numbers.setdefault(label, float(len(numbers))) for label in stream.y.tolist()]
    return np.ascontiguousarray(stream.X, dtype=float), np.array(y)


@cache
def accuracy(name, seed=0, without=()):
    """Return the prequential accuracy in %, of streams with STARTS the mean over them."""
    X, y = loaded(name)
    starts = STARTS if name in ("usenet1", "email") else (0,)
    return float(np.mean([right(X[s:], y[s:], seed, without) for s in starts]))


def right(X, y, seed, without):
    params = AutoParams(seed=seed, without=without)
    state = core.init(params, X.shape[1])
    scores = core.predict_then_learn(params, state, X, y)
    chosen = (scores[:, 0] > 0) if scores.shape[1] == 1 else scores.argmax(axis=1)
    return 100.0 * np.mean(chosen == y)


@pytest.mark.parametrize(("name", "floor", "seeds"), FLOORS)
def test_a_floor_is_held(name, floor, seeds):
    tolerance = 0.5 if len(loaded(name)[1]) < FEW else 0.1
    without = UNORDERED if name in ORDERED else ()
    assert np.mean([accuracy(name, seed, without) for seed in seeds]) >= floor - tolerance


@pytest.fixture
def makers(monkeypatch):
    """Return the functions that make the streams of the benchmarks, by name."""
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "benchmarks")
    return importlib.import_module("streams").STREAMS


def right_of_made(make, seed, without=(), **settings):
    """Return the prequential accuracy in % on a made stream."""
    stream = make(seed=seed, **settings)
    y = Labels().encode(stream.y)
    return right(np.ascontiguousarray(stream.X, dtype=float), y, seed, without)


@pytest.mark.parametrize(("name", "floor"), MADE_FLOORS.items())
def test_a_floor_of_a_made_stream_is_held(name, floor, makers):
    found = [right_of_made(makers[name], seed) for seed in range(3)]
    assert np.mean(found) >= floor - 0.1


@pytest.mark.parametrize(
    ("name", "n", "gain"),
    [("mixed", 20_000, 0.6), ("sine", 60_000, 0.7), ("agrawal recurring", 60_000, 2.0)],
)
def test_the_pool_of_forests_pays_where_regimes_return(name, n, gain, makers):
    with_it, without = (
        np.mean([right_of_made(makers[name], seed, left_out, n=n) for seed in range(2)])
        for left_out in ((), ("forest_pool",))
    )
    assert with_it >= without + gain


@pytest.mark.parametrize("name", ["agrawal abrupt", "rbf drifting", "hyperplane", "random-tree"])
def test_the_pool_of_forests_costs_nothing_where_none_does(name, makers):
    make = makers[name]
    assert right_of_made(make, 0) >= right_of_made(make, 0, ("forest_pool",)) - 0.1


@real
def test_powersupply_is_learnt_and_not_only_repeated():
    assert accuracy("powersupply", 0, ("no_change", *UNORDERED)) >= 83.2 - 0.1


@pytest.mark.parametrize("name", [name for name, _, _ in FLOORS])
def test_the_memory_costs_next_to_nothing(name):
    without = UNORDERED if name in ORDERED else ()
    assert accuracy(name, 0, without) >= accuracy(name, 0, MEMORIES + without) - 0.2


@pytest.mark.parametrize(("name", "gain"), [("usenet1", 7.0), ("email", 15.0), ("recurring", 5.0)])
def test_the_memory_pays_where_regimes_return(name, gain):
    assert accuracy(name, 0, UNORDERED) >= accuracy(name, 0, MEMORIES + UNORDERED) + gain


@pytest.mark.parametrize("name", ORDERED)
def test_labels_that_follow_from_the_labels_before_are_told(name):
    assert accuracy(name) >= 97.0


@pytest.mark.parametrize("name", [name for name, _, _ in FLOORS])
def test_it_is_never_much_worse_than_repeating_the_last_label(name):
    _, y = loaded(name)
    without = UNORDERED if name in ORDERED else ()
    assert accuracy(name, 0, without) >= 100.0 * np.mean(y[1:] == y[:-1]) - 0.2


def rare(share, n=12_000):
    """Return rows of which a share is of class 1, with noise at the border."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 10))
    scores = X @ rng.normal(size=10) + rng.normal(size=n)
    y = (scores > np.quantile(scores, 1.0 - share)).astype(float)
    y[0] = 0.0
    return X, y


def shares_found(X, y, row_weights=None):
    """Return the share of each class that is answered right, from row 2,000 on."""
    params = AutoParams()
    state = core.init(params, X.shape[1])
    scores = core.predict_then_learn(params, state, X, y, row_weights)
    right = answers(params, scores) == y
    return [float(right[2000:][y[2000:] == k].mean()) for k in (0.0, 1.0)]


@pytest.mark.parametrize("share", [0.1, 0.03, 0.01])
def test_of_a_rare_class_nearly_half_is_found_of_what_hindsight_would_find(share):
    X, y = rare(share)
    hindsight = LogisticRegression().fit(X, y).predict(X)[y == 1.0].mean()
    common, uncommon = shares_found(X, y)
    assert common > 0.98
    assert uncommon > 0.45 * hindsight


def test_weights_find_more_of_a_rare_class_at_a_price():
    X, y = rare(0.03)
    seen = np.cumsum(y) + 1.0, np.arange(2.0, len(y) + 2.0)
    heavier = np.where(y == 1.0, seen[1] / (2.0 * seen[0]), seen[1] / (2.0 * (seen[1] - seen[0])))
    plain, balanced = shares_found(X, y), shares_found(X, y, heavier)
    assert balanced[1] > plain[1] + 0.2
    assert plain[0] - 0.08 < balanced[0] < plain[0]


@pytest.mark.parametrize(("d", "share"), [(6, 0.4), (60, 0.4), (300, 0.2), (300, 0.4)])
def test_where_there_is_nothing_to_learn_it_is_next_to_the_majority(d, share):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(10_000, d)), (rng.random(10_000) < share).astype(float)
    y[:2] = 0.0, 1.0  # in order of appearance
    assert right(X, y, 0, ()) > 100.0 * max(y.mean(), 1.0 - y.mean()) - 1.0


@pytest.mark.parametrize(("d", "found"), [(6, 67.0), (60, 63.0)])
def test_it_learns_from_labels_of_which_three_in_ten_are_wrong(d, found):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10_000, d))
    y = ((X @ rng.normal(size=d) > 0) ^ (rng.random(10_000) < 0.3)).astype(float)
    assert right(X, y, 0, ()) > found  # of 70; a rate of 0.01 in logistic regression: 66.8, 61.0
