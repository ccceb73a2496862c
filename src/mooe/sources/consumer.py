"""Messages carried out: in one transaction with their position, answered, then acknowledged.

What was carried out depends on the order of messages alone, not on how many came at a time: a
transaction answers first and learns then, so it ends where a request follows a label of its model.
"""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from mooe.platform import Platform, PlatformError, StoreError, StoreStoppedError
from mooe.platform.life import Result
from mooe.platform.requests import Answer, Predict, Receipt, Request
from mooe.platform.store import MessageKey
from mooe.platform.turn import Results
from mooe.sources.messages import answer_to, dead_letter, no_answer_to, request_of
from mooe.sources.source import (
    LostPositionError,
    Message,
    Positions,
    Reply,
    Source,
    SourceError,
    Topics,
)

LOG = logging.getLogger("mooe.sources")
AT_ONCE = 500  # messages
WAIT = 0.5  # seconds for messages
LONGEST_PAUSE = 30.0  # seconds after a failure
LAG_EVERY = 5.0  # seconds
MOST_IN_ONE = 50  # messages of a transaction: others wait for the platform meanwhile,
BREATH = 1e-5  # and take their turn between two; seconds
ANSWERED, REFUSED, AGAIN = "answered", "refused", "again"  # counted beside results of labels
REFUSALS = (Result.CONFLICT, Result.UNKNOWN, Result.INVALID)


class Task(NamedTuple):
    """A message and what it asks for, or why that is refused without being asked."""

    message: Message
    request: Request | None
    problem: str  # it makes no sense, or was refused before a restart
    is_done: bool  # its position is in the store: it is only answered again

    @property
    def asks(self) -> Request | None:
        """What the platform is asked; the same request is given the same answer."""
        if self.problem or (self.is_done and not isinstance(self.request, Predict)):
            return None
        return self.request


