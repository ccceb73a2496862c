"""Inputs as the experts see them: standardised as they arrive; random waves and products of them.

Plain inputs are the standardised columns and a constant 1. Rich inputs are the plain ones, random
Fourier features of them (Rahimi and Recht, 2007) and products of two columns; they exist for narrow
streams. Of wide ones a row is a list of the values that are not zero, and of their columns.

Narrow inputs come in the order of the digits of their first values, whatever their order in the
table and their unit, and all that is drawn at random is drawn by that: neither the order of columns
nor their names decide. Columns that have been alike so far could change places and nothing would be
different: the first row in which they differ tells which is which. Which products there are where
not all find room is decided after the first rows, by the kinds of columns: numbers before
indicators. Indicators of one nominal column are a group: they are never multiplied with each other,
and come behind the numbers. Groups are told apart by which of their indicators is on.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from mooe.numerics.arithmetic import SHIFT, dot
from mooe.numerics.blocks import copy_alike, take
from mooe.numerics.compiled import forced, part, shared
from mooe.numerics.draws import draw, key_of
from mooe.numerics.features import CONSTANT, if_present, welford
from mooe.numerics.lanes import fma, load, mantissa, pick, root, select, size, store
from mooe.numerics.tensors import check_size, check_whole, put

NARROW = 128  # columns: with more of them there are no rich inputs
N_FOURIER, MOST_PAIRS = 100, 300  # the first a multiple of 4
BANDWIDTH = 0.7
FARTHEST = 4.0  # standard deviations
FARTHEST_FACTOR = 3.0  # in a product
AMPLITUDE = 3.0  # of the waves, all together
TOGETHER = 4  # rows that are seen before the first of them is learnt
DECIDED_AFTER = 50  # rows: then products are chosen, where there is no room for all
HALF = 0.5  # an indicator of a group is on above it
LARGEST_VALUE = 1e38  # of 32 bits

# Of a row: squared norms of plain and rich inputs, then one over the roots of their means so far.
PLAIN_NORM, RICH_NORM, PLAIN_STEP, RICH_STEP = range(4)
N_NORMS = 4
# Which files did not always hold, the second ones later than the first.
OF_COLUMNS = ("order", "first", "second", "many", "group")
OF_ALIKE = ("alike", "nominal", "alike_groups")

# Of a row, where there are groups: the columns of the table, how many first; then of each group,
# from 1 on, 1 + the input that is on, 0 for none; its place in the group; how many inputs that has.
SOURCE, ON, RANK, SIZE = range(4)
N_FACTS = 4

# sin(2 pi t) = t (S[0] + S[1] t^2 + ...), Taylor to degree 21: below 1e-17 for |t| <= 1/4
S = tuple(
    float((-1) ** k * (2.0 * np.pi) ** (2 * k + 1) / np.prod(np.arange(1.0, 2 * k + 2)))
    for k in range(11)
)


class Inputs(NamedTuple):
    """What is known of the columns, and what rich inputs are made of."""

    counts: Any  # (d,) values seen of each column
    mean: Any  # (d,)
    squares: Any  # (d,) sums of squared deviations
    zeros: Any  # (d,) how often it was 0
    touched: Any  # (d,) wide: n_seen when the column was last looked at
    dense: Any  # (d,) wide: the columns that are not sparse, n_dense of them
    place: Any  # (d,) wide: 1 + place in dense, 0 for none
    order: Any  # (d,) narrow: the column that each input is
    first: Any  # (d,) narrow: its first value, from which raw values are counted
    second: Any  # (d,) narrow: one that differs from the first, which it is while there is none
    many: Any  # (d,) narrow: 1 where it has had more than two values
    group: Any  # (d,) narrow: the group that it is an indicator of, from 1; 0 for none
    alike: Any  # (d,) narrow: 1 for a number that has always been like the input before it
    nominal: Any  # (d,) narrow: the nominal column of the table that each group is, from 1
    alike_groups: Any  # (d,) narrow: 1 for a group that has always been like the one before it
    frequencies: Any  # (d, n_fourier) in turns
    phases: Any  # (n_fourier,) in turns
    pairs: Any  # (n_pairs, 2), -1 while they are not chosen


class Seen(NamedTuple):
    """Scratch: the rows as experts see them."""

    rows: Any  # (TOGETHER, n_inputs)
    raw: Any  # (TOGETHER, d) narrow: values from the first of their column on, as 32 bits hold them
    columns: Any  # (TOGETHER, d + 1) wide: the columns of the values in rows
    lengths: Any  # (TOGETHER,) wide: how many values
    groups: Any  # (TOGETHER, N_FACTS, d + 1) narrow: what is said of them above
    norms: Any  # (TOGETHER, N_NORMS)


class Moved(NamedTuple):
    """Where the inputs of a state are once it has more columns."""

    plain: np.ndarray  # (n_plain before,)
    short: np.ndarray  # (n_short before,)
    rich: np.ndarray  # (n_rich before,)


@shared
def sizes(c):
    """Return how many inputs there are: plain ones, those with the waves, and rich ones."""
    plain = c.n_features + 1
    if c.narrow == 0:
        return plain, 0, 0
    return plain, plain + c.n_fourier, plain + c.n_fourier + c.n_pairs


@shared
def open_arrays(c, block, at):
    """Return the arrays of a block from a place on, and the place behind them."""
    d = c.n_features
    w, n = (0, d) if c.narrow else (d, 0)
    of_columns = ((d,), (d,), (d,), (d,), (w,), (w,), (w,))
    of_narrow = ((n,), (n,), (n,), (n,), (n,), (n,), (n,), (n,))
    of_draws = ((d, c.n_fourier), (c.n_fourier,), (c.n_pairs, 2))
    return take(Inputs, block, at, of_columns + of_narrow + of_draws)


@shared
def open_seen(c, block, at):
    """Return the scratch of a block from a place on, and the place behind it."""
    plain, _, rich = sizes(c)
    listed, raw = (0, c.n_features) if c.narrow else (plain, 0)
    of_values = (TOGETHER, max(plain, rich)), (TOGETHER, raw), (TOGETHER, listed)
    of_groups = (TOGETHER, N_FACTS, plain if c.narrow else 0)
    return take(Seen, block, at, (*of_values, (TOGETHER,), of_groups, (TOGETHER, N_NORMS)))


def first_pairs(groups: np.ndarray) -> np.ndarray:
    """Return the pairs of inputs to multiply: all of different groups, or -1: they will be chosen.

    groups: that of each input.
    """
    pairs = np.column_stack(np.triu_indices(len(groups)))
    one, other = groups[pairs].T
    pairs = pairs[(one != other) | (one == 0)]
    return pairs if len(pairs) <= MOST_PAIRS else np.full((MOST_PAIRS, 2), -1)


class Arrangement(NamedTuple):
    """Which column each narrow input is, and what is known of that; as in `Inputs`."""

    order: Any
    group: Any
    alike: Any
    nominal: Any
    alike_groups: Any


UNARRANGED = Arrangement(*(np.zeros(0) for _ in Arrangement._fields))


def arrangement(m: Inputs) -> Arrangement:
    """Return the arrangement of inputs, not a copy."""
    return Arrangement(*(getattr(m, name) for name in Arrangement._fields))


def arranged(before: Arrangement, nominal: np.ndarray) -> Arrangement:
    """Return an arrangement with new columns behind: numbers, then indicators by their groups.

    nominal: of each new column, the nominal column of the table that it is an indicator of, from
    1; 0 for none. New groups are behind the others, small ones first.
    """
    d, n_groups = len(before.order), int(before.group.max(initial=0.0))
    columns, sizes = np.unique(nominal[nominal > 0.0], return_counts=True)
    gains = dict(zip(columns.tolist(), sizes.tolist(), strict=True))
    told = _told_apart(before, n_groups, gains)
    numbers = {column: 1 + g for g, column in enumerate(told.nominal[:n_groups].tolist())}
    new = sorted((gains[column], column) for column in gains if column not in numbers)
    for number, (_, column) in enumerate(new, n_groups + 1):
        numbers[column] = number
    groups = np.array([numbers.get(column, 0) for column in nominal.tolist()], np.float64)
    places = np.argsort(groups, kind="stable")
    group = np.append(told.group, groups[places])
    alike = np.append(told.alike, groups[places] == 0.0)
    alike[d : d + 1] = 0.0
    of_groups = np.zeros((2, len(group)))
    of_groups[:, :n_groups] = told.nominal[:n_groups], told.alike_groups[:n_groups]
    for g, (gain, column) in enumerate(new):
        of_groups[:, n_groups + g] = column, g > 0 and new[g - 1][0] == gain
    return Arrangement(np.append(told.order, d + places), group, alike, *of_groups)


def _told_apart(before: Arrangement, n_groups: int, gains: dict[float, int]) -> Arrangement:
    """Return an arrangement in which groups that were alike stay so if they gain as many columns.

    Those that gain fewer come first.
    """
    after = Arrangement(*(array.copy() for array in before))
    first = 0
    for end in range(1, n_groups + 1):
        if end < n_groups and before.alike_groups[end] > 0.0:
            continue
        run = range(first, end)
        gained = [gains.get(before.nominal[g], 0) for g in run]
        for g, k in zip(run, np.argsort(gained, kind="stable").tolist(), strict=True):
            after.nominal[g] = before.nominal[first + k]
            after.order[before.group == 1 + g] = before.order[before.group == 1 + first + k]
        gained.sort()
        after.alike_groups[first + 1 : end] = np.diff(gained) == 0
        first = end
    return after


def start(seed: int, m: Inputs, places: Arrangement, pairs: np.ndarray) -> None:
    """In place: narrow inputs before the first row, in arrays of 0."""
    copy_alike(places, arrangement(m))
    m.pairs[:] = pairs
    draw_waves(seed, m)


def draw_waves(seed: int, m: Inputs) -> None:
    """In place: random frequencies and phases, in turns."""
    d, n = m.frequencies.shape
    rng = np.random.default_rng((seed, 0, d))
    scale = BANDWIDTH / math.sqrt(max(d, 1)) / (2.0 * math.pi)
    m.frequencies[:] = scale * rng.normal(size=(d, n))
    m.phases[:] = rng.random(n)


def more_pairs(pairs: np.ndarray, groups: np.ndarray, before: int, n_seen: int) -> np.ndarray:
    """Return the pairs of inputs with those of new inputs behind, as many as there is room.

    groups: that of each input, the new ones included; before: how many there were. Indicators come
    with their first rows: where not all pairs find room any more, they are chosen when others are.
    """
    later = first_pairs(groups)
    if n_seen < DECIDED_AFTER and groups.any() and (later < 0).any():
        return later
    new = [
        (i, j)
        for j in range(before, len(groups))
        for i in range(j + 1)
        if groups[i] != groups[j] or groups[i] == 0
    ]
    return np.concatenate([pairs, np.array(new[: max(0, MOST_PAIRS - len(pairs))]).reshape(-1, 2)])


def moved_inputs(c: Any, n_features: int) -> Moved:
    """Return where the inputs of a state are once it has n_features columns; constants are last."""
    beyond = n_features - c.n_features
    return Moved(*(np.where(j < c.n_features, j, j + beyond) for j in map(np.arange, sizes(c))))


def grow_inputs(
    s: Any, c: Any, seed: int, old: Inputs, new: Inputs, places: Arrangement, pairs: np.ndarray
) -> None:
    """In place: the columns of before, with new ones behind them; c are the counters after that."""
    d = len(old.counts)
    for name, before in old._asdict().items():
        if name not in ("frequencies", "phases", "pairs") and getattr(new, name).size:
            getattr(new, name)[: len(before)] = before
    if c.narrow:
        start(seed, new, places, pairs)
    if c.narrow:
        new.frequencies[:d], new.phases[:] = old.frequencies, old.phases
    elif len(old.dense) == 0:  # narrow until now
        new.touched[:d] = c.n_seen
        dense = np.flatnonzero(old.zeros <= s.sparse_share * old.counts)
        new.dense[: len(dense)] = dense
        new.place[dense] = np.arange(1, len(dense) + 1)
        c.n_dense = len(dense)


def save(c: Any, m: Inputs, is_old: bool) -> dict[str, np.ndarray]:
    """Return copies of what has been learnt, by name; is_old: as in `restore`."""
    left_out = ("place", *((*OF_COLUMNS, *OF_ALIKE) if is_old else ()))
    tensors = {name: array.copy() for name, array in m._asdict().items() if name not in left_out}
    return tensors | {"dense": m.dense[: c.n_dense].copy()}


def check_shapes(c: Any, tensors: dict[str, np.ndarray]) -> None:
    """Raise ValueError unless a file has the columns that its counters tell."""
    if tensors["counts"].shape != (c.n_features,):
        raise ValueError(f"counts must be those of {c.n_features} inputs")


def restore(c: Any, m: Inputs, tensors: dict[str, np.ndarray], is_old: bool) -> None:
    """In place: what had been learnt, or ValueError; is_old: before columns were looked at."""
    later = (*(OF_COLUMNS if is_old else ()), *(() if "alike" in tensors else OF_ALIKE))
    for name, array in m._asdict().items():
        if name not in ("dense", "place", *later):
            put(name, array, tensors[name])
    if "alike" not in tensors:
        m.nominal[: c.n_groups] = np.arange(1, c.n_groups + 1)
    if is_old:
        m.order[:], m.many[:] = np.arange(len(m.order)), 1.0
        m.first[:] = m.second[:] = m.mean[: len(m.first)]
    for name in ("counts", "squares", "zeros", "touched"):
        if (getattr(m, name) < 0.0).any():
            raise ValueError(f"{name} must be at least 0")
    open_pairs = c.narrow and c.n_seen < DECIDED_AFTER and (m.pairs == -1.0).all()
    check_whole("pairs", m.pairs, max(1, c.n_features), -1.0 if open_pairs else 0.0)
    if sorted(m.order.tolist()) != list(range(len(m.order))):
        raise ValueError("order must be every column once")
    for name in ("many", "alike", "alike_groups"):
        check_whole(name, getattr(m, name), 2)
    check_whole("group", m.group, c.n_groups + 1)
    if len(set(m.group.tolist()) - {0.0}) != c.n_groups:
        raise ValueError(f"group must be of {c.n_groups} groups")
    if sorted(m.nominal[: c.n_groups].tolist()) != list(range(1, c.n_groups + 1)):
        raise ValueError("nominal must be every nominal column once")
    sizes = np.bincount(m.group.astype(np.int64), minlength=c.n_groups + 1)[1:]
    if (m.alike[:1] + m.alike_groups[:1]).any() or m.alike[m.group > 0.0].any():
        raise ValueError("alike must be of numbers behind the first input")
    if (
        m.alike_groups[c.n_groups :].any()
        or np.diff(sizes)[m.alike_groups[1 : c.n_groups] > 0].any()
    ):
        raise ValueError("alike_groups must be of groups of one size")
    for name in ("mean", "first", "second"):
        check_size(name, getattr(m, name))
    check_whole("touched", m.touched, c.n_seen + 1)
    if len(tensors["dense"]) != c.n_dense:
        raise ValueError(f"dense must be {c.n_dense} columns")
    dense = m.dense[: c.n_dense]
    put("dense", dense, tensors["dense"])
    check_whole("dense", dense, c.n_features)
    m.place[dense.astype(np.int64)] = np.arange(1, len(dense) + 1)
    if np.count_nonzero(m.place) != len(dense):
        raise ValueError("dense must be different columns")


@forced
def within(value, bound):
    """Return the value, or the bound that it is beyond."""
    value = select(value, bound, bound, value)
    return select(-1.0 * bound, value, -1.0 * bound, value)


@forced
def _cosine(turns):
    """Return cos(2 pi turns)."""
    away = turns - ((turns + SHIFT) - SHIFT)  # adding and subtracting it rounds
    t = 0.25 - size(away)
    q = t * t
    q2 = q * q
    q4 = q2 * q2
    a = fma(fma(q, S[3], S[2]), q2, fma(q, S[1], S[0]))
    b = fma(fma(q, S[7], S[6]), q2, fma(q, S[5], S[4]))
    c = fma(q2, S[10], fma(q, S[9], S[8]))
    return t * fma(fma(c, q4, b), q4, a)


@forced
def _standard(value, n, mean, squares, zeros, sparse_share):
    """Return mean, squares, zeros with the value as the n-th, and the standardised value.

    A column that is mostly zeros is not centred, so that zero stays zero.
    """
    middle, squares, around_mean = welford(value, n, mean, squares)
    zeros = select(size(value), 0.0, zeros, zeros + 1.0)
    raw = squares + n * middle * middle
    around_zero = select(raw, CONSTANT, value * root(n / raw), 0.0)
    seen = select(zeros, sparse_share * n, around_zero, around_mean)
    return middle, squares, zeros, within(seen, FARTHEST)


@part
def standardise(s, m, x, learn, out):
    """In place: out = x standardised by the running statistics of its columns, x included.

    An absent value (NaN) counts as the mean so far and leaves no trace. out may begin as x.
    """
    d = x.shape[0]
    whole = d - d % 4
    for j in range(0, whole, 4):
        given, n, mean = load(x, j), load(m.counts, j) + 1.0, load(m.mean, j)
        squares, zeros = load(m.squares, j), load(m.zeros, j)
        value = if_present(given, given, mean)
        middle, around, more, seen = _standard(value, n, mean, squares, zeros, s.sparse_share)
        store(out, j, seen)
        if learn:
            store(m.counts, j, if_present(given, n, n - 1.0))
            store(m.mean, j, if_present(given, middle, mean))
            store(m.squares, j, if_present(given, around, squares))
            store(m.zeros, j, if_present(given, more, zeros))
    for j in range(whole, d):
        n, given = m.counts[j] + 1.0, x[j]
        value = given if given == given else m.mean[j]
        middle, around, more, seen = _standard(
            value, n, m.mean[j], m.squares[j], m.zeros[j], s.sparse_share
        )
        out[j] = seen
        if learn and given == given:
            m.counts[j], m.mean[j], m.squares[j], m.zeros[j] = n, middle, around, more


@part
def fourier(m, z, d, n, out):
    """In place: out[k] = the wave k at z, amplitudes equal; n is a multiple of 4."""
    height = AMPLITUDE * np.sqrt(2.0 / n)
    most = n - n % 16
    for k in range(0, most, 16):
        a, b = load(m.phases, k), load(m.phases, k + 4)
        e, f = load(m.phases, k + 8), load(m.phases, k + 12)
        for j in range(d):
            a = fma(z[j], load(m.frequencies, (j, k)), a)
            b = fma(z[j], load(m.frequencies, (j, k + 4)), b)
            e = fma(z[j], load(m.frequencies, (j, k + 8)), e)
            f = fma(z[j], load(m.frequencies, (j, k + 12)), f)
        store(out, k, height * _cosine(a))
        store(out, k + 4, height * _cosine(b))
        store(out, k + 8, height * _cosine(e))
        store(out, k + 12, height * _cosine(f))
    for k in range(most, n, 4):
        a = load(m.phases, k)
        for j in range(d):
            a = fma(z[j], load(m.frequencies, (j, k)), a)
        store(out, k, height * _cosine(a))


@part
def _tell_apart(m, learn, x):
    """In place: of numbers that were alike so far the values x of a row are in order.

    With learn those that differ are told apart from now on: which column an input is.
    """
    for i in range(1, m.order.shape[0]):
        j = i
        while m.alike[j] > 0.0 and _is_before(x[j], x[j - 1]):
            x[j - 1], x[j] = x[j], x[j - 1]
            if learn:
                m.order[j - 1], m.order[j] = m.order[j], m.order[j - 1]
            j -= 1
    if learn:
        for i in range(1, m.order.shape[0]):
            if m.alike[i] > 0.0 and _is_before(x[i - 1], x[i]):
                m.alike[i] = 0.0


@part
def _tell_groups_apart(c, m, learn, facts, x):
    """In place: as `_tell_apart`, of groups, by which of their indicators is on."""
    for g in range(2, c.n_groups + 1):
        h = g
        while m.alike_groups[h - 1] > 0.0 and _place_on(facts, h) < _place_on(facts, h - 1):
            _exchange(m, learn, facts, x, h - 1, h)
            h -= 1
    if learn:
        for g in range(2, c.n_groups + 1):
            if _place_on(facts, g) != _place_on(facts, g - 1):
                m.alike_groups[g - 1] = 0.0


@forced
def _place_on(facts, g):
    """Return the place in a group of the indicator that is on, one behind the last for none."""
    return facts[RANK, g] if facts[ON, g] > 0.0 else facts[SIZE, g]


@part
def _exchange(m, learn, facts, x, g, h):
    """In place: two groups of one size change places in a row, with learn for good."""
    j = -1
    for i in range(m.group.shape[0]):
        if m.group[i] == g:
            j += 1
            while m.group[j] != h:
                j += 1
            x[i], x[j] = x[j], x[i]
            if learn:
                m.order[i], m.order[j] = m.order[j], m.order[i]
    if learn:
        m.nominal[g - 1], m.nominal[h - 1] = m.nominal[h - 1], m.nominal[g - 1]
    _look_at_groups(m, x, facts)


@forced
def _are_of_one_group(m, i, j):
    """Whether two inputs are indicators of one nominal column."""
    return m.group[i] > 0.0 and m.group[i] == m.group[j]


@forced
def _is_before(a, b):
    """Whether a value comes before another: by its binary digits, then itself; absent ones last."""
    if a != a or b != b:
        return a == a
    one = mantissa(size(a)) if a != 0.0 else 0.0
    other = mantissa(size(b)) if b != 0.0 else 0.0
    return one < other or (one == other and a < b)


@forced
def _meet(c, m, x, learn, raw):
    """In place: raw = the values x of a row from the first of their column on.

    An absent value is the mean so far. With learn, what is known of the values of a column: until
    products are chosen whether there are two or more.
    """
    early = learn and c.n_seen < DECIDED_AFTER
    for j in range(m.order.shape[0]):
        value = x[j]
        if value == value and m.counts[j] == 0.0:
            raw[j] = 0.0
            if learn:
                m.first[j] = m.second[j] = value
        else:
            away = (value if value == value else m.mean[j]) - m.first[j]
            raw[j] = np.float32(max(-LARGEST_VALUE, min(LARGEST_VALUE, away)))
            if early and value == value and value != m.first[j] and value != m.second[j]:
                if m.second[j] == m.first[j]:
                    m.second[j] = value
                else:
                    m.many[j] = 1.0


@part
def _look_at_groups(m, values, facts):
    """In place: what there is to know of a row's groups, see SOURCE; values as given, in order."""
    n_sources = 0
    for g in range(facts.shape[1]):
        facts[ON, g] = facts[RANK, g] = facts[SIZE, g] = 0.0
    for j in range(m.group.shape[0]):
        g = int(m.group[j])
        if g == 0 or facts[SIZE, g] == 0.0:
            n_sources += 1
            facts[SOURCE, n_sources] = j if g == 0 else -g
        if g > 0:
            if values[j] > HALF:
                facts[ON, g], facts[RANK, g] = j + 1, facts[SIZE, g]
            facts[SIZE, g] += 1.0
    facts[SOURCE, 0] = n_sources


