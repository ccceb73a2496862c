"""Streams to learn from, a function per stream."""

from mooe.datasets.stream import Stream
from mooe.datasets.synthetic import recurring

__all__ = ["Stream", "recurring"]
