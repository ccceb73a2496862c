"""Answers of many keys as a csv file: classes that come later, regimes, columns carried along."""

import csv

import numpy as np

from mooe.run.keyed import Part
from mooe.run.keyed_answers import KeyedAnswers


def test_classes_that_come_later_have_their_column_from_the_first_row(tmp_path):
    path = tmp_path / "answers.csv"
    kept = np.array([["a", "1"], ["b", "2"]], object)
    keys = kept[:, 0].astype(str)
    nothing = np.full((2, 1), np.nan)
    with KeyedAnswers(path, ["key", "id"]) as log:
        log.add(Part(keys, kept, ["z", "z"], [None, None], nothing, ["z"]))
        shares = np.array([[0.75, 0.25], [1.0, 0.0]])
        log.add(Part(keys, kept, ["y", None], ["z", "z"], shares, ["z", "y"], [3, None]))
        assert not path.exists()
        log.write()
    with path.open(newline="") as file:
        head, *rows = csv.reader(file)
    assert head == ["row", "key", "id", "label", "prediction", "p_y", "p_z", "regime"]
    assert rows == [
        ["0", "a", "1", "z", "", "", "", ""],
        ["1", "b", "2", "z", "", "", "", ""],
        ["2", "a", "1", "y", "z", "0.25", "0.75", "3"],
        ["3", "b", "2", "", "z", "0", "1", ""],
    ]


def test_values_have_no_probabilities(tmp_path):
    path = tmp_path / "answers.csv"
    kept = np.array([["a"]], object)
    with KeyedAnswers(path, ["key"]) as log:
        log.add(Part(kept[:, 0], kept, [1.5], [1.25], None, []))
        log.write()
    assert path.read_text().splitlines() == ["row,key,label,prediction", "0,a,1.5,1.25"]
