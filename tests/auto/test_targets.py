"""What an expert is charged; the losses of the open interval are read where a memory keeps them."""

import numpy as np
import pytest

from auto.regimes import Rows, learn, oracle, regimes
from mooe.auto import core, file
from mooe.auto.experts.linear import BUSY, FRESH
from mooe.auto.file import WHOLES, learnt, restored
from mooe.auto.params import AutoParams
from mooe.auto.targets import FIRST
from mooe.model import Model


def losses(X, y, n_classes, weights=None, task="classification"):
    """Return the losses of the fresh learner of the plain memory, row by row."""
    params = AutoParams(task, interval=200)
    state = core.init(params, X.shape[1], n_classes)
    core.predict_then_learn(params, state, X, y, weights)
    return core.views(params, state).experts.memory.plain.losses[: len(X), FRESH - BUSY]


@pytest.mark.parametrize("label", [0.0, 1.0])
def test_no_opinion_is_wrong_and_half_unsure(label):
    assert losses(np.ones((1, 2)), np.array([label]), 2) == [0.5 + 0.125]


@pytest.mark.parametrize(("label", "loss"), [(0.0, 0.25), (1.0, 0.75), (2.0, 0.75)])
def test_of_classes_that_are_level_the_first_is_taken(label, loss):
    # Three scores of 0: the squared errors sum up to 3, of which an eighth is 3/8; half counts.
    expected = loss - 0.25 + 0.5 * 0.375
    assert losses(np.ones((1, 2)), np.array([label]), 3)[0] == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("n_classes", [2, 3, 6, 0])
def test_a_loss_is_between_0_and_the_weight_of_the_row(n_classes):
    rows = regimes(np.random.default_rng(0), n=150, n_classes=n_classes, length=20, noise=0.2)
    task = "classification" if n_classes else "regression"
    one = losses(rows.X, rows.y, n_classes, task=task)
    assert one.min() >= 0.0
    assert one.max() <= 1.0
    assert len(np.unique(one)) > 75
    if n_classes:
        weights = np.full(150, 0.25)
        assert losses(rows.X, rows.y, n_classes, weights, task).max() <= 0.25


def test_in_regression_the_usual_error_costs_an_eighth():
    params = AutoParams("regression", interval=200)
    rows = regimes(np.random.default_rng(0), n=150, n_classes=0)
    reference = oracle(params, 3)
    for x, y in zip(rows.X, rows.y, strict=True):
        reference.learn(x, y)
    low, high = ((end - reference.target_mean) / reference.unit for end in reference.target_range)
    # A label in the middle and a score beside it by the root of the usual squared error.
    middle = 0.5 * (low + high)
    label = reference.target_mean + reference.unit * middle
    score = np.array([middle + np.sqrt(reference.usual)])
    assert score[0] < high
    assert reference.loss(score, label) == pytest.approx(0.125)
    state = core.init(params, 3)
    core.predict_then_learn(params, state, rows.X, rows.y)
    assert state.error == pytest.approx(reference.usual, rel=1e-6)
    assert (state.low, state.high) == pytest.approx((low, high), rel=1e-9)


@pytest.mark.parametrize("outlier", [1e2, 1e6, 1e12, -1e99])
def test_one_outlier_does_not_ruin_a_regression(outlier):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 5))
    y = X @ rng.normal(size=5) + 0.1 * rng.normal(size=3000)
    errors = []
    for value in (y[1000], outlier):
        y[1000] = value
        params = AutoParams("regression")
        state = core.init(params, 5)
        scores = core.predict_then_learn(params, state, X, y)[:, 0]
        errors.append(np.abs(scores - y)[1500:].mean())
    assert errors[1] < 1.05 * errors[0]


@pytest.mark.parametrize("slip", [9999.0, -1e9])
@pytest.mark.parametrize("noise", [0.02, 0.5])
def test_slips_of_a_sensor_cost_little(slip, noise):
    rng = np.random.default_rng(3)
    X, clean = linear()
    clean = clean + noise * rng.normal(size=len(clean))
    y = np.where(rng.random(len(clean)) < 0.005, slip, clean)
    assert typical_error(X, y, clean) < 1.3 * typical_error(X, clean, clean)


def test_spikes_that_come_alone_but_often_are_believed():
    X, clean = linear()
    y = clean + np.where(np.arange(len(clean)) % 40 == 7, 300.0, 0.0)
    params = AutoParams("regression")
    assert state_range(params, X, y) == pytest.approx([y.min(), y.max()], rel=0.05)


def test_a_model_that_is_saved_after_a_doubted_label_goes_on_as_one_that_was_not():
    X, y = linear(200)
    y[100:102] = 1e6
    params = AutoParams("regression")
    state = core.init(params, 5)
    core.predict_then_learn(params, state, X[:101], y[:101])
    tensors = file.learnt(params, state)
    assert tensors["doubted"] == [1.0]
    counters = {name: int(getattr(state, name)) for name in file.WHOLES}
    again = file.restored(params, counters, tensors)
    one, other = (core.predict_then_learn(params, s, X[101:], y[101:]) for s in (state, again))
    np.testing.assert_array_equal(one, other)
    for wrong in ([2.0], [0.5], [1.0, 0.0]):
        with pytest.raises(ValueError, match="doubted must"):
            file.restored(params, counters, {**tensors, "doubted": np.array(wrong)})


