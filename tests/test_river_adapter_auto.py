"""The default model in River's dialect: the core seen through dicts, narrow and wide."""

import copy
import json
import math
import pickle
import random
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from made_streams import stream
from river import datasets, evaluate, metrics

from mooe import estimators, modelfile
from mooe.auto import core
from mooe.auto.inputs import NARROW
from mooe.auto.params import AutoParams
from mooe.auto.roster import EXPERTS
from mooe.numerics.scores import answers
from mooe.river_adapter import MOOEClassifier, MOOERegressor

NAMES = ["a", "b", "c"]


def file_of(params, state):
    return modelfile.to_bytes(modelfile.Contents(params, state))


KINDS = {"regression": 0, "two classes": 2, "four classes": 4}
each_kind = pytest.mark.parametrize("kind", KINDS)


def rows_of(kind, n=150, seed=0, **chosen):
    """Return samples as dicts, without what is absent, and labels; the first sample is whole."""
    data = stream(np.random.default_rng(seed), n=n, n_classes=KINDS[kind], **chosen)
    data.X[0] = 0.5
    X = [
        {name: value for name, value in zip(NAMES, row, strict=True) if value == value}
        for row in data.X.tolist()
    ]
    return X, data.y.tolist() if KINDS[kind] == 0 else data.y.astype(int).tolist(), data


def empty(kind, **chosen):
    made = MOOEClassifier if KINDS[kind] else MOOERegressor
    return made(**{"interval": 10, **chosen})


def taught(kind, X, y):
    model = empty(kind)
    for x, label in zip(X, y, strict=True):
        model.learn_one(x, label)
    return model


def bags(n=200, vocabulary=3000, length=12, seed=0):
    """Return bags of words that bring new words all along, and labels."""
    rng = random.Random(seed)
    X, y = [], []
    for i in range(n):
        label = rng.random() < 0.5
        words = rng.choices(range(min(vocabulary, 60 + 15 * i)), k=length)
        X.append({f"w{w}": 1.0 for w in words} | {("good" if label else "bad"): 1.0})
        y.append(label)
    return X, y


@each_kind
@pytest.mark.parametrize("absent", [0.0, 0.3])
def test_one_by_one_is_the_core(kind, absent):
    X, y, data = rows_of(kind, absent=absent)
    model = empty(kind)
    params = AutoParams(task=model._task, interval=10)
    state = core.init(params, 3)
    scores = core.predict_then_learn(params, state, data.X, data.y)
    expected = answers(params, scores)
    for i, (x, label) in enumerate(zip(X, y, strict=True)):
        if i:
            assert model.predict_one(x) == (expected[i] if KINDS[kind] == 0 else int(expected[i]))
        model.learn_one(x, label)
    assert file_of(model.model.params, model.model.state) == file_of(params, state)


@each_kind
def test_the_order_of_features_does_not_matter(kind):
    X, y, _ = rows_of(kind, absent=0.1)
    rng = random.Random(1)
    shuffled = [{name: x[name] for name in rng.sample([*x], len(x))} for x in X]
    shuffled[0] = {name: X[0][name] for name in "cab"}
    one, other = empty(kind), empty(kind)
    for a, b, label in zip(X, shuffled, y, strict=True):
        given, found = one.predict_one(a), other.predict_one(b)
        alike = KINDS[kind] == 0 and found is not None
        assert given == (pytest.approx(found, rel=1e-6) if alike else found)
        one.learn_one(a, label)
        other.learn_one(b, label)
    assert other.weights == pytest.approx(one.weights, rel=1e-6)


@each_kind
@pytest.mark.parametrize("number", [int, np.int64, float])
def test_numbers_as_names_are_the_columns_of_an_array_also_beyond_ten(kind, number):
    data = stream(np.random.default_rng(0), n=150, d=16, n_classes=KINDS[kind])
    labels = data.y.tolist() if KINDS[kind] == 0 else data.y.astype(int).tolist()
    backwards = [number(j) for j in reversed(range(16))]
    for names in ([*reversed(backwards)], backwards):
        model = empty(kind)
        params = AutoParams(task=model._task, interval=10)
        state = core.init(params, 16)
        expected = answers(params, core.predict_then_learn(params, state, data.X, data.y))
        for i, label in enumerate(labels):
            x = {name: data.X[i, int(name)].item() for name in names}
            if i:
                answer = model.predict_one(x)
                assert answer == pytest.approx(expected[i], rel=1e-6), (i, names)
            model.learn_one(x, label)


