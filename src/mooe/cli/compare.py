"""mooe compare: several models over several streams."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mooe.cli.app import app, check_folder, fail, note, usage
from mooe.cli.options import (
    AsJson,
    EvaluationOptions,
    Positive,
    Quiet,
    ReadingOptions,
    ReportFolder,
    Seed,
    StreamOptions,
    is_table,
    with_options,
)
from mooe.cli.output_paths import check_outputs, refuse_loss, source_files

if TYPE_CHECKING:
    from mooe.evaluate.results import Results
    from mooe.run.execution import Plan


@app.command()
@with_options
def compare(
    sources: Annotated[
        list[str], typer.Argument(metavar="FILE|NAME...", help="Files, or names of streams.")
    ],
    stream: StreamOptions,
    reading: ReadingOptions,
    evaluation: EvaluationOptions,
    models: Annotated[
        str,
        typer.Option(metavar="A,B,C", help="Models; no-change and majority (the mean) are added."),
    ] = "mooe,ogd",
    repeats: Annotated[
        int, typer.Option(min=1, help="Runs of each, with seeds that count up.")
    ] = 1,
    seed: Seed = 0,
    jobs: Annotated[int, typer.Option(min=1, help="Processes to work in.")] = 1,
    positive: Positive = None,
    report: ReportFolder = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Compare models over streams; a row per stream, a column per model."""
    from mooe.run.execution import Plan

    names = _model_names(models)
    if "-" in sources:
        usage("FILE|NAME", "standard input can be read once only; compare needs files or names")
    judged = evaluation.values()
    if report is not None:
        read = [file for source in sources for file in source_files(source)]
        check_outputs(read, [], report)
        runs = os.path.realpath(report / "runs")
        for what, path in read:
            inside = Path(os.path.realpath(path)).is_relative_to(runs)
            refuse_loss("--report", report, what, inside)
        check_folder("the report", report)
    options = {source: stream.values_for(source) | reading.values() for source in sources}
    asked = {source: positive if is_table(source) else None for source in sources}
    plans = [
        Plan(source, name, {}, options[source], **judged, seed=seed + at, positive=asked[source])
        for source, name, at in product(sources, names, range(repeats))
    ]
    for plan in {plan.source: plan for plan in plans if is_table(plan.source)}.values():
        _remark(plan)
    done, problems, interrupted = _carry_out(plans, jobs, quiet)
    for problem in problems:
        note(problem)
    page = _write_report(done, report) if report is not None and done else None
    _show(done, page, as_json)
    if interrupted:
        fail(f"interrupted after {len(done)} of {len(plans)} runs")
    if problems:
        raise typer.Exit(1)


def _remark(plan: "Plan") -> None:
    """Say how a table is read; one that can be opened once only is left to its run."""
    if Path(plan.source).expanduser().is_file():
        with suppress(OSError, ValueError):  # the runs will say what is wrong
            for remark in plan.open_stream().remarks:
                note(remark)


def _model_names(text: str) -> list[str]:
    """Return the models to run, the trivial ones among them."""
    from mooe.evaluate.measures import TRIVIAL
    from mooe.run.registry import check_model

    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        try:
            check_model(name)
        except ValueError as problem:
            usage("--models", problem)
    if not names:
        usage("--models", f"must name at least one model, got {text!r}")
    added = [name for name in TRIVIAL if not (name == "majority" and "mean" in names)]
    return list(dict.fromkeys([*names, *added]))


def _carry_out(
    plans: "list[Plan]", jobs: int, quiet: bool
) -> "tuple[list[Results], list[str], bool]":
    """Run all plans; return results, what went wrong, and whether the user interrupted."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    done: list[Results] = []
    problems: dict[str, None] = {}
    try:
        hidden = quiet or not console.is_terminal
        attempts = _attempts(plans, jobs)
        for outcome in track(
            attempts, "runs", len(plans), console=console, disable=hidden, transient=True
        ):
            if isinstance(outcome, str):
                problems[outcome] = None
            elif outcome.interrupted:
                raise KeyboardInterrupt
            else:
                done.append(outcome)
    except KeyboardInterrupt:
        return done, list(problems), True
    return done, list(problems), False


def _attempts(plans: "list[Plan]", jobs: int) -> "Iterator[Results | str]":
    """Yield the outcome of each plan, in order."""
    if jobs == 1:
        yield from map(_attempt, plans)
        return
    # Not forked: threads of the progress bar and compiled code do not survive a fork.
    # An interrupt is for the process that started them.
    ignored = signal.SIGINT, signal.SIG_IGN
    with get_context("spawn").Pool(min(jobs, len(plans)), signal.signal, ignored) as pool:
        yield from pool.imap(_attempt, plans)


def _attempt(plan: "Plan") -> "Results | str":
    """Return the results of a plan, or what went wrong in words."""
    from mooe.run.execution import evaluate

    try:
        return evaluate(plan)
    except (OSError, ValueError, MemoryError) as problem:
        return f"{plan.source}: {problem}"


def _write_report(done: "list[Results]", report: Path) -> Path:
    """Write all results, and the report on them."""
    from mooe.evaluate import results
    from mooe.report import write_comparison

    for run in done:
        folder = report
        for name in ("runs", run.stream, f"{run.model}-{run.seed}"):
            folder /= name
            if folder.is_symlink():  # replaced, not followed
                folder.unlink()
        results.save(run, folder)
    return write_comparison(report, done)


def _show(done: "list[Results]", page: Path | None, as_json: bool) -> None:
    """Print the table, or JSON."""
    from mooe.cli.terminal_tables import comparison_tables, to_stdout

    if as_json:
        print(json.dumps([run.summary() for run in done], indent=2, default=str))
    elif done:
        console = to_stdout()
        for at, table in enumerate(comparison_tables(done, console.width)):
            console.print(*([] if not at else ["\n"]), table)
        if page is not None:
            console.print(f"\nreport: {page}", markup=False, soft_wrap=True)
