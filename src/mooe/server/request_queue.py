"""All that arrives in one turn of the event loop is one transaction; labels wait for the disk.

The loop's thread is the only writer. One helper thread calls `Platform.wait`, and every label that
was committed before the call began is acknowledged by it. Labels that come meanwhile would have to
wait for the next call anyway: they gather, and are one transaction when it returns.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain, islice
from operator import attrgetter
from typing import Any, NamedTuple

from mooe.platform import Platform, PlatformError, StoreError
from mooe.platform.requests import Feedback, Predict, Request
from mooe.server.problems import BusyError

LOG = logging.getLogger("mooe.server")
QUICK, LONGEST_PAUSE = 0.001, 0.003  # seconds on the way to disk, and between two ways
MOST_WAITING = 20_000  # rows of a model that may wait to be stored, synced or learnt


_LISTS = {  # of requests that are alike, in the order of their fields
    Predict: attrgetter("rows", "ids"),
    Feedback: attrgetter("ids", "labels", "corrections"),
}

Tell = Callable[[Any], None]


class Waiting(NamedTuple):
    """A request, and who is told its result."""

    request: Request
    tell: Tell


Outcome = tuple[Waiting, Any]  # the result, or what was wrong


class RequestQueue:
    """Where requests of clients wait for their turn; used by the event loop's thread alone."""

    def __init__(self, platform: Platform, most_waiting: int = MOST_WAITING) -> None:
        self.platform, self.most_waiting = platform, most_waiting
        self._questions: list[Waiting] = []
        self._labels: list[Waiting] = []
        self._rows: dict[str, int] = {}
        self._is_due = self._is_syncing = False
        self._loop: asyncio.AbstractEventLoop | None = None  # to ask for it is a call of the system
        self._syncer = ThreadPoolExecutor(1, "mooe-sync")

    async def submit(self, request: Request) -> Any:
        """Carry out a request; return its result when it lasts as long as it must."""
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.enter(request, partial(_settle, future))
        result = await future
        if isinstance(result, Exception):
            raise result
        return result

    def enter(self, request: Request, tell: Tell) -> None:
        """Carry out a request; tell its result, or what was wrong, when it lasts as it must."""
        n, model = len(request.ids), request.model
        waiting = self._rows.get(model, 0)
        behind = waiting + self.platform.backlog(model)
        if behind and behind + n > self.most_waiting:
            raise BusyError(f"model {model!r} has {behind:,} rows waiting; try again")
        self._rows[model] = waiting + n
        if type(request) is Predict:
            self._questions.append(Waiting(request, tell))
        else:
            self._labels.append(Waiting(request, tell))
            if self._is_syncing:
                return
        if not self._is_due:
            self._is_due = True
            loop = self._loop = self._loop or asyncio.get_running_loop()
            # One turn later than it could be: what the loop reads meanwhile comes along, and a
            # transaction is dearer than the wait.
            loop.call_soon(loop.call_soon, self._turn)

    def _turn(self) -> None:
        """Carry out all that has arrived; labels only once those before them are on disk."""
        self._is_due = False
        arrived, self._questions = self._questions, []
        if not self._is_syncing:
            arrived, self._labels = arrived + self._labels, []
        told: list[Outcome] = []
        stored: list[Outcome] = []
        for waiting, result in self._carried_out(arrived):
            is_stored = type(waiting.request) is not Predict and not isinstance(result, Exception)
            (stored if is_stored else told).append((waiting, result))
        if stored:
            try:
                self._syncer.submit(self._sync, stored)
                self._is_syncing = True
            except RuntimeError as problem:  # there is no thread to be had
                told += [(waiting, problem) for waiting, _ in stored]
        self._tell(told)

    def _carried_out(self, arrived: list[Waiting]) -> list[Outcome]:
        """Return requests with their results, or with what was wrong; what is alike is one."""
        groups = _merged(arrived)
        pairs: list[Outcome] = []
        results = self._applied([request for request, _ in groups])
        for (_, members), result in zip(groups, results, strict=True):
            if len(members) == 1:
                pairs.append((members[0], result))
            elif _is_refusal(result):  # one of them spoils it for the others
                alone = self._applied([member.request for member in members])
                pairs += zip(members, alone, strict=True)
            elif isinstance(result, Exception):
                pairs += [(member, result) for member in members]
            else:
                rest = iter(result)
                pairs += [(each, list(islice(rest, len(each.request.ids)))) for each in members]
        return pairs

    def _applied(self, requests: list[Request]) -> list[Any]:
        """Return the results of requests, or what was wrong with each."""
        if not requests:
            return []
        try:
            return list(self.platform.apply(requests))
        except Exception as problem:
            return [problem] * len(requests)

    def _sync(self, stored: list[Outcome]) -> None:
        """In the helper thread: wait until labels are on disk, and say so in the loop's."""
        assert self._loop is not None
        begin, problem = time.perf_counter(), None
        try:
            self.platform.wait()
        except Exception as failed:  # whatever it was, nobody may wait for ever
            problem = failed
        if problem is not None:
            stored = [(waiting, problem) for waiting, _ in stored]
        self._loop.call_soon_threadsafe(self._synced, stored, time.perf_counter() - begin)

    def _synced(self, stored: list[Outcome], seconds: float) -> None:
        """Acknowledge labels that are on disk, which took so long, and go on with the next.

        Where the disk is slow, who was told now has half that time to send another label: then all
        go together, instead of in two groups of which one waits for the other.
        """
        assert self._loop is not None
        if self._labels and seconds > QUICK:
            self._loop.call_later(min(seconds / 2, LONGEST_PAUSE), self._go_on)
        else:
            self._go_on()  # first: the disk is busy while clients are told
        self._tell(stored)

    def _go_on(self) -> None:
        """Let labels that have gathered go to disk."""
        self._is_syncing = False
        if self._labels:
            self._turn()

    def _tell(self, pairs: list[Outcome]) -> None:
        """Tell results."""
        for (request, tell), result in pairs:
            left = self._rows[request.model] - len(request.ids)
            if left:
                self._rows[request.model] = left
            else:
                del self._rows[request.model]
            try:
                tell(result)
            except Exception:  # of one client; others wait for theirs
                LOG.exception("an answer could not be sent")

    def close(self) -> None:
        """Let the helper thread go."""
        self._syncer.shutdown(wait=True)


