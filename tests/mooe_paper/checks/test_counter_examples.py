"""The counter-examples break what they are made to break, by the figures of the errata."""

import numpy as np
import pytest

from mooe_paper.checks import counter_examples


def test_the_printed_step_misses_its_bound_and_the_corrected_one_keeps_it():
    record = counter_examples.printed_step(0.1, 5.0, 50)
    printed, right = record["printed_regret"], record["corrected_regret"]
    assert (round(printed, 2), round(record["printed_bound"], 2)) == (40.06, 0.6)
    assert (round(right, 2), round(record["corrected_bound"], 2)) == (1.12, 30.0)


def test_the_raw_squared_loss_breaks_even_the_corrected_bound_22_times():
    record = counter_examples.raw_loss(5.0, 50)
    assert record["raw_regret"] / record["raw_bound"] == pytest.approx(22.5)
    assert record["divided_regret"] < record["divided_bound"]


def test_a_loss_that_is_smooth_on_the_ball_alone_breaks_gradient_bound_and_theorem_2():
    record = counter_examples.ball_smooth_loss(1e-6, 50)
    assert record["gradient"] > 100 * record["gradient_bound"]
    assert record["regret"] > 100 * record["bound"]


def test_smooth_on_the_ball_alone_lemma_3_is_broken_more_often_than_it_allows():
    record = counter_examples.ball_smooth_minimiser(1e-6, 50, 0.55, 0.05)
    draws = np.random.default_rng(0).binomial(50, 0.55, size=100_000)
    assert record["probability"] == pytest.approx(np.mean(draws < 25), abs=0.005)
    assert record["probability"] > 3 * record["failure"]
    assert record["excess"] > 10 * record["bound"]


def test_smooth_on_the_ball_alone_theorem_3_is_broken_with_the_right_step_too():
    record = counter_examples.ball_smooth_average(1e-9, 60_000, 0.75, 2)
    assert record["excess"] == pytest.approx(0.125, abs=0.003)
    assert record["excess"] > record["bound"]


def test_the_complexity_on_the_sphere_is_above_the_printed_bound_and_below_the_others():
    record = counter_examples.rademacher(5, 1000, n_samples=20, n_draws=100)
    assert round(record["printed"], 4) == 0.0033
    assert record["observed"] == pytest.approx(0.0301, abs=6 * record["error"])
    assert record["observed"] < record["direct"] < record["corrected"]


def test_lemma_2_and_theorem_3_as_printed_are_broken_by_the_printed_step():
    record = counter_examples.printed_risk(0.01, 50.0, 10_000)
    assert record["printed_mixtures"] > 5 * record["lemma_2_printed"]
    assert record["printed_averaged"] > 2 * record["theorem_3_printed"]
    assert record["corrected_mixtures"] < record["lemma_2_corrected"]
    assert record["corrected_averaged"] < record["theorem_3_direct"]
