"""A forest of small random trees that grow row by row, and two experts that share it.

The *forest* votes by the class shares in the leaf of each tree, the *leaves* by a softmax-AdaGrad
learner whose inputs are the active leaves, one of each tree. Neither enters the memories. A leaf
tries random tests, each halfway between two rows that came to it, and is split by the best of them
once that pays for itself; a tree whose own errors rise starts again.

Columns are drawn as the table has them: of a nominal one, whose indicators are a group, it is
either this row's value against all others, or a child for each value.

Trees are nodes in pairs: a test sends a row to the first or the second of a pair. Pair i and leaf
i are taken together, when a leaf is split, and given back together, when a tree starts again; there
is room for as many as have been needed (`room_for`), so a model grows with what it has learnt.
A child for each value is a chain of pairs: every one tells a value from those behind it.
"""

from typing import Any, NamedTuple

import numpy as np

from mooe.auto.inputs import HALF, LARGEST_VALUE, ON, RANK, SIZE, SOURCE
from mooe.auto.targets import n_sides
from mooe.numerics.addresses import SINGLES_IN_LINE, fetch_item
from mooe.numerics.arithmetic import exp, inverse_root, log, padded, softmax
from mooe.numerics.blocks import next_line, room_from, singles, take, wholes
from mooe.numerics.compiled import forced, part, shared
from mooe.numerics.draws import draw, key_of
from mooe.numerics.lanes import lane, load, pack, pick, store
from mooe.numerics.tensors import check_whole, put

NAMES = NARROW_ONLY = ("forest", "leaves")
CLASSES_ONLY = ()

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
LARGEST_COUNT = 1e25  # that a file may hold
NO_END = 2**62  # rows
STEPS = 48, 16, 16  # room for leaves, see `room_from`

# A test with a child for each value of a group takes one place for two of them. The first holds
# MANY times their number plus the group's instead of a column, the others MANY.
MANY = 256
FEWEST_CHILDREN, MOST_CHILDREN = 3, 8
MOST_COUNTS = 64  # children times classes

# Poisson numbers of mean BAG, each as often as is likely: to draw one is to look one up, in a
# table of bytes that stays in the processor's cache.
_N_BAGS = 4096
_LIKELY = np.cumsum(np.exp(-BAG) * BAG ** np.arange(20) / np.cumprod([1, *range(1, 20)]))
BAGS = np.searchsorted(_LIKELY, (np.arange(_N_BAGS) + 0.5) / _N_BAGS).astype(np.uint8)

# Of a node: its column, or its leaf where it has no pair of children; its threshold, a float32
# among the whole numbers; the pair, 0 for none.
WHICH, THRESHOLD, PAIR = range(3)
NODE = 3
AGE, QUICK_MEAN, SLOW_MEAN = range(3)  # of a tree's errors


class Forest(NamedTuple):
    """The trees, and what they are made of; nothing where there is no room for leaves."""

    n_leaves: Any  # (TREES,)
    ready: Any  # (TREES,) the node that is to be split next, -1 for none
    errors: Any  # (TREES, 3)
    owner: Any  # (leaf_room,) 1 + the tree that pair and leaf belong to, 0 for none; of int32
    free: Any  # (leaf_room,) those given back, leaves_free of them; of int32
    nodes: Any  # (leaf_room * 2 * NODE,) of int32; pair t begins with the root of tree t
    thresholds: Any  # the same as float32
    leaves: Any  # (leaf_room * width,) of float32, see `Leaf`
    tests: Any  # the same as int32


class Leaf(NamedTuple):
    """Where in a leaf's numbers each thing begins; counts come first."""

    weights: int  # (n_outputs,)
    sums: int  # (n_outputs,) of squared gradients
    since: int  # weight of rows since it was last tried
    n_tests: int  # a whole number
    met: int  # 1 if `last` is a row, a whole number
    last: int  # (d,) the row met last
    features: int  # (TESTS,) whole numbers: columns, or see MANY
    thresholds: int  # (TESTS,)
    stats: int  # (TESTS, 2, n_values) the counts on either side of each test
    width: int


class Scratch(NamedTuple):
    """What the trees say of a row."""

    at: Any  # (TREES,) the node that it comes to
    own: Any  # (TREES,) the answer of each tree alone
    shares: Any  # (n_classes,) by the forest, or the value
    scores: Any  # (n_outputs,) by the leaves: probabilities, or the value
    gains: Any  # (TESTS,)


@shared
def n_values(s, c):
    """Return how many numbers a leaf counts: one of each class; of values number, sum, squares."""
    return n_sides(c) if s.classify else 3


