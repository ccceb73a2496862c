"""The report says what the results say, is one file, and the same every time."""

import shutil
from pathlib import Path

import pytest
from browser import browser, look
from test_figure_kmax import made as made_kmax
from test_table3 import made as made_noise

from mooe_paper import figure_kmax, result_module, table3
from mooe_paper.accuracy.comparison import FITTED
from mooe_paper.experiment import ResultTable
from mooe_paper.paper_report import INEQUALITIES, printed_verdicts, tally, write_report
from mooe_paper.store import write_result

RESULTS = Path(__file__).parents[2] / "docs" / "results"
MODULES = {"table3": (table3, made_noise), "figure-kmax": (figure_kmax, made_kmax)}


def put(folder, name, quick=False, **how):
    module, made = MODULES[name]
    planned, records = module.experiments(quick), made(quick, **how)
    write_result(folder, name, module.TITLE, planned, records, quick, {"Covertype": "abc"})


@pytest.fixture
def folder(tmp_path):
    put(tmp_path, "table3")
    put(tmp_path, "figure-kmax")
    return tmp_path


def test_the_page_has_every_table_and_figure_and_nothing_from_elsewhere(folder):
    text = write_report(folder).read_text()
    assert text.count("<table>") == 5
    assert text.count('<svg class="dark"') == 1
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


def test_the_page_of_the_results_on_record_is_legible_on_a_phone_light_and_dark(tmp_path):
    for path in RESULTS.glob("*.json"):
        shutil.copy(path, tmp_path)
    page = write_report(tmp_path)
    with browser() as tell:
        for width, scheme in ((390, "light"), (390, "dark"), (1280, "light"), (1280, "dark")):
            found = look(tell, page, width, scheme)
            assert found["cut"] == []
            assert found["width"] <= width
            assert found["drawings"] == found["figures"] > 0
            assert width > 390 or found["smallest"][0] >= 11.0


def test_a_quick_run_is_called_one(folder):
    assert "every table and figure, computed again" in write_report(folder).read_text()
    put(folder, "table3", quick=True)
    assert "stand in for the paper&#x27;s in table3" in write_report(folder).read_text()
    put(folder, "figure-kmax", quick=True)
    text = write_report(folder).read_text()
    assert "a quick run: made streams stand in" in text
    assert "No printed number was put to the test: made streams stand in." in text
    assert (folder / "table3.md").read_text().startswith("# Table 3: Covertype")


def put_made(folder, name, quick, monkeypatch, tables):
    """Write a result without experiments, with tables that are given."""
    module = result_module(name)
    monkeypatch.setattr(module, "tables", lambda records: tables)
    monkeypatch.setattr(module, "figures", lambda records, theme="light": {})
    write_result(folder, name, module.TITLE, [], {}, quick, {})


def test_a_page_on_the_theory_alone_is_headed_with_its_inequalities(tmp_path, monkeypatch):
    rows = [["a", "holds"], ["b", "holds"], ["c", "broken"]]
    bounds = ResultTable(INEQUALITIES, ["source", "outcome"], rows)
    put_made(tmp_path, "theory", True, monkeypatch, [bounds])
    text = write_report(tmp_path).read_text()
    assert "Do the inequalities hold?" in text
    assert "2 of 3 inequalities hold" in text
    assert "printed number" not in text
    assert "stand in" not in text
    assert "a quick run: fewer seeds and cases" in text
    assert "A quick run: fewer seeds and cases." in (tmp_path / "theory.md").read_text()


def test_the_theory_has_the_table_that_is_counted():
    assert INEQUALITIES in [table.title for table in result_module("theory").tables({})]


def test_a_page_on_a_figure_without_printed_numbers_says_so(tmp_path, monkeypatch):
    put_made(tmp_path, "figure-loss", False, monkeypatch, [ResultTable("t", ["loss"], [[1.0]])])
    text = write_report(tmp_path).read_text()
    assert "What is here?" in text
    assert "Of these the paper prints no number: Loss of MOOE and OGD" in text
    assert "put to the test" not in text


def test_streams_that_are_not_here_are_said(tmp_path):
    put(tmp_path, "table3", missing=True)
    text = write_report(tmp_path).read_text()
    assert "put to the test: the streams are not on this machine" in text


def test_what_could_not_be_run_is_counted_apart(folder):
    put(folder, "table3", missing=True)
    text = write_report(folder).read_text()
    assert "4 comparisons could not be run." in text
    assert "of 7 comparisons with a printed number hold with our defaults, " in text
    assert "with one setting per method and table" in text


def test_our_default_model_and_what_has_no_printed_number_are_left_out():
    rows = [["mooe", 1.0, "holds"], ["mooe-paper", 1.0, "holds"], ["dtel", None, ""]]
    table = ResultTable("t", ["model", "paper", "verdict"], rows)
    assert printed_verdicts([table]) == ["holds"]
    assert tally([table]) == {"holds": 1}
    fitted = ResultTable("t", ["model", "paper", FITTED], [["dtel", 1.0, "holds at leaf 5"]])
    assert tally([fitted], FITTED) == {"holds": 1}
    assert tally([ResultTable("t", ["model", "verdict"], [["dtel", "holds"]])]) == {}


def test_figures_are_drawn_in_both_themes_and_written_in_every_form(folder):
    page = write_report(folder).read_text()
    assert page.count('<svg class="light"') == page.count('<svg class="dark"') == 1
    assert {path.name for path in folder.glob("kmax.*")} == {"kmax.png", "kmax.svg", "kmax.pdf"}
