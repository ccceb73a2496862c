"""The model: one holder behind every shell; what one saves, the others open."""

import copy
import math
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from mooe import (
    Model,
    ModelFileError,
    MOOEClassifier,
    MOOERegressor,
    PaperMOOEClassifier,
    PaperMOOERegressor,
    load,
    river_adapter,
)
from mooe.auto.params import AutoParams
from mooe.datasets import recurring
from mooe.named_rows import NamedRows
from mooe.paper.params import Params

COLUMNS = ["b", "a", "c"]
MODELS = {
    "default": AutoParams(interval=10),
    "paper": Params(interval=10, max_experts=4),
    "default regression": AutoParams(task="regression", interval=10),
    "paper regression": Params(task="regression", interval=10, max_experts=4),
}
each_params = pytest.mark.parametrize("params", MODELS.values(), ids=MODELS)


def rows(params, n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    if params.task == "regression":
        return X, X[:, 0] - X[:, 1]
    return X, np.array(["sun", "rain", "snow"], dtype=object)[
        (X @ np.random.default_rng(1).normal(size=(3, 3))).argmax(axis=1)
    ]


def numbers(model, y):
    return y.astype(float) if model.task == "regression" else model.labels.encode(y)


def taught(params, columns=COLUMNS, n=120):
    model = Model(params, columns)
    X, y = rows(params, n)
    model.learn(X, numbers(model, y))
    return model


@each_params
def test_rows_one_by_one_equal_one_chunk(params):
    X, y = rows(params)
    whole, single = Model(params), Model(params)
    scores = whole.learn(X, numbers(whole, y))
    labels = numbers(single, y)
    for i in range(len(X)):
        before = single.learn(X[i : i + 1], labels[i : i + 1])
        width = before.shape[1]
        if width == scores.shape[1]:
            np.testing.assert_array_equal(before[0], scores[i])
    assert whole.to_bytes() == single.to_bytes()


@each_params
def test_a_copy_learns_on_its_own(params):
    model = taught(params)
    before, (X, y) = model.to_bytes(), rows(params, seed=3)
    twins = [model.copy(), copy.deepcopy(model), pickle.loads(pickle.dumps(model))]
    files = set()
    for twin in twins:
        twin.learn(X, numbers(twin, y))
        files.add(twin.to_bytes())
    assert model.to_bytes() == before
    assert len(files) == 1


@each_params
def test_bytes_that_are_trusted_give_the_same_model(params):
    model = taught(params)
    quick = Model.from_bytes(model.to_bytes(), verify=False)
    assert quick.to_bytes() == model.to_bytes()
    X, y = rows(params, seed=3)
    for one in (model, quick):
        one.learn(X, numbers(one, y))
    assert quick.to_bytes() == model.to_bytes()


def answers_of_every_shell(path, X):
    """Return what each shell says of rows after it has loaded a file: as lists."""
    model = Model.load(path)
    frame = pd.DataFrame(X, columns=model.columns)
    estimator = load(path)
    dialect = getattr(river_adapter, type(estimator).__name__).load(path)
    samples = [dict(zip(model.columns, row, strict=True)) for row in X.tolist()]
    return {
        "model": model.predict(X),
        "estimator": estimator.predict(frame).tolist(),
        "river, one by one": [dialect.predict_one(x) for x in samples],
        "river, a frame": dialect.predict_many(frame).tolist(),
    }


def saved_by_every_shell(params, path):
    """Yield the name of a shell that has taught a model and saved it to the path."""
    X, y = rows(params)
    frame = pd.DataFrame(X, columns=COLUMNS)
    taught(params).save(path)
    yield "model"
    load(path).fit(frame, y).save(path)
    yield "estimator"
    dialect = getattr(river_adapter, type(load(path)).__name__)(interval=10)
    for x, label in zip(frame.to_dict("records"), y.tolist(), strict=True):
        dialect.learn_one(x, label)
    dialect.save(path)
    yield "river"


@each_params
def test_a_file_of_any_shell_opens_in_every_other_and_answers_the_same(params, tmp_path):
    X, y = rows(params, seed=5)
    for shell in saved_by_every_shell(params, tmp_path / "m"):
        answers = answers_of_every_shell(tmp_path / "m", X)
        assert all(said == answers["model"] for said in answers.values()), shell
        estimator = load(tmp_path / "m")
        estimator.partial_fit(pd.DataFrame(X, columns=COLUMNS), y)
        dialect = getattr(river_adapter, type(estimator).__name__).load(tmp_path / "m")
        dialect.learn_many(pd.DataFrame(X, columns=COLUMNS), pd.Series(y))
        assert dialect.to_bytes() == estimator.to_bytes()


@each_params
def test_an_array_without_names_is_taken_in_the_order_of_the_files_columns(params, tmp_path):
    taught(params).save(tmp_path / "m")
    estimator, (X, _) = load(tmp_path / "m"), rows(params, seed=5)
    by_name = estimator.predict(pd.DataFrame(X, columns=COLUMNS))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert estimator.predict(X).tolist() == by_name.tolist()


def test_rivers_columns_ahead_of_their_names_are_no_ones_concern(tmp_path):
    model, rng = river_adapter.MOOEClassifier(), np.random.default_rng(0)
    names = [f"w{j}" for j in range(400)]
    for i in range(60):
        words = rng.choice(names[: 150 + 3 * i], 12, replace=False)
        model.learn_one({str(word): 1.0 for word in words}, bool(i % 2))
    model.save(tmp_path / "m")
    again = Model.load(tmp_path / "m")
    assert again.state.n_features > again.width == len(again.columns)
    X = (rng.random((20, again.width)) < 0.05).astype(float)
    samples = [
        {name: 1.0 for name, value in zip(again.columns, row, strict=True) if value} for row in X
    ]
    expected = [model.predict_one(x) for x in samples]
    assert again.predict(X) == again.predict(sparse.csr_array(X)) == expected
    frame = pd.DataFrame(X, columns=again.columns)
    assert load(tmp_path / "m").predict(frame).tolist() == expected


@pytest.mark.parametrize("suits", [MOOEClassifier, MOOERegressor, PaperMOOEClassifier])
def test_a_model_of_another_kind_is_refused_by_name(suits, tmp_path):
    X, y = rows(AutoParams(), 30)
    suits().fit(X, X[:, 0] if suits is MOOERegressor else y).save(tmp_path / "m")
    for other in (MOOEClassifier, MOOERegressor, PaperMOOEClassifier, PaperMOOERegressor):
        if other is suits:
            assert isinstance(other.load(tmp_path / "m"), suits)
            continue
        message = f"m: the model is a {suits.__name__}, and {other.__name__} was to load it"
        with pytest.raises(ModelFileError, match=message):
            other.load(tmp_path / "m")


@each_params
def test_what_is_refused_leaves_the_model_as_it_was(params):
    model, (X, y) = taught(params), rows(params, 5)
    before = model.to_bytes()
    bad = X.copy()
    bad[3, 1] = np.inf
    for refused in (
        lambda: model.learn(bad, numbers(model, y)),
        lambda: model.learn(X[:, :2], numbers(model, y)),
        lambda: model.learn(X, numbers(model, y)[:3]),
        lambda: model.learn(X, numbers(model, y), np.ones(2)),
        lambda: model.learn(X, np.full(5, 1e101)),  # in a classification beyond all classes
        lambda: model.learn(X, numbers(model, y), np.array([1.0, 1.0, np.nan, 1.0, 1.0])),
        lambda: model.learn(X, numbers(model, y), np.full(5, -1.0)),
        lambda: model.learn(X, numbers(model, y), np.full(5, 1e300)),
        lambda: model.learn(X, numbers(model, y), known=np.full(5, np.inf)),
        lambda: model.scores(bad),
    ):
        with pytest.raises(ValueError, match="must"):
            refused()
        assert model.to_bytes() == before
    with pytest.raises(ValueError, match="must have learnt a row"):
        Model(params).scores(X)
    assert Model(params).predict(X) == [None] * 5


@pytest.mark.parametrize("number", [-1.0, -1e6, 0.5, 1e9])
def test_what_is_no_number_of_a_class_is_refused(number):
    model, (X, y) = taught(AutoParams()), rows(AutoParams(), 5)
    before, labels = model.to_bytes(), numbers(model, y)
    labels[2] = number
    message = r"y must be whole numbers of classes, .*, got .* in row 2"
    with pytest.raises(ValueError, match=message):
        model.learn(X, labels)
    assert model.to_bytes() == before


@each_params
def test_arrays_of_any_kind_teach_the_same(params):
    expected, (X, y) = taught(params), rows(params, 6, seed=3)
    X, labels = np.round(8 * X), numbers(expected, y)
    models = [expected.copy() for _ in range(4)]
    read_only = X.copy()
    read_only.flags.writeable = False
    kinds = (np.asfortranarray(X), X.astype(np.int64), X.astype(np.float32), read_only)
    expected.learn(X, labels, np.ones(6))
    for model, kind in zip(models, kinds, strict=True):
        model.learn(kind, np.repeat(labels, 2)[::2], np.ones(6, np.int64))
        assert model.to_bytes() == expected.to_bytes()


@each_params
@pytest.mark.parametrize("columns", [None, ["a", "b", "c"]])
def test_an_empty_model_saved_and_loaded_begins_as_one_that_was_never_saved(params, columns):
    fresh = Model(params, columns)
    again = Model.from_bytes(fresh.to_bytes())
    X, y = rows(params)
    for model in (fresh, again):
        model.learn(X, numbers(model, y))
    assert again.to_bytes() == fresh.to_bytes()


@each_params
def test_columns_that_came_without_a_name_are_named_by_their_number_in_a_file(params):
    model, (X, y) = taught(params), rows(params)
    model.learn(np.column_stack([X, X[:, 0]]), numbers(model, y))
    assert Model.from_bytes(model.to_bytes()).columns == [*COLUMNS, len(COLUMNS)]


def test_labels_that_were_numbered_and_not_learnt_are_no_obstacle_to_a_file():
    model = Model(AutoParams(), COLUMNS)
    model.labels.encode(np.array(["sun", "rain"]))
    assert Model.from_bytes(model.to_bytes()).n_labelled == 0


def test_a_model_without_labels_answers_with_the_numbers_of_its_classes():
    X, y = rows(AutoParams())
    named, numbered = taught(AutoParams()), Model(AutoParams(), COLUMNS)
    numbered.learn(X, named.labels.find(y.tolist()))
    assert numbered.predict(X) == named.labels.find(named.predict(X)).tolist()
    assert Model.from_bytes(numbered.to_bytes()).predict(X) == numbered.predict(X)


def test_an_estimator_that_met_rows_of_no_weight_goes_on_after_a_file():
    X, y = rows(AutoParams())
    model = MOOEClassifier().partial_fit(X, y, sample_weight=np.zeros(len(y)))
    again = MOOEClassifier.from_bytes(model.to_bytes())
    assert (again.n_intervals_, model.n_intervals_) == (0, 0)
    expected = model.partial_fit(X, y).to_bytes()
    assert again.partial_fit(X, y).to_bytes() == expected


@each_params
def test_rows_of_any_kind_are_answered(params):
    model, X = taught(params), np.round(rows(params)[0])
    for kind in (X.tolist(), X.astype(np.float32), X.astype(int), np.asfortranarray(X)):
        assert model.predict(kind) == model.predict(X)
        assert model.explain(kind[:1]) == model.explain(X[:1])


def test_the_row_path_is_told_what_was_known_at_the_answer():
    """A label that came late: the expert that repeats the last label knew an older one."""
    X, y = rows(AutoParams(), 60)
    known = np.full(60, np.nan)
    known[30::3] = 0.0
    known[31::3] = -np.inf
    whole = Model(AutoParams(interval=10), COLUMNS)
    labels = whole.labels.encode(y)
    whole.learn(X, labels, known=known)
    single = Model(AutoParams(interval=10), COLUMNS)
    single.labels.encode(y)
    single.learn(X[:1], labels[:1])
    named = NamedRows(single)
    silent = NamedRows(single.copy())
    for i in range(1, 60):
        x = dict(zip(COLUMNS, X[i].tolist(), strict=True))
        named.answer(x)
        named.learn(x, labels[i], 1.0, known[i])
        silent.learn(x, labels[i])
    assert single.state.block.tobytes() != silent.model.state.block.tobytes()
    assert single.to_bytes() == whole.to_bytes()


def test_columns_and_classes_that_come_later_are_learnt():
    X, y = rows(AutoParams())
    model = Model(AutoParams(interval=10), COLUMNS[:2])
    model.learn(X[:50, :2], model.labels.encode(y[:50]))
    model.grow_columns([*COLUMNS, "new"])
    assert model.columns == [*COLUMNS, "new"]
    wide = np.column_stack([X, X[:, 0]])
    model.learn(wide[50:], model.labels.encode(np.where(y[50:] == "sun", "fog", y[50:])))
    assert model.labels.names[-1] == "fog"
    assert model.state.n_features == 4


def test_it_tells_where_it_is_and_when_it_was_here_before():
    stream = recurring(n=4000, length=250)
    model = MOOEClassifier().fit(stream.X, stream.y)
    concept = next(one for one in model.concepts_ if one.in_charge)
    since = concept.visits[-1][0]
    for shown in (repr(model), repr(model.model_), model._repr_html_()):
        assert "4,000" in shown
        assert f"{concept.name}, since row {since:,}" in shown
        assert "{:,}-{:,}".format(*concept.visits[-2]) in shown
    assert "classes: 2 (0, 1)" in repr(model)
    assert repr(MOOEClassifier()) == "MOOEClassifier()"
    assert "<table>" in model._repr_mimebundle_()["text/html"]
    young = MOOEClassifier().fit(
        stream.X[:20], ["<b>" if label else "a" for label in stream.y[:20]]
    )
    assert "&lt;b&gt;" in young._repr_html_()
    assert "regimes known: 0" in repr(young)
    shell = river_adapter.MOOEClassifier()
    assert "rows learnt" in shell._repr_html_()
    shell.learn_one({"a": 1.0}, "x")
    assert "rows learnt: 1; columns: 1 (a); classes: 1 ('x')" in repr(shell)


def test_only_the_default_model_takes_experts():
    with pytest.raises(ValueError, match="to the default model only"):
        Model(Params()).add_expert(object(), "x")
    assert math.isnan(Model(AutoParams()).labels.find(["x"])[0])


def test_rows_of_a_model_with_room_may_have_new_columns_where_they_are_learnt_only():
    model = Model(AutoParams(), ["a"])
    model.learn(np.array([[0.0], [1.0]]), np.array([0.0, 1.0]))
    model.grow_columns(["b"], room=9)
    X = np.array([[1.0, 2.0, 3.0]])
    other = model.copy()
    other.grow_columns(["c"])
    assert np.array_equal(model.learn(X, np.array([1.0])), other.learn(X, np.array([1.0])))
    for wrong in (X[:, :1], np.ones((1, 4))):
        with pytest.raises(ValueError, match=r"must have the shape"):
            model.scores(wrong)


def test_it_knows_which_columns_are_indicators_of_one():
    model = Model(AutoParams(), ["size", "red", "blue"], [None, "colour", "colour"])
    X = np.array([[1.0, 1.0, 0.0], [2.0, 0.0, 1.0]] * 20)
    model.learn(X, np.array([0.0, 1.0] * 20))
    model.grow_columns(["red", "oslo", "green"], groups=["other", "town", "colour"])
    assert model.columns == ["size", "red", "blue", "oslo", "green"]
    assert model.groups == [None, "colour", "colour", "town", "colour"]
    for other in (model, model.copy(), Model.from_bytes(model.to_bytes())):
        other.grow_columns(["rome"], groups=["town"])
        assert other.groups == [None, "colour", "colour", "town", "colour", "town"]
        groups = other.engine.column_groups(other.params, other.state)
        assert groups.tolist() == [0.0, 1.0, 1.0, 2.0, 1.0, 2.0]
        assert other.to_bytes() == model.to_bytes()


def test_columns_without_a_word_on_groups_have_none_and_keep_none():
    model = Model(AutoParams())
    model.learn(np.eye(3), np.array([0.0, 1.0, 0.0]))
    model.grow_groups(["a", "a", "a", "a", None, "a"])
    model.learn(np.eye(6), np.array([0.0, 1.0] * 3))
    assert model.groups == [None, None, None, "a", None, "a"]
    assert Model.from_bytes(model.to_bytes()).groups == model.groups
    roomy = Model(AutoParams(), ["a"])
    roomy.learn(np.ones((2, 1)), np.array([0.0, 1.0]))
    roomy.grow_columns(["b"], room=9)
    roomy.grow_columns(["c"], groups=["of"])  # its place was taken before anybody said so
    assert Model.from_bytes(roomy.to_bytes()).columns[:3] == ["a", "b", "c"]


@pytest.mark.parametrize("params", [AutoParams(), Params()])
def test_a_model_before_its_first_row_and_the_papers_keep_groups_too(params):
    model = Model(params, ["size", ("a", 1)], [None, ("a", 2)])
    again = Model.from_bytes(model.to_bytes())
    assert (again.columns, again.groups) == (model.columns, model.groups)
    again.learn(np.eye(2), np.array([0.0, 1.0]))
    assert Model.from_bytes(again.to_bytes()).groups == model.groups
    wide = Model(AutoParams(), groups=["a"] * 200)
    wide.learn(np.eye(200), np.arange(200) % 2.0)
    assert Model.from_bytes(wide.to_bytes()).groups == ["a"] * 200


OLD = [
    f"format{k}-{name}" for k in (2, 3) for name in ("binary", "classifier", "regressor", "wide")
]


@pytest.mark.parametrize("name", [*OLD, "format3-added"])
def test_a_model_of_before_gains_what_came_since_when_it_is_asked_to(name):
    blob = (Path(__file__).parent / "golden" / f"{name}.mooe").read_bytes()
    before, after = Model.from_bytes(blob), Model.from_bytes(blob)
    after.upgrade()
    assert {"forest", "leaves", "neighbours", "calibration"} <= set(before.params.without)
    assert not {"forest", "leaves", "neighbours", "calibration"} & set(after.params.without)
    names = [{expert.name for expert in model.experts()} for model in (before, after)]
    gained = set() if name.endswith("wide") else {"forest", "leaves"}
    gained |= {"autoregression"} if after.task == "classification" else set()
    assert names[1] - names[0] == gained
    assert sum(expert.weight for expert in after.experts()) == pytest.approx(1.0)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, after.width))
    y = X[:, 0] if after.task == "regression" else np.where(X[:, 0] * X[:, 1] > 0.0, 1.0, 0.0)
    again = Model.from_bytes(after.to_bytes())
    whole, single = after.learn(X, y), [again.learn(X[i : i + 1], y[i : i + 1]) for i in range(300)]
    np.testing.assert_array_equal(np.concatenate(single), whole)
    assert again.to_bytes() == after.to_bytes()
    assert np.isfinite(whole).all()
    if not name.endswith("wide"):
        assert after.state.leaves_used > 20
        assert after.state.ring_rows == 300


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_a_model_that_has_all_parts_is_upgraded_to_itself(task):
    model = Model(AutoParams(task))
    X = np.random.default_rng(0).normal(size=(200, 3))
    model.learn(X, (X[:, 0] > 0.0).astype(float) if task == "classification" else X[:, 0])
    blob = model.to_bytes()
    model.upgrade()
    assert model.to_bytes() == blob


