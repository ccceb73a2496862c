"""The answers in words: how well it would have worked, and when the past came back."""

from collections.abc import Sequence

import numpy as np

from mooe.evaluate.results import Results
from mooe.plots import MEASURES, Ranks
from mooe.report.returns import Source, Stretch, came_back

__all__ = [
    "counted",
    "difference",
    "foot",
    "how_well",
    "listed",
    "outcome",
    "rows_words",
    "span",
    "when_back",
]

REFERENCES = {
    "no-change": "repeating the last label",
    "majority": "naming the most frequent class so far",
}
WEAK = 0.1  # of the weight: what returns with less hardly returns
MOST_SOURCES = 3  # named in a sentence
MEAN = "answering the mean so far"  # what majority does in regression


def how_well(results: Sequence[Results], measure: str) -> list[str]:
    """Return sentences: the first model's measure, against the trivial ones and the best.

    Parameters
    ----------
    results : sequence of Results
        The first is the one in question; no-change and majority are among them.
    """
    first = results[0]
    value, rows = first.cumulative.get(measure, np.nan), f"{first.rows:,}"
    if not np.isfinite(value):
        return [f"{first.model} saw {rows} rows and none of them had a label to judge it by."]
    opening = (
        f"{first.model} answered {shown(measure, value)} of {rows} rows right"
        if measure == "accuracy"
        else f"{first.model} was off by {shown(measure, value)} on average over {rows} rows"
    )
    losing = [
        one.model for one in results[1:] if one.model in REFERENCES and wins(one, first, measure)
    ]
    if losing:
        opening += f", worse than {listed(losing)}, which learns nothing"
    return [f"{opening}.", *against_trivial(results, measure), verdict(results, measure)]


def against_trivial(results: Sequence[Results], measure: str) -> list[str]:
    """Return a sentence that compares the first model with no-change and majority."""
    value, parts = results[0].cumulative[measure], []
    for model, does in REFERENCES.items():
        does = MEAN if model == "majority" and results[0].task == "regression" else does
        for one in results[1:]:
            other = one.cumulative.get(measure, np.nan)
            if one.model == model and np.isfinite(other):
                said = difference(value, other, measure)
                parts.append(f"{said} {does} ({model}, {shown(measure, other)})")
    return [f"That is {' and '.join(parts)}."] if parts else []


def verdict(results: Sequence[Results], measure: str) -> str:
    """Return a sentence: the first model is the best in the table, or which one beats it."""
    first = best = results[0]
    for one in results[1:]:
        best = one if wins(one, best, measure) else best
    if best is first:
        return f"No model in the table does better than {first.model}."
    values = first.cumulative[measure], best.cumulative[measure]
    return (
        f"{first.model} is not the best here: {best.model} is, with {shown(measure, values[1])}; "
        f"{first.model} loses by {gap(values[0], values[1], measure)}."
    )


def wins(one: Results, other: Results, measure: str) -> bool:
    """Whether a model is better than another by what is printed."""
    unit = MEASURES[measure]
    a, b = (each.cumulative.get(measure, np.nan) for each in (one, other))
    return unit.shown(a) != unit.shown(b) and (a > b if unit.higher_is_better else a < b)


def difference(value: float, other: float, measure: str) -> str:
    """Return how a value differs from another, in words that lead on to what it is compared with.

    >>> difference(0.775, 0.5, "accuracy")
    '27.50 points more than'
    """
    if MEASURES[measure].shown(value) == MEASURES[measure].shown(other):
        return "as much as"
    return f"{gap(value, other, measure)} {'more' if value > other else 'less'} than"


def gap(value: float, other: float, measure: str) -> str:
    """Return the distance of two values with its unit."""
    unit = MEASURES[measure]
    points = " points" if unit.difference == "points" else ""
    return unit.shown(abs(value - other)) + points


def shown(measure: str, value: float) -> str:
    """Return a value with its percent sign, if it has one."""
    unit = MEASURES[measure]
    return f"{unit.shown(value)} %" if unit.unit == "%" else unit.shown(value)


