"""Reports of results: a page that answers in words, tables and figures, and their files."""

from mooe.report.forecast import write_forecast
from mooe.report.keys import write_keyed_report
from mooe.report.many_streams import write_comparison
from mooe.report.one_stream import write_report
from mooe.report.page import METADATA

__all__ = ["FILES", "write_comparison", "write_forecast", "write_keyed_report", "write_report"]

# All that reports, and the results beside them, may write into their folder.
FILES = (
    *("index.html", "table.md", "table.tex", "results.json", "windows.csv", "predictions.csv"),
    *(
        f"{figure}.{form}"
        for figure in (
            *("windows", "precision_recall", "recall", "memory", "regret", "ranks"),
            *("forecast", "errors", "coverage", "weights"),
            *("ages", "changes", "spread"),
        )
        for form in METADATA
    ),
)
