"""Linear scorers side by side: two passive-aggressive learners, AdaGrad, and a steady one.

The weights of scorers over the same inputs lie side by side, so that one pass over a row scores
four of them, or as many as there are. The last four lanes are busy, they learn from every row:
AdaGrad and the passive-aggressive learner are experts; the live and the fresh learner are the
memory's, as are the frozen lanes before them, its concepts. Frozen and busy lanes are two arrays:
every row changes the busy ones, which stay in the processor's cache if they lie close together.
Lanes of learners that are left out take no room where none of the four is left, or AdaGrad alone.

`columns` tells where the values of a row belong if it is listed (wide inputs); otherwise value j
belongs to input j.
"""

from typing import Any, NamedTuple

import numpy as np

from mooe.auto import inputs
from mooe.auto.inputs import TOGETHER, Moved, column_of, sizes, within
from mooe.numerics.arithmetic import dot, exp, inverse_root
from mooe.numerics.blocks import cut, take
from mooe.numerics.compiled import forced, part, shared
from mooe.numerics.lanes import (
    fma,
    load,
    load_two,
    low_twice,
    pack,
    pick,
    select,
    size,
    spread,
    store,
    store_two,
    total,
)
from mooe.numerics.scores import two_sided
from mooe.numerics.tensors import put

NAMES = ("passive_plain", "passive_rich", "adagrad", "steady")
# AdaGrad learns from rich inputs and the steady learner from plain ones; where inputs are wide
# there is one learner, by the rate of AdaGrad.
NARROW_ONLY = ("passive_rich", "steady")
CLASSES_ONLY = ()
LIVE, FRESH, ADAGRAD, PASSIVE = range(4)  # places among the busy lanes
BUSY = 4
ALONE = 1  # busy lanes where AdaGrad is the only learner over its inputs

CONCEPT_RATE = 0.3  # of the live and the fresh learner
ONLINE_RATE = 2.0  # of AdaGrad
STEADY_RATE = 0.1  # of the one that is slow to change its mind
SMALLEST_SUM = 1e-8  # of squared gradients, at the start
STEEPEST = 30.0  # exponent
SMALLEST_SLOPE = 1e-4  # a smaller one is not learnt from
AGGRESSION = 1.0  # the longest step of the passive-aggressive learner
INSENSITIVE = 0.1  # regression: its error, in standard deviations, that needs no step


class _Scorers(NamedTuple):
    """Linear scorers side by side."""

    weights: Any  # (n_outputs, n_inputs, how many)
    sums: Any  # (n_outputs, n_inputs, how many) of squared gradients


class Lanes(NamedTuple):
    """All scorers over the same inputs."""

    frozen: _Scorers  # n_slots
    busy: _Scorers  # BUSY, ALONE or none


class Linear(NamedTuple):
    """The scorers over plain and over rich inputs."""

    plain: Lanes
    rich: Lanes


class Scores(NamedTuple):
    """Scratch: scores of frozen lanes, then of busy ones; a row without its zeros; steps."""

    plain: Any  # (TOGETHER, n_outputs, n_slots + BUSY)
    rich: Any  # (TOGETHER, n_outputs, n_slots + BUSY)
    values: Any  # (n_rich,)
    places: Any  # (n_rich,)
    plain_steps: Any  # (n_outputs, 2 * BUSY) squared slopes of the busy learners, then their steps
    rich_steps: Any  # (n_outputs, 2 * BUSY)


@shared
def _n_plain(s, c):
    """Return how many busy lanes there are over plain inputs."""
    online = s.steady if c.narrow else s.adagrad
    return BUSY if s.memory_plain or s.passive_plain or online else 0


@shared
def _n_rich(s):
    """Return how many busy lanes there are over rich inputs."""
    if s.memory_rich or s.passive_rich:
        return BUSY
    return ALONE if s.adagrad else 0


