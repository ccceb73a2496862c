"""A connection of a client: what one turn of the event loop writes is sent in one piece.

uvicorn writes the head of an answer and then its body. That would be two calls of the system, and
would wake the client twice.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


class Joined:
    """A transport that keeps what is written until the turn of the event loop ends."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport, self._loop = transport, asyncio.get_running_loop()
        self._kept: list[bytes] = []

    def write(self, data: bytes) -> None:
        """Send data, together with all that is written in this turn."""
        if not self._kept:
            self._loop.call_soon(self._send)
        self._kept.append(data)

    def _send(self) -> None:
        """Send what was written."""
        if self._kept:
            kept, self._kept = self._kept, []
            self._transport.write(b"".join(kept))

    def close(self) -> None:
        """Send what was written, then close."""
        self._send()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class Connection(HttpToolsProtocol):
    """uvicorn's connection with such a transport."""

    def connection_made(self, transport: Any) -> None:
        """Begin."""
        super().connection_made(Joined(transport))
