"""What is kept of a key, as columns and back, also by older versions."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyspark")

from mooe.model import Model
from mooe.spark.record import NOTHING, Answer, Record, WaitingRow

GOLDEN = Path(__file__).parents[1] / "golden"


def test_an_answer_comes_back_with_labels_of_their_own_kind():
    for answer in (Answer(), Answer(3, {3: 0.25, 7: 0.75}, 2, 9), Answer("a", {"a": 1.0}, None, 1)):
        assert Answer.of_json(answer.to_json()) == answer


def test_a_waiting_row_comes_back_bit_for_bit():
    row = WaitingRow(np.array([0.1, np.nan, -0.0]), NOTHING, Answer("a", {"a": 1.0}, 1, 5))
    back = WaitingRow.of_columns(*row.to_columns())
    assert back.x.tobytes() == row.x.tobytes()
    assert (back.known, back.answer) == (row.known, row.answer)


@pytest.mark.parametrize(
    "path", sorted(GOLDEN.glob("format*-binary.mooe")), ids=lambda path: path.stem
)
def test_states_of_older_versions_go_on(path):
    blob = path.read_bytes()
    record = Record.of_columns(1, blob, 41, 1.0, 3)
    assert (record.place, record.known, record.n_late) == (41, 1.0, 3)
    model = Model.from_bytes(blob)
    x = np.random.default_rng(0).normal(size=(5, model.width))
    y = np.array([0.0, 1.0, 1.0, 0.0, 1.0])
    assert record.model.learn(x, y).tolist() == model.learn(x, y).tolist()
    number, again, *_ = record.to_columns()
    assert number == 1
    assert Model.from_bytes(again).to_bytes() == model.to_bytes()


def test_a_state_of_a_newer_version_is_refused():
    with pytest.raises(ValueError, match="format up to 1, got 2"):
        Record.of_columns(2, b"", None, NOTHING, 0)
