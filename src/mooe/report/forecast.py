"""The report of a forecast: how good it would have been, what comes, and when the past returned."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from mooe.evaluate.results import Moment, Results
from mooe.forecast.results import MODEL, OTHERS, ForecastResults, SeriesResult
from mooe.forecast.scores import NAMES
from mooe.plots import plot_coverage, plot_errors, plot_forecast, plot_recall, plot_weights
from mooe.plots.forecast import MOST_PANELS, coverage_windows
from mooe.report import page, regimes, returns
from mooe.report.tables import NONE, Cell, Table
from mooe.words import counted, four_digits, listed

MOST_LINES = 48  # of the table of the forecast
MOST_MOMENTS = 400  # of the recall map
MOST_NAMED = 40  # series or channels that the table of them names
STEPS = 12  # of the table by step
REGIME_MAP = regimes.map_caption(
    "in the forecasts made there", "rows in which no regime that has a number was in charge"
)


def write_forecast(folder: str | Path, results: ForecastResults, title: str | None = None) -> Path:
    """Write index.html, its figures as PNG, SVG and PDF, tables and results.json; return the page.

    The same results give the same bytes, but for the time that they took.
    """
    table = models_table(results)
    path = page.open_report(folder, table)
    text = json.dumps({**results.summary(), "origin": results.origin}, indent=1)
    page.write(path / "results.json", f"{text}\n".encode())
    watched = _watched(results)
    blocks = [
        page.answer("How good would the forecasts have been?", how_good(results)),
        page.tiles(_key_figures(results)),
        page.answer("What comes?", what_comes(results)),
        *_asked(results, watched),
        page.draw(
            path, "forecast", "History and forecast",
            f"{_drawn(results)}Dashed: what was forecast then, every {results.horizon} rows; the "
            "bands are to hold the shares of values that are written beside them.",
            plot_forecast, results,
        ),
        page.table_block("models", "All steps", table, [_note(results)]),
        page.table_block("steps", "Step by step", steps_table(results), []),
        page.draw(
            path, "errors", "The error by step",
            f"Mean absolute error{_scaled(results)}, by how far ahead the forecast looked.",
            plot_errors, results,
        ),
    ]  # fmt: skip
    if results.levels and any(len(coverage_windows(results, x, 1)[0]) for x in results.levels):
        blocks.append(page.draw(
            path, "coverage", "Did the bands hold?",
            "The share of values that lay within their band, window by window, by when they came; "
            "broken lines say what was promised.",
            plot_coverage, results,
        ))  # fmt: skip
    blocks.append(page.draw(
        path, "weights", "Who decides",
        "The weights of the experts in the forecast that was made last, by how far ahead it looks.",
        plot_weights, results,
    ))  # fmt: skip
    if watched is not None:
        blocks.append(page.draw(path, "recall", "The recall map", REGIME_MAP, plot_recall, watched))
        if watched.concepts:
            told = [(name, _of_series(facts)) for name, facts in regimes.regime_cards(watched)]
            said = "Rows that a regime was in charge of."
            blocks.append(page.cards("concepts", "The regimes", told, said))
    if len(results.results) > 1 or len(results.columns.targets) > 1:
        blocks.append(page.table_block("channels", *_channels(results)))
    blocks.append(page.table_block("ahead", "The forecast", *_ahead_table(results)))
    return page.write_page(
        path, title or f"Forecast of {results.source}", _under(results), blocks, _foot(results)
    )


def _asked(results: ForecastResults, watched: Results | None) -> list[str]:
    """Return the answers that not every table gives: on returns, and on what was done to it."""
    out = []
    if watched is not None:
        out.append(page.answer("When did the past come back?", returns.sentences(watched)))
    if results.remarks:
        told = [f"{_capitalised(line, results.source)}." for line in results.remarks]
        out.append(page.answer("What was done to the table?", told))
    return out


def _capitalised(line: str, source: str) -> str:
    """Return a line as a sentence begins; the name of a file stays as it is."""
    return line if line.startswith(source) else f"{line[0].upper()}{line[1:]}"


def how_good(results: ForecastResults) -> list[str]:
    """Say how far off forecasts were on average, beside the naive ones, and whether bands held."""
    scores = {name: each.at() for name, each in results.scores().items()}
    key = "mase" if scores[MODEL]["mase"] is not None else "mae"
    own = scores[MODEL][key]
    if own is None:
        return ["That cannot be said.", "There are too few rows to judge a forecast by."]
    n = counted(results.horizon, "step")
    unit = "times what a value differs by from the one a season before" if key == "mase" else ""
    parts, losing = [], []
    for name, words in OTHERS.items():
        other = scores[name][key]
        if other:
            change = 100.0 * (own - other) / other
            more = f"{abs(change):.0f} % {'less' if change < 0 else 'more'} than {words}"
            parts.append(f"{more} ({_number(other)})")
            losing += [words] if change > 0 else []
    verdict = f"worse than {listed(losing)}" if losing else ""
    first = f"Over {n}, {MODEL} was off by {_number(own)} {unit}".rstrip()
    out = [f"{first}{f', {verdict}' if verdict else ''}."]
    out += [f"That is {' and '.join(parts)}."] if parts else []
    shares = scores[MODEL].get("coverage", {})
    held = [f"{100 * share:.1f} % of values lay within the {level} % band"
            for level, share in shares.items() if share is not None]  # fmt: skip
    out += [f"{listed(held)}."] if held else []
    out.append("Every forecast was learnt from only when what it was about had come.")
    return out


def what_comes(results: ForecastResults) -> list[str]:
    """Say what is forecast first, last and at its extremes, of the first channel."""
    one = results.results[0]
    lines = one.forecast_rows()[: len(one.forecast.mean)]
    means = [line["mean"] for line in lines]
    if None in means:
        return ["Nothing can be forecast.", "No value is known yet."]
    name = f"{one.series.name}: " if one.series.name else ""

    def told(line: dict[str, Any]) -> str:
        bands = list(line["bands"].items())
        within = ""
        if bands:
            level, (low, high) = bands[0]
            within = f" ({_number(low)} to {_number(high)} with {level} %)"
        return f"{_number(line['mean'])}{within} at {_moment(line['time'])}"

    high, low = lines[int(np.argmax(means))], lines[int(np.argmin(means))]
    out = [f"{name}{lines[0]['channel']}: next comes {told(lines[0])}."]
    if len(lines) > 1:
        out.append(f"The highest is {told(high)}, the lowest {told(low)}.")
    more = len(results.results) * len(results.columns.targets) - 1
    channels = f"{counted(more, 'more channel')} {'is' if more == 1 else 'are'}"
    others = channels if len(results.columns.targets) > 1 else f"{more:,} more series are"
    out += [f"{others} in results.json."] if more > 0 else []
    return out


def models_table(results: ForecastResults) -> Table:
    """Make a line for each forecaster: scores over all steps, the best in bold."""
    scores = {name: each.at() for name, each in results.scores().items()}
    keys = ("mse", "mae", "mase", "smape", "crps")
    best = {key: _best(told.get(key) for told in scores.values()) for key in keys[:4]}
    rows = []
    for name, told in scores.items():
        cells = [_cell(told.get(key), best.get(key)) for key in keys]
        shares = told.get("coverage", {})
        cells += [_percent(shares.get(f"{level:g}")) for level in results.levels]
        rows.append((Cell(OTHERS.get(name, name)), *cells))
    header = ("over all steps", *(NAMES[key] for key in keys))
    bands = tuple(f"in {level:g} % (%)" for level in results.levels)
    return Table((*header, *bands), tuple(rows))


def steps_table(results: ForecastResults) -> Table:
    """Make a line for each of some steps: errors of all forecasters, and coverage."""
    scores, horizon = results.scores(), results.horizon
    steps = sorted({round(h) for h in np.geomspace(1, horizon, min(STEPS, horizon))})
    rows = []
    for h in steps:
        told = {name: each.at(h) for name, each in scores.items()}
        best = {key: _best(each[key] for each in told.values()) for key in ("mae", "mase")}
        cells = [_cell(told[MODEL]["mse"]), _cell(told[MODEL]["mae"], best["mae"])]
        cells += [_cell(each["mase"], best["mase"]) for each in told.values()]
        shares = told[MODEL].get("coverage", {})
        cells += [_percent(shares.get(f"{level:g}")) for level in results.levels]
        rows.append((Cell(f"{h:,}"), *cells))
    names = ["MASE", *(f"of {name}" for name in OTHERS.values())]
    bands = [f"in {level:g} % (%)" for level in results.levels]
    return Table(("step", "MSE", "MAE", *names, *bands), tuple(rows))


def _channels(results: ForecastResults) -> tuple[str, Table, list[str]]:
    """Return heading, table and notes on the channels or series, over all steps."""
    told = list(results.by_channel())
    rows = []
    for line in told[:MOST_NAMED]:
        values = [line["mase"], *(line[name]["mase"] for name in OTHERS)]
        best = _best(values)
        name = " ".join(filter(None, (line.get("id"), line["channel"])))
        shares = line.get("coverage", {})
        cells = [_cell(line["mse"]), _cell(line["mae"]), *(_cell(v, best) for v in values)]
        cells += [_percent(shares.get(f"{level:g}")) for level in results.levels]
        rows.append((Cell(name), *cells))
    names = ["MASE", *(f"of {name}" for name in OTHERS.values())]
    bands = [f"in {level:g} % (%)" for level in results.levels]
    more = len(told) - MOST_NAMED
    notes = [f"{more:,} more are in results.json."] if more > 0 else []
    heading = "Series by series" if len(results.results) > 1 else "Channel by channel"
    return heading, Table(("", "MSE", "MAE", *names, *bands), tuple(rows)), notes


def _ahead_table(results: ForecastResults) -> tuple[Table, list[str]]:
    """Return the table of the forecast, of one series all channels, and what it leaves out."""
    one = results.results[0]
    grid = one.series.grid.texts(one.ahead())
    channels = one.series.channels[:MOST_PANELS]
    rows = []
    for at, time in enumerate(grid[:MOST_LINES]):
        cells = []
        for c in range(len(channels)):
            mean = float(one.forecast.mean[at, c])
            cells.append(_cell(mean))
            for level in results.levels if len(channels) == 1 else ():
                low, high = (
                    side[level][at, c] for side in (one.forecast.lower, one.forecast.upper)
                )
                cells.append(Cell(f"{_number(float(low))} to {_number(float(high))}"))
        rows.append((Cell(_moment(time)), *cells))
    bands = [f"{level:g} %" for level in results.levels] if len(channels) == 1 else []
    notes = [f"Of {one.series.name}."] if one.series.name else []
    if len(grid) > MOST_LINES or len(results.results) > 1 or len(one.series.channels) > 1:
        notes.append("All steps, channels and bands are in results.json.")
    return Table(("time", *channels, *bands), tuple(rows)), notes


def _watched(results: ForecastResults) -> Results | None:
    """Return the regimes of the first series as a run's results have them; None without any."""
    one = results.results[0]
    if one.memory is None or not one.memory.regimes:
        return None
    n = len(one.series.values)
    rows = np.unique(np.linspace(0, n - 1, min(n, MOST_MOMENTS)).astype(int))
    known = tuple(regime["name"] for regime in one.memory.regimes)
    held = one.memory.weight
    moments = [
        Moment(row, known, (*[0.0] * len(known), float(1.0 - held[row])), ((0, 0),) * len(known))
        for row in rows.tolist()
    ]
    spoken = {*rows.tolist(), *_visited(one.memory.regimes)}
    return Results(
        MODEL, results.source, "regression", 1, 0, rows=n, remembers="regimes",
        moments=moments, concepts=one.memory.regimes, times=_times(one, spoken),
    )  # fmt: skip


