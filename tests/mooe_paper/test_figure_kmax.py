"""The K_max figure, from records that are made."""

import pytest

from mooe_paper import figure_kmax
from mooe_paper.printed_numbers import LARGEST_POOLS
from mooe_paper.unknowns import RADII


def made(quick=False, missing=False):
    records = {}
    for experiment in figure_kmax.experiments(quick):
        record = {"rows": 1_000, "accuracy": 0.8, "model": "mooe-paper", **experiment.arguments}
        if "pool" in record:
            record["accuracy"] += record["pool"] / 1000 + (record["setting"] == "R 3") / 20
        records[experiment.name] = {"missing": "Covertype is not here"} if missing else record
    return records


def test_every_number_of_experts_of_the_paper_is_computed():
    pools = [
        experiment.arguments.get("pool") for experiment in figure_kmax.experiments(quick=False)
    ]
    assert set(LARGEST_POOLS) <= set(pools)


def test_ours_stands_beside_what_the_authors_typed_in():
    table, settings, swept = figure_kmax.tables(made())
    lines = {row[0]: row[1:] for row in table.rows}
    assert lines["25"][:2] == [90.3, pytest.approx(82.5)]
    assert lines["1"][0] is None
    assert lines["from 5 to 25, points"][:2] == [pytest.approx(11.9), pytest.approx(2.0)]
    assert lines["20"][-2:] == [pytest.approx(87.0), "holds at R 3"]
    assert next(row[:2] for row in settings.rows if row[-1]) == ["mooe-paper", "R 3"]
    assert len(swept.rows) == len(figure_kmax.POOLS)


def test_a_quick_run_says_that_it_is_another_stream():
    table, *_ = figure_kmax.tables(made(quick=True))
    assert all(row[1] is None for row in table.rows)
    assert "in the place of Covertype" in table.note


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_figure_draws_ours_the_papers_and_the_label_before(theme):
    figure = figure_kmax.figures(made(), theme)["kmax"]
    (ax,) = figure.axes
    drawn = [line.get_xydata().tolist() for line in ax.lines]
    assert [[float(k), v] for k, v in LARGEST_POOLS.items()] in drawn
    assert {text.get_text() for text in ax.texts} == {
        *(f"computed, {radius}" for radius in RADII), "typed in by its authors", "no-change",
    }  # fmt: skip


def test_without_records_nothing_is_drawn():
    assert figure_kmax.figures(made(missing=True)) == {}
    table, *_ = figure_kmax.tables(made(missing=True))
    assert table.rows[1][5] == "not run"
