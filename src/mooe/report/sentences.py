"""The answers in words: how well it would have worked, and which model is the best."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mooe.evaluate.dates import StreamAxis
from mooe.evaluate.measures import (
    MEASURES,
    TRIVIAL_NAMES,
    Measure,
    headline_measure,
    rare_measures,
    shown_measures,
    trivial_models,
)
from mooe.evaluate.ranks import Ranks
from mooe.evaluate.results import Results
from mooe.words import counted, listed, some_of, times

BOLD = "Best of each measure in bold; seconds are those spent in the learner."
DIGITS = 12  # of a hash, where there are several
# What the trivial models do, in the order of `trivial_models`.
DOES = {
    "classification": ("repeating the last label", "naming the most frequent class so far"),
    "regression": ("repeating the last label", "answering the mean so far"),
}


def how_well(results: Sequence[Results]) -> list[str]:
    """Compare the first model's measures with the trivial models and the best one, in sentences.

    The first of the results is the one in question; the trivial models are among the others. Where
    errors have costs, what they sum to comes first, else what was found of a class that is rare.
    That no model does better is said only of measures of which it is true, among all that the page
    shows.
    """
    first, others = results[0], results[1:]
    measure = headline_measure(first)
    value = first.cumulative.get(measure.key, np.nan)
    if not np.isfinite(value):
        reason = "none of them had a label to judge it by"
        if first.rows and first.unanswered == first.rows:
            reason = "no label came in time to answer any of them by"
        return [f"{first.model} saw {counted(first.rows, 'row')} and {reason}."]
    n = first.judged or first.rows
    if first.costs:
        opening = f"{first.model} cost {measure.text(value)} over {n:,} rows{_priced(first.costs)}"
    elif measure.key == "accuracy":
        opening = f"{first.model} answered {measure.text(value)} of {n:,} rows right"
    else:
        opening = f"{first.model} was off by {measure.text(value)} on average over {n:,} rows"
    losing = [r.model for r in others if r.model in TRIVIAL_NAMES and _wins(r, first, measure)]
    if losing:
        opening += f", worse than {listed(losing)}, which learns nothing"
    median = first.cumulative.get("median_error")
    if first.task == "regression" and median is not None:
        opening += f"; half of its errors are below {measure.text(median)}"
    sentences = [f"{opening}."]
    parts = []
    for model, does in zip(trivial_models(first.task), DOES[first.task], strict=True):
        for run in others:
            other = run.cumulative.get(measure.key, np.nan)
            if run.model == model and np.isfinite(other):
                more = difference(value, other, measure)
                parts.append(f"{more} {does} ({model}, {measure.text(other)})")
    if parts:
        sentences.append(f"That is {' and '.join(parts)}.")
    rare = _rare_sentences(first)
    answers = [*sentences, *rare] if first.costs else [*rare, *sentences]
    by_labels = order_sentence(first)
    why = [f"{by_labels}."] if by_labels else []
    return [*answers, *why, *_far_sentences(first, measure), _verdict(results, measure)]


def extent(first: Results) -> str:
    """Say what a run went over: its stream, how many rows and, where they have dates, of when."""
    along = StreamAxis.of(first)
    when = f" {along.within(0, first.rows - 1)}" if along.has_dates else ""
    return f"{first.stream}: {counted(first.rows, 'row')}{when}"


def window_caption(first: Results, marks: str = "") -> str:
    """Say what is drawn along the stream, what its marks are, and which rows fill no window."""
    caption = "A point is the measure over one window, drawn at its last row"
    caption += f"; marks are {marks}." if marks else "."
    if len(first.windows) < 2 or not first.window:
        return caption
    rest = int(first.windows[-1]["row"] - first.windows[-2]["row"])
    if rest >= first.window:
        return caption
    fill = "row fills no window and is" if rest == 1 else f"{rest:,} rows fill no window and are"
    return f"{caption} The last {fill} left out."


def _priced(costs: dict[str, Any]) -> str:
    """Say what a cost is made of: how many false alarms and misses, at which price each."""
    alarms = f"{counted(costs['false_alarms'], 'false alarm')} at {costs['false_alarm']:g}"
    return f", {alarms} and {counted(costs['misses'], 'miss')} at {costs['miss']:g}"


def unanswered_sentence(first: Results) -> str:
    """Say which rows no measure is over; '' where it is over all of them."""
    if not first.unanswered or not first.judged:
        return ""
    before = "came before the first label: no answer was possible"
    if first.task == "regression":
        before = "had no answer"
    without = first.unlabelled
    also = f", and {without:,} had no label when the stream ended" if without > 0 else ""
    return (
        f"Measures are over {first.judged:,} of {first.rows:,} rows; "
        f"{counted(first.unanswered, 'row')} {before}{also}."
    )


def order_sentence(first: Results) -> str:
    """Say that the order of the labels told most of them; '' where it did not."""
    if not first.weight_of_labels:
        return ""
    share = f"{100.0 * first.weight_of_labels:.0f} %"
    return (
        "The order of the labels alone tells most of them: experts that see no input, only the "
        f"labels before, have {share} of the weight in the end; where the next label will not "
        "follow from those before, or these are not known in time, expect less"
    )


def fits_sentence(run: Results) -> str:
    """Say how often, and on what, a model that learns all rows at once was fitted."""
    first, *_, last = [*run.fits, run.fits[-1]]
    span = f"{first:,} labels" if len(run.fits) == 1 else f"{first:,} to {last:,} labels"
    before = dict(zip(DOES, ("the most frequent class", "the mean"), strict=True))[run.task]
    return (
        f"{run.model} learns all rows at once: it was fitted {times(len(run.fits))} along the way, "
        f"on all labels so far, {span}; before the first fit {before} was answered."
    )


def rare_name(rare: dict[str, Any]) -> str:
    """Name the rare class as it is spoken of: 'class fraud'."""
    return f"class {rare['class']}"


def _rare_sentences(first: Results) -> list[str]:
    """Say how much of a rare class was found, and at the price of how many alarms."""
    rare, measured = first.rare, first.cumulative
    if not rare or not rare["rows"]:
        return []
    found, right, ranked = (
        MEASURES[key].text(measured.get(key, np.nan))
        for key in ("rare_recall", "rare_precision", "average_precision")
    )
    per = MEASURES["alarms_per_day" if "alarms_per_day" in measured else "alarms_per_1000_rows"]
    rows = f"{rare['rows']:,} rows of {rare_name(rare)}"
    alarms = f"{counted(rare['alarms'], 'alarm')} ({per.number(measured[per.key])} {per.name[7:]})"
    if not rare["alarms"]:
        opening = f"{first.model} raised no alarm and found none of the {rows}."
    else:
        opening = (
            f"{first.model} found {found} of the {rows}, with {alarms}, {right} of them right."
        )
    share = f"{100.0 * rare['share']:.2g} %"
    if "average_precision" not in measured:
        return [opening]
    little = ", so that accuracy says little" if rare["is_rare"] else ""
    return [
        opening,
        f"This class makes {share} of the labels{little}; ranked by probability, its average "
        f"precision is {ranked}, that of guessing {rare['share']:.2g}.",
    ]


def far_labels(first: Results) -> str:
    """Name the few labels of a run that are far from all others, and where they are."""
    far, along = first.far, StreamAxis.of(first)
    n, named = far["rows"], far["labels"]
    values = listed([f"{value:,.6g} ({times(often)})" for value, often in named])
    if sum(often for _, often in named) < n:
        values = f"from {far['least']:,.6g} to {far['greatest']:,.6g}"
    where = along.within(far["first"], far["last"]) if n > 1 else along.at(far["first"])
    return (
        f"{counted(n, 'label')} {'are' if n > 1 else 'is'} far from all others: {values}, {where}"
    )


def _far_sentences(first: Results, measure: Measure) -> list[str]:
    """Name the labels that are far from all others, and what is left without them."""
    if not first.far:
        return []
    mae, rmse = (measure.text(first.far[key]) for key in ("mae", "rmse"))
    return [f"{far_labels(first)}; without them MAE is {mae} and RMSE {rmse}."]


def _verdict(results: Sequence[Results], main: Measure) -> str:
    """Say whether the first model is the best, by every measure that tables of models show."""
    first, others = results[0], results[1:]
    shown = [*shown_measures(results), *rare_measures(results)]
    lost: dict[str, list[str]] = {}  # by the name of who is best
    behind, verdict = [], ""
    for measure in shown:
        best = first
        for run in others if measure.is_judged else ():
            best = run if _wins(run, best, measure) else best
        if best is first:
            continue
        value, most = (run.cumulative[measure.key] for run in (first, best))
        if measure.key == main.key:
            verdict = (
                f"{first.model} is not the best here: {best.model} is, with {main.text(most)}; "
                f"{first.model} loses by {_gap(value, most, main)}."
            )
        else:
            name = measure.name
            if measure.of_rare_class:
                name += (
                    " of the rare class"
                    if first.rare["is_rare"]
                    else f" of {rare_name(first.rare)}"
                )
            behind.append(name)
            texts = f"{name} ({measure.text(most)} against {measure.text(value)})"
            lost.setdefault(best.model, []).append(texts)
    if verdict:
        return f"{verdict} Others do better by {listed(behind)} too." if behind else verdict
    if not lost:
        return f"No model in the table does better than {first.model} by any measure."
    who = "; ".join(f"{model} does by {listed(texts)}" for model, texts in lost.items())
    return f"No model in the table does better than {first.model} by {main.name}, but {who}."


def _wins(run: Results, other: Results, measure: Measure) -> bool:
    """Whether a model is better than another by what is printed; what is not known is not."""
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
        "label": first.label if len(streams) == 1 else "",
        "inputs": some_of(first.inputs) if len(streams) == 1 else "",
        "seed" if len(seeds) == 1 else "seeds": ", ".join(map(str, seeds)),
        **first.origin,
    }
    if len(streams) > 1:
        hashes = {run.stream: run.origin.get("data", "") for run in results}
        facts["data"] = ", ".join(f"{s} {hashes[s][:DIGITS]}" for s in streams if hashes[s])
    return {name: fact for name, fact in facts.items() if fact}
