"""What the regimes are like: when they were here, their labels, what sets their inputs apart."""

from typing import Any

from mooe.evaluate.dates import StreamAxis
from mooe.evaluate.results import Results
from mooe.explanation import InputWeight, outcome_text
from mooe.report.returns import called
from mooe.report.tables import NONE, Cell, Table

MOST_VISITS = 3  # of a regime, the latest


def regimes_table(results: Results) -> tuple[Table, list[str]] | None:
    """Make a line for each regime that was known at the end, and notes; None without any."""
    if not results.concepts:
        return None
    along, classify = StreamAxis.of(results), results.task == "classification"
    rows = tuple(
        (
            Cell(called(regime)),
            Cell(_when(regime, along)),
            Cell(f"{sum(last - max(first, 0) + 1 for first, last in _inside(regime)):,}"),
            Cell(_labels(regime)),
            Cell(
                "; ".join(str(InputWeight(**found)) for found in regime.get("inputs", ())) or NONE
            ),
        )
        for regime in results.concepts
    )
    labels = "classes" if classify else "labels"
    notes = [
        "The latest visits of each; rows in its charge; the labels that it was recognised by; and "
        "the inputs whose weights differ most from those in the other regimes: what one standard "
        + (
            "deviation adds to the score of a class."
            if classify
            else "deviation adds to the value."
        )
    ]
    apart = "what sets it apart"
    return Table(("regime", "when", "rows", labels, apart), rows), notes


def _inside(regime: dict[str, Any]) -> list[tuple[int, int]]:
    """Return the visits of a regime, as far as they lie in the stream."""
    return [(first, last) for first, last in regime["visits"] if last >= 0]


def _when(regime: dict[str, Any], along: StreamAxis) -> str:
    """Return the latest visits of a regime."""
    visits = _inside(regime)
    texts = [along.short_span(max(first, 0), last) for first, last in visits[-MOST_VISITS:]]
    if regime["in_charge"] and texts:
        texts[-1] = f"now, since {along.point(max(visits[-1][0], 0))}"
    more = len(visits) - len(texts)
    return ", ".join([f"{more:,} times before", *texts] if more else texts) or NONE


def _labels(regime: dict[str, Any]) -> str:
    """Return the labels of a regime."""
    return outcome_text(regime.get("shares", ()), regime.get("mean")) or NONE
