"""The baselines as scikit-learn's estimators: what they answer, what they refuse."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from mooe import baselines
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


NAMES = [name for name in baselines.__all__ if name.endswith(("Classifier", "Regressor"))]
each = pytest.mark.parametrize("name", NAMES)
X = np.random.default_rng(0).normal(size=(60, 3))
Y = np.where(X[:, 0] > 0, "up", "down")
EQUAL = np.random.default_rng(0).integers(0, 2, size=(200, 6)).astype(float)  # many equal splits
DRAWN = np.random.default_rng(1).integers(0, 2, size=200)


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


def test_labels_that_differ_in_a_final_nul_are_two_classes():
    labels = ["up\0" if x > 0 else "up" for x in X[:, 0]]
    model = DTELClassifier(chunk=10).fit(X, labels)
    assert model.classes_.tolist() == ["up", "up\0"]
    assert set(model.predict(X)) == {"up", "up\0"}


@each_regressor
def test_regressors_learn(model):
    X, _ = rows(800)
    y = 5.0 + np.tanh(X[:, 0])
    model = clone(model).set_params(radius=3.0).fit(X, y)
    assert model.score(X, y) > 0.5


def test_every_public_name_is_there():
    for name in baselines.__all__:
        assert getattr(baselines, name).__name__ == name
    with pytest.raises(AttributeError, match="Nobody"):
        _ = baselines.Nobody


@pytest.mark.parametrize("kind", [DTELClassifier, LearnPPNSEClassifier])
def test_the_seed_decides_between_equal_splits(kind):
    def answers(seed):
        return kind(chunk=20, random_state=seed).fit(EQUAL, DRAWN).predict_proba(EQUAL)

    np.testing.assert_array_equal(answers(0), answers(None))
    np.testing.assert_array_equal(answers(3), answers(3))
    assert (answers(0) != answers(3)).any()


def test_the_choices_reach_the_learner():
    model = LearnPPNSEClassifier(chunk=10, max_members=2, pruning="error", base="bayes").fit(
        EQUAL, DRAWN
    )
    assert model.learner_.n_members == 2
    assert type(model.learner_.members).__name__ == "Models"
    assert DTELClassifier(chunk=10, capacity=3).fit(EQUAL, DRAWN).learner_.archive.n == 3


def fitted(name):
    return getattr(baselines, name)().fit(X, labels_for(name))


def labels_for(name):
    return X[:, 0] if name.endswith("Regressor") else Y


@each
@pytest.mark.parametrize("how", ["fit", "partial_fit"])
def test_weights_of_rows_are_refused_and_nothing_changes(name, how):
    model = fitted(name)
    before = model.predict(X)
    with pytest.raises(
        TypeError, match=rf"sample_weight must be None for {name}.* got ndarray of shape \(60,\)"
    ):
        getattr(model, how)(X, labels_for(name), sample_weight=np.ones(60))
    np.testing.assert_array_equal(model.predict(X), before)
    getattr(model, how)(X, labels_for(name), sample_weight=None)


@each
def test_a_misspelt_argument_is_named(name):
    with pytest.raises(TypeError, match=f"{name} must be given X and y alone, got 'weigths'"):
        fitted(name).fit(X, labels_for(name), weigths=np.ones(60))


@each
@pytest.mark.parametrize("width", [2, 4])
def test_rows_of_another_width_are_refused_and_nothing_changes(name, width):
    model, other = fitted(name), np.ones((5, width))
    before = model.predict(X)
    said = f"X has {width} features, but {name} is expecting 3 features"
    with pytest.raises(ValueError, match=said):
        model.partial_fit(other, labels_for(name)[:5])
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
    model, other = (DTELClassifier(chunk=10, random_state=np.random.RandomState(3)) for _ in "ab")
    np.testing.assert_array_equal(
        model.fit(X, Y).predict_proba(X), other.fit(X, Y).predict_proba(X)
    )
