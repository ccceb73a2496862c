"""Random numbers without a state: a hash of what they are drawn for (Steele et al., 2014).

Whoever draws names the seed, the row and what the number is for; so nothing has to be remembered,
and the order of draws does not matter. Compiled code alone calls these.
"""

import numpy as np

from mooe.numerics.compiled import forced

STEP = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)


@forced
def scrambled(bits):
    """Return 64 bits that look unrelated to the given ones: the finaliser of splitmix64."""
    bits = (bits ^ (bits >> np.uint64(30))) * FIRST
    bits = (bits ^ (bits >> np.uint64(27))) * SECOND
    return bits ^ (bits >> np.uint64(31))


@forced
def key_of(key, number):
    """Return the key of a whole number from 0 on, by another key or a seed."""
    return scrambled(np.uint64(key) ^ (STEP * np.uint64(number + 1)))


@forced
def draw(key):
    """Return the number of a key, uniform in [0, 1)."""
    return (key >> np.uint64(11)) * 2.0**-53