@shared
def _open_lanes(c, block, at, p, n_frozen, n_busy):
    """Return the scorers over p inputs, and the place behind them."""
    frozen, busy = (c.n_outputs, p, n_frozen), (c.n_outputs, p, n_busy)
    of_frozen, at = take(_Scorers, block, at, (frozen, frozen))
    of_busy, at = take(_Scorers, block, at, (busy, busy))
    return Lanes(of_frozen, of_busy), at


@shared
def open_arrays(s, c, block, at):
    """Return the arrays of a block from a place on, and the place behind them."""
    n_plain, _, n_rich = sizes(c)
    n_frozen = s.n_slots if s.memory_plain else 0
    plain, at = _open_lanes(c, block, at, n_plain, n_frozen, _n_plain(s, c))
    n_frozen = s.n_slots if s.memory_rich else 0
    rich, at = _open_lanes(c, block, at, n_rich, n_frozen, _n_rich(s))
    return Linear(plain, rich), at


@shared
def open_scratch(s, c, block, at):
    """Return the scratch of a block from a place on, and the place behind it."""
    _, _, n_rich = sizes(c)
    scores, steps = (TOGETHER, c.n_outputs, s.n_slots + BUSY), (c.n_outputs, 2 * BUSY)
    return take(Scores, block, at, (scores, scores, (n_rich,), (n_rich,), steps, steps))


def start(m: Linear) -> None:
    """In place: learners that know nothing yet."""
    for lanes in m:
        begin(lanes, 0)


@forced
def vote(s, c, m, w, seen, r, votes, places):
    """In place: the votes on row r; the scores of all busy lanes are left in scratch."""
    row, rich_inputs = inputs.plain_row(c, seen, r), inputs.rich_row(c, seen, r)
    passive_plain, passive_rich, adagrad, steady = places
    busy = s.n_slots
    for o in range(c.n_outputs):
        plain, rich = w.plain[r, o], w.rich[r, o]
        if m.plain.busy.weights.shape[2] == BUSY:
            score_busy(m.plain.busy.weights[o], row, plain)
            votes[o, passive_plain] = plain[busy + PASSIVE]
            votes[o, steady if c.narrow else adagrad] = plain[busy + ADAGRAD]
        if c.narrow and m.rich.busy.weights.shape[2] == BUSY:
            score_busy(m.rich.busy.weights[o], rich_inputs, rich)
            votes[o, passive_rich] = rich[busy + PASSIVE]
            votes[o, adagrad] = rich[busy + ADAGRAD]
        elif c.narrow and m.rich.busy.weights.shape[2] == ALONE:
            x, _, n, _ = rich_inputs
            rich[busy + ADAGRAD] = dot(cut(m.rich.busy.weights[o], 0, (n,)), x, n)
            votes[o, adagrad] = rich[busy + ADAGRAD]


@forced
def learn(s, c, m, w, seen, r, targets, weight):
    """In place: all busy lanes learn row r, which they have scored."""
    row, rich_inputs = inputs.plain_row(c, seen, r), inputs.rich_row(c, seen, r)
    if c.narrow and c.n_outputs > 1:  # zeros teach nothing: they are passed over once, not by each
        row, rich_inputs = _without_zeros(c, w, seen.rows[r])
    plain, rich, norms = m.plain.busy, m.rich.busy, seen.norms[r]
    online = STEADY_RATE if c.narrow else ONLINE_RATE
    of_plain = norms[inputs.PLAIN_NORM], norms[inputs.PLAIN_STEP], online
    of_rich = norms[inputs.RICH_NORM], norms[inputs.RICH_STEP], ONLINE_RATE
    for o in range(c.n_outputs):  # those of all outputs first: side by side they take less time
        if plain.weights.shape[2] == BUSY:
            steps = _steps(s, w.plain[r, o], targets[o], weight, *of_plain)
            _put_steps(w.plain_steps[o], *steps)
        if c.narrow and rich.weights.shape[2] == BUSY:
            steps = _steps(s, w.rich[r, o], targets[o], weight, *of_rich)
            _put_steps(w.rich_steps[o], *steps)
    for o in range(c.n_outputs):
        if plain.weights.shape[2] == BUSY:
            _take_steps(plain.weights[o], plain.sums[o], row, *_got_steps(w.plain_steps[o]))
        if c.narrow and rich.weights.shape[2] == BUSY:
            steps = _got_steps(w.rich_steps[o])
            _take_steps(rich.weights[o], rich.sums[o], rich_inputs, *steps)
        elif c.narrow and rich.weights.shape[2] == ALONE:
            x, _, n, _ = rich_inputs
            alone = cut(rich.weights[o], 0, (n,)), cut(rich.sums[o], 0, (n,))
            score, rate = w.rich[r, o, s.n_slots + ADAGRAD], norms[inputs.RICH_STEP]
            _learn_alone(s, *alone, x, n, score, targets[o], weight, ONLINE_RATE * rate)


