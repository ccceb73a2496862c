"""The paper's experiments: one file per table or figure, run with `mooe reproduce`."""

from importlib import import_module
from typing import cast

from mooe.experiments.cells import Cell, Found, Result, Table

__all__ = ["RESULTS", "Cell", "Found", "Result", "Table", "result_of"]

RESULTS = {  # the names of the command, and the modules behind them
    "table1": "mooe.experiments.table1",
    "table2": "mooe.experiments.table2",
    "table3": "mooe.experiments.table3",
    "figure-kmax": "mooe.experiments.figure_kmax",
    "figure-regret": "mooe.experiments.figure_regret",
    "figure-loss": "mooe.experiments.figure_loss",
    "theory": "mooe.experiments.theory_checks",
}


def result_of(name: str) -> Result:
    """Return the module of a result."""
    return cast(Result, import_module(RESULTS[name]))
