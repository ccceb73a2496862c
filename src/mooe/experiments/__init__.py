"""The paper's experiments: one file per table or figure, run with `mooe reproduce`."""

from importlib import import_module
from importlib.util import find_spec
from typing import cast

from mooe.experiments.cells import Cell, Found, Result, Table

__all__ = ["RESULTS", "Cell", "Found", "Result", "Table", "result_of"]

RESULTS: dict[str, str] = {  # the names of the command, and the modules behind them
    "table1": "mooe.experiments.table1",
    "table2": "mooe.experiments.table2",
    "table3": "mooe.experiments.table3",
    "figure-kmax": "mooe.experiments.figure_kmax",
    "figure-regret": "mooe.experiments.figure_regret",
    "figure-loss": "mooe.experiments.figure_loss",
    "theory": "mooe.experiments.theory_checks",
}
RESULTS = {name: module for name, module in RESULTS.items() if find_spec(module)}


def result_of(name: str) -> Result:
    """Return the module of a result."""
    return cast(Result, import_module(RESULTS[name]))
