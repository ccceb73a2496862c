"""Rules for snapshots: when one is due, which are kept, and what has changed between two."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from mooe.model import Model
from mooe.platform.store import Snapshot

DUE_AFTER = 1.0  # seconds of learning since the last one: what a replay may take
NEWEST = 3  # that are always kept
HOUR, DAY, MONTH = 3600 * 10**6, 24 * 3600 * 10**6, 30 * 24 * 3600 * 10**6  # microseconds
KEPT_FOR_EVER = ("first", "saved", "restored", "promoted")  # others are made by the clock
CHANGED = 0.005  # of an expert's weight: what is less is not told


class Change(NamedTuple):
    """What differs between two snapshots."""

    what: str
    before: Any
    after: Any


def superfluous(snapshots: Sequence[Snapshot], now: int) -> list[Snapshot]:
    """Return the snapshots that need not be kept, of those of one model, oldest first.

    Kept are the newest, one per hour of the last day, one per day of the last month, one per month
    before; what was saved by hand, and what a model was made or restored from, stays.
    """
    automatic = [each for each in snapshots if each.kind not in KEPT_FOR_EVER]
    kept: dict[tuple[int, int], Snapshot] = {}
    for each in automatic[:-NEWEST]:
        age = now - each.at
        span = HOUR if age < DAY else DAY if age < MONTH else MONTH
        kept[span, each.at // span] = each  # the last of each span stays
    stay = {each.k for each in [*kept.values(), *automatic[-NEWEST:]]}
    return [each for each in automatic if each.k not in stay]


def difference(before: Model, after: Model) -> list[Change]:
    """Return what has changed from one state of a model to another, in words."""
    changes = [Change("labels learnt", before.n_labelled, after.n_labelled)]
    for what, names in (
        ("class", [model.labels.names for model in (before, after)]),
        ("column", [model.columns or [] for model in (before, after)]),
    ):
        changes += [Change(f"{what} {name}", "unknown", "known") for name in _new(*names)]
        changes += [Change(f"{what} {name}", "known", "unknown") for name in _new(*names[::-1])]
    weights = [
        {str(expert.name or expert.kind): expert.weight for expert in model.experts()}
        for model in (before, after)
    ]
    for name in dict.fromkeys([*weights[0], *weights[1]]):
        shares = [round(each.get(name, 0.0), 4) for each in weights]
        if abs(shares[0] - shares[1]) >= CHANGED:
            changes.append(Change(f"weight of {name}", *shares))
    regimes = [
        {regime.name: regime.samples for regime in model.concepts()} for model in (before, after)
    ]
    for number in dict.fromkeys([*regimes[0], *regimes[1]]):
        samples = [each.get(number, 0) for each in regimes]
        if samples[0] != samples[1]:
            changes.append(Change(f"samples of regime {number}", *samples))
    if before.regime() != after.regime():
        changes.append(Change("regime in charge", before.regime(), after.regime()))
    return [change for change in changes if change.before != change.after]


def _new(before: Sequence[Any], after: Sequence[Any]) -> list[Any]:
    """Return what is in the second list only."""
    known = set(before)
    return [name for name in after if name not in known]
