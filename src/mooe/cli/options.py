"""Options that several commands have, and what their text means.

A group of options is a dataclass whose fields are options; a command with `with_options` takes the
group as one parameter. The fields of `StreamOptions` and `ReadingOptions` are arguments of
`mooe.datasets.open_stream`, those of `EvaluationOptions` are fields of `mooe.run.execution.Plan`:
both are handed on by their names, so an option is declared here, carried by the plan, and used
where it acts.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, is_dataclass
from enum import StrEnum
from functools import partial, wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from mooe.cli.app import usage

# Parts of the help.
STREAM, LABELS, ANSWERS, OUTPUT = "The stream", "When labels come", "What is answered", "Results"
MOST_ROWS = 2**53  # beyond, rows are not told apart


TaskKind = StrEnum("TaskKind", ["auto", "classification", "regression"])  # what labels are
MissingCells = StrEnum("MissingCells", ["mean", "error"])  # what becomes of them
LogLevel = StrEnum("LogLevel", ["debug", "info", "warning", "error"])

of_stream = partial(typer.Option, rich_help_panel=STREAM)
_of_labels = partial(typer.Option, rich_help_panel=LABELS)
_of_answers = partial(typer.Option, rich_help_panel=ANSWERS)
of_output = partial(typer.Option, rich_help_panel=OUTPUT)


def place(option: str, metavar: str, words: str, panel: str | None = OUTPUT) -> Any:
    """Return an option that says where something is to be written."""

    def parsed(text: str | Path) -> Path:
        if not str(text):  # Path("") would be the current folder
            usage(option, f"must name a file or folder, got {text!r}")
        return Path(text)

    return typer.Option(option, metavar=metavar, parser=parsed, help=words, rich_help_panel=panel)


@dataclass(frozen=True)
class StreamOptions:
    """Which columns and rows of a stream are taken."""

    label: Annotated[
        str | None,
        of_stream(metavar="COLUMN", help="Column to predict; named streams know theirs."),
    ] = None
    task: Annotated[
        TaskKind, of_stream(metavar="KIND", help="auto, classification or regression.")
    ] = TaskKind.auto
    time: Annotated[
        str | None,
        of_stream(metavar="COLUMN", help="Column of times: no input, but the clock of --delay 2h."),
    ] = None
    drop: Annotated[
        list[str] | None,
        of_stream(metavar="COLUMN", help="Column to leave out; --drop a --drop b for two."),
    ] = None
    calendar: Annotated[
        bool,
        of_stream("--calendar", help="Hour, weekday and season of dates are inputs."),
    ] = False
    max_rows: Annotated[
        int | None, of_stream(min=1, metavar="N", help="Stop after so many rows.")
    ] = None
    made: Annotated[
        list[str] | None,
        of_stream(
            metavar="NAME=VALUE",
            help="Parameter of a stream that is made: --made noise=.2; repeatable.",
        ),
    ] = None

    def values(self) -> dict[str, Any]:
        """Return the arguments of `open_stream`."""
        made = parameters_of(self.made, "--made")
        return {**asdict(self), "task": self.task.value, "drop": self.drop or [], "made": made}

    def values_for(self, source: str) -> dict[str, Any]:
        """Return the same for one of several sources: only the user's tables have such columns."""
        of_tables = () if is_table(source) else ("label", "time", "drop", "calendar")
        return {name: value for name, value in self.values().items() if name not in of_tables}


@dataclass(frozen=True)
class TableOptions:
    """How a table is written, and what becomes of rows that cannot be read."""

    skip_bad_rows: Annotated[
        bool,
        of_stream("--skip-bad-rows", help="Leave out and count rows that cannot be read."),
    ] = False
    decimal: Annotated[
        str | None, of_stream(metavar="SIGN", help="Decimal sign, . or , (else the rows say).")
    ] = None
    encoding: Annotated[
        str | None, of_stream(metavar="NAME", help="Of the text: utf-8, cp1252, utf-16, ...")
    ] = None
    date_format: Annotated[
        str | None, of_stream(metavar="FORM", help="How dates are written: %d.%m.%Y %H:%M.")
    ] = None
    na: Annotated[
        list[str] | None, of_stream(metavar="TEXT", help="A cell without a value; repeatable.")
    ] = None

    def values(self) -> dict[str, Any]:
        """Return the arguments of `open_stream`."""
        return {**asdict(self), "na": self.na or []}


@dataclass(frozen=True)
class ReadingOptions(TableOptions):
    """How a table is written, and what becomes of its rows, cells and other columns."""

    missing: Annotated[
        MissingCells, of_stream(help="Cells without a value: the mean so far, or an error.")
    ] = MissingCells.mean

    def values(self) -> dict[str, Any]:
        """Return the arguments of `open_stream`."""
        return {**super().values(), "missing": self.missing.value}