@part
def _choose_pairs(s, c, m):
    """In place: the pairs of inputs to multiply, where there is no room for all of them.

    First squares of numbers, then their products, products of a number and an indicator, and of
    two indicators, last squares of indicators; the kind that finds room in part is drawn. Where all
    inputs are of one kind, all pairs are. Never two of one group.
    """
    n_numbers = 0
    for j in range(c.n_features):
        n_numbers += _is_number(m, j)
    if n_numbers == 0 or n_numbers == c.n_features:
        _draw_pairs(s, c, m, 0, -1)
        return
    taken = 0
    for kind in range(5):
        taken = _draw_pairs(s, c, m, taken, kind)


@part
def _draw_pairs(s, c, m, taken, kind):
    """In place: as many pairs of a kind as find room; return how many are taken then.

    Selection sampling (Knuth, algorithm S): every pair is as likely as any other.
    """
    left, key = 0, key_of(s.seed, kind + 2)
    for i in range(c.n_features):
        for j in range(i, c.n_features):
            left += _is_of_kind(m, kind, i, j)
    wanted = min(left, c.n_pairs - taken)
    for i in range(c.n_features):
        for j in range(i, c.n_features):
            if not _is_of_kind(m, kind, i, j):
                continue
            if draw(key_of(key, left)) * left < wanted:
                m.pairs[taken, 0], m.pairs[taken, 1] = i, j
                taken += 1
                wanted -= 1
            left -= 1
    return taken


