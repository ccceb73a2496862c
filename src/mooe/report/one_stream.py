"""The report of a stream: how well it would have worked, and when the past came back."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from mooe.evaluate.measures import MEASURES, TRIVIAL_NAMES, Measure, main_measure
from mooe.evaluate.results import Results
from mooe.plots import (
    interval_rows,
    plot_memory,
    plot_recall,
    plot_regret,
    plot_windowed_results,
)
from mooe.report import page, regimes, returns, sentences, tables
from mooe.report.rare_class import rare_curves, rare_tables
from mooe.words import counted, listed

MOST_INTERVALS = 120  # marked in the figure of windows
REGIME_MAP = regimes.map_caption(
    "when the row was answered",
    "regimes without a name, recognised fewer than three times, or forgotten since",
)
INTERVAL_MAP = (
    "A line is a stretch of the past, its colour the weight of the experts fitted there, at each "
    "row of the stream; where a line lights up again below the diagonal, that past has come back. "
    "Blank: no expert yet, or it has left."
)


def write_report(
    folder: str | Path,
    results: Sequence[Results],
    without_memory: Results | None = None,
    title: str | None = None,
    *,
    marks: Iterable[float] | None = None,
) -> Path:
    """Write index.html, its figures as PNG, SVG and PDF, table.md and table.tex; return the page.

    The same results give the same bytes.

    Parameters
    ----------
    folder : path
        Made if there is none; files of the same names are replaced.
    results : sequence of Results
        Of one stream; the first is the one that the report is about. no-change and majority (the
        mean) are in the table whether they are among them or not.
    without_memory : Results, optional
        Of the same learner without its memory.
    title : str, optional
        By default model and stream.
    marks : iterable of float, optional
        Rows at which the stream is known to change; by default, in paper mode, the intervals, if
        they are few.
    """
    if not results:
        raise ValueError("results must hold at least one Results, got none")
    kinds = sorted({(run.stream, run.task) for run in results})
    if len(kinds) > 1:
        raise ValueError(f"results must be of one stream and task, got {kinds}")
    first, everyone = results[0], [*results]
    if without_memory is not None and all(run is not without_memory for run in results):
        everyone.append(without_memory)
    everyone = tables.with_trivial(everyone)
    table, along = tables.results_table(everyone), main_measure(first.task, first.unit)
    along = MEASURES["median_error"].in_unit(first.unit) if first.far else along
    path = page.open_report(folder, table)
    blocks = [
        page.answer("How well would it have worked?", sentences.how_well(everyone)),
        page.tiles(_key_figures(everyone, along, without_memory)),
        page.answer("When did the past come back?", returns.sentences(first)),
        *rare_tables(everyone),
        page.table_block("models", "All models", table, _notes(everyone)),
    ]
    if first.moments and first.concepts:
        told = regimes.regime_cards(first), regimes.regime_note(first)
        blocks.append(page.cards("concepts", "The regimes", *told))
    returned = returns.returns_table(first, without_memory, along)
    if returned is not None:
        section = "regimes" if first.remembers == "regimes" else "returns"
        blocks.append(page.table_block(section, "Returns of the past", *returned))
    blocks += _pictures(path, everyone, without_memory, None if marks is None else list(marks))
    sizes = [counted(first.features, "feature")]
    if first.task == "classification":
        sizes.append(counted(len(first.classes), "class"))
    under = ", ".join([sentences.extent(first), *sizes])
    heading = title or f"{first.model} on {first.stream}"
    return page.write_page(path, heading, under, blocks, sentences.foot(results))


def _pictures(
    folder: Path, everyone: list[Results], without: Results | None, marks: list[float] | None
) -> list[str]:
    """Draw every figure for which there are numbers; return them in HTML."""
    first = everyone[0]
    along = "median_error" if first.far else None  # what labels far from all others do not swamp
    out = rare_curves(folder, everyone)
    if not (out and first.rare["is_rare"]):
        out += _windows(folder, everyone, along, marks)
    of_regimes = first.remembers == "regimes"
    if any(moment.names for moment in first.moments):
        out.append(page.draw(
            folder, "recall", "The recall map", REGIME_MAP if of_regimes else INTERVAL_MAP,
            plot_recall, first, marks=marks,
        ))  # fmt: skip
    if without is not None and without.windows:
        who = "the memory helps, hatched below zero it hurts"
        if not of_regimes:
            who = "the offline experts help, hatched below zero they hurt"
        out.append(page.draw(
            folder, "memory", "Memory against no memory",
            f"{first.model} minus {without.model} in every window: above zero {who}.",
            plot_memory, first, without, measure=along, marks=marks,
        ))  # fmt: skip
    if first.regrets:
        out.append(page.draw(
            folder, "regret", "Regret and its bound",
            "What each interval cost more than the best fixed expert found afterwards; "
            "the theorem promises that the mixture stays below the bound.",
            plot_regret, first,
        ))  # fmt: skip
    return out


def _windows(
    folder: Path, everyone: list[Results], along: str | None, marks: list[float] | None
) -> list[str]:
    """Draw a measure along the stream; nothing without windows."""
    first, drawn = everyone[0], [run for run in everyone if run.windows]
    if not drawn:
        return []
    spans = {} if first.remembers == "regimes" else interval_rows(first)
    ends = [last + 1.0 for _, last in spans.values() if last >= 0]
    shown, what = ends if 0 < len(ends) <= MOST_INTERVALS else None, "ends of intervals"
    if marks is not None:
        shown, what = marks, "known changes of the stream"
    caption = sentences.window_caption(first, what if shown else "")
    return [page.draw(
        folder, "windows", "Along the stream", caption,
        plot_windowed_results, *drawn, measure=along, marks=shown,
    )]  # fmt: skip


def _key_figures(
    everyone: Sequence[Results], measure: Measure, without: Results | None
) -> list[tuple[str, str, str]]:
    """Fill the tiles: the measure, and the gains over others."""
    first = everyone[0]
    value = first.cumulative.get(measure.key, np.nan)
    if not np.isfinite(value):
        return []
    is_named = measure.unit == "%" or measure.has_own_unit
    unit = measure.unit if is_named else ""
    keys = ["cost"] if first.costs else []
    if first.rare:
        keys += ["average_precision", "rare_recall", "rare_precision"]
    shown = [MEASURES[key] for key in keys if key in first.cumulative]
    out = [(each.name, each.number(first.cumulative[each.key]), each.unit) for each in shown]
    if first.rare and first.costs:
        return out
    out.append((measure.name, measure.number(value), unit))
    if first.rare:
        return out
    other_error = MEASURES.get({"mae": "median_error", "median_error": "mae"}.get(measure.key, ""))
    if other_error is not None and other_error.key in first.cumulative:
        out.append((other_error.name, other_error.number(first.cumulative[other_error.key]), unit))
    others = [(run.model, run) for run in everyone if run.model in TRIVIAL_NAMES]
    if without is not None:
        others.append(("no memory", without))
    for name, run in others:
        other = run.cumulative.get(measure.key, np.nan)
        if run is not first and np.isfinite(other):
            text = measure.signed(measure.gain(value, other), like=value)
            out.append((f"gain over {name}", text, measure.difference_unit if is_named else ""))
    return out


def _notes(everyone: Sequence[Results]) -> list[str]:
    """Say what the table of models does not."""
    first = everyone[0]
    out = [sentences.BOLD]
    if first.task == "classification":
        out.append("Macro F1: the mean of the F1 of all classes, each counting the same.")
    elif not first.unit:
        out.append(f"Errors are in the unit of {first.label or 'the label'}.")
    out += [text for text in (sentences.unanswered_sentence(first),) if text]
    out += [sentences.fits_sentence(run) for run in everyone if run.fits]
    derived = [run for run in everyone if run.model in TRIVIAL_NAMES and not run.windows]
    if derived:
        known = ", known from kappa only" if any(run.cumulative for run in derived) else ""
        out.append(f"Not run{known}: {listed([run.model for run in derived])}.")
    metered = [run.model for run in everyone if run.regrets]
    if metered:
        out.append(f"The time of {listed(metered)} includes that of measuring its regrets.")
    ran = [run for run in everyone if run.windows]
    if len({run.rows for run in ran}) > 1:
        rows = listed([f"{run.model} {run.rows:,}" for run in ran])
        out.append(f"The models saw different numbers of rows: {rows}.")
    stopped = [run.model for run in ran if run.interrupted]
    if stopped:
        out.append(f"Interrupted before the end of the stream: {listed(stopped)}.")
    return out
