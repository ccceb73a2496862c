"""The comparison of models: over many streams ranks and tests, on one curves and times."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mooe.evaluate.measures import MEASURES, TRIVIAL_NAMES, Measure, measure_of
from mooe.evaluate.ranks import LEVEL, compare_ranks
from mooe.evaluate.results import Results
from mooe.plots import plot_ranks, plot_windowed_results
from mooe.report import page, sentences, tables
from mooe.report.rare_class import rare_curves, rare_tables
from mooe.words import listed


def write_comparison(
    folder: str | Path,
    results: Sequence[Results],
    title: str | None = None,
    *,
    measure: str | None = None,
) -> Path:
    """Write a comparison of models over streams: ranks, tables, a critical-difference diagram.

    On a single stream, where ranks tell nothing, the curves of all models and their times.

    Parameters
    ----------
    folder, title
        As in `write_report`.
    results : sequence of Results
        One of each stream, model and repeat, in any order.
    measure : str, optional
        What is compared; by default accuracy, in regression MAE.
    """
    tasks = sorted({run.task for run in results})
    if len(tasks) != 1:
        raise ValueError(f"results must be of one task, at least one of them, got {tasks}")
    compared = measure_of(results, measure)
    scores = _scores(results, compared)
    if len(scores) == 1:
        return _write_one_stream(folder, results, compared, title)
    means = {
        stream: {model: float(np.mean(values)) for model, values in row.items()}
        for stream, row in scores.items()
    }
    ranks = compare_ranks(means, compared.higher_is_better)
    table = tables.scores_table(scores, compared, ranks)
    path = page.open_report(folder, table)
    diagram = page.draw(
        path, "ranks", "Critical-difference diagram",
        f"Models by mean rank; a bar joins models of which no two differ significantly "
        f"(Wilcoxon signed-rank test, Holm's correction, p < {LEVEL:g}).",
        plot_ranks, ranks,
    )  # fmt: skip
    repeats = max(len(values) for row in scores.values() for values in row.values())
    note = "Best of each line in bold."
    if repeats > 1:
        note = f"Mean ± standard deviation over {repeats} repeats; best of each line in bold."
    outcome = sentences.outcome(ranks, len(scores) - ranks.n_streams, LEVEL)
    small = "Small values say that the difference is more than chance."
    chance = "Is a difference more than chance?"
    blocks = [
        page.answer("Which model is best?", outcome),
        diagram,
        page.table_block("scores", f"Every stream: {compared.heading}", table, [note]),
        page.table_block("tests", chance, tables.p_table(ranks), [small]),
    ]
    heading = title or f"{len(ranks.models)} models on {len(scores)} streams"
    return page.write_page(path, heading, ", ".join(scores), blocks, sentences.foot(results))


def _write_one_stream(
    folder: str | Path, results: Sequence[Results], compared: Measure, title: str | None
) -> Path:
    """Write a comparison on a single stream, where ranks say nothing: curves, measures, times."""
    seeds = sorted({run.seed for run in results})
    first = tables.with_trivial([run for run in results if run.seed == seeds[0]])
    table = tables.results_table(first)
    path = page.open_report(folder, table)
    note = sentences.BOLD
    blocks = [page.answer("Which model is best?", _best_of(first, compared)), *rare_tables(first)]
    curves = rare_curves(path, first)
    drawn = [run for run in first if run.windows]
    if curves and first[0].rare["is_rare"]:
        blocks += curves  # instead of lines that all touch 99 %
    elif drawn:
        blocks += curves
        caption = sentences.window_caption(drawn[0])
        of_main = {} if compared.key not in drawn[0].cumulative else {"measure": compared.key}
        blocks.append(page.draw(
            path, "windows", "Along the stream", caption, plot_windowed_results, *drawn, **of_main
        ))  # fmt: skip
    if len(seeds) > 1:
        note += f" Of the first of {len(seeds)} repeats, seed {seeds[0]}."
    blocks.append(page.table_block("models", "All models", table, [note]))
    if len(seeds) > 1:
        spread = tables.repeats_table(_scores(results, compared), compared)
        every = f"All repeats: {compared.heading}"
        blocks.append(page.table_block("repeats", every, spread, []))
    under = sentences.extent(first[0])
    heading = title or f"{len(first)} models on {first[0].stream}"
    return page.write_page(path, heading, under, blocks, sentences.foot(results))


def _best_of(results: Sequence[Results], measure: Measure) -> list[str]:
    """Say which model is best on a stream, by how much, and how long it took, in sentences.

    Where a class is rare, by how well its rows are ranked first.
    """
    out, rare = [], results[0].rare
    if rare and rare["is_rare"]:
        name, ranked = sentences.rare_name(rare), MEASURES["average_precision"]
        share = f"{100.0 * rare['share']:.2g} %"
        out = [
            *_leaders(results, ranked),
            f"{name[0].upper()}{name[1:]} makes {share} of the labels, so that accuracy says "
            "little; average precision tells how well its rows are ranked.",
        ]
    known = [run for run in results if np.isfinite(run.cumulative.get(measure.key, np.nan))]
    if not known:
        return ["No row had a label to judge the models by."]
    out += _leaders(known, measure)
    slow = [run for run in known if run.seconds and run.model not in TRIVIAL_NAMES]
    if len(slow) > 1:
        quick, long = (choose(slow, key=lambda run: run.seconds) for choose in (min, max))
        out.append(
            f"{quick.model} took least time, {quick.seconds:.2f} seconds, and {long.model} most, "
            f"{long.seconds:.2f}."
        )
    out.append("One stream cannot tell whether a difference is more than chance: compare several.")
    return out


def _leaders(results: Sequence[Results], measure: Measure) -> list[str]:
    """Say which model is best by a measure, and by how much."""
    known = [run for run in results if np.isfinite(run.cumulative.get(measure.key, np.nan))]
    values = {run.model: run.cumulative[measure.key] for run in known}
    ordered = sorted(values, key=lambda model: -measure.gain(values[model], 0.0))
    if not ordered:
        return []
    best, text = ordered[0], measure.text(values[ordered[0]])
    alike = [model for model in ordered if measure.text(values[model]) == text]
    has = f"{listed(alike)} share" if len(alike) > 1 else f"{best} has"
    out = [f"{has} the best {measure.name}, {text}."]
    rest = [model for model in ordered if model not in alike]
    if rest:
        more = sentences.difference(values[best], values[rest[0]], measure)
        out.append(f"That is {more} {rest[0]}, {measure.text(values[rest[0]])}.")
    return out


def _scores(results: Sequence[Results], measure: Measure) -> dict[str, dict[str, list[float]]]:
    """Gather the measure of every repeat by stream and model, the trivial models among them."""
    scores: dict[str, dict[str, list[float]]] = {}
    for stream in dict.fromkeys(run.stream for run in results):
        here = tables.with_trivial([run for run in results if run.stream == stream])
        scores[stream] = {}
        for run in here:
            if measure.key in run.cumulative:
                scores[stream].setdefault(run.model, []).append(run.cumulative[measure.key])
    return scores
