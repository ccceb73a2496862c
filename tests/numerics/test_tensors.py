"""Arrays from a file: the shape, whole numbers, and sizes that compiled code can take."""

import numpy as np
import pytest

from mooe.numerics.tensors import check_counters, check_size, check_whole, put


def test_an_array_is_put_in_place_if_its_shape_fits():
    target = np.zeros((2, 3))
    put("rows", target, np.ones((2, 3)))
    assert (target == 1.0).all()
    with pytest.raises(ValueError, match=r"rows must have the shape \(2, 3\), got \(3, 2\)"):
        put("rows", target, np.zeros((3, 2)))
    assert (target == 1.0).all()


@pytest.mark.parametrize("value", [-1.0, 0.5, 3.0, np.nan, np.inf])
def test_numbers_that_count_are_whole_and_below_their_limit(value):
    check_whole("places", np.array([0.0, 1.0, 2.0]), 3)
    with pytest.raises(ValueError, match="places must be whole numbers from 0 to below 3"):
        check_whole("places", np.array([0.0, value]), 3)


@pytest.mark.parametrize("value", [1.1e100, -np.inf, np.nan])
def test_other_numbers_are_as_small_as_inputs(value):
    check_size("mean", np.array([1e100, -1e100, 0.0]))
    with pytest.raises(ValueError, match=r"mean must be numbers of size up to 1e\+100"):
        check_size("mean", np.array([0.0, value]))


def test_an_array_is_put_at_a_place_of_a_larger_one():
    target = np.zeros((2, 3))
    put("rows", target, np.ones(2), np.s_[:, 1])
    assert target.tolist() == [[0.0, 1.0, 0.0]] * 2
    with pytest.raises(ValueError, match=r"rows must have the shape \(2,\), got \(3,\)"):
        put("rows", target, np.ones(3), np.s_[:, 1])


@pytest.mark.parametrize("value", [-1, 2, 1.0, True, None])
def test_counters_are_whole_numbers_below_their_limit(value):
    check_counters({"t": 1, "n": 5}, ("n", "t"), {"t": 2}, 9)
    with pytest.raises(ValueError, match="t must be a whole number from 0 to below 2, got"):
        check_counters({"t": value, "n": 5}, ("n", "t"), {"t": 2}, 9)
    with pytest.raises(ValueError, match=r"counters must be \['n', 't'\], got \['n'\]"):
        check_counters({"n": 5}, ("n", "t"), {}, 9)