def _visited(known: list[dict[str, Any]]) -> set[int]:
    """Return the rows that regimes speak of."""
    rows = {row for regime in known for visit in regime["visits"] for row in visit}
    return rows | {regime[key] for regime in known for key in ("first", "last")}


def _times(one: SeriesResult, rows: set[int]) -> list[tuple[int, float]]:
    """Return rows with their times, where these are dates."""
    if not one.series.grid.has_dates:
        return []
    n = len(one.series.values)
    inside = sorted(row for row in rows if 0 <= row < n)
    times = one.series.grid.times(one.series.first + np.array(inside))
    return list(zip(inside, times.tolist(), strict=True))


def _of_series(facts: dict[str, str]) -> dict[str, str]:
    """Return what is told of a regime, for a series that has no labels or inputs."""
    return {name: fact for name, fact in facts.items() if name in ("here", "rows")}


def _key_figures(results: ForecastResults) -> list[tuple[str, str, str]]:
    """Return what the tiles show."""
    told = results.scores()[MODEL].at()
    seasons = listed([f"{season:,}" for season in results.seasons])
    tiles = [("MASE", _number(told["mase"]), ""), ("MAE", _number(told["mae"]), "")]
    for level, share in told.get("coverage", {}).items():
        tiles.append((f"within {level} %", NONE if share is None else f"{100 * share:.1f}", "%"))
    tiles.append(("season", seasons or "none", "rows" if seasons else ""))
    return tiles


