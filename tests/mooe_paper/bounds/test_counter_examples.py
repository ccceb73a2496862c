"""The counter-examples break what they are made to break, by the figures of the errata."""

import pytest

from mooe_paper.bounds import counter_examples


def test_the_printed_step_misses_its_bound_and_the_corrected_one_keeps_it():
    found = counter_examples.printed_step(0.1, 5.0, 50)
    printed, right = found["printed_regret"], found["corrected_regret"]
    assert (round(printed, 2), round(found["printed_bound"], 2)) == (40.06, 0.6)
    assert (round(right, 2), round(found["corrected_bound"], 2)) == (1.12, 30.0)


def test_the_raw_squared_loss_breaks_even_the_corrected_bound_22_times():
    found = counter_examples.raw_loss(5.0, 50)
    assert found["raw_regret"] / found["raw_bound"] == pytest.approx(22.5)
    assert found["divided_regret"] < found["divided_bound"]


def test_a_loss_that_is_smooth_on_the_ball_alone_breaks_gradient_bound_and_theorem_2():
    found = counter_examples.ball_smooth_loss(1e-6, 50)
    assert found["gradient"] > 100 * found["gradient_bound"]
    assert found["regret"] > 100 * found["bound"]


def test_the_complexity_on_the_sphere_is_above_the_printed_bound_and_below_the_others():
    found = counter_examples.rademacher(5, 1000, n_samples=20, n_draws=100)
    assert round(found["printed"], 4) == 0.0033
    assert found["observed"] == pytest.approx(0.0301, abs=6 * found["error"])
    assert found["observed"] < found["direct"] < found["corrected"]


def test_lemma_2_and_theorem_3_as_printed_are_broken_by_the_printed_step():
    found = counter_examples.printed_risk(0.01, 50.0, 10_000)
    assert found["printed_mixtures"] > 5 * found["lemma_2_printed"]
    assert found["printed_averaged"] > 2 * found["theorem_3_printed"]
    assert found["corrected_mixtures"] < found["lemma_2_corrected"]
    assert found["corrected_averaged"] < found["theorem_3_direct"]
