"""When the past came back, in words and as a table.

Of the default model: which regime was in charge again, when, how long after. In paper mode:
stretches in which offline experts, fitted on earlier rows, outweigh the online one.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise
from typing import Any

import numpy as np

from mooe.evaluate.dates import StreamAxis
from mooe.evaluate.measures import Measure
from mooe.evaluate.results import Moment, Results
from mooe.explanation import regime_text
from mooe.plots import interval_rows
from mooe.report.tables import NONE, Cell, Table
from mooe.words import counted, listed, times

WEAK = 0.1  # of the weight: what returns with less hardly returns
MOST_REGIMES = 4  # told of one by one
MOST_VISITS = 3  # of a regime that are named one by one
MOST_RETURNS = 12  # in the table of regimes
MOST = 0.5  # of the weight
TURN = 0.5  # of the offline weight: when more moves to other experts at once, a new stretch begins
EXPLAINED = 0.8  # of the offline weight: what the rows named for a stretch account for together
MOST_STRETCHES = 6  # in the table of stretches
MOST_NAMED = 3  # rows that a sentence names
ROWS_AWAY = "away for (rows)"


@dataclass(frozen=True)
class _Span:
    """Rows of the stream, first and last; those from before it are counted back from -1."""

    first: int
    last: int

    @property
    def rows(self) -> int:
        return self.last - self.first + 1


@dataclass(frozen=True)
class Return(_Span):
    """Rows in which a regime was in charge again."""

    regime: int  # its name
    away: int | None  # rows since it was last in charge; None where that is not known


@dataclass(frozen=True)
class _Fitted(_Span):
    """Rows that experts were fitted on, and the share of all weight that these held."""

    weight: float


@dataclass(frozen=True)
class _Stretch(_Span):
    """Rows in which offline experts held most of the weight."""

    offline: float  # share of the weight that they held, on average
    fitted: list[_Fitted]  # where most of it stems from, the heaviest first

    @property
    def returned(self) -> list[_Fitted]:
        """What was fitted on rows that neither lie in the stretch nor end where it begins."""
        return [rows for rows in self.fitted if rows.last < self.first - 1]

    @property
    def returned_weight(self) -> float:
        """The share of the weight of what returned."""
        return sum(rows.weight for rows in self.returned)


def sentences(results: Results) -> list[str]:
    """Say what came back and when, the strongest or longest returns first."""
    if not results.moments and results.remembers:
        few = "too few labels came, or its memory was not watched"
        return ["That cannot be said.", f"{results.model} had remembered nothing: {few}."]
    if not results.moments:
        return [f"{results.model} has no memory that was watched, so this cannot be said."]
    if results.remembers == "regimes":
        return _regime_sentences(results)
    return _stretch_sentences(results)


def returns_table(
    results: Results, without: Results | None, measure: Measure
) -> tuple[Table, list[str]] | None:
    """Make a table of the longest or strongest returns, and its notes; None without any.

    With results of the default model without memory: its gain in the windows of which at least
    half lies in the return.
    """
    if results.remembers == "regimes" and results.moments:
        return _regime_table(results, without, measure)
    return _stretch_table(results)


def returns(results: Results) -> list[Return]:
    """List the returns of all regimes, by name and row; what was before the stream is none."""
    out = []
    for regime in results.concepts:
        visits = [_Span(*visit) for visit in regime["visits"]]
        if visits and regime["first"] < visits[0].first:  # visits from before it was watched
            out.append(Return(visits[0].first, visits[0].last, regime["name"], None))
        for before, now in pairwise(visits):
            out.append(Return(now.first, now.last, regime["name"], now.first - before.last - 1))
    return [back for back in out if back.first >= 0]


def _regime_sentences(results: Results) -> list[str]:
    """Say how many regimes came back, and when the ones did that lasted longest, in sentences."""
    regimes, returned, n = results.concepts, returns(results), len(results.concepts)
    if not regimes:
        return [
            "It did not come back.",
            "No stretch of the stream was recognised often enough to be known as a regime.",
        ]
    if not returned:
        none = "none of them was in charge a second time."
        if n == 1:
            none = "it was never left for another and taken up again."
        known = f"{results.model} knows {counted(n, 'regime')}, and {none}"
        along = StreamAxis.of(results)
        listed_first = regimes[:MOST_REGIMES]
        once = [_beginning(regime, "was in charge", along) + "." for regime in listed_first]
        return ["It did not come back.", known, *once]
    rows_back: dict[int, int] = defaultdict(int)  # by name
    for back in returned:
        rows_back[back.regime] += back.rows
    names = sorted({back.regime for back in returned}, key=lambda name: -rows_back[name])
    who = f"{len(names)} of {n} regimes" if len(names) < n else counted(n, "regime")
    often = "once" if len(returned) == 1 else f"{times(len(returned))} in all"
    longest, weight = names[:MOST_REGIMES], _memory_weight(results, returned)
    out = [f"{who} came back, {often}."]
    if weight is not None and weight < WEAK:
        share = f"{100 * weight:.0f} %" if weight >= 0.01 else "less than 1 %"
        out = [f"Hardly: {who} came back, {often}, but the memory held {share} of the weight."]
    told, along = [r for r in regimes if r["name"] in longest], StreamAxis.of(results)
    out += [_regime_sentence(regime, returned, along) for regime in told]
    rest = [back for back in returned if back.regime not in longest]
    if rest:
        others = counted(len(names) - len(longest), "other regime")
        out.append(f"{others} came back {times(len(rest))}.")
    if weight is not None and weight >= WEAK:
        out.append(f"Back in charge, the memory held {100 * weight:.0f} % of the weight.")
    return out


def _regime_table(
    results: Results, without: Results | None, measure: Measure
) -> tuple[Table, list[str]] | None:
    """Make a table of the longest returns, by regime."""
    returned = returns(results)
    if not returned:
        return None
    longest = sorted(returned, key=lambda back: -back.rows)[:MOST_RETURNS]
    along, regimes = StreamAxis.of(results), {r["name"]: r for r in results.concepts}
    value = results.cumulative.get(measure.key, np.nan)
    rows = []
    for back in sorted(longest, key=lambda back: (back.regime, back.first)):
        weight = _memory_weight(results, [back])
        gain = _gain(results, without, back, measure)
        rows.append((
            Cell(called(regimes[back.regime])),
            Cell(along.short_span(back.first, back.last)),
            Cell(f"{back.rows:,}"),
            Cell(_away(back, along)),
            Cell(NONE if weight is None else f"{100 * weight:.0f}", weight),
            Cell(NONE if gain is None else measure.signed(gain, value), gain),
        ))  # fmt: skip
    unit = f" ({measure.difference_unit})" if measure.difference_unit else ""
    places = ("when", "rows", "away for") if along.has_dates else ("rows", "how many", ROWS_AWAY)
    header = ("regime", *places, "weight of the memory (%)", f"gain over no memory{unit}")
    more = f"; the longest {len(rows)} of {len(returned):,}." if len(returned) > len(rows) else "."
    notes = [
        f"When a regime was in charge again, and for how long it had not been{more}"
        if along.has_dates
        else f"Rows in which a regime was in charge again, and for how many rows it had not "
        f"been{more}",
        "Gain: over the windows of which at least half lies in the return, against the same "
        "model without its memory.",
    ]
    if all(row[-1].value is None for row in rows):  # no gain is known
        return Table(header[:-1], tuple(row[:-1] for row in rows)), notes[:1]
    return Table(header, tuple(rows)), notes


def called(regime: dict[str, Any]) -> str:
    """Return what a regime of results is called: its number, and the user's name for it."""
    return regime_text(regime["name"], regime.get("title", ""))


