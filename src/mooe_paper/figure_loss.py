"""The paper's loss panels: MOOE and OGD within the last of 15 intervals, and the central claim."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mooe.plots import style
from mooe_paper.confidence import RULE, both, estimate_text, word
from mooe_paper.experiment import Experiment, Record, Records, ResultTable, cell_text
from mooe_paper.intervals import by_setting, central_claim
from mooe_paper.intervals.last_interval import AUTHORS, EDGES, FIRST, SOURCES, losses
from mooe_paper.intervals.panels import (
    OURS,
    band,
    draw_grid,
    seeds_text,
    setting_experiments,
    setting_table,
    stream_experiments,
    stream_records,
)

TITLE = "Loss of MOOE and OGD on the last of 15 intervals, and early in an interval"
CAPTION = (
    "Loss within the last interval, mean over seeds with its 95 % band: the paper's algorithm, the "
    "same on streams that leak the label, and the authors' code."
)
UNIT = (
    "Loss: squared error of answers from 0 to 1 to labels 0 and 1, so that to answer 1/2 always "
    "costs 0.25. Error: wrong labels. "
)
SHOWN = (0, 2, 4)  # of FIRST


def experiments(quick: bool) -> list[Experiment]:
    """Return an experiment per stream, per stream and setting, per condition of the claim."""
    swept = setting_experiments(by_setting.losses, quick)
    return stream_experiments(losses, quick) + swept + central_claim.experiments(quick)


def tables(records: Records) -> list[ResultTable]:
    """Return losses of the last interval, what MOOE gains there, authors' code, central claim."""
    streams = stream_records(records)
    return [
        _level_table(streams),
        _gain_table(streams),
        _setting_table(records),
        _authors_table(streams),
        *central_claim.tables(records),
    ]


def _level_table(records: Records) -> ResultTable:
    """Return the losses and errors of every model, the default one beside."""
    rows = [
        [
            SOURCES[name].title,
            model.replace("default", "default model"),
            *(record["loss"][model][i][0] for i in SHOWN),
            *(record["error"][model][i][0] for i in SHOWN),
            record["accuracy"][model][0],
        ]
        for name, record in records.items()
        for model in (*OURS, "default")
    ]
    columns = ["stream", "model", *_columns("loss"), *_columns("error"), "accuracy, whole stream"]
    note = (
        f"{UNIT}Errors and accuracy are shares. Means over the first rows of the last interval and "
        f"over seeds ({seeds_text(records)}). MOOE "
        "and OGD are paper mode with 5 experts and intervals as long as the stream's. The default "
        "model is told nothing of intervals and does not minimise this loss: its probabilities are "
        "taken as answers, so errors compare with the others, and losses only as such. On leaking "
        "streams the inputs give the label away, and no number says anything about drift."
    )
    return ResultTable("Losses in the last interval", columns, rows, note, 3)


def _gain_table(records: Records) -> ResultTable:
    """Return MOOE's losses and errors less those of OGD, with intervals and words."""
    rows: list[list[Any]] = []
    for name, record in records.items():
        for other in ("OGD restarted", "OGD warm"):
            more = record["more"][f"MOOE - {other}"]
            for i in SHOWN:
                loss, error = more["loss"][i], more["error"][i]
                values = [estimate_text(loss, 3), estimate_text(error, 1, 100.0), both(loss, error)]
                rows.append([SOURCES[name].title, other, f"{FIRST[i]:,}", *values])
    columns = ["stream", "against", "first rows", "loss", "error, points", "MOOE is"]
    note = f"{UNIT}MOOE's minus OGD's in the last interval, so below 0 is a gain. {RULE}"
    return ResultTable("What MOOE gains on OGD in the last interval", columns, rows, note)


