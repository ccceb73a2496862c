"""Messages of several parts in the order of their times.

As long as there is something to catch up with, the order depends on the messages alone and not on
which part was fetched first: a label is not read before the request that it belongs to, and a
reader that was killed goes on in the order in which it would have gone on. Kafka Streams does so.
"""

import heapq
from collections import deque

from mooe.sources.source import Message

Part = tuple[str, int]


class TimeOrder:
    """Messages that were read and not handed out, by part.

    Parameters
    ----------
    topics : tuple of str
        At the same time those of an earlier topic go first.

    Examples
    --------
    >>> order = TimeOrder(("requests", "labels"))
    >>> order.add_part(("requests", 0))
    >>> order.add_part(("labels", 0))
    >>> order.add(Message("labels", 0, 0, "labels/0/0", 5, b""))
    >>> order.take(10)  # an earlier request may come
    []
    >>> order.add(Message("requests", 0, 0, "requests/0/0", 3, b""))
    >>> order.ended(("requests", 0))
    >>> [message.name for message in order.take(10)]
    ['requests/0/0', 'labels/0/0']
    """

    def __init__(self, topics: tuple[str, ...]) -> None:
        self._rank = {topic: at for at, topic in enumerate(topics)}
        self._queues: dict[Part, deque[Message]] = {}
        self._heads: list[tuple[int, int, int, Part]] = []  # a heap: the first of each queue
        self._at_end: set[Part] = set()
        self._missing: set[Part] = set()  # nothing there, and more to come

    @property
    def parts(self) -> list[Part]:
        """All parts."""
        return list(self._queues)

    @property
    def missing(self) -> set[Part]:
        """Parts that the next message may have to come from."""
        return set(self._missing)

    @property
    def is_at_end(self) -> bool:
        """Whether all that there was has been handed out."""
        return not self._heads and not self._missing

    def n_waiting(self, part: Part) -> int:
        """Return how many messages of a part wait to be handed out."""
        return len(self._queues[part])

    def add_part(self, part: Part) -> None:
        """In place: another part, of which nothing was read yet."""
        self.drop_part(part)
        self._queues[part] = deque()
        self._missing.add(part)

    def drop_part(self, part: Part) -> None:
        """In place: forget a part and what was read of it."""
        self._queues.pop(part, None)
        self._missing.discard(part)
        self._at_end.discard(part)
        self._heads = [head for head in self._heads if head[-1] != part]
        heapq.heapify(self._heads)

    def add(self, message: Message) -> None:
        """In place: a message that was read, the next of its part."""
        part = message.topic, message.part
        queue = self._queues[part]
        queue.append(message)
        self._missing.discard(part)
        self._at_end.discard(part)
        if len(queue) == 1:
            self._push(part)

    def ended(self, part: Part) -> None:
        """In place: a part has no more messages for now."""
        if part in self._queues:
            self._at_end.add(part)
            self._missing.discard(part)

    def take(self, most: int, is_patient: bool = True) -> list[Message]:
        """In place: return the next messages, at most so many.

        is_patient: none while a part is missing, for its next message may be an earlier one.
        """
        taken: list[Message] = []
        while self._heads and len(taken) < most and not (is_patient and self._missing):
            *_, part = heapq.heappop(self._heads)
            queue = self._queues[part]
            taken.append(queue.popleft())
            if queue:
                self._push(part)
            elif part not in self._at_end:
                self._missing.add(part)
        return taken

    def _push(self, part: Part) -> None:
        """In place: the head of a queue takes its place among the others."""
        topic, number = part
        head = self._queues[part][0]
        heapq.heappush(self._heads, (head.time, self._rank[topic], number, part))
