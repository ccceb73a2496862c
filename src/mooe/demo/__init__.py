"""The demo: concepts that return, MOOE beside its own online expert alone, and who is recalled.

The stream is the paper's setting at its purest: every visit of a concept is one interval of 50
rows, two concepts take turns, and both lie well within the memory of 24 intervals. The models are
the paper's with its defaults. The longer the visits, the less MOOE gains in the first 50 rows of
one: from about 200 rows on it gains nothing there, and all it gains later in the visit.
"""

from mooe.demo.replay import LEAST_ROWS, begin, report_of, results
from mooe.demo.screen import play, summary

__all__ = ["LEAST_ROWS", "begin", "play", "report_of", "results", "summary"]
