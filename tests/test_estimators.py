"""The estimators in scikit-learn's dialect."""

import copy
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.utils.estimator_checks import parametrize_with_checks

from mooe import MOOEClassifier, MOOERegressor, PaperMOOEClassifier, PaperMOOERegressor
from mooe.estimators import EXPECTED_FAILED_CHECKS
from mooe.numerics.features import LARGEST_WEIGHT
from mooe.paper import core

MODELS = [
    MOOEClassifier(),
    MOOERegressor(),
    MOOEClassifier(interval=7, max_concepts=2, without=("merge",), random_state=3),
    PaperMOOEClassifier(),
    PaperMOOEClassifier(loss="logistic", interval=7),
    PaperMOOEClassifier(priority="queue", start="random", random_state=3, max_experts=3),
    PaperMOOERegressor(),
    PaperMOOERegressor(interval=20, priority="queue"),
]
pytestmark = pytest.mark.filterwarnings("ignore:a label lies outside")
each_model = pytest.mark.parametrize("model", MODELS, ids=str)


def stream(n=300, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, (X @ rng.normal(size=(4, n_classes))).argmax(axis=1)


def labelled(model, n=300, n_classes=3):
    X, y = stream(n, n_classes)
    return (X, np.sin(X[:, 0])) if model._task == "regression" else (X, y)


def answers(model, X):
    if model._task == "regression":
        return model.predict(X)
    return model.predict_proba(X)


@parametrize_with_checks(
    MODELS, expected_failed_checks=lambda _: EXPECTED_FAILED_CHECKS, xfail_strict=True
)
def test_sklearn_checks_pass(estimator, check):
    check(estimator)


@each_model
def test_partial_fit_row_by_row_gives_the_bytes_of_one_fit(model):
    X, y = labelled(model)
    whole, rows = clone(model), clone(model)
    whole.fit(X, y)
    for i in range(len(X)):
        rows.partial_fit(X[i : i + 1], y[i : i + 1])
    assert whole.to_bytes() == rows.to_bytes()


@each_model
def test_predicting_and_explaining_change_nothing(model):
    X, y = labelled(model, n_classes=2)
    model = clone(model).fit(X[:120], y[:120])
    before = model.to_bytes()
    answers(model, X)
    model.predict(X)
    model.explain(X[0])
    assert model.to_bytes() == before


@each_model
def test_frames_arrays_and_lists_give_the_same_model(model):
    X, y = labelled(model, 150)
    frame = pd.DataFrame(X, columns=list("abcd"))
    array, lists = clone(model).fit(X, y), clone(model).fit(X.tolist(), y.tolist())
    frames = clone(model).fit(frame, pd.Series(y))
    assert array.to_bytes() == lists.to_bytes()
    assert np.array_equal(answers(array, X), answers(frames, frame))
    assert frames.feature_names_in_.tolist() == list("abcd")
    with pytest.raises(ValueError, match="feature names"):
        frames.predict(frame[["b", "a", "c", "d"]])


def test_it_fits_in_a_pipeline_and_in_cross_validation():
    X, y = stream(200, 2)
    pipeline = make_pipeline(PolynomialFeatures(2), PaperMOOEClassifier())
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.7


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_probabilities_sum_to_one_and_rank_as_the_scores_do(n_classes, loss):
    X, y = stream(200, n_classes)
    model = PaperMOOEClassifier(loss=loss).fit(X, y)
    probabilities, scores = model.predict_proba(X), model.decision_function(X)
    assert np.allclose(probabilities.sum(axis=1), 1.0, atol=1e-12)
    if n_classes == 2:
        scores = np.column_stack([-scores, scores])
    assert np.array_equal(probabilities.argsort(axis=1), scores.argsort(axis=1))
    assert np.array_equal(model.classes_[scores.argmax(axis=1)], model.predict(X))


def test_classes_may_appear_late_and_be_text():
    X, y = stream(400, 4)
    names = np.array(["oak", "fir", "elm", "ash"])[y]
    late = np.where(np.arange(400) < 200, np.where(y < 2, names, "oak"), names)
    model = PaperMOOEClassifier(interval=20).fit(X[:200], late[:200])
    assert model.classes_.tolist() == ["fir", "oak"]
    model.partial_fit(X[200:], late[200:])
    assert model.classes_.tolist() == ["ash", "elm", "fir", "oak"]
    assert model.predict_proba(X).shape == (400, 4)
    assert model.score(X[200:], late[200:]) > 0.7


def test_the_order_in_which_classes_appear_does_not_matter_to_the_user():
    X, y = stream(200, 2)
    model, other = (
        PaperMOOEClassifier().fit(X, y),
        PaperMOOEClassifier().fit(X, 1 - y),
    )
    assert np.array_equal(model.predict(X), 1 - other.predict(X))
    assert np.array_equal(model.decision_function(X), -other.decision_function(X))


def test_one_class_so_far_is_the_answer():
    X, _ = stream(30)
    model = PaperMOOEClassifier().fit(X, ["only"] * 30)
    assert set(model.predict(X)) == {"only"}
    assert np.array_equal(model.predict_proba(X), np.ones((30, 1)))
    random = PaperMOOEClassifier(start="random", interval=5).fit(X[:4], ["only"] * 4)
    assert {vote.vote for x in X for vote in random.explain(x)} == {"only"}


def test_declared_classes_have_a_column_before_they_come():
    X, y = stream(60, 2)
    model = PaperMOOEClassifier().partial_fit(X, y, classes=[0, 1, 2])
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.predict_proba(X).shape == (60, 3)
    model.partial_fit(X, y, classes=[0, 1, 2, 7])
    assert model.classes_.tolist() == [0, 1, 2, 7]


def test_learnt_attributes_tell_who_weighs_how_much():
    X, y = stream(230, 2)
    model = PaperMOOEClassifier(max_experts=4).fit(X, y)
    assert model.n_intervals_ == 4
    assert model.weights_.shape == (4,)
    assert model.weights_.sum() == pytest.approx(1.0, abs=1e-12)
    *offline, online = model.experts_
    assert [e.kind for e in offline] == ["offline"] * 3
    assert (online.kind, online.interval, online.samples) == ("online", 4, (200, 229))
    assert all(e.samples == (50 * e.interval, 50 * e.interval + 49) for e in offline)
    assert [e.weight for e in model.experts_] == model.weights_.tolist()


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("reverse", [False, True])
def test_explanations_add_up_to_the_answer(n_classes, reverse):
    X, y = stream(230, n_classes)
    model = PaperMOOEClassifier().fit(X, n_classes - 1 - y if reverse else y)
    votes = model.explain(X[5])
    mixed = sum(vote.expert.weight * np.array(vote.scores) for vote in votes)
    assert mixed == pytest.approx(np.atleast_1d(model.decision_function(X[5:6])[0]), abs=1e-12)
    assert {vote.vote for vote in votes} <= set(range(n_classes))


def test_explanations_of_a_regression_add_up_to_the_answer():
    X, y = stream(230)
    model = PaperMOOERegressor().fit(X, y)
    votes = model.explain(X[:1])
    mixed = sum(vote.expert.weight * vote.vote for vote in votes)
    assert mixed == pytest.approx(model.predict(X[:1])[0], abs=1e-12)


def test_rows_of_weight_zero_are_not_learnt():
    X, y = stream(200, 2)
    weights = (np.arange(200) % 3 > 0).astype(float)
    model = PaperMOOEClassifier().fit(X, np.where(weights > 0, y, 9), sample_weight=weights)
    assert model.to_bytes() == PaperMOOEClassifier().fit(X[weights > 0], y[weights > 0]).to_bytes()


def test_labels_outside_the_first_interval_are_clipped_counted_and_warned_of_once():
    X, _ = stream(100)
    model = PaperMOOERegressor(interval=50).fit(X[:50], np.linspace(0, 1, 50))
    with pytest.warns(UserWarning, match=r"outside \(0, 1\)"):
        model.partial_fit(X[50:52], [2.0, 3.0])
    model.partial_fit(X[52:53], [4.0])
    assert model.n_clipped_ == 3


@each_model
def test_copies_and_pickles_go_on_alike(model):
    X, y = labelled(model)
    model = clone(model).fit(X[:130], y[:130])
    twins = [copy.deepcopy(model), pickle.loads(pickle.dumps(model)), model]
    blobs = {twin.partial_fit(X[130:], y[130:]).to_bytes() for twin in twins}
    assert len(blobs) == 1


def test_many_threads_may_predict_at_once():
    X, y = stream(400, 3)
    model = PaperMOOEClassifier().fit(X, y)
    expected = model.predict_proba(X)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: model.predict_proba(X), range(64)))
    assert all(np.array_equal(one, expected) for one in found)