def test_a_saved_model_keeps_the_order_in_which_its_columns_were_drawn():
    data = stream(np.random.default_rng(0), n=100, d=16, n_classes=2)
    rows = [(dict(enumerate(x)), int(y)) for x, y in zip(data.X.tolist(), data.y, strict=True)]
    model = empty("two classes")
    for x, label in rows[:50]:
        model.learn_one(x, label)
    loaded = MOOEClassifier.from_bytes(model.to_bytes())
    for x, label in rows[50:]:
        assert loaded.predict_proba_one(x) == model.predict_proba_one(x)
        model.learn_one(x, label)
        loaded.learn_one(x, label)
    assert loaded.to_bytes() == model.to_bytes()


def test_names_of_both_kinds_have_an_order_too():
    data = stream(np.random.default_rng(0), n=60, d=4, n_classes=2)
    answers = []
    for names in ([2, 10, "a", "b"], ["b", 10, "a", 2]):
        model = empty("two classes")
        for row, label in zip(data.X.tolist(), data.y.tolist(), strict=True):
            whole = dict(zip((2, 10, "a", "b"), row, strict=True))
            model.learn_one({name: whole[name] for name in names}, int(label))
        answers.append([model.predict_one({2: v, "a": -v}) for v in (-1.0, 0.5, 2.0)])
        answers.append(model.weights)
    assert answers[0] == answers[2]
    assert answers[1] == pytest.approx(answers[3], rel=1e-6)


@each_kind
def test_features_may_be_missing_and_new(kind):
    X, y, _ = rows_of(kind, absent=0.5)
    model = taught(kind, X, y)
    before = model.to_bytes()
    for x in ({}, {"unknown": 3.0}, {"a": 1.0, "unknown": 2.0}):
        assert model.predict_one(x) == model.predict_one({k: v for k, v in x.items() if k in NAMES})
    assert model.to_bytes() == before
    model.learn_one({"a": 1.0, "new": 2.0}, y[0])
    assert model._rows.names == [*NAMES, "new"]
    assert model.predict_one({"new": 1.0, "b": 0.1}) is not None


def test_a_feature_that_comes_late_is_learnt():
    rng = random.Random(0)
    model = MOOEClassifier()
    hits = 0
    for i in range(3000):
        late = rng.gauss(0, 1)
        x = {"a": rng.gauss(0, 1)} | ({"late": late} if i >= 1000 else {})
        hits += i >= 1500 and model.predict_one(x) == (late > 0)
        model.learn_one(x, late > 0)
    assert hits / 1500 > 0.9


@each_kind
def test_it_grows_into_the_wide_form_as_the_core_does(kind):
    X, y, data = rows_of(kind, n=60)
    model = empty(kind)
    params = AutoParams(task=model._task, interval=10)
    state = core.init(params, 3)
    for x, label in zip(X, y, strict=True):
        model.learn_one(x, label)
    core.predict_then_learn(params, state, data.X, data.y)
    assert not model._rows.wide
    new = {f"n{j}": 1.0 + j for j in range(NARROW)}
    model.learn_one({**X[0], **new}, y[0])
    assert model._rows.wide
    core.grow_inputs(params, state, 3 + NARROW)
    row = np.array([[*X[0].values(), *new.values()]])
    core.predict_then_learn(params, state, row, data.y[:1])
    assert file_of(model.model.params, model.model.state) == file_of(params, state)
    rows = model._rows
    for x in (X[3], {"n5": 2.0}, {}, {"unknown": 1.0}):
        placed = [x.get(name, 0.0) for name in rows.names]
        scores = core.predict(params, state, np.array([placed]))
        number = model.predict_one(x)
        assert number == (scores[0, 0] if KINDS[kind] == 0 else answers(params, scores)[0])
    assert {one.name for one in model.experts} < set(EXPERTS)


def test_bags_with_thousands_of_words_are_learnt():
    X, y = bags(600)
    model, hits = MOOEClassifier(), 0
    for i, (x, label) in enumerate(zip(X, y, strict=True)):
        hits += i >= 100 and model.predict_one(x) == label
        model.learn_one(x, label)
    assert hits / 500 > 0.97
    assert len(model._rows.names) > 2000
    assert sum(model.predict_proba_one(X[0]).values()) == pytest.approx(1.0)
    votes = model.explain_one({"good": 1.0, "never met": 5.0})
    assert [vote.expert.weight for vote in votes] == model.weights
    assert {vote.vote for vote in votes} <= {False, True}
    assert {effect.column for effect in votes.inputs} <= {"good"}


