"""Streams in: requests and labels from Kafka or Redis streams, each learnt exactly once.

A source hands out messages with their positions. Messages are carried out in one transaction
together with the position, answers are sent, and then they are acknowledged at the source: what the
store has says where to go on, what the source has says what was answered.
"""

from mooe.sources.connect import connect
from mooe.sources.consumer import Consumer
from mooe.sources.source import LostPositionError, Message, Reply, Source, SourceError, Topics

__all__ = [
    "Consumer",
    "LostPositionError",
    "Message",
    "Reply",
    "Source",
    "SourceError",
    "Topics",
    "connect",
]
