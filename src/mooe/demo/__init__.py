"""The demo: concepts that come back, the default model with its memory and without, and the names.

The stream is made, so the truth is known: which concept is there, and since when. The published
algorithm is not among the models, because to compile it would double the time of the first start.
"""

from mooe.demo.replay import LEAST_ROWS, begin, report_runs, results
from mooe.demo.screen import play, summary

__all__ = ["LEAST_ROWS", "begin", "play", "report_runs", "results", "summary"]
