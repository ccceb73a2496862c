"""Tables of the theory from records that are made."""

import pytest

from mooe_paper import theory
from mooe_paper.checks import counter_examples, observations, tables

COLUMNS = ["n_experts", "meta", "experts", "online", "mixture", "meta_share", "early_share"]


def regrets(mixture, setting="squared"):
    row = [3, 1.0, 2.0, 4.0, mixture, 0.2, 0.1]
    return {
        "check": "regrets", "setting": setting, "labels": "random", "interval": 100,
        "max_experts": 3, "columns": COLUMNS, "intervals": [row],
    }  # fmt: skip


@pytest.mark.parametrize(("mixture", "word"), [(3.0, "holds"), (300.0, "broken")])
def test_an_inequality_holds_or_is_broken_by_its_largest_share(mixture, word):
    table = tables.inequality_table({"a": regrets(mixture)})
    (row,) = [row for row in table.rows if row[2] == "regret of MOOE"]
    assert row[-1] == word


def test_the_counter_examples_are_told_with_their_figures():
    records = {"a": counter_examples.printed_step(0.1, 5.0, 50)}
    (row,) = tables.counter_example_table(records).rows
    assert row[2:] == ["40.06", "0.6000", "broken", "1.12", "30.00", "holds"]


def test_a_counter_example_without_correction_leaves_cells_empty():
    rows = tables.counter_example_table({"a": counter_examples.ball_smooth_loss(1e-6, 50)}).rows
    assert [row[4] for row in rows] == ["broken", "broken"]
    assert all(row[5:] == [None, None, ""] for row in rows)


def test_the_loss_that_leaves_its_range_stands_apart():
    records = {"a": counter_examples.raw_loss(5.0, 50)}
    assert tables.counter_example_table(records).rows == [], "it does not meet the assumptions"
    rows = tables.undivided_loss_table(records).rows
    assert [row[0] for row in rows] == ["as it is", "divided by its range"]
    assert [row[-1] for row in rows] == ["broken", "holds"]


def test_samples_are_the_least_with_which_a_bound_is_small_enough():
    for row in tables.samples_table().rows:
        risk, printed, free, direct, deviation = [float(t.replace(",", "")) for t in row[:5]]
        assert theory.excess_risk_bound(25, int(direct), 1.0, 0.5) <= risk
        assert theory.excess_risk_bound(25, int(direct) - 1, 1.0, 0.5) > risk
        assert theory.observed_excess_risk_bound(0.0, int(deviation)) <= risk
        assert printed > free > direct > deviation
        assert row[6] > row[5] > 1, "regret is the larger part of the direct bound"


def test_the_condition_is_too_generous_for_small_x_and_too_strict_for_large():
    by_x, _ = tables.condition_tables({})
    words = [row[-1] for row in by_x.rows]
    assert words == [*["printed too generous"] * 4, "the same", *["printed too strict"] * 2]
    assert by_x.rows[0][2] == 0.0


def test_the_condition_in_use_counts_where_mooe_was_worse_although_it_was_met():
    # R = .05, D = 1: the printed condition allows thousands of experts, the corrected one none.
    worse, better = regrets(5.0, "small ball, long inputs"), regrets(3.0)
    _, table = tables.condition_tables({"a": worse, "b": better})
    assert table.rows[0][2:] == [1, 1, 0, 1, pytest.approx(1.0), 1, 0]
    assert table.rows[1][2:] == [1, 1, 1, 0, 0.0, 0, 0]


def test_the_papers_settings_have_theorem_3_marked_vacuous():
    table = tables.paper_settings_table()
    (row,) = [row for row in table.rows if row[:2] == ["Theorem 3", "printed"]]
    assert (round(row[3], 1), row[-1]) == (37.6, "vacuous")


def test_the_prior_ascends_in_words():
    table = tables.prior_table({"prior": observations.priors([1, 25])})
    assert [row[0] for row in table.rows] == [1, 25]
    assert all(row[1] == pytest.approx(1) and row[-1] == "ascends" for row in table.rows)
