"""Kafka as a source, by librdkafka.

Partitions are assigned by ourselves, as in Flink and Spark: the lock on the store says who reads,
and its positions say from where. A group's members would share out partitions, and half of the
labels would go to another store; after a death they would wait for its session to end. Offsets
are still committed to the group: they say what was answered, and tools show the lag by them.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

try:
    import confluent_kafka
except ImportError as problem:
    raise ImportError("Kafka needs confluent-kafka: pip install 'mooe[kafka]'") from problem
from confluent_kafka import KafkaError, KafkaException, TopicPartition

from mooe.sources.source import LostPositionError, Message, Positions, Reply, SourceError, Topics
from mooe.sources.time_order import Part, TimeOrder

LOG = logging.getLogger("mooe.sources")
PATIENCE = 5.0  # seconds for a partition that others wait for
LOOK_AGAIN = 10.0  # seconds between two looks for new partitions
LOOK_SOON = 1.0  # where a topic does not exist yet
NETWORK = 30.0  # seconds for an answer of the brokers
SENT_WITHIN = 120.0  # seconds for replies


class Kafka:
    """Topics of a Kafka cluster; see `mooe.sources.source.Source`.

    Parameters
    ----------
    brokers : str
        host:port, several with commas between.
    topics : Topics
    group : str
        Under which offsets are committed.
    properties : mapping
        Settings of librdkafka, such as security.protocol.
    begin : {None, "beginning", "end"}
        Where to begin where the store has no position (None: at the beginning), or has one that
        the topic does not have (None: raise LostPositionError).
    clock : function
        Returns seconds.
    """

    scheme = "kafka"

    def __init__(
        self,
        brokers: str,
        topics: Topics,
        group: str = "mooe",
        properties: Mapping[str, str] | None = None,
        begin: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.topics, self.begin, self.clock = topics, begin, clock
        common = {
            "bootstrap.servers": brokers,
            "client.id": "mooe",
            "error_cb": _log_error,
            "logger": LOG,
            **(properties or {}),
        }
        reading = {
            "group.id": group,
            "enable.auto.commit": False,
            "enable.auto.offset.store": False,
            "auto.offset.reset": "error",  # nothing is skipped unsaid
            "enable.partition.eof": True,
            "isolation.level": "read_committed",
        }
        writing = {
            "enable.idempotence": True,
            "message.timeout.ms": int(1000 * SENT_WITHIN),
            "linger.ms": 1,
        }
        try:
            self._reader = confluent_kafka.Consumer({**common, **reading})
            self._writer = confluent_kafka.Producer({**common, **writing}) if topics.sends else None
        except (KafkaException, ValueError, TypeError) as problem:
            raise ValueError(f"settings of Kafka cannot be used: {_words(problem)}") from problem
        self._order = TimeOrder(topics.read)
        self._positions: Positions = {}
        self._paused: set[Part] = set()
        self._absent: set[str] = set()  # topics that were said not to be there
        self._offsets: dict[Part, int] = {}  # to be committed
        self._known: set[str] = set()  # topics that were read before
        self._next_look = self._moved = clock()

    def start(self, positions: Positions) -> Positions:
        """Begin behind the positions, or where answers were not acknowledged."""
        self._positions, self._known = positions, {topic for topic, _ in positions}
        with _in_words():
            begins = self._add_parts()
        self._moved = self.clock()
        self._known = set(self.topics.read)
        return begins

    def read(self, most: int, seconds: float) -> list[Message]:
        """Return the next messages in the order of their times."""
        taken = self._order.take(most)
        if taken:
            self._moved = self.clock()
            with _in_words():
                self._balance(most)
            return taken
        with _in_words():
            if self.clock() >= self._next_look:
                self._add_parts()
            self._fetch(most, seconds)
        is_patient = self.clock() < self._moved + PATIENCE
        taken = self._order.take(most, is_patient)
        if taken:
            self._moved = self.clock()
        return taken

    @property
    def is_at_end(self) -> bool:
        """Whether everything there was has been read."""
        return self._order.is_at_end

    def acknowledge(self, messages: Sequence[Message], replies: Sequence[Reply]) -> None:
        """Send replies, wait until brokers have them, and commit offsets."""
        with _in_words():
            self._send(replies)
            self._offsets |= {(each.topic, each.part): each.position + 1 for each in messages}
            self._commit(asynchronous=True)

    def lag(self) -> dict[str, int]:
        """Return how many messages of each topic were not read yet, as far as is known here."""
        lag = dict.fromkeys(self.topics.read, 0)
        parts = [TopicPartition(*part) for part in self._order.parts]
        for place in self._reader.position(parts):
            part = place.topic, place.partition
            _, end = self._reader.get_watermark_offsets(place, cached=True)
            if end >= 0 and place.offset >= 0:
                lag[place.topic] += max(end - place.offset, 0)
            lag[place.topic] += self._order.n_waiting(part)
        return lag

    def close(self) -> None:
        """Commit offsets and let go."""
        with _in_words():
            try:
                self._commit(asynchronous=False)
            finally:
                self._reader.close()

    # Where to begin

    def _add_parts(self) -> Positions:
        """In place: take up partitions that are new; return positions to be noted."""
        new, begins = [], {}
        known = set(self._order.parts)
        for topic in self.topics.read:
            for number in self._partitions(topic):
                part = topic, number
                if part in known:
                    continue
                offset, position = self._begin(part)
                if position is not None:
                    begins[part] = position
                new.append(TopicPartition(topic, number, offset))
        if new:
            for place in new:
                self._order.add_part((place.topic, place.partition))
            self._reader.incremental_assign(new)
        is_complete = {topic for topic, _ in self._order.parts} == set(self.topics.read)
        self._next_look = self.clock() + (LOOK_AGAIN if is_complete else LOOK_SOON)
        return begins

    def _partitions(self, topic: str) -> list[int]:
        """Return the partitions of a topic; none where it does not exist yet."""
        found = self._reader.list_topics(topic, timeout=NETWORK).topics[topic]
        if found.error is not None:
            if topic not in self._absent:
                LOG.warning("topic %s cannot be read yet: %s", topic, found.error.str())
            self._absent.add(topic)
            return []
        return sorted(found.partitions)

    def _begin(self, part: Part) -> tuple[int, int | None]:
        """Return from which offset to read a partition, and the position to be noted, if any."""
        topic, number = part
        low, high = self._watermarks(part)
        position, is_void = self._positions.get(part), False
        if position is not None and position >= high:
            if self.begin is None:
                raise LostPositionError(
                    f"partition {number} of {topic} ends before {high:,}, but {position + 1:,} of "
                    "it are learnt: it is another topic of that name, or has lost messages; say "
                    "where to begin anew (--begin beginning or --begin end)"
                )
            del self._positions[part]
            position, is_void = None, True
        if position is None:  # partitions that a topic gains are read from their beginning
            at_end = self.begin == "end" and (is_void or topic not in self._known)
            offset = high if at_end else low
            self._mark(part, offset)
            return offset, offset - 1 if at_end else None
        offset = position + 1
        if offset < low:
            LOG.error(
                "%s messages of partition %s of %s were deleted before they were read",
                *(f"{low - offset:,}", number, topic),
            )
            offset = low
        if self.topics.sends:
            offset = min(offset, max(self._committed(part, offset), low))
        return offset, None

    def _watermarks(self, part: Part) -> tuple[int, int]:
        """Return the first offset of a partition and that of the next message to come."""
        low, high = self._reader.get_watermark_offsets(TopicPartition(*part), timeout=NETWORK)
        return low, high

    def _committed(self, part: Part, otherwise: int) -> int:
        """Return up to where a partition was answered."""
        (place,) = self._reader.committed([TopicPartition(*part)], timeout=NETWORK)
        return place.offset if place.offset >= 0 else otherwise

    def _mark(self, part: Part, offset: int) -> None:
        """Commit where a partition begins: whoever dies with the first answers can tell."""
        if self.topics.sends:
            self._reader.commit(offsets=[TopicPartition(*part, offset)], asynchronous=False)

    # Messages

    def _fetch(self, most: int, seconds: float) -> None:
        """In place: what has arrived takes its place in the order."""
        until_look = max(self._next_look - self.clock(), 0.0)
        first = self._reader.poll(min(seconds, PATIENCE, until_look))
        if first is None:
            return
        ends: dict[Part, int] = {}
        for message in [first, *self._reader.consume(most, 0)]:
            part = message.topic(), message.partition()
            if message.error() is not None:
                self._meet(part, message.error())
            elif part in self._order.parts:
                self._order.add(_message(message))
                ends[part] = message.offset() + 1
        for part, end in ends.items():  # the event that says so comes half a second later
            _, high = self._reader.get_watermark_offsets(TopicPartition(*part), cached=True)
            if end >= high:
                self._order.ended(part)
        self._balance(most)

    def _meet(self, part: Part, error: KafkaError) -> None:
        """In place: the end of a partition is noted; others are said."""
        if error.code() == KafkaError._PARTITION_EOF:
            self._order.ended(part)
        elif error.fatal():
            raise SourceError(f"Kafka: {error.str()}")
        elif error.code() == KafkaError._AUTO_OFFSET_RESET and part in self._order.parts:
            self._reader.incremental_unassign([TopicPartition(*part)])  # deleted under our hands
            self._order.drop_part(part)
            self._next_look = self.clock()
        else:
            LOG.warning("Kafka: %s", error.str())

    def _balance(self, most: int) -> None:
        """In place: partitions of which much waits are not read further for now."""
        many = {part for part in self._order.parts if self._order.n_waiting(part) > 4 * most}
        few = {part for part in self._paused if self._order.n_waiting(part) <= most}
        new = many - self._paused
        if new:
            self._reader.pause([TopicPartition(*part) for part in new])
        if few:
            self._reader.resume([TopicPartition(*part) for part in few])
        self._paused = (self._paused | new) - few

    def _send(self, replies: Sequence[Reply]) -> None:
        """Send replies and wait until brokers have them."""
        if not replies:
            return
        assert self._writer is not None
        problems: list[KafkaError] = []

        def delivered(error: KafkaError | None, _: Any) -> None:
            if error is not None:
                problems.append(error)

        for reply in replies:
            while True:
                try:
                    self._writer.produce(
                        reply.topic,
                        reply.value,
                        reply.key,
                        headers=list(reply.extras),
                        on_delivery=delivered,
                    )
                    break
                except BufferError:  # more than librdkafka keeps
                    self._writer.poll(0.1)
        left = self._writer.flush(SENT_WITHIN)
        if left or problems:
            why = problems[0].str() if problems else f"{left:,} are still waiting"
            raise SourceError(f"answers could not be sent: {why}")

    def _commit(self, asynchronous: bool) -> None:
        """Commit offsets; one that gets lost on the way is committed with the next."""
        places = [TopicPartition(*part, offset) for part, offset in self._offsets.items()]
        if places:
            self._reader.commit(offsets=places, asynchronous=asynchronous)


def _message(message: Any) -> Message:
    """Return a message of Kafka as one of ours."""
    topic, part, offset = message.topic(), message.partition(), message.offset()
    _, moment = message.timestamp()
    extras = tuple((name, value or b"") for name, value in message.headers() or ())
    name = f"{topic}/{part}/{offset}"
    return Message(topic, part, offset, name, moment, message.value(), message.key(), extras)


def _log_error(error: KafkaError) -> None:
    """Say what librdkafka meets on its own; it tries again by itself."""
    LOG.warning("Kafka: %s", error.str())


@contextmanager
def _in_words() -> Iterator[None]:
    """Turn errors of librdkafka into SourceError."""
    try:
        yield
    except KafkaException as problem:
        raise SourceError(f"Kafka: {_words(problem)}") from problem


def _words(problem: Exception) -> str:
    """Return what is wrong, without librdkafka's numbers."""
    first = problem.args[0] if problem.args else problem
    return str(first.str() if isinstance(first, KafkaError) else first)
