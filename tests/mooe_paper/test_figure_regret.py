"""The regret figure: what its tables and panels hold."""

import pytest
from records import regrets

from mooe_paper import figure_regret
from mooe_paper.intervals.last_interval import SOURCES
from mooe_paper.unknowns import SWEEPS


def test_tables_are_square_and_cover_every_stream():
    compared, swept, split, theirs = figure_regret.tables(regrets())
    for table in (compared, swept, split, theirs):
        assert {len(row) for row in table.rows} == {len(table.columns)}
    assert len(compared.rows) == 2 * len(SOURCES)
    assert len(split.rows) == len(SOURCES)
    assert len(swept.rows) == 2 * len(SOURCES)
    assert swept.columns[2:] == ["R 1", "R 3"], "those that were run"
    assert swept.rows[0][2].endswith(compared.rows[0][-1])
    assert [row[0] for row in theirs.rows] == ["synthetic", "ijcnn, leaking", "cod-rna, leaking"]


def test_the_mixtures_regret_is_the_sum_of_its_parts():
    _, _, split, _ = figure_regret.tables(regrets())
    for _, meta, experts, _, mixture, bound, _, share in split.rows:
        assert mixture == pytest.approx(meta + experts, abs=2e-6)
        assert 0 < share < 100
        assert bound > mixture


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_panels_are_drawn_for_each_stream_and_maker(theme):
    records = figure_regret.figures(regrets(), theme)
    assert set(records) == {"figure-regret", "figure-regret-intervals"}
    titles = [ax.get_title(loc="left") for ax in records["figure-regret"].axes]
    assert titles == [
        "synthetic", "ijcnn", "cod-rna",
        "", "ijcnn, leaking", "cod-rna, leaking",
        "synthetic, authors' code", "ijcnn, authors' code", "cod-rna, authors' code",
    ]  # fmt: skip
    assert len(records["figure-regret-intervals"].axes) == 3


def test_a_stream_that_is_missing_is_left_out():
    records = regrets() | {name: {"missing": "why"} for name in SOURCES if "cod" in name}
    assert len(figure_regret.figures(records)["figure-regret"].axes) == 6
    assert len(figure_regret.tables(records)[2].rows) == 3
    assert figure_regret.figures({}) == {}


def test_quick_is_one_stream_and_one_other_setting():
    assert [experiment.name for experiment in figure_regret.experiments(quick=True)] == [
        "synthetic", "synthetic with R 3"
    ]  # fmt: skip


def test_every_stream_has_every_setting():
    names = {experiment.name for experiment in figure_regret.experiments(quick=False)}
    for stream in SOURCES:
        assert {f"{stream} with {s}" for s in list(SWEEPS["mooe-paper"])[1:]} <= names
