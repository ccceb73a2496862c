"""Lanes compute what floats compute, bit for bit."""

import math

import numpy as np
import pytest
from numba import njit

from mooe.numerics.lanes import (
    fma,
    lane,
    load,
    load_two,
    low_twice,
    pack,
    pick,
    root,
    rough_inverse_root,
    select,
    size,
    spread,
    store,
    store_two,
    total,
)


@njit
def on_lanes(a, b, out):
    """In place: one line of results per operation, four floats at a time."""
    x, y = load(a, 0), load(b, 0)
    store(out, (0, 0), x + y)
    store(out, (1, 0), x - 2.0)
    store(out, (2, 0), 3.0 * y)
    store(out, (3, 0), x / y)
    store(out, (4, 0), fma(x, 1.5, y))
    store(out, (5, 0), root(size(x)))
    store(out, (6, 0), select(x, 0.0, y, spread(7.0)))
    store(out, (7, 0), pack(pick(a, 3), pick(b, 0), total(x), 1.0))


@pytest.fixture
def lines():
    a, b = np.array([1.1, -2.3, math.nan, 4.7]), np.array([0.3, 1e10, -5.0, 7.7])
    out = np.zeros((8, 4))
    on_lanes(a, b, out)
    return a, b, out


def test_operators_work_lane_by_lane_and_spread_a_float(lines):
    a, b, out = lines
    for line, expected in zip(out, (a + b, a - 2.0, 3.0 * b, a / b), strict=False):
        np.testing.assert_array_equal(line, expected)


def test_fma_rounds_once():
    @njit
    def error_of_square(x):
        return fma(x, x, -x * x)

    assert error_of_square(0.1) != 0.0


def test_root_and_size(lines):
    a, _, out = lines
    np.testing.assert_array_equal(out[5], np.sqrt(np.abs(a)))


def test_a_nan_is_above_nothing(lines):
    _, b, out = lines
    np.testing.assert_array_equal(out[6], [b[0], 7.0, 7.0, b[3]])


def test_the_order_of_a_sum_is_fixed():
    @njit
    def summed(a):
        return total(load(a, 0))

    a = np.array([1.0, 1e100, 1.0, -1e100])
    assert summed(a) == (a[0] + a[2]) + (a[1] + a[3])
    assert summed(a) != ((a[0] + a[1]) + a[2]) + a[3]


def test_a_lane_is_told_by_its_place():
    @njit
    def places(a, out):
        for place in range(4):
            out[place] = lane(load(a, 0), place)

    a, out = np.array([3.0, 1.0, 4.0, 1.5]), np.zeros(4)
    places(a, out)
    assert out.tolist() == a.tolist()


def test_single_floats_go_in_and_out(lines):
    a, b, out = lines
    assert out[7, 0] == a[3]
    assert out[7, 1] == b[0]


def test_two_floats_each_go_in_from_two_places_and_out_to_two():
    @njit
    def moved(a, out):
        store_two(out, (1, 0), (0, 1), load_two(a, (0, 2), (2, 1)))
        store(out, (2, 0), low_twice(load(a, (1, 0))))

    a, out = np.arange(12.0).reshape(3, 4), np.zeros((3, 4))
    moved(a, out)
    assert out.tolist() == [[0, 9, 10, 0], [2, 3, 0, 0], [4, 5, 4, 5]]


def test_a_rough_inverse_root_is_within_a_twentieth():
    @njit
    def rough(x):
        return rough_inverse_root(x)

    for x in np.logspace(-9, 9, 200):
        assert abs(rough(x) * math.sqrt(x) - 1.0) < 0.05


@njit
def picked(wholes, singles, i):
    return pick(wholes, i) * 2, pick(singles, i)


def test_whole_numbers_and_numbers_of_half_the_size_are_picked_as_they_are():
    wholes = np.array([3, -(2**31), 2**31 - 1], dtype=np.int32)
    singles = np.array([0.1, 2.5, -1e30], dtype=np.float32)
    for i in range(3):
        assert picked(wholes, singles, i) == (2 * int(wholes[i]), float(singles[i]))


@njit
def scaled(singles, factor, out):
    store(out, 1, load(singles, 2) * factor)


def test_numbers_of_half_the_size_are_widened_where_they_come_in_and_rounded_where_they_go_out():
    singles, out = np.arange(7, dtype=np.float32) / 3, np.zeros(6, dtype=np.float32)
    scaled(singles, 0.1, out)
    expected = (singles[2:6].astype(np.float64) * 0.1).astype(np.float32)
    assert out.tolist() == [0.0, *expected.tolist(), 0.0]
    assert (expected != singles[2:6] * np.float32(0.1)).any()
