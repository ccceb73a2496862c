"""A tree of the past made to fit a chunk: its splits stay, its leaves are counted anew and grow.

What DTEL does to a tree. Rows are dropped down; a leaf that they reach forgets its counts and takes
theirs, and is split further, by Gini impurity, until it is pure; a leaf that none reaches stays.
"""

from numba import int64

from mooe.baselines.trees import LEAF, leaf_of, whole
from mooe.numerics.arithmetic import matrix, vector
from mooe.numerics.compiled import announced, compiled, part

__all__ = ["adapt", "room_for"]

SAME = 1e-7  # values this near are not parted, as in scikit-learn


def room_for(n_nodes: int, n_rows: int) -> int:
    """Return how many nodes a tree can have once it is adapted to so many rows."""
    return n_nodes + 2 * max(n_rows - 1, 0)


@part
def count(y, order, first, last, counts):
    """In place: counts = how many of the rows are of each class; return how many classes occur."""
    for c in range(counts.shape[0]):
        counts[c] = 0.0
    for i in range(first, last):
        counts[int(y[order[i]])] += 1.0
    n = 0
    for c in range(counts.shape[0]):
        if counts[c] > 0.0:
            n += 1
    return n


@part
def sort(X, feature, order, first, last):
    """In place: put rows first to last - 1 in the order of a feature, equal ones as they were."""
    for i in range(first + 1, last):
        row = order[i]
        value = X[row, feature]
        k = i
        while k > first and X[order[k - 1], feature] > value:
            order[k] = order[k - 1]
            k -= 1
        order[k] = row


@part
def purity(counts, before, n):
    """Return the sum of squared counts on the left over n, and of the others over theirs."""
    left, right, others = 0.0, 0.0, -n
    for c in range(counts.shape[0]):
        left += before[c] * before[c]
        rest = counts[c] - before[c]
        right += rest * rest
        others += counts[c]
    return left / n + right / others


@part
def best_split(X, y, order, first, last, counts, before):
    """Return feature and threshold of the purest split, the first among equals; LEAF for none."""
    best, chosen, threshold = -1.0, LEAF, 0.0
    for feature in range(X.shape[1]):
        sort(X, feature, order, first, last)
        if X[order[last - 1], feature] <= X[order[first], feature] + SAME:
            continue
        for c in range(counts.shape[0]):
            before[c] = 0.0
        for i in range(first, last - 1):
            before[int(y[order[i]])] += 1.0
            low, high = X[order[i], feature], X[order[i + 1], feature]
            if high <= low + SAME:
                continue
            found = purity(counts, before, float(i + 1 - first))
            if found > best:
                best, chosen = found, feature
                threshold = 0.5 * low + 0.5 * high
                if threshold == high:
                    threshold = low
    return chosen, threshold


@part
def part_rows(X, feature, threshold, order, first, last):
    """In place: rows of the left child come first; return where those of the right begin."""
    sort(X, feature, order, first, last)
    middle = first
    while X[order[middle], feature] <= threshold:
        middle += 1
    return middle


with announced(__name__, "adapting trees (a few seconds)"):

    @compiled(
        int64(
            whole, vector, whole, whole, matrix, int64, matrix, vector, whole, whole, whole, vector
        )
    )
    def adapt(feature, threshold, left, right, counts, n_nodes, X, y, leaves, order, ends, before):
        """In place: a tree adapts to rows; return how many nodes it has then.

        Parameters: the arrays of one tree, with `room_for` nodes; scratch: leaves and order (n,),
        ends (2 nodes,), before (n_classes,).
        """
        n = X.shape[0]
        for i in range(n):
            leaves[i] = leaf_of(feature, threshold, left, right, X[i])
        at, grown = 0, n_nodes
        for node in range(n_nodes):
            first = at
            for i in range(n):
                if leaves[i] == node:
                    order[at] = i
                    at += 1
            ends[2 * node], ends[2 * node + 1] = first, at
        for node in range(feature.shape[0]):  # those that are added are looked at in their turn
            if node >= grown:
                break
            first, last = ends[2 * node], ends[2 * node + 1]
            if first == last or feature[node] != LEAF:
                continue
            if count(y, order, first, last, counts[node]) < 2:
                continue
            chosen, place = best_split(X, y, order, first, last, counts[node], before)
            if chosen == LEAF:
                continue
            middle = part_rows(X, chosen, place, order, first, last)
            feature[node], threshold[node] = chosen, place
            left[node], right[node] = grown, grown + 1
            feature[grown] = feature[grown + 1] = LEAF
            ends[2 * grown], ends[2 * grown + 1] = first, middle
            ends[2 * grown + 2], ends[2 * grown + 3] = middle, last
            grown += 2
        return grown
