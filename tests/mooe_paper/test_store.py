"""Files of experiments and results: whole or not there, and trusted only for the same work."""

import json

import pytest
from works import doubled

from mooe_paper.experiment import Experiment
from mooe_paper.store import (
    cell_path,
    load_result,
    read_cell,
    records_of,
    write_cell,
    write_result,
)

EXPERIMENT = Experiment("two", doubled, {"number": 2}, ("Usenet1",))
DIGESTS = {"Usenet1": "abc"}


def test_a_cell_is_read_back_for_the_same_fingerprint_only(tmp_path):
    path = cell_path(tmp_path, "table1", EXPERIMENT, quick=True)
    write_cell(path, "mark", {"number": 1 / 3})
    assert read_cell(path, "mark") == {"number": 1 / 3}
    assert read_cell(path, "other") is None


def test_names_that_differ_in_a_sign_have_files_of_their_own(tmp_path):
    one, other = (Experiment(name, doubled) for name in ("a, b", "a b"))
    assert cell_path(tmp_path, "x", one, True) != cell_path(tmp_path, "x", other, True)
    assert cell_path(tmp_path, "x", one, True) != cell_path(tmp_path, "x", one, False)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"fingerprint": "mark"}'])
def test_a_damaged_file_is_no_record(tmp_path, text):
    path = tmp_path / "cell.json"
    path.write_text(text)
    assert read_cell(path, "mark") is None


def test_what_is_not_a_number_is_refused_and_leaves_nothing(tmp_path):
    path = tmp_path / "cell.json"
    with pytest.raises(ValueError, match="JSON"):
        write_cell(path, "mark", {"number": float("nan")})
    assert not path.exists()


def test_a_result_has_its_records_in_order_and_what_they_depend_on(tmp_path):
    planned = [EXPERIMENT, Experiment("one", doubled, {"number": 1})]
    records = {"one": {"number": 2}, "two": {"missing": "not here"}}
    path = write_result(tmp_path, "table1", "Title", planned, records, True, DIGESTS)
    result = load_result(path)
    assert [cell["name"] for cell in result["cells"]] == ["two", "one"]
    assert records_of(result) == records
    assert result["data"] == DIGESTS
    assert {"mooe", "scipy", "scikit-learn"} <= set(result["origin"])
    assert json.loads(path.read_text())["quick"] is True
    assert sorted(tmp_path.iterdir()) == [path], "no file of the writing is left"