class Consumer:
    """Carries out the messages of a source; one thread.

    Parameters
    ----------
    platform : Platform
    connect : function
        Opens the source; called again where it fails.
    topics : Topics
    model : str, optional
        That of messages that name none.
    at_once : int
        The most messages that are read, brought to disk and acknowledged together.

    Attributes
    ----------
    counts : Counter
        Messages by what became of them: "answered", the results of labels, "refused" (also where
        the result says why), "again" (carried out before, read again after a restart).
    lag : dict
        How many messages of each topic were not read yet, a few seconds ago.
    """

    def __init__(
        self,
        platform: Platform,
        connect: Callable[[], Source],
        topics: Topics,
        model: str | None = None,
        at_once: int = AT_ONCE,
    ) -> None:
        self.platform, self.connect, self.topics, self.model = platform, connect, topics, model
        self.at_once = at_once
        self.counts: Counter[str] = Counter()
        self.lag: dict[str, int] = {}
        self._next_look = 0.0
        self._source: Source | None = None
        self._positions: Positions = {}
        self._refusals: dict[MessageKey, str] = {}  # of messages that are not acknowledged
        self._told: list[MessageKey] = []  # that are, and the store keeps a refusal of them

    def run(
        self,
        stop: threading.Event,
        until_end: bool = False,
        between: Callable[[], object] = lambda: None,
    ) -> None:
        """Carry out messages until told to stop, or there are no more; then let go of the source.

        Where source or store fail it begins anew from what the store has, after a pause.

        until_end: stop where all that there was has been carried out.
        between: called between batches.
        """
        pause = 1.0
        try:
            while not stop.is_set():
                try:
                    n = self.step()
                    if until_end and self.is_at_end:
                        return
                    pause = 1.0 if n else pause
                    self._look_at_lag()
                    between()
                except (StoreStoppedError, LostPositionError):
                    raise
                except (SourceError, StoreError) as problem:
                    LOG.error("%s; nothing is lost, trying again in %g s", problem, pause)
                    self.close()
                    stop.wait(pause)
                    pause = min(2 * pause, LONGEST_PAUSE)
        finally:
            self.close()

    def step(self, seconds: float = WAIT) -> int:
        """Carry out the messages that are there; return how many.

        seconds: how long to wait for the first.
        """
        if self._source is None:
            self._start()
        assert self._source is not None
        messages = self._source.read(self.at_once, seconds)
        if messages:
            replies = self._carry_out(messages)
            self._source.acknowledge(messages, replies)
            keys = map(self._key, messages)
            self._told += [key for key in keys if self._refusals.pop(key, None) is not None]
        return len(messages)

    @property
    def is_at_end(self) -> bool:
        """Whether everything there was has been carried out."""
        return self._source is not None and self._source.is_at_end

    def _look_at_lag(self) -> None:
        """In place: note now and then how much was not read yet."""
        if self._source is not None and time.monotonic() >= self._next_look:
            self.lag, self._next_look = self._source.lag(), time.monotonic() + LAG_EVERY

    def close(self) -> None:
        """Let go of the source."""
        source, self._source = self._source, None
        if source is not None:
            with suppress(PlatformError):  # a refusal that stays does no harm
                self.platform.apply([], told=self._told)
                self._told = []
            try:
                source.close()
            except SourceError as problem:
                LOG.warning("%s", problem)

    def _start(self) -> None:
        """Open the source where the store says."""
        source = self.connect()
        try:
            self._positions = {
                (topic, part): position
                for topic in self.topics.read
                for part, position in self.platform.positions(f"{source.scheme}:{topic}").items()
            }
            begins = source.start(self._positions)
            self._positions |= begins
            self._find_refusals(source.scheme)
            if begins:
                self.platform.apply([], _stored(source, begins))
                self.platform.wait()
        except BaseException:
            source.close()
            raise
        self._source = source

    def _find_refusals(self, scheme: str) -> None:
        """In place: know what was refused before; of a topic that begins anew it counts no more."""
        self._refusals, self._told = {}, []
        for topic in self.topics.read:
            for key, reason in self.platform.refusals(f"{scheme}:{topic}").items():
                _, part, position = key
                if position <= self._positions.get((topic, part), -1):
                    self._refusals[key] = reason
                else:
                    self._told.append(key)

    def _carry_out(self, messages: Sequence[Message]) -> list[Reply]:
        """Carry out messages, on disk when it returns; return what is to be sent."""
        replies: list[Reply] = []
        refused: list[tuple[Message, str]] = []
        for tasks in transactions(list(map(self._task, messages))):
            time.sleep(BREATH)
            for task, result in zip(tasks, self._results(tasks), strict=True):
                reason = self._count(task, result)
                if reason:
                    refused.append((task.message, reason))
                replies += self._replies(task, result, reason)
        self.platform.wait()
        if refused:
            message, reason = refused[0]
            n = f"{len(refused):,} of {len(messages):,} messages refused"
            LOG.warning("%s, the first is %s: %s", n, message.name, reason)
        return replies

    def _task(self, message: Message) -> Task:
        """Return what a message asks for."""
        before = self._positions.get((message.topic, message.part))
        refusal = self._refusals.get(self._key(message), "")
        is_behind = before is not None and message.position <= before
        is_done = bool(refusal) or (is_behind and not message.is_late)
        try:
            request = request_of(message, self.topics, self.model)
        except ValueError as problem:
            return Task(message, None, str(problem), is_done)
        return Task(message, request, refusal, is_done)

    def _key(self, message: Message) -> MessageKey:
        """Return what the store calls a message."""
        assert self._source is not None
        return f"{self._source.scheme}:{message.topic}", message.part, message.position

    def _results(self, tasks: Sequence[Task]) -> list[Any]:
        """Carry out tasks in one transaction with their positions; return what became of each.

        None where there was nothing to ask. Slow models learn first what they have to: so memory is
        bounded, and answers have seen every label before them.
        """
        asked = [task for task in tasks if task.asks is not None]
        positions: Positions = {
            (task.message.topic, task.message.part): task.message.position
            for task in tasks
            if not task.is_done and not task.message.is_late
        }
        for model in {task.asks.model for task in asked if task.asks is not None}:
            with suppress(PlatformError):
                self.platform.settle(model)
        try:
            results = iter(self._apply(asked, positions))
        except PlatformError:
            raise
        except Exception as problem:  # a defect of ours: others are not to wait for its repair
            if len(tasks) > 1:
                return [result for task in tasks for result in self._results([task])]
            LOG.exception("%s cannot be carried out", tasks[0].message.name)
            self._apply(tasks, positions, problem)
            return [problem]
        return [None if task.asks is None else next(results) for task in tasks]

    def _apply(
        self, tasks: Sequence[Task], positions: Positions, defect: Exception | None = None
    ) -> list[Any]:
        """Carry out tasks, with positions and why any is refused; return what became of each.

        defect: refuse them because of it instead.
        """
        assert self._source is not None
        asked = [task.asks for task in tasks if task.asks is not None and defect is None]
        refused: dict[MessageKey, str] = {}

        def refusals(results: Sequence[Results]) -> dict[MessageKey, str]:
            """In place: note which tasks are refused, and why."""
            outcomes = map(_only, results) if defect is None else [defect] * len(tasks)
            for task, outcome in zip(tasks, outcomes, strict=True):
                if reason := _refusal(outcome):
                    refused[self._key(task.message)] = reason
            return refused

        stored = _stored(self._source, positions)
        results = self.platform.apply(asked, stored, refusals, self._told)
        self._positions |= positions
        self._refusals |= refused
        self._told = []
        return list(map(_only, results))

    def _count(self, task: Task, result: Any) -> str:
        """In place: count what became of a message; return why it is refused, if it is."""
        reason = task.problem or _refusal(result)
        if task.is_done:
            self.counts[AGAIN] += 1
        if isinstance(result, Receipt):
            self.counts[result.result] += 1
        if isinstance(result, Answer) and not task.is_done:
            self.counts[ANSWERED] += 1
        self.counts.update([REFUSED] if reason and not task.is_done else [])
        return reason

    def _replies(self, task: Task, result: Any, reason: str) -> Iterator[Reply]:
        """Yield what is to be sent on a message."""
        message, topics = task.message, self.topics
        if reason and topics.dead_letters is not None:
            yield dead_letter(message, topics.dead_letters, reason)
        is_request = isinstance(task.request, Predict) or (
            task.request is None and message.topic in topics.requests
        )
        if topics.answers is None or not is_request:
            return
        if reason:
            yield no_answer_to(message, topics.answers, reason)
        elif task.request is not None:
            yield answer_to(message, topics.answers, task.request.model, result)


def _only(result: Results) -> Any:
    """Return what became of a request of one row."""
    return result if isinstance(result, Exception) else result[0]


def _refusal(outcome: Any) -> str:
    """Return why a message is refused, if it is."""
    if isinstance(outcome, Exception):
        return str(outcome) or type(outcome).__name__
    is_refused = isinstance(outcome, Receipt) and outcome.result in REFUSALS
    return outcome.message if is_refused else ""


def transactions(tasks: Sequence[Task]) -> Iterator[list[Task]]:
    """Yield tasks, cut where a request follows a label of its model: it is to see that.

    And cut where they are many.
    """
    piece: list[Task] = []
    taught: set[str] = set()
    for task in tasks:
        request = task.request
        is_cut = isinstance(request, Predict) and request.model in taught
        if is_cut or len(piece) == MOST_IN_ONE:
            yield piece
            piece, taught = [], set()
        piece.append(task)
        if request is not None and not isinstance(request, Predict):
            taught.add(request.model)
    if piece:
        yield piece


def _stored(source: Source, positions: Positions) -> Positions:
    """Return positions as they are stored."""
    return {
        (f"{source.scheme}:{topic}", part): position
        for (topic, part), position in positions.items()
    }
