"""The report of a keyed stream, and its figures, as people see them."""

import numpy as np
import pytest
from browser import browser, look

from mooe.evaluate.keys import KeyedResults, KeyRegime
from mooe.plots import plot_ages, plot_changes, plot_spread
from mooe.report import write_keyed_report


@pytest.fixture
def results():
    rng = np.random.default_rng(0)
    made = KeyedResults("shops.csv", "shop", "sold", inputs=["price", "rain"])
    keys = np.array([f"shop with a long name {at % 30}" for at in range(3000)])
    labels = rng.integers(0, 2, 3000)
    answers = np.where(rng.random(3000) < 0.8, labels, 1 - labels)
    made.add(keys, labels.tolist(), answers.tolist())
    up, down = {"yes": np.array([2.0, -0.1])}, {"yes": np.array([-2.0, 0.3])}
    visits = ((0, 29), (60, 99)), ((30, 59),)
    regimes = [KeyRegime(1, visits[0], up), KeyRegime(2, visits[1], down)]
    made.regimes = dict.fromkeys(made.names[:12], regimes)
    return made


def test_the_page_answers_its_questions(results, tmp_path):
    page = write_keyed_report(tmp_path, results)
    text = page.read_text()
    assert "12 keys of 30 changed their regime, 12 of them went back" in text
    assert "2 regimes are shared by several keys; the most common one by 12 keys." in text
    assert "yes: price +, rain −" in text
    names = {path.name for path in tmp_path.iterdir()}
    assert {"ages.svg", "changes.pdf", "spread.png", "table.md", "table.tex"} <= names
    again = tmp_path / "again"
    assert write_keyed_report(again, results).read_bytes() == page.read_bytes()


def test_a_run_that_nothing_can_be_told_of_still_has_a_page(tmp_path):
    empty = KeyedResults("none.csv", "shop")
    empty.add(np.array(["a"]), [None], [None])
    text = write_keyed_report(tmp_path, empty).read_text()
    assert "No row of 1 had both a label and an answer." in text
    assert "No key changed its regime" in text


@pytest.mark.parametrize("plot", [plot_ages, plot_changes, plot_spread])
def test_a_figure_is_drawn_from_what_was_counted(results, plot):
    _, ax = plot(results)
    assert ax.has_data()
    assert "accuracy" in ax.get_ylabel() + ax.get_xlabel()


def test_the_page_is_legible_on_a_screen_and_a_phone_light_and_dark(results, tmp_path):
    page = write_keyed_report(tmp_path, results)
    with browser() as tell:
        for width in (1280, 390):
            for scheme in ("light", "dark"):
                found = look(tell, page, width, scheme)
                assert found["cut"] == [], (width, scheme)
                assert found["smallest"][0] >= 11.0
                assert found["drawings"] == found["figures"] == 3
                assert found["width"] == width