GOOD = np.zeros((2, 4))
BAD = {
    "NaN": (np.array([[0, 0, np.nan, 0]]), [1], "NaN"),
    "infinity": (np.array([[0, 0, np.inf, 0]]), [1], "infinity"),
    "too large": (np.array([[0, 0, 1e101, 0]]), [1], r"up to 1e\+100, got .*1e\+101.* column 2"),
    "too few features": (np.zeros((1, 3)), [1], "3 features, but .* 4 features"),
    "text": ([["a", "b", "c", "d"]], [1], "X must hold numbers, got 'a' in row 0, column 0"),
    "empty": (np.zeros((0, 4)), [], r"0 sample\(s\)"),
    "NaN label": (GOOD, [0.0, np.nan], "y must have a label for each row, got nan in row 1"),
    "text label": (GOOD, ["a", "b"], "one type, got 'a' after 0"),
    "unequal lengths": (GOOD, [1], "inconsistent numbers of samples"),
    "negative weight": (
        GOOD,
        [0, 1],
        "sample_weight must be at least 0 .*, got -1.0",
        [-1, 1],
    ),
    "weights of another length": (GOOD, [0, 1], r"sample_weight must have the shape \(2,\)", [1]),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("fitted", [True, False])
def test_bad_input_says_what_is_wrong_and_leaves_the_model_as_it_was(case, fitted):
    rows, labels, message, *weights = BAD[case]
    X, y = stream(80, 2)
    model = PaperMOOEClassifier()
    if fitted:
        model.fit(X, y)
    elif case in ("too few features", "text label"):
        pytest.skip("an empty model has no features or labels to disagree with")
    before = (copy.deepcopy(vars(model)), model.to_bytes() if fitted else b"")
    for call in (
        (model.partial_fit, model.fit) if case != "too few features" else (model.partial_fit,)
    ):
        if case == "text label" and call == model.fit:
            continue
        with pytest.raises(ValueError, match=message):
            call(rows, labels, sample_weight=weights[0] if weights else None)
        assert vars(model).keys() == before[0].keys()
        assert not fitted or model.to_bytes() == before[1]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"interval": 0}, "interval must be a whole number of at least 1, got 0"),
        ({"interval": 2.5}, "interval must be a whole number of at least 1, got 2.5"),
        ({"interval": 2**31 - 1}, "interval must be at most 1000 where .*, got 2147483647"),
        ({"max_experts": 2**31 - 1}, "max_experts must be at most 1000 where .*, got 2147483647"),
        ({"random_state": -1}, "random_state must be a whole number of at least 0, got -1"),
        ({"random_state": "a"}, "random_state must be a whole number of at least 0, got 'a'"),
        ({"without": 5}, "without must be a tuple of names of parts, got 5"),
        ({"max_concepts": 2**30}, "max_concepts must be at most 1000 where"),
        ({"radius": -1.0}, "radius must be a finite number above 0, got -1.0"),
        ({"loss": "hinge"}, "loss must be one of .*, got 'hinge'"),
        ({"scale": False}, "norm of at most input_bound = 1"),
    ],
)
def test_bad_parameters_are_told_at_fit(parameters, message):
    X, y = stream(20, 2)
    kind = MOOEClassifier if {"without", "max_concepts"} & set(parameters) else PaperMOOEClassifier
    model = kind(**parameters)
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)
    assert not hasattr(model, "model_")
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_parameters_stay_while_learning_goes_on():
    X, y = stream(20, 2)
    model = PaperMOOEClassifier().fit(X, y).set_params(interval=10)
    with pytest.raises(ValueError, match="interval must stay 50 while learning goes on, got 10"):
        model.partial_fit(X, y)
    assert model.fit(X, y).n_intervals_ == 2


