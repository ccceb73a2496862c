"""mooe keyed: one model per key over one file."""

import json
from contextlib import ExitStack
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mooe.cli.app import app, fail, note, usage
from mooe.cli.options import (
    AnswersFile,
    AsJson,
    Keep,
    Quiet,
    ReadingOptions,
    ReportFolder,
    Seed,
    StreamOptions,
    with_options,
)
from mooe.cli.output_paths import check_outputs, check_places, source_files
from mooe.words import counted

if TYPE_CHECKING:
    from mooe.evaluate.key_results import KeyedResults
    from mooe.run.keyed import KeyedPlan, KeyedRun, Part

Engine = StrEnum("Engine", ["process", "spark"])
Setting = StrEnum("Setting", ["light", "full", "paper"])
SHOWN = 5  # keys of a list on a terminal
LONGEST = 40  # letters of a key there


@dataclass(frozen=True)
class KeyedOutputOptions:
    """What is to be written, and where."""

    predictions: AnswersFile = None
    report: ReportFolder = None
    as_json: AsJson = False
    quiet: Quiet = False


@app.command()
@with_options
def keyed(
    source: Annotated[str, typer.Argument(metavar="FILE", help="A file, or - for csv text.")],
    key: Annotated[
        str, typer.Option(metavar="COLUMN", help="Column that says whose row it is; no input.")
    ],
    stream: StreamOptions,
    reading: ReadingOptions,
    output: KeyedOutputOptions,
    setting: Annotated[
        Setting, typer.Option(metavar="NAME", help="What each key keeps: light, full or paper.")
    ] = Setting.light,
    shared: Annotated[
        str | None,
        typer.Option(metavar="MODEL", help="What keys start from: 'learning', or a saved model."),
    ] = None,
    buckets: Annotated[
        int,
        typer.Option(min=1, metavar="N", help="With --shared learning: models that keys share."),
    ] = 1,
    engine: Annotated[
        Engine, typer.Option(metavar="NAME", help="Where models live: process, or spark.")
    ] = Engine.process,
    seed: Seed = 0,
    keep: Keep = None,
) -> None:
    """Predict each row by the model of its key, then let that learn it.

    mooe keyed sales.csv --key shop --label bought --report report
    """
    answers = ("--predictions", output.predictions)
    check_outputs(source_files(source), [answers], output.report)
    if engine == Engine.spark:
        _check_spark(shared)
    check_places(output.report, ("predictions", output.predictions))
    from mooe.run.keyed import KeyedPlan

    plan = KeyedPlan(
        source,
        key,
        {**stream.values(), **reading.values(), "keep": keep or []},
        setting.value,
        shared,
        buckets,
        engine.value,
        seed,
        regimes=not output.quiet or output.as_json or output.report is not None,
    )
    _carry_out(plan, output)


def _check_spark(shared: str | None) -> None:
    """Stop before anything is read if Spark cannot do what is asked, or is not there."""
    if shared is not None:
        usage("--shared", f"must be left out with --engine spark, got {shared!r}")
    try:
        import pyspark  # noqa: F401
    except ImportError:
        fail("--engine spark needs the extra spark: pip install 'mooe[spark]'; and Java 17")


def _carry_out(plan: "KeyedPlan", output: KeyedOutputOptions) -> None:
    """Run, write the report, print."""
    from mooe.run.keyed import KeyedRun

    run = KeyedRun(plan)
    for remark in run.stream.remarks:
        note(remark)
    _go(run, output)
    page = None
    if output.report is not None:
        from mooe.evaluate.results import origin
        from mooe.report import write_keyed_report

        run.results.origin = origin(data=run.stream.digest() or "")
        page = write_keyed_report(output.report, run.results)
    if output.as_json:
        about = {
            "engine": plan.engine,
            "setting": plan.setting,
            "shared": run.results.shared,
            "rows_without_key": run.n_without_key,
        }
        print(json.dumps({**run.results.summary(), **about}, indent=2, default=str))
    else:
        _show(run.results, output, page)
    if run.n_without_key:
        note(f"{counted(run.n_without_key, 'row')} without a {plan.key} left out")


def _go(run: "KeyedRun", output: KeyedOutputOptions) -> None:
    """Run in front of the user, and write the answers down."""
    from mooe.evaluate.progress import RunProgress
    from mooe.run.keyed_answers import KeyedAnswers

    with ExitStack() as stack:
        shown = stack.enter_context(RunProgress(show_lines=False, show_bar=not output.quiet))
        answers = None
        if output.predictions is not None:
            answers = stack.enter_context(KeyedAnswers(output.predictions, run.plan.kept))

        def see(results: "KeyedResults", part: "Part") -> None:
            if answers is not None:
                answers.add(part)
            shown.move(results.rows)

        run.go(see)
        if answers is not None:
            answers.write()


def _show(results: "KeyedResults", output: KeyedOutputOptions, page: Path | None) -> None:
    """Print what a user wants to know first, and what lies where."""
    from mooe.cli.terminal_tables import plain_table, to_stdout
    from mooe.report.keys import how_well, which_drift

    console = to_stdout()
    lines = [
        f"{results.stream}: {counted(results.rows, 'row')}, {counted(len(results.names), 'key')}"
    ]
    lines += _plain(how_well(results))
    console.print("\n" + "\n".join(lines) + "\n", soft_wrap=True, markup=False)
    measure, value = results.measure, results.by_key()
    table = plain_table("worst keys", "rows", measure.heading, "no-change")
    for at in results.worst(SHOWN):
        trivial = results.no_change[at] / results.judged[at]
        cells: list[Any] = [measure.number(float(one), "-") for one in (value[at], trivial)]
        table.add_row(_shortened(results.names[at]), f"{results.n_rows[at]:,}", *cells)
    if table.row_count:
        console.print(table)
    written = [("answers", output.predictions), ("report", page)]
    told = [] if output.quiet else _plain(which_drift(results))
    told += [f"{what}: {path}" for what, path in written if path is not None]
    if told:
        gap = [""] if table.row_count else []
        console.print("\n".join([*gap, *told]), soft_wrap=True, markup=False)


def _plain(sentences: list[str]) -> list[str]:
    """Return sentences as a terminal may show them."""
    return [sentence.replace("−", "-") for sentence in sentences]


def _shortened(key: str) -> str:
    """Return a key that leaves room for the numbers beside it."""
    return key if len(key) <= LONGEST else f"{key[: LONGEST - 1]}…"
