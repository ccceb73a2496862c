"""When the past came back, in paper mode: stretches in which offline experts outweigh the online.

The default model remembers regimes instead, see `mooe.report.regimes`.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby

from mooe.evaluate.results import Moment, Results
from mooe.plots import interval_rows
from mooe.report.tables import Cell, Table
from mooe.report.words import listed, span

MOST = 0.5  # of the weight
TURN = 0.5  # of the offline weight: when more moves to other experts at once, a new stretch begins
EXPLAINED = 0.8  # of the offline weight: what the rows named for a stretch account for together
WEAK = 0.1  # of the weight: what returns with less hardly returns
MOST_STRETCHES = 6  # in the table of returns
MOST_NAMED = 3  # rows that a sentence names


@dataclass(frozen=True)
class _FittedRows:
    """Rows that experts were fitted on, first and last, and the share of all weight they held."""

    first: int
    last: int
    weight: float


@dataclass(frozen=True)
class _Stretch:
    """Rows, first and last, in which offline experts held most of the weight.

    `offline` is the share of the weight that they held on average, `fitted` where most of it stems
    from, the heaviest first.
    """

    first: int
    last: int
    offline: float
    fitted: list[_FittedRows]

    @property
    def rows(self) -> int:
        return self.last - self.first + 1

    @property
    def returned(self) -> list[_FittedRows]:
        """What was fitted on rows that neither lie in the stretch nor end where it begins."""
        return [rows for rows in self.fitted if rows.last < self.first - 1]

    @property
    def returned_weight(self) -> float:
        """The share of the weight of what returned."""
        return sum(rows.weight for rows in self.returned)


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


def strongest_returns(found: Sequence[_Stretch], most: int) -> list[_Stretch]:
    """Choose up to `most` stretches with the strongest returns, in the order of the stream."""
    back = [stretch for stretch in found if stretch.returned]
    back.sort(key=lambda stretch: -stretch.rows * stretch.returned_weight)
    return sorted(back[:most], key=lambda stretch: stretch.first)


def sentences(results: Results) -> list[str]:
    """Say where offline experts led, and the strongest return of earlier rows, in sentences."""
    if not results.moments:
        return [f"{results.model} has no memory that was watched, so this cannot be said."]
    if not any(moment.names for moment in results.moments):
        return ["No offline expert was fitted: there is no past that could come back."]
    found = stretches(results)
    if not found:
        return ["It did not come back.", "The online expert always held at least half the weight."]
    share, n = sum(stretch.rows for stretch in found) / results.rows, len(found)
    led = (
        f"Offline experts held most of the weight over {100 * share:.0f} % of the rows, "
        f"in {n:,} {'stretch' if n == 1 else 'stretches'}"
    )
    strongest = strongest_returns(found, 1)
    if not strongest:
        return ["It did not come back.", f"{led}, all of it from rows just before."]
    (back,) = strongest
    weight, here = back.returned_weight, span(back.first, back.last)
    named = [span(rows.first, rows.last) for rows in back.returned[:MOST_NAMED]]
    more = ["others"] if len(back.returned) > MOST_NAMED else []
    return [
        f"{'Most' if weight >= WEAK else 'Hardly; most'} in rows {here}, when "
        f"experts fitted before, on rows {listed(named + more)}, "
        f"held {100 * weight:.0f} % of the weight.",
        f"{led}.",
    ]


def returns_table(results: Results) -> tuple[Table, list[str]] | None:
    """Make a table of the strongest returns, and what is to be said of it; None without any."""
    strongest = strongest_returns(stretches(results), MOST_STRETCHES)
    if not strongest:
        return None
    rows = tuple(
        (
            Cell(span(stretch.first, stretch.last)),
            Cell(f"{100 * stretch.offline:.0f}", stretch.offline),
            Cell(f"{100 * stretch.returned_weight:.0f}"),
            Cell(", ".join(span(rows.first, rows.last) for rows in stretch.returned)),
        )
        for stretch in strongest
    )
    header = ("rows", "offline weight (%)", "from earlier rows (%)", "which rows")
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
        fitted.append(_FittedRows(spans[run[0]][0], spans[run[-1]][1], weight))
    fitted.sort(key=lambda rows: (-rows.weight, rows.first))
    return _Stretch(first, moments[-1].row, total, fitted)