def when_back(results: Results, found: Sequence[Stretch]) -> list[str]:
    """Return sentences: where offline experts led, and the strongest return of earlier rows."""
    if not results.moments:
        return [f"{results.model} has no memory that was watched, so this cannot be said."]
    if not any(moment.names for moment in results.moments):
        return ["No offline expert was fitted: there is no past that could come back."]
    if not found:
        return ["It did not come back.", "The online expert always held at least half the weight."]
    share, n = sum(one.rows for one in found) / results.rows, len(found)
    led = (
        f"Offline experts held most of the weight over {100 * share:.0f} % of the rows, "
        f"in {n:,} {'stretch' if n == 1 else 'stretches'}"
    )
    strongest = came_back(list(found), 1)
    if not strongest:
        return ["It did not come back.", f"{led}, all of it from rows just before."]
    sources = strongest[0].returned
    weight = sum(source.weight for source in sources)
    named = [rows_words(source) for source in sources[:MOST_SOURCES]]
    more = ["others"] if len(sources) > MOST_SOURCES else []
    return [
        f"{'Most' if weight >= WEAK else 'Hardly; most'} in rows {rows_words(strongest[0])}, when "
        f"experts fitted before, on rows {listed(named + more)}, "
        f"held {100 * weight:.0f} % of the weight.",
        f"{led}.",
    ]


def rows_words(rows: Source | Stretch) -> str:
    """Return 'first–last' with thousands separators.

    >>> rows_words(Source(1000, 1049, 0.5)), rows_words(Source(-100, -51, 0.5))
    ('1,000–1,049', 'before the stream')
    """
    if rows.last < 0:
        return "before the stream"
    return span(rows.first, rows.last)


def span(first: int, last: int) -> str:
    """Return 'first–last' with thousands separators."""
    return f"{first:,}–{last:,}"


def counted(n: int, what: str) -> str:
    """Return how many there are, in words.

    >>> counted(1, "regime"), counted(2, "regime")
    ('1 regime', '2 regimes')
    """
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def listed(texts: list[str]) -> str:
    """Return 'a, b and c'.

    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def outcome(ranks: Ranks, n_left_out: int, level: float) -> list[str]:
    """Return sentences: who ranks best, whom it beats significantly, and what chance allows."""
    best, n = ranks.models[0], ranks.n_streams
    streams = "stream" if n == 1 else "streams"
    first = [
        m for m, r in zip(ranks.models, ranks.mean_ranks, strict=True) if r <= ranks.mean_ranks[0]
    ]
    has = f"{best} has" if len(first) == 1 else f"{listed(first)} share"
    out = [f"Over {n:,} {streams}, {has} the best mean rank, {ranks.mean_ranks[0]:.2f}."]
    beaten = [m for m, p in zip(ranks.models, ranks.p_values[0], strict=True) if p < level]
    least = min(2.0 ** (1 - n) * len(ranks.models) * (len(ranks.models) - 1) / 2, 1.0)
    if beaten:
        out.append(f"{best} is significantly better than {listed(beaten)} (p < {level:g}).")
    elif least >= level:
        out.append(
            f"With so few streams no difference can be significant: the least p-value that "
            f"{n:,} {streams} and {len(ranks.models)} models allow is {least:.2g}."
        )
    else:
        out.append(f"{best} is not significantly better than any other (p ≥ {level:g}).")
    if n_left_out:
        out.append(f"{n_left_out:,} streams on which a model is missing are left out of the ranks.")
    return out


def foot(results: Sequence[Results]) -> dict[str, str]:
    """Return what the numbers depend on, by name: streams, seeds, and the origin of the first."""
    first = results[0]
    streams = list(dict.fromkeys(one.stream for one in results))
    seeds = sorted({one.seed for one in results})
    facts = {
        "stream" if len(streams) == 1 else "streams": ", ".join(streams),
        "rows": f"{sum(max(r.rows for r in results if r.stream == s) for s in streams):,}",
        "features": ", ".join(
            f"{max(r.features for r in results if r.stream == s):,}" for s in streams
        ),
        "seed" if len(seeds) == 1 else "seeds": ", ".join(map(str, seeds)),
        **first.origin,
    }
    return {name: fact for name, fact in facts.items() if fact}
