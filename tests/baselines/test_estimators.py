"""The baselines as scikit-learn's estimators."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import mooe.baselines
from mooe.baselines import (
    AderClassifier,
    AderRegressor,
    CondorClassifier,
    DTELClassifier,
    LearnPPNSEClassifier,
    OGDClassifier,
    OGDRegressor,
)

CLASSIFIERS = [
    OGDClassifier(radius=10.0, loss="logistic"),
    AderClassifier(radius=10.0),
    CondorClassifier(epoch=20),
    LearnPPNSEClassifier(chunk=20),
    DTELClassifier(chunk=20),
]
REGRESSORS = [OGDRegressor(), AderRegressor()]
each_classifier = pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda m: type(m).__name__)
each_regressor = pytest.mark.parametrize("model", REGRESSORS, ids=lambda m: type(m).__name__)


@parametrize_with_checks([*CLASSIFIERS, *REGRESSORS])
def test_sklearn_checks_pass(estimator, check):
    check(estimator)


def rows(n=300, n_classes=3):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    return X, np.array(["c", "a", "b"])[(X @ rng.normal(size=(4, n_classes))).argmax(axis=1)]


@each_classifier
def test_probabilities_are_in_the_order_of_the_sorted_classes(model):
    X, y = rows()
    model = clone(model).fit(X, y)
    given = model.predict_proba(X)
    assert model.classes_.tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(given.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.classes_[given.argmax(axis=1)], model.predict(X))
    assert np.mean(model.predict(X) == y) > 0.6


@each_classifier
def test_rows_in_parts_are_learnt_as_in_one_fit(model):
    X, y = rows()
    whole, parts = clone(model).fit(X, y), clone(model)
    for part in np.array_split(np.arange(len(X)), 7):
        parts.partial_fit(X[part], y[part])
    np.testing.assert_array_equal(whole.predict_proba(X), parts.predict_proba(X))


@each_classifier
def test_absent_values_are_taken(model):
    X, y = rows()
    X[::3, 1] = np.nan
    assert set(clone(model).fit(X, y).predict(X)) <= {"a", "b", "c"}


@each_classifier
def test_a_class_that_is_known_to_come_has_a_column(model):
    X, y = rows(n_classes=2)
    model = clone(model).partial_fit(X, y, classes=["a", "b", "c", "d"])
    given = model.predict_proba(X)
    assert given.shape == (len(X), 4)
    assert (given[:, [1, 3]] == 0).all()


@each_regressor
def test_regressors_learn(model):
    X, _ = rows(800)
    y = 5.0 + np.tanh(X[:, 0])
    model = clone(model).set_params(radius=3.0).fit(X, y)
    assert model.score(X, y) > 0.5


def test_every_public_name_is_there():
    for name in mooe.baselines.__all__:
        assert getattr(mooe.baselines, name).__name__ == name
    with pytest.raises(AttributeError, match="Nobody"):
        _ = mooe.baselines.Nobody
