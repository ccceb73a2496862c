"""Arithmetic: exp, log and softplus to a few units in the last place, one rounding in fma, dot."""

import math
from fractions import Fraction

import numpy as np
import pytest
from numba import njit

from mooe.numerics.arithmetic import dot, exp, fma, inverse_root, log, softplus_below
from mooe.numerics.lanes import load, store

EPSILON = np.finfo(float).eps


@njit
def exps(x, out):
    for i in range(x.shape[0]):
        out[i] = exp(x[i])


@njit
def logs(x, out):
    for i in range(x.shape[0]):
        out[i] = log(x[i])


@njit
def logs_of_lanes(x, out):
    for i in range(0, x.shape[0], 4):
        store(out, i, log(load(x, i)))


@njit
def inverse_roots(x, out):
    for i in range(x.shape[0]):
        out[i] = inverse_root(x[i])


@njit
def softplus(u, out):
    for i in range(u.shape[0]):
        out[i] = softplus_below(u[i])


@njit
def fused(a, b, c):
    return fma(a, b, c)


@njit
def product(a, b, n):
    return dot(a, b, n)


def mapped(function, x):
    out = np.empty_like(x)
    function(x, out)
    return out


def relative_error(got, expected):
    return np.max(np.abs(got - expected) / np.abs(expected))


def test_exp_is_within_three_units_of_the_last_place():
    rng = np.random.default_rng(0)
    x = np.concatenate([
        rng.uniform(-700, 700, 100_000),
        rng.uniform(-1, 1, 100_000),
        rng.normal(size=1000) * 10.0 ** rng.uniform(-300, 0, 1000),
        np.log(2) / 2 * np.arange(-1000, 1001),  # where the reduction changes its integer
    ])  # fmt: skip
    assert relative_error(mapped(exps, x), np.exp(x)) <= 3 * EPSILON


@pytest.mark.skipif(np.finfo(np.longdouble).eps == EPSILON, reason="no longer float here")
def test_exp_and_softplus_agree_with_a_longer_float_to_four_parts_in_1e16():
    rng = np.random.default_rng(1)
    x, u = rng.uniform(-700, 700, 100_000), rng.uniform(0, 1, 100_000)
    long_x, long_u = x.astype(np.longdouble), u.astype(np.longdouble)
    assert relative_error(mapped(exps, x), np.exp(long_x)) <= 4e-16
    assert relative_error(mapped(softplus, u), np.log1p(long_u)) <= 4e-16


def test_exp_of_zero_is_one_and_what_is_smaller_than_the_smallest_counts_as_it():
    smallest = math.exp(-700)
    got = mapped(exps, np.array([0.0, -0.0, -700.0, -701.0, -1e300, -np.inf]))
    np.testing.assert_allclose(got, [1, 1, *[smallest] * 4], rtol=3 * EPSILON)
    assert got[0] == got[1] == 1


def test_exp_never_falls_by_more_than_its_error():
    values = mapped(exps, np.linspace(-30, 30, 200_001))
    assert np.all(np.diff(values) > -3 * EPSILON * values[1:])


def test_a_logarithm_is_within_three_parts_in_1e16_at_every_size():
    rng = np.random.default_rng(0)
    x = np.concatenate([
        np.logspace(-300, 300, 100_000),
        rng.uniform(0.5, 2.0, 100_000),
        1.0 + rng.normal(size=1000) * 10.0 ** rng.uniform(-16, -1, 1000),
        np.sqrt(2.0) * 2.0 ** np.arange(-500.0, 500.0),  # where the power of two changes
    ])  # fmt: skip
    expected = np.log(x.astype(np.longdouble))
    got = mapped(logs, x)
    assert np.all(np.abs(got - expected) <= 3e-16 * np.maximum(1.0, np.abs(expected)))
    assert mapped(logs, np.ones(1))[0] == 0.0
    np.testing.assert_array_equal(mapped(logs_of_lanes, x), got)


def test_an_inverse_root_is_within_two_parts_in_1e15_at_every_size():
    x = np.concatenate([np.linspace(1.0, 4.0, 200_001), np.logspace(-300, 300, 100_001)])
    expected = 1.0 / np.sqrt(x.astype(np.longdouble))
    assert relative_error(mapped(inverse_roots, x), expected) < 2e-15
    assert mapped(inverse_roots, np.ones(1))[0] == 1.0


def test_softplus_is_within_four_units_of_the_last_place():
    rng = np.random.default_rng(2)
    u = np.concatenate([rng.uniform(0, 1, 100_000), 10.0 ** rng.uniform(-300, 0, 10_000), [1.0]])
    assert relative_error(mapped(softplus, u), np.log1p(u)) <= 4 * EPSILON
    assert mapped(softplus, np.zeros(1)) == 0


def test_a_fused_multiply_add_rounds_once():
    for a, b, c in np.random.default_rng(3).normal(size=(1000, 3)):
        exact = Fraction(a) * Fraction(b) + Fraction(c)
        assert fused(a, b, c) == float(exact)
    assert fused(1 + EPSILON, 1 - EPSILON, -1.0) == -(EPSILON**2)  # 0 with two roundings


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 7, 8, 9, 100])
def test_a_dot_product_is_the_sum_of_the_first_products(n):
    a, b = np.random.default_rng(n).normal(size=(2, 101))
    expected = math.fsum(a[:n] * b[:n])
    assert product(a, b, n) == pytest.approx(expected, abs=1e-13)
    a[n:] = np.nan
    assert product(a, b, n) == pytest.approx(expected, abs=1e-13)
