"""A connection of a client: small requests of hot routes are answered without a task of their own.

uvicorn makes a task of every request, and writes the head of an answer and then its body: that
would be two calls of the system, and would wake the client twice. Here what one turn of the event
loop writes is sent in one piece. And most requests are a row or a label: such a one goes from the
parser to `Server.answer` and back, which takes half the time.
"""

import asyncio
import sys
from functools import cache
from typing import Any

from starlette.exceptions import HTTPException
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from mooe.server.problems import problem_body

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

SMALL = 2**16  # bytes of a body that is answered without a task
LARGEST_HEAD = 2**16  # bytes of a request line and headers, which come before any token is seen
SPARE_FILES = 100  # that connections of clients leave to everything else
BODY_PATIENCE = 5.0  # seconds that the rest of a body may take once the server stops


@cache
def most_connections() -> int:
    """Return how many clients may be connected, so that the store has files to open too.

    Without a file for it asyncio cannot accept a connection, and says so again and again.
    """
    if resource is None:
        return sys.maxsize
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if soft == resource.RLIM_INFINITY else max(soft - SPARE_FILES, soft // 2)


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

    def is_closing(self) -> bool:
        """Whether it was closed."""
        return self._transport.is_closing()

    def close(self) -> None:
        """Send what was written, then close."""
        self._send()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class Exchange:
    """A small request and its answer, in the words of uvicorn's own, which stand for a task."""

    message_event = asyncio.Event()  # nobody waits for it

    def __init__(
        self, model: str, verb: str, headers: dict[bytes, bytes], keep_alive: bool
    ) -> None:
        self.model, self.verb, self.headers = model, verb, headers
        self.keep_alive = keep_alive
        self.body, self.more_body = bytearray(), True
        self.response_complete = self.disconnected = False


class Connection(HttpToolsProtocol):
    """uvicorn's connection with such a transport, and with such exchanges."""

    cycle: Any  # uvicorn's, or an Exchange
    _is_in_head, _n_head = False, 0  # bytes of a head that has not ended

    def connection_made(self, transport: Any) -> None:
        """Begin; beyond what there are files for, only to say so."""
        super().connection_made(Joined(transport))
        if len(self.connections) > most_connections():
            self._refuse(503, "too many connections; try again")
        else:
            self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        """Read on; a head that does not end is refused, for nobody else bounds it."""
        super().data_received(data)
        if self._is_in_head and not self.transport.is_closing():
            self._n_head += len(data)
            if self._n_head > LARGEST_HEAD:
                self._refuse(431, f"a head must have at most {LARGEST_HEAD:,} bytes")
            else:
                self._wait_for_head()

    def _wait_for_head(self) -> None:
        """Let a client go that sends no more of its next request, as uvicorn does after one."""
        self._unset_keepalive_if_required()
        self.timeout_keep_alive_task = self.loop.call_later(
            self.timeout_keep_alive, self.timeout_keep_alive_handler
        )

    def on_message_begin(self) -> None:
        """Begin a head."""
        super().on_message_begin()
        self._is_in_head, self._n_head = True, 0

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP."""
        self._refuse(400, msg)

    def _refuse(self, status: int, words: str) -> None:
        """Say what is wrong with what is no request, and close."""
        _, body, headers = problem_body(HTTPException(status, words), "")
        self.transport.write(self._whole(status, body, headers, keep_alive=False))
        self.transport.close()

    def shutdown(self) -> None:
        """Close once the request is answered; one whose body does not come is let go."""
        super().shutdown()
        self.loop.call_later(BODY_PATIENCE, self._let_go)

    def _let_go(self) -> None:
        """Close where the rest of a body is still waited for, and nothing else."""
        if self.cycle is not None and self.cycle.more_body and not self.pipeline:
            self.transport.close()

    def on_headers_complete(self) -> None:
        """Begin a request; one that comes while another is answered is uvicorn's to keep."""
        self._is_in_head = False
        is_free = self.cycle is None or self.cycle.response_complete
        exchange = self._exchange() if is_free else None
        if exchange is None:
            super().on_headers_complete()
        else:
            self.cycle = exchange

    def _exchange(self) -> Exchange | None:
        """Return a small request of a hot route, None for any other."""
        parser, app, headers = self.parser, self.config.app, dict(self.headers)
        if parser.get_method() != b"POST" or parser.get_http_version() != "1.1":
            return None
        if self.expect_100_continue or parser.should_upgrade():
            return None
        size = headers.get(b"content-length", b"")
        if not size.isdigit() or int(size) > min(SMALL, app.largest_body):
            return None
        if b"%" in self.url or b"?" in self.url:
            return None
        model, verb = app.hot_route("POST", self.url.decode("latin-1"))
        return Exchange(model, verb, headers, parser.should_keep_alive()) if verb else None

    def on_message_complete(self) -> None:
        """Answer a small request."""
        super().on_message_complete()
        exchange = self.cycle
        if not isinstance(exchange, Exchange) or exchange.response_complete:
            return

        def send(status: int, body: bytes, headers: list[tuple[bytes, bytes]]) -> None:
            self._answer(exchange, status, body, headers)

        body = bytes(exchange.body)
        self.config.app.answer(exchange.model, exchange.verb, exchange.headers, body, send)

    def _answer(
        self, exchange: Exchange, status: int, body: bytes, headers: list[tuple[bytes, bytes]]
    ) -> None:
        """Send the answer to a small request."""
        exchange.response_complete = True
        transport: Any = self.transport
        if transport.is_closing():
            return
        transport.write_whole(self._whole(status, body, headers, exchange.keep_alive))
        if not exchange.keep_alive:
            transport.close()
        self.on_response_complete()

    def _whole(
        self, status: int, body: bytes, headers: list[tuple[bytes, bytes]], keep_alive: bool
    ) -> bytes:
        """Return an answer as it is sent."""
        head = [b"%s: %s\r\n" % pair for pair in (*self.server_state.default_headers, *headers)]
        close = b"" if keep_alive else b"connection: close\r\n"
        length = b"content-length: %d\r\n" % len(body)
        return b"".join((STATUS_LINE[status], *head, length, close, b"\r\n", body))
