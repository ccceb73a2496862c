"""The models in River's dialect: its own checks, and the laws of the core seen through dicts."""

import copy
import itertools
import math
import pickle
import random
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from made_streams import stream
from river import checks, compose, datasets, evaluate, metrics, preprocessing

from mooe import estimators, modelfile
from mooe.numerics import checks as parameter_checks
from mooe.numerics.scores import probabilities
from mooe.paper import core
from mooe.paper.core import Params
from mooe.river_adapter import (
    MOOEClassifier,
    MOOERegressor,
    PaperMOOEClassifier,
    PaperMOOERegressor,
)

NAMES = ["a", "b", "c"]
LABELS = {2: [False, True], 4: ["red", "green", "blue", "grey"]}
KINDS = {"regression": 0, "two classes": 2, "four classes": 4}
each_kind = pytest.mark.parametrize("kind", KINDS)


def rows_of(kind, n=120, seed=0, **chosen):
    """Return samples as dicts, without what is absent, and labels as a user has them."""
    data = stream(np.random.default_rng(seed), n=n, n_classes=KINDS[kind], **chosen)
    X = [
        {name: value for name, value in zip(NAMES, row, strict=True) if value == value}
        for row in data.X.tolist()
    ]
    if KINDS[kind] == 0:
        return X, data.y.tolist()
    return X, [LABELS[KINDS[kind]][int(number)] for number in data.y]


def empty(kind, **chosen):
    made = PaperMOOEClassifier if KINDS[kind] else PaperMOOERegressor
    return made(interval=10, max_experts=5, **chosen)


def taught(kind, **chosen):
    model = empty(kind)
    for x, y in zip(*rows_of(kind, **chosen), strict=True):
        model.learn_one(x, y)
    return model


def river_checks():
    for model in (
        MOOEClassifier(),
        MOOERegressor(),
        PaperMOOEClassifier(),
        PaperMOOERegressor(),
        PaperMOOEClassifier(loss="logistic", interval=5),
    ):
        counts = {}
        for check in checks.yield_checks(model):
            n = counts[check.__name__] = counts.get(check.__name__, 0) + 1
            name = f"{type(model).__name__}-{model.interval}-{check.__name__}-{n}"
            yield pytest.param(model, check, id=name)


@pytest.mark.parametrize(("model", "check"), list(river_checks()))
def test_river_checks(model, check):
    assert model._unit_test_skips() == set()
    random.seed(0)
    check(model.clone())


