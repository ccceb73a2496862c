"""Levels of numbers: a number lies in its level, and levels rise with it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mooe.evaluate.levels import level_edges, levels_of


@given(st.floats(2.0**-100, 2.0**100), st.sampled_from([1, 64, 1024]), st.integers(-100, 0))
def test_a_number_lies_between_the_edges_of_its_level(value, steps, lowest):
    (level,) = levels_of(np.array([value]), steps, lowest)
    low, high = level_edges(np.array([level, level + 1]), steps, lowest)
    assert low <= value < high
    assert high / low <= 1.0 + 1.0 / steps


@pytest.mark.parametrize("steps", [64, 1024])
def test_levels_rise_with_the_number_and_an_octave_has_as_many_as_it_is_told(steps):
    values = np.geomspace(2.0**-20, 2.0**20, 999)
    levels = levels_of(values, steps, -20)
    assert (np.diff(levels) >= 0).all()
    assert (levels[0], levels_of(np.array([1.0]), steps, -20)[0]) == (0, 20 * steps)


def test_what_is_below_the_lowest_octave_has_a_level_below_the_first():
    assert (levels_of(np.array([0.0, 2.0**-21]), 64, -20) < 0).all()
