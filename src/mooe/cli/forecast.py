"""mooe forecast: a plain time series in, honest forecasts with bands out."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mooe.cli.app import app, note, usage
from mooe.cli.options import (
    AsJson,
    Quiet,
    ReportFolder,
    Seed,
    TableOptions,
    of_stream,
    place,
    with_options,
)
from mooe.cli.output_paths import check_outputs, check_places
from mooe.words import counted, date_form, listed

if TYPE_CHECKING:
    from mooe.forecast.forecaster import MOOEForecaster
    from mooe.forecast.results import ForecastResults
    from mooe.run.forecast import ForecastRun

PATIENCE = 2.0  # seconds before something is said


@dataclass(frozen=True)
class SeriesOptions:
    """Which columns of a table are taken, and as what."""

    time: Annotated[
        str | None, of_stream(metavar="COLUMN", help="Column of times; by default that of dates.")
    ] = None
    target: Annotated[
        list[str] | None,
        of_stream(metavar="COLUMN", help="Column to forecast; repeatable; by default all numbers."),
    ] = None
    id: Annotated[
        str | None,
        of_stream(metavar="COLUMN", help="Column that tells series apart; by default unique_id."),
    ] = None
    covariate: Annotated[
        list[str] | None,
        of_stream(metavar="COLUMN", help="Column that helps and is not forecast; repeatable."),
    ] = None
    max_rows: Annotated[
        int | None, of_stream(min=1, metavar="N", help="Stop after so many rows.")
    ] = None


@dataclass(frozen=True)
class ForecastOutputs:
    """What is to be written, and where."""

    save: Annotated[
        Path | None, place("--save", "MODEL", "Save the forecaster, to go on with.")
    ] = None
    predictions: Annotated[
        Path | None,
        place("--predictions", "OUT.csv", "Write what was said of each row, and what comes."),
    ] = None
    report: ReportFolder = None
    as_json: AsJson = False
    quiet: Quiet = False


@app.command()
@with_options
def forecast(
    source: Annotated[
        str, typer.Argument(metavar="FILE|NAME", help="A table, a series' name, or - for csv text.")
    ],
    series: SeriesOptions,
    table: TableOptions,
    output: ForecastOutputs,
    horizon: Annotated[
        str | None,
        typer.Option(metavar="24|2d", help="How far: rows or a time; else as times suggest."),
    ] = None,
    season: Annotated[
        str, typer.Option(metavar="24|1d,1w", help="Seasons: rows or times, none; auto finds them.")
    ] = "auto",
    level: Annotated[
        str, typer.Option(metavar="80,95", help="Percent that bands are to hold.")
    ] = "80,95",
    warm_up: Annotated[
        str | None,
        typer.Option(metavar="N|20%", help="Rows before the first that is judged; else a fifth."),
    ] = None,
    memory: Annotated[
        bool, typer.Option("--memory/--no-memory", help="Whether regimes are remembered.")
    ] = True,
    seed: Seed = 0,
    resume: Annotated[
        Path | None, typer.Option(metavar="MODEL", help="Go on with a saved forecaster.")
    ] = None,
) -> None:
    """Forecast a time series, from every row on: how good would that have been? Then what comes.

    mooe forecast sales.csv --horizon 2w --report report

    mooe forecast ETTh1 --horizon 24
    """
    answers = ("--predictions", output.predictions)
    check_outputs(_files_of(source), [("--save", output.save), answers], output.report)
    if resume is not None:
        check_outputs([("the model of --resume", resume)], [answers], output.report)
    files = ("the forecaster", output.save), ("predictions", output.predictions)
    check_places(output.report, *files)
    from mooe.run.forecast import ForecastPlan, ForecastRun

    resumed = None
    if resume is not None:
        asked = {
            "--time": series.time,
            "--target": series.target,
            "--id": series.id,
            "--covariate": series.covariate,
            "--horizon": horizon,
            "--season": season != "auto",
            "--level": level != "80,95",
            "--warm-up": warm_up,
            "--no-memory": not memory,
        }
        resumed = _resumed(resume, asked)
    plan = ForecastPlan(
        source,
        horizon,
        season,
        _levels(level),
        warm_up,
        memory,
        seed,
        {
            **table.values(),
            **vars(series),
            "target": series.target or (),
            "covariate": series.covariate or (),
        },
    )
    _check(plan)
    with _patience(output.quiet, f"{source}: reading"):
        run = ForecastRun(plan, resumed)
    for remark in run.results.remarks:
        note(remark)
    _go(run, output)


def _files_of(source: str) -> list[tuple[str, Path]]:
    """Return the files that a series is read from."""
    from mooe.datasets.archive import locate
    from mooe.datasets.series import MADE_SERIES, SERIES

    if source in SERIES:
        path = locate(SERIES[source].file_name)
        return [] if path is None else [(f"the published {path.name}", path)]
    if source == "-":
        return [("standard input", Path("/dev/stdin"))]
    return [] if source in MADE_SERIES else [(f"the source {source}", Path(source).expanduser())]


def _resumed(path: Path, asked: Mapping[str, object]) -> "dict[str, MOOEForecaster]":
    """Load the forecasters to go on with; no option may change what they are."""
    for option, value in asked.items():
        if value:
            usage(option, f"must be left out with --resume, which goes on with {path} as it is")
    from mooe.forecast.frames import load_all

    return load_all(path)


def _levels(text: str) -> tuple[float, ...]:
    """Return the levels that a text says, or stop."""
    from mooe.forecast.params import Params

    try:
        levels = [float(part) for part in text.split(",") if part.strip()]
        return Params(levels=tuple(levels)).levels
    except ValueError:
        usage("--level", f"must be percents above 0 and below 100, such as 80,95, got {text!r}")


def _check(plan: Any) -> None:
    """Stop with exit code 2 where an option is wrong whatever the table holds."""
    from mooe.forecast.grid import Grid
    from mooe.run.forecast import horizon_of, season_of, warm_up_of

    any_dates = Grid("seconds", step=1.0)
    for option, read in (
        ("--horizon", lambda: horizon_of(plan.horizon, any_dates)),
        ("--season", lambda: season_of(plan.season, any_dates)),
        ("--warm-up", lambda: warm_up_of(plan.warm_up, 100)),
    ):
        try:
            read()
        except ValueError as problem:
            usage(option, problem)


@contextmanager
def _patience(quiet: bool, words: str) -> Iterator[None]:
    """Say what is waited for, if it takes its time."""
    timer = Timer(PATIENCE, note, [words])
    if not quiet:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _go(run: "ForecastRun", output: ForecastOutputs) -> None:
    """Forecast in front of the user, write what was asked for, print."""
    from mooe.evaluate.progress import RunProgress

    with RunProgress(lambda: run.table.rows, show_lines=False, show_bar=not output.quiet) as shown:
        run.go(shown.move)
    if output.save is not None:
        run.save(output.save)
    if output.predictions is not None:
        run.write_answers(output.predictions)
    page = None
    if output.report is not None:
        from mooe.report import write_forecast

        with _patience(output.quiet, "the report is drawn"):
            page = write_forecast(output.report, run.results)
    if output.as_json:
        print(json.dumps(run.results.summary(), indent=2))
        return
    written = [("forecaster", output.save), ("answers", output.predictions), ("report", page)]
    _show(run.results, [f"{what}: {path}" for what, path in written if path is not None])
    _remark(run.results)


def _show(results: "ForecastResults", written: list[str]) -> None:
    """Print how good it was, and what comes."""
    from mooe.cli.terminal_tables import forecast_tables, to_stdout

    console = to_stdout()
    for part in ("", *_about(results), "", *forecast_tables(results, console.width)):
        console.print(part, soft_wrap=isinstance(part, str), markup=False)
    if written:
        console.print("\n".join(["", *written]), soft_wrap=True, markup=False)


def _about(results: "ForecastResults") -> list[str]:
    """Return what was forecast, in lines."""
    from mooe.evaluate.dates import date_of

    first = results.results[0]
    grid, n = first.series.grid, len(results.results)
    sizes = [counted(results.rows, "row"), counted(len(results.columns.targets), "channel")]
    sizes += [f"{n:,} series"] if n > 1 else []
    apart = f", {grid.said()} apart" if grid.kind != "rows" else ""
    when = ""
    new = [each for each in results.results if len(each.series.values) > each.begin]
    if grid.has_dates and new:
        begins = [float(one.series.grid.times(one.series.first + one.begin)) for one in new]
        ends = [float(one.series.grid.times(one.ahead()[0] - 1)) for one in new]
        form = date_form(max(ends) - min(begins), grid.step >= 86_400 or grid.kind == "months")
        when = f", from {date_of(min(begins)):{form}} to {date_of(max(ends)):{form}}"
    seasons = listed([f"{season:,}" for season in results.seasons])
    found = f"season of {seasons} rows" if seasons else "no season"
    judged = sum(int(each.scores["mooe"].judged.max(initial=0)) for each in results.results)
    return [
        f"{results.source}: {', '.join(sizes)}{apart}{when}; {found}",
        f"{counted(judged, 'forecast')} judged, {counted(results.horizon, 'step')} ahead each, "
        "learnt from only once their time had come",
    ]


def _remark(results: "ForecastResults") -> None:
    """Say what a user should know before trusting the numbers."""
    scores = {name: each.at()["mase"] for name, each in results.scores().items()}
    mae = {name: each.at()["mae"] for name, each in results.scores().items()}
    told = scores if scores["mooe"] is not None else mae
    if told["mooe"] is None:
        note("nothing could be judged: there are too few rows, or no values")
        return
    from mooe.forecast.results import OTHERS

    for name, words in OTHERS.items():
        if told[name] is not None and told[name] < told["mooe"]:
            note(f"{words} is off by less on average than mooe on this series")
