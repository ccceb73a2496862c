"""Options that several commands have, and what their text means."""

import re
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from mooe.cli.app import usage
from mooe.cli.outputs import place

__all__ = [
    "OUTPUT",
    "STREAM",
    "AsJson",
    "Delay",
    "Drop",
    "Jobs",
    "Label",
    "LabelProbability",
    "MaxRows",
    "Missing",
    "MissingCells",
    "Parameters",
    "Quiet",
    "ReportFolder",
    "Seed",
    "SkipBadRows",
    "Task",
    "TaskKind",
    "Time",
    "Window",
    "delay_of",
    "is_table",
    "parameters_of",
]

STREAM, LABELS, OUTPUT = "The stream", "When labels come", "Results"  # parts of the help
LONGEST, MOST_ROWS = timedelta.max, 2**53  # of a delay; beyond, rows are not told apart
UNITS = {"s": "seconds", "m": "minutes", "min": "minutes", "h": "hours", "d": "days", "w": "weeks"}


class TaskKind(StrEnum):
    """What labels are."""

    auto = "auto"
    classification = "classification"
    regression = "regression"


class MissingCells(StrEnum):
    """What becomes of cells without a value."""

    mean = "mean"
    error = "error"


Label = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column to predict; named streams know theirs.",
        rich_help_panel=STREAM,
    ),
]
Task = Annotated[
    TaskKind,
    typer.Option(
        metavar="KIND", help="auto, classification or regression.", rich_help_panel=STREAM
    ),
]
Time = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column of times: no input, but the clock of --delay 2h.",
        rich_help_panel=STREAM,
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Column to leave out; repeatable.", rich_help_panel=STREAM),
]
Parameters = Annotated[
    list[str] | None,
    typer.Option("--param", metavar="NAME=VALUE", help="Parameter of the model; repeatable."),
]
Delay = Annotated[
    str,
    typer.Option(
        metavar="N|2h|never",
        help="When labels come: after N rows, after a time, never.",
        rich_help_panel=LABELS,
    ),
]
LabelProbability = Annotated[
    float,
    typer.Option(
        metavar="P", help="Probability that a label comes at all.", rich_help_panel=LABELS
    ),
]
Window = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="ROWS",
        help="Rows per window of the windowed measures; by default 50 to 1,000.",
        rich_help_panel=OUTPUT,
    ),
]
MaxRows = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Stop after so many rows.", rich_help_panel=STREAM),
]
Seed = Annotated[
    int, typer.Option(min=0, max=2**31 - 1, metavar="N", help="Seed of everything random.")
]
SkipBadRows = Annotated[
    bool,
    typer.Option(
        "--skip-bad-rows",
        help="Leave out and count rows that cannot be read.",
        rich_help_panel=STREAM,
    ),
]
Missing = Annotated[
    MissingCells,
    typer.Option(
        help="Cells without a value: the mean so far, or an error.", rich_help_panel=STREAM
    ),
]
ReportFolder = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="FOLDER",
        parser=place("--report"),
        help="Write a report with figures.",
        rich_help_panel=OUTPUT,
    ),
]
AsJson = Annotated[
    bool,
    typer.Option(
        "--json", help="Print the result as JSON and nothing else.", rich_help_panel=OUTPUT
    ),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Show no progress.", rich_help_panel=OUTPUT)
]
Jobs = Annotated[int, typer.Option(min=1, help="Processes to work in.")]


def delay_of(text: str) -> int | timedelta | None:
    """Return rows, a time, or None for never."""
    if text.strip().lower() == "never":
        return None
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-z]+)\s*", text.lower())
    if found is not None and found[2] in UNITS:
        try:
            return timedelta(**{UNITS[found[2]]: float(found[1])})
        except OverflowError:
            usage("--delay", f"delay must be at most {LONGEST.days:,} days, got {text!r}")
    if re.fullmatch(r"\s*[0-9]+\s*", text) is None:
        rule = "must be a number of rows, a time such as 30s, 15m, 2h or 7d, or never"
        usage("--delay", f"delay {rule}, got {text!r}")
    if float(text) > MOST_ROWS:
        usage("--delay", f"delay must be at most {MOST_ROWS:,} rows, got {text!r}")
    return int(text)


def parameters_of(pairs: list[str] | None) -> dict[str, str]:
    """Return parameters by name, as text."""
    found: dict[str, str] = {}
    for pair in pairs or []:
        name, sign, value = pair.partition("=")
        if not sign or not name.strip():
            usage("--param", f"parameter must be name=value, got {pair!r}")
        found[name.strip()] = value.strip()
    return found


def is_table(source: str) -> bool:
    """Whether a source is the user's own, whose label has to be named."""
    from mooe.datasets.catalogue import MADE, NAMED

    return source not in NAMED and source not in MADE
