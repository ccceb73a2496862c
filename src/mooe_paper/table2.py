"""Table 2: accuracy, precision and recall where concepts come back, Email and Spam."""

from itertools import product
from typing import Any

from mooe.evaluate.measures import TRIVIAL
from mooe_paper.accuracy.comparison import (
    COLUMNS,
    OWN_TITLE,
    PROTOCOL,
    RULE,
    accuracy,
    all_rows,
    comparison,
    mean,
    n_seeds,
    not_run,
    printed_as,
    streams_of,
)
from mooe_paper.accuracy.models import MODELS, SEEDS, model_experiments
from mooe_paper.accuracy.runs import run_model
from mooe_paper.experiment import Experiment, Record, Records, ResultTable, matching, no_figures
from mooe_paper.printed_numbers import RECURRING, ROUNDING

TITLE = "Table 2: recurring concepts, Email and Spam"
figures = no_figures
POSITIVE = 1  # Email: of interest to its reader; Spam: spam
MADE, MADE_ROWS = "recurring", 6_000


def _called_positive(record: Record) -> int:
    """Return how many rows were called positive."""
    return int(record["true_positive"] + record["false_positive"])


def _positive(record: Record) -> int:
    """Return how many rows are positive."""
    return int(record["true_positive"] + record["false_negative"])


def precision(record: Record) -> float | None:
    """Return how many of those that were called positive are, in percent."""
    n = _called_positive(record)
    return 100.0 * record["true_positive"] / n if n else None


def recall(record: Record) -> float | None:
    """Return how many of the positive were called so, in percent."""
    n = _positive(record)
    return 100.0 * record["true_positive"] / n if n else None


MEASURES = {"accuracy": accuracy, "precision": precision, "recall": recall}
SIZES = {
    "accuracy": all_rows,
    "precision": _called_positive,
    "recall": _positive,
}  # what each is a share of


def experiments(quick: bool) -> list[Experiment]:
    """Return every model on both streams."""
    n_seeds = 2 if quick else SEEDS
    planned = []
    if quick:
        rows = {"positive": POSITIVE, "max_rows": MADE_ROWS}
        planned += model_experiments(run_model, MADE, (), n_seeds, rows)
    for stream in ("Email",) if quick else RECURRING:
        planned += model_experiments(run_model, stream, (stream,), n_seeds, {"positive": POSITIVE})
    return planned


def tables(records: Records) -> list[ResultTable]:
    """Return paper against ours, the trivial models, and whether the printed rows are possible."""
    return [_comparison_table(records), _own_table(records), _share_table(records)]


def _comparison_table(records: Records) -> ResultTable:
    """Return a line for each stream, model and measure."""
    rows = []
    for stream, model in product(streams_of(records, RECURRING), MODELS):
        printed = RECURRING.get(stream, {}).get(printed_as(model), (None, None, None))
        for (name, measure), paper in zip(MEASURES.items(), printed, strict=True):
            line = comparison(
                matching(records, stream=stream, model=model), paper, measure, SIZES[name]
            )
            rows.append([stream, model, name, *line])
    note = (
        "In %; precision and recall are those of class 1: in Email a message of interest, in Spam "
        f"spam. The paper does not say which class is positive. Spread over {n_seeds(records)} "
        f"seeds. {PROTOCOL} Spam is a stand-in: the 499 words with the largest chi-square. {RULE}"
        f"{not_run(records)}"
    )
    return ResultTable("Paper and ours", ["stream", "model", "measure", *COLUMNS], rows, note)


def _own_table(records: Records) -> ResultTable:
    """Return a line for each stream and model, the trivial ones among them."""
    rows: list[list[Any]] = []
    for stream, model in product(streams_of(records, RECURRING), (*MODELS, *TRIVIAL)):
        runs = matching(records, stream=stream, model=model)
        if runs:
            values = [
                mean([value for run in runs if (value := measure(run)) is not None])
                for measure in MEASURES.values()
            ]
            rows.append([stream, model, *values])
    note = "In %, mean over seeds; no precision where class 1 was never answered."
    return ResultTable(OWN_TITLE, ["stream", "model", *MEASURES], rows, note)


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


def _share_table(records: Records) -> ResultTable:
    """Return the share of positives that every printed row implies, beside that of the data."""
    rows: list[list[Any]] = []
    for stream, printed in RECURRING.items():
        runs = matching(records, stream=stream, model="majority")
        data = _positive_share(runs[0]) if runs else None
        ranges = {model: share_range(row) for model, row in printed.items()}
        for model, (low, high) in ranges.items():
            rows.append([stream, model, low, high, data, share_verdict(low, high, data)])
        low = max(low for low, _ in ranges.values())
        high = min(high for _, high in ranges.values())
        word = "no share fits all rows" if low > high else "one share fits all rows"
        rows.append([stream, "all four rows", None, None, data, word])
    return ResultTable(
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


def _positive_share(record: Record) -> float:
    """Return the share of positives among the rows of a run, in percent."""
    return 100.0 * _positive(record) / int(record["rows"])


def share_verdict(low: float, high: float, data: float | None) -> str:
    """Say whether an implied share is that of the data, of one class or of the other."""
    if data is None:
        return ""
    if low <= data <= high:
        return "as in the data"
    if low <= 100.0 - data <= high:
        return "as in the data, classes swapped"
    return "contradicts the data"