@dataclass(frozen=True)
class DecisionOptions:
    """When a class that matters more is answered."""

    threshold: Annotated[
        float | None,
        _of_answers(metavar="P", help="Answer the positive class above this probability."),
    ] = None
    cost: Annotated[
        str | None,
        _of_answers(metavar="FP:FN", help="Costs of a false alarm and of a miss, for a threshold."),
    ] = None
    positive: Annotated[
        str | None,
        _of_answers(metavar="CLASS", help="Class that these are about; of two the second."),
    ] = None

    @property
    def rule(self) -> Any:
        """The threshold of `mooe.decision.Decision`, None where there is none."""
        from mooe.decision import Decision

        rule: Any = self.threshold
        option = "--threshold" if self.cost is None else "--cost"
        if self.cost is not None:
            if self.threshold is not None:
                usage("--cost", "must be left out with --threshold, or the other way round")
            try:
                rule = {"cost": tuple(map(float, self.cost.split(":")))}
            except ValueError:
                usage("--cost", f"must be two numbers such as 1:50, got {self.cost!r}")
        try:
            return Decision(threshold=rule).threshold
        except ValueError as problem:
            usage(option, problem)


@dataclass(frozen=True)
class EvaluationOptions:
    """When labels come, and how a run is judged."""

    delay: Annotated[
        str,
        _of_labels(
            metavar="N|2h|never", help="When labels come: after N rows, after a time, never."
        ),
    ] = "0"
    label_probability: Annotated[
        float, _of_labels(metavar="P", help="Probability that a label comes at all.")
    ] = 1.0
    window: Annotated[
        int | None,
        of_output(
            min=1,
            metavar="ROWS",
            help="Rows per window of the windowed measures; by default 50 to 1,000.",
        ),
    ] = None

    unit: Annotated[
        str | None,
        of_output(
            metavar="UNIT",
            help="Unit of the label, for errors; by default what its name has in brackets.",
        ),
    ] = None

    def values(self) -> dict[str, Any]:
        """Return the fields of a plan."""
        if self.window is not None and self.window > MOST_ROWS:
            usage("--window", f"window must be at most {MOST_ROWS:,} rows, got {self.window}")
        return {**asdict(self), "delay": _delay_of(self.delay)}


Parameters = Annotated[
    list[str] | None,
    typer.Option("--param", metavar="NAME=VALUE", help="Parameter of the model; repeatable."),
]
Seed = Annotated[
    int, typer.Option(min=0, max=2**31 - 1, metavar="N", help="Seed of everything random.")
]
AnswersFile = Annotated[
    Path | None, place("--predictions", "OUT.csv", "Write the answer to each row.")
]
ReportFolder = Annotated[Path | None, place("--report", "FOLDER", "Write a report with figures.")]
Positive = Annotated[
    str | None,
    of_output(metavar="CLASS", help="Class of a table that precision and recall are told of."),
]
Keep = Annotated[
    list[str] | None,
    of_stream(metavar="COLUMN", help="Column to carry to the answers, such as an id; repeatable."),
]
AsJson = Annotated[bool, of_output("--json", help="Print the result as JSON and nothing else.")]
Quiet = Annotated[bool, of_output("--quiet", "-q", help="Show no progress.")]


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command have the options of its parameters that are groups, in their places."""
    groups: dict[str, Any] = {
        name: kind for name, kind in get_type_hints(command).items() if is_dataclass(kind)
    }
    parameters: list[Parameter] = []
    for parameter in _keywords(command):
        group = groups.get(parameter.name)
        parameters += [parameter] if group is None else _keywords(group)

    @wraps(command)
    def with_groups(**options: Any) -> None:
        made = {
            name: kind(**{option.name: options.pop(option.name) for option in fields(kind)})
            for name, kind in groups.items()
        }
        command(**made, **options)

    with_groups.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return with_groups


def _keywords(call: Callable[..., Any]) -> list[Parameter]:
    """Return the parameters of a function or a dataclass, each to be given by its name."""
    hints = get_type_hints(call, include_extras=True)
    return [
        parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[parameter.name])
        for parameter in signature(call).parameters.values()
    ]


def _delay_of(text: str) -> Any:
    """Return the delay that a text says, or stop."""
    from mooe.evaluate.schedule import delay_of

    try:
        return delay_of(text)
    except ValueError as problem:
        usage("--delay", problem)


def parameters_of(pairs: list[str] | None, option: str = "--param") -> dict[str, str]:
    """Return parameters by name, as text."""
    parameters: dict[str, str] = {}
    for pair in pairs or []:
        name, sign, value = pair.partition("=")
        if not sign or not name.strip():
            usage(option, f"parameter must be name=value, got {pair!r}")
        parameters[name.strip()] = value.strip()
    return parameters


def is_table(source: str) -> bool:
    """Whether a source is the user's own, whose label has to be named."""
    from mooe.datasets.catalogue import MADE, NAMED

    return source not in NAMED and source not in MADE
