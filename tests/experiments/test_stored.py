"""Files of cells and results: whole or not there, and trusted only for the same work."""

import json

import pytest

from experiments.works import doubled, failing
from mooe.experiments.cells import Cell
from mooe.experiments.stored import (
    cell_path,
    code_digest,
    fingerprint,
    found_in,
    load_result,
    read_cell,
    write_cell,
    write_result,
)

CELL = Cell("two", doubled, {"number": 2}, ("Usenet1",))
DIGESTS = {"Usenet1": "abc"}


@pytest.mark.parametrize(
    ("cell", "quick", "digests"),
    [
        (Cell("three", doubled, {"number": 2}, ("Usenet1",)), True, DIGESTS),
        (Cell("two", failing, {"number": 2}, ("Usenet1",)), True, DIGESTS),
        (Cell("two", doubled, {"number": 3}, ("Usenet1",)), True, DIGESTS),
        (CELL, False, DIGESTS),
        (CELL, True, {"Usenet1": "abd"}),
    ],
    ids=["name", "work", "arguments", "size", "data"],
)
def test_whatever_a_record_depends_on_changes_the_fingerprint(cell, quick, digests):
    assert fingerprint(cell, quick, digests, "code") != fingerprint(CELL, True, DIGESTS, "code")


def test_cost_does_not_change_the_fingerprint():
    dear = Cell("two", doubled, {"number": 2}, ("Usenet1",), cost=100.0)
    assert fingerprint(dear, True, DIGESTS, "code") == fingerprint(CELL, True, DIGESTS, "code")


def test_another_version_changes_the_fingerprint(monkeypatch):
    before = fingerprint(CELL, True, DIGESTS, "code")
    monkeypatch.setattr("mooe.experiments.stored.origin", lambda **more: {"mooe": "0.0.0"})
    assert fingerprint(CELL, True, DIGESTS, "code") != before


def test_an_edit_of_the_code_changes_the_fingerprint(tmp_path):
    before = fingerprint(CELL, True, DIGESTS, "code")
    assert fingerprint(CELL, True, DIGESTS, "other code") != before
    (tmp_path / "deep").mkdir()
    digests = []
    for name, text in (("deep/a.py", "1"), ("deep/a.py", "2"), ("b.py", ""), ("c.txt", "1")):
        (tmp_path / name).write_text(text)
        digests.append(code_digest(tmp_path))
    assert len(set(digests)) == 3, "text and names count, other files do not"
    assert code_digest() == code_digest()


def test_a_cell_is_read_back_for_the_same_fingerprint_only(tmp_path):
    path = cell_path(tmp_path, "table1", CELL, quick=True)
    write_cell(path, "mark", {"number": 1 / 3})
    assert read_cell(path, "mark") == {"number": 1 / 3}
    assert read_cell(path, "other") is None


def test_names_that_differ_in_a_sign_have_files_of_their_own(tmp_path):
    one, other = (Cell(name, doubled) for name in ("a, b", "a b"))
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


def test_a_link_in_the_place_of_a_file_is_replaced_and_what_it_leads_to_stays(tmp_path):
    (tmp_path / "mine").write_text("mine")
    path = tmp_path / "cell.json"
    path.symlink_to("mine")
    write_cell(path, "mark", {"number": 1})
    assert read_cell(path, "mark") == {"number": 1}
    assert not path.is_symlink()
    assert (tmp_path / "mine").read_text() == "mine"


def test_a_result_has_its_records_in_order_and_what_they_depend_on(tmp_path):
    cells = [CELL, Cell("one", doubled, {"number": 1})]
    found = {"one": {"number": 2}, "two": {"missing": "not here"}}
    path = write_result(tmp_path, "table1", "Title", cells, found, True, DIGESTS)
    kept = load_result(path)
    assert [cell["name"] for cell in kept["cells"]] == ["two", "one"]
    assert found_in(kept) == found
    assert kept["data"] == DIGESTS
    assert {"mooe", "scipy", "scikit-learn"} <= set(kept["origin"])
    assert json.loads(path.read_text())["quick"] is True
    assert sorted(tmp_path.iterdir()) == [path], "no file of the writing is left"