def test_shells_of_a_model_of_before_gain_what_came_since():
    path = Path(__file__).parent / "golden" / "format3-binary.mooe"
    river = river_adapter.MOOEClassifier.load(path).upgrade()
    estimator = load(path).upgrade()
    assert estimator.without is river.without is None
    river.learn_one({0: 0.1, 1: 0.2, 2: 0.3}, True)
    estimator.partial_fit([[0.1, 0.2, 0.3]], [True])
    assert river.model.state.block.tobytes() == estimator.model_.state.block.tobytes()
    assert {"forest", "leaves"} < {expert.name for expert in river.experts}
    paper = Model.load(path.with_name("format3-paper-classifier.mooe"))
    blob = paper.to_bytes()
    paper.upgrade()
    assert paper.to_bytes() == blob


def test_a_class_beyond_the_labels_is_refused_and_numbers_alone_have_probabilities():
    X = np.arange(6.0).reshape(3, 2)
    model = Model(AutoParams())
    model.learn(X, model.labels.encode(np.array(["b", "a", "b"])))
    before = model.to_bytes()
    with pytest.raises(ValueError, match=r"y must be whole numbers of classes, from 0 to below 2"):
        model.learn(X[:1], np.array([2.0]))
    assert model.to_bytes() == before
    nameless = Model(AutoParams())
    nameless.learn(X, np.array([0.0, 1.0, 2.0]))
    shares = nameless.predict_proba(X)
    assert shares.shape == (3, 3)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