def _merged(requests: list[Waiting]) -> list[tuple[Request, list[Waiting]]]:
    """Return requests to be carried out, each with those that it stands for.

    Predictions of a model are one matrix, its labels one look into the store.
    """
    groups: dict[Any, list[Waiting]] = {}
    for at, waiting in enumerate(requests):
        request = waiting.request
        alike: Any = at
        if isinstance(request, Feedback) or (isinstance(request, Predict) and not any(request.ids)):
            alike = type(request), request.model
        groups.setdefault(alike, []).append(waiting)
    return [(_joined([each.request for each in group]), group) for group in groups.values()]


def _joined(requests: list[Any]) -> Request:
    """Return one request for several that are alike."""
    first = requests[0]
    if len(requests) == 1:
        request: Request = first
        return request
    parts = zip(*map(_LISTS[type(first)], requests), strict=True)
    lists = [list(chain.from_iterable(part)) for part in parts]
    joined: Request = type(first)(first.model, *lists)
    return joined


def _is_refusal(result: Any) -> bool:
    """Whether a request was refused for what it asks, and not because the store failed."""
    return isinstance(result, ValueError | PlatformError) and not isinstance(result, StoreError)


def _settle(future: asyncio.Future[Any], result: Any) -> None:
    """Give a client its result, if it still waits; an error is returned and raised there."""
    if not future.done():
        future.set_result(result)
