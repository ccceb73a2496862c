"""The concept memory: recognise, switch early, consolidate, make new, forget.

A concept is a frozen learner. The live learner is a copy of the concept in charge that goes on
learning; the fresh one starts from nothing with each interval, and a concept is recognised if it
did no worse than that.
"""

from mooe.auto.records import (
    BORN,
    BUSY,
    COMPARED,
    FRESH,
    IN_CHARGE,
    LAST,
    LIVE,
    LIVE_LOSS,
    N_CLOSED,
    N_CONCEPTS,
    N_FACTS,
    N_MADE,
    N_SWITCHED,
    N_VISITS,
    NAME,
    RECOGNISED,
    SAMPLES,
    VISITS,
    WORSE,
    T,
)
from mooe.auto.scorers import copy_lane, forget_lane, learn_row, score_busy
from mooe.auto.targets import charge, set_targets
from mooe.numerics.compiled import part

__all__ = ["add_visit", "remember"]

EVIDENCE = 3.0  # losses saved by another concept until it takes over
ALIKE_AFTER = 5  # intervals


@part
def remember(s, c, m, x, columns, n, listed, label, weight, rate, scores, targets):
    """In place: a row that the learners have learnt: charge everyone, switch, close if it is time.

    targets and scores are scratch afterwards.
    """
    t, k = int(m.status[T]), int(m.status[N_CONCEPTS])
    busy = m.gains.shape[0] - BUSY
    charge(s, c, scores, targets, label, weight, 0, k, m.losses[t])
    charge(s, c, scores, targets, label, weight, busy, busy + BUSY, m.losses[t])
    m.status[LIVE_LOSS] += m.losses[t, busy + LIVE]
    for j in range(n):
        m.rows[t, j] = x[j]
    if listed:
        for j in range(n):
            m.places[t, j] = columns[j]
    m.lengths[t], m.labels[t], m.row_weights[t] = n, label, weight
    m.status[T] = t + 1
    if s.early_switch and m.status[IN_CHARGE] >= 0.0:
        switch_early(s, c, m, listed, rate, scores, targets)
    if m.status[T] == s.interval:
        close(s, c, m, listed, rate, scores, targets)


@part
def relearn(s, c, m, first, end, listed, rate, scores, targets):
    """In place: the live and the fresh learner learn rows of the open interval."""
    for i in range(first, end):
        n = int(m.lengths[i])
        set_targets(s, c, m.labels[i], targets)
        for o in range(targets.shape[0]):
            places = m.places[i] if listed else m.rows[i]
            score_busy(m.busy.weights[o], m.rows[i], places, n, listed, scores[o])
            learn_row(
                s,
                m.busy.weights[o],
                m.busy.sums[o],
                m.rows[i],
                places,
                n,
                listed,
                scores[o],
                targets[o],
                0.0,
                rate,
                m.row_weights[i],
                0.0,
            )


@part
def switch_early(s, c, m, listed, rate, scores, targets):
    """In place: let another concept take over in mid-interval if the evidence for it is strong.

    A CUSUM per concept (Page, 1954): what it would have saved since its sum was last 0, against
    the better of the concept in charge and its live copy.
    """
    t, cur, busy = int(m.status[T]), int(m.status[IN_CHARGE]), m.gains.shape[0] - BUSY
    losses = m.losses[t - 1]
    current = min(losses[busy + LIVE], losses[cur])
    best = -1
    for k in range(int(m.status[N_CONCEPTS])):
        if k == cur:
            continue
        gain = m.gains[k] + current - losses[k]
        if gain <= 0.0:
            m.gains[k], m.since[k] = 0.0, t
        else:
            m.gains[k] = gain
        if m.gains[k] > EVIDENCE and (best < 0 or m.gains[k] > m.gains[best]):
            best = k
    if best < 0:
        return
    first = int(m.since[best])
    keep_rows(m, first, t, listed)
    m.status[T] = t - first
    m.status[N_SWITCHED] += 1.0
    take_charge(m, best, c.n_labelled - (t - first), c.n_labelled - 1)
    copy_lane(m.frozen, best, m.busy, LIVE)
    forget_lane(m.busy, FRESH)
    relearn(s, c, m, 0, t - first, listed, rate, scores, targets)
    weigh_anew(m, t - first)


@part
def keep_rows(m, first, end, listed):
    """In place: of the open interval the rows from first on are left."""
    if first == 0:
        return
    for i in range(first, end):
        to, n = i - first, int(m.lengths[i])
        for j in range(n):
            m.rows[to, j] = m.rows[i, j]
        if listed:
            for j in range(n):
                m.places[to, j] = m.places[i, j]
        for k in range(m.losses.shape[1]):
            m.losses[to, k] = m.losses[i, k]
        m.lengths[to], m.labels[to] = m.lengths[i], m.labels[i]
        m.row_weights[to] = m.row_weights[i]


@part
def weigh_anew(m, t):
    """In place: no evidence for anyone, from row t of the open interval on."""
    for k in range(m.gains.shape[0]):
        m.gains[k], m.since[k] = 0.0, t


@part
def lost(m, lane, n):
    """Return the sum of a lane's losses over n rows."""
    total = 0.0
    for i in range(n):
        total += m.losses[i, lane]
    return total