@forced
def _is_of_kind(m, kind, i, j):
    """Return 1 for a pair of a kind: 0 and 4 squares of numbers and of others, 1 to 3 products.

    These have 0 to 2 indicators; -1 is any of them.
    """
    if _are_of_one_group(m, i, j):
        return 0
    n_numbers = _is_number(m, i) + _is_number(m, j)
    own = 3 - n_numbers
    if i == j:
        own = 0 if n_numbers > 0 else 4
    return 1 if kind < 0 or kind == own else 0


@forced
def _is_number(m, j):
    """Return 1 for an input that is no indicator."""
    return 1 if m.many[j] > 0.0 and m.group[j] == 0.0 else 0


@part
def _see_narrow(s, c, m, x, learn, again, raw, groups, out):
    """In place: out = the rich inputs of a row, the plain ones first; again: they are there."""
    d, w = c.n_features, c.n_fourier
    for j in range(d):
        out[j] = x[int(m.order[j])]
    _tell_apart(m, learn, out)
    if c.n_groups > 0:
        _look_at_groups(m, out, groups)
        _tell_groups_apart(c, m, learn, groups, out)
    _meet(c, m, out, learn, raw)
    standardise(s, m, out[:d], learn, out)
    if again:
        return
    out[d] = 1.0
    fourier(m, out, d, w, out[d + 1 :])
    products = out[d + 1 + w :]
    for k in range(c.n_pairs):
        if m.pairs[k, 0] < 0.0:
            products[k] = 0.0
            continue
        a, b = out[int(m.pairs[k, 0])], out[int(m.pairs[k, 1])]
        products[k] = 0.5 * within(a, FARTHEST_FACTOR) * within(b, FARTHEST_FACTOR)