def _away(back: Return, along: StreamAxis) -> str:
    """Return how long a regime was away before it returned."""
    if back.away is None:
        return NONE
    if not along.has_dates:
        return f"{back.away:,}"
    return along.length(back.first - back.away - 1, back.first)


def _beginning(regime: dict[str, Any], was: str, along: StreamAxis) -> str:
    """Begin a sentence: 'Regime 1 was first in charge in rows ...'."""
    visits, first = regime["visits"], regime["first"]
    name = called(regime)
    start = f"{name[0].upper()}{name[1:]} {was}"
    if visits and visits[0][0] == first:
        return f"{start} {along.within(max(first, 0), visits[0][1])}"
    return f"{start} {along.at(first)}"


def _regime_sentence(regime: dict[str, Any], returned: Sequence[Return], along: StreamAxis) -> str:
    """Say when a regime came back."""
    own = [back for back in returned if back.regime == regime["name"]]
    if len(own) <= MOST_VISITS:
        when = _within_all(own, along)
    else:
        longest = max(own, key=lambda back: back.rows)
        when = f"longest {along.within(longest.first, longest.last)}"
        if own[-1] is not longest:
            when += f", last {along.within(own[-1].first, own[-1].last)}"
    begin = _beginning(regime, "was first in charge", along)
    return f"{begin} and came back {times(len(own))}, {when}."


def _within_all(spans: Sequence[_Span], along: StreamAxis) -> str:
    """Say where several spans are: 'in rows 1–2 and 5–6', 'from ... to ... and from ...'."""
    if along.has_dates:
        return listed([along.within(span.first, span.last) for span in spans])
    return f"in rows {listed([along.short_span(span.first, span.last) for span in spans])}"


def _memory_weight(results: Results, returned: Sequence[Return]) -> float | None:
    """Return the mean weight of the memory at the moments in returns, None without any."""
    moments = np.array([(moment.row, 1.0 - moment.weights[-1]) for moment in results.moments])
    inside = np.zeros(len(moments), dtype=bool)
    for back in returned:
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


