"""mooe demo: concepts that return, on a made stream."""

import json
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from mooe.cli.app import app, check_folder, fail
from mooe.cli.options import AsJson, ReportFolder, Seed


@app.command()
def demo(
    rows: Annotated[
        int, typer.Option(min=2_500, max=1_000_000, help="Rows of the stream.")
    ] = 20_000,
    seed: Seed = 0,
    report: ReportFolder = None,
    as_json: AsJson = False,
) -> None:
    """Watch mooe recognise concepts that come back, beside the same model without memory."""
    if report is not None:
        check_folder("the report", report)
    try:
        from rich.console import Console

        from mooe.demo import begin, play, results, summary

        console = Console(highlight=False)
        replay = begin(rows, seed)
        finished = play(replay, console, live=console.is_interactive and not as_json)
    except KeyboardInterrupt:
        fail("interrupted before the first row")
    if replay.n_returns:
        if as_json:
            print(json.dumps(results(replay), indent=2))
        else:
            console.print(summary(replay, console.width))
    if not finished:
        fail(f"interrupted after {replay.done:,} of {len(replay.stream.y):,} rows")
    if report is not None or not as_json:
        from mooe.demo import report_runs
        from mooe.report import write_report

        folder = report or Path(tempfile.mkdtemp(prefix="mooe-demo-"))
        everyone, without, marks = report_runs(replay)
        title = f"Concepts that return: the first {everyone[0].rows:,} rows of the demo"
        page = write_report(folder, everyone, without, title, marks=marks)
        if not as_json:
            console.print(f"Report: {page}", soft_wrap=True)