@part
def find(places, first, end, j):
    """Return where column j is in the sorted places[first:end], or -1."""
    while first < end:
        middle = (first + end) // 2
        if places[middle] == j:
            return middle
        if places[middle] < j:
            first = middle + 1
        else:
            end = middle
    return -1


@part
def touch(s, c, m, j, given, learn):
    """Return column j's standardised value and whether it is sparse; with learn, in place.

    Rows in which a column was not looked at had a zero there; they are made up for here (Chan,
    Golub and LeVeque, 1979).
    """
    before, n = m.counts[j], m.counts[j]
    gap = c.n_seen - m.touched[j]
    mean, squares = m.mean[j], m.squares[j]
    if gap > 0.0:
        n += gap
        squares += mean * mean * before * (gap / n)
        mean *= before / n
    zeros = m.zeros[j] + gap
    present = given == given
    value = given if present else mean
    middle, around, more, seen = _standard(value, n + 1.0, mean, squares, zeros, s.sparse_share)
    is_sparse = more > s.sparse_share * (n + 1.0)
    if learn:
        m.touched[j] = c.n_seen + 1.0
        if present:
            m.counts[j], m.mean[j], m.squares[j], m.zeros[j] = n + 1.0, middle, around, more
        else:
            m.counts[j], m.mean[j], m.squares[j], m.zeros[j] = n, mean, squares, zeros
    return seen, is_sparse