def test_a_level_that_stays_is_learnt():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 5))
    y = X @ rng.normal(size=5) + 100.0 * (np.arange(4000) >= 2000)
    params = AutoParams("regression")
    scores = core.predict_then_learn(params, core.init(params, 5), X, y)[:, 0]
    assert np.abs(scores - y)[2500:].mean() < 1.0  # repeating the last label: 2.5


def linear(n=3000):
    """Return rows and labels that are a weighted sum of the columns."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 5))
    return X, X @ rng.normal(size=5)


def typical_error(X, y, clean):
    """Return the median error on the last thousand rows, where labels are what they should be."""
    params = AutoParams("regression")
    scores = core.predict_then_learn(params, core.init(params, X.shape[1]), X, y)[:, 0]
    assert np.isfinite(scores[1:]).all()
    return np.median(np.abs(scores - clean)[-1000:])


@pytest.fixture(scope="module")
def undisturbed():
    X, y = linear()
    return typical_error(X, y, y)


@pytest.mark.parametrize("outlier", [1e6, -1e6, 1e100, -1e100, 300.0])
@pytest.mark.parametrize("row", [0, 1, 2, 3, 5, 9, 14, 20, 25, 29, 30])
def test_an_outlier_among_the_first_labels_does_not_ruin_a_regression(row, outlier, undisturbed):
    X, clean = linear()
    y = clean.copy()
    y[row] = outlier
    assert typical_error(X, y, clean) < 2.0 * undisturbed


@pytest.mark.parametrize("outliers", [(1e6, 1e6), (1e6, -1e6), (1e100, 1e6)])
@pytest.mark.parametrize("rows", [(0, 1), (1, 7), (4, 5), (3, 28), (28, 29), (29, 31)])
def test_nor_do_two(rows, outliers, undisturbed):
    X, clean = linear()
    y = clean.copy()
    y[list(rows)] = outliers
    assert typical_error(X, y, clean) < 2.0 * undisturbed


@pytest.mark.parametrize("constant", [0.0, 5.0])
@pytest.mark.parametrize("length", [10, 40, 500])
@pytest.mark.parametrize("outliers", [(1e6,), (-1e100,), (1e6, 1e6)])
def test_nor_does_one_after_labels_that_were_all_the_same(length, constant, outliers):
    X, clean = linear()
    clean[:length] = constant
    expected = typical_error(X, clean, clean)
    for row in (length - len(outliers), length, length + 3):
        y = clean.copy()
        y[row : row + len(outliers)] = outliers
        assert typical_error(X, y, clean) < 2.0 * expected


@pytest.mark.parametrize("row", [3, 30, 200])
def test_nor_does_one_among_labels_that_stay_the_same(row):
    X, clean = linear()
    clean[:] = 5.0
    y = clean.copy()
    y[row] = 1e6
    assert typical_error(X, y, clean) < 1e-6


@pytest.mark.parametrize("row", [2, 5, 12, 15, 20, 29, 40])
@pytest.mark.parametrize("level", [1000.0, -1e6])
def test_a_level_far_from_the_first_labels_is_learnt_if_it_stays(row, level):
    X, clean = linear()
    y = clean.copy()
    y[row:] = level * (1.0 + 0.1 * clean[row:])
    params = AutoParams("regression")
    scores = core.predict_then_learn(params, core.init(params, 5), X, y)[:, 0]
    assert np.median(np.abs(scores - y)[-1000:]) < 0.01 * abs(level)
    assert state_range(params, X, y) == pytest.approx([y.min(), y.max()], rel=0.01)


def state_range(params, X, y):
    """Return the range of the labels as the model knows it in the end."""
    state = core.init(params, X.shape[1])
    core.predict_then_learn(params, state, X, y)
    return [state.target_least, state.target_most]


@pytest.mark.parametrize("every", [20, 50, 120])
def test_labels_that_are_nearly_always_0_are_learnt(every):
    n = 3000
    is_due = np.arange(n) % every == 7
    X = np.column_stack([is_due, np.random.default_rng(0).normal(size=n)])
    y = np.where(is_due, 100.0, 0.0)
    params = AutoParams("regression")
    scores = core.predict_then_learn(params, core.init(params, 2), X, y)[:, 0]
    assert np.abs(scores - y)[is_due][6:].mean() < 25.0
    assert state_range(params, X, y) == [0.0, 100.0]


def test_labels_that_are_mostly_0_are_learnt_from_the_third_other_one_on():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 3))
    y = np.where(X[:, 0] > 1.0, 10.0 + X[:, 1], 0.0)
    params = AutoParams("regression")
    assert state_range(params, X, y) == pytest.approx([y.min(), y.max()])
    scores = core.predict_then_learn(params, core.init(params, 3), X, y)[:, 0]
    assert np.abs(scores - y)[1000:].mean() < 0.5 * np.abs(y - y.mean())[1000:].mean()


def rough_start(n=60):
    """Return rows of a regression: labels that are the same, outliers, then ordinary ones."""
    rows = regimes(np.random.default_rng(1), n=n, n_classes=0)
    rows.y[:12] = 3.0
    rows.y[[4, 12, 15, 40]] = 1e9, -1e7, 1e50, 1e6
    return rows


def taken(params, state):
    return {name: int(getattr(state, name)) for name in WHOLES}, learnt(params, state)


@pytest.mark.parametrize("n", [1, 3, 4, 5, 11, 13, 14, 16, 20, 40, 41, 42, 60])
def test_a_rough_start_is_that_of_the_oracle_in_any_chunks_and_after_a_restart(n):
    params, rows = AutoParams("regression", interval=7), rough_start()
    reference, single, whole = oracle(params, 3), core.init(params, 3), core.init(params, 3)
    for i in range(n):
        reference.learn(rows.X[i], rows.y[i])
        learn(params, single, rows[i : i + 1])
    learn(params, whole, rows[:n])
    assert single.block.tobytes() == whole.block.tobytes()
    found = [whole.target_mean, whole.target_unit, whole.target_least, whole.target_most]
    assert found == pytest.approx(
        [reference.target_mean, reference.unit, *reference.target_range], rel=1e-9
    )
    again = restored(params, *taken(params, whole))
    for name, array in learnt(params, whole).items():
        np.testing.assert_array_equal(learnt(params, again)[name], array)
    np.testing.assert_array_equal(learn(params, again, rows[n:]), learn(params, whole, rows[n:]))


@pytest.mark.parametrize("interval", [2, 3, 10])
def test_short_intervals_stay_finite_after_a_rough_start(interval):
    params = AutoParams("regression", interval=interval, max_concepts=3)
    X, y = linear(600)
    y[[0, 7]] = 1e100, -1e100
    state = core.init(params, 5)
    scores = core.predict_then_learn(params, state, X, y)[:, 0]
    assert np.isfinite(scores[1:]).all()
    assert np.isfinite(state.block).all()
    assert np.median(np.abs(scores - y)[-100:]) < 0.1


def test_first_labels_are_in_a_file_while_they_are_kept():
    params, rows = AutoParams("regression"), rough_start()
    kept = []
    for n in (0, 1, 12, 13, 40, 41, 60):
        state = core.init(params, 3)
        learn(params, state, rows[:n])
        kept.append(len(learnt(params, state).get("first_labels", ())))
    assert kept == [0, 1, 9, 10, 0, 0, 0]


@pytest.mark.parametrize("size", [1e-150, 1e-200, 5e-324])
def test_a_model_of_labels_next_to_nothing_can_be_saved_and_learns_larger_ones(size):
    rng, params = np.random.default_rng(0), AutoParams("regression")
    X = rng.normal(size=(400, 2))
    y = X[:, 0] * np.where(np.arange(400) < 100, size, 1.0)
    model, whole = Model(params), Model(params)
    whole.learn(X, y)
    for rows in np.split(np.arange(400), [20, 40, 110]):
        model.learn(X[rows], y[rows])
        model = Model.from_bytes(model.to_bytes())
    assert model.to_bytes() == whole.to_bytes()
    assert np.abs(whole.scores(X[-50:])[:, 0] - y[-50:]).mean() < 0.3


@pytest.mark.parametrize("n", [1, 5, 12, 29, 30, 60])
@pytest.mark.parametrize("same", [True, False])
def test_a_file_of_before_they_were_kept_goes_on(n, same):
    params = AutoParams("regression")
    rows = regimes(np.random.default_rng(1), n=80, n_classes=0)
    rows = Rows(rows.X, np.full(80, 3.0) if same else rows.y, rows.weights, rows.known)
    state = core.init(params, 3)
    learn(params, state, rows[:n])
    counters, arrays = taken(params, state)
    arrays.pop("first_labels", None)
    again = restored(params, counters, arrays)
    more = rows[n:]
    np.testing.assert_array_equal(learn(params, again, more), learn(params, state, more))


@pytest.mark.parametrize(
    "first", [np.zeros(FIRST), np.zeros(6), np.zeros((2, 2)), np.full(3, 1e101)]
)
def test_forged_first_labels_are_refused(first):
    params = AutoParams("regression")
    rows = regimes(np.random.default_rng(1), n=5, n_classes=0)
    state = core.init(params, 3)
    learn(params, state, rows)
    counters, arrays = taken(params, state)
    with pytest.raises(ValueError, match="first_labels must be"):
        restored(params, counters, {**arrays, "first_labels": first})
    params, state = AutoParams(), core.init(AutoParams(), 3)
    counters, arrays = taken(params, state)
    with pytest.raises(ValueError, match="first_labels must be"):
        restored(params, counters, {**arrays, "first_labels": np.zeros(1)})
