"""A model behind rows: single rows and matrices give the same bits."""

import math

import numpy as np
import pytest

from mooe.auto.params import AutoParams
from mooe.engine import engine_of
from mooe.labels import Labels
from mooe.model import Model
from mooe.named_rows import NamedRows
from mooe.paper.params import Params
from mooe.platform.learner import AS_MATRIX, FEW, Learner, numerics_version
from mooe.platform.lesson import LAST, NOTHING
from mooe.platform.rows import row_of


def made(params, n=400, seed=0):
    """Return rows with absent and late columns, labels with late classes, and what was known."""
    rng = np.random.default_rng(seed)
    rows, labels, known = [], [], []
    for i in range(n):
        values = rng.normal(size=5)
        names = ["a", "b", "c", "d", "e"][: 3 if i < n // 2 else 5]
        x = {name: values[k] for k, name in enumerate(names) if rng.random() > 0.1}
        rows.append(row_of(x))
        value = float(values[0] + values[1] * values[2])
        late = "low" if value < 0.5 else "high"
        labels.append(value if params.task == "regression" else ("no" if value < 0 else late))
        known.append([LAST, NOTHING, labels[max(0, i - 20)]][i % 3])
    return rows, labels, known


@pytest.mark.parametrize(
    "params", [AutoParams(), AutoParams("regression"), Params(), Params("regression")]
)
@pytest.mark.parametrize("size", [2, 7, 400])
def test_rows_one_by_one_equal_chunks_in_what_is_learnt_and_answered(params, size):
    rows, labels, known = made(params)
    one, many = Learner(Model(params)), Learner(Model(params))
    for k in range(len(rows)):
        one.learn(rows[k : k + 1], labels[k : k + 1], known[k : k + 1])
    for k in range(0, len(rows), size):
        part = slice(k, k + size)
        many.learn(rows[part], labels[part], known[part])
    assert one.model.to_bytes() == many.model.to_bytes()
    assert many.answer(rows) == [one.answer([row])[0] for row in rows]


def test_rows_of_many_different_columns_are_answered_without_a_matrix_for_each(monkeypatch):
    rows, labels, known = made(AutoParams())
    learner = Learner(Model(AutoParams()))
    learner.learn(rows, labels, known)
    mixed = [row_of({name: 0.5}) for name in "abcde" * 20]
    alone = [learner.answer([row])[0] for row in mixed]
    shapes, score_rows = [], NamedRows.score_rows

    def noted(self, names, values):
        shapes.append(values.shape)
        return score_rows(self, names, values)

    monkeypatch.setattr(NamedRows, "score_rows", noted)
    assert learner.answer(mixed) == alone
    assert shapes == []
    assert learner.answer([*mixed, *[mixed[0]] * FEW]) == [*alone, *[alone[0]] * FEW]
    assert shapes == [(FEW, 1)]


def test_what_was_known_changes_what_is_learnt():
    rows, labels, _ = made(AutoParams())
    learners = [Learner(Model(AutoParams())) for _ in range(2)]
    learners[0].learn(rows, labels, [LAST] * len(rows))
    learners[1].learn(rows, labels, [NOTHING] * len(rows))
    assert learners[0].model.to_bytes() != learners[1].model.to_bytes()


def test_an_answer_is_a_number_and_probabilities_or_a_value():
    learner = Learner(Model(AutoParams()))
    rows, labels, known = made(learner.model.params)
    assert learner.answer(rows[:2]) is None
    assert learner.last_label is None
    learner.learn(rows[:1], ["no"], [LAST])
    assert learner.answer(rows[:2]) == [[0.0, 1.0]] * 2
    learner.learn(rows, labels, known)
    (number, *shares), _ = learner.answer(rows[:2])
    assert number in range(3)
    assert math.isclose(sum(shares), 1.0)
    assert learner.last_label == labels[-1]
    assert learner.labels == ("no", "low", "high")


@pytest.mark.parametrize(
    ("classes", "label", "stored"),
    [([], 1.0, 1), ([1], 1.0, 1), (["a"], "b", "b"), ([True], False, False), ([], 0.5, 0.5)],
)
def test_labels_are_stored_as_json_has_them(classes, label, stored):
    found = Learner(Model(AutoParams())).checked_label(label, Labels(classes))
    assert (found, type(found)) == (stored, type(stored))


@pytest.mark.parametrize(
    ("classes", "label"),
    [([1], True), ([True], 1), (["1"], 1), ([], None), ([], [1]), ([], math.nan), ([], "\ud800")],
)
def test_labels_that_cannot_be_told_apart_or_stored_are_refused(classes, label):
    with pytest.raises(ValueError, match="must"):
        Learner(Model(AutoParams())).checked_label(label, Labels(classes))


def test_a_model_does_not_grow_without_bounds():
    with pytest.raises(ValueError, match="columns times classes must be at most"):
        Learner(Model(AutoParams())).check_size(2**20, 100)


@pytest.mark.parametrize("params", [AutoParams(), Params()])
def test_whether_a_model_can_begin_is_tried_once_and_not_for_every_row(params, monkeypatch):
    engine, tried = engine_of(params), []
    init = engine.init
    monkeypatch.setattr(engine, "init", lambda *size: tried.append(size[1:]) or init(*size))
    learner = Learner(Model(params))
    for k in range(100):
        learner.check_size(2 + (k > 50), 1 + (k > 70))
    assert tried == [(2, 1), (3, 1), (3, 2)]


def test_the_fingerprint_is_of_what_is_computed():
    assert len(numerics_version()) == 16
    numerics_version.cache_clear()
    assert numerics_version() == numerics_version()


@pytest.mark.parametrize("params", [AutoParams(), AutoParams("regression"), Params()])
def test_a_matrix_of_many_rows_is_learnt_to_the_bit_as_they_are_one_by_one(params):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3 * AS_MATRIX, 4))
    rows = [row_of(list(map(float, x))) for x in X]
    values = X[:, 0] + X[:, 1] * X[:, 2]
    labels = values.tolist() if params.task == "regression" else (values > 0).tolist()
    known = [labels[max(0, i - 9)] for i in range(len(rows))]
    one, many = Learner(Model(params)), Learner(Model(params))
    for k in range(len(rows)):
        one.learn(rows[k : k + 1], labels[k : k + 1], known[k : k + 1])
    many.learn(rows, labels, known)
    assert one.model.to_bytes() == many.model.to_bytes()
