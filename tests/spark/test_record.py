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


def record_of(model, **about):
    """Return what is kept of a model."""
    blob = layouts.to_bytes(model.params, model.state)
    name = layouts.name_of(model.params, blob)
    return Record(blob, name, model.labels.names, version=model.n_labelled, **about)


def learnt(n: int = 100) -> Model:
    """Return a model that has learnt a little."""
    model = Model(params_of("light", "classification", False, 0))
    model.labels.add(["a", "b"])
    X = np.random.default_rng(0).normal(size=(n, 3))
    model.learn(X, (X[:, 0] > 0.0).astype(float))
    return model


def test_a_record_comes_back_from_its_columns():
    model = learnt()
    record = record_of(model, place=41, known=1.0, n_late=3)
    assert Record.of_columns(model.params, record.to_columns(), None) == record


def test_a_state_of_another_layout_is_taken_over_by_its_description():
    model = learnt()
    record = record_of(model)
    number, _, packed, *rest = record.to_columns()
    kept = {"older": layouts.description(model.params, record.state)}
    columns = number, "older", packed, *rest
    assert Record.of_columns(model.params, columns, kept.__getitem__) == record


def test_a_state_of_the_first_format_was_not_packed():
    model = learnt()
    record = record_of(model, place=7)
    _, layout, packed, *rest = record.to_columns()
    assert len(packed) < 0.7 * len(record.state)
    assert Record.of_columns(model.params, (1, layout, record.state, *rest), None) == record


def test_a_state_of_a_newer_version_is_refused():
    with pytest.raises(ValueError, match="format up to 2, got 3"):
        Record.of_columns(None, (3, "", b"", "[]", NOTHING, 0, None), None)
