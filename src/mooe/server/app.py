"""The server as an ASGI application: hot routes as plain functions, Starlette for the rest."""

import asyncio
import gc
import logging
import secrets
import threading
import time
from collections.abc import Awaitable, Callable, MutableMapping
from importlib.metadata import version
from itertools import count
from typing import Any, NamedTuple

import msgspec
from starlette.requests import Request as HttpRequest
from starlette.responses import Response
from starlette.routing import Route, Router

from mooe.platform import Platform, PlatformError
from mooe.platform.platform import accepted
from mooe.platform.requests import Feedback, Learn, Predict, Receipt, Request
from mooe.platform.store import microseconds
from mooe.server import openapi
from mooe.server.access import check_host, check_site, check_token
from mooe.server.dashboard import Dashboard
from mooe.server.events import Events
from mooe.server.messages import AnswerBody, ReceiptBody
from mooe.server.metrics import Metrics
from mooe.server.problems import BusyError, TooLargeError, problem_body
from mooe.server.request_queue import RequestQueue
from mooe.server.routes import FILE, HOT, HOT_LINES, OPERATIONS, Operation
from mooe.sources import Consumer

LOG = logging.getLogger("mooe.server")
LARGEST_BODY = 16 * 2**20  # bytes
LARGEST_FILE = 512 * 2**20  # bytes of a model file
MOST_ROWS = 10_000  # in a request
MAINTAINED_EVERY = 10.0  # seconds
COLLECTED = 50_000, 20, 100  # allocations after which garbage is looked for
PREFIX = "/v1/models/"
OURS, NUMBERS = secrets.token_hex(4).encode(), count()  # ids of requests without one
JSON = (b"content-type", b"application/json")
LINES = (b"content-type", b"application/x-ndjson")
HOT_ROUTES = {verb: f"{PREFIX}{{model}}/{verb}" for verb in HOT}
ENCODER = msgspec.json.Encoder()

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]


