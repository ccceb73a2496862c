"""The forest, transcribed literally and slowly: the oracle of mooe.auto.experts.forest.

The recipe is that of spec/forest.md; what that leaves open is decided and told here. Trees are
objects; what the compiled forest keeps in 32 bits has 32 bits here too, for decisions hang on it.
"""

import math
from dataclasses import dataclass, field

import numpy as np

TREES, TESTS, DRAWS, MOST_LEAVES, MOST_NUMBERS = 20, 16, 6, 256, 2**22
GRACE, PRICE, LEAST, PRIOR, RATE, BAG = 100.0, 4.0, 5.0, 0.1, 0.2, 4.0
HOLD = 1.0 - 1.0 / 1000.0
MASK = 2**64 - 1
STEP = 0x9E3779B97F4A7C15
MOST_COUNTS = 64  # children times classes
ZERO = np.float32(0.0)
BAGS = 4096
ZERO = np.float32(0.0)


def scrambled(bits):
    """The finaliser of splitmix64."""
    bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & MASK
    return bits ^ (bits >> 31)


def key_of(key, number):
    return scrambled(key ^ (STEP * (number + 1)) & MASK)


def uniform(key):
    return (key >> 11) * 2.0**-53


def poisson(key):
    """A Poisson number of mean 4, by the middle of the 4,096th part that a key falls into."""
    uniform = ((key >> 52) + 0.5) / BAGS
    n, total = 0, math.exp(-BAG)
    term = total
    while total < uniform:
        n += 1
        term *= BAG / n
        total += term
    return n


@dataclass
class Test:
    column: int
    threshold: np.float32
    stats: np.ndarray  # (2, n_values) of float32
    places = 1  # of the 16 that a leaf has

    def side(self, x, on):
        return int(x[self.column] > self.threshold)

    child = side

    def is_same(self, other):
        """Of tests of a group, which have but one threshold."""
        return isinstance(other, Test) and other.column == self.column


@dataclass
class ValueTest:
    """A child for each value of a nominal column; the last takes what has none of the others."""

    group: int
    members: list  # inputs
    stats: np.ndarray  # (n_children, n_values) of float32
    firsts: np.ndarray | None = None  # values of the members, from which x is counted

    @property
    def places(self):
        return (len(self.members) + 1) // 2

    def side(self, x, on):
        value = on.get(self.group)
        return self.members.index(value) if value in self.members else len(self.members) - 1

    def child(self, x, on):
        for i, (j, first) in enumerate(zip(self.members, self.firsts, strict=True)):
            if x[j] > np.float32(0.5 - first):
                return i
        return len(self.members) - 1

    def is_same(self, other):
        return isinstance(other, ValueTest) and other.members == self.members


@dataclass
class Leaf:
    counts: np.ndarray  # of float32: of each class; or number, sum and squares of values
    weights: np.ndarray  # of float32, of the learner over leaves
    sums: np.ndarray  # of float32, of its squared gradients
    since: np.float32 = ZERO
    tests: list = field(default_factory=list)
    last: np.ndarray | None = None
    split: Test | ValueTest | None = None  # from then on it is an inner node
    children: tuple = ()

    @property
    def n_free(self):
        return TESTS - sum(test.places for test in self.tests)