def _drawn(results: ForecastResults) -> str:
    """Say what is drawn of many."""
    n = len(results.results) if len(results.results) > 1 else len(results.columns.targets)
    what = "series" if len(results.results) > 1 else "channels"
    return f"The first {MOST_PANELS} of {n:,} {what}. " if n > MOST_PANELS else ""


def _note(results: ForecastResults) -> str:
    """Say what the scores are over."""
    one = results.results[0]
    begin = one.series.grid.texts([one.series.first + one.judged_from])[0]
    where = f"made at {_moment(begin)} or later" if len(results.results) == 1 else "after a warm-up"
    crps = " CRPS is computed from the bands." if results.levels else ""
    return (
        f"Means over all steps and channels of the forecasts {where}, one from every row. Seasonal "
        f"naive knows the season that was found in the end.{crps}"
    )


def _scaled(results: ForecastResults) -> str:
    """Return what errors are a multiple of, '' where values do not differ."""
    has_scale = results.scores()[MODEL].at()["mase"] is not None
    return " as a multiple of what a value differs by from the one a season before" * has_scale


def _under(results: ForecastResults) -> str:
    """Return the line below the title."""
    one = results.results[0]
    grid = one.series.grid
    has_new = len(one.series.values) > one.begin
    texts = grid.texts([one.series.first + one.begin, one.ahead()[0] - 1])
    sizes = [counted(results.rows, "row"), counted(len(results.columns.targets), "channel")]
    n = len(results.results)
    sizes += [f"{n:,} series"] if n > 1 else []
    apart = f", {grid.said()} apart" if grid.kind != "rows" else ""
    when = f", from {_moment(texts[0])} to {_moment(texts[1])}" if n == 1 and has_new else ""
    return f"{results.source}: {', '.join(sizes)}{apart}{when}"


