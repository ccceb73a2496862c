"""mooe run: one model over one stream."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mooe.cli.app import app, fail, missing_line, note, usage, writing
from mooe.cli.options import (
    AnswersFile,
    AsJson,
    DecisionOptions,
    EvaluationOptions,
    Keep,
    Parameters,
    Quiet,
    ReadingOptions,
    ReportFolder,
    Seed,
    StreamOptions,
    TaskKind,
    is_table,
    of_output,
    parameters_of,
    place,
    with_options,
)
from mooe.cli.output_paths import check_outputs, check_places, source_files
from mooe.words import counted

if TYPE_CHECKING:
    from mooe.evaluate.results import Results
    from mooe.model import Model
    from mooe.run.execution import Plan, Run

PATIENCE = 2.0  # seconds before something is said
FEW = 0.3  # of the labels: a class that accuracy says little of
MANY = 100  # classes, more than people give names to


@dataclass(frozen=True)
class OutputOptions:
    """What is to be written, and where."""

    save: Annotated[Path | None, place("--save", "MODEL", "Save the model to this file.")] = None
    predictions: AnswersFile = None
    report: ReportFolder = None
    regret: Annotated[bool, of_output("--regret", help="Measure regrets per interval; slow.")] = (
        False
    )
    as_json: AsJson = False
    quiet: Quiet = False


@app.command()
@with_options
def run(
    source: Annotated[
        str, typer.Argument(metavar="FILE|NAME", help="A file, a stream's name, or - for csv text.")
    ],
    stream: StreamOptions,
    reading: ReadingOptions,
    evaluation: EvaluationOptions,
    decision: DecisionOptions,
    output: OutputOptions,
    model: Annotated[
        str | None, typer.Option(metavar="NAME", help="Model to run; by default mooe.")
    ] = None,
    param: Parameters = None,
    seed: Seed = 0,
    keep: Keep = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="MODEL", help="Go on with a saved model.")
    ] = None,
) -> None:
    """Predict each row of a stream, then learn it: how well would this have worked?

    mooe run Electricity

    mooe run sales.csv --label bought --time when --drop id --report report
    """
    from mooe.run.execution import Plan
    from mooe.tables import SourceColumns

    answers = ("--predictions", output.predictions)
    check_outputs(source_files(source), [("--save", output.save), answers], output.report)
    if resume is not None:  # only the model that goes on may take its place
        check_outputs([("the model of --resume", resume)], [answers], output.report)
    resumed = _resumed_model(resume, model, param, seed)
    noted = SourceColumns() if resumed is None else SourceColumns.of(resumed)
    options = {**stream.values(), **reading.values(), "keep": keep or []}
    if resumed is not None:
        if stream.task not in (TaskKind.auto, resumed.task):
            usage("--task", f"must be {resumed.task}, as of the model of --resume, or left out")
        options["label"] = stream.label or (noted.label if is_table(source) else None)
        options["task"], options["label_kind"] = resumed.task, noted.kind_of_labels(resumed)
        options |= noted.reading(resumed)
    plan = Plan(
        source,
        model or noted.model,
        parameters_of(param),
        options,
        **evaluation.values(),
        seed=seed if resumed is None else resumed.params.seed,
        regret=output.regret,
        watch=output.report is not None,
        regimes=output.predictions is not None,
        threshold=decision.rule,
        positive=decision.positive,
    )
    _check(plan, stream.task, output)
    _carry_out(plan, resumed, output)


def _resumed_model(
    path: Path | None, model: str | None, param: list[str] | None, seed: int
) -> "Model | None":
    """Load the model to go on with, if one is named; no option may change what it is."""
    if path is None:
        return None
    for option, value in (("--model", model), ("--param", param), ("--seed", seed)):
        if value:
            usage(option, f"must be left out with --resume, which goes on with {path} as it is")
    from mooe.run.source_columns import load_model

    return load_model(path)


def _check(plan: "Plan", task: TaskKind, output: OutputOptions) -> None:
    """Stop before the first row if an option is wrong or an output cannot be written."""
    from mooe.engine import AnyParams
    from mooe.run.registry import check_model, make_params

    try:
        check_model(plan.model)
    except ValueError as problem:
        usage("--model", problem)
    kind = "classification" if task == TaskKind.auto else task.value
    try:
        params = make_params(plan.model, kind, plan.seed, plan.parameters)
    except ValueError as problem:
        usage("--param", problem)
    mode = params.mode if isinstance(params, AnyParams) else None
    if plan.threshold is not None and mode is None:
        rule = "model must be mooe, mooe-paper or ogd to answer by a threshold"
        usage("--threshold", f"{rule}, got {plan.model!r}")
    if output.save and mode is None:
        usage("--save", f"model must be mooe, mooe-paper or ogd to be saved, got {plan.model!r}")
    if plan.regret and mode != "paper":
        usage("--regret", f"model must be mooe-paper or ogd for --regret, got {plan.model!r}")
    if not 0.0 < plan.label_probability <= 1.0:
        usage("--label-probability", f"must be above 0 and at most 1, got {plan.label_probability}")
    files = ("the model", output.save), ("predictions", output.predictions)
    check_places(output.report, *files)


def _carry_out(plan: "Plan", resumed: "Model | None", output: OutputOptions) -> None:
    """Run, save, write the report, print."""
    from mooe.run.execution import Run

    try:
        with _impatient(plan.source, output.quiet):
            run = Run(plan, resumed)
    except KeyboardInterrupt:
        fail("interrupted before the first row")
    for remark in run.stream.remarks:
        note(remark)
    _go(run, output)
    if output.save is not None:
        with writing("the model", output.save):
            run.save_model(output.save)
    page = None
    if output.report is not None:
        from mooe.evaluate.results import origin

        run.results.origin = origin(data=run.stream.digest() or "")
        with writing("the report", output.report):
            page = run.results.report(output.report)
    if output.as_json:
        print(json.dumps(full_summary(run), indent=2, default=str))
    else:
        _show(run, output, page)
    _remark(run, output)
    if run.results.interrupted:
        kept = f"; the model of these rows is in {output.save}" if output.save else ""
        fail(f"interrupted after {run.results.rows:,} rows{kept}")


@contextmanager
def _impatient(source: str, quiet: bool) -> Iterator[None]:
    """Say what is waited for, if standard input takes its time."""
    what = "standard input: waiting for the first 1,000 rows, which say what its columns hold"
    timer = Timer(PATIENCE, note, [what])
    if source == "-" and not quiet:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _go(run: "Run", output: OutputOptions) -> None:
    """Run in front of the user, and write the answers down."""
    from mooe.evaluate.progress import RunProgress
    from mooe.run.answers import AnswerLog

    with ExitStack() as stack:
        show_lines = not (output.quiet or output.as_json)
        shown = stack.enter_context(RunProgress(run.count_rows, show_lines, not output.quiet))
        answers = None
        if output.predictions is not None:
            keep = run.plan.options.get("keep", ())
            answers = stack.enter_context(AnswerLog(output.predictions, keep))

        def progress(results: "Results", labels: Any) -> None:
            if answers is not None:
                answers.add(results, labels, run.rows.kept)
            shown.see(results, labels)

        run.go(progress)
        if answers is not None:
            with writing("predictions", answers.path):
                answers.write(run.results)


def full_summary(run: "Run") -> dict[str, Any]:
    """Return a finished run, with what was compared with it under `others`."""
    counts = {"missing_cells": run.rows.n_missing, "skipped_rows": run.rows.n_skipped}
    others = [other.summary() for other in run.results.others]
    return {**run.results.summary(), **counts, "others": others}


def _show(run: "Run", output: OutputOptions, page: Path | None) -> None:
    """Print the final table, and what lies where."""
    from mooe.cli.terminal_tables import final_table, to_stdout

    console, results = to_stdout(), run.results
    sizes = [counted(results.rows, "row"), counted(results.features, "feature")]
    if results.task == "classification":
        sizes.append(counted(len(results.classes), "class"))
    about = [f"{results.stream}: {', '.join(sizes)}", *_facts(results)]
    console.print("\n" + "\n".join(about) + "\n", soft_wrap=True, markup=False)
    console.print(final_table([results, *results.others], console.width))
    written = [("model", output.save), ("answers", output.predictions), ("report", page)]
    lines = [f"{what}: {path}" for what, path in written if path is not None]
    if results.remembers == "regimes" and not output.quiet:
        lines.insert(0, regime_line(results))
    if lines:
        console.print("\n".join(["", *lines]), soft_wrap=True, markup=False)


def _facts(results: "Results") -> list[str]:
    """Return what the table of a run needs to be read aright, in lines."""
    from mooe.report.sentences import far_labels, order_sentence

    lines = []
    if results.unanswered > 1 and results.judged:
        rows = counted(results.unanswered, "row")
        why = "came before the first label" if results.classes else "had no answer"
        lines.append(f"{rows} {why} and are not judged; the measures are over the others")
    if results.rare:
        n, share = f"{results.rare['rows']:,}", f"{100.0 * results.rare['share']:.2g} %"
        lines.append(
            f"{'rare ' if results.rare['is_rare'] else ''}class {results.rare['class']}: "
            f"{n} rows, {share}; "
            "AP (average precision), precision, recall, F1 and alarms are of this class"
        )
    if results.costs:
        prices = f"{results.costs['false_alarm']:g} for a false alarm, {results.costs['miss']:g}"
        lines.append(f"cost: {prices} for a row of class {results.costs['class']} that is missed")
    if results.far:
        mae, rmse = (f"{results.far[key]:,.4g}" for key in ("mae", "rmse"))
        said = far_labels(results).replace("–", "-")
        lines.append(f"{said}; without them MAE {mae}, RMSE {rmse}")
    if results.weight_of_labels:
        lines.append(order_sentence(results))
    return lines


def regime_line(results: "Results") -> str:
    """Return which regimes are known, and which one the stream is in."""
    from mooe.evaluate.dates import StreamAxis
    from mooe.explanation import regime_text

    n, now = len(results.concepts), [regime for regime in results.concepts if regime["in_charge"]]
    if not n:
        return "regimes: none known yet"
    if not now:
        return f"regimes: {n:,} known; now in none of them"
    here = StreamAxis.of(results).point(now[0]["visits"][-1][0])
    name = regime_text(now[0]["name"], now[0].get("title", ""))
    return f"regimes: {n:,} known; now in {name}, here since {here}"


def _remark(run: "Run", output: OutputOptions) -> None:
    """Say on standard error what a user should know of the data and of the answers."""
    for line in (*_of_rows(run), *_of_labels(run), *_of_answers(run)):
        note(line)
    if output.save is not None and run.plan.delay != 0:
        note("labels that had not come yet are not in the saved model")


def _of_rows(run: "Run") -> Iterator[str]:
    """Yield what was not taken as it is."""
    rows = run.rows
    if rows.n_missing:
        yield f"{missing_line(rows.n_missing)}; --missing error refuses them"
    if rows.n_skipped:
        yield f"{counted(rows.n_skipped, 'bad row')} left out"
    if any(rows.odd_times):
        column, odd = str(run.stream.time), rows.odd_times
        words = f"of the times in {column!r} {odd.words()}; rows stay in the file's order"
        if 4 * odd.back > rows.rows:
            words += f", which is not that of time: sort the file by {column!r} to judge it by that"
        yield words


def _of_labels(run: "Run") -> Iterator[str]:
    """Yield what may be wrong with the labels."""
    plan, results, classes = run.plan, run.results, run.results.classes
    asked = "is --label the right column?"
    if results.rows and not results.cumulative and run.one_pass.has_labels:
        if results.rows > 1:
            yield "warning: no label came in time, so no row could be answered; is --delay right?"
    elif results.rows and not results.cumulative:
        yield f"warning: no row has a label, so nothing was learnt; {asked}"
    elif plan.delay == 0 and plan.label_probability == 1.0 and results.unlabelled > 0:
        rows = counted(results.unlabelled, "row")
        yield f"{rows} without a label: answered, neither judged nor learnt"
    if results.rows > 1 and run.one_pass.label_is_constant:
        yield f"warning: the label never changes, so every model is right; {asked}"
    same: dict[str, list[Any]] = {}
    for label in classes:
        same.setdefault(str(label).casefold(), []).append(label)
    for twins in [labels for labels in same.values() if len(labels) > 1][:1]:
        names = " and ".join(map(repr, twins))
        yield f"warning: {names} are classes of their own; if they mean the same, write them alike"
    if len(classes) > MANY and isinstance(next(iter(classes)), str):
        yield f"warning: the label has {len(classes):,} classes, all of them texts; {asked}"


def _of_answers(run: "Run") -> Iterator[str]:
    """Yield which class answers are about, and who answers better."""
    from mooe.evaluate.measures import headline_measure

    results, positive, smaller = run.results, run.plan.positive, run.one_pass.smaller_class
    if positive is not None and results.task == "regression":
        yield "warning: --positive is about a class, and a regression has none"
    elif positive is not None and results.rows and positive not in results.classes:
        yield f"warning: no label is {positive!r}; is --positive one of the classes?"
    if positive is None and not results.rare and smaller and 0.0 < smaller[1] <= FEW:
        label, share = smaller
        words = f"--positive {label} tells how much of it was found"
        yield f"class {label} makes {100.0 * share:.2g} % of the labels; {words}"
    if run.plan.threshold is not None and positive is None and len(results.classes) == 2:
        asked = sorted(results.classes)[1]
        other = results.rare and results.rare["class"] != asked
        hint = f", not about {results.rare['class']}; --positive chooses" if other else ""
        yield f"the threshold is about class {asked}, the second of two{hint}"
    measure = headline_measure(results)
    everyone = [other for other in [results, *results.others] if measure.key in other.cumulative]
    best = measure.best(other.cumulative[measure.key] for other in everyone)
    winner = next((each for each in everyone if each.cumulative[measure.key] == best), results)
    if winner is not results:
        better = "is off by less on average"
        if results.task == "classification":
            better = "costs less" if results.costs else "is right more often"
        yield f"{winner.model} {better} than {results.model} on this stream"