def test_river_is_imported_by_the_adapter_alone_and_asked_for_by_name():
    script = """
import sys
import mooe, mooe.estimators, mooe.named_rows
assert "river" not in sys.modules
sys.modules["river"] = None
import mooe.river_adapter
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 1
    assert "ImportError: mooe.river_adapter needs River: pip install 'mooe[river]'" in done.stderr


def test_before_any_label_there_is_no_answer():
    frame = pd.DataFrame({"a": [1.0, 2.0]}, index=[5, 6])
    for model in (PaperMOOEClassifier(), PaperMOOERegressor()):
        model.learn_one({"a": 1.0}, None)
        model.learn_many(frame, [None, None])
        assert model.predict_one({"a": 1.0}) is None
        assert model.predict_many(frame).tolist() == [None, None]
        assert list(model.explain_one({"a": 1.0})) == model.experts == model.weights == []
        assert "no label has been learnt yet" in model.explain_one({"a": 1.0}).sentence
    model = PaperMOOEClassifier()
    assert model.predict_proba_one({"a": 1.0}) == {}
    assert model.predict_proba_many(frame).shape == (2, 0)


def test_one_class_so_far_is_the_answer():
    model = PaperMOOEClassifier()
    model.learn_one({"a": 1.0}, "only")
    assert model.predict_one({"a": -5.0}) == "only"
    assert model.predict_proba_one({"a": -5.0}) == {"only": 1.0}
    assert [vote.vote for vote in model.explain_one({"a": 1.0})] == ["only"]


@each_kind
@pytest.mark.parametrize("weighted", [False, True])
def test_learn_many_is_a_loop_of_learn_one(kind, weighted):
    X, y = rows_of(kind, late=True)
    w = np.random.default_rng(0).choice([0.0, 0.5, 1.0], len(y)).tolist() if weighted else 1.0
    y[20], y[33] = None, None
    one, many = empty(kind), empty(kind)
    blocks = [(0, NAMES[:2]), (7, NAMES), (40, NAMES[::-1]), (60, ["c"]), (61, NAMES), (120, [])]
    for (first, names), (last, _) in itertools.pairwise(blocks):
        part = slice(first, last)
        batch = [{name: x[name] for name in names} for x in X[part]]
        weights = w[part] if weighted else w
        frame = pd.DataFrame(batch, columns=names)
        many.learn_many(frame, pd.Series(y[part], dtype=object), weights)
        for i, (x, label) in enumerate(zip(batch, y[part], strict=True)):
            one.learn_one(x, label, weights[i] if weighted else 1.0)
        assert one.to_bytes() == many.to_bytes()


@each_kind
def test_predict_many_is_a_loop_of_predict_one(kind):
    model = taught(kind)
    X, _ = rows_of(kind, seed=1)
    for names in (NAMES, NAMES[::-1], NAMES[1:], [*NAMES, "unknown"]):
        batch = [{name: x.get(name, 0.5) for name in names} for x in X]
        frame = pd.DataFrame(batch, index=range(1000, 1000 + len(X)))
        answers = model.predict_many(frame)
        assert answers.tolist() == [model.predict_one(x) for x in batch]
        assert list(answers.index) == list(frame.index)
        if KINDS[kind]:
            shares = model.predict_proba_many(frame)
            assert shares.to_dict("records") == [model.predict_proba_one(x) for x in batch]
            assert list(shares.index) == list(frame.index)


def test_an_empty_frame_is_no_rows():
    model, frame = taught("two classes"), pd.DataFrame({name: [] for name in NAMES})
    before = model.to_bytes()
    model.learn_many(frame, [])
    assert model.to_bytes() == before
    assert len(model.predict_many(frame)) == 0
    assert model.predict_proba_many(frame).shape == (0, 2)


@each_kind
def test_a_prediction_changes_nothing(kind):
    model = taught(kind)
    X, _ = rows_of(kind, absent=0.5)
    before, pickled = model.to_bytes(), pickle.dumps(model)
    for x in [*X, {}, {"unknown": 3.0}, {"unknown": "text", "a": 1.0}]:
        model.predict_one(x)
        model.explain_one(x)
        if KINDS[kind]:
            model.predict_proba_one(x)
    model.predict_many(pd.DataFrame(X).dropna())
    assert model.to_bytes() == before
    assert pickle.dumps(model) == pickled


@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize("kind", ["two classes", "four classes"])
def test_probabilities_are_those_of_the_core_and_rank_as_the_scores_do(kind, loss):
    model = empty(kind, loss=loss)
    X, y = rows_of(kind)
    for i, (x, label) in enumerate(zip(X, y, strict=True)):
        shares = model.predict_proba_one(x)
        if i > 40:
            scores = model._rows.scores[None]
            expected = probabilities(model._rows.params, scores)[0]
            np.testing.assert_allclose(list(shares.values()), expected, rtol=1e-14)
            assert math.isclose(sum(shares.values()), 1.0, rel_tol=1e-15)
            assert max(shares, key=shares.get) == model.predict_one(x)
        model.learn_one(x, label)


@each_kind
@pytest.mark.parametrize("weighted", [False, True])
def test_the_model_is_that_of_the_core(kind, weighted):
    chosen = {"n": 90, "absent": 0.2, "weighted": weighted, "unlabelled": 0.1}
    data = stream(np.random.default_rng(4), n_classes=KINDS[kind], **chosen)
    model = empty(kind)
    params = Params(task=model._task, interval=10, max_experts=5)
    data.X[data.learnt.argmax()] = 0.5  # all features at once, so that columns stand in their order
    state = core.init(params, len(NAMES))
    core.predict_then_learn(params, state, data.X, data.y, data.weights)
    for row, y, w in zip(data.X.tolist(), data.y.tolist(), data.weights.tolist(), strict=True):
        x = {name: value for name, value in zip(NAMES, row, strict=True) if value == value}
        label = None if math.isnan(y) else y
        model.learn_one(x, label, w)
    expected = modelfile.to_bytes(modelfile.Contents(params, state))
    found = modelfile.to_bytes(modelfile.Contents(model.model.params, model.model.state))
    assert found == expected


def test_river_and_scikit_learn_users_get_the_same_answers():
    X, y = rows_of("four classes")
    table = pd.DataFrame(X)
    model, other = (
        taught("four classes"),
        estimators.PaperMOOEClassifier(interval=10, max_experts=5),
    )
    other.partial_fit(table.to_numpy(), np.array(y))
    assert model.predict_many(table).tolist() == other.predict(table.to_numpy()).tolist()
    assert model.weights == other.weights_.tolist()
    assert model.experts == other.experts_


@each_kind
def test_an_explanation_names_each_expert_its_weight_and_its_vote(kind):
    model = taught(kind)
    x = {"a": 0.5, "c": -1.0}
    found = model.explain_one(x)
    assert [vote.expert.kind for vote in found] == ["offline"] * 4 + ["online"]
    assert [vote.expert.weight for vote in found] == model.weights
    assert math.isclose(sum(model.weights), 1.0)
    assert all(vote.expert.samples[0] == 10 * vote.expert.interval for vote in found)
    assert found.answer == model.predict_one(x)
    if KINDS[kind]:
        assert {vote.vote for vote in found} <= set(LABELS[KINDS[kind]])
        assert found.probabilities == pytest.approx(model.predict_proba_one(x))
    else:
        mixed = sum(vote.expert.weight * vote.vote for vote in found)
        assert math.isclose(mixed, model.predict_one(x))


def test_an_explanation_says_in_a_sentence_which_inputs_mattered():
    model, X, y = MOOEClassifier(), *alternating(400)
    for x, label in zip(X, y, strict=True):
        model.learn_one(x, label)
    found = model.explain_one({"a": 2.0, "noise": 0.1})
    assert found.inputs[0].column == "a"
    assert found.sentence.startswith("yes, with a probability of ")
    assert "a = 2 (+" in found.sentence


def alternating(n):
    """Return samples of which one feature tells the label."""
    rng = np.random.default_rng(0)
    X = [{"a": float(a), "noise": float(b)} for a, b in rng.normal(size=(n, 2))]
    return X, ["yes" if x["a"] > 0 else "no" for x in X]


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ("red", "river.preprocessing.OneHotEncoder makes numbers of texts"),
        (pd.Timestamp("2024-01-01"), "a date has to be told as numbers"),
    ],
)
def test_what_is_no_number_is_refused_with_what_makes_one_of_it(value, hint):
    model = MOOEClassifier()
    with pytest.raises(ValueError, match=f"feature 'colour' must be a finite number.*{hint}"):
        model.learn_one({"colour": value}, "a")


@each_kind
@pytest.mark.parametrize(
    "again",
    [
        copy.deepcopy,
        lambda model: pickle.loads(pickle.dumps(model)),
        lambda model: type(model).from_bytes(model.to_bytes()),
        lambda model: model.clone(include_attributes=True),
    ],
    ids=["deepcopy", "pickle", "bytes", "clone"],
)
def test_a_copy_goes_on_as_if_never_stopped(kind, again):
    X, y = rows_of(kind)
    model = empty(kind, seed=3, start="random")
    for x, label in zip(X[:55], y[:55], strict=True):
        model.learn_one(x, label)
    other = again(model)
    assert other.to_bytes() == model.to_bytes()
    assert repr(other) == repr(model)
    for x, label in zip(X[55:], y[55:], strict=True):
        assert other.predict_one(x) == model.predict_one(x)
        other.learn_one(x, label)
        model.learn_one(x, label)
    assert other.to_bytes() == model.to_bytes()


def test_a_model_file_is_of_one_class_and_of_every_dialect(tmp_path):
    model = taught("four classes")
    model.save(tmp_path / "model")
    assert PaperMOOEClassifier.load(tmp_path / "model").to_bytes() == model.to_bytes()
    for other in (PaperMOOERegressor, MOOEClassifier, estimators.MOOEClassifier):
        with pytest.raises(modelfile.ModelFileError, match="the model is a PaperMOOEClassifier"):
            other.load(tmp_path / "model")
    estimator = estimators.load(tmp_path / "model")
    X, _ = rows_of("four classes", seed=1)
    frame = pd.DataFrame(X)[NAMES]
    assert estimator.predict(frame).tolist() == [model.predict_one(x) for x in X]
    fresh = PaperMOOERegressor.from_bytes(PaperMOOERegressor(target_bounds=(0, 1)).to_bytes())
    assert (fresh.predict_one({"a": 1.0}), fresh.target_bounds) == (None, (0, 1))
    model.learn_one({("a", "pair"): 1.0}, "red")  # such as River's bag of words names two words
    assert ("a", "pair") in PaperMOOEClassifier.from_bytes(model.to_bytes()).model.columns


@pytest.mark.parametrize("name", [None, b"x", frozenset("a"), 1j, math.nan, ("a", None), 2**70])
def test_a_name_that_no_file_can_give_back_is_refused_when_it_is_met(name):
    fresh, known = MOOEClassifier(), MOOEClassifier()
    known.learn_one({"a": 1.0}, "red")
    before = known.to_bytes()
    for model in (fresh, known):
        with pytest.raises(ValueError, match="names of features must be text, finite numbers"):
            model.learn_one({"a": 1.0, name: 2.0}, "red")
    assert known.to_bytes() == before
    assert fresh.model.n_labelled == 0


@each_kind
@pytest.mark.parametrize("value", [math.nan, math.inf, 1e101, "1.5", None])
def test_a_bad_input_leaves_the_model_as_it_was(kind, value):
    _, y = rows_of(kind)
    for model in (empty(kind), taught(kind)):
        before = model.to_bytes()
        for x in ({"a": value}, {"a": 0.1, "b": value, "c": 1.0}, {"new": value, "a": 1.0}):
            for label in (y[0], None):
                with pytest.raises(ValueError, match=r"feature .* must be a finite number"):
                    model.learn_one(x, label)
            frame = pd.DataFrame([dict.fromkeys(x, 1.0), x])
            with pytest.raises(ValueError, match=r"feature .* must be a finite number"):
                model.learn_many(frame, y[:2])
        assert model.to_bytes() == before
    with pytest.raises(ValueError, match=r"feature 'b' must be a finite number"):
        model.predict_one({"a": 0.1, "b": value, "c": 1.0})


BAD_LABELS = {
    "regression": [math.nan, math.inf, "1.0", [1.0]],
    "two classes": [math.nan, "text", [1], (1, 2)],
    "four classes": [math.nan, 1, True, ["red"], b"red"],
}


@pytest.mark.parametrize(
    ("kind", "label"), [(kind, label) for kind, bad in BAD_LABELS.items() for label in bad]
)
def test_a_bad_label_leaves_the_model_as_it_was(kind, label):
    model = taught(kind)
    _, y = rows_of(kind)
    before = model.to_bytes()
    with pytest.raises(ValueError, match="y must be"):
        model.learn_one({"a": 1.0, "new": 1.0}, label)
    with pytest.raises(ValueError, match="y must be"):
        model.learn_many(pd.DataFrame({"new": [1.0, 2.0]}), [y[0], label])
    assert model.to_bytes() == before


@each_kind
def test_a_bad_weight_or_length_leaves_the_model_as_it_was(kind):
    model, frame = taught(kind), pd.DataFrame({"new": [1.0, 2.0]})
    y = rows_of(kind)[1][:2]
    before = model.to_bytes()
    for weight in (-1.0, math.nan, math.inf, "1", None):
        with pytest.raises(ValueError, match="w must be a finite number of at least 0"):
            model.learn_one({"a": 1.0}, y[0], weight)
        with pytest.raises(ValueError, match="w must be a finite number of at least 0"):
            model.learn_many(frame, y, [1.0, weight])
    with pytest.raises(ValueError, match="one value for each of the 2 rows, got 1"):
        model.learn_many(frame, y[:1])
    with pytest.raises(ValueError, match="one value for each of the 2 rows, got 3"):
        model.learn_many(frame, y, [1.0, 1.0, 1.0])
    assert model.to_bytes() == before


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"interval": 0}, "interval must be a whole number of at least 1, got 0"),
        ({"radius": -1.0}, "radius must be"),
        ({"seed": None}, "seed must be"),
        ({"interval": 2**31 - 1}, "interval must be at most 1000 where"),
    ],
)
def test_bad_parameters_are_refused_at_the_first_label(chosen, message):
    for model in (PaperMOOEClassifier(**chosen), PaperMOOERegressor(**chosen)):
        with pytest.raises(ValueError, match=message):
            model.learn_one({"a": 1.0}, 1)
        assert model.predict_one({"a": 1.0}) is None


@pytest.mark.parametrize(
    "model",
    [
        MOOEClassifier(without={"merge"}),
        PaperMOOEClassifier(interval=np.array(20), radius=np.longdouble(1.5)),
        PaperMOOERegressor(target_bounds=np.array([-100.0, 100.0])),
    ],
    ids=["set", "array", "bounds"],
)
def test_what_is_taken_as_a_parameter_can_be_saved(model):
    model = model.clone()
    for i in range(30):
        model.learn_one({"a": math.sin(i)}, i % 2)
    again = type(model).from_bytes(model.to_bytes())
    for one in (model, again):
        one.learn_one({"a": 0.5, "b": 1.0}, 1)
    assert again.to_bytes() == model.to_bytes()


def test_a_model_whose_parameters_were_changed_behind_its_back_is_saved_as_it_learnt():
    model = taught("two classes")
    model.interval = 7
    assert PaperMOOEClassifier.from_bytes(model.to_bytes()).interval == 10


def test_a_feature_that_would_make_the_state_too_large_leaves_the_model_as_it_was(monkeypatch):
    model = PaperMOOEClassifier(interval=2000)
    model.learn_one({"a": 1.0}, 0)
    before = model.to_bytes()
    monkeypatch.setattr(parameter_checks, "LARGEST_STATE", 20_000)
    with pytest.raises(ValueError, match=r"interval must be at most 1000 where .*, got 2000"):
        model.learn_one({"a": 1.0, "b": 1.0, "c": 2.0, "d": 3.0}, 1)
    assert model.to_bytes() == before
    model.learn_one({"a": 2.0}, 0)
    assert model.predict_one({"a": 1.0, "b": 1.0}) == 0


@pytest.mark.parametrize(
    "labels",
    [["a", "a\0"], [np.str_("a"), np.str_("a\0")], [-1, 2**63 + 1, 2**63], [0.0, 2**53 + 1, 2**53]],
    ids=["text", "numpy text", "whole", "floats"],
)
def test_labels_that_differ_are_different_classes(labels):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(len(labels), 2)) * 3.0, columns=["a", "b"])
    one, many = MOOEClassifier(), MOOEClassifier()
    for _ in range(40):
        many.learn_many(frame, labels)
        for x, label in zip(frame.to_dict("records"), labels, strict=True):
            one.learn_one(x, label)
    assert many.to_bytes() == one.to_bytes()
    for model in (one, MOOEClassifier.from_bytes(one.to_bytes())):
        assert [model.predict_one(x) for x in frame.to_dict("records")] == labels
        assert model.predict_many(frame).tolist() == labels
        assert model.predict_proba_many(frame).columns.tolist() == labels


def test_labels_that_are_equal_are_one_class():
    model = PaperMOOEClassifier()
    for label in (True, np.True_, 1, np.int64(1), 1.0, False, np.False_, 0):
        model.learn_one({"a": float(label)}, label)
    assert model.predict_proba_one({"a": 1.0}).keys() == {True, False}


def test_labels_beyond_the_bounds_are_counted_or_refused():
    model = empty("regression")
    for i in range(30):
        model.learn_one({"a": float(i)}, float(i))
    assert model.n_clipped == 20
    with pytest.raises(ValueError, match=r"y must be a number within \(0, 10\)"):
        PaperMOOERegressor(target_bounds=(0, 10)).learn_one({"a": 1.0}, 11.0)


def test_inputs_of_any_size_and_constant_columns_give_finite_answers():
    model = empty("regression")
    for i in range(40):
        model.learn_one(
            {"huge": 1e12 * (-1) ** i, "constant": 7.0, "tiny": 1e-12 * i}, float(i % 7)
        )
        assert math.isfinite(model.predict_one({"huge": 1e100, "constant": 1e100}))


def test_the_model_works_at_the_end_of_a_pipeline():
    model = compose.Select("age_of_domain", "is_popular", "long_url")
    model = model | preprocessing.StandardScaler() | PaperMOOEClassifier(interval=20)
    metric = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    assert metric.get() > 0.6
    frame = pd.DataFrame([x for x, _ in datasets.Phishing().take(50)])
    model.learn_many(frame, pd.Series([y for _, y in datasets.Phishing().take(50)]))
    assert len(model.predict_many(frame)) == 50
    assert set(model["PaperMOOEClassifier"].predict_proba_one({})) == {True, False}


def test_probabilities_serve_rivers_metrics():
    metric = metrics.ROCAUC()
    evaluate.progressive_val_score(datasets.Phishing(), PaperMOOEClassifier(), metric)
    assert metric.get() > 0.9