def test_one_dict_with_thousands_of_keys_is_enough_to_begin():
    x = {f"k{j}": float(j % 7) for j in range(5000)}
    model = MOOEClassifier()
    model.learn_one(x, "a")
    model.learn_one({name: -value for name, value in x.items()}, "b")
    assert model._rows.wide
    assert model.predict_one(x) in ("a", "b")


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
@pytest.mark.parametrize("kind", [*KINDS, "words"])
def test_a_copy_goes_on_as_if_never_stopped(kind, again):
    X, y = bags(120) if kind == "words" else rows_of(kind, absent=0.2)[:2]
    model = MOOEClassifier() if kind == "words" else empty(kind, seed=3)
    for x, label in zip(X[:70], y[:70], strict=True):
        model.learn_one(x, label)
    other = again(model)
    assert other.to_bytes() == model.to_bytes()
    for x, label in zip(X[70:], y[70:], strict=True):
        assert other.predict_one(x) == model.predict_one(x)
        other.learn_one(x, label)
        model.learn_one(x, label)
    assert other.to_bytes() == model.to_bytes()
    assert other.concepts == model.concepts


def test_a_new_process_goes_on_as_if_never_stopped(tmp_path):
    X, y = bags(120)
    model, path = MOOEClassifier(), tmp_path / "model.mooe"
    for x, label in zip(X[:70], y[:70], strict=True):
        model.learn_one(x, label)
    model.save(path)
    script = (
        "import json, sys\n"
        "from mooe.river_adapter import MOOEClassifier\n"
        "model = MOOEClassifier.load(sys.argv[1])\n"
        "for x, y in json.load(sys.stdin):\n"
        "    model.learn_one(x, y)\n"
        "model.save(sys.argv[1])\n"
    )
    rest = json.dumps([*zip(X[70:], y[70:], strict=True)])
    subprocess.run([sys.executable, "-c", script, path], input=rest, text=True, check=True)
    for x, label in zip(X[70:], y[70:], strict=True):
        model.learn_one(x, label)
    assert path.read_bytes() == model.to_bytes()


@each_kind
def test_learn_many_is_a_loop_of_learn_one_and_so_is_predict_many(kind):
    X, y, _ = rows_of(kind)
    one, many = empty(kind), empty(kind)
    for first, last in ((0, 7), (7, 60), (60, 150)):
        many.learn_many(pd.DataFrame(X[first:last]), pd.Series(y[first:last]))
        for x, label in zip(X[first:last], y[first:last], strict=True):
            one.learn_one(x, label)
        assert one.to_bytes() == many.to_bytes()
    frame = pd.DataFrame(X)[["c", "a"]]
    expected = [one.predict_one({"c": x["c"], "a": x["a"]}) for x in X]
    assert many.predict_many(frame).tolist() == expected


def test_wide_frames_are_learnt_as_their_rows():
    rng = np.random.default_rng(0)
    columns = [f"c{j}" for j in range(NARROW + 10)]
    X = np.where(rng.random((80, len(columns))) < 0.9, 0.0, 1.0)
    y = (X[:, 0] > 0).tolist()
    one, many = MOOEClassifier(), MOOEClassifier()
    many.learn_many(pd.DataFrame(X, columns=columns), pd.Series(y))
    for row, label in zip(X.tolist(), y, strict=True):
        one.learn_one(dict(zip(columns, row, strict=True)), label)
    assert one.to_bytes() == many.to_bytes()
    frame = pd.DataFrame(X, columns=columns)
    expected = [one.predict_one(x) for x in frame.to_dict("records")]
    assert many.predict_many(frame).tolist() == expected


@each_kind
def test_weights_and_missing_labels_are_those_of_the_core(kind):
    data = stream(np.random.default_rng(4), 90, 3, KINDS[kind], weighted=True, unlabelled=0.1)
    model = empty(kind)
    params = AutoParams(task=model._task, interval=10)
    state = core.init(params, 3)
    core.predict_then_learn(params, state, data.X, data.y, data.weights)
    for row, y, w in zip(data.X.tolist(), data.y.tolist(), data.weights.tolist(), strict=True):
        x = dict(zip(NAMES, row, strict=True))
        model.learn_one(x, None if math.isnan(y) else y, w)
    assert file_of(model.model.params, model.model.state) == file_of(params, state)


