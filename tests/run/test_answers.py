"""The table of answers: ids, labels in their own form, every class, the regime in charge."""

import csv
import os

import numpy as np
from made import made_regimes

from mooe.evaluate.results import Results
from mooe.run.answers import AnswerLog, RegimeOfRow, answer_rows, chance_names


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def logged(path, chunks, keep=(), **more):
    """Write answers that come in chunks of (labels, answers, probabilities, kept)."""
    results = Results("mooe", "rows", "classification", 50, 0, **more)
    with AnswerLog(path, keep) as log:
        for labels, answers, chances, kept in chunks:
            results.rows += len(labels)
            results.predictions = np.array(answers, dtype=object)
            results.probabilities = None if chances is None else np.array(chances)
            log.add(results, np.array(labels, dtype=object), kept)
        log.write(results)
    return read(path)


def test_a_class_that_comes_late_has_a_column_in_every_row(tmp_path):
    first = (["b", "a"], [None, "b"], [[np.nan, np.nan], [0.75, 0.25]], None)
    later = (["c"], ["a"], [[0.25, 0.5, 0.25]], None)
    rows = logged(tmp_path / "a.csv", [first, later], classes=["b", "a", "c"])
    assert list(rows[0]) == ["row", "label", "prediction", "p_a", "p_b", "p_c"]
    assert [row["row"] for row in rows] == ["0", "1", "2"]
    assert [rows[0][name] for name in ("prediction", "p_a", "p_b", "p_c")] == [""] * 4
    assert [rows[1][f"p_{name}"] for name in "abc"] == ["0.25", "0.75", "0"]
    assert [rows[2][f"p_{name}"] for name in "abc"] == ["0.5", "0.25", "0.25"]


def test_kept_columns_stand_before_the_label_as_they_were_written(tmp_path):
    kept = np.array([["007", "x, y"], [None, "z"]], dtype=object)
    chunk = ([1, None], [0, 1], [[0.5, 0.5]] * 2, kept)
    rows = logged(tmp_path / "a.csv", [chunk], ("id", "note"), classes=[0, 1])
    assert list(rows[0])[:5] == ["row", "id", "note", "label", "prediction"]
    assert [row["id"] for row in rows] == ["007", ""]
    assert rows[0]["note"] == "x, y"
    assert [row["label"] for row in rows] == ["1", ""]


def test_models_without_probabilities_or_regimes_have_no_such_columns(tmp_path):
    rows = logged(tmp_path / "a.csv", [(["a"], ["a"], None, None)], classes=["a"])
    assert list(rows[0]) == ["row", "label", "prediction"]


def test_the_regime_is_the_one_in_charge_of_the_row():
    results = made_regimes()
    regime = RegimeOfRow(results)
    found = [regime.cells(row)[0] for row in range(results.rows)]
    assert found == np.repeat([1, 2, 1, 2, 1], 200).tolist()
    results.concepts = results.concepts[1:]
    regime = RegimeOfRow(results)
    assert [regime.cells(row)[0] for row in (0, 199, 200, 399, 400)] == ["", "", 2, 2, ""]


def test_tiny_probabilities_are_written_as_none_and_missing_values_as_nothing():
    (row,) = answer_rows(7, None, [np.array([np.nan])], np.array([[1e-300, 1.0]]))
    assert row == [7, "", "0", "1"]


def test_columns_of_probabilities_are_in_the_order_of_their_labels():
    assert chance_names([3, 1, 2]) == ["p_1", "p_2", "p_3"]


def test_a_file_stays_as_it_was_until_the_answers_are_complete(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("old")
    with AnswerLog(path) as log:
        results = Results("mooe", "rows", "classification", 50, 0, rows=1)
        results.predictions = np.array(["a"], dtype=object)
        log.add(results, np.array(["a"], dtype=object), None)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.csv"]
