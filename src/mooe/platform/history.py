"""A model as it was at any row of feedback: the snapshot before it, and the rows behind that."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from mooe.engine import params_of
from mooe.model import Model
from mooe.platform.creation import chosen_params
from mooe.platform.errors import StoreError
from mooe.platform.hosted import Hosted, titled, titles_in
from mooe.platform.learner import Learner
from mooe.platform.lesson import Lesson
from mooe.platform.store import AT_ONCE, Rollback, Snapshot, Store, StoredModel, is_void

LOG = logging.getLogger("mooe.platform")
# Rows that are learnt again to see when a regime was recognised. Behind the latest snapshot there
# are fewer, which took a second to learn (`DUE_AFTER`); between older ones there may be any number.
MOST_BEFORE = 100_000
# What is read in one go once it is seen how wide rows are: more at once costs a model less.
MOST_ROWS, MOST_BYTES = 8_000, 2**21


def fresh(stored: StoredModel) -> Model:
    """Return the model as it was made, where it was not made from a file."""
    return Model(params_of(stored.mode, {"task": stored.task, **stored.params}))


def rows_between(
    store: Store, model: int, after: int, until: int, rollbacks: Sequence[Rollback]
) -> Iterator[Lesson]:
    """Yield the rows of feedback that count, after one number and until another, in pieces."""
    n = AT_ONCE
    while after < until:
        lesson = store.learnt(model, after, until, n)
        if not lesson.seqs:
            raise StoreError(f"rows of feedback after {after} must be stored, got none")
        after = lesson.seqs[-1]
        widest = max((len(row.values) for row in lesson.rows if row is not None), default=0)
        n = max(AT_ONCE, min(MOST_ROWS, MOST_BYTES // max(widest, 1)))
        if rollbacks:
            lesson = lesson.those([not is_void(seq, rollbacks) for seq in lesson.seqs])
        yield lesson


def state_at(
    store: Store, stored: StoredModel, seq: int, snapshots: Sequence[Snapshot] | None = None
) -> tuple[Hosted, int]:
    """Return a model as it was when a row of feedback had been learnt, and how many were replayed.

    A shadow learns the feedback of the model that it stands behind.
    """
    snapshots = store.snapshots(stored.k) if snapshots is None else snapshots
    firsts = [each for each in snapshots if each.kind == "first"]
    usable = [each for each in snapshots if each.seq <= seq] or firsts
    base, begin, problem = _base(store, stored, usable)
    return state_from(store, stored, base, begin, seq, problem)


def state_from(
    store: Store, stored: StoredModel, base: Model, begin: int, seq: int, problem: str = ""
) -> tuple[Hosted, int]:
    """Return a model that has gone on from one row of feedback to another, and how many it learnt.

    problem: why it cannot go on.
    """
    owner = stored.shadow_of or stored.k
    base.notes = titled(base.notes, stored.settings.get("titles", {}))
    learner = Learner(base)
    rollbacks = store.rollbacks(owner)
    hosted = Hosted(stored, learner, begin, _last_label(store, owner, learner, begin, rollbacks))
    hosted.rollbacks = rollbacks
    hosted.problem = problem
    return hosted, follow(store, hosted, begin, seq)


def follow(store: Store, hosted: Hosted, after: int, until: int) -> int:
    """In place: learn the rows of feedback that count after one number; return how many."""
    owner, n = hosted.stored.shadow_of or hosted.stored.k, 0
    if not hosted.problem:
        n = hosted.replay(rows_between(store, owner, after, until, hosted.rollbacks))
    hosted.met_by_model()
    hosted.head = hosted.version = max(after, until)
    return n


def _base(
    store: Store, stored: StoredModel, snapshots: Sequence[Snapshot]
) -> tuple[Model, int, str]:
    """Return the model of the last snapshot, the row that it had learnt, and what is wrong.

    Where one is damaged, the one before it and the rows in between give the same model: unless it
    was the beginning, or another model's.
    """
    for each in reversed(snapshots):
        try:
            return Model.from_bytes(store.snapshot_bytes(each), verify=False), each.seq, ""
        except StoreError as problem:
            LOG.warning("%s: %s", stored.name, problem)
            if each.kind in ("first", "promoted"):
                return fresh(stored), each.seq, str(problem)
    return fresh(stored), stored.settings.get("begins", 0), ""


def _last_label(
    store: Store, owner: int, learner: Learner, seq: int, rollbacks: Sequence[Rollback]
) -> Any:
    """Return the last label that a model had learnt at a row; the paper's forgets it."""
    if learner.last_label is not None:
        return learner.last_label
    seq = last_that_counts(seq, rollbacks)
    return next(iter(store.learnt(owner, seq - 1, seq, limit=1).labels), None)


def sound_at(store: Store, stored: StoredModel, seq: int) -> Hosted:
    """Return a model as it was at a row, or raise ValueError where that is lost."""
    state, _ = state_at(store, stored, seq)
    if state.problem:
        raise ValueError(
            f"seq must be that of a row from which {stored.name!r} can go on, got {seq}: "
            f"{state.problem}"
        )
    return state


def rows_until_recognised(
    store: Store, stored: StoredModel, begin: int, until: int, regime: int
) -> int | None:
    """Return after how many rows of feedback, from one on, a regime was in charge of a model.

    They are learnt again, one by one, until it is; None where too many lie before the first.
    """
    owner = stored.shadow_of or stored.k
    snapshots = [each for each in store.snapshots(stored.k) if each.seq < begin]
    nearest = snapshots[-1].seq if snapshots else stored.settings.get("begins", 0)
    if begin - nearest > MOST_BEFORE:
        return None
    state, _ = state_at(store, stored, begin - 1, snapshots)
    n = 0
    for lesson in rows_between(store, owner, begin - 1, until, state.rollbacks):
        for each in lesson.one_by_one():
            state.replay(iter([each]))
            n += 1
            if state.problem:
                return None
            if state.model.regime() == regime:
                return n
    return None


def last_that_counts(seq: int, rollbacks: Sequence[Rollback]) -> int:
    """Return the last row up to a number that was not rolled back.

    >>> last_that_counts(9, [Rollback(1, 4, 9, 0), Rollback(1, 2, 5, 0)])
    2
    """
    while is_void(seq, rollbacks):
        seq = min(each.after for each in rollbacks if each.after < seq <= each.until)
    return seq


def taken_back(state: Hosted) -> tuple[StoredModel, bytes]:
    """Return what is stored of a model that goes on from a state of before, and its bytes.

    Names of regimes that it does not know yet are left out.
    """
    stored = state.stored
    known = {str(regime.name) for regime in state.model.concepts()}
    titles = {at: title for at, title in titles_in(state.model).items() if at in known}
    state.model.notes = titled(state.model.notes, titles)
    changed = replace(stored, settings={**stored.settings, "titles": titles})
    params = state.model.params
    if params.mode != stored.mode or params != fresh(stored).params:
        changed.mode, changed.params = params.mode, chosen_params(params)
    return changed, state.model.to_bytes()
