"""Sixteen numbers at once: what compiled code does with them is what numpy does one by one."""

import numpy as np
import pytest
from numba import njit

from mooe.numerics.sixteen import (
    below,
    fma_sixteen,
    highest_bit,
    inserted,
    load_sixteen,
    none_of_sixteen,
    one_of_sixteen,
    sixteen_times,
    store_sixteen,
)


@njit
def squared(values, x, scale, out):
    away = (one_of_sixteen(x, 1) - load_sixteen(values, 3)) * one_of_sixteen(scale, 0)
    store_sixteen(out, 0, fma_sixteen(away, away, none_of_sixteen()))
    store_sixteen(out, 16, sixteen_times(0.1))


@njit
def bits_below(values, ascending):
    return below(load_sixteen(values, 0), load_sixteen(ascending, 0), 9)


@njit
def bits_of(number):
    return highest_bit(number)


@njit
def insert(ascending, beside, new):
    value, near = one_of_sixteen(new, 0), load_sixteen(ascending, 0)
    store_sixteen(beside, 0, inserted(load_sixteen(beside, 0), near, value, one_of_sixteen(new, 1)))
    store_sixteen(ascending, 0, inserted(near, near, value, value))


def singles(*values):
    return np.array(values, np.float32)


def test_squares_are_those_of_single_precision_rounded_once():
    rng = np.random.default_rng(0)
    values, x, scale = (rng.normal(size=n).astype(np.float32) for n in (20, 2, 1))
    out = np.zeros(32, np.float32)
    squared(values, x, scale, out)
    away = (x[1] - values[3:19]) * scale[0]
    np.testing.assert_array_equal(out[:16], (away.astype(float) ** 2).astype(np.float32))
    np.testing.assert_array_equal(out[16:], np.full(16, 0.1, np.float32))


def test_bits_say_which_are_below_the_tenth():
    rng = np.random.default_rng(0)
    for _ in range(20):
        values, ascending = rng.normal(size=(2, 16)).astype(np.float32)
        ascending.sort()
        values[0], values[1] = np.nan, ascending[9]
        bits = bits_below(values, ascending)
        assert [bits >> i & 1 for i in range(16)] == (values < ascending[9]).astype(int).tolist()


@pytest.mark.parametrize("number", [1, 2, 3, 64, 2**40 + 5, 2**63 - 1, -1, -(2**63)])
def test_the_highest_bit_is_found(number):
    assert bits_of(number) == (number % 2**64).bit_length() - 1


def test_a_number_is_inserted_behind_those_that_are_not_above_it():
    rng = np.random.default_rng(0)
    near, beside = np.full(16, 9.0, np.float32), np.full(16, -1.0, np.float32)
    seen = []
    for i in range(100):
        value = float(rng.integers(0, 8))  # many are alike: the first stays before
        seen.append((value, i))
        insert(near, beside, singles(value, i))
        expected = sorted(seen)[:16]
        assert near[: len(expected)].tolist() == [value for value, _ in expected]
        assert beside[: len(expected)].tolist() == [i for _, i in expected]