@shared
def places_in_leaf(s, c):
    """Return where things lie in a leaf."""
    k, o = n_values(s, c), c.n_outputs
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
    n_nodes, n_numbers = room * 2 * NODE, room * places_in_leaf(s, c).width
    trees, at = take(_Trees, block, at, ((n,), (n,), (n, 3)))
    owner = next_line(at)
    free = next_line(owner + (room + 1) // 2)
    nodes = next_line(free + (room + 1) // 2)
    leaves = next_line(nodes + n_nodes // 2)
    forest = Forest(
        trees.n_leaves,
        trees.ready,
        trees.errors,
        wholes(block, owner, room),
        wholes(block, free, room),
        wholes(block, nodes, n_nodes),
        singles(block, nodes, n_nodes),
        singles(block, leaves, n_numbers),
        wholes(block, leaves, n_numbers),
    )
    return forest, leaves + n_numbers // 2


class _Trees(NamedTuple):
    """The arrays of a Forest that are as wide as the block's."""

    n_leaves: Any
    ready: Any
    errors: Any


@shared
def open_scratch(s, c, block, at):
    """Return the scratch of a block from a place on, and the place behind it."""
    n, shares = TREES if c.leaf_room > 0 else 0, n_sides(c) if s.classify else 1
    return take(Scratch, block, at, ((n,), (n,), (shares,), (c.n_outputs,), (TESTS,)))


def first_leaves(s: Any, c: Any) -> int:
    """Return how many leaves there are at the beginning; 0 where there is no forest."""
    return TREES if c.narrow and (s.forest or s.leaves) else 0


def room_for(s: Any, c: Any, n: int) -> int:
    """Return for how many leaves there is to be room so that n rows can be learnt, at least one."""
    used = int(c.leaves_used)
    needed = room_from(used + n * _most_in_a_row(c), *STEPS) if used else 0
    if needed == c.leaf_room:  # most often, and there is no more than there may be
        return needed
    return min(needed, max(used, TREES * most_leaves(s, c)))


@shared
def _most_in_a_row(c):
    """Return how many leaves a row may bring: it splits one at most."""
    return MOST_CHILDREN - 1 if c.n_groups > 0 else 1


@shared
def most_leaves(s, c):
    """Return how many leaves a tree may have."""
    return max(2, min(MOST_LEAVES, MOST_NUMBERS // (TREES * places_in_leaf(s, c).width)))


def start(m: Forest) -> None:
    """In place: every tree is a root, in arrays of 0."""
    trees = np.arange(len(m.ready))
    m.n_leaves[:], m.ready[:] = 1.0, -1.0
    m.owner[: len(trees)] = 1 + trees
    m.nodes.reshape(-1, 2, NODE)[: len(trees), 0, WHICH] = trees


@shared
def rows_left(s, c):
    """Return how many labelled rows there is room for."""
    if c.leaf_room == 0 or c.leaf_room >= TREES * most_leaves(s, c):
        return NO_END
    return (c.leaf_room - c.leaves_used) // _most_in_a_row(c)


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
        votes[0, leaves] = 2.0 * w.scores[0] - 1.0
    else:
        for o in range(c.n_outputs):
            votes[o, forest] = 2.0 * w.shares[o] - 1.0
            votes[o, leaves] = 2.0 * w.scores[o] - 1.0


@part
def _come_down(s, c, m, w, x):
    """In place: the leaf that a row comes to in each tree, and what the leaves say of it."""
    at, n = places_in_leaf(s, c), w.shares.shape[0]
    whole = c.n_outputs - c.n_outputs % 4
    nodes, thresholds, leaves = m.nodes, m.thresholds, m.leaves
    for o in range(n):
        w.shares[o] = 0.0
    for o in range(c.n_outputs):
        w.scores[o] = 0.0
    for t in range(TREES):
        node = 2 * NODE * t
        while pick(nodes, node + PAIR) > 0:
            is_above = pick(x, pick(nodes, node + WHICH)) > pick(thresholds, node + THRESHOLD)
            node = 2 * NODE * pick(nodes, node + PAIR) + (NODE if is_above else 0)
        w.at[t] = node
        fetch_item(leaves, at.width * pick(nodes, node + WHICH))
    for t in range(TREES):  # once all leaves are on their way
        leaf = at.width * pick(nodes, int(pick(w.at, t)) + WHICH)
        if s.classify:
            total, best, most = PRIOR * n, 0, pick(leaves, leaf)
            for k in range(n):
                count = pick(leaves, leaf + k)
                total += count
                best = k if count > most else best
                most = max(count, most)
            unit = 1.0 / (total * TREES)
            for k in range(0, whole, 4):
                share = (load(leaves, leaf + k) + PRIOR) * unit
                store(w.shares, k, load(w.shares, k) + share)
            for k in range(whole, n):
                w.shares[k] += (pick(leaves, leaf + k) + PRIOR) * unit
            w.own[t] = best
        else:
            w.own[t] = leaves[leaf + 1] / (leaves[leaf] + PRIOR)
            w.shares[0] += w.own[t] * (1.0 / TREES)
        for o in range(0, whole, 4):
            store(w.scores, o, load(w.scores, o) + load(leaves, leaf + at.weights + o))
        for o in range(whole, c.n_outputs):
            w.scores[o] += pick(leaves, leaf + at.weights + o)
    if s.classify:
        make_probabilities(w.scores, c.n_outputs)


@part
def make_probabilities(scores, n):
    """In place: the softmax of n scores; of one, the half of a difference, its logistic."""
    if n == 1:
        scores[0] = 1.0 / (1.0 + exp(min(700.0, -2.0 * scores[0])))
    else:
        softmax(scores, n)


@forced
def learn(s, c, inputs, m, w, seen, r, targets, label, weight):
    """In place: all trees learn row r, which they have voted on."""
    if c.leaf_room > 0:
        weight = min(weight, LARGEST_WEIGHT)
        row = seen.raw[r], seen.groups[r]
        _learn_row(s, c, inputs, m, w, *row, targets[0], label, weight)


@part
def _learn_row(s, c, inputs, m, w, x, groups, target, label, weight):
    """In place: the learner over leaves, then every tree; the one whose turn it is may split."""
    at, key = places_in_leaf(s, c), key_of(key_of(s.seed, 0), c.n_labelled)
    leaves, most, has_groups = m.leaves, most_leaves(s, c), c.n_groups > 0
    whole = c.n_outputs - c.n_outputs % 4  # in lanes
    value = label
    if not s.classify:
        value = max(-FARTHEST, min(FARTHEST, target))
        w.scores[0] = max(-1.0, min(1.0, w.scores[0] - target))
    elif c.n_outputs == 1:
        w.scores[0] -= label  # probability minus truth: the gradient
    else:
        w.scores[int(label)] -= 1.0
    for t in range(TREES):
        leaf = at.width * pick(m.nodes, int(pick(w.at, t)) + WHICH)
        if t + 1 < TREES:  # the tests of the next tree's leaf are rarely in the processor's cache
            ahead = at.width * pick(m.nodes, int(pick(w.at, t + 1)) + WHICH)
            for i in range(at.features, at.width, SINGLES_IN_LINE):
                fetch_item(leaves, ahead + i)
        weights, sums = leaf + at.weights, leaf + at.sums
        for o in range(0, whole, 4):
            slope = weight * load(w.scores, o)
            total = load(leaves, sums + o) + slope * slope
            store(leaves, sums + o, total)
            store(leaves, weights + o, _stepped(load(leaves, weights + o), slope, total))
        for o in range(whole, c.n_outputs):
            slope = weight * w.scores[o]
            total = leaves[sums + o] + slope * slope
            leaves[sums + o] = total
            leaves[weights + o] = _stepped(leaves[weights + o], slope, total)
        if s.classify:
            error = 0.0 if w.own[t] == label else 1.0
        else:
            error = min(1.0, (w.own[t] - value) * (w.own[t] - value))
        if is_alarmed(m.errors, t, error):
            start_again(s, c, m, t)
            w.at[t] = 2.0 * NODE * t
            leaf = at.width * t
        own = key_of(key, t)
        bag = weight * BAGS[own >> np.uint64(52)]
        if bag == 0.0:
            continue
        for k in range(0, whole, 4):
            store(leaves, leaf + k, load(leaves, leaf + k) * HOLD)
        for k in range(whole, n_values(s, c)):
            leaves[leaf + k] *= HOLD
        _count(s, leaves, leaf, value, bag)
        if m.n_leaves[t] < most:
            if has_groups:
                _try_by_table(s, c, m, x, groups, leaf, own, value, bag)
            else:
                _try_tests(s, c, m, x, leaf, own, value, bag)
            if leaves[leaf + at.since] >= GRACE and m.ready[t] < 0.0:
                m.ready[t] = w.at[t]
    turn = c.n_labelled % TREES
    if m.ready[turn] >= 0.0:
        _try_to_split(s, c, inputs, m, w, turn, int(m.ready[turn]))
        m.ready[turn] = -1.0


@forced
def _stepped(weights, slopes, sums):
    """Return weights of the learner over leaves after a step; sums: of squared slopes."""
    return weights - RATE * slopes * inverse_root(1.0 + sums)


@forced
def is_alarmed(errors, t, error):
    """In place: a tree's mean errors; return whether they have risen beyond chance."""
    errors[t, AGE] += 1.0
    share = 1.0 / errors[t, AGE]
    errors[t, QUICK_MEAN] += max(QUICK, share) * (error - errors[t, QUICK_MEAN])
    errors[t, SLOW_MEAN] += max(SLOW, share) * (error - errors[t, SLOW_MEAN])
    slow = errors[t, SLOW_MEAN]
    above = errors[t, QUICK_MEAN] - slow
    variance = max(slow * (1.0 - slow), 0.01) * QUICK * 0.5
    return errors[t, AGE] > YOUNG and above > 0.0 and above * above > ALARM * ALARM * variance


@shared
def forget_errors(errors, t):
    """In place: a tree's mean errors begin anew."""
    for k in range(3):
        errors[t, k] = 0.0


@part
def start_again(s, c, m, t):
    """In place: a tree is an empty root again; what it had taken is given back."""
    width = places_in_leaf(s, c).width
    for i in range(c.leaves_used):
        if m.owner[i] != 1 + t:
            continue
        for k in range(2 * NODE):
            m.nodes[2 * NODE * i + k] = 0
        for k in range(width):
            m.leaves[width * i + k] = 0.0
        if i != t:
            m.owner[i] = 0
            m.free[c.leaves_free] = i
            c.leaves_free += 1
    m.nodes[2 * NODE * t + WHICH] = t
    m.n_leaves[t], m.ready[t] = 1.0, -1.0
    forget_errors(m.errors, t)


@forced
def _count(s, numbers, at, value, weight):
    """In place: a row of a class, or of a value, among the counts that begin at a place."""
    if s.classify:
        numbers[at + int(value)] += weight
    else:
        numbers[at] += weight
        numbers[at + 1] += weight * value
        numbers[at + 2] += weight * value * value


@forced
def _try_tests(s, c, m, x, leaf, key, value, weight):
    """In place: a row of this value and weight for every test of a leaf; new tests from it."""
    at, k = places_in_leaf(s, c), n_values(s, c)
    numbers, tests = m.leaves, m.tests
    n_tests = tests[leaf + at.n_tests]
    if n_tests < TESTS:
        if tests[leaf + at.met] > 0:
            n_tests = _draw_tests(numbers, tests, leaf, at, 2 * k, x, key, n_tests)
            tests[leaf + at.n_tests] = n_tests
        for j in range(x.shape[0]):
            numbers[leaf + at.last + j] = x[j]
        tests[leaf + at.met] = 1
    stats, thresholds, classify = leaf + at.stats, leaf + at.thresholds, s.classify
    for i in range(n_tests):
        is_above = pick(x, pick(tests, leaf + at.features + i)) > pick(numbers, thresholds + i)
        place = stats + (2 * i + (1 if is_above else 0)) * k
        if classify:
            numbers[place + int(value)] += weight
        else:
            _count(s, numbers, place, value, weight)
    numbers[leaf + at.since] += weight


@part
def _try_by_table(s, c, m, x, groups, leaf, key, value, weight):
    """In place: as `_try_tests`, where some tests have a child for each value of a group."""
    at, k = places_in_leaf(s, c), n_values(s, c)
    numbers, tests = m.leaves, m.tests
    n_tests = tests[leaf + at.n_tests]
    if n_tests < TESTS:
        if tests[leaf + at.met] > 0:
            n_tests = _draw_by_table(numbers, tests, leaf, at, k, x, groups, key, n_tests)
            tests[leaf + at.n_tests] = n_tests
        for j in range(x.shape[0]):
            numbers[leaf + at.last + j] = x[j]
        tests[leaf + at.met] = 1
    for i in range(n_tests):
        test = tests[leaf + at.features + i]
        side = 0
        if test < MANY:
            side = 1 if x[test] > numbers[leaf + at.thresholds + i] else 0
        elif test > MANY:
            group, side = test % MANY, test // MANY - 1
            if groups[ON, group] > 0.0:
                side = min(side, int(groups[RANK, group]))
        else:
            continue
        _count(s, numbers, leaf + at.stats + (2 * i + side) * k, value, weight)
    numbers[leaf + at.since] += weight


@part
def _draw_by_table(numbers, tests, leaf, at, k, x, groups, key, n_tests):
    """In place: as `_draw_tests`, by columns of the table; a test of a group is there once."""
    for i in range(DRAWS):
        own = key_of(key, i)
        j = int(groups[SOURCE, 1 + int(draw(own) * groups[SOURCE, 0])])
        group, n_places = max(0, -j), 1
        if group > 0:
            j = int(groups[ON, group]) - 1
        if j < 0 or n_tests == TESTS or x[j] == numbers[leaf + at.last + j]:
            continue
        test, here, there = j, x[j], numbers[leaf + at.last + j]
        if group > 0:
            n_children = int(groups[SIZE, group])
            n_places = (n_children + 1) // 2
            is_small = n_children * k <= MOST_COUNTS and n_places <= TESTS - n_tests
            is_many = FEWEST_CHILDREN <= n_children <= MOST_CHILDREN and is_small
            if is_many and draw(key_of(own, 0)) < HALF:
                test = MANY * n_children + group
            else:
                n_places = 1
            is_there = False
            for other in range(n_tests):
                is_there = is_there or tests[leaf + at.features + other] == test
            if is_there:
                continue
        for place in range(n_places):
            tests[leaf + at.features + n_tests + place] = MANY
            numbers[leaf + at.thresholds + n_tests + place] = 0.0
        tests[leaf + at.features + n_tests] = test
        if test < MANY:
            numbers[leaf + at.thresholds + n_tests] = here + (there - here) * 0.5
        for place in range(2 * k * n_places):
            numbers[leaf + at.stats + 2 * k * n_tests + place] = 0.0
        n_tests += n_places
    return n_tests


@part
def _draw_tests(numbers, tests, leaf, at, n_counts, x, key, n_tests):
    """In place: new tests of columns in which a row differs from the last; return how many."""
    for k in range(DRAWS):
        j = int(draw(key_of(key, k)) * x.shape[0])
        here, there = x[j], numbers[leaf + at.last + j]
        if n_tests == TESTS or here == there:
            continue
        tests[leaf + at.features + n_tests] = j
        numbers[leaf + at.thresholds + n_tests] = here + (there - here) * 0.5
        for i in range(n_counts):
            numbers[leaf + at.stats + n_tests * n_counts + i] = 0.0
        n_tests += 1
    return n_tests


@part
def _try_to_split(s, c, inputs, m, w, t, node):
    """In place: split a leaf by its best test, or draw others in place of the worse half."""
    at, k, numbers = places_in_leaf(s, c), n_values(s, c), m.leaves
    leaf = at.width * m.nodes[node + WHICH]
    n_tests = m.tests[leaf + at.n_tests]
    numbers[leaf + at.since] = 0.0
    best, left = -1, _leaves_left(s, c, m, t)
    if left < 1:
        return
    for i in range(n_tests):
        stats, n_children = leaf + at.stats + 2 * i * k, m.tests[leaf + at.features + i] // MANY
        if n_children > 0:
            w.gains[i] = -np.inf
            if n_children > 1 and n_children - 1 <= left:
                w.gains[i] = _gain_of_many(s, numbers, stats, k, n_children)
        else:
            w.gains[i] = _gain(numbers, stats, k) if s.classify else _gain_of_values(numbers, stats)
        if w.gains[i] > 0.0 and (best < 0 or w.gains[i] > w.gains[best]):
            best = i
    if best >= 0:
        _split(s, c, inputs, m, t, node, best)
    elif n_tests == TESTS and c.n_groups > 0:
        _keep_half(m, w, leaf, at, k)
    elif n_tests == TESTS:
        for i in range(KEPT):
            largest = i
            for other in range(i + 1, TESTS):
                if w.gains[other] > w.gains[largest]:
                    largest = other
            w.gains[largest] = w.gains[i]
            _swap(m.tests, leaf + at.features + i, leaf + at.features + largest, 1)
            _swap(m.tests, leaf + at.thresholds + i, leaf + at.thresholds + largest, 1)
            _swap(m.tests, leaf + at.stats + 2 * i * k, leaf + at.stats + 2 * largest * k, 2 * k)
        m.tests[leaf + at.n_tests] = KEPT


@forced
def _leaves_left(s, c, m, t):
    """Return how many leaves a tree may still have: it has a limit, and so have all together.

    New classes lower what a tree may have; those that have more keep it, and others wait for it.
    """
    most = most_leaves(s, c)
    return min(most - int(m.n_leaves[t]), TREES * most - (c.leaves_used - c.leaves_free))


@part
def _keep_half(m, w, leaf, at, k):
    """In place: the best tests stay that find room in half of the places, in their order."""
    left, tests = KEPT, m.tests
    while True:
        best, n_best, i = -1, 0, 0
        while i < TESTS:
            n = _n_places(tests[leaf + at.features + i])
            if n <= left and w.gains[i] < np.inf and (best < 0 or w.gains[i] > w.gains[best]):
                best, n_best = i, n
            i += n
        if best < 0:
            break
        w.gains[best] = np.inf
        left -= n_best
    i, end = 0, 0
    while i < TESTS:
        n = _n_places(tests[leaf + at.features + i])
        if w.gains[i] == np.inf:
            _move(tests, leaf + at.features + i, leaf + at.features + end, n)
            _move(tests, leaf + at.thresholds + i, leaf + at.thresholds + end, n)
            _move(tests, leaf + at.stats + 2 * i * k, leaf + at.stats + 2 * end * k, 2 * k * n)
            end += n
        i += n
    tests[leaf + at.n_tests] = end


@shared
def _n_places(test):
    """Return how many places of a leaf a test takes."""
    return 1 if test < MANY else (test // MANY + 1) // 2


@forced
def _move(numbers, source, target, n):
    """In place: n numbers to a place before theirs."""
    for i in range(n):
        numbers[target + i] = numbers[source + i]


@forced
def _swap(numbers, a, b, n):
    """In place: n numbers at two places change places."""
    for i in range(n):
        numbers[a + i], numbers[b + i] = numbers[b + i], numbers[a + i]


@part
def _gain(numbers, stats, k):
    """Return the nats a row that a test saves, its price paid; -inf where a side is too light."""
    left, right, saved = 0.0, 0.0, 0.0
    for i in range(k):
        a, b = float(numbers[stats + i]), float(numbers[stats + k + i])
        left += a
        right += b
        if a > 0.0 and b > 0.0:
            logs = log(pack(a, b, a + b, 1.0))
            saved += a * lane(logs, 0) + b * lane(logs, 1) - (a + b) * lane(logs, 2)
    if left < LEAST or right < LEAST:
        return -np.inf
    n = left + right
    logs = log(pack(left, right, n, 1.0))
    return (saved - (left * lane(logs, 0) + right * lane(logs, 1)) + n * lane(logs, 2) - PRICE) / n


@part
def _gain_of_values(numbers, stats):
    """Return the same of a regression: half the logarithm of what is left of the squares."""
    left, right = float(numbers[stats]), float(numbers[stats + 3])
    if left < LEAST or right < LEAST:
        return -np.inf
    sum_left, sum_right = float(numbers[stats + 1]), float(numbers[stats + 4])
    squares_left, squares_right = float(numbers[stats + 2]), float(numbers[stats + 5])
    n = left + right
    before = _spread(n, sum_left + sum_right, squares_left + squares_right)
    after = _spread(left, sum_left, squares_left) + _spread(right, sum_right, squares_right)
    return 0.5 * log(before / after) - PRICE / n


@part
def _gain_of_many(s, numbers, stats, k, n_children):
    """Return the same of a child for each value: all but one have a price, two are not light."""
    n, n_heavy, saved = 0.0, 0, 0.0
    total, squares, after = 0.0, 0.0, 0.0  # of values
    for child in range(n_children):
        at, here = stats + child * k, 0.0
        if s.classify:
            for i in range(k):
                a = float(numbers[at + i])
                here += a
                saved += a * log(a) if a > 0.0 else 0.0
            saved -= here * log(here) if here > 0.0 else 0.0
        elif numbers[at] > 0.0:
            here, one, other = float(numbers[at]), float(numbers[at + 1]), float(numbers[at + 2])
            after += _spread(here, one, other)
            total += one
            squares += other
        n += here
        n_heavy += 1 if here >= LEAST else 0
    if n_heavy < 2:
        return -np.inf
    price = PRICE * (n_children - 1) / n
    if not s.classify:
        return 0.5 * log(_spread(n, total, squares) / after) - price
    for i in range(k):
        a = 0.0
        for child in range(n_children):
            a += numbers[stats + child * k + i]
        saved -= a * log(a) if a > 0.0 else 0.0
    return (saved + n * log(n)) / n - price


@forced
def _spread(n, total, squares):
    """Return the sum of squared deviations from the mean, at least next to nothing."""
    return max(1e-6 * n, squares - total * total / n)


@part
def _split(s, c, inputs, m, t, node, best):
    """In place: a leaf becomes several; the last of them keeps its place."""
    at, k, numbers = places_in_leaf(s, c), n_values(s, c), m.leaves
    leaf = at.width * m.nodes[node + WHICH]
    test, stats = m.tests[leaf + at.features + best], leaf + at.stats + 2 * best * k
    if test < MANY:
        threshold = float(numbers[leaf + at.thresholds + best])
        _branch_off(s, c, m, t, node, test, threshold, stats + k)
    else:
        group, left = test % MANY, test // MANY - 1
        for j in range(inputs.group.shape[0]):
            if left > 0 and inputs.group[j] == group:
                threshold = max(-LARGEST_VALUE, min(LARGEST_VALUE, HALF - inputs.first[j]))
                node = _branch_off(s, c, m, t, node, j, threshold, stats)
                stats += k
                left -= 1
    for i in range(k):
        numbers[leaf + i] = numbers[stats + i]
    for i in range(at.sums, at.since):
        numbers[leaf + i] *= 0.5
    for i in range(at.since, at.width):
        numbers[leaf + i] = 0.0


@part
def _branch_off(s, c, m, t, node, column, threshold, stats):
    """In place: rows above a threshold to a leaf of their own, of these counts, in a free place.

    Return the node of the others, whose leaf is still what it was.
    """
    at, k, numbers = places_in_leaf(s, c), n_values(s, c), m.leaves
    if c.leaves_free > 0:
        c.leaves_free -= 1
        new = int(m.free[c.leaves_free])
        m.free[c.leaves_free] = 0
    else:
        new = c.leaves_used
        c.leaves_used += 1
    place = m.nodes[node + WHICH]
    leaf, other, child = at.width * place, at.width * new, 2 * NODE * new
    m.owner[new] = 1 + t
    m.n_leaves[t] += 1.0
    m.nodes[node + WHICH] = column
    m.thresholds[node + THRESHOLD] = threshold
    m.nodes[node + PAIR] = new
    m.nodes[child + WHICH], m.nodes[child + NODE + WHICH] = place, new
    for i in range(k):
        numbers[other + i] = numbers[stats + i]
    for i in range(at.weights, at.sums):
        numbers[other + i] = numbers[leaf + i]
    for i in range(at.sums, at.since):
        numbers[other + i] = numbers[leaf + i] * 0.5
    for i in range(at.since, at.width):
        numbers[other + i] = 0.0
    return child


def copy_used(c: Any, old: Forest, new: Forest) -> None:
    """In place: the trees of before, in a forest of other room and the same leaves."""
    n, room = int(c.leaves_used), max(1, len(old.owner))
    for name, source in old._asdict().items():
        end = n * len(source) // room if name not in ("n_leaves", "ready", "errors") else None
        getattr(new, name)[:end] = source[:end]


def grow_classes(s: Any, before: Any, c: Any, old: Forest, new: Forest) -> None:
    """In place: no leaf has met the new classes; the learner's score of them is its lowest.

    before and c are the counters before and after that.
    """
    if len(old.ready) == 0:
        return
    _copy_leaves(s, before, c, old, new)
    widths = places_in_leaf(s, before).width, places_in_leaf(s, c).width
    leaves = [m.leaves.reshape(-1, width) for m, width in zip((old, new), widths, strict=True)]
    grow_votes(s, before, c, *(some[: int(c.leaves_used)] for some in leaves))


def grow_votes(s: Any, before: Any, c: Any, old: np.ndarray, new: np.ndarray) -> None:
    """In place: what leaves vote by, as `grow_classes` says; (n, width of before), (n, width)."""
    source, target = places_in_leaf(s, before), places_in_leaf(s, c)
    n, k = n_sides(before), source.weights
    new[:, :k] = old[:, :k]
    for begin, first in ((source.weights, target.weights), (source.sums, target.sums)):
        new[:, first : first + before.n_outputs] = old[:, begin : begin + before.n_outputs]
    weights, sums = (new[:, begin : begin + c.n_outputs] for begin in target[:2])
    if before.n_outputs == 1:
        weights[:, 1], weights[:, 0] = weights[:, 0], -weights[:, 0]
        sums[:, 1] = sums[:, 0]
    weights[:, n:] = weights[:, :n].min(axis=1, keepdims=True)


def grow_inputs(s: Any, before: Any, c: Any, old: Forest, new: Forest) -> None:
    """In place: the trees of before; no test is on a new column yet. Wide inputs have no forest.

    before and c are the counters before and after that.
    """
    if len(new.ready):
        _copy_leaves(s, before, c, old, new)


def _copy_leaves(s: Any, before: Any, c: Any, old: Forest, new: Forest) -> None:
    """In place: the trees of before, in leaves of another shape; what is new there is 0."""
    nothing = old.leaves[:0]
    copy_used(before, old._replace(leaves=nothing, tests=nothing), new)
    sources, targets = _parts_of_leaves(s, before, old), _parts_of_leaves(s, c, new)
    used = slice(int(c.leaves_used))
    for source, target in zip(sources, targets, strict=True):
        target[(used, *map(slice, source.shape[1:]))] = source[used]


def _parts_of_leaves(s: Any, c: Any, m: Forest) -> list[np.ndarray]:
    """Return the parts of all leaves, as whole numbers where they are: views of one shape each.

    Counts, weights, sums, since and what follows, the last row, tests, their counts.
    """
    at, k = places_in_leaf(s, c), n_values(s, c)
    leaves = m.leaves.reshape(-1, at.width)
    ends = (at.weights, at.sums, at.since, at.last, at.features, at.stats)
    parts = [leaves[:, a:b] for a, b in zip((0, *ends), ends, strict=False)]
    stats = leaves[:, at.stats : at.stats + 2 * TESTS * k]
    return [*parts, stats.reshape(len(leaves), TESTS, 2, k)]


def save(c: Any, m: Forest) -> dict[str, np.ndarray]:
    """Return copies of what has been learnt, by name; whole numbers of leaves as their bits."""
    n, room = int(c.leaves_used), max(1, len(m.owner))
    tensors = {name: getattr(m, name).copy() for name in ("n_leaves", "ready", "errors")}
    tensors |= {
        "owner": m.owner[:n].astype(np.float64),
        "free": m.free[: c.leaves_free].astype(np.float64),
        "nodes": m.thresholds[: n * 2 * NODE].reshape(n, 2, NODE).copy(),
        "leaves": m.leaves[: n * len(m.leaves) // room].reshape(n, -1 if n else 0).copy(),
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
    n, width = int(c.leaves_used), places_in_leaf(s, c).width
    for name in ("n_leaves", "ready", "errors"):
        put(f"forest.{name}", getattr(m, name), tensors[f"forest.{name}"])
    for name, end, limit in (("owner", n, TREES + 1), ("free", int(c.leaves_free), n)):
        check_whole(f"forest.{name}", tensors[f"forest.{name}"], limit)
        put(f"forest.{name}", getattr(m, name)[:end], tensors[f"forest.{name}"])
    put("forest.nodes", m.thresholds.reshape(-1, 2, NODE)[:n], tensors["forest.nodes"])
    if n:
        put("forest.leaves", m.leaves.reshape(-1, width)[:n], tensors["forest.leaves"])


def check(s: Any, c: Any, m: Forest, group: np.ndarray) -> None:
    """Raise ValueError unless what was restored are trees, as compiled code takes them to be.

    group: that of each input.
    """
    if c.leaves_used:
        _check_trees(s, c, m)
        at = places_in_leaf(s, c)
        tests = m.tests.reshape(-1, at.width)[: c.leaves_used]
        _check_tests(at, tests, int(c.n_features), group)


def _check_trees(s: Any, c: Any, m: Forest) -> None:
    """Raise ValueError unless every tree is one, of nodes, leaves and tests that there are."""
    n, at = int(c.leaves_used), places_in_leaf(s, c)
    free = m.free[: c.leaves_free].tolist()
    if len(set(free)) < len(free) or set(free) != set(np.flatnonzero(m.owner[:n] == 0).tolist()):
        raise ValueError("forest.free must be the leaves that no tree owns, each once")
    check_whole("forest.ready", m.ready, 2 * NODE * n, -1.0)
    is_leaf = check_nodes("forest", m.owner[:n], m.nodes[: n * 2 * NODE], int(c.n_features))
    if not np.array_equal(np.bincount(m.owner[:n], minlength=TREES + 1)[1:], m.n_leaves):
        raise ValueError("forest.n_leaves must be those that each tree owns")
    _check_ready(m, is_leaf)
    tests = m.tests.reshape(-1, at.width)[:n]
    check_whole("forest.leaves", tests[:, at.n_tests], TESTS + 1)
    check_whole("forest.leaves", tests[:, at.met], 2)
    numbers = m.leaves.reshape(-1, at.width)[:n]
    check_votes("forest", s, c, numbers)
    stats = np.abs(numbers[:, at.stats :])
    if (numbers[:, at.since] < 0.0).any() or (stats > LARGEST_COUNT).any():
        raise ValueError(f"forest.leaves must have sums from 0 and counts up to {LARGEST_COUNT:g}")
    if (np.abs(numbers[:, at.last : at.features]) > LARGEST_VALUE).any():
        raise ValueError(f"forest.leaves must have rows of values up to {LARGEST_VALUE:g}")
    if (m.errors < 0.0).any() or (m.errors[:, QUICK_MEAN:] > 1.0).any():
        raise ValueError("forest.errors must be ages, and means from 0 to 1")


def check_votes(name: str, s: Any, c: Any, numbers: np.ndarray) -> None:
    """Raise ValueError unless leaves, (n, at least their numbers to vote by), are of their size."""
    at = places_in_leaf(s, c)
    counts, sums = numbers[:, : at.weights], numbers[:, at.sums : at.since]
    if (sums < 0.0).any() or (np.abs(numbers[:, : at.since]) > LARGEST_COUNT).any():
        raise ValueError(f"{name}.leaves must have sums from 0 and counts up to {LARGEST_COUNT:g}")
    if s.classify and (counts < 0.0).any():
        raise ValueError(f"{name}.leaves must have counts of at least 0")
    if (np.abs(numbers[:, at.weights : at.sums]) > LARGEST_WEIGHT).any():
        raise ValueError(f"{name}.leaves must have weights up to {LARGEST_WEIGHT:g}")


def _check_tests(at: Leaf, leaves: np.ndarray, d: int, group: np.ndarray) -> None:
    """Raise ValueError unless tests are of columns and groups that there are, in all their places.

    leaves: (n, width) of int32; group: (d,).
    """
    counts = leaves[:, at.n_tests].tolist()
    tests = leaves[:, at.features : at.thresholds]
    used = np.where(np.arange(TESTS) < leaves[:, [at.n_tests]], tests, 0)
    check_whole("forest.leaves", used, (MOST_CHILDREN + 1) * MANY if group.any() else max(1, d))
    sizes = np.bincount(group.astype(np.int64), minlength=MANY)
    sizes[0] = 0
    for leaf in np.flatnonzero((used >= d).any(axis=1)).tolist():
        places, i = used[leaf].tolist(), 0
        while i < counts[leaf]:
            n_children, which = divmod(places[i], MANY)
            end = i + _n_places(places[i])
            is_many = FEWEST_CHILDREN <= n_children <= sizes[which]
            is_whole = end <= counts[leaf] and places[i + 1 : end] == [MANY] * (end - i - 1)
            if not (places[i] < d or (is_many and is_whole)):
                raise ValueError(
                    "forest.leaves must have tests of columns and groups that are there"
                )
            i = end


def check_nodes(name: str, owner: np.ndarray, nodes: np.ndarray, d: int) -> np.ndarray:
    """Raise ValueError unless trees are trees, of nodes and leaves of their own, each met once.

    What nobody owns is empty, as those who take it again believe. owner: (n,) of leaves in use, and
    of pairs of nodes; d: inputs. Return whether nodes are leaves, (n, 2).
    """
    n = len(owner)
    parent, nodes = np.arange(n), nodes.reshape(n, 2, NODE)
    check_whole(f"{name}.owner", owner, TREES + 1)
    is_there = np.repeat(owner > 0, 2).reshape(n, 2)
    is_there[:TREES, 1] = False  # a root has no other beside it
    is_inner, is_leaf = is_there & (nodes[..., PAIR] != 0), is_there & (nodes[..., PAIR] == 0)
    pairs, leaves = nodes[is_inner][:, PAIR], nodes[is_leaf][:, WHICH]
    above, beside = np.nonzero(is_inner)[0], np.nonzero(is_leaf)[0]
    check_whole(f"{name}.nodes", pairs, n, TREES)
    check_whole(f"{name}.nodes", leaves, n)
    check_whole(f"{name}.nodes", nodes[is_inner][:, WHICH], d)
    parent[pairs] = above
    for _ in range(n.bit_length()):
        parent = parent[parent]  # of the parent, of its, and so on: in the end a root
    is_tree = (
        np.array_equal(np.bincount(pairs, minlength=n)[TREES:], owner[TREES:] > 0)
        and np.array_equal(np.bincount(leaves, minlength=n), owner > 0)
        and np.array_equal(owner[pairs], owner[above])
        and np.array_equal(owner[leaves], owner[beside])
        and np.array_equal(owner[:TREES], 1 + np.arange(TREES))
        and bool((parent[owner > 0] < TREES).all())
        and not nodes[owner == 0].any()
    )
    if not is_tree:
        raise ValueError(f"{name}.nodes must be trees, each of all that it owns")
    return is_leaf


def _check_ready(m: Forest, is_leaf: np.ndarray) -> None:
    """Raise ValueError unless what is to be split next is a leaf of its tree."""
    ready = m.ready.astype(np.int64)
    which = np.flatnonzero(ready >= 0)
    pair, place = ready[which] // (2 * NODE), ready[which] % (2 * NODE)
    is_end = (place % NODE == 0) & is_leaf[pair, place // NODE] & (m.owner[pair] == 1 + which)
    if not is_end.all():
        tree = which[~is_end][0]
        raise ValueError(f"forest.ready must be a leaf of tree {tree}, got {ready[tree]}")