@part
def _without_zeros(c, w, x):
    """In place: w.values and w.places = the inputs that are not zero; return them, plain and rich.

    The plain ones are the first of the rich ones. A row without zeros needs no list of places.
    """
    n_plain, _, n_rich = sizes(c)
    n, end = 0, 0
    for j in range(n_rich):
        end = n if j == n_plain else end
        w.values[n], w.places[n] = x[j], j
        n += 1 if x[j] != 0.0 else 0
    if n == n_rich:
        return (x, w.places, n_plain, False), (x, w.places, n_rich, False)
    end = n if n_rich == n_plain else end
    return (w.values, w.places, end, True), (w.values, w.places, n, True)


@forced
def score_frozen(c, m, w, seen, n_rows, n_plain, n_rich):
    """In place: the scores of the first frozen lanes for rows that are seen, four rows at once."""
    plain, _, rich = sizes(c)
    for o in range(c.n_outputs):
        if n_rows == TOGETHER and c.narrow:
            _score_four(m.plain.frozen.weights[o], seen.rows, plain, n_plain, w.plain, o)
            _score_four(m.rich.frozen.weights[o], seen.rows, rich, n_rich, w.rich, o)
            continue
        for r in range(n_rows):
            row, weights = inputs.plain_row(c, seen, r), m.plain.frozen.weights[o]
            _score_lanes(weights, row, n_plain, w.plain[r, o])
            if c.narrow:
                row, weights = inputs.rich_row(c, seen, r), m.rich.frozen.weights[o]
                _score_lanes(weights, row, n_rich, w.rich[r, o])


@part
def _score_lanes(weights, row, n_lanes, out):
    """In place: out[k] = the score of lane k < n_lanes on a row."""
    x, columns, n, listed = row
    for k in range(0, n_lanes, 4):
        a = spread(0.0)
        for j in range(n):
            a = fma(pick(x, j), load(weights, (column_of(columns, j, listed), k)), a)
        store(out, k, a)


@part
def _score_four(weights, X, n, n_lanes, out, o):
    """In place: out[r, o, k] = the score of lane k on row r, for four rows at once.

    The same sums in the same order as `_score_lanes`.
    """
    most = (n_lanes + 3) // 8 * 8  # eight lanes at a time, then four
    for k in range(0, most, 8):
        a, b, c, d = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
        e, f, g, h = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
        for j in range(n):
            first, second = load(weights, (j, k)), load(weights, (j, k + 4))
            value = pick(X, (0, j))
            a, e = fma(value, first, a), fma(value, second, e)
            value = pick(X, (1, j))
            b, f = fma(value, first, b), fma(value, second, f)
            value = pick(X, (2, j))
            c, g = fma(value, first, c), fma(value, second, g)
            value = pick(X, (3, j))
            d, h = fma(value, first, d), fma(value, second, h)
        store(out, (0, o, k), a)
        store(out, (1, o, k), b)
        store(out, (2, o, k), c)
        store(out, (3, o, k), d)
        store(out, (0, o, k + 4), e)
        store(out, (1, o, k + 4), f)
        store(out, (2, o, k + 4), g)
        store(out, (3, o, k + 4), h)
    for k in range(most, n_lanes, 4):
        a, b, c, d = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
        for j in range(n):
            first = load(weights, (j, k))
            a, b = fma(pick(X, (0, j)), first, a), fma(pick(X, (1, j)), first, b)
            c, d = fma(pick(X, (2, j)), first, c), fma(pick(X, (3, j)), first, d)
        store(out, (0, o, k), a)
        store(out, (1, o, k), b)
        store(out, (2, o, k), c)
        store(out, (3, o, k), d)


