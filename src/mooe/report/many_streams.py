"""The comparison of models over many streams: ranks, tests, tables."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mooe.evaluate.measures import Measure, measure_of
from mooe.evaluate.ranks import LEVEL, compare_ranks
from mooe.evaluate.results import Results
from mooe.plots import plot_ranks
from mooe.report import page, sentences, tables


def write_comparison(
    folder: str | Path,
    results: Sequence[Results],
    title: str | None = None,
    *,
    measure: str | None = None,
) -> Path:
    """Write a comparison of models over streams: ranks, tables, a critical-difference diagram.

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
