"""Intervals of means over seeds."""

import numpy as np
import pytest

from mooe_paper.estimate import estimate


def test_an_interval_holds_the_mean_as_often_as_it_says():
    draws = np.random.default_rng(0).normal(3.0, 2.0, size=(30, 4000))
    ends = np.array(estimate(draws))
    inside = (ends[:, 1] <= 3.0) & (ends[:, 2] >= 3.0)
    assert inside.mean() == pytest.approx(0.95, abs=0.015)
    assert ends[:, 0] == pytest.approx(draws.mean(axis=0), abs=1e-6)


def test_arrays_give_nested_lists():
    ends = estimate(np.zeros((3, 2, 5)))
    assert (len(ends), len(ends[0]), ends[1][4]) == (2, 5, [0.0, 0.0, 0.0])


def test_one_seed_has_no_interval():
    with pytest.raises(ValueError, match="at least 2 seeds, got 1"):
        estimate(np.ones(1))