@each_kind
def test_nan_counts_as_a_feature_that_was_left_out(kind):
    X, y = rows_of(kind)[:2]
    left_out, given = empty(kind), empty(kind)
    for i, (x, label) in enumerate(zip(X, y, strict=True)):
        gap = NAMES[i % 3] if i % 4 == 1 else None
        short = {name: value for name, value in x.items() if name != gap}
        long = {name: math.nan if name == gap else value for name, value in x.items()}
        assert left_out.predict_one(short) == given.predict_one(long)
        left_out.learn_one(short, label)
        given.learn_one(long, label)
    assert left_out.to_bytes() == given.to_bytes()
    frame = pd.DataFrame([{**X[0], NAMES[0]: math.nan}])
    left_out.learn_many(frame, y[:1])
    given.learn_one({**X[0], NAMES[0]: math.nan}, y[0])
    assert left_out.to_bytes() == given.to_bytes()


@pytest.mark.parametrize("value", [-math.inf, math.inf, 1e101, "1.5", None])
@pytest.mark.parametrize("kind", [*KINDS, "words"])
def test_a_bad_input_leaves_the_model_as_it_was(kind, value):
    X, y = bags(60) if kind == "words" else rows_of(kind)[:2]
    model = MOOEClassifier() if kind == "words" else empty(kind)
    for x, label in zip(X, y, strict=True):
        model.learn_one(x, label)
    before, known = model.to_bytes(), model._rows.names[0]
    for x in ({known: value}, {**X[0], "new": value}, {"new": 1.0, known: value}):
        with pytest.raises(ValueError, match=r"feature .* must be a finite number"):
            model.learn_one(x, y[0])
    with pytest.raises(ValueError, match=r"feature .* must be a finite number"):
        model.predict_one({known: value})
    assert model.to_bytes() == before


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"interval": 1}, "interval must be a whole number of at least 2, got 1"),
        ({"without": ("magic",)}, "without must be one of"),
    ],
)
def test_bad_parameters_are_refused(chosen, message):
    for model in (MOOEClassifier(**chosen), MOOERegressor(**chosen)):
        with pytest.raises(ValueError, match=message):
            model.learn_one({"a": 1.0}, 1)
        assert model.predict_one({"a": 1.0}) is None


def test_river_and_scikit_learn_users_get_the_same_answers():
    X, y, data = rows_of("four classes")
    model = taught("four classes", X, y)
    other = estimators.MOOEClassifier(interval=10).partial_fit(data.X, np.array(y))
    assert model.predict_many(pd.DataFrame(X)).tolist() == other.predict(data.X).tolist()
    assert model.weights == other.weights_.tolist()
    assert model.experts == other.experts_
    assert model.concepts == other.concepts_
    assert model.regime == other.regime_


def test_regimes_are_told():
    rng = np.random.default_rng(0)
    model = MOOEClassifier()
    assert model.concepts == []
    assert model.regime is None
    for i in range(2000):
        x = dict(zip(NAMES, rng.normal(size=3).tolist(), strict=True))
        model.learn_one(x, (x["a"] > 0) != (i // 400 % 2 == 1))
    assert len(model.concepts) == 2
    assert model.regime in {one.name for one in model.concepts}


def test_it_serves_rivers_evaluation():
    metric = metrics.ROCAUC()
    evaluate.progressive_val_score(datasets.Phishing(), MOOEClassifier(), metric)
    assert metric.get() > 0.94


NARROW_NAMES = list("abc")


@pytest.mark.parametrize(
    ("what", "value"),
    [
        ("columns", [f"x{k}" for k in range(20_000)]),
        ("columns", NARROW_NAMES[:2]),
        ("columns", ["a", "b", "a"]),
        ("columns", ["a", "b", {"c": 1}]),
        ("columns", "abc"),
        ("labels", ["x", "y", "z"]),
        ("labels", ["x", "x"]),
        ("labels", ["x", None]),
        ("labels", [math.nan, 1.0]),
        ("labels", ["x", 1]),
        ("labels", None),
        ("notes", 5),
        ("added", {"x": b"y"}),
    ],
)
@pytest.mark.parametrize("wide", [False, True])
def test_a_forged_file_is_refused(what, value, wide):
    if wide and what == "columns" and value == NARROW_NAMES[:2]:
        pytest.skip("wide models have columns ahead of their names")
    model, rng = MOOEClassifier(interval=10), np.random.default_rng(0)
    names = [f"w{k}" for k in range(150)] if wide else NARROW_NAMES
    for i in range(40):
        model.learn_one(
            dict(zip(names, rng.normal(size=len(names)).tolist(), strict=True)), "xy"[i % 2]
        )
    contents = modelfile.from_bytes(model.to_bytes())
    assert modelfile.to_bytes(contents) == model.to_bytes()
    setattr(contents, what, value)
    with pytest.raises((modelfile.ModelFileError, ValueError)):
        MOOEClassifier.from_bytes(modelfile.to_bytes(contents))
