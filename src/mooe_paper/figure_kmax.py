"""The K_max figure: accuracy on Covertype by the number of experts kept, computed."""

from typing import TYPE_CHECKING, Any

from mooe_paper.accuracy.comparing import (
    COLUMNS,
    PROTOCOL,
    accuracy,
    compared,
    lacking,
    not_run,
    of,
)
from mooe_paper.accuracy.judged import cost_of, judged
from mooe_paper.accuracy.published import LARGEST_POOLS
from mooe_paper.accuracy.verdicts import RULE
from mooe_paper.cells import Cell, Found, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["TITLE", "cells", "figures", "tables"]

TITLE = "The K_max figure: how many experts are kept"
STREAM = "Covertype"
ALONE = 1  # the online expert without any other
POOLS = (ALONE, *LARGEST_POOLS)
MADE, MADE_ROWS = "recurring", 10_000


def cells(quick: bool) -> list[Cell]:
    """Return the paper's method with every number of experts, and the label before."""
    stream = MADE if quick else STREAM
    rows: dict[str, Any] = {"max_rows": MADE_ROWS} if quick else {}
    needs = () if quick else (STREAM,)
    out = [
        Cell(
            f"{stream} K_max {pool}",
            with_pool,
            {"stream": stream, "pool": pool, **rows},
            needs,
            cost_of(stream, "mooe-paper"),
        )
        for pool in POOLS
    ]
    arguments = {"stream": stream, "model": "no-change", **rows}
    return [*out, Cell(f"{stream} no-change", judged, arguments, needs, cost_of(stream, "none"))]


def with_pool(stream: str, pool: int, max_rows: int | None = None) -> dict[str, Any]:
    """Return the record of the paper's method with so many experts."""
    parameters = {"max_experts": str(pool)}
    record = judged(stream, "mooe-paper", parameters=parameters, max_rows=max_rows)
    return {**record, "pool": pool}


def tables(found: Found) -> list[Table]:
    """Return paper against ours for every number of experts."""
    named = bool(lacking(found, STREAM) or of(found, stream=STREAM))
    rows: list[list[Any]] = []
    for pool in POOLS:
        line = compared(of(found, pool=pool), LARGEST_POOLS.get(pool) if named else None)
        rows.append([str(pool), *line])
    rows.append(["no-change", *compared(of(found, model="no-change"), None)])
    rows.append(["from 5 to 25, points", *rise(found, named)])
    note = (
        f"Accuracy in %{'' if named else f', on {MADE} in the place of {STREAM}'}, mooe-paper with "
        f"intervals of 50 rows; nothing is random. {PROTOCOL} The paper's numbers are those that "
        f"its authors' program draws: they are typed in there, not computed. {RULE}{not_run(found)}"
    )
    return [Table("Paper and ours", ["K_max", *COLUMNS], rows, note)]


def rise(found: Found, named: bool) -> list[Any]:
    """Return how much more 25 experts reach than 5: paper, ours, and the difference."""
    paper = LARGEST_POOLS[25] - LARGEST_POOLS[5] if named else None
    values = [accuracy(one) for pool in (5, 25) for one in of(found, pool=pool)]
    if len(values) != 2 or values[0] is None or values[1] is None:
        return [paper, None, None, None, ""]
    ours = values[1] - values[0]
    return [paper, ours, None, None if paper is None else ours - paper, ""]


def figures(found: Found, theme: str = "light") -> "dict[str, Figure]":
    """Return accuracy by the number of experts, the paper's numbers beside ours."""
    from matplotlib.figure import Figure

    from mooe.plots.look import count_ticks, label_ends, number_ticks, sheet, strokes, themed

    ours = [(one["pool"], accuracy(one)) for pool in POOLS for one in of(found, pool=pool)]
    if not ours:
        return {}
    lines = {"computed here": ours}
    if of(found, stream=STREAM):
        lines["typed in by its authors"] = list(LARGEST_POOLS.items())
    before = of(found, model="no-change")
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
