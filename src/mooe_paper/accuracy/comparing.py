"""Records of models on streams as rows of tables: the paper's number beside ours."""

from collections.abc import Callable, Iterable
from typing import Any

from mooe_paper.accuracy.verdicts import NOT_RUN, mean, spread, verdict
from mooe_paper.cells import Found

__all__ = [
    "COLUMNS",
    "MODELS",
    "PROTOCOL",
    "SAME",
    "SEEDS",
    "accuracy",
    "all_rows",
    "compared",
    "lacking",
    "listed",
    "n_seeds",
    "not_run",
    "of",
    "printed_as",
    "streams_of",
]

MODELS = ("learnpp-nse", "dtel", "condor", "mooe-paper", "mooe")
SEEDS = 3  # of a full run
COLUMNS = ["paper", "ours", "spread", "difference", "verdict"]
PROTOCOL = (
    "Our protocol: every row is answered, then learnt, and counts from the first on; inputs are "
    "scaled as they arrive, never over the whole stream."
)
SAME = {"mooe": "mooe-paper"}  # our default stands beside the paper's MOOE too
Measure = Callable[[dict[str, Any]], float | None]
Size = Callable[[dict[str, Any]], int]


def accuracy(record: dict[str, Any]) -> float | None:
    """Return the accuracy of a record in percent."""
    return 100.0 * record["accuracy"] if "accuracy" in record else None


def all_rows(record: dict[str, Any]) -> int:
    """Return the rows that an accuracy is a share of."""
    return int(record["rows"])


def of(found: Found, **wanted: Any) -> list[dict[str, Any]]:
    """Return the records that have these values."""
    return [
        record
        for record in found.values()
        if all(record.get(name) == value for name, value in wanted.items())
    ]


def lacking(found: Found, stream: str) -> str:
    """Return why there is no record of a stream, '' where there is one."""
    why = (record["missing"] for name, record in found.items() if name.startswith(f"{stream} ")
           and "missing" in record)  # fmt: skip
    return next(why, "")


def not_run(found: Found) -> str:
    """Return what could not be run and why, as the end of a note."""
    why = listed(record["missing"] for record in found.values() if "missing" in record)
    return f" Not run: {'; '.join(why)}." if why else ""


def n_seeds(found: Found) -> int:
    """Return how many seeds there are among the records."""
    return len({record["seed"] for record in found.values() if "seed" in record})


def listed(values: Iterable[Any]) -> list[Any]:
    """Return values in the order of their first appearance, once each."""
    return list(dict.fromkeys(values))


def streams_of(found: Found, printed: Iterable[str]) -> list[str]:
    """Return the streams that models were to be run on: those of the paper, then others."""
    ran = listed(record["stream"] for record in found.values() if record.get("model") in MODELS)
    named = [stream for stream in printed if stream in ran or lacking(found, stream)]
    return listed([*named, *ran])


def printed_as(model: str) -> str:
    """Return the model whose printed number a model is compared with."""
    return SAME.get(model, model)


def compared(
    records: list[dict[str, Any]],
    paper: float | None,
    measure: Measure = accuracy,
    size: Size = all_rows,
) -> list[Any]:
    """Return paper, ours, spread, difference and verdict, as in COLUMNS.

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
    ours, around = mean(values), spread(values)
    if ours is None:
        return [paper, None, None, None, NOT_RUN]
    apart = None if paper is None else ours - paper
    return [paper, ours, around, apart, verdict(paper, values, size(records[0]))]
