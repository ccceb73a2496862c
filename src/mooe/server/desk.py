"""All that arrives in one turn of the event loop is one transaction; labels wait for the disk.

The loop's thread is the only writer. One helper thread calls `Platform.wait`, and every label that
was committed before the call began is acknowledged by it.
"""

import asyncio
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from typing import Any

from mooe.platform import Platform, PlatformError, StoreError
from mooe.platform.requests import Feedback, Predict, Request
from mooe.server.problems import BusyError

MOST_WAITING = 20_000  # rows of a model that may wait to be stored, synced or learnt


Waiting = tuple[Request, asyncio.Future[Any]]


class Desk:
    """Where requests of clients wait for their turn; used by the event loop's thread alone."""

    def __init__(self, platform: Platform, most_waiting: int = MOST_WAITING) -> None:
        self.platform, self.most_waiting = platform, most_waiting
        self._requests: list[Waiting] = []
        self._unsynced: list[tuple[asyncio.Future[Any], Any]] = []
        self._rows: Counter[str] = Counter()
        self._is_syncing = False
        self._syncer = ThreadPoolExecutor(1, "mooe-sync")

    async def submit(self, request: Request) -> Any:
        """Carry out a request; return its result when it lasts as long as it must."""
        n = len(request.ids)
        waiting = self._rows[request.model] + self.platform.backlog(request.model)
        if waiting and waiting + n > self.most_waiting:
            raise BusyError(f"model {request.model!r} has {waiting:,} rows waiting; try again")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        if not self._requests:
            # One turn later than it could be: what the loop reads meanwhile comes along, and a
            # transaction is dearer than the wait.
            loop.call_soon(loop.call_soon, self._turn)
        self._requests.append((request, future))
        self._rows[request.model] += n
        try:
            result = await future
        finally:
            self._rows[request.model] -= n
            if not self._rows[request.model]:
                del self._rows[request.model]
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
            except StoreError as stopped:
                problem = stopped
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
    for at, (request, future) in enumerate(requests):
        alike: Any = at
        if isinstance(request, Feedback) or (isinstance(request, Predict) and not any(request.ids)):
            alike = type(request), request.model
        groups.setdefault(alike, []).append((request, future))
    return [(_joined([request for request, _ in group]), group) for group in groups.values()]


def _joined(requests: list[Any]) -> Request:
    """Return one request for several that are alike."""
    first = requests[0]
    if len(requests) == 1:
        request: Request = first
        return request
    names = [field.name for field in fields(first)]
    values = {name: [v for each in requests for v in getattr(each, name)] for name in names[1:]}
    joined: Request = type(first)(first.model, **values)
    return joined


def _is_refusal(result: Any) -> bool:
    """Whether a request was refused for what it asks, and not because the store failed."""
    return isinstance(result, ValueError | PlatformError) and not isinstance(result, StoreError)


def _settle(future: asyncio.Future[Any], result: Any) -> None:
    """Give a client its result, if it still waits; an error is returned and raised there."""
    if not future.done():
        future.set_result(result)
