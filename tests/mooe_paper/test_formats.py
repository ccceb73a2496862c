"""Tables in every form say the same."""

from mooe.report.tables import as_html
from mooe_paper.experiment import ResultTable
from mooe_paper.formats import as_latex, as_markdown, report_table

TABLE = ResultTable(
    "50 % & more", ["stream", "paper", "ours"], [["a_b", 80.0, 79.96], ["c", None, -0.04]], "A_note"
)


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
    table = ResultTable("t", ["name", "ours", "verdict", "count", "text"], rows)
    assert "| --- | ---: | --- | ---: | --- |" in as_markdown(table)
    assert r"\begin{longtable}{lrlrp{0.60\linewidth}}" in as_latex(table)
    page = as_html(report_table(table))
    assert page.count('<td class="text">') == page.count('<td class="text long">') == 2
    assert page.count('<th scope="col" class="text" style="width: 2%">') == 2
    assert page.count('<th scope="col" class="text long" style="width: 100%">') == 1


def test_html_has_the_exact_numbers():
    assert '<data value="79.96">80.0</data>' in as_html(report_table(TABLE))
