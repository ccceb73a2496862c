"""Shares of bounds are computed from records with the functions of `mooe_paper.theory`."""

import pytest

from mooe_paper import theory
from mooe_paper.checks import shares

REGRETS = {
    "check": "regrets",
    "setting": "squared",
    "labels": "random",
    "interval": 100,
    "max_experts": 3,
    "columns": ["n_experts", "meta", "experts", "online", "mixture", "meta_share", "early_share"],
    "intervals": [[3, 1.0, 2.0, 4.0, 3.0, 0.2, 0.1]],
}


def of_source(records, source, what=""):
    return [s for s in shares.all_shares(records) if s.source == source and what in s.what]


def test_a_regret_is_a_share_of_theorem_2():
    (whole, early) = of_source({"a": REGRETS}, "Theorem 2")
    assert whole.values == [pytest.approx(3.0 / theory.regret_bound(3, 100, 1.0, 0.5))]
    assert early.values == [0.1]
    assert whole.vacuous == 0
    assert whole.says() == "1 of 1"


def test_bounds_within_an_interval_are_counted_one_by_one():
    # K = 3, T = 100, R = D = 1: 19.2 after 10 labels and 27.8 after 25 say nothing, 37.9 after 50
    # does; the meta expert's bound is above t up to label 5.
    (_, early) = of_source({"a": REGRETS}, "Theorem 2")
    (always,) = of_source({"a": REGRETS}, "eq. rg:mee")
    rate = theory.meta_rate(3, 100)
    values = [theory.regret_bound_at(t, 3, rate, 1.0, 0.5) for t in (10, 25, 50)]
    assert [round(value, 1) for value in values] == [19.2, 27.8, 37.9]
    assert early.says() == "1 of 3"
    assert always.says() == "95 of 100"


def test_what_has_no_trivial_value_says_nothing_of_how_much_it_says():
    (gradient,) = of_source({"a": {"check": "gradients", "share": 0.7}}, "eq. func")
    assert gradient.values == [0.7]
    assert gradient.says() is None


def test_at_the_floor_lemma_1_counts_as_vacuous():
    record = {
        "check": "transfers", "setting": "squared", "pull": None, "interval": 100,
        "columns": ["mean_loss", "omega", "optimum_omega", "distance"],
        "intervals": [[0.25, 0.5, 0.1, 0.4]],
    }  # fmt: skip
    (lemma,) = of_source({"a": record}, "Lemma 1")
    assert lemma.values == [pytest.approx(0.5 / 4.0)]
    assert lemma.vacuous == 1
    (strong,) = of_source({"a": {**record, "pull": 5.0}}, "Lemma 1")
    assert strong.values == [pytest.approx(0.5 / (0.25 / 5.0))]
    assert strong.vacuous == 0
    (_, triangle) = of_source({"a": {**record, "pull": 5.0}}, "Theorem 1")
    assert triangle.values == [pytest.approx(0.4 / (0.1**0.5 + 0.05**0.5))]


def test_risks_are_shares_of_every_form():
    record = {
        "check": "risks", "rounds": 400, "n_experts": 4, "averaged": [0.01], "mixtures": [0.05],
        "minimiser": [0.02], "regret": [8.0],
    }  # fmt: skip
    records = {(s.source, s.form): s for s in shares.all_shares({"a": record})}
    limits = shares.risk_bounds(400, 4)
    assert records["Lemma 2", "corrected"].values == [
        pytest.approx(0.03 / limits["Lemma 2", "corrected"])
    ]
    assert records["Theorem 3", "direct"].vacuous == 0
    assert records["Theorem 3", "corrected"].values == [pytest.approx(0.01 / 0.97, rel=1e-2)]
    assert records["Lemma 4", "printed"].vacuous == 1


def test_what_has_no_record_has_no_share():
    assert shares.all_shares({}) == []
