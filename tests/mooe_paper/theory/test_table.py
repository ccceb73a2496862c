"""The table of all bounds: complete, consistent with the functions, vacuous ones marked."""

import math

import numpy as np
import pytest

from mooe.paper import core
from mooe_paper import theory

AT_HOME = theory.Assumptions(25, 50, radius=1.0, input_bound=1.0, smoothness=0.5)


def bounds_by_name(assumptions):
    return {(row.source, row.form): row for row in theory.bounds(assumptions)}


def test_every_result_of_the_paper_has_its_row():
    sources = {source for source, _ in bounds_by_name(AT_HOME)}
    numbered = {f"Lemma {n}" for n in range(1, 5)} | {f"Theorem {n}" for n in range(1, 4)}
    assert numbered <= sources


def test_values_are_those_of_the_functions_and_the_vacuous_ones_are_marked():
    rows = bounds_by_name(AT_HOME)
    assert rows["Theorem 2", "corrected"].value == theory.regret_bound(25, 50, 1.0, 0.5)
    assert not rows["Theorem 2", "corrected"].vacuous
    assert rows["Theorem 3", "printed"].value == pytest.approx(37.64, abs=0.005)
    assert rows["Theorem 3", "printed"].vacuous
    assert rows["Lemma 1", "corrected"].vacuous  # at the floor
    assert rows["Theorem 1", "corrected"].vacuous


def test_a_strong_pull_makes_theorem_1_say_something():
    strong = theory.Assumptions(25, 50, 1.0, 1.0, 0.5, mean_loss=0.2, pull=5.0)
    assert not bounds_by_name(strong)["Theorem 1", "corrected"].vacuous
    assert not bounds_by_name(strong)["Lemma 1", "corrected"].vacuous


def test_a_thousand_rounds_leave_only_the_printed_form_of_theorem_3_without_a_word():
    rows = bounds_by_name(theory.Assumptions(25, 1_000, 1.0, 1.0, 0.5))
    assert not rows["Theorem 3", "direct"].vacuous
    assert not rows["Theorem 3", "corrected"].vacuous
    assert rows["Theorem 3", "printed"].vacuous


@pytest.mark.parametrize("seed", range(20))
def test_no_eigenvalues_make_a_bound_larger_than_unknown_ones(seed):
    rng = np.random.default_rng(seed)
    values = rng.dirichlet(np.full(rng.integers(1, 9), 0.7)) * 4.0  # of a sum of D^2
    known = theory.Assumptions(25, 50, 1.0, 2.0, 0.5, eigenvalues=tuple(values))
    unknown = bounds_by_name(theory.Assumptions(25, 50, 1.0, 2.0, 0.5))
    for name, row in bounds_by_name(known).items():
        assert row.value <= unknown[name].value * (1 + 1e-12), name


def test_a_model_and_a_stream_have_a_table():
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = (X[:, 0] > 0).astype(float)
    params = core.Params(interval=20, max_experts=3)
    state = core.init(params, 3, n_classes=2)
    core.predict_then_learn(params, state, X, y)
    tables = [
        theory.bounds(theory.model_assumptions(params, state)),
        theory.bounds(theory.stream_assumptions(X, 2 * y - 1)),
    ]
    for rows in tables:
        assert len(rows) == len(theory.bounds(AT_HOME))
        assert all(row.value >= 0 for row in rows)


def test_a_bound_that_is_no_number_is_vacuous():
    assert theory.is_vacuous(math.nan, 1.0)
    assert theory.is_vacuous(math.inf, 1.0)
    assert not theory.is_vacuous(5.0, math.inf)
