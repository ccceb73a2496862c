"""Figures of results: every function takes `Results` and returns (fig, ax), and computes nothing.

One look for all of them, light and dark (`theme=`), told apart without colour as well. A figure is
made with pyplot, so that notebooks show it, or drawn on the `figure=` that is given. The global
settings of matplotlib are neither read nor changed.
"""

from mooe.evaluate.measures import MEASURES, Measure, measure_of
from mooe.evaluate.ranks import Ranks, compare_ranks
from mooe.plots.forecast import plot_coverage, plot_errors, plot_forecast, plot_weights
from mooe.plots.keys import plot_ages, plot_changes, plot_spread
from mooe.plots.precision_recall import plot_precision_recall
from mooe.plots.ranks import plot_ranks
from mooe.plots.recall_map import interval_rows, plot_recall
from mooe.plots.regret import plot_regret
from mooe.plots.style import PHONE, THEMES, WIDTH, themed
from mooe.plots.windows import plot_memory, plot_windowed_results

__all__ = [
    "MEASURES",
    "PHONE",
    "THEMES",
    "WIDTH",
    "Measure",
    "Ranks",
    "compare_ranks",
    "interval_rows",
    "measure_of",
    "plot_ages",
    "plot_changes",
    "plot_coverage",
    "plot_errors",
    "plot_forecast",
    "plot_memory",
    "plot_precision_recall",
    "plot_ranks",
    "plot_recall",
    "plot_regret",
    "plot_spread",
    "plot_weights",
    "plot_windowed_results",
    "themed",
]
