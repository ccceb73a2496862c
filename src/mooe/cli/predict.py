"""mooe predict: what a saved model says of rows without labels."""

import csv
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mooe.cli.app import app, check_file, fail, missing_line, note, usage, writing
from mooe.cli.options import DecisionOptions, Keep, ReadingOptions, place, with_options
from mooe.cli.output_paths import check_outputs, source_files
from mooe.words import counted

if TYPE_CHECKING:
    from mooe.model import Model
    from mooe.streams.arrangement import ArrangedStream


@app.command()
@with_options
def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A file that --save wrote.")],
    source: Annotated[
        str, typer.Argument(metavar="FILE", help="Rows to predict, or - for csv text.")
    ],
    reading: ReadingOptions,
    decision: DecisionOptions,
    keep: Keep = None,
    out: Annotated[
        Path | None, place("--out", "OUT.csv", "Write here, not to standard output.", None)
    ] = None,
    predictions: Annotated[str | None, typer.Option("--predictions", hidden=True)] = None,
) -> None:
    """Predict rows without labels; columns are found by their names, others are left out."""
    from mooe.run.source_columns import load_model

    if predictions is not None:
        usage("--predictions", f"is --out here: --out {predictions}")
    check_outputs([("the model", model), *source_files(source)], [("--out", out)])
    known = load_model(model)
    if not known.n_labelled:
        fail(f"{model} must have learnt a label to predict, got none")
    _decide(known, decision)
    rows = _open_rows(known, source, {**reading.values(), "keep": keep or []})
    if out is not None:
        check_file("predictions", out)
    opened: Any = (
        nullcontext(sys.stdout) if out is None else out.open("w", newline="", encoding="utf-8")
    )
    try:
        with writing("predictions", out or Path("standard output")), opened as file:
            _write_answers(known, rows, keep or [], file)
    except KeyboardInterrupt:
        fail(f"interrupted after {rows.rows:,} rows")
    _remark(known, rows)


def _open_rows(model: "Model", source: str, options: dict[str, Any]) -> "ArrangedStream":
    """Return the rows of a table as those of a model, and say how it is read."""
    from mooe.datasets import open_stream
    from mooe.run.source_columns import columns_for
    from mooe.streams.arrangement import ArrangedStream
    from mooe.tables import SourceColumns

    noted = SourceColumns.of(model)
    known: dict[str, Any] = {"label": noted.label, "task": model.task, **noted.reading(model)}
    stream = open_stream(source, labelled=False, **known, **options)
    for remark in stream.remarks:
        note(remark)
    keeps_sparse = model.params.mode == "auto"
    columns = columns_for(model, stream)
    return ArrangedStream(stream, columns, is_fixed=True, keeps_sparse=keeps_sparse)


def _remark(model: "Model", rows: "ArrangedStream") -> None:
    """Say in which regime rows were answered, and what of them was not taken as it is."""
    from mooe.tables import is_encoded

    if rows.rows and model.params.mode == "auto":
        note(model.regime_sentence())
    if rows.n_unknown:
        where = "with a text" if is_encoded(model) else "in a column"
        note(f"cells {where} the model has never seen, left out: {rows.n_unknown:,}")
    if rows.n_missing:
        note(missing_line(rows.n_missing))
    if rows.n_skipped:
        note(f"{counted(rows.n_skipped, 'bad row')} left out")


def _decide(model: "Model", decision: DecisionOptions) -> None:
    """In place: let a model answer by the threshold that was asked for, if there is one."""
    from mooe.streams.arrangement import known_label

    rule, positive = decision.rule, None
    if rule is None:
        if decision.positive is not None:
            usage("--positive", "needs --threshold or --cost, which are about that class")
        return
    if model.task == "regression":
        usage("--threshold", "must be left out for a model of a regression, which has no classes")
    if decision.positive is not None:
        positive = known_label(decision.positive, model.labels.names)
        if positive is None:
            names = ", ".join(map(str, model.labels.names))
            usage("--positive", f"must be a class of the model: {names}; got {decision.positive!r}")
    elif len(model.labels) > 2:
        usage("--positive", f"must name one of the {len(model.labels)} classes for a threshold")
    model.answer_by(rule, positive)


def _write_answers(model: "Model", rows: "ArrangedStream", keep: list[str], file: Any) -> None:
    """Write the answers as they come: somebody may be waiting for them."""
    from mooe.numerics.scores import probabilities
    from mooe.run.answers import answer_rows, chance_names, class_order

    writer, classes = csv.writer(file, lineterminator="\n"), model.labels.names
    classify = model.task == "classification"
    writer.writerow(["row", *keep, "prediction", *(chance_names(classes) if classify else ())])
    for chunk in rows.chunks():
        scores, likely = model.scores(chunk.X), None
        if classify:
            likely = probabilities(model.params, scores)[:, class_order(classes)]
        answers = model.named(model.answers(scores))
        first = rows.rows - len(chunk.y)
        writer.writerows(answer_rows(first, chunk.kept, [answers], likely))
        file.flush()
