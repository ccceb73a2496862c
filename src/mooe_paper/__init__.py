"""The paper reproduced: its tables, figures and theorems, computed again by `mooe reproduce`.

A result is a module with a title, experiments, tables and figures: `table1`, `table2`, `table3`,
`figure_kmax`, `figure_regret`, `figure_loss` and `theory_checks`. An experiment is a function with
arguments; its record is kept in a file; tables and figures are made from records alone.

    experiment      Experiment, Records, ResultTable: what a result consists of
    fingerprint     when an experiment has to be run again
    workers, store  experiments in processes of their own, and the files they leave
    printed_numbers the numbers that the paper prints
    unknowns        what it leaves open of each method, and the settings that are tried
    accuracy/       models over streams: Tables 1 to 3 and the K_max figure
    intervals/      losses and regrets within intervals: the two figures, the central claim
    theory/         every lemma and theorem as a function, printed and corrected
    checks/         bounds beside what is observed, counter-examples, errata
    confidence      means over seeds with their 95 % intervals
    formats, paper_report, docs_page    what readers see

Functions of experiments are in modules of their own, without tables and figures, so that a new
sentence below a table runs nothing again.
"""

from importlib import import_module
from typing import cast

from mooe_paper.experiment import ResultModule

RESULTS = {  # the names of the command, and the modules behind them
    "table1": "mooe_paper.table1",
    "table2": "mooe_paper.table2",
    "table3": "mooe_paper.table3",
    "figure-kmax": "mooe_paper.figure_kmax",
    "figure-regret": "mooe_paper.figure_regret",
    "figure-loss": "mooe_paper.figure_loss",
    "theory": "mooe_paper.theory_checks",
}


def result_module(name: str) -> ResultModule:
    """Return the module of a result by the name that the command has for it."""
    return cast(ResultModule, import_module(RESULTS[name]))
