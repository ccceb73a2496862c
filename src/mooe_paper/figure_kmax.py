"""The K_max figure: accuracy on Covertype by the number of experts kept, computed."""

from typing import TYPE_CHECKING, Any

from mooe_paper.accuracy.comparison import (
    COLUMNS,
    PROTOCOL,
    RULE,
    accuracy,
    missing_reason,
    not_run,
)
from mooe_paper.accuracy.models import cost_of
from mooe_paper.accuracy.runs import run_model, run_pool
from mooe_paper.accuracy.sweep import (
    Printed,
    allowance,
    settings_table,
    sweep_table,
    table_settings,
)
from mooe_paper.experiment import Experiment, Record, Records, ResultTable, matching
from mooe_paper.printed_numbers import LARGEST_POOLS
from mooe_paper.unknowns import RADII, SWEEPS, default_setting

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "The K_max figure: how many experts are kept"
STREAM = "Covertype"
ALONE = 1  # the online expert without any other
POOLS = (ALONE, *LARGEST_POOLS)
MODEL = "mooe-paper"
DEFAULT = default_setting(MODEL)
MADE, MADE_ROWS = "recurring", 10_000


def experiments(quick: bool) -> list[Experiment]:
    """Return the paper's method with every number of experts and setting, and the label before."""
    stream = MADE if quick else STREAM
    rows: dict[str, Any] = {"max_rows": MADE_ROWS} if quick else {}
    needs = () if quick else (STREAM,)
    settings = list(SWEEPS[MODEL])
    planned = [
        Experiment(
            f"{stream} K_max {pool}" + (f" with {setting}" if setting != DEFAULT else ""),
            run_pool,
            {"stream": stream, "pool": pool, "setting": setting, **rows},
            needs,
            cost_of(stream, MODEL),
        )
        for setting in (settings[:2] if quick else settings)
        for pool in POOLS
    ]
    arguments = {"stream": stream, "model": "no-change", **rows}
    cost = cost_of(stream, "no-change")
    return [*planned, Experiment(f"{stream} no-change", run_model, arguments, needs, cost)]


def tables(records: Records) -> list[ResultTable]:
    """Return paper against ours for every number of experts, and every setting."""
    named = bool(missing_reason(records, STREAM) or matching(records, stream=STREAM))
    numbers = [
        Printed(
            (str(pool),), MODEL, LARGEST_POOLS.get(pool) if named else None, _runs(records, pool)
        )
        for pool in POOLS
    ]
    taken = table_settings(numbers).get(MODEL, "")
    rows = [[*number.of, *number.line(taken)] for number in numbers]
    before = Printed(("no-change",), "no-change", None, {"": matching(records, model="no-change")})
    rows.append([*before.of, *before.line("")])
    rows.append(["from 5 to 25, points", *_rise(numbers, taken)])
    note = (
        f"Accuracy in %{'' if named else f', on {MADE} in the place of {STREAM}'}, {MODEL} with "
        f"intervals of 50 rows; nothing is random. {PROTOCOL} The paper's numbers are those that "
        f"its authors' program draws: they are typed in there, not computed. {RULE} "
        f"{allowance(numbers)}{not_run(records)}"
    )
    return [
        ResultTable("Paper and ours", ["K_max", *COLUMNS], rows, note),
        settings_table(numbers),
        sweep_table(numbers, MODEL, "By the number of experts and the setting", ["K_max"]),
    ]


def _runs(records: Records, pool: int) -> dict[str, list[Record]]:
    """Return the records with so many experts by the name of the setting."""
    found = {name: matching(records, pool=pool, setting=name) for name in SWEEPS[MODEL]}
    return {name: runs for name, runs in found.items() if runs or name == DEFAULT}


def _rise(numbers: list[Printed], taken: str) -> list[Any]:
    """Return how much more 25 experts reach than 5, in the columns of the table."""
    few, many = (next(n for n in numbers if n.of == (str(pool),)) for pool in (5, 25))
    paper = None if few.paper is None or many.paper is None else many.paper - few.paper
    rises: list[float | None] = []
    for setting in (DEFAULT, taken):
        low, high = few.ours(setting), many.ours(setting)
        rises.append(None if low is None or high is None else high - low)
    apart = None if paper is None or rises[0] is None else rises[0] - paper
    return [paper, rises[0], None, apart, "", rises[1], ""]


def figures(records: Records, theme: str = "light") -> "dict[str, Figure]":
    """Return accuracy by the number of experts, the paper's numbers beside ours."""
    from matplotlib.figure import Figure

    from mooe.plots.style import count_ticks, label_ends, number_ticks, sheet, strokes, themed

    lines = {}
    for setting in RADII:
        points = [
            (pool, accuracy(run))
            for pool in POOLS
            for run in matching(records, pool=pool, setting=setting)
        ]
        if points:
            lines[f"computed, {setting}"] = points
    if not lines:
        return {}
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
    figure.set_label(
        "Accuracy by the number of experts kept, in balls of several radii R; one expert is the "
        "online one alone."
    )
    return {"kmax": figure}
