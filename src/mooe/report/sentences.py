"""The answers in words: how well it would have worked, and which model is the best."""

from collections.abc import Sequence

import numpy as np

from mooe.evaluate.measures import TRIVIAL, Measure
from mooe.evaluate.ranks import Ranks
from mooe.evaluate.results import Results

# What the trivial models do, in the order of `TRIVIAL`.
DOES = {
    "classification": ("repeating the last label", "naming the most frequent class so far"),
    "regression": ("repeating the last label", "answering the mean so far"),
}


def how_well(results: Sequence[Results], measure: Measure) -> list[str]:
    """Compare the first model's measure with the trivial models and the best one, in sentences.

    The first of the results is the one in question; no-change and majority are among the others.
    """
    first, others = results[0], results[1:]
    value, rows = first.cumulative.get(measure.key, np.nan), f"{first.rows:,}"
    if not np.isfinite(value):
        return [f"{first.model} saw {rows} rows and none of them had a label to judge it by."]
    opening = (
        f"{first.model} answered {measure.text(value)} of {rows} rows right"
        if measure.key == "accuracy"
        else f"{first.model} was off by {measure.text(value)} on average over {rows} rows"
    )
    losing = [run.model for run in others if run.model in TRIVIAL and _wins(run, first, measure)]
    if losing:
        opening += f", worse than {listed(losing)}, which learns nothing"
    sentences = [f"{opening}."]
    parts = []
    for model, does in zip(TRIVIAL, DOES[first.task], strict=True):
        for run in others:
            other = run.cumulative.get(measure.key, np.nan)
            if run.model == model and np.isfinite(other):
                more = difference(value, other, measure)
                parts.append(f"{more} {does} ({model}, {measure.text(other)})")
    if parts:
        sentences.append(f"That is {' and '.join(parts)}.")
    best = first
    for run in others:
        best = run if _wins(run, best, measure) else best
    if best is first:
        return [*sentences, f"No model in the table does better than {first.model}."]
    most = best.cumulative[measure.key]
    verdict = (
        f"{first.model} is not the best here: {best.model} is, with {measure.text(most)}; "
        f"{first.model} loses by {_gap(value, most, measure)}."
    )
    return [*sentences, verdict]


def _wins(run: Results, other: Results, measure: Measure) -> bool:
    """Whether a model is better than another by what is printed."""
    a, b = (each.cumulative.get(measure.key, np.nan) for each in (run, other))
    return measure.number(a) != measure.number(b) and measure.gain(a, b) > 0.0


def difference(value: float, other: float, measure: Measure) -> str:
    """Say how a value differs from another, in words that lead on to what it is compared with.

    >>> from mooe.evaluate.measures import MEASURES
    >>> difference(0.775, 0.5, MEASURES["accuracy"])
    '27.50 points more than'
    """
    if measure.number(value) == measure.number(other):
        return "as much as"
    return f"{_gap(value, other, measure)} {'more' if value > other else 'less'} than"


def _gap(value: float, other: float, measure: Measure) -> str:
    """Write how far a value is from another, with its decimals; in points where they are shares."""
    points = " points" if measure.unit == "%" else ""
    return measure.signed(abs(value - other), like=value).removeprefix("+") + points


def counted(n: int, what: str) -> str:
    """Say how many there are.

    >>> counted(1, "regime"), counted(2, "regime")
    ('1 regime', '2 regimes')
    """
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def listed(texts: list[str]) -> str:
    """Write 'a, b and c'.

    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def outcome(ranks: Ranks, n_left_out: int, level: float) -> list[str]:
    """Say who ranks best, whom it beats significantly, and what chance allows, in sentences."""
    best, n_models, n = ranks.models[0], len(ranks.models), ranks.n_streams
    streams = counted(n, "stream")
    first = [
        m for m, r in zip(ranks.models, ranks.mean_ranks, strict=True) if r <= ranks.mean_ranks[0]
    ]
    has = f"{best} has" if len(first) == 1 else f"{listed(first)} share"
    out = [f"Over {streams}, {has} the best mean rank, {ranks.mean_ranks[0]:.2f}."]
    beaten = [m for m, p in zip(ranks.models, ranks.p_values[0], strict=True) if p < level]
    least = min(2.0 ** (1 - n) * n_models * (n_models - 1) / 2, 1.0)
    if beaten:
        out.append(f"{best} is significantly better than {listed(beaten)} (p < {level:g}).")
    elif least >= level:
        out.append(
            f"With so few streams no difference can be significant: the least p-value that "
            f"{streams} and {n_models} models allow is {least:.2g}."
        )
    else:
        out.append(f"{best} is not significantly better than any other (p ≥ {level:g}).")
    if n_left_out:
        out.append(f"{n_left_out:,} streams on which a model is missing are left out of the ranks.")
    return out


def foot(results: Sequence[Results]) -> dict[str, str]:
    """Name what the numbers depend on: streams, seeds, and the origin of the first."""
    first = results[0]
    streams = list(dict.fromkeys(run.stream for run in results))
    seeds = sorted({run.seed for run in results})
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
