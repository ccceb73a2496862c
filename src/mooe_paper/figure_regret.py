"""The paper's regret panels: the regret of MOOE and of OGD within the last of 15 intervals."""

from collections.abc import Callable
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mooe.plots import style
from mooe_paper.confidence import RULE, claim_of_gain, estimate_text
from mooe_paper.experiment import Experiment, Record, Records, ResultTable, cell_text
from mooe_paper.intervals import by_setting
from mooe_paper.intervals.last_interval import AUTHORS, GRID, SOURCES, regrets
from mooe_paper.intervals.panels import (
    OURS,
    band,
    draw_grid,
    known,
    seeds_text,
    setting_experiments,
    setting_table,
    stream_experiments,
    stream_records,
)

TITLE = "Regret of MOOE and OGD on the last of 15 intervals"
PARTS = {  # name in a record: what it is, in the paper's letters
    "mixture": "MOOE: mixture",
    "online": "OE: online expert",
    "experts": "KE: best expert",
    "meta": "ME: weighting",
}
CAPTION = (
    "Regret within the last interval, mean over seeds with its 95 % band: the paper's algorithm, "
    "the same on streams that leak the label, and the authors' code."
)
UNIT = (
    "Losses are divided by their range, as the paper's theory asks, and regret is against the best "
    "expert of the ball for that interval. "
)


def experiments(quick: bool) -> list[Experiment]:
    """Return an experiment per stream, and one per stream and setting."""
    return stream_experiments(regrets, quick) + setting_experiments(by_setting.regrets, quick)


def tables(records: Records) -> list[ResultTable]:
    """Return the regret of the last interval, by setting, its parts, and the authors' code's."""
    streams = stream_records(records)
    return [
        _comparison_table(streams),
        _setting_table(records),
        _split_table(streams),
        _authors_table(streams),
    ]


def _comparison_table(records: Records) -> ResultTable:
    """Return MOOE's regret beside that of OGD, and their difference."""
    rows: list[list[Any]] = []
    for name, record in records.items():
        for other in ("OGD restarted", "OGD warm"):
            more = record["more"][f"MOOE - {other}"]
            values = [record["whole"]["MOOE"][0], record["whole"][other][0], estimate_text(more, 2)]
            rows.append([SOURCES[name].title, other, *values, claim_of_gain(more)])
    note = (
        f"{UNIT}The difference is MOOE's minus OGD's. {RULE} The claim, that MOOE's regret is "
        f"smaller, holds where it is lower. Seeds: {seeds_text(records)}. "
        "Paper mode with intervals as long as the stream's and 5 experts; its "
        "online expert goes on from interval to interval, as does the warm OGD. The default model "
        "has neither a ball nor experts of intervals, so no such regret."
    )
    columns = ["stream", "OGD", "regret MOOE", "regret OGD", "difference", "claim"]
    return ResultTable("Regret over the last interval", columns, rows, note, 2)


def _setting_table(records: Records) -> ResultTable:
    """Return MOOE's regret less that of OGD and the claim, for every setting."""

    def against(other: str) -> Callable[[Record], str]:
        def cell(record: Record) -> str:
            more = record["more"][f"MOOE - {other}"]
            return f"{cell_text(more[0], 2)} {claim_of_gain(more)}"

        return cell

    return setting_table(
        records,
        "The claim on regret, by setting",
        {other: against(other) for other in by_setting.OTHERS},
        f"MOOE's regret over the last interval less OGD's, and whether the claim holds that it is "
        f"smaller: the whole 95 % interval is below 0. {UNIT}A larger ball has a larger range, so "
        "numbers compare within a column.",
    )


