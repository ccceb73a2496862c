"""Inputs as experts see them: standardised as they arrive, shrunk to the bound."""

from mooe.numerics.arithmetic import shrink
from mooe.numerics.compiled import forced, part
from mooe.numerics.lanes import fma, load, pick, root, select, size, spread, store, total

LARGEST_WEIGHT = 1e50  # of a sample
LARGEST_INPUT = 1e100  # squares of larger numbers would not fit a float
CONSTANT = 1e-300  # a sum of squares this small is a constant column


@forced
def welford(value, n, mean, squares):
    """Return mean, squares and the standardised value once it is the n-th of its column.

    A constant column and an absent value (NaN) give 0.
    """
    step = value - mean
    middle = mean + step / n
    beside = value - middle
    squares = squares + step * beside
    return middle, squares, select(squares, CONSTANT, beside * root(n / squares), 0.0)


@forced
def if_present(value, new, old):
    """Return new, or old where the value is absent (NaN)."""
    return select(size(value), -1.0, new, old)


@forced
def standardise(x, count, mean, squares, learn, bound, out):
    """In place: out = x standardised by the running statistics of its columns, x included.

    Welford's update; with learn the statistics are kept, without they stay as they were, and out is
    the same either way. Including x bounds |out[j]| by sqrt(count), also where a column was
    constant until now. Last, out is shrunk to norm bound where it is longer.
    """
    d = x.shape[0]
    whole = d - d % 4
    s = spread(0.0)
    for j in range(0, whole, 4):
        given, n, before = load(x, j), load(count, j), load(mean, j)
        value = if_present(given, given, before)  # the mean changes nothing
        middle, sum_of_squares, seen = welford(value, n + 1.0, before, load(squares, j))
        store(out, j, seen)
        s = fma(seen, seen, s)
        if learn:
            store(count, j, n + if_present(given, 1.0, 0.0))
            store(mean, j, middle)
            store(squares, j, sum_of_squares)
    one = 0.0
    for j in range(whole, d):
        n = count[j] + 1.0
        middle, sum_of_squares, seen = welford(x[j], n, mean[j], squares[j])
        out[j] = seen
        one = fma(seen, seen, one)
        if learn and x[j] == x[j]:
            count[j], mean[j], squares[j] = n, middle, sum_of_squares
    shrink(out, d, total(s) + one, bound)


@part
def are_usable(X):
    """Whether no value is larger than LARGEST_INPUT; NaN is an absent one."""
    n = X.shape[0] * X.shape[1]
    whole = n - n % 4
    bad, one = spread(0.0), spread(1.0)
    for k in range(0, whole, 4):
        bad = select(size(load(X, (0, k))), LARGEST_INPUT, one, bad)
    found = total(bad) > 0.0
    for k in range(whole, n):
        found = found or abs(pick(X, (0, k))) > LARGEST_INPUT
    return not found


@forced
def as_given(x, out):
    """In place: out = x, with 0 for an absent value (NaN)."""
    d = x.shape[0]
    whole = d - d % 4
    for j in range(0, whole, 4):
        value = load(x, j)
        store(out, j, if_present(value, value, spread(0.0)))
    for j in range(whole, d):
        out[j] = x[j] if x[j] == x[j] else 0.0
