"""The K_max figure: accuracy on Covertype by the number of experts kept, computed."""

from typing import TYPE_CHECKING, Any

from mooe_paper.accuracy.comparison import (
    COLUMNS,
    PROTOCOL,
    RULE,
    accuracy,
    comparison,
    missing_reason,
    not_run,
)
from mooe_paper.accuracy.models import cost_of
from mooe_paper.accuracy.runs import run_model, run_pool
from mooe_paper.experiment import Experiment, Records, ResultTable, matching
from mooe_paper.printed_numbers import LARGEST_POOLS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "The K_max figure: how many experts are kept"
STREAM = "Covertype"
ALONE = 1  # the online expert without any other
POOLS = (ALONE, *LARGEST_POOLS)
MADE, MADE_ROWS = "recurring", 10_000


def experiments(quick: bool) -> list[Experiment]:
    """Return the paper's method with every number of experts, and the label before."""
    stream = MADE if quick else STREAM
    rows: dict[str, Any] = {"max_rows": MADE_ROWS} if quick else {}
    needs = () if quick else (STREAM,)
    planned = [
        Experiment(
            f"{stream} K_max {pool}",
            run_pool,
            {"stream": stream, "pool": pool, **rows},
            needs,
            cost_of(stream, "mooe-paper"),
        )
        for pool in POOLS
    ]
    arguments = {"stream": stream, "model": "no-change", **rows}
    cost = cost_of(stream, "no-change")
    return [*planned, Experiment(f"{stream} no-change", run_model, arguments, needs, cost)]


def tables(records: Records) -> list[ResultTable]:
    """Return paper against ours for every number of experts."""
    named = bool(missing_reason(records, STREAM) or matching(records, stream=STREAM))
    rows: list[list[Any]] = []
    for pool in POOLS:
        line = comparison(matching(records, pool=pool), LARGEST_POOLS.get(pool) if named else None)
        rows.append([str(pool), *line])
    rows.append(["no-change", *comparison(matching(records, model="no-change"), None)])
    rows.append(["from 5 to 25, points", *_rise(records, named)])
    note = (
        f"Accuracy in %{'' if named else f', on {MADE} in the place of {STREAM}'}, mooe-paper with "
        f"intervals of 50 rows; nothing is random. {PROTOCOL} The paper's numbers are those that "
        f"its authors' program draws: they are typed in there, not computed. {RULE}"
        f"{not_run(records)}"
    )
    return [ResultTable("Paper and ours", ["K_max", *COLUMNS], rows, note)]


def _rise(records: Records, named: bool) -> list[Any]:
    """Return how much more 25 experts reach than 5: paper, ours, and the difference."""
    paper = LARGEST_POOLS[25] - LARGEST_POOLS[5] if named else None
    values = [accuracy(run) for pool in (5, 25) for run in matching(records, pool=pool)]
    if len(values) != 2 or values[0] is None or values[1] is None:
        return [paper, None, None, None, ""]
    ours = values[1] - values[0]
    return [paper, ours, None, None if paper is None else ours - paper, ""]


def figures(records: Records, theme: str = "light") -> "dict[str, Figure]":
    """Return accuracy by the number of experts, the paper's numbers beside ours."""
    from matplotlib.figure import Figure

    from mooe.plots.style import count_ticks, label_ends, number_ticks, sheet, strokes, themed

    ours = [(run["pool"], accuracy(run)) for pool in POOLS for run in matching(records, pool=pool)]
    if not ours:
        return {}
    lines = {"computed here": ours}
    if matching(records, stream=STREAM):
        lines["typed in by its authors"] = list(LARGEST_POOLS.items())
    before = matching(records, model="no-change")
    with themed(theme) as colours:
        figure = sheet(Figure(), 3.2)
        ax = figure.subplots()
        styles = strokes(colours, [*lines, "no-change"])
        ends = []
        for (name, points), style in zip(lines.items(), styles, strict=False):
            ax.plot(*zip(*points, strict=True), **style)
            ends.append((name, points[-1][1] or 0.0, style["color"]))
        if before:
            level = accuracy(before[0]) or 0.0
            ax.axhline(level, **styles[-1])
            ends.append(("no-change", level, styles[-1]["color"]))
        ax.set_xlabel("experts kept, K_max")
        ax.set_ylabel("accuracy (%)")
        ax.grid(axis="y")
        count_ticks(ax.xaxis)
        number_ticks(ax.yaxis)
        label_ends(ax, ends)
    figure.set_label("Accuracy by the number of experts kept; one expert is the online one alone.")
    return {"kmax": figure}
