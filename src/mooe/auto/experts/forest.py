"""A forest of small random trees that grow row by row, and two experts that share it.

The *forest* votes by the class shares in the leaf of each tree, the *leaves* by a softmax-AdaGrad
learner whose inputs are the active leaves, one of each tree. Neither enters the memories. A leaf
tries random tests, each halfway between two rows that came to it, and is split by the best of them
once that pays for itself; a tree whose own errors rise starts again.

Trees are nodes in pairs: a test sends a row to the first or the second of a pair. Pair i and leaf
i are taken together, when a leaf is split, and given back together, when a tree starts again; there
is room for as many as have been needed (`room_for`), so a model grows with what it has learnt.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from mooe.auto.inputs import Moved
from mooe.numerics.arithmetic import exp, log, padded
from mooe.numerics.blocks import LINE, cut, singles, take
from mooe.numerics.compiled import forced, part, shared
from mooe.numerics.draws import draw, key_of
from mooe.numerics.tensors import check_whole, put

NAMES = NARROW_ONLY = ("forest", "leaves")

TREES = 20
MOST_LEAVES = 256  # of a tree
MOST_NUMBERS = 2**22  # in all leaves together, 16 MiB; trees are smaller where classes are many
TESTS = 16  # that a leaf tries side by side
DRAWS = 6  # of a column, for new tests from one row
GRACE = 100.0  # weight of rows between two tries to split a leaf
PRICE = 4.0  # nats that a test must save, all rows of the leaf together
LEAST = 5.0  # weight of rows on either side of a test
HOLD = 1.0 - 1.0 / 1000.0  # what is left of a leaf's counts after a row
BAG = 4.0  # mean of a row's weight, a Poisson number for each tree
PRIOR = 0.1  # of each class in a leaf
RATE = 0.2  # of the learner over leaves
KEPT = TESTS // 2  # tests that stay where none was good enough
QUICK, SLOW = 0.02, 0.002  # weight of a row in a tree's mean errors
ALARM = 4.0  # deviations of the quick mean above the slow one
YOUNG = 200.0  # rows before which there is no alarm
FARTHEST = 5.0  # regression: deviations that a leaf takes note of
LARGEST_WEIGHT = 1e6  # of a row, for trees
LARGEST_VALUE = 1e38
NO_END = 2**62  # rows

# Poisson numbers by their distribution: as many as entries are below a uniform draw.
POISSON = tuple(np.cumsum(np.exp(-BAG) * BAG ** np.arange(20) / np.cumprod([1, *range(1, 20)])))

FEATURE, THRESHOLD, PAIR, LEAF = range(4)  # of a node; PAIR is -1 where it is a leaf
NODE = 4
AGE, QUICK_MEAN, SLOW_MEAN = range(3)  # of a tree's errors


class Forest(NamedTuple):
    """The trees, and what they are made of; nothing where there is no room for leaves."""

    root: Any  # (TREES,) the pair whose first node is the root; its leaf is the tree's for good
    n_leaves: Any  # (TREES,)
    ready: Any  # (TREES,) the node that is to be split next, -1 for none
    errors: Any  # (TREES, 3)
    owner: Any  # (leaf_room,) the tree that pair and leaf belong to, -1 for none
    free: Any  # (leaf_room,) those given back, leaves_free of them
    nodes: Any  # (leaf_room * 2 * NODE,) of float32
    leaves: Any  # (leaf_room * width,) of float32, see `Leaf`


class Leaf(NamedTuple):
    """Where in a leaf's numbers each thing begins; counts come first."""

    weights: int  # one for each class, or one
    sums: int  # of squared gradients, as many
    since: int  # weight of rows since it was last tried
    n_tests: int
    met: int  # whether `last` is a row
    last: int  # (d,) the row met last
    features: int  # (TESTS,)
    thresholds: int  # (TESTS,)
    stats: int  # (TESTS, 2, n_values) the counts on either side of each test
    width: int


class Scratch(NamedTuple):
    """What the trees say of a row."""

    x: Any  # (d,)
    at: Any  # (TREES,) the node that it comes to
    own: Any  # (TREES,) the answer of each tree alone
    shares: Any  # (n_scores,) of the classes, or the value, by the forest
    scores: Any  # (n_scores,) by the leaves
    gains: Any  # (TESTS,)


