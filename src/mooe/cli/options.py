"""Options that several commands have, and what their text means.

A group of options is a dataclass whose fields are options; a command with `with_options` takes the
group as one parameter. The fields of `StreamOptions` and `ReadingOptions` are arguments of
`mooe.datasets.open_stream`, those of `EvaluationOptions` are fields of `mooe.run.plan.Plan`: both
are handed on by their names, so an option is declared here, carried by the plan, and used where it
acts.
"""

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, is_dataclass
from datetime import timedelta
from enum import StrEnum
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from mooe.cli.app import usage
from mooe.cli.outputs import place

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


@dataclass(frozen=True)
class StreamOptions:
    """Which columns and rows of a stream are taken."""

    label: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column to predict; named streams know theirs.",
            rich_help_panel=STREAM,
        ),
    ] = None
    task: Annotated[
        TaskKind,
        typer.Option(
            metavar="KIND", help="auto, classification or regression.", rich_help_panel=STREAM
        ),
    ] = TaskKind.auto
    time: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column of times: no input, but the clock of --delay 2h.",
            rich_help_panel=STREAM,
        ),
    ] = None
    drop: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN", help="Column to leave out; repeatable.", rich_help_panel=STREAM
        ),
    ] = None
    max_rows: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Stop after so many rows.", rich_help_panel=STREAM),
    ] = None

    def values(self) -> dict[str, Any]:
        """Return the arguments of `open_stream`."""
        return {**asdict(self), "task": self.task.value, "drop": self.drop or []}

    def values_for(self, source: str) -> dict[str, Any]:
        """Return the same for one of several sources: only the user's tables have such columns."""
        values = self.values()
        if not is_table(source):
            for column in ("label", "time", "drop"):
                del values[column]
        return values


@dataclass(frozen=True)
class ReadingOptions:
    """What becomes of rows and cells that cannot be read."""

    skip_bad_rows: Annotated[
        bool,
        typer.Option(
            "--skip-bad-rows",
            help="Leave out and count rows that cannot be read.",
            rich_help_panel=STREAM,
        ),
    ] = False
    missing: Annotated[
        MissingCells,
        typer.Option(
            help="Cells without a value: the mean so far, or an error.", rich_help_panel=STREAM
        ),
    ] = MissingCells.mean

    def values(self) -> dict[str, Any]:
        """Return the arguments of `open_stream`."""
        return {**asdict(self), "missing": self.missing.value}


@dataclass(frozen=True)
class EvaluationOptions:
    """When labels come, and how a run is judged."""

    delay: Annotated[
        str,
        typer.Option(
            metavar="N|2h|never",
            help="When labels come: after N rows, after a time, never.",
            rich_help_panel=LABELS,
        ),
    ] = "0"
    label_probability: Annotated[
        float,
        typer.Option(
            metavar="P", help="Probability that a label comes at all.", rich_help_panel=LABELS
        ),
    ] = 1.0
    window: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="ROWS",
            help="Rows per window of the windowed measures; by default 50 to 1,000.",
            rich_help_panel=OUTPUT,
        ),
    ] = None

    def values(self) -> dict[str, Any]:
        """Return the fields of a plan."""
        return {**asdict(self), "delay": delay_of(self.delay)}


Parameters = Annotated[
    list[str] | None,
    typer.Option("--param", metavar="NAME=VALUE", help="Parameter of the model; repeatable."),
]
Seed = Annotated[
    int, typer.Option(min=0, max=2**31 - 1, metavar="N", help="Seed of everything random.")
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


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command have the options of its parameters that are groups, in their places."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    parameters: list[Parameter] = []
    for parameter in signature(command).parameters.values():
        kind = groups.get(parameter.name)
        if kind is None:
            hint = hints[parameter.name]
            parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=hint))
            continue
        types = get_type_hints(kind, include_extras=True)
        parameters += [
            Parameter(
                option.name,
                Parameter.KEYWORD_ONLY,
                default=option.default,
                annotation=types[option.name],
            )
            for option in fields(kind)
        ]

    @wraps(command)
    def with_groups(**given: Any) -> None:
        made = {
            name: kind(**{option.name: given.pop(option.name) for option in fields(kind)})
            for name, kind in groups.items()
        }
        command(**made, **given)

    with_groups.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return with_groups


def delay_of(text: str) -> int | timedelta | None:
    """Return rows, a time, or None for never."""
    if text.strip().lower() == "never":
        return None
    time = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-z]+)\s*", text.lower())
    if time is not None and time[2] in UNITS:
        try:
            return timedelta(**{UNITS[time[2]]: float(time[1])})
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
    parameters: dict[str, str] = {}
    for pair in pairs or []:
        name, sign, value = pair.partition("=")
        if not sign or not name.strip():
            usage("--param", f"parameter must be name=value, got {pair!r}")
        parameters[name.strip()] = value.strip()
    return parameters


def is_table(source: str) -> bool:
    """Whether a source is the user's own, whose label has to be named."""
    from mooe.datasets.catalogue import MADE, NAMED

    return source not in NAMED and source not in MADE