@part
def _see_wide(s, c, m, values, places, first, end, learn, out, columns):
    """In place: out and columns = the inputs of a row that are not zero; return how many.

    The row's own values are values[first:end] in the ascending columns places[first:end]; all
    others are 0. Columns that are not sparse are centred, so they are looked at in every row; there
    are at most four times as many of them as values in a row on average.
    """
    n = 0
    for i in range(c.n_dense - 1, -1, -1):
        j = int(m.dense[i])
        at = find(places, first, end, j)
        seen, is_sparse = touch(s, c, m, j, values[at] if at >= 0 else 0.0, learn)
        if is_sparse and learn and at < 0:
            c.n_dense -= 1
            moved = m.dense[c.n_dense]
            m.dense[i], m.place[int(moved)] = moved, i + 1.0
            m.place[j] = 0.0
        out[n], columns[n] = seen, j
        n += 1
    for at in range(first, end):
        j = int(places[at])
        if m.place[j] != 0.0 or values[at] == 0.0:
            continue
        seen, is_sparse = touch(s, c, m, j, values[at], learn)
        if not is_sparse and learn:
            m.dense[c.n_dense] = j
            c.n_dense += 1
            m.place[j] = c.n_dense
        out[n], columns[n] = seen, j
        n += 1
    out[n], columns[n] = 1.0, c.n_features
    return n + 1


