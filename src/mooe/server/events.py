"""What happens to models, told as it happens: to streams of events (SSE) and to webhooks."""

import asyncio
import logging
import urllib.request
from collections.abc import AsyncIterator
from contextlib import suppress
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit

import msgspec

from mooe.platform import Platform, PlatformError, UnknownModelError
from mooe.server.messages import RegimeBody

LOG = logging.getLogger("mooe.server")
EVERY = 1.0  # seconds between two looks at the models
MOST_WAITING = 100  # events of a listener or webhook that does not take them
PATIENCE = 10.0  # seconds for a webhook


class Events:
    """Looks at the models of a platform and tells who listens what has changed."""

    def __init__(self, platform: Platform, webhooks: tuple[str, ...] = ()) -> None:
        for url in webhooks:
            check_webhook(url)
        self.platform, self.webhooks = platform, webhooks
        self._posts: dict[str, asyncio.Queue[bytes]] = {}  # what a webhook is to be told, by URL
        self._posters: list[asyncio.Task[None]] = []
        self._listeners: dict[asyncio.Queue[bytes | None], str] = {}
        self._seen: dict[str, tuple[int, int | None]] | None = None  # None: not looked yet

    async def watch(self) -> None:
        """Look at the models again and again, until cancelled."""
        while True:
            try:
                await self.look()
            except PlatformError as problem:
                LOG.warning("models cannot be looked at: %s", problem)
            except Exception:  # whatever it was, who listens is told of the next
                LOG.exception("models could not be looked at")
            await asyncio.sleep(EVERY)

    async def look(self) -> None:
        """Tell what has changed since the last look."""
        versions = await asyncio.to_thread(self.platform.versions)
        before = {} if self._seen is None else self._seen
        new = [name for name, n in versions.items() if before.get(name, (0, None))[0] != n]
        facts = await asyncio.to_thread(self.platform.gauges, new)
        is_first, self._seen = self._seen is None, {n: before[n] for n in versions if n in before}
        for fact in facts:
            _, regime = before.get(fact.name, (0, None))
            self._seen[fact.name] = fact.version, fact.regime
            if is_first:  # what was before the server started is no news
                continue
            told = {"labels": fact.version, "pending": fact.pending, "regime": fact.regime}
            self._tell(fact.name, "progress", told)
            if fact.regime != regime and fact.regime is not None:
                with suppress(UnknownModelError):  # deleted meanwhile: others are told
                    await self._tell_regime(fact.name, regime, fact.regime)

    async def _tell_regime(self, name: str, before: int | None, now: int) -> None:
        """Tell that another regime is in charge."""
        regime = await asyncio.to_thread(self.platform.regime, name)
        body: dict[str, Any] = {"model": name, "before": before, "number": now}
        if regime is not None:
            after = await asyncio.to_thread(self.platform.recognised_after, name)
            body["regime"] = msgspec.to_builtins(RegimeBody.of(regime, after))
        self._tell(name, "regime", body)
        for url in self.webhooks:
            self._tell_webhook(url, msgspec.json.encode(body))

    def _tell_webhook(self, url: str, body: bytes) -> None:
        """Send an event to a webhook behind those before it; nobody else waits for that."""
        if url not in self._posts:
            self._posts[url] = asyncio.Queue()
            self._posters.append(asyncio.create_task(self._post_all(url)))
        if self._posts[url].qsize() < MOST_WAITING:
            self._posts[url].put_nowait(body)

    async def _post_all(self, url: str) -> None:
        """Send what a webhook is to be told, one after the other, until cancelled."""
        waiting = self._posts[url]
        while True:
            body = await waiting.get()
            try:
                await asyncio.to_thread(_post, url, body)
            except (OSError, ValueError, HTTPException) as problem:
                LOG.warning("webhook %s: %s", url, problem)
            waiting.task_done()

    async def settle(self) -> None:
        """Return when every webhook was told all that it is to be told by now."""
        for waiting in self._posts.values():
            await waiting.join()

    def _tell(self, model: str, kind: str, body: dict[str, Any]) -> None:
        """Tell all who listen to a model."""
        text = f"event: {kind}\ndata: ".encode() + msgspec.json.encode(body) + b"\n\n"
        for queue, name in self._listeners.items():
            if name == model and queue.qsize() < MOST_WAITING:
                queue.put_nowait(text)

    async def listen(self, model: str) -> AsyncIterator[bytes]:
        """Yield the events of a model as they are sent; a comment while there are none."""
        queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._listeners[queue] = model
        try:
            yield b": listening\n\n"
            while True:
                try:
                    event = await asyncio.wait_for(queue.get(), 15.0)
                except TimeoutError:
                    event = b": still here\n\n"
                if event is None:
                    return
                yield event
        finally:
            self._listeners.pop(queue, None)

    def close(self) -> None:
        """Let go of who listens, and of webhooks that take their time."""
        for task in self._posters:
            task.cancel()
        for queue in self._listeners:
            queue.put_nowait(None)


def check_webhook(url: str) -> None:
    """Raise ValueError for a URL that no event could be sent to."""
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # of a port
        is_usable = False
    if not is_usable:
        raise ValueError(f"webhook must be an http or https URL, got {url!r:.120}")


def _post(url: str, body: bytes) -> None:
    """Send an event to a webhook."""
    request = urllib.request.Request(url, body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=PATIENCE):
        pass
