"""mooe predict: what a saved model says of rows without labels."""

import csv
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from mooe.cli.app import app, check_file, fail, note
from mooe.cli.options import ReadingOptions, place, with_options
from mooe.cli.output_paths import check_outputs, source_files


@app.command()
@with_options
def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A file that --save wrote.")],
    source: Annotated[
        str, typer.Argument(metavar="FILE", help="Rows to predict, or - for csv text.")
    ],
    reading: ReadingOptions,
    out: Annotated[
        Path | None, place("--out", "OUT.csv", "Write here, not to standard output.", None)
    ] = None,
) -> None:
    """Predict rows without labels; columns are found by their names, others are left out."""
    from mooe.datasets import open_stream
    from mooe.run.source_columns import columns_for, load_model
    from mooe.streams.arrangement import ArrangedStream
    from mooe.tables import SourceColumns

    check_outputs([("the model", model), *source_files(source)], [("--out", out)])
    known = load_model(model)
    if not known.n_labelled:
        fail(f"{model} must have learnt a label to predict, got none")
    noted = SourceColumns.of(known)
    stream = open_stream(
        source,
        label=noted.label,
        task=known.task,  # type: ignore[arg-type]
        labelled=False,
        **noted.reading(known),
        **reading.values(),
    )
    for remark in stream.remarks:
        note(remark)
    if out is not None:
        check_file("predictions", out)
    rows = ArrangedStream(
        stream,
        columns_for(known, stream),
        is_fixed=True,
        keeps_sparse=known.params.mode == "auto",
    )
    opened: Any = (
        nullcontext(sys.stdout) if out is None else out.open("w", newline="", encoding="utf-8")
    )
    try:
        with opened as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["row", "prediction"])
            for chunk in rows.chunks():
                first = rows.rows - len(chunk.y)
                answers = ("" if said is None else said for said in known.predict(chunk.X))
                writer.writerows(enumerate(answers, first))
                file.flush()  # somebody may be waiting for them
    except KeyboardInterrupt:
        fail(f"interrupted after {rows.rows:,} rows")
    if rows.n_unknown:
        where = "with a text" if noted.is_encoded else "in a column"
        note(f"cells {where} the model has never seen, left out: {rows.n_unknown:,}")
    if rows.n_missing:
        note(f"cells without a value, taken as the mean: {rows.n_missing:,}")
    if rows.n_skipped:
        note(f"bad rows left out: {rows.n_skipped:,}")
