"""What the linear baselines share: growth, absent values, columns, wide rows."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from mooe.baselines import linear
from mooe.baselines.ader import Ader, AderParams
from mooe.baselines.condor import Condor, CondorParams
from mooe.baselines.ogd import OGD, OGDParams

LEARNERS = {
    "OGD": lambda: OGD(OGDParams()),
    "Ader": lambda: Ader(AderParams()),
    "Condor": lambda: Condor(CondorParams(epoch=20)),
}
each = pytest.mark.parametrize("name", LEARNERS)


def rows(n=120, n_classes=2):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    y = (X @ rng.normal(size=(3, n_classes))).argmax(axis=1).astype(float)
    return X, np.array([list(dict.fromkeys(y)).index(one) for one in y], dtype=float)


@each
def test_two_classes_answer_the_same_once_there_is_room_for_a_third(name):
    X, y = rows()
    learner = LEARNERS[name]()
    learner.predict_then_learn(X, y)
    before = learner.predict(X)
    linear.grow_classes(learner.params, learner.state, 3)
    after = learner.predict(X)
    sure = np.abs(before.probabilities[:, 0] - 0.5) > 0.3
    assert sure.sum() > 5
    np.testing.assert_array_equal(before.chosen[sure], after.chosen[sure])
    assert after.probabilities.shape == (len(X), 3)
    np.testing.assert_allclose(after.probabilities.sum(axis=1), 1.0)


@each
def test_a_class_that_is_met_late_is_learnt(name):
    X, y = rows(600, 3)
    order = np.argsort(y[:300] == 2, kind="stable")
    X[:300], y[:300] = X[:300][order], y[:300][order]
    found = LEARNERS[name]().predict_then_learn(X, y)
    assert found.probabilities.shape == (600, 3)
    assert np.mean(found.chosen[400:] == y[400:]) > 0.6
    assert (found.chosen[400:] == 2).any()


@each
def test_an_absent_value_counts_as_the_mean_so_far(name):
    X, y = rows()
    learner = LEARNERS[name]()
    learner.predict_then_learn(X, y)
    row = X[:1].copy()
    row[0, 1] = np.nan
    filled = row.copy()
    filled[0, 1] = X[:, 1].mean()
    np.testing.assert_allclose(
        learner.predict(row).probabilities, learner.predict(filled).probabilities, rtol=1e-9
    )


@each
def test_columns_beyond_the_first_are_left_out(name):
    X, y = rows()
    one, other = LEARNERS[name](), LEARNERS[name]()
    one.predict_then_learn(X, y)
    other.predict_then_learn(X[:60], y[:60])
    wide = np.hstack([X[60:], np.ones((60, 2))])
    other.predict_then_learn(wide, y[60:])
    np.testing.assert_array_equal(one.predict(X).chosen, other.predict(X).chosen)
    assert one.state.block.tobytes() == other.state.block.tobytes()


@each
def test_sparse_rows_are_rows(name):
    X, y = rows()
    X[np.abs(X) < 0.5] = 0.0
    one, other = LEARNERS[name](), LEARNERS[name]()
    found, sparse = one.predict_then_learn(X, y), other.predict_then_learn(csr_matrix(X), y)
    np.testing.assert_array_equal(found.chosen, sparse.chosen)


@each
def test_inputs_that_no_float_can_hold_squared_are_refused(name):
    with pytest.raises(ValueError, match="finite"):
        LEARNERS[name]().predict_then_learn(np.array([[1e200, 0.0]]), np.array([0.0]))


@each
def test_before_any_row_there_is_no_answer(name):
    assert LEARNERS[name]().predict(np.zeros((2, 3))).chosen.tolist() == [-1, -1]