def test_labels_beside_the_declared_ones_and_outside_given_bounds_are_refused():
    X, y = stream(20, 2)
    with pytest.raises(ValueError, match="labels of classes alone, got 1"):
        PaperMOOEClassifier().partial_fit(X, y, classes=[0, 2])
    with pytest.raises(ValueError, match=r"y must lie within \(0, 1\), got 5"):
        PaperMOOERegressor(target_bounds=(0, 1)).fit(X, np.full(20, 5.0))
    with pytest.raises(ValueError, match="x must be one sample, got 2"):
        PaperMOOEClassifier().fit(X, y).explain(X[:2])


@pytest.mark.parametrize("weight", [1e17, 1e20, 1e50])
def test_heavy_rows_that_are_learnt_perfectly_leave_experts_that_can_be_saved(weight):
    X = np.zeros((15, 2))
    X[0, 0] = X[3, 1] = 1.0
    weights = np.where(np.isin(np.arange(15), [0, 4]), weight, 1.0)
    model = PaperMOOEClassifier(interval=5, max_experts=3)
    model.fit(X, list("uuuuuvuvvuuuvvv"), sample_weight=weights)
    assert np.isfinite(model.decision_function(X)).all()
    again = PaperMOOEClassifier.from_bytes(model.to_bytes())
    assert np.array_equal(again.decision_function(X), model.decision_function(X))


