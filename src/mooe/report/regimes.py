"""When the past came back, of the default model: which regime returned, when, how long after.

Paper mode remembers intervals instead, see `mooe.report.intervals`.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from mooe.evaluate.measures import Measure
from mooe.evaluate.results import Results
from mooe.report.tables import NONE, Cell, Table
from mooe.report.words import counted, listed, span

WEAK = 0.1  # of the weight: what returns with less hardly returns
MOST_REGIMES = 4  # told of one by one
MOST_VISITS = 3  # of a regime that are named one by one
MOST_RETURNS = 12  # in the table


@dataclass(frozen=True)
class Return:
    """A regime was in charge again, from a first to a last row of the stream."""

    name: int  # of the regime
    first: int
    last: int
    away: int | None  # rows since it was last in charge; None where that is not known

    @property
    def rows(self) -> int:
        return self.last - self.first + 1


def returns(results: Results) -> list[Return]:
    """List the returns of all regimes, by name and row; what was before the stream is none."""
    found = []
    for regime in results.concepts:
        name, visits = regime["name"], regime["visits"]
        if visits and regime["first"] < visits[0][0]:  # visits from before it was watched
            found.append(Return(name, visits[0][0], visits[0][1], None))
        for (_, left), (first, last) in pairwise(visits):
            found.append(Return(name, first, last, first - left - 1))
    return [back for back in found if back.first >= 0]


def sentences(results: Results) -> list[str]:
    """Say how many regimes came back, and when the ones did that lasted longest, in sentences."""
    regimes, found, n = results.concepts, returns(results), len(results.concepts)
    if not regimes:
        return [
            "It did not come back.",
            "No stretch of the stream was recognised often enough to be known as a regime.",
        ]
    if not found:
        know = f"{results.model} knows {counted(n, 'regime')}, and "
        none = "it was never left for another and taken up again." if n == 1 else (
            "none of them was in charge a second time."
        )  # fmt: skip
        once = [_beginning(regime, "was in charge") + "." for regime in regimes[:MOST_REGIMES]]
        return ["It did not come back.", know + none, *once]
    rows_back: dict[int, int] = defaultdict(int)  # by name
    for back in found:
        rows_back[back.name] += back.rows
    names = sorted({back.name for back in found}, key=lambda name: -rows_back[name])
    who = f"{len(names)} of {n} regimes" if len(names) < n else counted(n, "regime")
    times = "once" if len(found) == 1 else f"{_times(len(found))} in all"
    longest, weight = names[:MOST_REGIMES], _memory_weight(results, found)
    out = [f"{who} came back, {times}."]
    if weight is not None and weight < WEAK:
        share = f"{100 * weight:.0f} %" if weight >= 0.01 else "less than 1 %"
        out = [f"Hardly: {who} came back, {times}, but the memory held {share} of the weight."]
    out += [_regime_sentence(regime, found) for regime in regimes if regime["name"] in longest]
    rest = [back for back in found if back.name not in longest]
    if rest:
        others = counted(len(names) - len(longest), "other regime")
        out.append(f"{others} came back {_times(len(rest))}.")
    if weight is not None and weight >= WEAK:
        out.append(f"Back in charge, the memory held {100 * weight:.0f} % of the weight.")
    return out


def returns_table(
    results: Results, without: Results | None, measure: Measure
) -> tuple[Table, list[str]] | None:
    """Make a table of the longest returns by regime, and its notes; None without any.

    With results of the model without memory: its gain in the windows of which at least half lies in
    the return.
    """
    found = returns(results)
    if not found:
        return None
    longest = sorted(found, key=lambda back: -back.rows)[:MOST_RETURNS]
    value = results.cumulative.get(measure.key, np.nan)
    rows = []
    for back in sorted(longest, key=lambda back: (back.name, back.first)):
        weight = _memory_weight(results, [back])
        gain = _gain(results, without, back, measure)
        rows.append((
            Cell(f"regime {back.name}"),
            Cell(span(back.first, back.last)),
            Cell(f"{back.rows:,}"),
            Cell(NONE if back.away is None else f"{back.away:,}"),
            Cell(NONE if weight is None else f"{100 * weight:.0f}", weight),
            Cell(NONE if gain is None else measure.signed(gain, value), gain),
        ))  # fmt: skip
    unit = f" ({measure.difference_unit})" if measure.difference_unit else ""
    header = (
        *("regime", "rows", "how many", "away for (rows)", "weight of the memory (%)"),
        f"gain over no memory{unit}",
    )
    more = f"; the longest {len(rows)} of {len(found):,}." if len(found) > len(rows) else "."
    notes = [
        f"Rows in which a regime was in charge again, and for how many rows it had not been{more}",
        "Gain: over the windows of which at least half lies in the return, against the same "
        "model without its memory.",
    ]
    if all(row[-1].value is None for row in rows):  # no gain is known
        return Table(header[:-1], tuple(row[:-1] for row in rows)), notes[:1]
    return Table(header, tuple(rows)), notes


def _beginning(regime: dict[str, Any], was: str) -> str:
    """Begin a sentence: 'Regime 1 was first in charge in rows ...'."""
    visits, first = regime["visits"], regime["first"]
    start = f"Regime {regime['name']} {was}"
    is_known = bool(visits) and visits[0][0] == first
    if (visits[0][1] if is_known else first) < 0:
        return f"{start} before the stream"
    if is_known:
        return f"{start} in rows {span(max(first, 0), visits[0][1])}"
    return f"{start} at row {first:,}"


def _regime_sentence(regime: dict[str, Any], found: Sequence[Return]) -> str:
    """Say when a regime came back."""
    own = [back for back in found if back.name == regime["name"]]
    if len(own) <= MOST_VISITS:
        when = f"in rows {listed([span(back.first, back.last) for back in own])}"
    else:
        longest = max(own, key=lambda back: back.rows)
        when = f"longest in rows {span(longest.first, longest.last)}"
        if own[-1] is not longest:
            when += f", last in rows {span(own[-1].first, own[-1].last)}"
    return f"{_beginning(regime, 'was first in charge')} and came back {_times(len(own))}, {when}."


def _times(n: int) -> str:
    """Say how often.

    >>> [_times(n) for n in (1, 2, 1200)]
    ['once', 'twice', '1,200 times']
    """
    return {1: "once", 2: "twice"}.get(n, f"{n:,} times")


def _memory_weight(results: Results, found: Sequence[Return]) -> float | None:
    """Return the mean weight of the memory at the moments in returns, None without any."""
    moments = np.array([(moment.row, 1.0 - moment.weights[-1]) for moment in results.moments])
    inside = np.zeros(len(moments), dtype=bool)
    for back in found:
        inside |= (back.first <= moments[:, 0]) & (moments[:, 0] <= back.last)
    return float(moments[inside, 1].mean()) if inside.any() else None


def _gain(
    results: Results, without: Results | None, back: Return, measure: Measure
) -> float | None:
    """Return how much better than without memory a return was, None where no window tells."""
    if without is None or len(without.windows) != len(results.windows):
        return None
    differences, begin = [], 0
    for window, other in zip(results.windows, without.windows, strict=True):
        end = int(window["row"])
        inside = min(end, back.last + 1) - max(begin, back.first)
        if 2 * inside >= end - begin and measure.key in window and measure.key in other:
            differences.append(window[measure.key] - other[measure.key])
        begin = end
    if not differences or not np.isfinite(differences).all():
        return None
    return measure.gain(float(np.mean(differences)), 0.0)
