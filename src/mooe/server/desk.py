"""All that arrives in one turn of the event loop is one transaction; labels wait for the disk.

The loop's thread is the only writer. One helper thread calls `Platform.wait`, and every label that
was committed before the call began is acknowledged by it.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from operator import attrgetter
from typing import Any

from mooe.platform import Platform, PlatformError, StoreError
from mooe.platform.requests import Feedback, Predict, Request
from mooe.server.problems import BusyError

MOST_WAITING = 20_000  # rows of a model that may wait to be stored, synced or learnt


_LISTS = {  # of requests that are alike, in the order of their fields
    Predict: attrgetter("rows", "ids"),
    Feedback: attrgetter("ids", "labels", "corrections"),
}

Waiting = tuple[Request, asyncio.Future[Any]]


class Desk:
    """Where requests of clients wait for their turn; used by the event loop's thread alone."""

    def __init__(self, platform: Platform, most_waiting: int = MOST_WAITING) -> None:
        self.platform, self.most_waiting = platform, most_waiting
        self._requests: list[Waiting] = []
        self._unsynced: list[tuple[asyncio.Future[Any], Any]] = []
        self._rows: dict[str, int] = {}
        self._is_syncing = False
        self._loop: asyncio.AbstractEventLoop | None = None  # to ask for it is a call of the system
        self._syncer = ThreadPoolExecutor(1, "mooe-sync")

    async def submit(self, request: Request) -> Any:
        """Carry out a request; return its result when it lasts as long as it must."""
        n, model = len(request.ids), request.model
        waiting = self._rows.get(model, 0)
        behind = waiting + self.platform.backlog(model)
        if behind and behind + n > self.most_waiting:
            raise BusyError(f"model {model!r} has {behind:,} rows waiting; try again")
        loop = self._loop = self._loop or asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        if not self._requests:
            # One turn later than it could be: what the loop reads meanwhile comes along, and a
            # transaction is dearer than the wait.
            loop.call_soon(loop.call_soon, self._turn)
        self._requests.append((request, future))
        self._rows[model] = waiting + n
        try:
            result = await future
        finally:
            self._rows[model] -= n
            if not self._rows[model]:
                del self._rows[model]
        if isinstance(result, Exception):
            raise result
        return result

    def _turn(self) -> None:
        """Carry out all that has arrived, what is alike as one."""
        groups, self._requests = _merged(self._requests), []
        try:
            results: list[Any] = list(self.platform.apply([request for request, _ in groups]))
        except Exception as problem:
            results = [problem] * len(groups)
        for (request, members), result in zip(groups, results, strict=True):
            if len(members) > 1 and _is_refusal(result):
                self._one_by_one(members)  # one of them spoils it for the others
                continue
            first = 0
            for member, future in members:
                part = result
                if not isinstance(result, Exception):
                    part = result[first : first + len(member.ids)]
                    first += len(member.ids)
                self._give(request, future, part)
        if self._unsynced and not self._is_syncing:
            self._is_syncing = True
            asyncio.get_running_loop().create_task(self._sync())

    def _one_by_one(self, members: list[Waiting]) -> None:
        """Carry out requests of which one failed, each on its own."""
        try:
            results: list[Any] = list(self.platform.apply([request for request, _ in members]))
        except Exception as problem:
            results = [problem] * len(members)
        for (request, future), result in zip(members, results, strict=True):
            self._give(request, future, result)

    def _give(self, request: Request, future: asyncio.Future[Any], result: Any) -> None:
        """Give a client its result, at once or when it is on disk."""
        if isinstance(request, Predict) or isinstance(result, Exception):
            _settle(future, result)
        else:
            self._unsynced.append((future, result))

    async def _sync(self) -> None:
        """Acknowledge labels once they are on disk, all that wait at a time."""
        loop = asyncio.get_running_loop()
        while self._unsynced:
            waiting, self._unsynced = self._unsynced, []
            problem: Exception | None = None
            try:
                await loop.run_in_executor(self._syncer, self.platform.wait)
            except Exception as failed:  # whatever it was, nobody may wait for ever
                problem = failed
            for future, result in waiting:
                _settle(future, result if problem is None else problem)
        self._is_syncing = False

    def close(self) -> None:
        """Let the helper thread go."""
        self._syncer.shutdown(wait=True)


def _merged(requests: list[Waiting]) -> list[tuple[Request, list[Waiting]]]:
    """Return requests to be carried out, each with those that it stands for.

    Predictions of a model are one matrix, its labels one look into the store.
    """
    groups: dict[Any, list[Waiting]] = {}
    for at, waiting in enumerate(requests):
        request = waiting[0]
        alike: Any = at
        if isinstance(request, Feedback) or (isinstance(request, Predict) and not any(request.ids)):
            alike = type(request), request.model
        groups.setdefault(alike, []).append(waiting)
    return [(_joined([request for request, _ in group]), group) for group in groups.values()]


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