@part
def score_busy(weights, row, out):
    """In place: the last four of out = the scores of the learners that never rest."""
    x, columns, n, listed = row
    a, b, c, d = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
    whole = n - n % 4
    for j in range(0, whole, 4):
        a = fma(pick(x, j), load(weights, (column_of(columns, j, listed), 0)), a)
        b = fma(pick(x, j + 1), load(weights, (column_of(columns, j + 1, listed), 0)), b)
        c = fma(pick(x, j + 2), load(weights, (column_of(columns, j + 2, listed), 0)), c)
        d = fma(pick(x, j + 3), load(weights, (column_of(columns, j + 3, listed), 0)), d)
    for j in range(whole, n):
        a = fma(pick(x, j), load(weights, (column_of(columns, j, listed), 0)), a)
    store(out, out.shape[0] - 4, (a + b) + (c + d))


@forced
def slope(s, score, target, weight):
    """Return what AdaGrad follows: the descent of log(1 + exp(-2 target score)), halved.

    Regression: the error, at most one standard deviation. One that is next to nothing
    is 0, whatever the weight.
    """
    if s.classify:
        descent = target / (1.0 + exp(within(2.0 * target * score, STEEPEST)))
    else:
        descent = within(target - score, 1.0)
    return select(size(descent), SMALLEST_SLOPE, weight * descent, 0.0 * descent)


@forced
def _passive_step(s, score, target, norm, weight):
    """Return the step of the passive-aggressive learner (Crammer et al., 2006, PA-I)."""
    if s.classify:
        short = 1.0 - target * score
        direction = target
    else:
        short = abs(target - score) - INSENSITIVE
        direction = 1.0 if target > score else -1.0
    return direction * min(AGGRESSION * weight, max(0.0, short) / norm)


@part
def learn_row(s, weights, sums, row, scores, target, weight, norm, rate, online):
    """In place: of one output, the learners step: all four, or with online = 0 the live two alone.

    Live, fresh and AdaGrad: A += (g x)^2, w += rate g x / sqrt(A) (Duchi et al., 2011), where rate
    is divided by the root of the mean squared norm and online is AdaGrad's own; the
    passive-aggressive one has A = 1.
    """
    _take_steps(weights, sums, row, *_steps(s, scores, target, weight, norm, rate, online))


@forced
def _steps(s, scores, target, weight, norm, rate, online):
    """Return the squared slopes of the learners of an output, and their steps on an input of 1."""
    at = scores.shape[0] - 4
    g = slope(s, load(scores, at), target, weight)
    factor = pack(CONCEPT_RATE * rate, CONCEPT_RATE * rate, online * rate, 0.0)
    on = pack(1.0, 1.0, 1.0 if online > 0.0 else 0.0, 0.0)
    step = 0.0
    if online > 0.0 and norm > 0.0:
        step = _passive_step(s, scores[at + PASSIVE], target, norm, weight)
    g = g * on
    return g * g, fma(g, factor, pack(0.0, 0.0, 0.0, step))


@forced
def _put_steps(out, squared, move):
    """In place: out (2 * BUSY,) = squared slopes, then steps."""
    store(out, 0, squared)
    store(out, BUSY, move)


@forced
def _got_steps(steps):
    """Return squared slopes and steps that were put there."""
    return load(steps, 0), load(steps, BUSY)