def _split_table(records: Records) -> ResultTable:
    """Return the paper's four regrets, of the last interval and of all."""
    rows: list[list[Any]] = []
    for name, record in records.items():
        parts = record["intervals"]
        last = [parts[part][-1][0] for part in ("meta", "experts", "online", "mixture", "bound")]
        means = {
            part: [mean for mean, _, _ in parts[part][1:]]
            for part in ("online", "mixture", "bound")
        }
        gained = sum(a < b for a, b in zip(means["mixture"], means["online"], strict=True))
        most = max(a / b for a, b in zip(means["mixture"], means["bound"], strict=True))
        rows.append(
            [SOURCES[name].title, *last, f"{gained} of {len(means['online'])}", 100.0 * most]
        )
    columns = ["stream", "ME", "KE", "OE", "MOOE", "bound", "MOOE below OE", "most, % of bound"]
    note = (
        f"{UNIT}ME: mixture against the best of its experts; KE: that one against the best of the "
        "ball; OE: online expert, MOOE: mixture against it, so MOOE = ME + KE. Means over seeds of "
        "the last interval; the last two columns are over intervals 2 to 15. Bound: the corrected "
        "Theorem 2."
    )
    return ResultTable("The paper's regrets", columns, rows, note, 2)


def _authors_table(records: Records) -> ResultTable:
    """Return the regret in the authors' code."""
    rows = [
        [
            SOURCES[name].title,
            record["whole"][AUTHORS[0]][0],
            record["whole"][AUTHORS[1]][0],
            estimate_text(record["more"][f"{AUTHORS[0]} - {AUTHORS[1]}"], 0),
        ]
        for name, record in records.items()
        if AUTHORS[0] in record["whole"]
    ]
    columns = ["stream", "regret MOOE", "regret OGD", "difference"]
    note = (
        "The authors' code, replicated, on the streams as they make them: squared errors on labels "
        "0 and 1, not scaled, up to row 1,000 of the last interval, against an offline expert that "
        "was fitted to the interval before it began. To answer 1/2 always would cost 250."
    )
    return ResultTable("Regret in the authors' code", columns, rows, note, 0)


def figures(records: Records, theme: str = "light") -> dict[str, Figure]:
    """Return the panels, and the paper's regrets interval by interval."""

    def draw(ax: Axes, record: Record, models: tuple[str, ...], strokes: Any) -> None:
        unit = 1.0 if models == OURS else 1e-3
        for model in models:
            scaled = [[unit * end for end in triple] for triple in record["curve"][model]]
            band(ax, GRID, scaled, strokes[model], 6)
        style.number_ticks(ax.yaxis, most=4)
        style.count_ticks(ax.xaxis, most=2)
        ax.set_xlim(0, GRID[-1])
        ax.set_ylim(bottom=0)

    labels = ("regret up to the row", "regret, thousands")
    drawn = {
        "figure-regret": draw_grid(records, theme, draw, AUTHORS[:2], labels, CAPTION),
        "figure-regret-intervals": _draw_intervals(records, theme),
    }
    return {stem: figure for stem, figure in drawn.items() if figure is not None}


def _draw_intervals(records: Records, theme: str) -> Figure | None:
    """Return the paper's four regrets of every interval, a panel per stream that does not leak."""
    names = [name for name in SOURCES if known(records, name) and "leak" not in name]
    if not names:
        return None
    with style.themed(theme) as colours:
        figure = style.sheet(Figure(), 2.9)
        axes = figure.subplots(1, len(names), squeeze=False)[0]
        strokes = style.strokes(colours, list(PARTS))
        for ax, name in zip(axes, names, strict=True):
            parts = records[name]["intervals"]
            for (part, label), stroke in zip(PARTS.items(), strokes, strict=True):
                first = range(1, len(parts[part]) + 1)
                band(ax, first, parts[part], {**stroke, "label": label}, 3)
            ax.set_title(SOURCES[name].title)
            ax.set_xlabel("interval")
            ax.grid(axis="y")
            style.count_ticks(ax.xaxis, most=5)
            style.number_ticks(ax.yaxis, most=5)
        axes[0].set_ylabel("regret of the interval")
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=4)
        figure.set_label("The paper's regrets interval by interval, mean over seeds, 95 % band.")
    return figure
