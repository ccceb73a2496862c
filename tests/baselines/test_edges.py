"""What the estimators of the baselines refuse, and that nothing changes then."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from mooe import baselines
from mooe.baselines import CondorClassifier, DTELClassifier, OGDClassifier, OGDRegressor

X = np.random.default_rng(0).normal(size=(60, 3))
Y = np.where(X[:, 0] > 0, "up", "down")


ESTIMATORS = [name for name in baselines.__all__ if name.endswith(("Classifier", "Regressor"))]
each = pytest.mark.parametrize("name", ESTIMATORS)


def fitted(name):
    return getattr(baselines, name)().fit(X, labels(name))


def labels(name):
    return X[:, 0] if name.endswith("Regressor") else Y


@each
@pytest.mark.parametrize("how", ["fit", "partial_fit"])
def test_weights_of_rows_are_refused_and_nothing_changes(name, how):
    model = fitted(name)
    before = model.predict(X)
    with pytest.raises(
        TypeError, match=rf"sample_weight must be None for {name}.* got ndarray of shape \(60,\)"
    ):
        getattr(model, how)(X, labels(name), sample_weight=np.ones(60))
    np.testing.assert_array_equal(model.predict(X), before)
    getattr(model, how)(X, labels(name), sample_weight=None)


@each
def test_a_misspelt_argument_is_named(name):
    with pytest.raises(TypeError, match=f"{name} must be given X and y alone, got 'weigths'"):
        fitted(name).fit(X, labels(name), weigths=np.ones(60))


@each
@pytest.mark.parametrize("width", [2, 4])
def test_rows_of_another_width_are_refused_and_nothing_changes(name, width):
    model, other = fitted(name), np.ones((5, width))
    before = model.predict(X)
    said = f"X has {width} features, but {name} is expecting 3 features"
    with pytest.raises(ValueError, match=said):
        model.partial_fit(other, labels(name)[:5])
    with pytest.raises(ValueError, match=said):
        model.predict(other)
    np.testing.assert_array_equal(model.predict(X), before)


def test_a_parameter_stays_while_learning_goes_on():
    model = OGDClassifier().fit(X, Y)
    model.radius = 2.0
    with pytest.raises(ValueError, match="radius must stay"):
        model.partial_fit(X, Y)
    assert model.fit(X, Y).learner_.params.radius == 2.0


def test_labels_outside_the_classes_are_refused_and_nothing_is_learnt():
    model = CondorClassifier().partial_fit(X, Y, classes=["up", "down"])
    before = model.learner_.state.block.tobytes()
    with pytest.raises(ValueError, match="sideways"):
        model.partial_fit(X[:1], ["sideways"], classes=["up", "down"])
    assert model.learner_.state.block.tobytes() == before


def test_an_error_on_the_way_changes_nothing():
    model = OGDClassifier(scale=False, input_bound=10.0).fit(X, Y)
    before = model.predict_proba(X)
    with pytest.raises(ValueError, match="norm"):
        model.partial_fit(1e3 * X, Y)
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_nothing_is_answered_before_a_label():
    with pytest.raises(NotFittedError):
        DTELClassifier().predict(X)


def test_a_label_outside_the_given_bounds_is_refused():
    with pytest.raises(ValueError, match="within"):
        OGDRegressor(target_bounds=(0.0, 1.0)).fit(X, X[:, 0])


def test_a_bad_parameter_is_told_when_learning_begins():
    with pytest.raises(ValueError, match="capacity"):
        DTELClassifier(capacity=0).fit(X, Y)


def test_the_seed_may_be_a_random_state():
    one, other = (DTELClassifier(chunk=10, random_state=np.random.RandomState(3)) for _ in "ab")
    np.testing.assert_array_equal(one.fit(X, Y).predict_proba(X), other.fit(X, Y).predict_proba(X))
