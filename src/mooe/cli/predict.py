"""mooe predict: what a saved model says of rows without labels."""

import csv
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from mooe.cli.app import app, check_folder, fail, note
from mooe.cli.options import Missing, MissingCells, SkipBadRows
from mooe.cli.outputs import check_outputs, place, source_files

__all__ = ["predict"]


@app.command()
def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A file that --save wrote.")],
    source: Annotated[
        str, typer.Argument(metavar="FILE", help="Rows to predict, or - for csv text.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT.csv", parser=place("--out"), help="Write here, not to standard output."
        ),
    ] = None,
    skip_bad_rows: SkipBadRows = False,
    missing: Missing = MissingCells.mean,
) -> None:
    """Predict rows without labels; columns are found by their names, others are left out."""
    from mooe.datasets import open_stream
    from mooe.feed import Feed
    from mooe.saved import load

    check_outputs([("the model", model), *source_files(source)], [("--out", out)])
    known = load(model)
    stream = open_stream(
        source,
        label=known.label,
        task=known.learner.params.task,  # type: ignore[arg-type]
        missing=missing.value,
        skip_bad_rows=skip_bad_rows,
        labelled=False,
        inputs=known.inputs,
    )
    if out is not None:
        check_folder("predictions", out.parent)
    feed = Feed(stream, known.columns, is_fixed=True, keeps_sparse=known.learner.takes_sparse)
    opened: Any = (
        nullcontext(sys.stdout) if out is None else out.open("w", newline="", encoding="utf-8")
    )
    try:
        with opened as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["row", "prediction"])
            for chunk in feed.chunks():
                first = feed.rows - len(chunk.y)
                writer.writerows(enumerate(answers(known, chunk.X), first))
                file.flush()  # somebody may be waiting for them
    except KeyboardInterrupt:
        fail(f"interrupted after {feed.rows:,} rows")
    if feed.n_unknown:
        note(f"cells with a text the model has never seen, left out: {feed.n_unknown:,}")
    if feed.n_missing:
        note(f"cells without a value, taken as the mean: {feed.n_missing:,}")
    if feed.n_skipped:
        note(f"bad rows left out: {feed.n_skipped:,}")


def answers(known: Any, X: Any) -> list[Any]:
    """Return what the model answers to rows; it is not changed."""
    import numpy as np

    chosen = known.learner.predict_then_learn(X, np.full(X.shape[0], np.nan)).chosen.tolist()
    if known.learner.params.task == "classification":
        named = [*known.labels, ""]  # the last for "no answer", -1
        chosen = [named[number] for number in chosen]
    return list(chosen)
