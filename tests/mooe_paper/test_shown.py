"""Tables and figures in every form say the same."""

import pytest

from mooe.report.tables import as_html
from mooe_paper.cells import Table
from mooe_paper.shown import as_latex, as_markdown, pictures, report_table, shown

TABLE = Table(
    "50 % & more", ["stream", "paper", "ours"], [["a_b", 80.0, 79.96], ["c", None, -0.04]], "A_note"
)


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(1.25, 1, "1.2"), (-12.345, 2, "−12.35"), (-0.0, 1, "0.0"), (True, 1, "True"), (7, 3, "7")],
)
def test_floats_are_rounded_and_everything_else_stays(value, digits, text):
    assert shown(value, digits) == text


def test_markdown_has_title_cells_and_note():
    text = as_markdown(TABLE)
    assert text.startswith("**50 % \\& more**\n\n| stream | paper | ours |\n")
    assert "| a\\_b | 80.0 | 80.0 |" in text
    assert "| c |  | 0.0 |" in text
    assert text.endswith("\nA\\_note\n")


def test_latex_has_title_cells_and_note():
    text = as_latex(TABLE)
    assert r"\caption{50 \% \& more. A\_note}" in text
    assert r"a\_b & 80.0 & 80.0 \\" in text


def test_text_is_on_the_left_and_long_text_is_broken_into_lines():
    rows = [["a", 1.0, "holds", "5 of 8", "many words " * 20], ["b", None, "", "", "few words"]]
    one = Table("t", ["name", "ours", "verdict", "count", "text"], rows)
    assert "| --- | ---: | --- | ---: | --- |" in as_markdown(one)
    assert r"\begin{longtable}{lrlrp{0.60\linewidth}}" in as_latex(one)
    page = as_html(report_table(one))
    assert page.count('<td class="text">') == page.count('<td class="text long">') == 2
    assert page.count('<th scope="col" class="text" style="width: 2%">') == 2
    assert page.count('<th scope="col" class="text long" style="width: 100%">') == 1


def test_html_has_the_exact_numbers():
    assert '<data value="79.96">80.0</data>' in as_html(report_table(TABLE))


def test_figures_are_drawn_in_both_themes_and_written_in_every_form(tmp_path):
    found = {
        "no-change": {"stream": "Covertype", "model": "no-change", "accuracy": 0.9, "rows": 10},
        "five": {"stream": "Covertype", "pool": 5, "accuracy": 0.8, "rows": 10},
        "ten": {"stream": "Covertype", "pool": 10, "accuracy": 0.81, "rows": 10},
    }
    (picture,) = pictures(tmp_path, "figure-kmax", found)
    assert set(picture.drawings) == {"light", "dark"}
    assert picture.drawings["light"] != picture.drawings["dark"]
    files = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert set(files) == {"kmax.png", "kmax.svg", "kmax.pdf"}
    pictures(tmp_path, "figure-kmax", found)
    assert files == {path.name: path.read_bytes() for path in tmp_path.iterdir()}
