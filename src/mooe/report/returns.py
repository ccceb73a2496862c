"""When the past came back: stretches in which the same offline experts outweigh the online one."""

from dataclasses import dataclass

from mooe.evaluate.results import Moment, Results
from mooe.plots import interval_rows

__all__ = ["Source", "Stretch", "came_back", "stretches"]

MOST = 0.5  # of the weight
TURN = 0.5  # of the offline weight: when more moves to other experts at once, a new stretch begins
TOLD = 0.8  # of the offline weight: what a stretch's sources account for together

Spans = dict[int, tuple[int, int]]  # first and last row of each interval


@dataclass(frozen=True)
class Source:
    """Rows that experts were fitted on, first and last, and the share of all weight they held."""

    first: int
    last: int
    weight: float


@dataclass(frozen=True)
class Stretch:
    """Rows, first and last, in which offline experts held most of the weight.

    Attributes
    ----------
    first, last : int
    offline : float
        Share of the weight that offline experts held, on average.
    sources : tuple of Source
        Where most of that weight stems from, the heaviest first.
    """

    first: int
    last: int
    offline: float
    sources: tuple[Source, ...]

    @property
    def rows(self) -> int:
        return self.last - self.first + 1

    @property
    def returned(self) -> tuple[Source, ...]:
        """The sources that neither lie in the stretch nor end where it begins."""
        return tuple(source for source in self.sources if source.last < self.first - 1)

    @property
    def recall(self) -> float:
        """The weight of what returned, summed over the rows."""
        return self.rows * sum(source.weight for source in self.returned)


def stretches(results: Results) -> list[Stretch]:
    """Return the runs of moments at which offline experts, the same ones, held most of the weight.

    A moment stands for the rows since the one before it.
    """
    bounds, first = interval_rows(results), 0
    runs: list[tuple[int, list[Moment]]] = []  # first row, moments
    ends: list[int] = []
    last: Moment | None = None
    for moment in results.moments:
        row = moment.row
        if 1.0 - moment.weights[-1] > MOST:
            goes_on = runs and last is runs[-1][1][-1] and moved(last, moment) <= TURN
            if not goes_on:
                runs.append((min(first, row), []))
                ends.append(row)
            runs[-1][1].append(moment)
            ends[-1] = row
        last, first = moment, row + 1
    return [
        stretch(moments, first, end, bounds)
        for (first, moments), end in zip(runs, ends, strict=True)
    ]


def moved(before: Moment, after: Moment) -> float:
    """Return the share of the offline weight that moved to other experts, 0 to 1."""
    shares = []
    for moment in (before, after):
        offline = 1.0 - moment.weights[-1]
        shares.append({n: w / offline for n, w in zip(moment.names, moment.weights, strict=False)})
    return sum(max(share - shares[0].get(name, 0.0), 0.0) for name, share in shares[1].items())


def stretch(moments: list[Moment], first: int, last: int, bounds: Spans) -> Stretch:
    """Return a stretch with the sources of its weight."""
    held: dict[int, float] = {}
    for moment in moments:
        for name, weight in zip(moment.names, moment.weights[:-1], strict=True):
            held[name] = held.get(name, 0.0) + weight / len(moments)
    total, told, names = sum(held.values()), 0.0, []
    for name in sorted(held, key=lambda name: (-held[name], name)):
        if told >= TOLD * total:
            break
        names.append(name)
        told += held[name]
    return Stretch(first, last, total, merged(sorted(names), held, bounds))


def merged(names: list[int], held: dict[int, float], bounds: Spans) -> tuple[Source, ...]:
    """Return runs of neighbouring intervals as one source each, the heaviest first."""
    runs: list[list[int]] = []
    for name in names:
        if runs and name == runs[-1][-1] + 1:
            runs[-1].append(name)
        else:
            runs.append([name])
    sources = [
        Source(bounds[run[0]][0], bounds[run[-1]][1], sum(held[name] for name in run))
        for run in runs
    ]
    return tuple(sorted(sources, key=lambda source: (-source.weight, source.first)))


def came_back(found: list[Stretch], most: int) -> list[Stretch]:
    """Return up to `most` stretches with the strongest returns, in the order of the stream."""
    strongest = sorted((one for one in found if one.returned), key=lambda one: -one.recall)[:most]
    return sorted(strongest, key=lambda one: one.first)