class Server:
    """The platform over HTTP.

    Parameters
    ----------
    platform : Platform
        Closed when the server stops.
    token : str, optional
        What clients must send as a bearer token.
    webhooks : tuple of str
        URLs that are told of changes of regime.
    consumer : Consumer, optional
        Carries out messages of Kafka or Redis beside, in a thread of its own.
    """

    def __init__(
        self,
        platform: Platform,
        token: str | None = None,
        webhooks: tuple[str, ...] = (),
        consumer: Consumer | None = None,
        largest_body: int = LARGEST_BODY,
        most_rows: int = MOST_ROWS,
    ) -> None:
        self.platform, self._token = platform, token.encode() if token else None
        self.largest_body, self.most_rows = largest_body, most_rows
        self.queue, self.events = RequestQueue(platform), Events(platform, webhooks)
        self.metrics = Metrics(platform, consumer)
        self.dashboard = Dashboard(platform, self.metrics)
        self.consumer, self._end = consumer, threading.Event()
        self._reader = threading.Thread(target=self._consume, name="mooe-source", daemon=True)
        self.is_ready, self.not_ready = False, "models are being loaded"
        self.document = openapi.document(version("mooe"))
        self.page = openapi.page(self.document)
        self._open_paths = {each.path for each in OPERATIONS if each.is_open}
        routes = [
            Route(each.path, self._endpoint(each), methods=[each.method]) for each in OPERATIONS
        ]
        self._router = Router(routes, redirect_slashes=False)
        self._tasks: list[asyncio.Task[None]] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, send)

    # The beginning and the end

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        """Load models behind the first requests; at the end, close the platform."""
        await receive()
        self.start()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.stop()
        await send({"type": "lifespan.shutdown.complete"})

    def start(self) -> None:
        """Begin to load models, and to look after them."""
        for work in (self._warm_up, self._maintain):
            self._tasks.append(asyncio.get_running_loop().create_task(work()))

    def begin_to_stop(self) -> None:
        """Take no more requests, and let go of who only listens."""
        self.is_ready, self.not_ready = False, "the server is stopping"
        self._end.set()
        self.events.close()

    async def stop(self) -> None:
        """Finish what was begun, make snapshots, let go of the store."""
        self.begin_to_stop()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._reader.is_alive():
            await asyncio.to_thread(self._reader.join)
        await asyncio.to_thread(self.queue.close)
        await asyncio.to_thread(self.platform.close)

    async def _warm_up(self) -> None:
        """Load all, and say so."""
        begin = time.perf_counter()
        try:
            await asyncio.to_thread(self.platform.warm_up)
        except Exception as problem:
            self.not_ready = str(problem)
            LOG.error("not ready: %s", problem)
            return
        gc.collect()
        gc.freeze()  # what is there now stays: to look at it again and again takes time
        gc.set_threshold(*COLLECTED)
        self.is_ready = True
        if self.consumer is not None:
            self._reader.start()
        n, seconds = len(self.platform.models()), time.perf_counter() - begin
        LOG.info("ready after %.1f s, %d models", seconds, n)
        await self.events.watch()

    def _consume(self) -> None:
        """Carry out messages until the server stops."""
        assert self.consumer is not None
        try:
            self.consumer.run(self._end)
        except Exception:
            LOG.exception("messages are carried out no longer: start the server again")

    async def _maintain(self) -> None:
        """Do what models ask for, now and then."""
        while True:
            await asyncio.sleep(MAINTAINED_EVERY)
            try:
                if self.is_ready:
                    await asyncio.to_thread(self.platform.maintain)
            except PlatformError as problem:
                LOG.warning("not maintained: %s", problem)
            except Exception:  # whatever it was, the next time may do
                LOG.exception("not maintained")

    # A request

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; whatever goes wrong is a problem+json."""
        begin = time.perf_counter()
        headers = scope["mooe.headers"] = dict(scope["headers"])
        request_id = _request_id(headers)
        path, route, begun = scope["path"], "none", 0
        scope["app"] = self

        async def noted(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = message["status"]
                message["headers"] = [*message.get("headers", ()), (b"x-request-id", request_id)]
            await send(message)

        try:
            self._check(scope["method"], path, headers)
            name, verb = self.hot_route(scope["method"], path)
            if verb:
                route = HOT_ROUTES[verb]
                body = await self._body(scope, receive, self.largest_body)
                asked = self._asked(name, verb, headers, body)
                results = [] if asked.request is None else await self.queue.submit(asked.request)
                body, kind = self._told(asked, results)
                await _send(noted, 200, body, [kind])
            else:
                try:
                    await self._router(scope, receive, noted)
                finally:
                    route = getattr(scope.get("route"), "path", "none")
            status = begun
        except Exception as problem:
            status, body, about = _problem(problem, scope["method"], path, request_id)
            if not begun:
                await _send(noted, status, body, about)
        self._count(route, status, begin, scope["method"], path, request_id)

    def _check(self, method: str, path: str, headers: dict[bytes, bytes]) -> None:
        """Raise what is wrong with a request before its body is looked at."""
        if self._token is None:
            check_host(headers)
        elif path not in self._open_paths:
            check_token(headers, self._token)
        check_site(method, headers)
        if not self.is_ready and path not in self._open_paths:
            raise BusyError(f"not ready: {self.not_ready}", 503)

    def _count(
        self, route: str, status: int, begin: float, method: str, path: str, request_id: bytes
    ) -> None:
        """Count a request that was answered, and log it."""
        seconds = time.perf_counter() - begin
        self.metrics.seconds.add(route, seconds)
        self.metrics.requests[route, status] += 1
        if LOG.isEnabledFor(logging.DEBUG):
            words = (method, path, status, 1e3 * seconds, request_id.decode())
            LOG.debug("%s %s %s %.1f ms, request %s", *words)

    # Predict, feedback and learn

    @staticmethod
    def hot_route(method: str, path: str) -> tuple[str, str]:
        """Return the model and what is asked of it, ("", "") for any other route."""
        if method == "POST" and path.startswith(PREFIX):
            name, _, verb = path[len(PREFIX) :].partition("/")
            if verb in HOT:
                return name, verb
        return "", ""

    def answer(
        self,
        name: str,
        verb: str,
        headers: dict[bytes, bytes],
        body: bytes,
        send: Callable[[int, bytes, Headers], None],
    ) -> None:
        """Answer a request of a hot route as `_http` would, without a task; see `Connection`.

        send: is given status, body and headers of the answer when there is one.
        """
        begin, request_id = time.perf_counter(), _request_id(headers)
        path = f"{PREFIX}{name}/{verb}"
        asked: Asked | None = None

        def finish(results: Any) -> None:
            try:
                if asked is None or isinstance(results, Exception):
                    raise results
                (body, kind), status = self._told(asked, results), 200
                about = [kind]
            except Exception as problem:
                status, body, about = _problem(problem, "POST", path, request_id)
            about.append((b"x-request-id", request_id))
            send(status, body, about)
            self._count(HOT_ROUTES[verb], status, begin, "POST", path, request_id)

        try:
            self._check("POST", path, headers)
            asked = self._asked(name, verb, headers, body)
            if asked.request is not None:
                self.queue.enter(asked.request, finish)
        except Exception as problem:
            finish(problem)
            return
        if asked.request is None:
            finish([])

    def _asked(self, name: str, verb: str, headers: dict[bytes, bytes], body: bytes) -> "Asked":
        """Return what a body asks for, or raise what is wrong with it."""
        kind = headers.get(b"content-type", b"")
        are_lines = b"ndjson" in kind or b"jsonl" in kind
        items = _lines(body, HOT_LINES[verb]) if are_lines else HOT[verb].decode(body)
        is_single = not isinstance(items, list)
        rows = [items] if is_single else items
        if len(rows) > self.most_rows:
            raise TooLargeError(f"a request must have at most {self.most_rows:,} rows")
        request = _request(self.platform, name, verb, rows) if rows else None
        return Asked(name, verb, request, is_single, are_lines)

    def _told(self, asked: "Asked", results: list[Any]) -> tuple[bytes, tuple[bytes, bytes]]:
        """Return results as they are sent, and their kind: JSON, or lines of it; count them.

        A single label may be a problem.
        """
        bodies: list[Any]
        if asked.verb == "predict":
            self.metrics.predictions[asked.model] += len(results)
            bodies = list(map(AnswerBody.of, results))
        else:
            receipts: list[Receipt] = results
            for receipt in receipts:
                self.metrics.feedback[asked.model, receipt.result.value] += 1
                if receipt.waited is not None:
                    self.metrics.delays.add(asked.model, receipt.waited)
            if asked.is_single:
                accepted(receipts[0])
            bodies = list(map(ReceiptBody.of, receipts))
        if asked.are_lines:
            return ENCODER.encode_lines(bodies), LINES
        return ENCODER.encode(bodies[0] if asked.is_single else bodies), JSON

    async def _body(self, scope: Scope, receive: Receive, most: int) -> bytes:
        """Return the body of a request, or raise TooLargeError."""
        told = scope["mooe.headers"].get(b"content-length", b"0")
        if told.isdigit() and int(told) > most:
            raise TooLargeError(f"a body must have at most {most:,} bytes, got {int(told):,}")
        message = await receive()
        if not message.get("more_body"):
            body: bytes = message.get("body", b"")
            if len(body) > most:
                raise TooLargeError(f"a body must have at most {most:,} bytes")
            return body
        parts, size = [message.get("body", b"")], len(message.get("body", b""))
        while message.get("more_body"):
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ValueError("the client has left")
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > most:
                raise TooLargeError(f"a body must have at most {most:,} bytes")
        return b"".join(parts)

    def _endpoint(self, operation: Operation) -> Callable[[HttpRequest], Awaitable[Response]]:
        """Return the function that Starlette calls for a route."""
        decoder = None if operation.body is None else msgspec.json.Decoder(operation.body)

        async def endpoint(request: HttpRequest) -> Response:
            body: Any = None
            if decoder is not None:
                kind = request.headers.get("content-type", "")
                is_file = operation.takes_file and kind.startswith(FILE)
                most = LARGEST_FILE if is_file else self.largest_body
                body = await self._body(request.scope, request.receive, most)
                if not is_file:
                    body = decoder.decode(body)
            given = await operation.handler(self, request, body)
            if isinstance(given, Response):
                return given
            return Response(msgspec.json.encode(given), media_type="application/json")

        return endpoint


def _lines(body: bytes, decoder: msgspec.json.Decoder[Any]) -> list[Any]:
    """Return what the lines of a body say, or raise what is wrong with the first wrong one."""
    items = []
    for at, line in enumerate(body.splitlines(), 1):
        try:
            if line.strip():
                items.append(decoder.decode(line))
        except msgspec.DecodeError as problem:
            raise type(problem)(f"line {at}: {problem}") from problem
        except UnicodeDecodeError as problem:
            raise msgspec.DecodeError(f"line {at}: {problem}") from problem
    return items


class Asked(NamedTuple):
    """A request of a hot route; None for no rows."""

    model: str
    verb: str
    request: Request | None
    is_single: bool
    are_lines: bool


def _request(platform: Platform, name: str, verb: str, rows: list[Any]) -> Request:
    """Return what the platform is asked."""
    ids = [row.id for row in rows]
    if verb == "feedback":
        labels = [row.label for row in rows]
        return Feedback(name, ids, labels, [row.correction for row in rows])
    inputs = platform.rows(name, [row.x for row in rows])
    if verb == "predict":
        return Predict(name, inputs, ids)
    times = [None if row.at is None else microseconds(row.at) for row in rows]
    return Learn(name, inputs, [row.label for row in rows], ids, times)


def _request_id(headers: dict[bytes, bytes]) -> bytes:
    """Return the id that a client gave its request, or a new one."""
    given = headers.get(b"x-request-id", b"")
    if 0 < len(given) <= 100 and given.isalnum():
        return given
    return b"%s%08x" % (OURS, next(NUMBERS))


def _problem(
    problem: Exception, method: str, path: str, request_id: bytes
) -> tuple[int, bytes, Headers]:
    """Return status, body and headers of an error; one that should not be is logged."""
    status, body, about = problem_body(problem, request_id.decode())
    if status == 500:
        LOG.error("%s %s: request %s", method, path, request_id.decode(), exc_info=problem)
    return status, body, about


async def _send(send: Send, status: int, body: bytes, headers: Headers) -> None:
    """Send an answer."""
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
    await send({"type": "http.response.body", "body": body})
