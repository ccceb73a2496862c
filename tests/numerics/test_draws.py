"""Random numbers without a state: those of the published hash, uniform, and unlike each other."""

import numpy as np
from forest_reference import key_of as expected_key
from forest_reference import scrambled as expected_bits
from numba import njit

from mooe.numerics.draws import draw, key_of, scrambled


@njit
def keys(seed, n, out):
    for i in range(n):
        out[i] = key_of(seed, i)


@njit
def bits_of(value):
    return scrambled(value)


@njit
def draws(keys, out):
    for i in range(len(keys)):
        out[i] = draw(keys[i])


def series(seed, n=20_000):
    found, uniform = np.empty(n, np.uint64), np.empty(n)
    keys(seed, n, found)
    draws(found, uniform)
    return found, uniform


def test_bits_are_scrambled_as_in_splitmix64():
    # The first outputs of splitmix64 from the state 1234567, as its authors give them.
    state, found = 1234567, []
    for _ in range(3):
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        found.append(int(bits_of(np.uint64(state))))
    assert found == [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert found[0] == expected_bits((1234567 + 0x9E3779B97F4A7C15) % 2**64)


def test_a_key_is_the_oracles():
    for seed in (0, 1, 2**63 - 1):
        found, _ = series(seed, 100)
        assert [int(key) for key in found] == [expected_key(seed, i) for i in range(100)]


def test_draws_are_uniform_and_those_of_other_seeds_unlike_them():
    _, one = series(0)
    _, other = series(1)
    assert (one.min() >= 0.0, one.max() < 1.0) == (True, True)
    counts, _ = np.histogram(one, 20, (0.0, 1.0))
    assert np.abs(counts - 1000).max() < 150
    assert abs(np.corrcoef(one, other)[0, 1]) < 0.03
    assert abs(np.corrcoef(one[1:], one[:-1])[0, 1]) < 0.03
