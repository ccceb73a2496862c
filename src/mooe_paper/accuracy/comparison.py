"""The paper's number beside ours: rows of tables from records, and the verdict, by a rule."""

import math
from collections.abc import Callable, Iterable
from typing import Any

from mooe_paper.accuracy.models import MODELS
from mooe_paper.experiment import Record, Records, unique

NOT_RUN = "not run"
HOLDS = "holds"
FITTED = "verdict there"  # with the one setting of the method for the table
COLUMNS = ["paper", "ours", "spread", "difference", "verdict", "at its setting", FITTED]
OWN_TITLE = "Ours, with the trivial models"
BATCH_TITLE = "Batch references"
TOLERANCE = 2.0  # points
RULE = (
    f"Verdict: holds where ours is within {TOLERANCE:g} points of the paper, or within two "
    "standard errors where that is more; otherwise ours is higher or lower. The standard error is "
    "that of the mean over seeds where there are several, otherwise that of a share of the rows it "
    "is taken of."
)
PROTOCOL = (
    "Our protocol: every row is answered, then learnt, and counts from the first on; inputs are "
    "scaled as they arrive, never over the whole stream."
)
SAME = {"mooe": "mooe-paper"}  # our default stands beside the paper's MOOE too
Measure = Callable[[Record], float | None]
Size = Callable[[Record], int]


def accuracy(record: Record) -> float | None:
    """Return the accuracy of a record in percent."""
    return 100.0 * record["accuracy"] if "accuracy" in record else None


def all_rows(record: Record) -> int:
    """Return the rows that an accuracy is a share of."""
    return int(record["rows"])


def comparison(
    records: list[Record],
    paper: float | None,
    measure: Measure = accuracy,
    size: Size = all_rows,
) -> list[Any]:
    """Return paper, ours, spread, difference and verdict: the first of COLUMNS.

    Parameters
    ----------
    records : list of dict
        One for each seed.
    paper : float or None
    measure : callable
        The number in percent of a record, None where it has none.
    size : callable
        How many rows of a record that number is a share of.
    """
    values = [value for record in records if (value := measure(record)) is not None]
    ours = mean(values)
    if ours is None:
        return [paper, None, None, None, NOT_RUN]
    difference = None if paper is None else ours - paper
    return [paper, ours, spread(values), difference, verdict(paper, values, size(records[0]))]


def verdict(paper: float | None, values: list[float], n_rows: int) -> str:
    """Return 'holds', 'ours higher' or 'ours lower' by `RULE`; '' where one of both is not known.

    Parameters
    ----------
    paper : float or None
        In percent.
    values : list of float
        Ours, one for each seed, in percent.
    n_rows : int
        Rows that a value is a share of.

    Examples
    --------
    >>> verdict(80.0, [81.9], 10_000), verdict(80.0, [77.0], 10_000)
    ('holds', 'ours lower')
    """
    ours, around = mean(values), spread(values)
    if paper is None or ours is None:
        return ""
    error = standard_error(ours, n_rows) if around is None else around / math.sqrt(len(values))
    if abs(ours - paper) <= max(TOLERANCE, 2.0 * error):
        return HOLDS
    return "ours higher" if ours > paper else "ours lower"


def reach(paper: float, best: float, n_rows: int) -> str:
    """Say whether a printed accuracy lies above the best of the batch learners.

    'above batch': by more than two standard errors of a share of so many rows; 'barely above': by
    less; otherwise 'within reach'.

    Examples
    --------
    >>> reach(97.1, 94.7, 1_500), reach(95.0, 94.7, 1_500), reach(94.0, 94.7, 1_500)
    ('above batch', 'barely above', 'within reach')
    """
    if paper <= best:
        return "within reach"
    return "above batch" if paper - best > 2.0 * standard_error(best, n_rows) else "barely above"


def standard_error(percent: float, n: int) -> float:
    """Return the standard error of a share of n rows, in points.

    >>> round(standard_error(50.0, 10_000), 3)
    0.5
    """
    share = min(max(percent / 100.0, 0.0), 1.0)
    return 100.0 * math.sqrt(share * (1.0 - share) / n)


def mean(values: list[float]) -> float | None:
    """Return the mean; None of nothing."""
    return math.fsum(values) / len(values) if values else None


def spread(values: list[float]) -> float | None:
    """Return the standard deviation over seeds; None where there is one seed."""
    if len(values) < 2:
        return None
    middle = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1))


def missing_reason(records: Records, stream: str) -> str:
    """Return why there is no record of a stream, '' where there is one."""
    reasons = [
        record["missing"]
        for name, record in records.items()
        if name.startswith(f"{stream} ") and "missing" in record
    ]
    return reasons[0] if reasons else ""


def not_run(records: Records) -> str:
    """Return what could not be run and why, as the end of a note."""
    reasons = unique(record["missing"] for record in records.values() if "missing" in record)
    return f" Not run: {'; '.join(reasons)}." if reasons else ""


def n_seeds(records: Records) -> int:
    """Return how many seeds there are among the records."""
    return len({record["seed"] for record in records.values() if "seed" in record})


def streams_of(records: Records, printed: Iterable[str]) -> list[str]:
    """Return the streams that models were to be run on: those of the paper, then others."""
    ran = unique(record["stream"] for record in records.values() if record.get("model") in MODELS)
    named = [stream for stream in printed if stream in ran or missing_reason(records, stream)]
    return unique([*named, *ran])


def printed_as(model: str) -> str:
    """Return the model whose printed number a model is compared with."""
    return SAME.get(model, model)
