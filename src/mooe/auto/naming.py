"""Which of the two memories users see, and the names of its concepts."""

from mooe.auto.experts.memory import (
    BORN,
    LIVE_LOSS,
    N_CONCEPTS,
    N_NAMED,
    N_VISITS,
    NAME,
    RECOGNISED,
    VISITS,
    T,
)
from mooe.numerics.compiled import forced, part

CLEARLY, A_FEW = 0.98, 5.0  # better by 2 % and 5 losses
NAMED_AFTER = 3  # recognitions, its making included


@forced
def show(s, c, m):
    """In place: users see the memory whose live learner has done clearly better; it gets names."""
    before = c.shown
    if c.narrow and s.memory_rich:
        plain, rich = m.plain.status[LIVE_LOSS], m.rich.status[LIVE_LOSS]
        if not s.memory_plain or rich < CLEARLY * plain - A_FEW:
            c.shown = 1
        elif plain < CLEARLY * rich - A_FEW:
            c.shown = 0
    if c.shown != before or m.plain.status[T] == 0.0 or m.rich.status[T] == 0.0:
        if c.shown:
            give_names(m.rich, m.plain)
        else:
            give_names(m.plain, m.rich)


@part
def give_names(memory, other):
    """In place: names for the concepts recognised often enough, the oldest first.

    A concept that had the same rows in its charge as one of the other memory takes that one's
    name. Other names are new, by one count for both memories, so that none comes to mean another
    regime.
    """
    named = max(memory.status[N_NAMED], other.status[N_NAMED])
    while True:
        oldest = -1
        for k in range(int(memory.status[N_CONCEPTS])):
            ready = memory.facts[RECOGNISED, k] >= NAMED_AFTER and memory.facts[NAME, k] == 0.0
            if ready and (oldest < 0 or memory.facts[BORN, k] < memory.facts[BORN, oldest]):
                oldest = k
        if oldest < 0:
            break
        name = _name_elsewhere(memory, oldest, other)
        if name == 0.0:
            named += 1.0
            name = named
        memory.facts[NAME, oldest] = name
    memory.status[N_NAMED] = other.status[N_NAMED] = named


@part
def _name_elsewhere(memory, k, other):
    """Return the name of the other memory's concept with most of concept k's rows, 0 for none."""
    name, most = 0.0, 0.5 * _rows_shared(memory, k, memory, k)
    for i in range(int(other.status[N_CONCEPTS])):
        shared = _rows_shared(memory, k, other, i) if other.facts[NAME, i] > 0.0 else 0.0
        if shared > most:
            name, most = other.facts[NAME, i], shared
    for i in range(int(memory.status[N_CONCEPTS])):
        if memory.facts[NAME, i] == name:
            return 0.0
    return name


@part
def _rows_shared(a, i, b, k):
    """Return how many rows were in the charge of both concepts, by the visits that are kept."""
    total = 0.0
    n, o = int(a.facts[N_VISITS, i]), int(b.facts[N_VISITS, k])
    for p in range(max(0, n - VISITS), n):
        for q in range(max(0, o - VISITS), o):
            first = max(a.visits[i, p % VISITS, 0], b.visits[k, q % VISITS, 0])
            last = min(a.visits[i, p % VISITS, 1], b.visits[k, q % VISITS, 1])
            total += max(0.0, last - first + 1.0)
    return total