def _foot(results: ForecastResults) -> dict[str, str]:
    """Return what the numbers depend on."""
    facts = {
        "table": results.source,
        "time": results.columns.time or "",
        "id": results.columns.id or "",
        "forecast": ", ".join(results.columns.targets),
        "horizon": counted(results.horizon, "row"),
        **results.origin,
    }
    return {name: fact for name, fact in facts.items() if fact}


def _moment(text: str) -> str:
    """Return a time as people write it.

    >>> _moment("2024-01-01T05:00:00"), _moment("2024-01-01T05:00:30"), _moment("2024-01-01")
    ('2024-01-01 05:00', '2024-01-01 05:00:30', '2024-01-01')
    """
    day, sep, clock = text.partition("T")
    is_zoned = clock.endswith("Z")
    clock = clock.removesuffix("Z")
    clock = clock.removesuffix(":00") if clock.count(":") == 2 else clock
    return f"{day}{' ' if sep else ''}{clock}{' UTC' if is_zoned else ''}"


def _best(values: Any) -> float | None:
    """Return the least of some values, None where there are none or all are alike."""
    known = [value for value in values if value is not None]
    return min(known) if len({_number(value) for value in known}) > 1 else None


def _cell(value: float | None, best: float | None = None) -> Cell:
    """Return a number as a cell."""
    if value is None or value != value:
        return Cell(NONE)
    text = _number(value)
    return Cell(text, value, best is not None and text == _number(best))


def _percent(share: float | None) -> Cell:
    return Cell(NONE) if share is None else Cell(f"{100 * share:.1f}", share)


def _number(value: float | None) -> str:
    """Write a number in about four digits.

    >>> _number(-1234.5), _number(5.2e-12), _number(None)
    ('−1,234', '5.2e-12', '–')
    """
    if value is None or value != value:
        return NONE
    text = four_digits(value)
    return text if "e" in text else text.replace("-", "−")