@shared
def n_values(s, c):
    """Return how many numbers a leaf counts: one of each class; of values number, sum, squares."""
    return max(2, c.n_outputs) if s.classify else 3


@shared
def n_scores(s, c):
    """Return how many scores the leaves give."""
    return max(2, c.n_outputs) if s.classify else 1


@shared
def places_in_leaf(s, c):
    """Return where things lie in a leaf."""
    k, o = n_values(s, c), n_scores(s, c)
    since = k + 2 * o
    last = since + 3
    features = last + c.n_features
    stats = features + 2 * TESTS
    width = padded(stats + TESTS * 2 * k)
    return Leaf(
        k, k + o, since, since + 1, since + 2, last, features, features + TESTS, stats, width
    )


@shared
def open_arrays(s, c, block, at):
    """Return the arrays of a block from a place on, and the place behind them."""
    n, room = TREES if c.leaf_room > 0 else 0, c.leaf_room
    width = places_in_leaf(s, c).width
    trees, at = take(_Trees, block, at, ((n,), (n,), (n,), (n, 3), (room,), (room,)))
    at = (at + LINE - 1) // LINE * LINE
    nodes = singles(block, at, room * 2 * NODE)
    at += room * NODE
    leaves = singles(block, at, room * width)
    forest = Forest(
        trees.root, trees.n_leaves, trees.ready, trees.errors, trees.owner, trees.free, nodes, leaves
    )
    return forest, at + room * (width // 2)


class _Trees(NamedTuple):
    """The arrays of a Forest that are as wide as the block's."""

    root: Any
    n_leaves: Any
    ready: Any
    errors: Any
    owner: Any
    free: Any


@shared
def open_scratch(s, c, block, at):
    """Return the scratch of a block from a place on, and the place behind it."""
    n, o = TREES if c.leaf_room > 0 else 0, (n_scores(s, c),)
    d = c.n_features if c.leaf_room > 0 else 0
    return take(Scratch, block, at, ((d,), (n,), (n,), o, o, (TESTS,)))


def first_leaves(s: Any, c: Any) -> int:
    """Return how many leaves there are at the beginning; 0 where there is no forest."""
    return TREES if c.narrow and (s.forest or s.leaves) else 0


def first_room(s: Any, c: Any) -> int:
    """Return for how many leaves there is room at the beginning."""
    return _step_above(TREES) if first_leaves(s, c) else 0


def room_for(s: Any, c: Any, n: int) -> int:
    """Return for how many leaves there is to be room so that n rows can be learnt."""
    used = int(c.leaves_used) - int(c.leaves_free)
    most = TREES * most_leaves(s, c)
    return min(_step_above(max(used + n - 1, int(c.leaves_used))), max(most, int(c.leaves_used)))


@lru_cache
def _step_above(n: int) -> int:
    """Return a number above n, by at most a sixteenth or 16.

    >>> _step_above(20), _step_above(48), _step_above(600)
    (48, 64, 604)
    """
    room = 48
    while room <= n:
        room += max(16, room // 16)
    return room


@shared
def most_leaves(s, c):
    """Return how many leaves a tree may have."""
    return max(2, min(MOST_LEAVES, MOST_NUMBERS // (TREES * places_in_leaf(s, c).width)))


def start(m: Forest) -> None:
    """In place: every tree is a root, in arrays of 0."""
    n = len(m.root)
    m.root[:] = np.arange(n)
    m.n_leaves[:] = 1.0
    m.ready[:] = m.owner[:] = -1.0
    m.owner[:n] = np.arange(n)
    nodes = m.nodes.reshape(-1, 2, NODE)
    nodes[:n, 0, PAIR] = -1.0
    nodes[:n, 0, LEAF] = np.arange(n)


@shared
def rows_left(s, c):
    """Return how many labelled rows there is room for: each splits one leaf at most."""
    if c.leaf_room == 0 or c.leaf_room >= TREES * most_leaves(s, c):
        return NO_END
    return c.leaf_room - c.leaves_used + c.leaves_free


@forced
def vote(s, c, m, w, seen, r, votes, places):
    """In place: the votes on row r; where it comes to in each tree is left in scratch."""
    if c.leaf_room == 0:
        return
    _come_down(s, c, m, w, seen.raw[r])
    forest, leaves = places
    if not s.classify:
        votes[0, forest], votes[0, leaves] = w.shares[0], w.scores[0]
    elif c.n_outputs == 1:
        votes[0, forest] = w.shares[1] - w.shares[0]
        votes[0, leaves] = w.scores[1] - w.scores[0]
    else:
        for o in range(c.n_outputs):
            votes[o, forest] = 2.0 * w.shares[o] - 1.0
            votes[o, leaves] = 2.0 * w.scores[o] - 1.0


@part
def _come_down(s, c, m, w, raw):
    """In place: the leaf that a row comes to in each tree, and what the leaves say of it."""
    at, n = places_in_leaf(s, c), w.shares.shape[0]
    for j in range(w.x.shape[0]):
        w.x[j] = np.float32(max(-LARGEST_VALUE, min(LARGEST_VALUE, raw[j])))
    for o in range(n):
        w.shares[o] = w.scores[o] = 0.0
    for t in range(TREES):
        node = 2 * NODE * int(m.root[t])
        while m.nodes[node + PAIR] >= 0.0:
            side = 1 if w.x[int(m.nodes[node + FEATURE])] > m.nodes[node + THRESHOLD] else 0
            node = NODE * (2 * int(m.nodes[node + PAIR]) + side)
        w.at[t] = node // NODE
        leaf = int(m.nodes[node + LEAF]) * at.width
        if s.classify:
            w.own[t] = _add_shares(m.leaves, leaf, w.shares)
        else:
            w.own[t] = m.leaves[leaf + 1] / (m.leaves[leaf] + PRIOR)
            w.shares[0] += w.own[t]
        for o in range(n):
            w.scores[o] += m.leaves[leaf + at.weights + o]
    for o in range(n):
        w.shares[o] *= 1.0 / TREES
    if s.classify:
        _softmax(w.scores)


@part
def _add_shares(leaves, leaf, shares):
    """In place: add the class shares of a leaf to those of others; return its likeliest class."""
    n = shares.shape[0]
    total, best = PRIOR * n, 0
    for k in range(n):
        total += leaves[leaf + k]
        if leaves[leaf + k] > leaves[leaf + best]:
            best = k
    for k in range(n):
        shares[k] += (leaves[leaf + k] + PRIOR) / total
    return float(best)


@part
def _softmax(scores):
    """In place: probabilities that are in proportion to the exponentials of scores."""
    largest, total = scores[0], 0.0
    for o in range(scores.shape[0]):
        largest = max(largest, scores[o])
    for o in range(scores.shape[0]):
        scores[o] = exp(scores[o] - largest)
        total += scores[o]
    for o in range(scores.shape[0]):
        scores[o] /= total


@forced
def learn(s, c, m, w, targets, label, weight):
    """In place: all trees learn the row that they have voted on."""
    if c.leaf_room > 0:
        _learn_row(s, c, m, w, targets[0], label, min(weight, LARGEST_WEIGHT))


@part
def _learn_row(s, c, m, w, target, label, weight):
    """In place: the learner over leaves, then every tree; the one whose turn it is may split."""
    at, row = places_in_leaf(s, c), c.n_labelled
    value = max(-FARTHEST, min(FARTHEST, target))
    if s.classify:
        w.scores[int(label)] -= 1.0  # probability minus truth: the gradient
    else:
        w.scores[0] = max(-1.0, min(1.0, w.scores[0] - target))
    for t in range(TREES):
        leaf = int(m.nodes[NODE * int(w.at[t]) + LEAF]) * at.width
        for o in range(w.scores.shape[0]):
            slope = weight * w.scores[o]
            total = m.leaves[leaf + at.sums + o] + slope * slope
            m.leaves[leaf + at.sums + o] = total
            m.leaves[leaf + at.weights + o] -= RATE * slope / np.sqrt(1.0 + total)
        if s.classify:
            error = 0.0 if w.own[t] == label else 1.0
        else:
            error = min(1.0, (w.own[t] - value) * (w.own[t] - value))
        if _is_alarmed(m.errors[t], error):
            start_again(s, c, m, t)
            w.at[t] = 2.0 * m.root[t]
        key = key_of(s.seed, row, t)
        bag = weight * _poisson(draw(key, 0))
        if bag > 0.0:
            _learn_in_leaf(s, c, m, w, t, key, label if s.classify else value, bag)
    turn = row % TREES
    if m.ready[turn] >= 0.0:
        _try_to_split(s, c, m, w, turn, int(m.ready[turn]))
        m.ready[turn] = -1.0


@part
def _poisson(uniform):
    """Return a Poisson number of mean BAG from a uniform one."""
    n = 0
    while n < len(POISSON) and uniform >= POISSON[n]:
        n += 1
    return float(n)


@part
def _is_alarmed(errors, error):
    """In place: a tree's mean errors; return whether they have risen beyond chance."""
    errors[AGE] += 1.0
    share = 1.0 / errors[AGE]
    errors[QUICK_MEAN] += max(QUICK, share) * (error - errors[QUICK_MEAN])
    errors[SLOW_MEAN] += max(SLOW, share) * (error - errors[SLOW_MEAN])
    slow = errors[SLOW_MEAN]
    spread = np.sqrt(max(slow * (1.0 - slow), 0.01) * QUICK * 0.5)
    return errors[AGE] > YOUNG and errors[QUICK_MEAN] > slow + ALARM * spread


@part
def start_again(s, c, m, t):
    """In place: a tree is an empty root again; what it had taken is given back."""
    width, root = places_in_leaf(s, c).width, int(m.root[t])
    for i in range(c.leaves_used):
        if m.owner[i] != t:
            continue
        for k in range(2 * NODE):
            m.nodes[2 * NODE * i + k] = 0.0
        for k in range(width):
            m.leaves[width * i + k] = 0.0
        if i != root:
            m.owner[i] = -1.0
            m.free[c.leaves_free] = i
            c.leaves_free += 1
    m.nodes[2 * NODE * root + PAIR], m.nodes[2 * NODE * root + LEAF] = -1.0, root
    m.n_leaves[t], m.ready[t] = 1.0, -1.0
    for k in range(3):
        m.errors[t, k] = 0.0


@forced
def _count(s, numbers, at, value, weight):
    """In place: a row of a class, or of a value, among the counts that begin at a place."""
    if s.classify:
        numbers[at + int(value)] += weight
    else:
        numbers[at] += weight
        numbers[at + 1] += weight * value
        numbers[at + 2] += weight * value * value


@part
def _learn_in_leaf(s, c, m, w, t, key, value, weight):
    """In place: a tree learns a row of this value and weight in the leaf that the row came to."""
    at, k = places_in_leaf(s, c), n_values(s, c)
    numbers, x = m.leaves, w.x
    leaf = int(m.nodes[NODE * int(w.at[t]) + LEAF]) * at.width
    for i in range(k):
        numbers[leaf + i] *= HOLD
    _count(s, numbers, leaf, value, weight)
    if m.n_leaves[t] >= most_leaves(s, c):
        return
    n_tests = int(numbers[leaf + at.n_tests])
    if n_tests < TESTS:
        if numbers[leaf + at.met] > 0.0:
            n_tests = _draw_tests(s, c, m, leaf, at, x, key, n_tests)
            numbers[leaf + at.n_tests] = n_tests
        _meet(numbers, leaf, at, x)
    for i in range(n_tests):
        j = int(numbers[leaf + at.features + i])
        side = 1 if x[j] > numbers[leaf + at.thresholds + i] else 0
        _count(s, numbers, leaf + at.stats + (2 * i + side) * k, value, weight)
    numbers[leaf + at.since] += weight
    if numbers[leaf + at.since] >= GRACE and m.ready[t] < 0.0:
        m.ready[t] = w.at[t]


@forced
def _meet(numbers, leaf, at, x):
    """In place: x is the row that the leaf has met last."""
    for j in range(x.shape[0]):
        numbers[leaf + at.last + j] = x[j]
    numbers[leaf + at.met] = 1.0


@part
def _draw_tests(s, c, m, leaf, at, x, key, n_tests):
    """In place: new tests of columns in which a row differs from the last; return how many."""
    numbers, n_counts = m.leaves, 2 * n_values(s, c)
    for k in range(DRAWS):
        j = int(draw(key, 1 + k) * x.shape[0])
        here, there = x[j], numbers[leaf + at.last + j]
        if n_tests == TESTS or here == there:
            continue
        numbers[leaf + at.features + n_tests] = j
        numbers[leaf + at.thresholds + n_tests] = here + (there - here) * 0.5
        for i in range(n_counts):
            numbers[leaf + at.stats + n_tests * n_counts + i] = 0.0
        n_tests += 1
    return n_tests


@part
def _try_to_split(s, c, m, w, t, node):
    """In place: split a leaf by its best test, or draw others in place of the worse half."""
    at, k, numbers = places_in_leaf(s, c), n_values(s, c), m.leaves
    leaf = int(m.nodes[NODE * node + LEAF]) * at.width
    n_tests = int(numbers[leaf + at.n_tests])
    numbers[leaf + at.since] = 0.0
    best = -1
    for i in range(n_tests):
        stats = leaf + at.stats + 2 * i * k
        w.gains[i] = _gain(numbers, stats, k) if s.classify else _gain_of_values(numbers, stats)
        if w.gains[i] > 0.0 and (best < 0 or w.gains[i] > w.gains[best]):
            best = i
    if best >= 0:
        _split(s, c, m, t, node, best)
    elif n_tests == TESTS:
        for i in range(KEPT):
            largest = i
            for other in range(i + 1, TESTS):
                if w.gains[other] > w.gains[largest]:
                    largest = other
            _swap_tests(numbers, leaf, at, k, i, largest)
            w.gains[largest] = w.gains[i]
        numbers[leaf + at.n_tests] = KEPT


@forced
def _swap_tests(numbers, leaf, at, k, i, j):
    """In place: tests i and j of a leaf change places."""
    for field in (at.features, at.thresholds):
        a, b = leaf + field + i, leaf + field + j
        numbers[a], numbers[b] = numbers[b], numbers[a]
    a, b = leaf + at.stats + 2 * i * k, leaf + at.stats + 2 * j * k
    for n in range(2 * k):
        numbers[a + n], numbers[b + n] = numbers[b + n], numbers[a + n]


@part
def _gain(numbers, stats, k):
    """Return the nats a row that a test saves, its price paid; -inf where a side is too light."""
    left, right, saved = 0.0, 0.0, 0.0
    for i in range(k):
        a, b = float(numbers[stats + i]), float(numbers[stats + k + i])
        left += a
        right += b
        if a > 0.0 and b > 0.0:
            saved += a * log(a) + b * log(b) - (a + b) * log(a + b)
    if left < LEAST or right < LEAST:
        return -np.inf
    n = left + right
    return (saved - left * log(left) - right * log(right) + n * log(n) - PRICE) / n


@part
def _gain_of_values(numbers, stats):
    """Return the same of a regression: half the logarithm of what is left of the squares."""
    left, right = float(numbers[stats]), float(numbers[stats + 3])
    if left < LEAST or right < LEAST:
        return -np.inf
    n, total = left + right, numbers[stats + 1] + numbers[stats + 4]
    squares = numbers[stats + 2] + numbers[stats + 5]
    after = _spread(left, numbers[stats + 1], numbers[stats + 2]) + _spread(
        right, numbers[stats + 4], numbers[stats + 5]
    )
    return 0.5 * log(_spread(n, total, squares) / after) - PRICE / n


@forced
def _spread(n, total, squares):
    """Return the sum of squared deviations from the mean, at least next to nothing."""
    return max(1e-9 * n, squares - total * total / n)


@part
def _split(s, c, m, t, node, best):
    """In place: a leaf becomes two; the first keeps its place, the second takes a free one."""
    at, k, numbers = places_in_leaf(s, c), n_values(s, c), m.leaves
    if c.leaves_free > 0:
        c.leaves_free -= 1
        new = int(m.free[c.leaves_free])
        m.free[c.leaves_free] = 0.0
    else:
        new = c.leaves_used
        c.leaves_used += 1
    here = NODE * node
    place = int(m.nodes[here + LEAF])
    leaf, other = place * at.width, new * at.width
    m.owner[new] = t
    m.n_leaves[t] += 1.0
    m.nodes[here + FEATURE] = numbers[leaf + at.features + best]
    m.nodes[here + THRESHOLD] = numbers[leaf + at.thresholds + best]
    m.nodes[here + PAIR], m.nodes[here + LEAF] = new, 0.0
    for side in range(2):
        child = NODE * (2 * new + side)
        m.nodes[child + FEATURE] = m.nodes[child + THRESHOLD] = 0.0
        m.nodes[child + PAIR], m.nodes[child + LEAF] = -1.0, new if side else place
    stats = leaf + at.stats + 2 * best * k
    for i in range(k):
        numbers[leaf + i], numbers[other + i] = numbers[stats + i], numbers[stats + k + i]
    for i in range(at.weights, at.since):
        if i >= at.sums:
            numbers[leaf + i] *= 0.5
        numbers[other + i] = numbers[leaf + i]
    for i in range(at.since, at.last):
        numbers[leaf + i] = numbers[other + i] = 0.0


def copy_used(c: Any, old: Forest, new: Forest) -> None:
    """In place: the trees of before, in a forest of other room and the same leaves."""
    for name in ("root", "n_leaves", "ready", "errors"):
        getattr(new, name)[:] = getattr(old, name)
    n, width = int(c.leaves_used), len(old.leaves) // max(1, len(old.owner))
    new.owner[:n], new.owner[n:] = old.owner[:n], -1.0
    new.free[: c.leaves_free] = old.free[: c.leaves_free]
    new.nodes[: 2 * NODE * n] = old.nodes[: 2 * NODE * n]
    new.leaves[: width * n] = old.leaves[: width * n]


def grow_classes(s: Any, before: Any, c: Any, old: Forest, new: Forest) -> None:
    """In place: no leaf has met the new classes; the learner's score of them is its lowest.

    before and c are the counters before and after that.
    """
    if len(old.root) == 0:
        return
    _copy_leaves(s, before, c, old, new)
    at, n = places_in_leaf(s, c), n_scores(s, before)
    weights = new.leaves.reshape(-1, at.width)[: c.leaves_used, at.weights : at.sums]
    weights[:, n:] = weights[:, :n].min(axis=1, keepdims=True)


def grow_inputs(s: Any, before: Any, c: Any, old: Forest, new: Forest) -> None:
    """In place: the trees of before; no test is on a new column yet. Wide inputs have no forest.

    before and c are the counters before and after that.
    """
    if len(new.root):
        _copy_leaves(s, before, c, old, new)


def _copy_leaves(s: Any, before: Any, c: Any, old: Forest, new: Forest) -> None:
    """In place: the trees of before, in leaves of another shape; what is new there is 0."""
    copy_used(before, old._replace(leaves=old.leaves[:0]), new)
    source, target = (_opened_leaves(s, *pair) for pair in ((before, old), (c, new)))
    n = int(c.leaves_used)
    for a, b in zip(source, target, strict=True):
        b[(np.s_[:n], *map(slice, a.shape[1:]))] = a[:n]


def _opened_leaves(s: Any, c: Any, m: Forest) -> tuple[np.ndarray, ...]:
    """Return the parts of all leaves: views, those with a side of classes or columns apart."""
    at, k = places_in_leaf(s, c), n_values(s, c)
    leaves = m.leaves.reshape(-1, at.width)
    ends = (at.weights, at.sums, at.since, at.last, at.features, at.stats)
    parts = [leaves[:, a:b] for a, b in zip((0, *ends), ends, strict=False)]
    stats = leaves[:, at.stats : at.stats + 2 * TESTS * k]
    return *parts, stats.reshape(len(leaves), TESTS, 2, k)


def save(c: Any, m: Forest) -> dict[str, np.ndarray]:
    """Return copies of what has been learnt, by name."""
    n, width = int(c.leaves_used), len(m.leaves) // max(1, len(m.owner))
    tensors = {name: getattr(m, name).copy() for name in ("root", "n_leaves", "ready", "errors")}
    tensors |= {
        "owner": m.owner[:n].copy(),
        "free": m.free[: c.leaves_free].copy(),
        "nodes": m.nodes[: 2 * NODE * n].reshape(n, 2, NODE).copy(),
        "leaves": m.leaves[: width * n].reshape(n, width).copy(),
    }
    return {f"forest.{name}": array for name, array in tensors.items()}


def check_shapes(s: Any, c: Any, tensors: dict[str, np.ndarray]) -> None:
    """Raise ValueError unless counters are those of a forest, and arrays of the size they tell."""
    first = first_leaves(s, c)
    if not first <= c.leaves_used <= first * MOST_LEAVES:
        raise ValueError(f"leaves_used must be {first} to {first * MOST_LEAVES}")
    if not 0 <= c.leaves_free <= c.leaves_used - first:
        raise ValueError(f"leaves_free must be at most {c.leaves_used - first}")
    shape = (c.leaves_used, places_in_leaf(s, c).width if first else 0)
    if tensors["forest.leaves"].shape != shape:
        raise ValueError(f"forest.leaves must have the shape {shape}")


def restore(s: Any, c: Any, m: Forest, tensors: dict[str, np.ndarray]) -> None:
    """In place: what had been learnt, or ValueError."""
    n, at = int(c.leaves_used), places_in_leaf(s, c)
    shapes = {"nodes": (-1, 2, NODE), "leaves": (-1, at.width)}
    used = dict.fromkeys(("owner", "nodes", "leaves"), n) | {"free": int(c.leaves_free)}
    for name, array in m._asdict().items():
        whole = array.reshape(shapes.get(name, array.shape)) if len(array) else array
        put(f"forest.{name}", whole[: used.get(name)], tensors[f"forest.{name}"])
    if len(m.root):
        _check_trees(s, c, m, at)


def _check_trees(s: Any, c: Any, m: Forest, at: Leaf) -> None:
    """Raise ValueError unless every tree is one, of nodes, leaves and tests that there are."""
    n, d = int(c.leaves_used), int(c.n_features)
    nodes, leaves = m.nodes.reshape(-1, 2, NODE), m.leaves.reshape(-1, at.width)[:n]
    check_whole("forest.root", m.root, n)
    check_whole("forest.owner", m.owner[:n], TREES, -1.0)
    check_whole("forest.free", m.free[: c.leaves_free], n)
    check_whole("forest.ready", m.ready, 2 * n, -1.0)
    check_whole("forest.nodes", nodes[:n, :, [FEATURE, LEAF]], max(n, d))
    check_whole("forest.nodes", nodes[:n, :, PAIR], n, -1.0)
    free = set(m.free[: c.leaves_free].astype(int).tolist())
    if len(free) < c.leaves_free or free != set(np.flatnonzero(m.owner[:n] < 0.0).tolist()):
        raise ValueError("forest.free must be the leaves that no tree owns, each once")
    for t in range(TREES):
        _check_tree(m, nodes, t, d)
    check_whole("forest.leaves", leaves[:, at.n_tests], TESTS + 1)
    check_whole("forest.leaves", leaves[:, at.met], 2)
    check_whole("forest.leaves", leaves[:, at.features : at.thresholds], max(1, d))
    if (leaves[:, at.sums : at.n_tests] < 0.0).any():
        raise ValueError("forest.leaves must have sums of at least 0")


def _check_tree(m: Forest, nodes: np.ndarray, t: int, d: int) -> None:
    """Raise ValueError unless a tree's nodes and leaves are its own, each reached once."""
    owned = set(np.flatnonzero(m.owner == t).tolist())
    pairs, leaves, ends, waiting = {int(m.root[t])}, set(), set(), [2 * int(m.root[t])]
    while waiting:
        node = waiting.pop()
        feature, _, pair, leaf = nodes[node // 2, node % 2].tolist()
        if pair < 0.0:
            ends.add(node)
            is_new, leaves = leaf not in leaves, leaves | {int(leaf)}
        else:
            is_new, pairs = pair not in pairs and feature < d, pairs | {int(pair)}
            waiting += [2 * int(pair), 2 * int(pair) + 1]
        if not is_new:
            raise ValueError(f"forest.nodes must make a tree of each root, got another for {t}")
    if not pairs == leaves == owned or len(leaves) != m.n_leaves[t]:
        raise ValueError(f"forest.nodes must be those that tree {t} owns")
    if m.ready[t] >= 0.0 and m.ready[t] not in ends:
        raise ValueError(f"forest.ready must be a leaf of tree {t}, got node {m.ready[t]:g}")
