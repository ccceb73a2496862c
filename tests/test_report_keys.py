"""The report of a keyed stream, and its figures, as people see them."""

from itertools import pairwise

import numpy as np
import pytest
from browser import browser, look
from made import made_keys
from matplotlib.figure import Figure

from mooe.evaluate.key_results import KeyedResults
from mooe.plots import plot_ages, plot_changes, plot_spread
from mooe.report import write_keyed_report
from mooe.report.keys import how_well


@pytest.fixture
def results():
    return made_keys()


def test_the_page_answers_its_questions(results, tmp_path):
    page = write_keyed_report(tmp_path, results)
    text = page.read_text()
    assert "12 keys of 30 changed their regime, all of them went back" in text
    assert "2 regimes are shared by several keys; the most common one by 12 keys." in text
    assert "12 keys went back to it, 12 times in all;" in text
    assert "yes: price\N{NO-BREAK SPACE}+, rain\N{NO-BREAK SPACE}−" in text
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
    assert "No key has been seen long enough to know a regime." in text


@pytest.mark.parametrize(
    ("n_rows", "told"),
    [
        ([2], ["50.00 % of 2 rows were answered right, over 1 key.", "Repeating"]),
        ([1], ["100.00 % of 1 row was answered right, over 1 key.", "Repeating"]),
        ([2, 3], ["over 2 keys.", "Repeating", "No key has 10 judged rows, so that keys could be"]),
        ([20, 3], ["over 2 keys.", "Repeating", "Only one key has 10 judged rows or more: 50.00"]),
        ([20, 30], ["over 2 keys.", "Repeating", "Half of the keys lie between 50.00 % and 50.00"]),
        ([20, 30, 1], ["over 3 keys.", "Rep", "Of 2 keys with at least 10 judged rows half lie"]),
    ],
)
def test_keys_are_compared_where_several_have_enough_rows(n_rows, told, tmp_path):
    results = KeyedResults("made.csv", "shop")
    for key, n in enumerate(n_rows):
        results.add(np.array([str(key)] * n), ["yes"] * n, (["yes", "no"] * n)[:n])
    for sentence, words in zip(how_well(results), told, strict=True):
        assert words in sentence
    text = write_keyed_report(tmp_path, results).read_text()
    assert ("The worst keys" in text) == (max(n_rows) >= 10)


@pytest.mark.parametrize("width", [7.2, 3.6])
@pytest.mark.parametrize("n_ages", [3, 10, 20])
def test_the_ages_below_the_axis_do_not_meet(n_ages, width):
    results = KeyedResults("made.csv", "shop", ages=[[10.0, 6.0, 5.0]] * n_ages)
    figure, ax = plot_ages(results, figure=Figure(figsize=(width, 3.1)))
    figure.canvas.draw()
    boxes = [label.get_window_extent() for label in ax.get_xticklabels()]
    assert len(boxes) > 2
    assert all(one.x1 < other.x0 for one, other in pairwise(boxes))


@pytest.mark.parametrize(
    ("labels", "task", "told"),
    [
        (["a", "b"], "classification", "has none, and that counts as wrong."),
        ([1.0, 2.0], "regression", "has none, and is taken to be as far off as the model."),
    ],
)
def test_what_repeating_is_worth_at_the_first_row_of_a_key_is_said_as_it_is_counted(
    labels, task, told, tmp_path
):
    results = KeyedResults("made.csv", "shop", task=task)
    results.add(np.array(["k", "k"]), labels, [labels[1], labels[1]])
    assert told in write_keyed_report(tmp_path, results).read_text()


def test_where_no_key_changed_its_regime_the_axis_of_changes_is_of_counts(results):
    results.regimes = {}
    figure, _ = plot_changes(results)
    assert figure.axes[1].get_ylim() == (0.0, 1.0)


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