def stretches(results: Results) -> list[_Stretch]:
    """Find the runs of moments at which offline experts, the same ones, held most of the weight.

    A moment stands for the rows since the one before it.
    """
    runs: list[tuple[int, list[Moment]]] = []  # first row, moments
    before: Moment | None = None
    for moment in results.moments:
        if 1.0 - moment.weights[-1] > MOST:
            goes_on = runs and before is runs[-1][1][-1] and _share_moved(before, moment) <= TURN
            if not goes_on:
                runs.append((min(before.row + 1 if before else 0, moment.row), []))
            runs[-1][1].append(moment)
        before = moment
    spans = interval_rows(results)
    return [_stretch(first, moments, spans) for first, moments in runs]


def strongest_returns(candidates: Sequence[_Stretch], most: int) -> list[_Stretch]:
    """Choose up to `most` stretches with the strongest returns, in the order of the stream."""
    back = [stretch for stretch in candidates if stretch.returned]
    back.sort(key=lambda stretch: -stretch.rows * stretch.returned_weight)
    return sorted(back[:most], key=lambda stretch: stretch.first)


def _stretch_sentences(results: Results) -> list[str]:
    """Say where offline experts led, and the strongest return of earlier rows, in sentences."""
    if not any(moment.names for moment in results.moments):
        return ["No offline expert was fitted: there is no past that could come back."]
    led = stretches(results)
    if not led:
        return ["It did not come back.", "The online expert always held at least half the weight."]
    share, n = sum(stretch.rows for stretch in led) / results.rows, len(led)
    opening = (
        f"Offline experts held most of the weight over {100 * share:.0f} % of the rows, "
        f"in {n:,} {'stretch' if n == 1 else 'stretches'}"
    )
    strongest = strongest_returns(led, 1)
    if not strongest:
        return ["It did not come back.", f"{opening}, all of it from rows just before."]
    (back,), along = strongest, StreamAxis.of(results)
    weight = back.returned_weight
    named = [along.short_span(rows.first, rows.last) for rows in back.returned[:MOST_NAMED]]
    more = ["others"] if len(back.returned) > MOST_NAMED else []
    on = "" if along.has_dates else "on rows "
    return [
        f"{'Most' if weight >= WEAK else 'Hardly; most'} {along.within(back.first, back.last)}, "
        f"when experts fitted before, {on}{listed(named + more)}, "
        f"held {100 * weight:.0f} % of the weight.",
        f"{opening}.",
    ]


def _stretch_table(results: Results) -> tuple[Table, list[str]] | None:
    """Make a table of the strongest returns."""
    strongest = strongest_returns(stretches(results), MOST_STRETCHES)
    if not strongest:
        return None
    along = StreamAxis.of(results)
    rows = tuple(
        (
            Cell(along.short_span(stretch.first, stretch.last)),
            Cell(f"{100 * stretch.offline:.0f}", stretch.offline),
            Cell(f"{100 * stretch.returned_weight:.0f}"),
            Cell(", ".join(along.short_span(s.first, s.last) for s in stretch.returned)),
        )
        for stretch in strongest
    )
    when, which = ("when", "fitted when") if along.has_dates else ("rows", "which rows")
    header = (when, "offline weight (%)", "from earlier rows (%)", which)
    note = (
        "Rows in which offline experts held most of the weight, and the rows from before that "
        "stretch on which the heaviest of them were fitted; the strongest returns."
    )
    return Table(header, rows), [note]


def _share_moved(before: Moment, after: Moment) -> float:
    """Return the share of the offline weight that moved to other experts, 0 to 1."""
    shares = []
    for moment in (before, after):
        offline = 1.0 - moment.weights[-1]
        shares.append({n: w / offline for n, w in zip(moment.names, moment.weights, strict=False)})
    return sum(max(share - shares[0].get(name, 0.0), 0.0) for name, share in shares[1].items())


def _stretch(first: int, moments: list[Moment], spans: dict[int, tuple[int, int]]) -> _Stretch:
    """Find the rows that the weight of a stretch stems from; `spans` are those of the intervals."""
    held: dict[int, float] = defaultdict(float)
    for moment in moments:
        for name, weight in zip(moment.names, moment.weights[:-1], strict=True):
            held[name] += weight / len(moments)
    heaviest = sorted(held, key=lambda name: (-held[name], name))
    total = sum(held.values())
    before = accumulate((held[name] for name in heaviest), initial=0.0)
    names = sorted(n for n, w in zip(heaviest, before, strict=False) if w < EXPLAINED * total)
    fitted = []
    for _, pairs in groupby(enumerate(names), key=lambda pair: pair[1] - pair[0]):
        run = [name for _, name in pairs]  # of neighbouring intervals
        weight = sum(held[name] for name in run)
        fitted.append(_Fitted(spans[run[0]][0], spans[run[-1]][1], weight))
    fitted.sort(key=lambda rows: (-rows.weight, rows.first))
    return _Stretch(first, moments[-1].row, total, fitted)
