"""Linear learners side by side, each as the only expert: what a step does."""

import numpy as np
import pytest

from auto.regimes import Rows, learn, regimes
from mooe.auto import core
from mooe.auto.experts.linear import ADAGRAD, FRESH, LIVE, PASSIVE
from mooe.auto.experts.memory import N_CONCEPTS
from mooe.auto.params import AutoParams
from mooe.auto.roster import EXPERTS
from mooe.datasets import recurring


def alone(name, task="classification", **more):
    return AutoParams(task, without=tuple(part for part in EXPERTS if part != name), **more)


def learnt(params, rows, n_classes=2):
    state = core.init(params, rows.X.shape[1], n_classes)
    learn(params, state, rows)
    return state


@pytest.mark.parametrize("n_classes", [2, 3])
def test_passive_aggressive_learners_are_sure_of_the_row_that_they_have_just_learnt(n_classes):
    params = AutoParams(interval=100)
    rows = regimes(np.random.default_rng(0), n=60, n_classes=n_classes, length=10)
    state = core.init(params, 3, n_classes)
    sure = 0
    for i in range(60):
        experts = core.views(params, state).experts
        before = [lanes.busy.weights[:, :, PASSIVE].copy() for lanes in experts.linear]
        learn(params, state, rows[i : i + 1])
        targets = np.where(rows.y[i] == ([1] if n_classes == 2 else np.arange(3)), 1.0, -1.0)
        for lanes, memory, weights in zip(experts.linear, experts.memory, before, strict=True):
            x = memory.rows[i]
            if (1.0 - targets * (weights @ x)).max() <= x @ x:  # no step longer than 1 is needed
                sure += 1
                margins = targets * (lanes.busy.weights[:, :, PASSIVE] @ x)
                assert margins.min() >= 1.0 - 1e-9
    assert sure > 60


def test_steps_of_the_passive_aggressive_learner_are_no_longer_than_the_weight_of_the_row():
    # One row, all inputs 0 but the constant: the step is min(weight, 1 / 1).
    for weight, expected in ((0.25, 0.25), (1.0, 1.0), (7.0, 1.0)):
        params = alone("passive_plain")
        state = core.init(params, 2, 2)
        core.predict_then_learn(params, state, np.ones((1, 2)), np.ones(1), np.array([weight]))
        weights = core.views(params, state).experts.linear.plain.busy.weights[0, :, PASSIVE]
        assert weights.tolist() == [0.0, 0.0, expected]


def test_a_row_that_is_answered_well_changes_a_passive_aggressive_learner_no_more():
    params = alone("passive_plain")
    state = core.init(params, 2, 2)
    X = np.ones((50, 2))
    core.predict_then_learn(params, state, X[:1], np.ones(1))
    before = core.views(params, state).experts.linear.plain.busy.weights[:, :, PASSIVE].copy()
    core.predict_then_learn(params, state, X, np.ones(50))
    after = core.views(params, state).experts.linear.plain.busy.weights[:, :, PASSIVE]
    np.testing.assert_array_equal(after, before)


@pytest.mark.parametrize(("lane", "rate"), [(LIVE, 0.3), (FRESH, 0.3), (ADAGRAD, 0.1)])
@pytest.mark.parametrize("label", [0.0, 1.0])
def test_the_first_step_of_adagrad_has_the_length_of_its_rate(lane, rate, label):
    # g = T / 2 and x = 1: A = 1/4, so the step is rate T (but for A's beginning at 1e-8).
    params = AutoParams()
    state = core.init(params, 2, 2)
    core.predict_then_learn(params, state, np.ones((1, 2)), np.array([label]))
    busy = core.views(params, state).experts.linear.plain.busy
    target = 2.0 * label - 1.0
    assert busy.weights[0, 2, lane] == pytest.approx(rate * target, rel=1e-7)
    assert busy.sums[0, 2, lane] == pytest.approx(0.25 + 1e-8)
    assert (busy.weights[0, :2, lane] == 0.0).all()


def test_adagrad_learns_nothing_from_a_row_that_it_is_sure_of():
    params = alone("adagrad")
    state = core.init(params, 130, 2)  # wide: on the plain inputs
    X = np.zeros((4000, 130))
    core.predict_then_learn(params, state, X, np.ones(4000))
    before = core.views(params, state).experts.linear.plain.busy.weights[0, 130, ADAGRAD]
    core.predict_then_learn(params, state, X, np.ones(4000))
    assert core.views(params, state).experts.linear.plain.busy.weights[0, 130, ADAGRAD] == before
    # The slope of its score is T / (1 + exp(2 score)), nothing from 1e-4 on.
    assert 1.0 / (1.0 + np.exp(2.0 * before)) <= 1e-4


