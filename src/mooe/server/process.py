"""The server as a process: where it listens, who may ask, what it logs, how it stops."""

import ipaddress
import logging
import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path

import uvicorn

from mooe.platform import Platform
from mooe.server.app import Server
from mooe.server.connection import Connection
from mooe.sources import Consumer

LEVELS = ("debug", "info", "warning", "error")
IDLE = 75  # seconds after which an idle connection is closed
PATIENCE = 20  # seconds that requests have to finish when the server stops


def is_local(host: str) -> bool:
    """Whether only this machine can reach an address.

    >>> is_local("127.0.0.1"), is_local("localhost"), is_local("0.0.0.0"), is_local("::1")
    (True, True, False, True)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def token_of(file: Path | None) -> str | None:
    """Return the token of a file, or of MOOE_TOKEN; None for none; or raise ValueError."""
    if file is None:
        token = os.environ.get("MOOE_TOKEN", "").strip()
        return token or None
    token = file.read_text(encoding="utf-8").strip()
    if not token:
        raise ValueError(f"token file must hold a token, got nothing in {str(file)!r}")
    return token


def check_address(host: str, token: str | None) -> None:
    """Raise ValueError for a public address without a token."""
    if token is None and not is_local(host):
        raise ValueError(
            f"host must be 127.0.0.1 without a token, got {host!r}: others could reach it; set "
            "MOOE_TOKEN or --token-file"
        )


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