@part
def close(s, c, m, listed, rate, scores, targets):
    """In place: the interval is full: a concept is recognised and learns it, or a new one made."""
    n, cur, busy = s.interval, int(m.status[IN_CHARGE]), m.gains.shape[0] - BUSY
    best, least = -1, 0.0
    for k in range(int(m.status[N_CONCEPTS])):
        loss = lost(m, k, n)
        if best < 0 or loss < least:
            best, least = k, loss
    if cur >= 0:
        loss = lost(m, busy + LIVE, n)
        if loss < least:
            best, least = cur, loss
    if best >= 0 and least <= lost(m, busy + FRESH, n):
        if best != cur:
            copy_lane(m.frozen, best, m.busy, LIVE)
            relearn(s, c, m, 0, n, listed, rate, scores, targets)
    else:
        best = free_slot(s, m)
        m.status[N_MADE] += 1.0
        for fact in range(N_FACTS):
            m.facts[fact, best] = 0.0
        m.facts[BORN, best] = c.n_labelled - n
        copy_lane(m.busy, FRESH, m.busy, LIVE)
        if best == cur:  # forgotten in the moment it was in charge
            m.status[IN_CHARGE] = cur = -1
    take_charge(m, best, c.n_labelled - n, c.n_labelled - 1)
    m.facts[SAMPLES, best] += n
    m.facts[RECOGNISED, best] += 1.0
    if s.merge:
        compare(s, m, best, cur)
    copy_lane(m.busy, LIVE, m.frozen, int(m.status[IN_CHARGE]))
    m.status[N_CLOSED] += 1.0
    m.status[T] = 0.0
    forget_lane(m.busy, FRESH)
    weigh_anew(m, 0)


@part
def take_charge(m, k, first, last):
    """In place: concept k is in charge of these rows of the stream, counted by their labels."""
    cur = int(m.status[IN_CHARGE])
    if cur >= 0 and cur != k and m.facts[N_VISITS, cur] > 0.0:
        visit = int(m.facts[N_VISITS, cur] - 1.0) % VISITS
        m.visits[cur, visit, 1] = first - 1.0
        if m.visits[cur, visit, 0] >= first:  # all of it turned out to be another's
            m.facts[N_VISITS, cur] -= 1.0
    if cur != k:
        visit = int(m.facts[N_VISITS, k]) % VISITS
        m.facts[N_VISITS, k] += 1.0
        m.visits[k, visit, 0] = first
        for other in range(int(m.status[N_CONCEPTS])):
            m.facts[WORSE, other] = m.facts[COMPARED, other] = 0.0
    visit = int(m.facts[N_VISITS, k] - 1.0) % VISITS
    m.visits[k, visit, 1] = last
    m.facts[LAST, k] = last
    m.status[IN_CHARGE] = k


@part
def compare(s, m, best, cur):
    """In place: a concept that does no worse than the one in charge on that one's rows is the same.

    Judged over several intervals that the one in charge has kept; a change starts it anew.
    """
    n = s.interval
    if best != cur:
        return
    own = lost(m, best, n)
    k = 0
    while k < int(m.status[N_CONCEPTS]):
        if k != int(m.status[IN_CHARGE]):
            m.facts[WORSE, k] += lost(m, k, n) - own
            m.facts[COMPARED, k] += 1.0
            if m.facts[COMPARED, k] >= ALIKE_AFTER and m.facts[WORSE, k] <= 0.0:
                absorb(m, k)
                continue
        k += 1


@part
def absorb(m, k):
    """In place: the concept in charge takes over what is known of concept k, whose slot is free."""
    cur, end = int(m.status[IN_CHARGE]), int(m.status[N_CONCEPTS]) - 1
    m.facts[BORN, cur] = min(m.facts[BORN, cur], m.facts[BORN, k])
    m.facts[SAMPLES, cur] += m.facts[SAMPLES, k]
    m.facts[RECOGNISED, cur] += m.facts[RECOGNISED, k]
    if m.facts[NAME, k] > 0.0 and (
        m.facts[NAME, cur] == 0.0 or m.facts[NAME, k] < m.facts[NAME, cur]
    ):
        m.facts[NAME, cur] = m.facts[NAME, k]
    seen = int(m.facts[N_VISITS, k])
    for visit in range(max(0, seen - VISITS), seen):
        add_visit(m, cur, m.visits[k, visit % VISITS, 0], m.visits[k, visit % VISITS, 1])
    copy_lane(m.frozen, end, m.frozen, k)
    for i in range(m.losses.shape[0]):
        m.losses[i, k] = m.losses[i, end]
    for fact in range(N_FACTS):
        m.facts[fact, k], m.facts[fact, end] = m.facts[fact, end], 0.0
    for visit in range(VISITS):
        for side in range(2):
            m.visits[k, visit, side], m.visits[end, visit, side] = m.visits[end, visit, side], 0.0
    for o in range(m.frozen.weights.shape[0]):
        for j in range(m.frozen.weights.shape[1]):
            m.frozen.weights[o, j, end] = m.frozen.sums[o, j, end] = 0.0
    m.status[N_CONCEPTS] = end
    if cur == end:
        m.status[IN_CHARGE] = k


@part
def add_visit(m, k, first, last):
    """In place: a visit of concept k, among those that are kept in the order of time."""
    n = int(m.facts[N_VISITS, k])
    newer = 0
    while newer < min(n, VISITS) and m.visits[k, (n - 1 - newer) % VISITS, 0] > first:
        newer += 1
    if newer == VISITS or last < first:
        return
    for i in range(newer):
        for side in range(2):
            m.visits[k, (n - i) % VISITS, side] = m.visits[k, (n - i - 1) % VISITS, side]
    m.visits[k, (n - newer) % VISITS, 0], m.visits[k, (n - newer) % VISITS, 1] = first, last
    m.facts[N_VISITS, k] = n + 1.0


@part
def free_slot(s, m):
    """In place: return a slot for a new concept: an empty one, or the least recently recognised."""
    k = int(m.status[N_CONCEPTS])
    if k < s.max_concepts:
        m.status[N_CONCEPTS] = k + 1.0
        return k
    oldest = 0
    for i in range(1, k):
        if m.facts[LAST, i] < m.facts[LAST, oldest]:
            oldest = i
    return oldest
