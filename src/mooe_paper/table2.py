"""Table 2: accuracy, precision and recall where concepts come back, Email and Spam."""

from itertools import product
from typing import Any

from mooe.evaluate.measures import TRIVIAL
from mooe_paper.accuracy.comparison import (
    COLUMNS,
    HOLDS,
    OWN_TITLE,
    PROTOCOL,
    RULE,
    Measure,
    Size,
    accuracy,
    all_rows,
    mean,
    n_seeds,
    not_run,
    printed_as,
    streams_of,
)
from mooe_paper.accuracy.models import MODELS, PAPER_MODELS, SEEDS, model_experiments
from mooe_paper.accuracy.runs import run_model, run_setting
from mooe_paper.accuracy.sweep import (
    Printed,
    allowance,
    compared,
    runs_of,
    settings_table,
    sweep_experiments,
    sweep_table,
    table_settings,
)
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


def _of_other_class(measure: Measure) -> Measure:
    """Return a measure with the other class as the positive one."""
    return lambda record: measure(_swapped(record))


def _of_both(measure: Measure) -> Measure:
    """Return the mean of a measure over both classes; None where one has none."""

    def middle(record: Record) -> float | None:
        one, other = measure(record), measure(_swapped(record))
        return None if one is None or other is None else (one + other) / 2.0

    return middle


def _swapped(record: Record) -> Record:
    """Return a record with the two classes in each other's place."""
    swaps = {"positive": "negative", "negative": "positive"}
    counts = {
        f"{right}_{swaps[kind]}": record[f"{right}_{kind}"]
        for right, kind in product(("true", "false"), swaps)
    }
    return {**record, **counts}


READINGS: dict[str, dict[str, Measure]] = {  # of precision and recall
    "class 1": {"precision": precision, "recall": recall},
    "class 0": {"precision": _of_other_class(precision), "recall": _of_other_class(recall)},
    "mean of both": {"precision": _of_both(precision), "recall": _of_both(recall)},
}
MEASURES: dict[str, Measure] = {"accuracy": accuracy, **READINGS["class 1"]}
SIZES: dict[str, Size] = {
    "accuracy": all_rows,
    "precision": _called_positive,
    "recall": _positive,
}  # what each is a share of


def experiments(quick: bool) -> list[Experiment]:
    """Return every model on both streams, and every setting of what is unknown."""
    n_seeds = 2 if quick else SEEDS
    planned = []
    if quick:
        rows = {"positive": POSITIVE, "max_rows": MADE_ROWS}
        planned += model_experiments(run_model, MADE, (), n_seeds, rows)
        planned += sweep_experiments(run_setting, MADE, (), quick, rows)
    for stream in ("Email",) if quick else RECURRING:
        rows = {"positive": POSITIVE}
        planned += model_experiments(run_model, stream, (stream,), n_seeds, rows)
        planned += sweep_experiments(run_setting, stream, (stream,), quick, rows)
    return planned


def tables(records: Records) -> list[ResultTable]:
    """Return paper against ours, the trivial models, the sweeps, whether rows are possible."""
    numbers = printed_numbers(records)
    columns = ["stream", "measure"]
    return [
        _comparison_table(records, numbers),
        _own_table(records),
        settings_table(numbers),
        *(sweep_table(numbers, model, f"{model}, swept", columns) for model in PAPER_MODELS),
        _reading_table(records),
        _share_table(records),
    ]


def printed_numbers(records: Records, reading: str = "class 1") -> list[Printed]:
    """Return every number of the table, with our runs for it, by a reading of two measures."""
    measures = {"accuracy": accuracy, **READINGS[reading]}
    numbers = []
    for stream, model in product(streams_of(records, RECURRING), MODELS):
        printed = RECURRING.get(stream, {}).get(printed_as(model), (None, None, None))
        runs = runs_of(records, model, stream=stream)
        for (name, measure), paper in zip(measures.items(), printed, strict=True):
            numbers.append(Printed((stream, name), model, paper, runs, measure, SIZES[name]))
    return numbers


def _comparison_table(records: Records, numbers: list[Printed]) -> ResultTable:
    """Return a line for each stream, model and measure."""
    taken = table_settings(numbers)
    rows = [[n.of[0], n.model, n.of[1], *n.line(taken.get(n.model, ""))] for n in numbers]
    note = (
        "In %; precision and recall are those of class 1: in Email a message of interest, in Spam "
        f"spam. The paper does not say which class is positive. Spread over {n_seeds(records)} "
        f"seeds. {PROTOCOL} Spam is a stand-in: the 499 words with the largest chi-square over all "
        "labels, those to come included, which helps every method that sees them. "
        f"{RULE} {allowance(numbers)}{not_run(records)}"
    )
    return ResultTable("Paper and ours", ["stream", "model", "measure", *COLUMNS], rows, note)


def _reading_table(records: Records) -> ResultTable:
    """Return how many printed numbers hold by other readings of precision and recall."""
    rows: list[list[Any]] = []
    for reading in READINGS:
        numbers = printed_numbers(records, reading)
        taken = table_settings(numbers)
        for model, setting in taken.items():
            own = compared([number for number in numbers if number.model == model])
            default = next(iter(own[0].runs)) if own else ""
            hold = [sum(n.verdict(name) == HOLDS for n in own) for name in (default, setting)]
            shares = [f"{n} of {len(own)}" for n in hold]
            rows.append([reading, model, shares[0], setting, shares[1]])
    return ResultTable(
        "Whose precision and recall",
        ["positive", "model", "hold at our default", "setting", "hold there"],
        rows,
        "How many of the printed numbers hold if precision and recall are those of class 1, as "
        "above, of class 0, or the mean of both. The setting is the one that fits best by that "
        "reading.",
    )


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
