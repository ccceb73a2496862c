"""Judge a learner on a stream: every row is answered first and learnt when its label comes."""

from mooe.evaluate.loop import prequential
from mooe.evaluate.results import Results

__all__ = ["Results", "prequential"]
