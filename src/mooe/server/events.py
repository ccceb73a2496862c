"""What happens to models, told as it happens: to streams of events (SSE) and to webhooks."""

import asyncio
import logging
import urllib.request
from collections.abc import AsyncIterator
from typing import Any

import msgspec

from mooe.platform import Platform, PlatformError
from mooe.server.messages import RegimeBody

LOG = logging.getLogger("mooe.server")
EVERY = 1.0  # seconds between two looks at the models
MOST_WAITING = 100  # events of a listener that does not read
PATIENCE = 10.0  # seconds for a webhook


class Events:
    """Looks at the models of a platform and tells who listens what has changed."""

    def __init__(self, platform: Platform, webhooks: tuple[str, ...] = ()) -> None:
        self.platform, self.webhooks = platform, webhooks
        self._listeners: dict[asyncio.Queue[bytes | None], str] = {}
        self._seen: dict[str, tuple[int, int | None]] | None = None  # None: not looked yet

    async def watch(self) -> None:
        """Look at the models again and again, until cancelled."""
        while True:
            try:
                await self.look()
            except PlatformError as problem:
                LOG.warning("models cannot be looked at: %s", problem)
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
            try:
                await asyncio.to_thread(_post, url, msgspec.json.encode(body))
            except (OSError, ValueError) as problem:
                LOG.warning("webhook %s: %s", url, problem)

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
        """Let go of who listens."""
        for queue in self._listeners:
            queue.put_nowait(None)


def _post(url: str, body: bytes) -> None:
    """Send an event to a webhook."""
    if not url.startswith(("http://", "https://")):
        raise ValueError("a webhook must be an http or https URL")
    request = urllib.request.Request(url, body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=PATIENCE):
        pass
