"""Growth of regret and fall of risk, from records that are made."""

import pytest

from mooe_paper.checks import growth

SIZES = (50, 100, 200, 400)


def grown(labels, power, sign=1.0, apart=0.0, sizes=SIZES):
    """Return regrets of two seeds, whose exponents are so far apart."""
    powers = [power - apart / 2, power + apart / 2]
    return {
        f"{labels} {t}": {
            "check": "growth", "labels": labels, "rounds": t, "n_experts": 4,
            "mixture": [sign * t**one for one in powers], "online": [2 * t**power] * 2,
            "meta": [0.0, 0.0],
        }
        for t in sizes
    }  # fmt: skip


def risky():
    return {
        f"risk {t}": {
            "check": "risks", "rounds": t, "n_experts": 4, "averaged": [1 / t, 3 / t],
            "mixtures": [2 / t] * 2, "minimiser": [1 / t] * 2, "regret": [t**0.5] * 2,
        }
        for t in SIZES
    }  # fmt: skip


@pytest.mark.parametrize(
    ("power", "word"),
    [(0.5, "like sqrt T"), (0.25, "slower than sqrt T"), (1.0, "faster than sqrt T")],
)
def test_the_exponent_is_found_and_read(power, word):
    (row,) = growth.regret_table(grown("random", power)).rows
    assert row[1:3] == [f"{power:.3f} ± 0.000"] * 2
    assert row[-1] == word


def test_the_word_follows_from_the_interval_over_seeds():
    # Two seeds: half of the interval is 12.706 times half of what they are apart.
    for apart, word in ((0.01, "slower than sqrt T"), (0.02, "like sqrt T")):
        (row,) = growth.regret_table(grown("random", 0.4, apart=apart)).rows
        assert row[1] == f"0.400 ± {12.706 * apart / 2:.3f}"
        assert row[-1] == word


def test_a_negative_regret_has_no_exponent():
    (row,) = growth.regret_table(grown("drifting", 0.5, sign=-1.0)).rows
    assert (row[1], row[-1]) == (None, "negative")


def test_one_length_has_neither_exponent_nor_word():
    (row,) = growth.regret_table(grown("random", 0.5, sizes=(100,))).rows
    assert (row[1], row[-1]) == (None, "")


def test_risks_stand_beside_bounds_that_are_marked_where_they_are_vacuous():
    table = growth.risk_table(risky())
    first, last = table.rows[0], table.rows[-1]
    assert first[:4] == [50, pytest.approx(2 / 50), 3 / 50, "37.6 (vacuous)"]
    assert "vacuous" not in last[-2]
    assert "exponent −1.00 ± 0.00" in table.note


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_figures_draw_what_was_seen_and_the_bounds(theme):
    records = {**grown("random", 0.5), **grown("drifting", 0.5, sign=-1.0), **risky()}
    figures = growth.figures(records, theme)
    names = {
        stem: [line.get_label() for line in figure.axes[0].lines if line.get_label()[0] != "_"]
        for stem, figure in figures.items()
    }
    assert names["theory-regret"] == ["random", "Theorem 2, corrected"]
    assert names["theory-risk"][0] == "averaged expert"
    assert len(names["theory-risk"]) == 5
    assert names["theory-risk"][1] == growth.risk_table(records).columns[-1] == "certificate"


def test_without_records_there_is_no_figure():
    assert growth.figures({}) == {}