@part
def _take_steps(weights, sums, row, squared, move):
    """In place: of one output, the learners step on a row, given their steps on an input of 1."""
    x, columns, n, listed = row
    first = 0
    if total(size(move) * pack(0.0, 0.0, 1.0, 1.0)) == 0.0:
        first = _learn_two(weights, sums, row, squared, move)
    for j in range(first, n):
        if not listed and pick(x, j) == 0.0:  # nothing to learn: most columns of a category
            continue
        i = column_of(columns, j, listed)
        grown, way = _stepped(pick(x, j), squared, move, load(sums, (i, 0)))
        store(sums, (i, 0), grown)
        store(weights, (i, 0), load(weights, (i, 0)) + way)


@forced
def _stepped(value, squared, move, before):
    """Return an input's sum of squared gradients with this value, and what its weight gains."""
    grown = fma(squared, value * value, before)
    return grown, (move * value) * inverse_root(grown)


@part
def _learn_two(weights, sums, row, squared, move):
    """In place: live and fresh learner step, two inputs at a time; return how many inputs.

    Where the others have nothing to learn, which is so for most outputs of many, lanes are filled
    with the next input.
    """
    x, columns, n, listed = row
    squared, move = low_twice(squared), low_twice(move)
    for j in range(0, n - 1, 2):
        if not listed and pick(x, j) == 0.0 and pick(x, j + 1) == 0.0:
            continue
        i, k = column_of(columns, j, listed), column_of(columns, j + 1, listed)
        value = pack(pick(x, j), pick(x, j), pick(x, j + 1), pick(x, j + 1))
        grown, way = _stepped(value, squared, move, load_two(sums, (i, 0), (k, 0)))
        store_two(sums, (i, 0), (k, 0), grown)
        store_two(weights, (i, 0), (k, 0), load_two(weights, (i, 0), (k, 0)) + way)
    return n - n % 2


@part
def _learn_alone(s, weights, sums, x, n, score, target, weight, rate):
    """In place: AdaGrad steps as in `learn_row`, four inputs at a time."""
    g = slope(s, score, target, weight)
    squared, move = g * g, g * rate
    whole = n - n % 4
    for j in range(0, whole, 4):
        grown, way = _stepped(load(x, j), squared, move, load(sums, j))
        store(sums, j, grown)
        store(weights, j, load(weights, j) + way)
    for j in range(whole, n):
        sums[j], way = _stepped(x[j], squared, move, sums[j])
        weights[j] += way


@part
def copy_lane(source, i, target, k):
    """In place: scorer k of the target becomes a copy of scorer i of the source."""
    for o in range(source.weights.shape[0]):
        for j in range(source.weights.shape[1]):
            target.weights[o, j, k] = source.weights[o, j, i]
            target.sums[o, j, k] = source.sums[o, j, i]


@part
def forget_lane(scorers, k):
    """In place: scorer k starts from nothing."""
    for o in range(scorers.weights.shape[0]):
        for j in range(scorers.weights.shape[1]):
            scorers.weights[o, j, k] = 0.0
            scorers.sums[o, j, k] = SMALLEST_SUM


def _scorers_of(lanes: Lanes, n_frozen: int) -> list[tuple[_Scorers, int]]:
    """Return frozen and busy scorers, each with how many of them are in use."""
    return [(lanes.frozen, n_frozen), (lanes.busy, lanes.busy.weights.shape[2])]


def begin(lanes: Lanes, n_frozen: int) -> None:
    """In place: the scorers in use begin, as if they had learnt nothing."""
    for scorers, n in _scorers_of(lanes, n_frozen):
        scorers.sums[:, :, :n] = SMALLEST_SUM
    lanes.busy.sums[:, :, PASSIVE:] = 1.0


