"""The loss figure: what its tables and panels hold."""

import pytest
from records import losses

from mooe_paper import figure_loss
from mooe_paper.intervals.last_interval import SOURCES


def test_tables_are_square_and_cover_every_stream():
    tables = figure_loss.tables(losses())
    assert len(tables) == 9
    for table in tables:
        assert {len(row) for row in table.rows} == {len(table.columns)}, table.title
    levels, gains, swept, theirs = tables[:4]
    assert len(swept.rows) == 4 * len(SOURCES)
    for row in range(2):  # the first 50 and the first 1,000 rows, as in the table above
        number, places = swept.rows[row][2].split()
        assert number == gains.rows[row + 1][3].split()[0]
        for place, kind in zip(places.split("/"), ("loss", "error"), strict=True):
            if place != "–":
                said = gains.rows[row + 1][-1]
                assert f"both {place}" in said or f"{kind} {place}" in said
    assert len(levels.rows) == 4 * len(SOURCES)
    assert len(gains.rows) == 6 * len(SOURCES)
    assert len(theirs.rows) == 3 * 3


def test_titles_of_tables_differ():
    titles = [table.title for table in figure_loss.tables(losses())]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_figures_are_drawn(theme):
    records = figure_loss.figures(losses(), theme)
    assert set(records) == {"figure-loss", "early-gain"}
    assert len(records["figure-loss"].axes) == 9


def test_the_synthetic_stream_alone_has_two_panels():
    alone = {name: one for name, one in losses().items() if "-drift" not in name}
    titles = [ax.get_title(loc="left") for ax in figure_loss.figures(alone)["figure-loss"].axes]
    assert titles == ["synthetic", "synthetic, authors' code"]


def test_cells_have_names_of_their_own():
    for quick in (True, False):
        cells = figure_loss.experiments(quick)
        assert len({experiment.name for experiment in cells}) == len(cells)
        assert not (quick and any(experiment.needs for experiment in cells))
