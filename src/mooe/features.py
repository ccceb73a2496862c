"""Inputs as experts see them: standardised as they arrive, shrunk to the bound."""

import numpy as np

from mooe.arithmetic import dot
from mooe.compiled import part

__all__ = ["LARGEST_INPUT", "as_given", "standardise"]

LARGEST_INPUT = 1e100  # squares of larger numbers would not fit a float
CONSTANT = 1e-300  # a sum of squares this small is a constant column


@part
def standardise(x, count, mean, squares, learn, out):
    """In place: out = x standardised by the running statistics of its columns, x included.

    Welford's update; with learn the statistics are kept, without they stay as they were, and out is
    the same either way. Including x bounds |out[j]| by sqrt(count), also where a column was
    constant until now. A constant column and an absent value (NaN) give 0.
    """
    for j in range(x.shape[0]):
        value = x[j]
        n = count[j] + 1.0
        step = value - mean[j]
        middle = mean[j] + step / n
        total = squares[j] + step * (value - middle)
        present = value == value
        out[j] = (value - middle) * np.sqrt(n / total) if present and total > CONSTANT else 0.0
        if learn:
            count[j] = n if present else count[j]
            mean[j] = middle if present else mean[j]
            squares[j] = total if present else squares[j]


@part
def as_given(x, out):
    """In place: out = x, with 0 for an absent value (NaN)."""
    for j in range(x.shape[0]):
        out[j] = x[j] if x[j] == x[j] else 0.0


@part
def shrink(out, n, bound):
    """In place: scale the first n numbers of out down to norm bound where they are longer."""
    square = dot(out, out, n)
    if square > bound * bound:
        factor = bound / np.sqrt(square)
        for j in range(n):
            out[j] *= factor
