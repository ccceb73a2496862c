"""The server as a process: where it listens, what it logs, how it stops."""

import logging
import signal
import socket
from collections.abc import Callable

import uvicorn

from mooe.platform import Platform
from mooe.server.access import check_address
from mooe.server.app import Server
from mooe.server.connection import Connection
from mooe.sources import Consumer

LEVELS = ("debug", "info", "warning", "error")
IDLE = 75  # seconds after which an idle connection is closed
PATIENCE = 20  # seconds that requests have to finish when the server stops


def serve(
    platform: Platform,
    host: str = "127.0.0.1",
    port: int = 8080,
    token: str | None = None,
    webhooks: tuple[str, ...] = (),
    log_level: str = "info",
    when_bound: Callable[[int], None] | None = None,
    consumer: Consumer | None = None,
) -> None:
    """Serve a platform until the process is told to stop; one process, one writer.

    port: 0 takes a free one. when_bound: told the port once the server listens. consumer: carries
    out messages of Kafka or Redis beside.
    """
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s %(message)s")
    logging.getLogger("mooe").setLevel(log_level.upper())
    made = listener(platform, host, port, token, webhooks, when_bound, consumer)
    kinds = (signal.SIGINT, signal.SIGTERM)
    # uvicorn stops by these, and then sends them to who was there before: to stop is no failure.
    before = [signal.signal(kind, lambda *_: None) for kind in kinds]
    try:
        made.run()
    finally:
        for kind, handler in zip(kinds, before, strict=True):
            signal.signal(kind, handler)


def listener(
    platform: Platform,
    host: str = "127.0.0.1",
    port: int = 8080,
    token: str | None = None,
    webhooks: tuple[str, ...] = (),
    when_bound: Callable[[int], None] | None = None,
    consumer: Consumer | None = None,
) -> "Listener":
    """Return the server of a platform, to be run; parameters are those of `serve`."""
    check_address(host, token)
    config = uvicorn.Config(
        Server(platform, token, webhooks, consumer),
        host=host,
        port=port,
        log_config=None,
        log_level=logging.WARNING,
        access_log=False,
        lifespan="on",
        timeout_keep_alive=IDLE,
        timeout_graceful_shutdown=PATIENCE,
        server_header=False,
        proxy_headers=False,
        ws="none",
        http=Connection,
    )
    return Listener(config, when_bound)


class Listener(uvicorn.Server):
    """uvicorn's server, which tells where it listens; set `should_exit` to stop it."""

    def __init__(self, config: uvicorn.Config, told: Callable[[int], None] | None) -> None:
        super().__init__(config)
        self._told = told

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and say where."""
        await super().startup(sockets)
        if self.started and self._told is not None:
            (opened,) = self.servers[0].sockets[:1]
            self._told(opened.getsockname()[1])

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop; streams of events would never end by themselves."""
        self.config.app.begin_to_stop()
        await super().shutdown(sockets)
