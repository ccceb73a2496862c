"""Intervals of means over seeds."""

import numpy as np
import pytest

from mooe_paper.early.confidence import both, estimate, has_gained, word, written


def test_an_interval_holds_the_mean_as_often_as_it_says():
    draws = np.random.default_rng(0).normal(3.0, 2.0, size=(30, 4000))
    found = np.array(estimate(draws))
    inside = (found[:, 1] <= 3.0) & (found[:, 2] >= 3.0)
    assert inside.mean() == pytest.approx(0.95, abs=0.015)
    assert found[:, 0] == pytest.approx(draws.mean(axis=0), abs=1e-6)


def test_arrays_give_nested_lists():
    found = estimate(np.zeros((3, 2, 5)))
    assert (len(found), len(found[0]), found[1][4]) == (2, 5, [0.0, 0.0, 0.0])


def test_one_seed_has_no_interval():
    with pytest.raises(ValueError, match="at least 2 seeds, got 1"):
        estimate(np.ones(1))


@pytest.mark.parametrize(
    ("found", "said"),
    [([-1, -2, -0.1], "lower"), ([1, 0.1, 2], "higher"), ([-1, -2, 0.0], "no difference")],
)
def test_a_word_needs_the_whole_interval_on_one_side(found, said):
    assert word(found) == said


def test_both_words_are_said_once_where_they_are_one():
    low, none = [-1, -2, -0.5], [0, -1, 1]
    assert both(low, low) == "both lower"
    assert both(none, none) == "no difference"
    assert both(low, none) == "loss lower, error no difference"
    assert has_gained(low) == "holds"
    assert has_gained(none) == "not shown"


def test_what_is_written_says_mean_and_half_the_interval():
    low, mean, high = -2.0, -1.0, 0.0
    assert written([mean, low, high], 1) == "−1.0 ± 1.0"
    assert written([0.03, 0.01, 0.05], 1, scale=100.0) == "3.0 ± 2.0"
