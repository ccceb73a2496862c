"""What a source of messages offers, and what goes in and out of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

Positions = dict[tuple[str, int], int]  # number of the last message carried out, by topic and part


class SourceError(Exception):
    """A source cannot be read or written; nothing is lost, it can be opened again."""


class LostPositionError(SourceError):
    """A source does not have what the store has read of it: to try again does not help."""


@dataclass(frozen=True)
class Topics:
    """Where messages come from and where answers go: topics of Kafka, streams of Redis.

    Attributes
    ----------
    requests, labels : tuple of str
        May be the same: then its messages say by their fields what they are.
    answers : str or None
        For answers to requests; None: they are stored and not sent.
    dead_letters : str or None
        For messages that cannot be carried out, with the reason; None: they are counted and logged.
    """

    requests: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    answers: str | None = None
    dead_letters: str | None = None

    def __post_init__(self) -> None:
        if not self.read:
            raise ValueError("requests or labels must name a topic to read, got none")
        for sent in {self.answers, self.dead_letters} & {*self.read}:
            raise ValueError(f"answers and dead letters must not be read again, got {sent!r}")

    @property
    def read(self) -> tuple[str, ...]:
        """All that are read, each once, requests first."""
        return tuple(dict.fromkeys(self.requests + self.labels))

    @property
    def sends(self) -> bool:
        """Whether anything is sent."""
        return self.answers is not None or self.dead_letters is not None


class Message(NamedTuple):
    """A message that was read.

    Attributes
    ----------
    topic, part : str, int
        Order holds within a part.
    position : int
        Its number, which grows within a part.
    name : str
        Which one it is, in words; also the id of a row that has none.
    time : int
        When it was written, in milliseconds since 1970.
    key, extras
        Handed on with its answer, for who waits for it.
    is_late : bool
        It was taken over from a reader that died and may lie before what was carried out: its
        position says nothing, its id must.
    """

    topic: str
    part: int
    position: int
    name: str
    time: int
    value: bytes | None
    key: bytes | None = None
    extras: tuple[tuple[str, bytes], ...] = ()
    is_late: bool = False


class Reply(NamedTuple):
    """What is to be sent."""

    topic: str
    value: bytes | None
    key: bytes | None
    extras: tuple[tuple[str, bytes], ...]


class Source(Protocol):
    """A source of messages; one thread. Every method may raise SourceError."""

    scheme: str  # of its positions in the store

    def start(self, positions: Positions) -> Positions:
        """Begin behind the positions, or earlier where messages were not acknowledged.

        Return positions that are to be noted before anything is read. In place: a position that
        the source does not have any more is removed.
        """

    def read(self, most: int, seconds: float) -> Sequence[Message]:
        """Return the next messages, at most so many; none if none came within some seconds."""

    @property
    def is_at_end(self) -> bool:
        """Whether everything there was has been read."""

    def acknowledge(self, messages: Sequence[Message], replies: Sequence[Reply]) -> None:
        """Send replies, and say that messages need not be read again once they are sent."""

    def lag(self) -> dict[str, int]:
        """Return how many messages of each topic were not read yet."""

    def close(self) -> None:
        """Let go."""