def weighted_stream(rng, d):
    """Return rows, three classes, values, and weights that differ by hundreds of magnitudes."""
    n = 60
    X = [rng.normal(size=(n, d)), rng.random((n, d)) < 0.15, np.tile(rng.normal(size=d), (n, 1))]
    y = np.sort(rng.integers(3, size=n)) if rng.random() < 0.5 else rng.integers(3, size=n)
    heavy = 10.0 ** rng.uniform(5.0, 50.0)
    weights = [
        10.0 ** rng.uniform(-300.0, 50.0, n),
        np.where(rng.random(n) < 0.2, heavy, 1.0),
        np.where(rng.random(n) < 0.5, LARGEST_WEIGHT, 1e-300),
    ]
    values = 10.0 ** rng.uniform(-5.0, 20.0) * rng.normal(size=n)
    return X[rng.integers(3)].astype(float), y, values, weights[rng.integers(3)]


HEAVY = [
    PaperMOOEClassifier(),
    PaperMOOEClassifier(loss="logistic"),
    PaperMOOERegressor(),
]


@pytest.mark.parametrize("model", HEAVY, ids=str)
def test_whatever_the_weights_a_model_is_finite_and_can_be_saved_and_loaded(model):
    rng = np.random.default_rng(0)
    for _ in range(300):
        interval, d = rng.choice([2, 3, 5, 8, 20]), rng.choice([1, 2, 3, 12, 30])
        X, y, values, weights = weighted_stream(rng, d)
        model = clone(model).set_params(interval=interval, max_experts=3)
        model.fit(X, values if model._task == "regression" else y, sample_weight=weights)
        assert np.isfinite(answers(model, X)).all()
        assert type(model).from_bytes(model.to_bytes()).to_bytes() == model.to_bytes()


def test_huge_inputs_and_constant_columns_give_finite_answers():
    X, y = stream(300, 2)
    X = np.column_stack([1e12 * X, np.full(300, 7.0), np.where(np.arange(300) < 200, 5.0, X[:, 0])])
    model = PaperMOOEClassifier().fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    assert model.score(X, y) > 0.8


def test_the_estimator_is_the_core_and_nothing_else():
    X, y = stream(250, 2)
    y = np.where(y == y[0], 0, 1)
    params = core.Params()
    state = core.init(params, 4)
    core.predict_then_learn(params, state, X, y.astype(float))
    model = PaperMOOEClassifier().fit(X, y)
    assert np.array_equal(model.decision_function(X), core.predict(params, state, X)[:, 0])


def test_ties_are_broken_alike_by_every_method():
    model = PaperMOOEClassifier(intercept=False).fit(np.ones((10, 2)), [1, 0] * 5)
    row = np.ones((1, 2))
    assert model.decision_function(row)[0] == 0.0
    assert model.predict(row)[0] == model.classes_[model.predict_proba(row).argmax()] == 0


