"""Table 3: Covertype with noise that grows until it is all noise."""

from typing import TYPE_CHECKING, Any

from mooe_paper.accuracy.comparing import (
    COLUMNS,
    MODELS,
    PROTOCOL,
    SEEDS,
    compared,
    lacking,
    n_seeds,
    not_run,
    of,
    printed_as,
)
from mooe_paper.accuracy.judged import TRIVIAL, cost_of, judged_in_noise
from mooe_paper.accuracy.published import GROWING_NOISE
from mooe_paper.accuracy.verdicts import RULE, mean
from mooe_paper.cells import Cell, Found, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["TITLE", "cells", "figures", "tables"]

TITLE = "Table 3: Covertype with growing noise"
STREAM = "Covertype"
MADE, MADE_ROWS = "recurring", 6_000
RUNS = (
    ". Labels are left as they are: they come in runs, so no-change is not touched by the noise, "
    "nor is mooe, which has it among its experts."
)


def cells(quick: bool) -> list[Cell]:
    """Return every model on the stream, with noise of several seeds."""
    stream = MADE if quick else STREAM
    out = []
    for model in (*MODELS, *TRIVIAL):
        for seed in range(1 if model in TRIVIAL else 2 if quick else SEEDS):
            arguments: dict[str, Any] = {"stream": stream, "model": model, "seed": seed}
            if quick:
                arguments["max_rows"] = MADE_ROWS
            needs = () if quick else (STREAM,)
            cost = 2.0 * cost_of(stream, model)  # trees on noise grow deep
            name = f"{stream} {model} seed {seed}"
            out.append(Cell(name, judged_in_noise, arguments, needs, cost))
    return out


def tables(found: Found) -> list[Table]:
    """Return paper against ours, with the accuracy over the last tenth of the rows."""
    named = bool(lacking(found, STREAM) or of(found, stream=f"{STREAM}-noise"))
    rows: list[list[Any]] = []
    for model in (*MODELS, *TRIVIAL):
        records = of(found, model=model)
        paper = GROWING_NOISE.get(printed_as(model)) if named else None
        line = compared(records, paper)
        last = mean([100.0 * record["tail"] for record in records])
        rows.append([model, *line, last])
    where = RUNS if named else f", on {MADE} in the place of {STREAM}."
    note = (
        f"Accuracy in %{where} Row t of n is (1 - t/n) x + (t/n) e, x standardised as it arrives, "
        "e standard normal; the paper gives no schedule. Spread over "
        f"{n_seeds(found)} seeds of the noise. {PROTOCOL} {RULE}{not_run(found)}"
    )
    return [Table("Paper and ours", ["model", *COLUMNS, "last tenth"], rows, note)]


def figures(found: Found, theme: str = "light") -> "dict[str, Figure]":
    """Return nothing: a table is not drawn."""
    return {}
