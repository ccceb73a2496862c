"""All that arrives in one turn of the event loop is one transaction; labels wait for the disk.

The loop's thread is the only writer. One helper thread calls `Platform.wait`, and every label that
was committed before the call began is acknowledged by it.
"""

import asyncio
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from mooe.platform import Platform, StoreError
from mooe.platform.requests import Predict, Request
from mooe.server.problems import BusyError

MOST_WAITING = 20_000  # rows of a model that may wait to be stored, synced or learnt


class Desk:
    """Where requests of clients wait for their turn; used by the event loop's thread alone."""

    def __init__(self, platform: Platform, most_waiting: int = MOST_WAITING) -> None:
        self.platform, self.most_waiting = platform, most_waiting
        self._requests: list[tuple[Request, asyncio.Future[Any]]] = []
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
            loop.call_soon(self._turn)
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
        """Carry out all that has arrived."""
        requests, self._requests = self._requests, []
        try:
            results: list[Any] = list(self.platform.apply([request for request, _ in requests]))
        except Exception as problem:
            results = [problem] * len(requests)
        for (request, future), result in zip(requests, results, strict=True):
            if isinstance(request, Predict) or isinstance(result, Exception):
                _settle(future, result)
            else:
                self._unsynced.append((future, result))
        if self._unsynced and not self._is_syncing:
            self._is_syncing = True
            asyncio.get_running_loop().create_task(self._sync())

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


def _settle(future: asyncio.Future[Any], result: Any) -> None:
    """Give a client its result, if it still waits; an error is returned and raised there."""
    if not future.done():
        future.set_result(result)
