"""What is said of a class that is rare or matters more: found, missed, at which price."""

from collections.abc import Sequence
from pathlib import Path

from mooe.evaluate.results import Results
from mooe.plots import plot_precision_recall
from mooe.report import page, sentences, tables


def rare_tables(everyone: Sequence[Results]) -> list[str]:
    """Write what every model made of the class, and what thresholds of the first would give."""
    first = everyone[0]
    if not first.rare:
        return []
    name, share = sentences.rare_name(first.rare), f"{100.0 * first.rare['share']:.3g} %"
    notes = [
        f"{first.rare['rows']:,} of {first.judged:,} rows, {share} of all labels, are of this "
        "class. An alarm is an answer that names it; precision, recall and F1 are of this class "
        "alone. Average precision: of the probabilities, whatever the threshold."
    ]
    rare = tables.rare_table(everyone)
    heading = f"The rare class: {name}" if first.rare["is_rare"] else f"Of {name}"
    blocks = [page.table_block("rare", heading, rare, notes)]
    thresholds = tables.threshold_table(first)
    if thresholds is not None:
        heading = f"What a threshold for {name} would have given"
        note = f"Of {first.model}: {name} is answered where its probability is at least so much."
        blocks.append(page.table_block("thresholds", heading, thresholds, [note]))
    return blocks


def rare_curves(folder: Path, everyone: Sequence[Results]) -> list[str]:
    """Draw precision against recall of the class; nothing where no model was ranked by it."""
    first, ranked = everyone[0], [run for run in everyone if run.rare.get("curve")]
    if not (ranked and first.rare):
        return []
    name = sentences.rare_name(first.rare)
    caption = (
        f"What every threshold for {name} would have found of it, and how many of the alarms would "
        "have been right; the mark is what was answered. Models without probabilities have only "
        "their mark."
    )
    heading = f"Precision and recall of {name}"
    return [page.draw(folder, "precision_recall", heading, caption, plot_precision_recall, *ranked)]
