"""Levels of positive numbers, equally many to an octave: what is counted by level needs no rows.

The bits of a float are its octave, then its place in it: their first ones are the level.
"""

import numpy as np

BITS = 52  # of a float that tell its place in an octave


def levels_of(values: np.ndarray, steps: int, lowest: int) -> np.ndarray:
    """Return the level of each number, counted from 2 ** lowest on; below it less than 0.

    `steps` are the levels of an octave, a power of two.

    >>> levels_of(np.array([0.0, 1.0, 1.25, 2.0]), 64, 0).tolist()[1:]
    [0, 16, 64]
    """
    bits = BITS + 1 - steps.bit_length()  # that do not tell the level
    place: np.ndarray = np.ascontiguousarray(values).view(np.int64) >> bits
    return place - (1023 + lowest) * steps


def level_edges(levels: np.ndarray, steps: int, lowest: int) -> np.ndarray:
    """Return the least number of each level.

    >>> level_edges(np.array([0, 16, 64]), 64, 0).tolist()
    [1.0, 1.25, 2.0]
    """
    octave, step = np.divmod(levels, steps)
    edges: np.ndarray = np.ldexp(1.0 + step / steps, octave + lowest)
    return edges