def _setting_table(records: Records) -> ResultTable:
    """Return MOOE's loss less that of OGD, and on which side of 0 loss and error lie."""

    def against(other: str, n: int) -> Callable[[Record], str]:
        def cell(record: Record) -> str:
            rows = by_setting.FIRST if "setting" in record else FIRST
            place, more = rows.index(n), record["more"][f"MOOE - {other}"]
            loss, error = more["loss"][place], more["error"][place]
            places = (word(side).replace("no difference", "–") for side in (loss, error))
            return f"{cell_text(loss[0], 3)} {'/'.join(places)}"

        return cell

    cells = {
        f"{other}, first {n:,}": against(other, n)
        for other in by_setting.OTHERS
        for n in by_setting.FIRST
    }
    note = (
        "MOOE's loss over the first rows of the last interval less OGD's; then whether its loss / "
        f"its error is lower or higher, – for no difference shown. {UNIT}{RULE}"
    )
    return setting_table(records, "The claim on loss, by setting", cells, note)


def _authors_table(records: Records) -> ResultTable:
    """Return the losses of the authors' code, and those with offline experts that know nothing."""
    rows: list[list[Any]] = []
    for name, record in records.items():
        if AUTHORS[0] not in record["loss"]:
            continue
        less = record["more"][f"{AUTHORS[0]} - {AUTHORS[2]}"]["loss"][0]
        ratio = record["loss"][AUTHORS[0]][0][0] / record["loss"][AUTHORS[1]][0][0]
        rows += [
            [SOURCES[name].title, model.removesuffix(", authors"), *values]
            for model, values in (
                (
                    AUTHORS[0],
                    [*_first_and_last(record, AUTHORS[0]), ratio, "", record["moved"][0]],
                ),
                (AUTHORS[1], [*_first_and_last(record, AUTHORS[1]), None, "", None]),
                (
                    AUTHORS[2],
                    [*_first_and_last(record, AUTHORS[2]), None, f"MOOE is {word(less)}", None],
                ),
            )
        ]
    columns = ["stream", "model", "loss, first 10", "first 1,000", "error, first 10"]
    columns += ["first 1,000", "MOOE / OGD, first 10", "beside blank, first 10", "weights moved"]
    note = (
        "The authors' code, replicated, on the streams as they make them. Its OGD is MOOE's own "
        "online expert, which starts at random in every interval with weight 0.6; blank is MOOE "
        "with offline experts of zeros. The square of 0.6 is 0.36: the ratio of the first losses "
        "says how much of a wild score is left after averaging, not what was learnt. Weights "
        f"moved: total variation over the 1,000 rows, mean over seeds. {RULE}"
    )
    return ResultTable("Losses in the authors' code", columns, rows, note, 2)


def _first_and_last(record: Record, model: str) -> list[float]:
    """Return losses and errors of a model over the fewest and the most rows."""
    return [record[kind][model][i][0] for kind in ("loss", "error") for i in (0, -1)]


def _columns(measure: str) -> list[str]:
    """Return the names of columns."""
    return [f"{measure}, first {FIRST[i]:,}" for i in SHOWN]


def figures(records: Records, theme: str = "light") -> dict[str, Figure]:
    """Return the panels, and the curve of what MOOE gains early in an interval."""

    def draw(ax: Axes, record: Record, models: tuple[str, ...], strokes: Any) -> None:
        middles = [(a + 1 + b) / 2 for a, b in pairwise(EDGES)]
        for model in models:
            band(ax, middles, record["curve"][model], strokes[model], 3)
        ax.set_xscale("log")
        ax.set_xticks([10, 100, 1000], ["10", "100", "1,000"])
        ax.minorticks_off()
        ink = ax.xaxis.label.get_color()
        ax.axhline(0.25, color=ink, linewidth=0.8, linestyle=(0, (1, 2)), label="1/2 always")
        if models == OURS:
            style.number_ticks(ax.yaxis, most=4)
            ax.set_ylim(bottom=0)
        else:
            ax.set_yscale("log")
            ax.set_ylim(bottom=0.1)

    labels = ("loss", "loss, log scale")
    drawn = {"figure-loss": draw_grid(records, theme, draw, AUTHORS, labels, CAPTION)}
    drawn |= {"early-gain": central_claim.draw_curves(records, theme)}
    return {stem: figure for stem, figure in drawn.items() if figure is not None}
