"""The paper's experiments: one file per table or figure, run with `mooe reproduce`."""

from importlib import import_module
from typing import cast

from mooe_paper.cells import Cell, Found, Result, Table

__all__ = ["RESULTS", "Cell", "Found", "Result", "Table", "result_of"]

RESULTS = {  # the names of the command, and the modules behind them
    "table1": "mooe_paper.table1",
    "table2": "mooe_paper.table2",
    "table3": "mooe_paper.table3",
    "figure-kmax": "mooe_paper.figure_kmax",
    "figure-regret": "mooe_paper.figure_regret",
    "figure-loss": "mooe_paper.figure_loss",
    "theory": "mooe_paper.theory_checks",
}


def result_of(name: str) -> Result:
    """Return the module of a result."""
    return cast(Result, import_module(RESULTS[name]))
