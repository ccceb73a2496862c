"""Streams of Redis as a source, read as a consumer of a group.

The message is the field `value` of an entry, others are handed on with its answer. The store's
position says from where to read; what a group has as pending says what was not answered yet.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

try:
    import redis
except ImportError as problem:
    raise ImportError("Redis needs its client: pip install 'mooe[redis]'") from problem

from mooe.sources.source import Message, Positions, Reply, SourceError, Topics
from mooe.sources.time_order import TimeOrder

LOG = logging.getLogger("mooe.sources")
VALUE = "value"  # the field with the message
SEQUENCE_BITS = 20  # of a position, below the milliseconds: a million entries each
MOST_TIME = 2 ** (63 - SEQUENCE_BITS)
CLAIM_AFTER = 60.0  # seconds after which another consumer that holds entries is taken for dead
PART = 0  # a stream has one


class RedisStreams:
    """Streams of a Redis server; see `mooe.sources.source.Source`.

    Parameters
    ----------
    url : str
        redis://host:port/db, rediss:// or unix://.
    topics : Topics
    group, consumer : str
        Of one store: a group that two stores share would give each half of the labels.
    begin : {None, "beginning", "end"}
        Where to begin where the store has no position; None: at the beginning.
    claim_after : float
        Seconds after which entries that another consumer of the group holds are taken over.
    """

    scheme = "redis"

    def __init__(
        self,
        url: str,
        topics: Topics,
        group: str = "mooe",
        consumer: str = "mooe",
        begin: str | None = None,
        claim_after: float = CLAIM_AFTER,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.topics, self.group, self.consumer = topics, group, consumer
        self.begin, self.claim_after, self.clock = begin, claim_after, clock
        try:
            self._redis = redis.Redis.from_url(url)
        except (ValueError, redis.RedisError) as problem:
            raise ValueError(f"URL of Redis must be redis://host:port/db: {problem}") from problem
        self._order = TimeOrder(topics.read)
        self._again: list[Message] = []
        self._next_claim = (
            clock() + claim_after
        )  # what is behind the positions is read again anyway

    def start(self, positions: Positions) -> Positions:
        """Begin behind the positions; what was not acknowledged before them is answered again."""
        begins: Positions = {}
        with _in_words():
            for stream in self.topics.read:
                part = stream, PART
                if part not in positions:
                    begins[part] = self._begin(stream)
                after = positions.get(part, begins.get(part, 0))
                self._set_group(stream, after)
                self._again += self._held(stream, after)
                self._order.add_part(part)
        return begins

    def read(self, most: int, seconds: float) -> Sequence[Message]:
        """Return the next messages in the order of their times."""
        if self._again:
            taken, self._again = self._again[:most], self._again[most:]
            return taken
        with _in_words():
            if self.clock() >= self._next_claim:
                self._next_claim = self.clock() + self.claim_after / 2
                self._again = self._claimed()
                if self._again:
                    return self.read(most, seconds)
            self._fetch(most, seconds)
        return self._order.take(most)

    @property
    def is_at_end(self) -> bool:
        """Whether everything there was has been read."""
        return not self._again and self._order.is_at_end

    def acknowledge(self, messages: Sequence[Message], replies: Sequence[Reply]) -> None:
        """Send replies and acknowledge messages in one transaction: answers are sent once."""
        with _in_words(), self._redis.pipeline(transaction=True) as work:
            for reply in replies:
                fields = {VALUE: reply.value or b"", **dict(reply.extras)}
                work.xadd(reply.topic, fields)
            for stream in self.topics.read:
                ids = [_id_of(each.position) for each in messages if each.topic == stream]
                if ids:
                    work.xack(stream, self.group, *ids)
            work.execute()

    def lag(self) -> dict[str, int]:
        """Return how many messages of each stream were not read yet."""
        lag = {}
        with _in_words():
            for stream in self.topics.read:
                group = self._group(stream)
                waiting = self._order.n_waiting((stream, PART))
                lag[stream] = int(group.get("lag") or 0) + waiting
        return lag

    def close(self) -> None:
        """Let go."""
        with _in_words():
            self._redis.close()

    # Where to begin

    def _begin(self, stream: str) -> int:
        """Return the position before the first message of a stream that was never read."""
        if self.begin != "end" or not self._redis.exists(stream):
            return 0
        return position_of(self._redis.xinfo_stream(stream)["last-generated-id"])

    def _set_group(self, stream: str, after: int) -> None:
        """Let the group go on behind a position, whatever it was given before."""
        name = _id_of(after)
        try:
            self._redis.xgroup_create(stream, self.group, name, mkstream=True)
        except redis.ResponseError as problem:
            if "BUSYGROUP" not in str(problem):
                raise
            group, facts = self._group(stream), self._redis.xinfo_stream(stream)
            n_read = group.get("entries-read")
            if n_read is not None and facts["entries-added"] - facts["length"] > n_read:
                n = facts["entries-added"] - facts["length"] - n_read
                LOG.error("%s entries of %s were deleted before they were read", f"{n:,}", stream)
            if group["last-delivered-id"] != name.encode():
                self._redis.xgroup_setid(stream, self.group, name)

    def _held(self, stream: str, upto: int) -> list[Message]:
        """Return what was carried out and not acknowledged; later entries are read again anyway."""
        found: list[Message] = []
        last = "0"
        while True:
            entries = self._entries({stream: last}, 1000).get(stream, [])
            for name, fields in entries:
                position = position_of(name)
                if position > upto:
                    return found
                if not fields:  # deleted meanwhile
                    self._redis.xack(stream, self.group, name)
                else:
                    found.append(_message(stream, name, fields))
            if not entries:
                return found
            last = entries[-1][0]

    def _group(self, stream: str) -> Mapping[str, Any]:
        """Return what Redis knows of our group."""
        for group in self._redis.xinfo_groups(stream):
            if group["name"] == self.group.encode():
                return dict(group)
        return {}

    # Messages

    def _entries(self, after: Mapping[str, str], count: int, wait: int | None = None) -> Any:
        """Return entries by stream; after ">": those that the group was not given yet."""
        replies: Any = self._redis.xreadgroup(
            self.group, self.consumer, dict(after), count=count, block=wait
        )
        return {stream.decode(): entries for stream, entries in replies or ()}

    def _fetch(self, most: int, seconds: float) -> None:
        """In place: what has arrived takes its place in the order."""
        wanted = [part for part in self._order.parts if self._order.n_waiting(part) < most]
        if not wanted:
            return
        is_idle = self._order.is_at_end
        wait = max(1, int(1000 * seconds)) if is_idle and seconds else None
        entries = self._entries({stream: ">" for stream, _ in wanted}, most, wait)
        for part in wanted:
            given = entries.get(part[0], [])
            for name, fields in given:
                self._order.add(_message(part[0], name, fields))
            if len(given) < most:
                self._order.ended(part)

    def _claimed(self) -> list[Message]:
        """Return what other consumers of the group hold and have not touched for long."""
        found = []
        for stream in self.topics.read:
            others = [
                entry["message_id"]
                for entry in self._redis.xpending_range(
                    stream, self.group, "-", "+", 1000, idle=int(1000 * self.claim_after)
                )
                if entry["consumer"] != self.consumer.encode()
            ]
            if not others:
                continue
            entries: Any = self._redis.xclaim(
                stream, self.group, self.consumer, int(1000 * self.claim_after), others
            )
            LOG.warning("%s: %s entries of a dead consumer taken over", stream, len(entries))
            found += [
                _message(stream, name, fields)._replace(is_late=True)
                for name, fields in entries
                if fields
            ]
        return found


def position_of(name: bytes | str) -> int:
    """Return the number of an entry, or raise SourceError.

    >>> position_of(b"3-1") == (3 << SEQUENCE_BITS) + 1
    True
    """
    text = name.decode() if isinstance(name, bytes) else name
    time_of, _, sequence = text.partition("-")
    if int(time_of) >= MOST_TIME or int(sequence) >= 2**SEQUENCE_BITS:
        raise SourceError(
            f"ids of entries must be milliseconds and a number up to 2**{SEQUENCE_BITS}, got {text}"
        )
    return (int(time_of) << SEQUENCE_BITS) + int(sequence)


def _id_of(position: int) -> str:
    """Return the id of an entry by its number.

    >>> _id_of(position_of("1526919030474-55"))
    '1526919030474-55'
    """
    return f"{position >> SEQUENCE_BITS}-{position & (2**SEQUENCE_BITS - 1)}"


def _message(stream: str, name: bytes, fields: Mapping[bytes, bytes]) -> Message:
    """Return an entry as a message."""
    text = name.decode()
    extras = tuple(
        (field.decode(errors="replace"), value)
        for field, value in fields.items()
        if field != VALUE.encode()
    )
    position = position_of(name)
    time_of = position >> SEQUENCE_BITS
    value = fields.get(VALUE.encode())
    return Message(stream, PART, position, f"{stream}/{text}", time_of, value, None, extras)


@contextmanager
def _in_words() -> Iterator[None]:
    """Turn errors of Redis into SourceError."""
    try:
        yield
    except redis.RedisError as problem:
        raise SourceError(f"Redis: {problem}") from problem