@forced
def see(s, c, m, seen, r, row, learn, again):
    """In place: row r as the experts see it, with its norms; with learn the columns are learnt.

    row: (x, values, places, first, end) as in `_see_narrow` and `_see_wide`. again: it is there
    already, and only to be learnt.
    """
    plain, _, rich = sizes(c)
    x, values, places, first, end = row
    out = seen.rows[r]
    if c.narrow:
        _see_narrow(s, c, m, x, learn, again, seen.raw[r], seen.groups[r], out)
        n = plain
    else:
        n = _see_wide(s, c, m, values, places, first, end, learn, out, seen.columns[r])
        seen.lengths[r] = n
    norms = seen.norms[r]
    if not again:
        norms[PLAIN_NORM] = dot(out, out, n)
        norms[RICH_NORM] = dot(out, out, rich) if c.narrow else norms[PLAIN_NORM]
    if learn:
        c.n_seen += 1
        c.plain_norm += (norms[PLAIN_NORM] - c.plain_norm) / c.n_seen
        c.rich_norm += (norms[RICH_NORM] - c.rich_norm) / c.n_seen
        norms[PLAIN_STEP] = 1.0 / np.sqrt(c.plain_norm)
        norms[RICH_STEP] = 1.0 / np.sqrt(c.rich_norm)
        if c.n_seen == DECIDED_AFTER and c.n_pairs > 0 and m.pairs[0, 0] < 0.0:
            _choose_pairs(s, c, m)


@forced
def plain_row(c, seen, r):
    """Return the plain inputs of row r: values, their columns, how many, whether they are listed.

    Narrow inputs are not listed: there the second array says nothing.
    """
    x, listed = seen.rows[r], c.narrow == 0
    if listed:
        return x, seen.columns[r], int(seen.lengths[r]), listed
    return x, x, c.n_features + 1, listed


@forced
def rich_row(c, seen, r):
    """Return the rich inputs of row r, as `plain_row` does; they are there for narrow inputs.

    Not listed, but a constant here would compile all that takes it once more.
    """
    x, (_, _, n) = seen.rows[r], sizes(c)
    return x, x, n, c.narrow == 0


@forced
def column_of(columns, j, listed):
    """Return the input that value j of a row belongs to; listed: where inputs are wide."""
    return int(pick(columns, j)) if listed else j
