"""When the past came back, of the default model: which regime returned, when, how long after."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from mooe.evaluate.results import Results
from mooe.plots import MEASURES
from mooe.report.tables import NONE, Cell, Table
from mooe.report.words import WEAK, counted, listed, span

__all__ = ["Return", "regimes_back", "returns", "returns_table"]

MOST_REGIMES = 4  # told of one by one
MOST_VISITS = 3  # of a regime that are named one by one
MOST_RETURNS = 12  # in the table


@dataclass(frozen=True)
class Return:
    """A regime was in charge again.

    Attributes
    ----------
    name : int
        Of the regime.
    first, last : int
        Rows of the stream.
    away : int or None
        Rows since it was last in charge; None where that is not known.
    """

    name: int
    first: int
    last: int
    away: int | None

    @property
    def rows(self) -> int:
        return self.last - self.first + 1


def returns(results: Results) -> list[Return]:
    """Return the returns of all regimes, by name and row; what was before the stream is none."""
    found = []
    for one in results.concepts:
        visits = one["visits"]
        if visits and one["first"] < visits[0][0]:  # visits from before it was watched
            found.append(Return(one["name"], visits[0][0], visits[0][1], None))
        for (_, left), (first, last) in pairwise(visits):
            found.append(Return(one["name"], first, last, first - left - 1))
    return [one for one in found if one.first >= 0]


def regimes_back(results: Results) -> list[str]:
    """Return sentences: how many regimes came back, and when the ones did that lasted longest."""
    concepts, found = results.concepts, returns(results)
    if not concepts:
        return [
            "It did not come back.",
            "No stretch of the stream was recognised often enough to be known as a regime.",
        ]
    n = len(concepts)
    if not found:
        know = f"{results.model} knows {counted(n, 'regime')}, and "
        none = "it was never left for another and taken up again." if n == 1 else (
            "none of them was in charge a second time."
        )  # fmt: skip
        return ["It did not come back.", know + none, *map(beginning_only, concepts[:MOST_REGIMES])]
    back = sorted({one.name for one in found}, key=lambda name: -rows_of(found, name))
    who = f"{len(back)} of {n} regimes" if len(back) < n else counted(n, "regime")
    times = "once" if len(found) == 1 else f"{in_words(len(found))} in all"
    told = sorted(back[:MOST_REGIMES])
    out = [f"{who} came back, {times}."]
    weight = held_in(results, found)
    if weight is not None and weight < WEAK:
        share = f"{100 * weight:.0f} %" if weight >= 0.01 else "less than 1 %"
        out = [f"Hardly: {who} came back, {times}, but the memory held {share} of the weight."]
    out += [regime_words(one, found) for one in concepts if one["name"] in told]
    rest = [one for one in found if one.name in back[MOST_REGIMES:]]
    if rest:
        others = counted(len(back) - len(told), "other regime")
        out.append(f"{others} came back {in_words(len(rest))}.")
    if weight is not None and weight >= WEAK:
        out.append(f"Back in charge, the memory held {100 * weight:.0f} % of the weight.")
    return out


def rows_of(found: Sequence[Return], name: int) -> int:
    """Return in how many rows a regime was back."""
    return sum(one.rows for one in found if one.name == name)


def beginning(concept: dict[str, Any]) -> str:
    """Return 'Regime 1 was first in charge ...'."""
    visits, first = concept["visits"], concept["first"]
    start = f"Regime {concept['name']} was first in charge"
    if visits and visits[0][0] == first:
        return f"{start} {in_rows(*visits[0])}"
    return f"{start} before the stream" if first < 0 else f"{start} at row {first:,}"


def beginning_only(concept: dict[str, Any]) -> str:
    """Return the sentence on a regime that did not come back."""
    return beginning(concept).replace("was first", "was") + "."


def regime_words(concept: dict[str, Any], found: Sequence[Return]) -> str:
    """Return the sentence on a regime that came back."""
    mine = [one for one in found if one.name == concept["name"]]
    if len(mine) <= MOST_VISITS:
        spans = listed([span(one.first, one.last) for one in mine])
        when = f"in rows {spans}"
    else:
        longest = max(mine, key=lambda one: one.rows)
        when = f"longest in rows {span(longest.first, longest.last)}"
        if mine[-1] is not longest:
            when += f", last in rows {span(mine[-1].first, mine[-1].last)}"
    return f"{beginning(concept)} and came back {in_words(len(mine))}, {when}."


def in_rows(first: int, last: int) -> str:
    """Return 'in rows first–last', or 'before the stream'."""
    return "before the stream" if last < 0 else f"in rows {span(max(first, 0), last)}"


def in_words(n: int) -> str:
    """Return how often.

    >>> [in_words(n) for n in (1, 2, 1200)]
    ['once', 'twice', '1,200 times']
    """
    return {1: "once", 2: "twice"}.get(n, f"{n:,} times")


def returns_table(
    results: Results, without: Results | None, measure: str
) -> tuple[Table, list[str]] | None:
    """Return the longest returns by regime, and what is to be said of them; None without any.

    With results of the model without memory: its gain in the windows of which at least half lies in
    the return.
    """
    found = returns(results)
    if not found:
        return None
    longest = sorted(found, key=lambda one: -one.rows)[:MOST_RETURNS]
    shown = sorted(longest, key=lambda one: (one.name, one.first))
    gains = [gain(results, without, one, measure) for one in shown]
    some, unit = any(one is not None for one in gains), MEASURES[measure]
    header = ["regime", "rows", "how many", "away for (rows)", "weight of the memory (%)"]
    if some:
        header.append(f"gain over no memory{f' ({unit.difference})' if unit.difference else ''}")
    rows = []
    for one, better in zip(shown, gains, strict=True):
        weight = held_in(results, [one])
        cells = [
            Cell(f"regime {one.name}"),
            Cell(span(one.first, one.last)),
            Cell(f"{one.rows:,}"),
            Cell(NONE if one.away is None else f"{one.away:,}"),
            Cell(NONE if weight is None else f"{100 * weight:.0f}", weight),
        ]
        if some:
            text = NONE if better is None else ("+" if better > 0 else "") + unit.shown(better)
            cells.append(Cell(text, better))
        rows.append(tuple(cells))
    said = [
        "Rows in which a regime was in charge again, and for how many rows it had not been"
        + (f"; the longest {len(shown)} of {len(found):,}." if len(found) > len(shown) else ".")
    ]
    if some:
        said.append(
            "Gain: over the windows of which at least half lies in the return, against the same "
            "model without its memory."
        )
    return Table(tuple(header), tuple(rows)), said


def held_in(results: Results, found: Sequence[Return]) -> float | None:
    """Return the mean weight of the memory at the moments in returns, None without any."""
    moments = np.array([(moment.row, 1.0 - moment.weights[-1]) for moment in results.moments])
    inside = np.zeros(len(moments), dtype=bool)
    for one in found:
        inside |= (one.first <= moments[:, 0]) & (moments[:, 0] <= one.last)
    return float(moments[inside, 1].mean()) if inside.any() else None


def gain(results: Results, without: Results | None, one: Return, measure: str) -> float | None:
    """Return how much better than without memory a return was, None where no window tells."""
    if without is None or len(without.windows) != len(results.windows):
        return None
    found, begin = [], 0
    for mine, other in zip(results.windows, without.windows, strict=True):
        end = int(mine["row"])
        inside = min(end, one.last + 1) - max(begin, one.first)
        if 2 * inside >= end - begin and measure in mine and measure in other:
            found.append(mine[measure] - other[measure])
        begin = end
    if not found or not np.isfinite(found).all():
        return None
    return float(np.mean(found)) * (1.0 if MEASURES[measure].higher_is_better else -1.0)
