"""The report says what the results say, is one file, and the same every time."""

import pytest

from experiments.test_figure_kmax import made as made_kmax
from experiments.test_table3 import made as made_noise
from mooe.experiments import figure_kmax, table3
from mooe.experiments.cells import Table
from mooe.experiments.report import tally, write_report
from mooe.experiments.stored import write_result

MODULES = {"table3": (table3, made_noise), "figure-kmax": (figure_kmax, made_kmax)}


def put(folder, name, quick=False, **how):
    module, made = MODULES[name]
    cells, found = module.cells(quick), made(quick, **how)
    write_result(folder, name, module.TITLE, cells, found, quick, {"Covertype": "abc"})


@pytest.fixture
def folder(tmp_path):
    put(tmp_path, "table3")
    put(tmp_path, "figure-kmax")
    return tmp_path


def test_the_page_has_every_table_and_figure_and_nothing_from_elsewhere(folder):
    text = write_report(folder).read_text()
    assert text.count("<table>") == 2
    assert text.count('<img class="dark"') == 1
    assert "Table 3: Covertype with growing noise. Paper and ours" in text
    assert "http://" not in text
    assert "https://" not in text
    assert "<dt>Covertype</dt><dd>abc</dd>" in text


def test_the_same_results_give_the_same_bytes(folder):
    write_report(folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    write_report(folder)
    assert before == {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert {"index.html", "table3.md", "table3.tex", "figure-kmax.md", "kmax.png"} <= set(before)


def test_a_quick_run_is_called_one(folder):
    assert "every table and figure, computed again" in write_report(folder).read_text()
    put(folder, "table3", quick=True)
    assert "stand in for the paper&#x27;s: table3" in write_report(folder).read_text()
    put(folder, "figure-kmax", quick=True)
    text = write_report(folder).read_text()
    assert "a quick run: made streams stand in" in text
    assert "No printed number was put to the test" in text
    assert (folder / "table3.md").read_text().startswith("# Table 3: Covertype")


def test_what_could_not_be_run_is_counted_apart(folder):
    put(folder, "table3", missing=True)
    text = write_report(folder).read_text()
    assert "4 comparisons could not be run." in text
    assert "of 7 comparisons with a printed number hold" in text


def test_the_tally_leaves_our_default_model_out():
    rows = [["mooe", 1.0, "holds"], ["mooe-paper", 1.0, "holds"], ["dtel", None, ""]]
    assert tally([Table("t", ["model", "paper", "verdict"], rows)]) == {"holds": 1}
    assert tally([Table("t", ["model", "verdict"], [["dtel", "holds"]])]) == {}
