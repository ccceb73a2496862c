"""The page on the paper is what the committed results give."""

import hashlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image
from test_paper_report import put

from mooe_paper import RESULTS, result_of
from mooe_paper.pages import fill
from mooe_paper.stored import found_in, results_in

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
    kept = results_in(ROOT / "docs" / "results")
    if name not in kept:
        pytest.skip(f"docs/results has no {name}.json")
    content = (ROOT / "docs" / "results" / f"{name}.json").read_bytes()
    source = f"{name}.json sha256 {hashlib.sha256(content).hexdigest()}"
    for stem in result_of(name).figures(found_in(kept[name])):
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
    anchors = {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings}
    for target in re.findall(r"\]\(#([^)]+)\)", text):
        assert target in anchors


def test_committed_results_are_of_full_runs():
    for name, kept in results_in(ROOT / "docs" / "results").items():
        assert not kept["quick"], name


def marked(what):
    return f"before\n\n<!-- rendered: {what} -->\nold\n<!-- end -->\n\nafter\n"


@pytest.fixture
def kept(tmp_path):
    put(tmp_path, "figure-kmax")
    return results_in(tmp_path)


def test_what_is_between_marks_is_replaced_and_nothing_else(kept):
    text = fill(marked("figure-kmax"), kept)
    assert "\nold\n" not in text
    assert text.startswith("before\n\n<!-- rendered: figure-kmax -->\n")
    assert text.endswith("<!-- end -->\n\nafter\n")
    assert "| K\\_max | paper |" in text
    assert "(images/kmax.png)" in text
    assert fill(text, kept) == text


def test_a_part_of_a_result_can_be_had(kept):
    assert "png" not in fill(marked("figure-kmax | Paper and ours"), kept)
    assert "| paper |" not in fill(marked("figure-kmax | figures"), kept)
    assert "| all | " in fill(marked("verdicts"), kept)
    assert "**In short, in numbers**" in fill(marked("in short"), kept)


def test_a_result_that_was_not_run_is_said(kept):
    assert "Not run yet: `mooe reproduce table1`." in fill(marked("table1"), kept)


def test_unknown_names_are_refused(kept):
    with pytest.raises(ValueError, match="got 'table9'"):
        fill(marked("table9"), kept)
    with pytest.raises(ValueError, match="got 'No such'"):
        fill(marked("figure-kmax | No such"), kept)
