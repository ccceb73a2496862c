"""Samples as dicts: the same model as from arrays, whatever the order and presence of features."""

import copy
import math
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from made_streams import kept, stream

from mooe.model import Model
from mooe.named_rows import (
    NamedRows,
    checked_label,
    checked_target,
    checked_values,
    checked_weight,
    frame_values,
)
from mooe.numerics.scores import answers
from mooe.paper import core
from mooe.paper.core import Params

KINDS = {"regression": 0, "two classes": 2, "four classes": 4}
NAMES = ["a", 1, ("b", "c")]  # any hashable


def sample(row, names=NAMES):
    """Return a row as a dict, without what is absent."""
    return {name: value for name, value in zip(names, row.tolist(), strict=True) if value == value}


def empty(kind, names=NAMES, **chosen):
    task = "classification" if KINDS[kind] else "regression"
    params = Params(task=task, interval=7, max_experts=4, **chosen)
    return NamedRows(Model(params, names))


def taught(kind="two classes", n=40):
    rows, data = empty(kind), stream(np.random.default_rng(0), n=n, n_classes=KINDS[kind])
    for x, y in zip(data.X, data.y, strict=True):
        rows.learn(sample(x), y)
    return rows


def memory(rows):
    return kept(rows.params, rows.model.state) | {"names": rows.names}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("absent", [0.0, 0.3])
@pytest.mark.parametrize("weighted", [False, True])
def test_dicts_one_by_one_teach_the_same_model_as_an_array(kind, absent, weighted):
    rng = np.random.default_rng(1)
    data = stream(rng, n=150, n_classes=KINDS[kind], absent=absent, weighted=weighted)
    rows, array = empty(kind), empty(kind)
    scores = core.predict_then_learn(array.params, array.model.state, data.X, data.y, data.weights)
    for i, (x, y, w) in enumerate(zip(data.X, data.y, data.weights, strict=True)):
        if i % 3:
            number, given = rows.answer(sample(x)), rows.scores.copy()
            if len(given) == scores.shape[1]:
                np.testing.assert_array_equal(given, scores[i])
            if KINDS[kind] and i > 50:
                assert number == answers(rows.params, given[None])[0]
        assert rows.learn(sample(x), y, w) == (w > 0)
    assert memory(rows) == memory(array)


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_changes_nothing(kind):
    rows = taught(kind)
    before = memory(rows)
    for x in ({"a": 1.0}, {}, {"a": 1.0, 1: 2.0, ("b", "c"): 3.0}, {"unknown": 1.0}):
        rows.answer(x)
        with pytest.raises(ValueError, match="feature"):
            rows.answer({"a": math.nan})
    assert memory(rows) == before


def test_the_order_of_features_is_of_no_account():
    rng, data = np.random.default_rng(2), stream(np.random.default_rng(3), n=60)
    rows, shuffled = empty("two classes"), empty("two classes")
    for x, y in zip(data.X, data.y, strict=True):
        one = sample(x)
        other = {name: one[name] for name in [NAMES[j] for j in rng.permutation(3)]}
        assert rows.answer(one) == shuffled.answer(other)
        rows.learn(one, y)
        shuffled.learn(other, y)
    assert memory(rows) == memory(shuffled)


def test_a_new_feature_grows_the_model_when_it_is_learnt_and_not_before():
    rows, grown = taught(), taught()
    x = {"new": 5.0, "a": 1.0}
    rows.answer(x)
    assert rows.names == NAMES
    rows.learn(x, 1.0)
    core.grow_inputs(grown.params, grown.model.state, 4)
    row = np.array([[1.0, math.nan, math.nan, 5.0]])
    core.predict_then_learn(grown.params, grown.model.state, row, np.ones(1))
    assert rows.names == [*NAMES, "new"]
    assert kept(rows.params, rows.model.state) == kept(grown.params, grown.model.state)


@pytest.mark.parametrize("changed", [{"a": 9.0}, {"a": 9.0, 1: 0.5, ("b", "c"): 0.5}])
def test_what_was_predicted_last_is_not_mistaken_for_what_is_learnt(changed):
    rows, other = taught(), taught()
    x = {"a": 0.1, 1: 0.2, ("b", "c"): 0.3}
    rows.answer(x)
    x.update(changed)
    rows.learn(x, 1.0)
    other.learn(x, 1.0)
    assert memory(rows) == memory(other)
    rows.answer({"a": 0.5, 1: 0.2, ("b", "c"): 0.3})
    with pytest.raises(ValueError, match="feature 1 must"):
        rows.answer({"a": 0.5, 1: "0.2", ("b", "c"): 0.3})
    with pytest.raises(ValueError, match="feature 1 must"):
        rows.learn({"a": 0.5, 1: "0.2", ("b", "c"): 0.3}, 1.0)
    renamed = {"a": 0.5, 1: 0.2, "new": 0.3}
    rows.learn(renamed, 0.0)
    other.learn(renamed, 0.0)
    assert memory(rows) == memory(other)


@pytest.mark.parametrize(
    "value",
    [math.nan, math.inf, -math.inf, 1.1e100, -1e200, 10**400, "1.5", "", None, [1.0], 1j, pd.NA],
)
@pytest.mark.parametrize("names", [NAMES, NAMES[::-1], NAMES[:1], [*NAMES, "new"]])
@pytest.mark.parametrize("weight", [1.0, 0.5, 0.0])
def test_a_value_that_is_no_usable_number_is_refused_by_name(value, names, weight):
    rows = taught()
    before = memory(rows)
    for name in names:
        x = dict.fromkeys(names, 0.5) | {name: value}
        with pytest.raises(ValueError, match=r"feature .* must be a finite number") as raised:
            rows.learn(x, 1.0, weight)
        assert repr(name) in str(raised.value)
        assert repr(value) in str(raised.value)
        if name != "new":
            with pytest.raises(ValueError, match=r"feature .* must be a finite number"):
                rows.answer(x)
        assert memory(rows) == before


