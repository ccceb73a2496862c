"""mooe run: one model over one stream."""

import csv
import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Annotated

import typer

from mooe.cli.app import app, check_folder, fail, note, usage
from mooe.cli.options import (
    OUTPUT,
    AsJson,
    Delay,
    Drop,
    Label,
    LabelProbability,
    MaxRows,
    Missing,
    MissingCells,
    Parameters,
    Quiet,
    ReportFolder,
    Seed,
    SkipBadRows,
    Task,
    TaskKind,
    Time,
    Window,
    delay_of,
    is_table,
    parameters_of,
)
from mooe.cli.outcome import Output, answers, remarks, show, written_report
from mooe.cli.outputs import check_outputs, place, source_files

if TYPE_CHECKING:
    from mooe.results import Results
    from mooe.runs import Plan, Run
    from mooe.saved import SavedModel

__all__ = ["run"]

PATIENCE = 2.0  # seconds before something is said


@app.command()
def run(
    source: Annotated[
        str, typer.Argument(metavar="FILE|NAME", help="A file, a stream's name, or - for csv text.")
    ],
    label: Label = None,
    model: Annotated[
        str | None, typer.Option(metavar="NAME", help="Model to run; by default mooe.")
    ] = None,
    param: Parameters = None,
    task: Task = TaskKind.auto,
    time: Time = None,
    drop: Drop = None,
    delay: Delay = "0",
    label_probability: LabelProbability = 1.0,
    window: Window = None,
    max_rows: MaxRows = None,
    seed: Seed = 0,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL",
            parser=place("--save"),
            help="Save the model to this file.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="MODEL", help="Go on with a saved model.")
    ] = None,
    predictions: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT.csv",
            parser=place("--predictions"),
            help="Write the answer to each row.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    report: ReportFolder = None,
    regret: Annotated[
        bool,
        typer.Option(
            "--regret", help="Measure regrets per interval; slow.", rich_help_panel=OUTPUT
        ),
    ] = False,
    skip_bad_rows: SkipBadRows = False,
    missing: Missing = MissingCells.mean,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Predict each row of a stream, then learn it: how well would this have worked?

    mooe run Electricity

    mooe run sales.csv --label bought --time when --drop id --report report
    """
    from mooe.runs import Plan

    given = ("--predictions", predictions)
    check_outputs(source_files(source), [("--save", save), given], report)
    if resume is not None:  # only the model that goes on may take its place
        check_outputs([("the model of --resume", resume)], [given], report)
    resumed = resumed_model(resume, model, param, seed)
    plan = Plan(
        source,
        model or (resumed.model if resumed else "mooe"),
        parameters_of(param),
        {
            "label": label or (resumed.label if resumed and is_table(source) else None),
            "task": resumed.learner.params.task if resumed else task.value,
            "time": time,
            "drop": drop or [],
            "missing": missing.value,
            "skip_bad_rows": skip_bad_rows,
            "max_rows": max_rows,
            "inputs": resumed.inputs if resumed else None,
            "label_kind": resumed.label_kind if resumed else None,
        },
        delay_of(delay),
        label_probability,
        window,
        resumed.learner.params.seed if resumed else seed,
        regret,
        watch=report is not None,
    )
    output = Output(save, predictions, report, as_json, quiet)
    check(plan, task, output)
    carry_out(plan, resumed, output)


def resumed_model(
    path: Path | None, model: str | None, param: list[str] | None, seed: int
) -> "SavedModel | None":
    """Return the saved model to go on with, if one is named."""
    if path is None:
        return None
    for option, given in (("--model", model), ("--param", param), ("--seed", seed)):
        if given:
            usage(option, f"must be left out with --resume, which goes on with {path} as it is")
    from mooe.saved import load

    return load(path)


def check(plan: "Plan", task: TaskKind, output: Output) -> None:
    """Stop before the first row if an option is wrong or an output cannot be written."""
    from mooe.learners import MooeLearner
    from mooe.models import check_model, make_learner

    try:
        check_model(plan.model)
    except ValueError as problem:
        usage("--model", problem)
    kind = "classification" if task == TaskKind.auto else task.value
    try:
        learner = make_learner(plan.model, kind, plan.seed, plan.parameters)
    except ValueError as problem:
        usage("--param", problem)
    mode = learner.params.mode if isinstance(learner, MooeLearner) else None
    if output.save and mode is None:
        usage("--save", f"model must be mooe, mooe-paper or ogd to be saved, got {plan.model!r}")
    if plan.regret and mode != "paper":
        usage("--regret", f"model must be mooe-paper or ogd for --regret, got {plan.model!r}")
    if not 0.0 < plan.label_probability <= 1.0:
        rule = "must be above 0 and at most 1"
        usage("--label-probability", f"{rule}, got {plan.label_probability}")
    if plan.options["time"] is None and not isinstance(plan.delay, int | None):
        usage("--delay", "a delay in time needs the column of times: --time COLUMN")
    if output.report is not None:
        check_folder("the report", output.report)
    for what, path in (("the model", output.save), ("predictions", output.predictions)):
        if path is not None:
            if path.is_dir():
                fail(f"{what} must be written to a file, got the folder {path}")
            check_folder(what, path.parent)


def carry_out(plan: "Plan", resumed: "SavedModel | None", output: Output) -> None:
    """Run, save, judge the trivial models, write the report, print."""
    from mooe.cli.tables import full_summary
    from mooe.runs import Run

    try:
        with waiting(plan.source, output.quiet):
            job = Run(plan, resumed)
    except KeyboardInterrupt:
        fail("interrupted before the first row")
    watched(job, output)
    if output.save is not None:
        from mooe.saved import save

        save(output.save, job.saved_model())
    job.judge_trivial()
    page = None if output.report is None else written_report(job, output)
    if output.as_json:
        found = full_summary(job.results)
        counts = {"missing_cells": job.feed.n_missing, "skipped_rows": job.feed.n_skipped}
        others = {"others": [full_summary(other) for other in job.others]}
        print(json.dumps({**found, **counts, **others}, indent=2, default=str))
    else:
        show(job, output, page)
    remarks(job, output)
    if job.results.interrupted:
        kept = f"; the model of these rows is in {output.save}" if output.save else ""
        fail(f"interrupted after {job.results.rows:,} rows{kept}")


@contextmanager
def waiting(source: str, quiet: bool) -> Iterator[None]:
    """Say what is waited for, if standard input takes its time."""
    what = "standard input: waiting for the first 1,000 rows, which say what its columns hold"
    timer = Timer(PATIENCE, note, [what])
    if source == "-" and not quiet:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def watched(job: "Run", output: Output) -> None:
    """Run a job in front of the user, and write the answers down as they come."""
    from mooe.progress import Watcher, guessed_rows

    n_rows = job.stream.n_rows
    if n_rows is None and job.plan.source != "-":
        n_rows = guessed_rows(Path(job.plan.source).expanduser())
        n_rows = min(filter(None, (n_rows, job.plan.options["max_rows"])), default=None)
    with ExitStack() as stack:
        show_lines = not (output.quiet or output.as_json)
        watcher = stack.enter_context(Watcher(n_rows, show_lines, not output.quiet))
        writer = None
        if output.predictions is not None:
            file = stack.enter_context(output.predictions.open("w", newline="", encoding="utf-8"))
            writer = csv.writer(file)
            writer.writerow(["row", "label", "prediction"])

        def progress(results: "Results") -> None:
            if writer is not None:
                writer.writerows(answers(results, job.feed.latest))
            watcher.see(results, job.feed.latest)

        job.go(progress)
