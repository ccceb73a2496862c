"""A real server for tests: uvicorn in a thread, a free port, and the client of mooe."""

import threading
from contextlib import contextmanager

import pytest

from mooe.client import Client
from mooe.platform import Platform, open_models
from mooe.server.process import listener


@pytest.fixture(autouse=True)
def _unhurried(monkeypatch):
    """Let nobody take a machine that stalls for a large model, which learns a moment later."""
    monkeypatch.setattr(open_models, "SLOW", 1e9)


class Running:
    """A server that runs, and where."""

    def __init__(self, platform, **options):
        self.platform = platform
        bound = threading.Event()
        options = {"port": 0, **options}
        self.listener = listener(
            platform, when_bound=lambda port: self._told(port, bound), **options
        )
        self.server = self.listener.config.app
        self._thread = threading.Thread(target=self.listener.run)
        self._thread.start()
        assert bound.wait(60)
        self.url = f"http://127.0.0.1:{self.port}"
        self.client = Client(self.url, options.get("token"), retries=60)
        self.client.request("GET", "/v2/health/ready")  # again and again until it is
        self.client.retries = 0

    def _told(self, port, bound):
        self.port = port
        bound.set()

    def ends_within(self, seconds):
        """Whether the server, which was told to stop, does so in time."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def stop(self):
        self.client.close()
        self.listener.should_exit = True
        self._thread.join()


@contextmanager
def running(place, **options):
    server = Running(Platform(place), **options)
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with running(tmp_path_factory.mktemp("server") / "store") as server:
        yield server


@pytest.fixture
def model(server, request):
    """Return the name of a model that only this test has."""
    name = f"m{abs(hash(request.node.nodeid)) % 10**9}"
    server.client.create(name)
    return name
