"""A connection of a client: small requests of hot routes are answered without a task of their own.

uvicorn makes a task of every request, and writes the head of an answer and then its body: that
would be two calls of the system, and would wake the client twice. Here what one turn of the event
loop writes is sent in one piece. And most requests are a row or a label: such a one goes from the
parser to `Server.answer` and back, which takes half the time.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

SMALL = 2**16  # bytes of a body that is answered without a task


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

    def write_whole(self, data: bytes) -> None:
        """Send data that nothing else belongs to: at once."""
        self._send()
        self._transport.write(data)

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


class Exchange:
    """A small request and its answer, in the words of uvicorn's own, which stand for a task."""

    message_event = asyncio.Event()  # nobody waits for it

    def __init__(self, model: str, verb: str, keep_alive: bool) -> None:
        self.model, self.verb, self.keep_alive = model, verb, keep_alive
        self.body, self.more_body = bytearray(), True
        self.response_complete = self.disconnected = False


class Connection(HttpToolsProtocol):
    """uvicorn's connection with such a transport, and with such exchanges."""

    cycle: Any  # uvicorn's, or an Exchange

    def connection_made(self, transport: Any) -> None:
        """Begin."""
        super().connection_made(Joined(transport))

    def on_headers_complete(self) -> None:
        """Begin a request; one that comes while another is answered is uvicorn's to keep."""
        is_free = self.cycle is None or self.cycle.response_complete
        model, verb = self._hot_route() if is_free else ("", "")
        if verb:
            self.cycle = Exchange(model, verb, self.parser.should_keep_alive())
        else:
            super().on_headers_complete()

    def _hot_route(self) -> tuple[str, str]:
        """Return the model and what is asked of it by a small request, ("", "") for any other."""
        parser, size = self.parser, dict(self.headers).get(b"content-length", b"")
        is_plain = parser.get_method() == b"POST" and parser.get_http_version() == "1.1"
        if not is_plain or self.expect_100_continue or parser.should_upgrade():
            return "", ""
        app, most = self.config.app, min(SMALL, self.config.app.largest_body)
        if not size.isdigit() or int(size) > most or b"%" in self.url or b"?" in self.url:
            return "", ""
        found: tuple[str, str] = app.hot_route("POST", self.url.decode("latin-1"))
        return found

    def on_message_complete(self) -> None:
        """Answer a small request."""
        super().on_message_complete()
        exchange = self.cycle
        if not isinstance(exchange, Exchange) or exchange.response_complete:
            return

        def send(status: int, body: bytes, headers: list[tuple[bytes, bytes]]) -> None:
            self._answer(exchange, status, body, headers)

        about, body = dict(self.headers), bytes(exchange.body)
        self.config.app.answer(exchange.model, exchange.verb, about, body, send)

    def _answer(
        self, exchange: Exchange, status: int, body: bytes, headers: list[tuple[bytes, bytes]]
    ) -> None:
        """Send the answer to a small request."""
        exchange.response_complete = True
        if self.transport.is_closing():
            return
        head = [b"%s: %s\r\n" % pair for pair in (*self.server_state.default_headers, *headers)]
        close = b"" if exchange.keep_alive else b"connection: close\r\n"
        length = b"content-length: %d\r\n" % len(body)
        whole = b"".join((STATUS_LINE[status], *head, length, close, b"\r\n", body))
        self.transport.write_whole(whole)
        if not exchange.keep_alive:
            self.transport.close()
        self.on_response_complete()
