"""Reports of results: a page that answers in words, tables and figures, and their files."""

from mooe.report.many_streams import write_comparison
from mooe.report.one_stream import write_report

__all__ = ["write_comparison", "write_report"]