def test_in_regression_errors_of_a_tenth_of_a_deviation_are_free():
    params = alone("passive_plain", "regression")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2))
    y = 3.0 + X @ [2.0, -1.0]
    state = core.init(params, 2)
    scores = core.predict_then_learn(params, state, X, y)[:, 0]
    assert np.abs(scores - y)[400:].mean() < 0.15 * y.std()
    np.testing.assert_allclose(
        core.predict(params, state, X[:1])[0, 0], y[0], atol=0.3 * float(y.std())
    )


@pytest.mark.parametrize("max_concepts", [3, 4, 5, 8, 9, 13])
def test_concepts_are_scored_alike_four_rows_at_once_and_one_by_one(max_concepts):
    # Eight concepts at a time, then four; four rows at a time, then one.
    params = AutoParams(interval=20, max_concepts=max_concepts, without=("merge",))
    rng = np.random.default_rng(0)
    n, d, length = 1600, 12, 80
    X, directions = rng.normal(size=(n, d)), rng.normal(size=(n // length, d))
    y = (np.sum(X * np.repeat(directions, length, axis=0), axis=1) > 0).astype(float)
    whole, single = core.init(params, d, 2), core.init(params, d, 2)
    core.predict_then_learn(params, whole, X, y)
    for i in range(n):
        core.predict_then_learn(params, single, X[i : i + 1], y[i : i + 1])
    assert single.block.tobytes() == whole.block.tobytes()
    assert core.views(params, whole).experts.memory.plain.status[N_CONCEPTS] == max_concepts


def test_the_online_learners_do_not_depend_on_the_memory():
    rows = regimes(np.random.default_rng(0), n=150, length=20)
    found = []
    for without in ((), ("memory_plain", "memory_rich"), ("early_switch",)):
        state = learnt(AutoParams(interval=5, without=without), rows)
        linear = core.views(AutoParams(interval=5, without=without), state).experts.linear
        found.append([lanes.busy.weights[:, :, [ADAGRAD, PASSIVE]] for lanes in linear])
    for plain, rich in found[1:]:
        np.testing.assert_array_equal(plain, found[0][0])
        np.testing.assert_array_equal(rich, found[0][1])


def test_rows_of_little_weight_are_learnt_too():
    stream = recurring(n=8000, length=2000)
    params, y = AutoParams(), np.asarray(stream.y, dtype=float)
    right = []
    for weight in (1.0, 1.0 / len(y)):
        state = core.init(params, 10, 2)
        weights = np.full(len(y), weight)
        scores = core.predict_then_learn(params, state, stream.X, y, weights)
        right.append(np.mean((scores[:, 0] > 0) == y))
    assert right[0] - 0.1 < right[1] < right[0]


def test_a_heavier_row_moves_the_least_squares_more():
    moved = []
    for weight in (0.5, 1.0):
        params = AutoParams()
        state = core.init(params, 2, 2)
        one = np.array([weight])
        learn(params, state, Rows(np.ones((1, 2)), np.ones(1), one, np.array([np.nan])))
        moved.append(core.views(params, state).experts.least_squares.slow.weights[0, 2])
    assert moved[1] > moved[0] > 0.0


def test_one_learner_on_rich_inputs_is_quick_and_one_on_plain_inputs_is_steady():
    params = AutoParams()
    state = core.init(params, 2, 2)
    core.predict_then_learn(params, state, np.ones((1, 2)), np.ones(1))
    block = core.views(params, state)
    x = np.append(np.zeros(2), 1.0)  # standardised by the row itself, then the constant
    assert block.experts.linear.plain.busy.weights[0, :3, ADAGRAD] == pytest.approx(
        0.1 * x, rel=1e-7
    )
    rate = 2.0 / np.sqrt(state.rich_norm)
    assert block.experts.linear.rich.busy.weights[0, 2, ADAGRAD] == pytest.approx(rate, rel=1e-7)


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_adagrad_alone_over_its_inputs_votes_as_beside_the_others(task):
    rows = regimes(np.random.default_rng(0), n=300, length=100)
    y = rows.y if task == "classification" else rows.X[:, 0] + 0.1 * rows.y
    votes = []
    for others in ((), ("memory_rich", "passive_rich")):
        params = AutoParams(task, without=("fourier", *others))
        state = core.init(params, rows.X.shape[1], 2 if task == "classification" else 0)
        core.predict_then_learn(params, state, rows.X, y)
        names = [expert.name for expert in core.experts(params, state)]
        said = core.explain(params, state, rows.X[:1])[1]
        votes.append(said[names.index("adagrad")])
    np.testing.assert_allclose(*votes, rtol=1e-9)
