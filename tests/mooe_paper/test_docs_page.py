"""The page on the paper is what the committed results give."""

import hashlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image
from test_paper_report import put
from test_table1 import made as made_first
from test_table2 import made as made_second

from mooe_paper import RESULTS, result_module, table1, table2
from mooe_paper.accuracy.comparison import OWN_TITLE
from mooe_paper.docs_page import best_models, fill, short_table
from mooe_paper.experiment import ResultTable
from mooe_paper.printed_numbers import ACCURACY
from mooe_paper.store import records_of, results_in

ROOT = Path(__file__).parents[2]


def test_rendering_the_page_again_gives_no_diff():
    command = [sys.executable, "docs/render.py", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_figure_of_the_page_is_there():
    text = (ROOT / "docs" / "paper.md").read_text()
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert (ROOT / "docs" / target).exists(), target


@pytest.mark.parametrize("name", RESULTS)
def test_figures_are_drawn_from_the_committed_results(name):
    results = results_in(ROOT / "docs" / "results")
    if name not in results:
        pytest.skip(f"docs/results has no {name}.json")
    content = (ROOT / "docs" / "results" / f"{name}.json").read_bytes()
    source = f"{name}.json sha256 {hashlib.sha256(content).hexdigest()}"
    for stem in result_module(name).figures(records_of(results[name])):
        with Image.open(ROOT / "docs" / "images" / f"{stem}.png") as image:
            assert image.text.get("Source") == source, f"{stem}.png: python docs/render.py"


def test_the_page_has_every_result():
    absent = [name for name in RESULTS if name not in results_in(ROOT / "docs" / "results")]
    if absent:
        pytest.skip(f"docs/results lacks {', '.join(absent)}")
    assert "Not run yet" not in (ROOT / "docs" / "paper.md").read_text()


def test_every_link_within_the_page_leads_to_a_heading():
    text = (ROOT / "docs" / "paper.md").read_text()
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}
    for target in re.findall(r"\]\(#([^)]+)\)", text):
        assert target in anchors


def test_committed_results_are_of_full_runs():
    for name, result in results_in(ROOT / "docs" / "results").items():
        assert not result["quick"], name


@pytest.mark.parametrize("name", RESULTS)
def test_committed_results_have_every_setting(name):
    records = records_of(results_in(ROOT / "docs" / "results")[name])
    planned = [each.name for each in result_module(name).experiments(quick=False)]
    if set(planned) - set(records):
        pytest.skip(f"docs/results/{name}.json is of an earlier plan: mooe reproduce {name}")
    assert list(records) == planned


def marked(what):
    return f"before\n\n<!-- rendered: {what} -->\nold\n<!-- end -->\n\nafter\n"


@pytest.fixture
def results(tmp_path):
    put(tmp_path, "figure-kmax")
    return results_in(tmp_path)


def test_what_is_between_marks_is_replaced_and_nothing_else(results):
    text = fill(marked("figure-kmax"), results)
    assert "\nold\n" not in text
    assert text.startswith("before\n\n<!-- rendered: figure-kmax -->\n")
    assert text.endswith("<!-- end -->\n\nafter\n")
    assert "| K\\_max | paper |" in text
    assert "(images/kmax.png)" in text
    assert fill(text, results) == text


def test_a_part_of_a_result_can_be_had(results):
    assert "png" not in fill(marked("figure-kmax | Paper and ours"), results)
    assert "| paper |" not in fill(marked("figure-kmax | figures"), results)
    assert "| all | " in fill(marked("verdicts"), results)
    assert "**In short, in numbers**" in fill(marked("in short"), results)


def test_a_result_that_was_not_run_is_said(results):
    assert "Not run yet: `mooe reproduce table1`." in fill(marked("table1"), results)


def test_unknown_names_are_refused(results):
    with pytest.raises(ValueError, match="got 'table9'"):
        fill(marked("table9"), results)
    with pytest.raises(ValueError, match="got 'No such'"):
        fill(marked("figure-kmax | No such"), results)


def counts(tables, column=1):
    return {row[0]: row[column] for row in short_table(tables).rows}


def test_counts_are_those_of_the_tables_of_the_paper():
    records = made_first(missing=("Kitsune",), accuracy=0.8)
    records["Weather mooe-paper seed 0"]["accuracy"] = 0.9
    for seed in range(3):
        records[f"Usenet1 mooe seed {seed}"]["accuracy"] = 0.9
    tables = {"table1": table1.tables(records), "table2": table2.tables(made_second())}
    told, fitted = counts(tables), counts(tables, 2)
    assert told["streams on which mooe-paper is the best of the paper's four"] == "1 of 9"
    assert told["streams on which mooe is the best of those and ours"] == "1 of 9"
    ours = "streams on which mooe is the best of all, no-change and majority too"
    assert told[ours] == "1 of 9"
    assert told["the paper's MOOE, above every batch reference"] == "5 of 7"
    for some in (told, fitted):
        holds = some["printed numbers: holds"]
        assert holds.endswith(" of 52"), "7 x 4 of one, 2 x 4 x 3 of the other"
        shares = [int(some[f"printed numbers: {word}"].split()[0]) for word in
                  ("holds", "ours higher", "ours lower")]  # fmt: skip
        assert sum(shares) == 52
    assert fitted["printed numbers between the ends of our sweeps"].endswith(" of 52")


def test_with_one_setting_per_table_the_accuracies_are_those_of_the_setting():
    records = made_first(missing=("Kitsune",), accuracy=0.5)
    for stream, printed in ACCURACY.items():
        if stream != "Kitsune":
            name = f"{stream} mooe-paper with R 3"
            records[name]["accuracy"] = printed["mooe-paper"] / 100.0
    tables = {"table1": table1.tables(records)}
    four = "streams on which mooe-paper is the best of the paper's four"
    assert (counts(tables)[four], counts(tables, 2)[four]) == ("0 of 7", "7 of 7")
    assert counts(tables, 2)["printed numbers: holds"] == "7 of 28"


def test_equals_are_both_best_and_no_one_is_best_alone():
    scores = {"a": {"mooe-paper": 1.0, "mooe": 1.0, "majority": 0.5}, "b": {"mooe": 1.0}}
    assert best_models(scores, None) == {"a": ["mooe-paper", "mooe"]}
    assert best_models(scores, ("mooe-paper", "majority")) == {"a": ["mooe-paper"]}
    rows = [["a", "10", 1.0, 1.0, 0.5], ["b", "10", None, 1.0, 2.0]]
    own = ResultTable(OWN_TITLE, ["stream", "rows", "mooe-paper", "mooe", "majority"], rows)
    told = counts({"table1": [own]})
    assert told["streams on which mooe is the best of those and ours"] == "0 of 1"


def test_the_settings_that_were_taken_are_named(results):
    text = fill(marked("verdicts"), results)
    assert "mooe-paper R 3" in text


def test_without_results_nothing_is_counted():
    assert set(counts({}).values()) == {"0 of 0", ""}
