"""The words on the central claim follow from its numbers."""

import copy

import pytest
from records import losses

from mooe_paper.confidence import both, estimate_text
from mooe_paper.intervals import central_claim

BASE = "drifting 1000"


def with_loss(triple, other="alike"):
    records = copy.deepcopy(losses())
    records[BASE][other]["loss"] = [triple] * 5
    return records


@pytest.mark.parametrize(
    ("triple", "said"),
    [
        ([-0.1, -0.2, -0.05], "holds"),
        ([0.1, 0.05, 0.2], "does not hold"),
        ([-0.1, -0.2, 0.01], "not shown"),
    ],
)
def test_the_claim_holds_only_where_its_interval_says_so(triple, said):
    rows = {row[0]: row for row in central_claim.part_table(with_loss(triple)).rows}
    assert rows["lower loss than OGD warm"][1:] == [estimate_text(triple, 4), said]


def test_every_table_is_filled_and_square():
    for table in central_claim.tables(losses()):
        assert table.rows
        assert {len(row) for row in table.rows} == {len(table.columns)}, table.title


def test_every_condition_has_a_row_with_both_words():
    table = central_claim.condition_table(losses())
    records = [record for record in losses().values() if "alike" in record]
    assert len(table.rows) == len(records)
    for row, record in zip(table.rows, records, strict=True):
        loss, error = record["alike"]["loss"][2], record["alike"]["error"][2]
        assert row[-1] == both(loss, error)


def test_conditions_are_counted_once():
    table = central_claim.count_table(losses())
    words = [row[-1] for row in central_claim.condition_table(losses()).rows]
    assert sum(row[2] for row in table.rows) == len(words)
    assert sum(row[3] for row in table.rows) == words.count("both lower")
    assert sum(row[5] for row in table.rows) == words.count("both higher")
    assert all(row[2] == sum(row[3:]) for row in table.rows)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_curves_have_a_panel_for_each_measure_and_condition(theme):
    figure = central_claim.draw_curves(losses(), theme)
    assert len(figure.axes) == 6
    for ax in figure.axes:
        assert len(ax.lines) == 3  # two others, and zero
        assert len(ax.collections) == 2


def test_nothing_is_drawn_from_nothing():
    assert central_claim.draw_curves({}, "light") is None
    assert [table.rows for table in central_claim.tables({})] == [[], [], [], [], []]


def test_conditions_have_names_of_their_own():
    for quick in (True, False):
        names = [experiment.name for experiment in central_claim.experiments(quick)]
        assert len(set(names)) == len(names)
        assert set(central_claim.DRAWN) <= set(names)
        drawn = [
            experiment.name
            for experiment in central_claim.experiments(quick)
            if experiment.arguments.get("curve")
        ]
        assert set(drawn) == set(central_claim.DRAWN)


def test_sizes_are_set_beside_the_usual_one():
    table = central_claim.size_table(losses())
    for name, (sizes, usual, _) in central_claim.SIZES.items():
        label = {"interval": "B", "max_experts": "K_max"}[name]
        for stream in central_claim.STREAMS:
            rows = [row for row in table.rows if row[:2] == [stream, label]]
            assert [row[2] for row in rows] == sizes
            assert [row[2] for row in rows if not row[-1]] == [usual]


def test_the_claim_is_judged_over_thirty_seeds():
    assert {
        experiment.arguments["n_seeds"] for experiment in central_claim.experiments(quick=False)
    } == {30}