def test_an_interrupt_leaves_what_was_learnt_before(monkeypatch):
    X, y = stream(200, 4)
    model = PaperMOOEClassifier().fit(X[:50], y[:50] % 2)
    before = model.to_bytes()
    grow = core.grow_classes

    def interrupted(*arguments):
        grow(*arguments)
        if arguments[2] > 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(core, "grow_classes", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(X[50:], y[50:])
    assert model.to_bytes() == before
    assert set(model.predict(X)) <= {0, 1}


def test_rows_of_weight_zero_alone_are_nothing_to_answer_from():
    X, y = stream(20, 2)
    for model in (PaperMOOEClassifier(), PaperMOOERegressor()):
        model.partial_fit(X, y, sample_weight=np.zeros(20))
        with pytest.raises(NotFittedError):
            model.predict(X)


def test_numbers_of_numpy_are_parameters_like_any_other():
    X, y = stream(120, 2)
    plain = PaperMOOEClassifier(interval=20, radius=float(np.float32(1.1)))
    numpy = PaperMOOEClassifier(interval=np.int8(20), radius=np.float32(1.1))
    assert plain.fit(X, y).params_ == numpy.fit(X, y).params_
    assert np.array_equal(plain.decision_function(X), numpy.decision_function(X))
    again = PaperMOOEClassifier.from_bytes(numpy.to_bytes())
    assert again.partial_fit(X, y).to_bytes() == numpy.partial_fit(X, y).to_bytes()


UNUSUAL = [
    MOOEClassifier(without={"merge"}),
    MOOEClassifier(without=frozenset({"merge", "hedge"})),
    MOOEClassifier(without=["merge"]),
    MOOEClassifier(without=np.array(["merge"])),
    MOOEClassifier(interval=np.array(20)),
    PaperMOOEClassifier(interval=np.array(20), radius=np.longdouble(1.5)),
    PaperMOOERegressor(target_bounds=np.array([-100.0, 100.0])),
    PaperMOOERegressor(target_bounds=[-100, np.float32(100)]),
]


@pytest.mark.parametrize("model", UNUSUAL, ids=range(len(UNUSUAL)))
def test_what_fit_takes_as_a_parameter_can_be_saved_and_stays_as_it_was_given(model):
    X, y = labelled(model)
    given = model.get_params()
    model.fit(X[:150], y[:150])
    assert all(model.get_params()[name] is value for name, value in given.items())
    again = type(model).from_bytes(model.to_bytes())
    assert again.partial_fit(X[150:], y[150:]).to_bytes() == (
        model.partial_fit(X[150:], y[150:]).to_bytes()
    )
    assert clone(model).fit(X, y).to_bytes() == model.to_bytes()


def test_an_array_that_changes_after_the_first_rows_is_a_parameter_that_changed():
    bounds = np.array([-100.0, 100.0])
    model = PaperMOOERegressor(target_bounds=bounds)
    X, y = labelled(model)
    before = model.fit(X, y).to_bytes()
    bounds[1] = 50.0
    assert model.to_bytes() == before
    with pytest.raises(ValueError, match=r"target_bounds must stay \(-100.0, 100.0\) while"):
        model.partial_fit(X, y)


def test_a_warning_that_is_an_error_changes_nothing():
    X, _ = stream(60)
    model = PaperMOOERegressor(interval=50).fit(X[:50], np.linspace(0, 1, 50))
    before = model.to_bytes()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="outside"):
            model.partial_fit(X[50:], np.full(10, 9.0))
    assert model.to_bytes() == before


@pytest.mark.parametrize("name", ["X", "y", "row_weights"])
def test_the_core_refuses_arrays_that_do_not_fit(name):
    params = core.Params()
    state = core.init(params, 3)
    arrays = {"X": np.zeros((5, 3)), "y": np.zeros(5), "row_weights": np.ones(5)}
    arrays[name] = np.zeros((5, 4)) if name == "X" else np.zeros(2)
    with pytest.raises(ValueError, match=f"{name} must have the shape"):
        core.predict_then_learn(params, state, *arrays.values())