@pytest.mark.parametrize("value", [True, np.True_, 1, np.int8(1), np.float32(1.0), Decimal(1)])
def test_every_kind_of_number_is_one(value):
    rows, other = taught(), taught()
    for names in (NAMES, NAMES[:2]):
        rows.learn(dict.fromkeys(names, value), 1.0)
        other.learn(dict.fromkeys(names, 1.0), 1.0)
    assert rows.answer({"a": Fraction(1, 2)}) == other.answer({"a": 0.5})
    assert memory(rows) == memory(other)


def test_inputs_that_are_too_long_are_refused_unless_they_are_scaled():
    rows = empty("two classes", scale=False, input_bound=1.0)
    good, bad = {"a": 0.6, 1: 0.7, ("b", "c"): 0.1}, {"a": 0.8, 1: 0.7, ("b", "c"): 0.1}
    rows.learn(good, 0.0)
    before = memory(rows)
    for x in (bad, dict(reversed(bad.items())), {"a": 1.5}, bad | {"new": 0.1}):
        for refused in (lambda x=x: rows.learn(x, 0.0), lambda x=x: rows.answer(x)):
            with pytest.raises(ValueError, match="norm of at most input_bound = 1"):
                refused()
    assert memory(rows) == before
    rows.answer(good | {"unknown": 100.0})


@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda rows: pickle.loads(pickle.dumps(rows))]
)
def test_a_copy_goes_on_alike_and_alone(duplicate):
    rows = taught()
    other, x = duplicate(rows), {"a": 0.3, 1: 0.1}
    before = memory(rows)
    other.learn(x, 1.0)
    assert memory(rows) == before
    rows.learn(x, 1.0)
    assert memory(rows) == memory(other)


def test_a_model_without_features_learns():
    rows = empty("two classes", names=[])
    for label in (0.0, 0.0, 1.0):
        rows.learn({}, label)
    assert rows.answer({}) == 0
    rows.learn({"a": 1.0}, 1.0)
    assert rows.names == ["a"]


def test_frames_of_any_type_of_number_are_read():
    frame = pd.DataFrame(
        {
            "float": np.array([0.5, 1.5], dtype=np.float32),
            "int": [1, 2],
            "bool": [True, False],
            "nullable": pd.array([3, 4], dtype="Int64"),
            "object": pd.Series([1, 2.5], dtype=object),
        }
    )
    values = frame_values(Params(), frame, list(frame.columns))
    np.testing.assert_array_equal(values, [[0.5, 1, 1, 3, 1], [1.5, 2, 0, 4, 2.5]])
    np.testing.assert_array_equal(frame_values(Params(), frame, ["int"]), [[1], [2]])


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"a": [1.0, math.nan]}, "feature 'a' must .* got nan in row 1"),
        ({"a": [1.0, math.inf]}, "feature 'a' must .* got inf in row 1"),
        ({"b": [1, 2], "a": ["1.0", "2"]}, "feature 'a' must .* got '1.0' in row 0"),
        ({"a": pd.array([1, None], dtype="Int64")}, "feature 'a' must .* got nan in row 1"),
        ({"a": pd.to_datetime(["2020", "2021"])}, "feature 'a' must .* in row 0"),
        ({"a": [0.1, 1.5]}, "norm of at most input_bound"),
    ],
)
def test_frames_of_anything_else_are_refused(frame, message):
    with pytest.raises(ValueError, match=message):
        frame_values(Params(scale=False), pd.DataFrame(frame), list(frame))


def test_columns_of_one_name_are_refused():
    frame = pd.DataFrame([[1.0, 2.0]], columns=["a", "a"])
    with pytest.raises(ValueError, match="columns of X must differ in name, got 'a' twice"):
        frame_values(Params(), frame, ["a"])


@pytest.mark.parametrize("label", ["x", 1, 2.5, True])
def test_a_label_is_text_or_a_number(label):
    assert checked_label(label, []) is label
    assert checked_label(np.array([label])[0], []) == label


@pytest.mark.parametrize("label", [math.nan, math.inf, None, (1, 2), [1], b"x", np.nan, 1j])
def test_nothing_else_is_a_label(label):
    with pytest.raises(ValueError, match=r"y must be text or a finite number, .* got"):
        checked_label(label, [])


@pytest.mark.parametrize(("label", "known"), [("1", [0]), (1, ["a"]), (True, ["True"])])
def test_labels_are_of_one_type(label, known):
    with pytest.raises(ValueError, match="y must be of one type"):
        checked_label(label, known)


@pytest.mark.parametrize("target", [math.nan, math.inf, 1e101, "1.0", None, [1.0]])
def test_a_target_is_a_number(target):
    with pytest.raises(ValueError, match="y must be a number within"):
        checked_target(target, Params(task="regression"))
    with pytest.raises(ValueError, match=r"y must be a number within \(0, 1\)"):
        checked_target(1.5, Params(task="regression", target_bounds=(0, 1)))


@pytest.mark.parametrize("weight", [-1.0, math.nan, math.inf, "1", None])
def test_a_weight_is_a_number_of_at_least_0(weight):
    with pytest.raises(ValueError, match="w must be a finite number of at least 0"):
        checked_weight(weight)


def test_as_many_labels_as_rows():
    assert checked_values("y", pd.Series([1, 2]), 2) == checked_values("y", (1, 2), 2) == [1, 2]
    with pytest.raises(ValueError, match="y must hold one value for each of the 3 rows, got 2"):
        checked_values("y", [1, 2], 3)