class ForestReference:
    """Twenty trees; n_classes is 0 in a regression.

    groups: the nominal column that each input is an indicator of, from 1; 0 for none.
    """

    def __init__(self, seed, d, n_classes, groups=None):
        self.groups = [0] * d if groups is None else [int(group) for group in groups]
        self.on = {}
        self.seed, self.d, self.n_classes = seed, d, max(2, n_classes) if n_classes else 0
        self.trees = [self.empty() for _ in range(TREES)]
        self.errors = [[0, 0.0, 0.0] for _ in range(TREES)]  # age, quick mean, slow mean
        self.ready = [None] * TREES
        self.n_splits = self.n_restarts = 0

    @property
    def n_outputs(self):
        return self.n_classes if self.n_classes > 2 else 1

    @property
    def n_values(self):
        return self.n_classes or 3

    @property
    def most_leaves(self):
        """Of a tree: fewer where leaves are large."""
        width = self.n_values + 2 * self.n_outputs + 3 + self.d + 2 * TESTS
        width = -(-(width + 2 * TESTS * self.n_values) // 4) * 4
        return max(2, min(MOST_LEAVES, MOST_NUMBERS // (TREES * width)))

    def empty(self):
        zeros = [np.zeros(n, np.float32) for n in (self.n_values, self.n_outputs, self.n_outputs)]
        return Leaf(*zeros)

    def leaf_of(self, node, x):
        while node.split is not None:
            node = node.children[node.split.child(x, self.on)]
        return node

    def leaves_of(self, node):
        if node.split is None:
            return [node]
        return [leaf for child in node.children for leaf in self.leaves_of(child)]

    def vote(self, raw, given=None, firsts=None):
        """Return the votes of the forest and of the leaves, (2, n_outputs).

        Where there are groups, the values as given and the first ones are wanted too.
        """
        if any(self.groups):
            self.on = {g: j for j, g in enumerate(self.groups) if g and given[j] > 0.5}
            self.firsts = firsts
        self.x = np.clip(raw, -1e38, 1e38).astype(np.float32)
        self.at = [self.leaf_of(tree, self.x) for tree in self.trees]
        logits = np.sum([leaf.weights for leaf in self.at], axis=0, dtype=np.float64)
        if not self.n_classes:
            self.own = [float(leaf.counts[1]) / (float(leaf.counts[0]) + PRIOR) for leaf in self.at]
            self.said = logits
            return np.array([[np.mean(self.own)], logits])
        self.own = [int(leaf.counts.argmax()) for leaf in self.at]
        counts = [leaf.counts.astype(float) + PRIOR for leaf in self.at]
        shares = np.mean([some / some.sum() for some in counts], axis=0)
        if self.n_outputs == 1:
            self.said = 1.0 / (1.0 + np.exp(-2.0 * logits))
            return np.array([[shares[1] - shares[0]], 2.0 * self.said - 1.0])
        raised = np.exp(logits - logits.max())
        self.said = raised / raised.sum()
        return 2.0 * np.array([shares, self.said]) - 1.0

    def learn(self, label, target, weight, row):
        """The row that was voted on: its class, or its standardised value; row counts from 1."""
        weight = min(weight, 1e6)
        value = max(-5.0, min(5.0, target))
        if not self.n_classes:
            slopes = np.clip(self.said - target, -1.0, 1.0)
        elif self.n_outputs == 1:
            slopes = self.said - label
        else:
            slopes = self.said - (np.arange(self.n_classes) == label)
        for t in range(TREES):
            leaf = self.at[t]
            for o, slope in enumerate(weight * slopes):
                total = float(leaf.sums[o]) + slope**2
                leaf.sums[o] = total
                leaf.weights[o] = float(leaf.weights[o]) - RATE * slope / math.sqrt(1.0 + total)
            own = self.own[t]
            error = float(own != label) if self.n_classes else min(1.0, (own - value) ** 2)
            if self.is_alarmed(self.errors[t], error):
                self.n_restarts += 1
                self.trees[t] = self.at[t] = self.empty()
                self.errors[t], self.ready[t] = [0, 0.0, 0.0], None
            key = key_of(key_of(key_of(self.seed, 0), row), t)
            bag = weight * poisson(key)
            if bag > 0:
                self.learn_in_leaf(t, self.at[t], key, label if self.n_classes else value, bag)
        turn = row % TREES
        if self.ready[turn] is not None:
            self.try_to_split(self.ready[turn], len(self.leaves_of(self.trees[turn])))
            self.ready[turn] = None

    def is_alarmed(self, errors, error):
        errors[0] += 1
        for k, share in ((1, 0.02), (2, 0.002)):
            errors[k] += max(share, 1.0 / errors[0]) * (error - errors[k])
        age, quick, slow = errors
        deviation = math.sqrt(max(slow * (1.0 - slow), 0.01) * 0.01)
        return age > 200 and quick > slow + 4.0 * deviation

    def count(self, counts, value, weight):
        if self.n_classes:
            counts[int(value)] += np.float64(weight)
        else:
            for k in range(3):
                counts[k] = float(counts[k]) + weight * value**k

    def learn_in_leaf(self, t, leaf, key, value, weight):
        leaf.counts[:] = leaf.counts.astype(float) * HOLD
        self.count(leaf.counts, value, weight)
        if len(self.leaves_of(self.trees[t])) >= self.most_leaves:
            return
        if leaf.n_free:
            if leaf.last is not None:
                self.draw_tests(leaf, key)
            leaf.last = self.x.copy()
        for test in leaf.tests:
            self.count(test.stats[test.side(self.x, self.on)], value, weight)
        leaf.since = np.float32(float(leaf.since) + weight)
        if leaf.since >= GRACE and self.ready[t] is None:
            self.ready[t] = leaf

    def draw_tests(self, leaf, key):
        # Columns of the table: inputs, or groups as -1, -2 and so on, each where it begins.
        sources = list(dict.fromkeys(-g if g else j for j, g in enumerate(self.groups)))
        for k in range(DRAWS):
            own = key_of(key, k)
            j = sources[int(uniform(own) * len(sources))]
            group = max(0, -j)
            j = self.on.get(group) if group else j
            if j is None or not leaf.n_free or self.x[j] == leaf.last[j]:
                continue
            here, there = float(self.x[j]), float(leaf.last[j])
            threshold = np.float32(here + (there - here) * 0.5)
            test = Test(j, threshold, np.zeros((2, self.n_values), np.float32))
            if group:
                members = [i for i, other in enumerate(self.groups) if other == group]
                stats = np.zeros((len(members), self.n_values), np.float32)
                many = ValueTest(group, members, stats)
                fits = many.places <= leaf.n_free and stats.size <= MOST_COUNTS
                if 3 <= len(members) <= 8 and fits and uniform(key_of(own, 0)) < 0.5:
                    test = many
                if any(test.is_same(other) for other in leaf.tests):
                    continue
            leaf.tests.append(test)

    def try_to_split(self, leaf, n_leaves):
        leaf.since = np.float32(0.0)
        gains = [
            self.gain(test.stats.astype(float))
            if n_leaves + len(test.stats) - 1 <= self.most_leaves
            else -math.inf
            for test in leaf.tests
        ]
        best = max(range(len(gains)), key=gains.__getitem__, default=None)
        if best is not None and gains[best] > 0.0:
            self.n_splits += 1
            leaf.split = leaf.tests[best]
            if isinstance(leaf.split, ValueTest):
                leaf.split.firsts = self.firsts[leaf.split.members]
            half = (leaf.sums.astype(float) * 0.5).astype(np.float32)
            leaf.children = tuple(
                Leaf(side.copy(), leaf.weights.copy(), half.copy()) for side in leaf.split.stats
            )
        elif any(self.groups) and not leaf.n_free:
            kept, n_left = set(), TESTS // 2  # the best that find room, in their order
            for i in sorted(range(len(gains)), key=lambda i: -gains[i]):
                if leaf.tests[i].places <= n_left:
                    kept.add(i)
                    n_left -= leaf.tests[i].places
            leaf.tests = [test for i, test in enumerate(leaf.tests) if i in kept]
        elif len(leaf.tests) == TESTS:
            for i in range(TESTS // 2):  # the best half to the front, each in exchange
                largest = max(range(i, TESTS), key=gains.__getitem__)
                for some in (gains, leaf.tests):
                    some[i], some[largest] = some[largest], some[i]
            del leaf.tests[TESTS // 2 :]

    def gain(self, stats):
        """Nats a row that a test saves, the price of its children paid but for one."""
        n = stats.sum(axis=1) if self.n_classes else stats[:, 0]
        if np.sum(n >= LEAST) < 2:
            return -math.inf
        price = PRICE * (len(stats) - 1)
        if not self.n_classes:
            whole = stats.sum(axis=0)

            def spread(n, total, squares):
                return max(1e-6 * n, squares - total**2 / n)

            after = sum(spread(*child) for child in stats if child[0] > 0)
            return 0.5 * math.log(spread(*whole) / after) - price / n.sum()

        def entropy(counts):
            """Times the number of rows."""
            some = counts[counts > 0]
            return -np.sum(some * np.log(some / counts.sum()))

        saved = entropy(stats.sum(axis=0)) - sum(map(entropy, stats))
        return (saved - price) / n.sum()

    def grow_columns(self, groups):
        """More columns, with the groups of all; leaves had a 0 there in their last row."""
        more = len(groups) - self.d
        self.d, self.groups = len(groups), [int(group) for group in groups]
        for leaf in [leaf for tree in self.trees for leaf in self.leaves_of(tree)]:
            if leaf.last is not None:
                leaf.last = np.append(leaf.last, np.zeros(more, np.float32))

    def grow(self, n_classes):
        """More classes: no leaf has met them, and their weight is the smallest of the leaf."""
        before, self.n_classes = self.n_classes, max(2, n_classes)
        if self.n_classes == before:
            return
        for leaf in [leaf for tree in self.trees for leaf in self.leaves_of(tree)]:
            more = self.n_classes - before
            leaf.counts = np.append(leaf.counts, np.zeros(more, np.float32))
            for test in leaf.tests:
                zeros = np.zeros((len(test.stats), more), np.float32)
                test.stats = np.hstack([test.stats, zeros])
            if before == 2:
                leaf.weights, leaf.sums = (
                    np.append(-leaf.weights, leaf.weights),
                    leaf.sums.repeat(2),
                )
            leaf.weights = np.append(leaf.weights, np.full(more, leaf.weights.min()))
            leaf.sums = np.append(leaf.sums, np.zeros(more, np.float32))


class ForestPoolReference:
    """The pool of a forest: copies, trials, and which of them becomes the forest again."""

    def __init__(self, forest):
        self.forest = forest
        self.recent, self.parked, self.on_trial = [], [], None  # parked: [after which row, copy]
        self.until_copy, self.trial_left, self.saved, self.lead = 500, 0, {}, 0.0
        self.errors, self.level = [0, 0.0, 0.0], 0.0
        self.errors_of = {}  # how often the trees of a copy were wrong
        self.n_parked = self.n_returned = 0

    def chance(self, trees):
        """The probability that the leaves of some trees give to the label; or their error."""
        leaves = [self.forest.leaf_of(tree, self.forest.x) for tree in trees]
        logits = np.sum([leaf.weights for leaf in leaves], axis=0, dtype=np.float64)
        if not self.forest.n_classes:
            return max(-1.0, min(1.0, float(logits[0]) - self.target))
        if self.forest.n_outputs == 1:
            logits = np.array([-logits[0], logits[0]])
        raised = np.exp(logits - logits.max())
        return float(raised[self.label] / raised.sum())

    def loss(self, said):
        if self.forest.n_classes:
            return -math.log(max(1e-9, said))
        return min(5.0, said**2 / (2.0 * max(0.01, self.level)))

    def answer(self, label, target):
        """What the leaves say before they learn."""
        self.label, self.target = int(label) if self.forest.n_classes else label, target
        self.own = self.chance(self.forest.trees)
        if self.forest.n_classes:
            said = self.forest.said
            said = np.array([1.0 - said[0], said[0]]) if len(said) == 1 else said
            self.error = float(said[self.label] < said.max())
        else:
            self.error = self.own**2

    def follow(self, row):
        """After the forest has learnt the row, which counts from 1."""
        if self.trial_left:
            self.follow_trial(row)
        if self.forest.is_alarmed(self.errors, self.error):
            self.level, self.errors = self.errors[2], [0, 0.0, 0.0]
            self.trial_left, age = 100, 500 - self.until_copy
            settled = self.recent[:1] if self.recent and age >= 150 else self.recent[1:]
            self.on_trial = settled[0] if settled else None
        elif not self.trial_left:
            self.until_copy -= 1
            if self.until_copy == 0:
                copy = self.copied(self.forest.trees)
                self.errors_of[id(copy)] = [errors.copy() for errors in self.forest.errors]
                self.recent = [copy, *self.recent[:1]]
                self.until_copy = 500

    def follow_trial(self, row):
        need = 50.0 if self.forest.n_classes else 20.0
        tried = [self.on_trial] if self.on_trial else []
        tried += [copy for _, copy in self.parked]
        own = self.loss(self.own)
        for copy in tried:
            gain = own - self.loss(self.chance(copy))
            self.saved[id(copy)] = max(0.0, self.saved.get(id(copy), 0.0) + gain)
            self.lead -= gain if copy is self.on_trial else 0.0
        self.trial_left -= 1
        best = max(tried, key=lambda copy: self.saved[id(copy)], default=None)
        if best is not None and self.saved[id(best)] > need:
            self.n_returned += 1
            self.forest.trees = self.copied(best)
            self.forest.errors = [errors.copy() for errors in self.errors_of[id(best)]]
            self.forest.ready = [None] * TREES
            self.errors = [0, 0.0, 0.0]
            for place in self.parked:
                if place[1] is best and self.on_trial:
                    place[:] = row, self.on_trial
            self.end()
        elif not self.trial_left:
            if self.on_trial and self.lead > 10.0:
                self.n_parked += 1
                if len(self.parked) == 7:
                    min(self.parked)[:] = row, self.on_trial
                else:
                    self.parked.append([row, self.on_trial])
            self.end()

    def end(self):
        self.recent, self.on_trial, self.saved, self.lead = [], None, {}, 0.0
        self.until_copy, self.trial_left = 500, 0

    def copied(self, trees):
        """Trees of what leaves vote by, without their tests."""
        return [self.copy_of(tree) for tree in trees]

    def copy_of(self, node):
        if node.split is None:
            return Leaf(node.counts.copy(), node.weights.copy(), node.sums.copy())
        children = tuple(self.copy_of(child) for child in node.children)
        return Leaf(node.counts, node.weights, node.sums, split=node.split, children=children)
