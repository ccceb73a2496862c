"""The estimators around the default model: what it takes, tells and keeps beyond paper mode."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from mooe import MOOEClassifier, MOOERegressor
from mooe.auto import core
from mooe.auto.params import AutoParams
from mooe.auto.roster import CLASSES_ONLY, EXPERTS
from mooe.datasets.synthetic import recurring
from mooe.numerics.scores import probabilities

KINDS = (MOOEClassifier, MOOERegressor)
each_kind = pytest.mark.parametrize("kind", KINDS)


def stream(n=300, n_classes=3, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (X @ rng.normal(size=(d, n_classes))).argmax(axis=1)


def rows_for(kind, n=300):
    X, y = stream(n)
    return X, y if kind is MOOEClassifier else X[:, 0] - X[:, 1]


def with_gaps(X, share=0.2):
    gaps = X.copy()
    gaps[np.random.default_rng(1).random(X.shape) < share] = np.nan
    return gaps


def answers(model, X):
    return model.predict(X) if isinstance(model, MOOERegressor) else model.predict_proba(X)


@each_kind
def test_the_default_is_the_default_model(kind):
    X, y = rows_for(kind)
    model = kind().fit(X, y)
    task = "classification" if kind is MOOEClassifier else "regression"
    assert model.params_ == AutoParams(task=task)
    names = [name for name in EXPERTS if task == "classification" or name not in CLASSES_ONLY]
    assert [one.name for one in model.experts_] == names


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_estimator_is_the_core_and_nothing_else(n_classes):
    X, y = stream(250, n_classes)
    first = list(dict.fromkeys(y.tolist()))
    numbers = np.array([first.index(one) for one in y], dtype=float)
    params = AutoParams()
    state = core.init(params, 4)
    core.predict_then_learn(params, state, X, numbers)
    model = MOOEClassifier().fit(X, y)
    expected = probabilities(params, core.predict(params, state, X))
    np.testing.assert_array_equal(model.predict_proba(X)[:, first], expected)


@each_kind
@pytest.mark.parametrize("cuts", [(1, 2, 50), (40, 80, 299), (7,)])
def test_pieces_give_the_bytes_of_the_whole(kind, cuts):
    X, y = rows_for(kind)
    X = with_gaps(X)
    whole, parts = kind().fit(X, y), kind()
    for first, last in zip((0, *cuts), (*cuts, 300), strict=True):
        parts.partial_fit(X[first:last], y[first:last])
    assert parts.to_bytes() == whole.to_bytes()


@each_kind
def test_absent_values_are_taken_and_infinite_ones_refused(kind):
    X, y = rows_for(kind, 600)
    model = kind().fit(with_gaps(X), y)
    assert np.isfinite(answers(model, with_gaps(X))).all()
    assert model.score(X, y) > 0.7
    assert np.isfinite(answers(model, np.full((2, 4), np.nan))).all()
    before = model.to_bytes()
    bad = X[:2].copy()
    bad[1, 2] = np.inf
    for call in (lambda: model.partial_fit(bad, y[:2]), lambda: model.predict(bad)):
        with pytest.raises(ValueError, match="infinity"):
            call()
    assert model.to_bytes() == before


def test_an_absent_value_counts_as_the_mean_so_far():
    X, y = stream(100, 2)
    model = MOOEClassifier().fit(X, y)
    row, mean = X[:1].copy(), X[:1].copy()
    row[0, 1], mean[0, 1] = np.nan, X[:, 1].mean()
    np.testing.assert_allclose(model.decision_function(row), model.decision_function(mean))


@each_kind
@pytest.mark.parametrize("d", [4, 200])
@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix])
def test_sparse_rows_teach_the_model_of_dense_ones(kind, d, form):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((150, d)) < 0.8, 0.0, rng.normal(size=(150, d)))
    y = (X[:, 0] > 0) if kind is MOOEClassifier else X[:, 0]
    dense, listed = kind().fit(X, y), kind().fit(form(X), y)
    assert listed.to_bytes() == dense.to_bytes()
    np.testing.assert_array_equal(answers(listed, form(X)), answers(dense, X))
    votes = [one.scores for one in listed.explain(form(X)[[3]])]
    assert votes == [one.scores for one in dense.explain(X[3])]


@pytest.mark.parametrize("d", [4, 200])
def test_sparse_rows_in_any_form_are_the_same_rows_and_stay_as_they_are(d):
    """Out of order, a value in two parts, zeros that are written out."""
    values = np.array([0.0, 3.0, 1.0, 1.0, 0.0, 5.0])
    places, begins = np.array([3, 1, 0, 0, 2, 1]), np.array([0, 2, 5, 6])
    X = sparse.csr_array((values, places, begins), shape=(3, d))
    before = [part.copy() for part in (X.data, X.indices, X.indptr)]
    dense = X.toarray()
    model = MOOEClassifier().partial_fit(X, [0, 1, 0])
    np.testing.assert_array_equal(model.predict_proba(X), model.predict_proba(dense))
    for part, copied in zip((X.data, X.indices, X.indptr), before, strict=True):
        np.testing.assert_array_equal(part, copied)
    assert model.to_bytes() == MOOEClassifier().partial_fit(dense, [0, 1, 0]).to_bytes()
    whole = sparse.csr_array(dense)
    whole.data.flags.writeable = False
    np.testing.assert_array_equal(model.predict_proba(whole), model.predict_proba(dense))


def test_it_stands_at_the_end_of_pipelines():
    X, y = stream(300, 2)
    assert (
        cross_val_score(make_pipeline(StandardScaler(), MOOEClassifier()), X, y, cv=3).min() > 0.8
    )
    texts = np.array(["buy cheap pills now", "the meeting is at noon"])[y]
    words = make_pipeline(CountVectorizer(), MOOEClassifier()).fit(texts, y)
    assert words.score(texts, y) == 1.0
    codes = np.array(["a", "b", "c"])[stream(300)[1]][:, None]
    letters = make_pipeline(OneHotEncoder(), MOOEClassifier()).fit(codes, codes[:, 0])
    assert letters.score(codes, codes[:, 0]) > 0.95


def test_classes_may_appear_late_and_be_text():
    X, y = stream(600, 4)
    names = np.array(["oak", "fir", "elm", "ash"])[y]
    early = np.where(np.isin(names, ["oak", "fir"]), names, "oak")[:200]
    model = MOOEClassifier().fit(X[:200], early)
    assert model.classes_.tolist() == ["fir", "oak"]
    model.partial_fit(X[200:], names[200:])
    assert model.classes_.tolist() == ["ash", "elm", "fir", "oak"]
    assert model.predict_proba(X).shape == (600, 4)
    assert model.score(X[400:], names[400:]) > 0.8


def test_declared_classes_have_a_column_before_they_come():
    X, y = stream(120, 2)
    model = MOOEClassifier().partial_fit(X, y, classes=[2, 1, 0])
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.predict_proba(X).shape == (120, 3)
    assert set(model.predict(X)) <= {0, 1}
    later = MOOEClassifier().partial_fit(X[:1], y[:1], classes=[0, 1, 2])
    for i in range(1, 120):
        later.partial_fit(X[i : i + 1], y[i : i + 1])
    assert later.to_bytes() == model.to_bytes()
    with pytest.raises(ValueError, match="labels of classes alone, got 7"):
        model.partial_fit(X[:1], [7], classes=[0, 1])


def test_one_class_so_far_is_the_answer():
    X, _ = stream(30)
    model = MOOEClassifier().fit(X, ["only"] * 30)
    assert set(model.predict(X)) == {"only"}
    np.testing.assert_array_equal(model.predict_proba(X), np.ones((30, 1)))
    assert {vote.vote for vote in model.explain(X[0])} == {"only"}


def test_the_order_in_which_classes_appear_does_not_matter_to_the_user():
    X, y = stream(200, 2)
    model, other = MOOEClassifier().fit(X, y), MOOEClassifier().fit(X, 1 - y)
    np.testing.assert_array_equal(model.predict(X), 1 - other.predict(X))
    np.testing.assert_allclose(model.decision_function(X), -other.decision_function(X), atol=1e-9)


@each_kind
def test_rows_of_weight_zero_are_not_learnt_and_heavy_ones_more_than_light_ones(kind):
    X, y = rows_for(kind)
    weights = (np.arange(300) % 3 > 0).astype(float)
    model = kind().fit(X, y, sample_weight=weights)
    assert model.to_bytes() == kind().fit(X[weights > 0], y[weights > 0]).to_bytes()
    ones = kind().fit(X, y, sample_weight=np.ones(300)).to_bytes()
    assert ones == kind().fit(X, y).to_bytes() != kind().fit(X, y, weights + 0.1).to_bytes()
    empty = kind().partial_fit(X, y, sample_weight=np.zeros(300))
    with pytest.raises(NotFittedError):
        empty.predict(X)


@each_kind
@pytest.mark.parametrize("weight", [1e-50, 1e50])
def test_rows_of_any_weight_leave_the_model_whole(kind, weight):
    X, y = rows_for(kind)
    model = kind(interval=5).fit(X, y, sample_weight=np.full(300, weight))
    assert np.isfinite(answers(model, X)).all()
    assert np.isfinite(model.weights_).all()
    assert [one.name for one in model.concepts_] == sorted(one.name for one in model.concepts_)
    assert type(model).from_bytes(model.to_bytes()).concepts_ == model.concepts_


@each_kind
def test_names_of_features_are_kept_and_held_against(kind):
    X, y = rows_for(kind, 100)
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = kind().fit(frame, y)
    assert model.feature_names_in_.tolist() == list("abcd")
    assert kind.from_bytes(model.to_bytes()).feature_names_in_.tolist() == list("abcd")
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["b", "a", "c", "d"]])
    with pytest.raises(ValueError, match="3 features"):
        kind().fit(X, y).predict(X[:, :3])


def test_concepts_and_the_regime_in_charge_are_told():
    rows = recurring(n=4000, length=250)
    model = MOOEClassifier()
    assert model.fit(rows.X[:20], rows.y[:20]).concepts_ == []
    assert model.regime_ is None
    model.fit(rows.X, rows.y)
    names = [one.name for one in model.concepts_]
    assert names == sorted(set(names))
    assert len(names) == 4
    (now,) = [one for one in model.concepts_ if one.in_charge]
    assert model.regime_ == now.name
    assert now.last == 3999
    for one in model.concepts_:
        assert one.recognised >= 3
        assert one.first <= one.last
        assert one.visits[-1][1] == one.last
        assert all(first <= last for first, last in one.visits)
    assert model.n_intervals_ > 80


@pytest.mark.parametrize("n_classes", [2, 4])
def test_explanations_add_up_to_the_answer(n_classes):
    X, y = stream(230, n_classes)
    model = MOOEClassifier(without=("calibration",)).fit(X, y)
    votes = model.explain(X[5])
    assert [vote.expert for vote in votes] == model.experts_
    assert {vote.expert.kind for vote in votes} == {"online", "memory"}
    mixed = sum(vote.expert.weight * np.array(vote.scores) for vote in votes)
    assert mixed == pytest.approx(np.atleast_1d(model.decision_function(X[5:6])[0]), abs=1e-12)
    assert {vote.vote for vote in votes} <= set(range(n_classes))
    with pytest.raises(ValueError, match="x must be one sample, got 2"):
        model.explain(X[:2])


def test_explanations_of_a_regression_add_up_to_the_answer():
    X, y = rows_for(MOOERegressor)
    model = MOOERegressor().fit(X, 100.0 + 7.0 * y)
    mixed = sum(vote.expert.weight * vote.vote for vote in model.explain(X[0]))
    assert mixed == pytest.approx(model.predict(X[:1])[0], rel=1e-9)


def test_parts_that_are_left_out_are_not_among_the_experts():
    X, y = stream(200, 2)
    model = MOOEClassifier(without=("no_change", "memory_plain", "memory_rich")).fit(X, y)
    left = {"no_change", "memory_plain", "memory_rich"}
    assert {one.name for one in model.experts_} == set(EXPERTS) - left
    assert model.concepts_ == []


@each_kind
def test_many_threads_may_predict_at_once(kind):
    X, y = rows_for(kind)
    model = kind().fit(X, y)
    expected = answers(model, X)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: answers(model, X), range(64)))
    assert all(np.array_equal(one, expected) for one in found)


def test_an_interrupt_between_two_steps_leaves_what_was_learnt_before(monkeypatch):
    X, y = stream(300, 4)
    model = MOOEClassifier().fit(X[:50], y[:50] % 2)
    before = vars(model).keys(), model.to_bytes()
    grow = core.grow_classes

    def interrupted(*arguments):
        grow(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(core, "grow_classes", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(X[50:], y[50:])
    assert (vars(model).keys(), model.to_bytes()) == before
    assert set(model.predict(X)) <= {0, 1}


@each_kind
def test_rows_are_learnt_in_place_unless_it_takes_several_steps(kind):
    """A compiled call cannot be cut short, so nothing has to be copied for the case that it is."""
    X, y = rows_for(kind)
    parts = ("forest", "leaves", "neighbours")  # which grow
    model = kind(without=parts).fit(X[:150], y[:150])
    block = model.state_.block
    model.partial_fit(X[150:], y[150:])
    assert model.state_.block is block
    if kind is MOOEClassifier:
        model.partial_fit(X[:1], [99])
        assert model.state_.block is not block


@each_kind
def test_parameters_stay_while_learning_goes_on(kind):
    X, y = rows_for(kind, 100)
    model = kind().fit(X, y).set_params(max_concepts=3)
    with pytest.raises(ValueError, match="max_concepts must stay 12 while learning goes on, got 3"):
        model.partial_fit(X, y)
    assert model.fit(X[:50], y[:50]).params_.max_concepts == 3


@each_kind
def test_inputs_of_any_size_and_constant_columns_give_finite_answers(kind):
    X, y = rows_for(kind)
    X = np.column_stack([1e90 * X, 1e-90 * X, np.full(300, 7.0), np.zeros(300)])
    model = kind().fit(X, y)
    assert np.isfinite(answers(model, X)).all()
    assert model.score(X, y) > 0.8


def test_targets_of_any_size_give_finite_answers():
    X, y = rows_for(MOOERegressor)
    for scale in (1e-90, 1e90):
        model = MOOERegressor().fit(X, scale * y)
        assert model.score(X, scale * y) > 0.8
    constant = MOOERegressor().fit(X, np.full(300, 3.0))
    np.testing.assert_allclose(constant.predict(X), 3.0)


def test_one_sample_one_feature():
    assert MOOERegressor().fit([[1.0]], [5.0]).predict([[2.0]])[0] == pytest.approx(5.0)
    model = clone(MOOEClassifier()).partial_fit([[1.0]], ["a"])
    assert model.predict([[9.0]]).tolist() == ["a"]
    assert model.partial_fit([[-1.0]], ["b"]).predict_proba([[0.0]]).shape == (1, 2)
