"""What is kept of a key, as columns and back."""

import numpy as np
import pytest

pytest.importorskip("pyspark")

from mooe.keyed.settings import params_of
from mooe.model import Model
from mooe.spark import layouts
from mooe.spark.record import NOTHING, Answer, Record, WaitingRow


def test_an_answer_comes_back_with_labels_of_their_own_kind():
    for answer in (Answer(), Answer(3, {3: 0.25, 7: 0.75}, 2, 9), Answer("a", {"a": 1.0}, None, 1)):
        assert Answer.of_json(answer.to_json()) == answer


def test_a_waiting_row_comes_back_bit_for_bit():
    row = WaitingRow(np.array([0.1, np.nan, -0.0]), NOTHING, Answer("a", {"a": 1.0}, 1, 5))
    back = WaitingRow.of_columns(*row.to_columns())
    assert back.x.tobytes() == row.x.tobytes()
    assert (back.known, back.answer) == (row.known, row.answer)


@pytest.mark.parametrize("setting", ["light", "full", "paper"])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_a_record_goes_on_as_if_it_had_never_been_kept(setting, task):
    params = params_of(setting, task, False, 0)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 3, 200).astype(float)
    model = Model(params)
    if task == "classification":
        model.labels.add(["a", "b", "c"])
    model.learn(X[:120], y[:120])
    record = Record.of_columns(params, Record(model, 41, 1.0, 3).to_columns(), None)
    assert (record.place, record.known, record.n_late) == (41, 1.0, 3)
    assert record.model.labels.names == model.labels.names
    assert record.model.learn(X[120:], y[120:]).tolist() == model.learn(X[120:], y[120:]).tolist()
    assert record.model.to_bytes() == model.to_bytes()
    assert record.model.regime() == model.regime()


def test_a_state_of_another_layout_is_taken_over_by_its_description():
    params = params_of("light", "classification", False, 0)
    model = Model(params)
    model.labels.add(["a", "b"])
    X = np.random.default_rng(0).normal(size=(100, 3))
    model.learn(X, (X[:, 0] > 0.0).astype(float))
    number, _, blob, *rest = Record(model).to_columns()
    kept = {"older": layouts.description(params, model.state)}
    record = Record.of_columns(params, (number, "older", blob, *rest), kept.__getitem__)
    assert record.model.to_bytes() == model.to_bytes()


def test_a_state_of_a_newer_version_is_refused():
    with pytest.raises(ValueError, match="format up to 1, got 2"):
        Record.of_columns(None, (2, "", b"", "[]", NOTHING, 0, None), None)
