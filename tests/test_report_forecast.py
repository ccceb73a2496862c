"""The report of a forecast: its words and numbers, and what a browser shows."""

import json
import re
from dataclasses import replace

import pytest
from browser import browser, chromium, look
from forecast.results import (
    made_series,
    many_series,
    one_series,
    results_of,
    seven_channels,
    with_regimes,
)

from mooe.report import FILES, write_forecast
from mooe.report.forecast import how_good, models_table, steps_table, what_comes


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return write_forecast(tmp_path_factory.mktemp("report"), one_series())


def test_a_report_is_a_page_with_its_figures_and_results(report):
    names = {path.name for path in report.parent.iterdir()}
    assert names <= set(FILES)
    assert {"index.html", "forecast.svg", "errors.png", "coverage.pdf", "results.json"} <= names
    told = json.loads((report.parent / "results.json").read_text())
    assert told["by_horizon"] == one_series().summary()["by_horizon"]
    assert told["origin"]["data"] == "abc"


def test_the_name_of_a_file_stays_as_it_is_at_the_beginning_of_a_sentence(tmp_path):
    results = replace(one_series(), source="own.csv", remarks=("own.csv is odd", "a row was late"))
    text = write_forecast(tmp_path, results).read_text()
    assert "own.csv is odd." in text
    assert "A row was late." in text


def test_words_say_how_good_it_was_and_what_comes(report):
    first, second, third, *_ = how_good(one_series())
    scores = {name: each.at()["mase"] for name, each in one_series().scores().items()}
    assert f"{scores['mooe']:.4f}" in first or f"{scores['mooe']:.3f}" in first
    share = 100 * (1 - scores["mooe"] / scores["seasonal_naive"])
    assert f"{share:.0f} % less than seasonal naive" in second
    assert "80 % band" in third
    assert "channel 1: next comes" in what_comes(one_series())[0]
    text = report.read_text()
    assert "answered, not learnt" in text
    assert re.search(r"from .*2023-11-14", text)


def test_words_tell_how_many_channels_or_series_are_left_out():
    assert "6 more channels are in results.json." in what_comes(seven_channels())
    n = len(many_series().results) - 1
    assert f"{n} more series are in results.json." in what_comes(many_series())


def test_the_best_is_bold_and_tables_have_both_naive_ones():
    table = models_table(one_series())
    assert [row[0].text for row in table.rows] == ["mooe", "last value", "seasonal naive"]
    assert [row[1].best for row in table.rows] == [True, False, False]
    assert [row[0].text for row in steps_table(one_series()).rows][:3] == ["1", "2", "3"]


def test_a_forecaster_that_loses_is_said_to_lose():
    made = results_of(made_series(60, seed=2), horizon=3)
    scores = made.results[0].scores
    scores["mooe"], scores["last_value"] = scores["last_value"], scores["mooe"]
    told = " ".join(how_good(made))
    assert ("worse than" in told) == (
        scores["mooe"].at()["mase"]
        > min(scores[name].at()["mase"] for name in ("last_value", "seasonal_naive"))
    )
    assert "worse than" in told


def test_regimes_that_returned_are_told_and_drawn(tmp_path):
    text = write_forecast(tmp_path, with_regimes()).read_text()
    assert (tmp_path / "recall.svg").exists()
    assert "When did the past come back?" in text
    assert "The recall map" in text


def test_too_few_rows_are_said_to_be(tmp_path):
    made = results_of(made_series(1), horizon=3)
    assert how_good(made)[0] == "That cannot be said."
    write_forecast(tmp_path, made)


def test_names_are_escaped(tmp_path):
    made = results_of(made_series(60, name="<b>$x_y$"), horizon=3)
    text = write_forecast(tmp_path, made, title="<i>").read_text()
    assert "<b>" not in text
    assert "<i>" not in text


def test_the_same_results_give_the_same_bytes(report, tmp_path):
    again = write_forecast(tmp_path, one_series())
    for name in ("index.html", "forecast.svg", "table.md", "results.json"):
        assert (again.parent / name).read_bytes() == (report.parent / name).read_bytes()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    made = {"one": one_series(), "seven": seven_channels(), "many": many_series()}
    made["regimes"] = with_regimes()
    folder = tmp_path_factory.mktemp("pages")
    return [write_forecast(folder / name, results) for name, results in made.items()]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_no_letter_is_small_and_nothing_is_cut(pages, scheme):
    chromium()
    with browser() as tell:
        for page in pages:
            for width in (390, 1_000):
                found = look(tell, page, width, scheme)
                assert found["smallest"][0] >= 11.0, (page, width, found["smallest"])
                assert found["cut"] == []
                assert found["drawings"] == found["figures"] >= 4
                assert found["width"] <= width
