"""Table 2: accuracy, precision and recall where concepts come back, Email and Spam."""

from itertools import product
from typing import TYPE_CHECKING, Any

from mooe_paper.accuracy.comparing import (
    COLUMNS,
    MODELS,
    PROTOCOL,
    SEEDS,
    accuracy,
    all_rows,
    compared,
    n_seeds,
    not_run,
    of,
    printed_as,
    streams_of,
)
from mooe_paper.accuracy.judged import TRIVIAL, cost_of, judged, seeds_of
from mooe_paper.accuracy.published import RECURRING, ROUNDING
from mooe_paper.accuracy.verdicts import RULE, mean
from mooe_paper.cells import Cell, Found, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["TITLE", "cells", "figures", "implied_share", "tables"]

TITLE = "Table 2: recurring concepts, Email and Spam"
POSITIVE = 1  # Email: of interest to its reader; Spam: spam
MADE, MADE_ROWS = "recurring", 6_000


def called(record: dict[str, Any]) -> int:
    """Return how many rows were called positive."""
    return int(record["true_positive"] + record["false_positive"])


def there(record: dict[str, Any]) -> int:
    """Return how many rows are positive."""
    return int(record["true_positive"] + record["false_negative"])


def precision(record: dict[str, Any]) -> float | None:
    """Return how many of those that were called positive are, in percent."""
    n = called(record)
    return 100.0 * record["true_positive"] / n if n else None


def recall(record: dict[str, Any]) -> float | None:
    """Return how many of the positive were called so, in percent."""
    n = there(record)
    return 100.0 * record["true_positive"] / n if n else None


MEASURES = {"accuracy": accuracy, "precision": precision, "recall": recall}
SIZES = {"accuracy": all_rows, "precision": called, "recall": there}  # what each is a share of


def cells(quick: bool) -> list[Cell]:
    """Return every model on both streams."""
    streams = [(MADE, False), ("Email", True)] if quick else [(name, True) for name in RECURRING]
    out = []
    for stream, named in streams:
        for model in (*MODELS, *TRIVIAL):
            for seed in seeds_of(model, 2 if quick else SEEDS):
                arguments: dict[str, Any] = {
                    "stream": stream, "model": model, "seed": seed, "positive": POSITIVE,
                }  # fmt: skip
                if not named:
                    arguments["max_rows"] = MADE_ROWS
                needs = (stream,) if named else ()
                cost = cost_of(stream, model)
                out.append(Cell(f"{stream} {model} seed {seed}", judged, arguments, needs, cost))
    return out


def tables(found: Found) -> list[Table]:
    """Return paper against ours, the trivial models, and whether the printed rows are possible."""
    return [compared_table(found), own_table(found), share_table(found)]


def compared_table(found: Found) -> Table:
    """Return a line for each stream, model and measure."""
    rows = []
    for stream, model in product(streams_of(found, RECURRING), MODELS):
        printed = RECURRING.get(stream, {}).get(printed_as(model), (None, None, None))
        for (name, measure), paper in zip(MEASURES.items(), printed, strict=True):
            line = compared(of(found, stream=stream, model=model), paper, measure, SIZES[name])
            rows.append([stream, model, name, *line])
    note = (
        "In %; precision and recall are those of class 1: in Email a message of interest, in Spam "
        f"spam. The paper does not say which class is positive. Spread over {n_seeds(found)} "
        f"seeds. {PROTOCOL} Spam is a stand-in: the 499 words with the largest chi-square. {RULE}"
        f"{not_run(found)}"
    )
    return Table("Paper and ours", ["stream", "model", "measure", *COLUMNS], rows, note)


def own_table(found: Found) -> Table:
    """Return a line for each stream and model, the trivial ones among them."""
    rows: list[list[Any]] = []
    for stream, model in product(streams_of(found, RECURRING), (*MODELS, *TRIVIAL)):
        records = of(found, stream=stream, model=model)
        if records:
            values = [
                mean([value for one in records if (value := measure(one)) is not None])
                for measure in MEASURES.values()
            ]
            rows.append([stream, model, *values])
    note = "In %, mean over seeds; no precision where class 1 was never answered."
    return Table("Ours, with the trivial models", ["stream", "model", *MEASURES], rows, note)


def implied_share(accuracy: float, precision: float, recall: float) -> float:
    """Return the share of positives that accuracy, precision and recall of one run fix.

    Of share s, recall * s are found; of those called positive, found / precision, the rest is
    wrong, as is what was not found: 1 - accuracy = s (1 + recall / precision - 2 recall).

    Parameters
    ----------
    accuracy, precision, recall : float
        In percent.

    Examples
    --------
    >>> implied_share(75.0, 50.0, 50.0)  # of four rows one is positive: half found is no whole row
    0.25
    """
    wrong = 1.0 + recall / precision - 2.0 * recall / 100.0
    return (1.0 - accuracy / 100.0) / wrong


def share_range(printed: tuple[float, float, float]) -> tuple[float, float]:
    """Return the least and the largest share of positives that a printed row allows."""
    near = [(value - ROUNDING, min(value + ROUNDING, 100.0)) for value in printed]
    shares = [implied_share(*corner) for corner in product(*near)]
    return 100.0 * min(shares), 100.0 * max(shares)


def share_table(found: Found) -> Table:
    """Return the share of positives that every printed row implies, beside that of the data."""
    rows: list[list[Any]] = []
    for stream, printed in RECURRING.items():
        ran = of(found, stream=stream, model="majority")
        data = positive_share(ran[0]) if ran else None
        ranges = {model: share_range(row) for model, row in printed.items()}
        for model, (low, high) in ranges.items():
            rows.append([stream, model, low, high, data, share_verdict(low, high, data)])
        low = max(low for low, _ in ranges.values())
        high = min(high for _, high in ranges.values())
        word = "no share fits all rows" if low > high else "one share fits all rows"
        rows.append([stream, "all four rows", None, None, data, word])
    return Table(
        "The share of positives that the printed rows imply",
        ["stream", "model", "least", "largest", "in the data", "verdict"],
        rows,
        "In %. Accuracy, precision and recall of one row fix the share s of positives: 1 - "
        "accuracy = s (1 + recall / precision - 2 recall); least and largest allow for the "
        "rounding of the printed numbers. All rows of a stream are about the same messages, so the "
        "shares must agree, if all three figures are counted over the whole stream and precision "
        "and recall are those of one class. Averages over intervals or over both classes fix no "
        "share; the paper does not say how it took them.",
    )


def positive_share(record: dict[str, Any]) -> float:
    """Return the share of positives among the rows of a run, in percent."""
    return 100.0 * there(record) / int(record["rows"])


def share_verdict(low: float, high: float, data: float | None) -> str:
    """Return whether an implied share is that of the data, of one class or of the other."""
    if data is None:
        return ""
    if low <= data <= high:
        return "as in the data"
    if low <= 100.0 - data <= high:
        return "as in the data, classes swapped"
    return "contradicts the data"


def figures(found: Found, theme: str = "light") -> "dict[str, Figure]":
    """Return nothing: a table is not drawn."""
    return {}
