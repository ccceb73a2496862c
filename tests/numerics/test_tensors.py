"""Arrays from a file: the shape, whole numbers, and sizes that compiled code can take."""

import numpy as np
import pytest

from mooe.auto.tensors import check_size, check_whole, put


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