def grow_classes(c: Any, old: Linear, new: Linear, n_frozen: tuple[int, int]) -> None:
    """In place: the scorers of before; n_frozen are the frozen lanes in use, of plain and rich."""
    constant = slice(c.n_features, c.n_features + 1)
    for before, after, n in zip(old, new, n_frozen, strict=True):
        begin(after, n)
        for (a, k), (b, _) in zip(_scorers_of(before, n), _scorers_of(after, n), strict=True):
            b.weights[:, constant, :k] = -1.0
            b.weights[: max(2, len(a.weights))] = two_sided(a.weights)
            b.sums[: max(2, len(a.sums))] = two_sided(a.sums, 1.0)


def grow_inputs(c: Any, old: Linear, new: Linear, moved: Moved, n_frozen: tuple[int, int]) -> None:
    """In place: the scorers of before, their inputs in other places.

    Where inputs become wide, AdaGrad stays with what it knows of the plain ones.
    """
    move(old.plain, new.plain, moved.plain, n_frozen[0])
    if c.narrow:
        move(old.rich, new.rich, moved.rich, n_frozen[1])
    elif old.rich.busy.weights.size:  # narrow until now
        n, lane = len(moved.plain), min(ADAGRAD, old.rich.busy.weights.shape[2] - 1)
        for before, after in zip(old.rich.busy, new.plain.busy, strict=True):
            after[:, moved.plain, ADAGRAD:][:, :, :1] = before[:, :n, lane : lane + 1]


def move(old: Lanes, new: Lanes, places: np.ndarray, n_frozen: int) -> None:
    """In place: scorers whose inputs are now in other places."""
    begin(new, n_frozen)
    for before, after in zip(old, new, strict=True):
        if before.weights.shape[2]:
            after.weights[:, places] = before.weights
            after.sums[:, places] = before.sums


def save(m: Linear, n_frozen: tuple[int, int]) -> dict[str, np.ndarray]:
    """Return copies of what has been learnt, by name: the frozen lanes in use, then the busy."""
    tensors = {}
    for name, lanes, n in zip(m._fields, m, n_frozen, strict=True):
        for field in _Scorers._fields:
            frozen, busy = getattr(lanes.frozen, field), getattr(lanes.busy, field)
            tensors[f"{name}.{field}"] = np.dstack([frozen[:, :, :n], busy])
    return tensors


def check_shapes(s: Any, c: Any, tensors: dict[str, np.ndarray]) -> None:
    """Raise ValueError unless the arrays are of the size that counters tell."""
    n_inputs = c.n_features + 1
    weights = tensors["plain.weights"]
    if weights.shape[:2] != (c.n_outputs, n_inputs) or weights.shape[-1] < _n_plain(s, c):
        raise ValueError(f"plain.weights must be those of {n_inputs} inputs")


def unread(s: Any, c: Any) -> list[str]:
    """Return the names of arrays that may have lanes in a file which are not there any more."""
    fewer = {"plain": _n_plain(s, c) < BUSY, "rich": _n_rich(s) < BUSY}
    return [f"{name}.{field}" for name in fewer if fewer[name] for field in _Scorers._fields]


def restore(m: Linear, tensors: dict[str, np.ndarray], n_frozen: tuple[int, int]) -> None:
    """In place: what had been learnt, or ValueError.

    A file of before learners could be left out has lanes for all of them.
    """
    for name, lanes, n in zip(m._fields, m, n_frozen, strict=True):
        for field in _Scorers._fields:
            frozen, busy = getattr(lanes.frozen, field), getattr(lanes.busy, field)
            both, given = np.zeros((*busy.shape[:2], n + busy.shape[2])), tensors[f"{name}.{field}"]
            if n + busy.shape[2] < given.shape[-1] == n + BUSY:
                given = given[:, :, n + ADAGRAD :][:, :, : busy.shape[2]]
            put(f"{name}.{field}", both, given)
            frozen[:, :, :n], busy[:] = both[:, :, :n], both[:, :, n:]
        if any((scorers.sums[:, :, :k] <= 0.0).any() for scorers, k in _scorers_of(lanes, n)):
            raise ValueError(f"{name}.sums must be above 0")
