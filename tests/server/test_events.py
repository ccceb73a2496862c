"""What happens is told as it happens."""

import asyncio
import http.client
import http.server
import json
import socket
import threading
import time
from contextlib import suppress

import pytest

from mooe.datasets import recurring
from mooe.platform import Platform
from mooe.server import events as events_module
from mooe.server.events import Events

from .conftest import running


def read_until(answer, kind):
    """Return the data of the next event of a kind."""
    name = ""
    while True:
        line = answer.readline().decode().strip()
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        if line.startswith("data: ") and name == kind:
            return json.loads(line.removeprefix("data: "))


def test_progress_and_changes_of_regime_are_told_to_listeners_and_webhooks(tmp_path):
    told, was_told = [], threading.Event()

    class Hook(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            told.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(204)
            self.end_headers()
            was_told.set()

        def log_message(self, *arguments):
            pass

    hook = http.server.HTTPServer(("127.0.0.1", 0), Hook)
    threading.Thread(target=hook.serve_forever, daemon=True).start()
    webhooks = (f"http://127.0.0.1:{hook.server_port}/hook", "http://127.0.0.1:1/nobody")
    stream = recurring(n=2000, n_features=3, n_concepts=2, length=500, seed=1)
    with running(tmp_path / "store", webhooks=webhooks) as server:
        server.client.create("m")
        server.client.learn("m", stream.X[0].tolist(), int(stream.y[0]))
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        connection.request("GET", "/v1/models/m/events")
        answer = connection.getresponse()
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.readline() == b": listening\n"
        for first in range(1, 2000, 200):
            part = slice(first, first + 200)
            server.client.learn_many("m", stream.X[part].tolist(), stream.y[part].tolist())
        progress = read_until(answer, "progress")
        assert progress["labels"] > 1
        event = read_until(answer, "regime")
        assert event["model"] == "m"
        assert event["regime"]["in_charge"]
        assert was_told.wait(10)
        assert told[0]["number"] == event["number"]
        begin = time.monotonic()
    assert time.monotonic() - begin < 10.0  # who listens does not hold up the end
    connection.close()
    hook.shutdown()
    hook.server_close()


def test_only_models_that_have_learnt_are_looked_at_and_deleted_ones_are_forgotten(tmp_path):
    with Platform(tmp_path / "store") as platform:
        for name in ("a", "b"):
            platform.create(name)
            platform.learn(name, {"x": 1}, "yes")
        looked, gauges = [], platform.gauges

        def noted(names=None):
            looked.append(list(names))
            return gauges(names)

        platform.gauges = noted
        events = Events(platform)
        asyncio.run(events.look())
        platform.learn("b", {"x": 2}, "no")
        asyncio.run(events.look())
        platform.delete("a")
        asyncio.run(events.look())
        assert looked == [["a", "b"], ["b"], []]
        assert events._seen == {"b": (2, None)}


def test_a_model_that_is_deleted_during_a_look_keeps_nobody_from_being_told(tmp_path):
    stream = recurring(n=600, n_features=3, n_concepts=2, length=300, seed=1)
    told = []

    async def looked(platform):
        events = Events(platform)
        await events.look()
        for name in ("a", "b"):
            platform.learn_many(name, stream.X.tolist(), stream.y.tolist())
        regime = platform.regime

        def deleted_meanwhile(name):
            if name == "a":
                platform.delete("a")
            return regime(name)

        platform.regime = deleted_meanwhile
        events._tell = lambda model, kind, body: told.append((model, kind))
        await events.look()

    with Platform(tmp_path / "store") as platform:
        for name in ("a", "b"):
            platform.create(name)
            platform.learn(name, stream.X[0].tolist(), int(stream.y[0]))
        asyncio.run(looked(platform))
    assert [kind for name, kind in told if name == "b"] == ["progress", "regime"]
    assert ("a", "regime") not in told


def test_who_asks_only_for_the_head_of_a_stream_gets_that_and_goes_on(server, model):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    for path in (f"/v1/models/{model}/events", "/v2/health/live"):
        connection.request("HEAD", path)
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (200, b"")
    connection.close()
    assert server.server.events._listeners == {}


@pytest.fixture
def no_webhook():
    """Return a URL where somebody takes what is sent and says something else than HTTP."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def talk():
            with suppress(OSError):
                while True:
                    with listening.accept()[0] as taken:
                        taken.sendall(b"SSH-2.0-OpenSSH_9.6\r\n")
                        taken.recv(2**16)

        threading.Thread(target=talk, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


def test_a_webhook_that_does_not_speak_http_keeps_nobody_from_being_told(
    tmp_path, no_webhook, caplog
):
    stream = recurring(n=600, n_features=3, n_concepts=2, length=300, seed=1)

    async def told(events, platform):
        await events.look()
        platform.learn_many("m", stream.X.tolist(), stream.y.tolist())
        await events.look()
        await events.settle()

    with Platform(tmp_path / "store") as platform:
        platform.create("m")
        platform.learn("m", stream.X[0].tolist(), int(stream.y[0]))
        asyncio.run(told(Events(platform, (no_webhook,)), platform))
    assert "SSH-2.0" in caplog.text


@pytest.mark.parametrize("url", ["nowhere", "ftp://host/x", "http://", "http://host:x", ""])
def test_what_can_be_no_webhook_is_refused_at_once(url):
    with pytest.raises(ValueError, match="webhook must be an http or https URL, got"):
        events_module.check_webhook(url)


def test_a_webhook_that_takes_its_time_holds_nobody_up(tmp_path, monkeypatch):
    stream = recurring(n=600, n_features=3, n_concepts=2, length=300, seed=1)
    called, go_on = threading.Event(), threading.Event()

    def slow(url, body):
        called.set()
        assert go_on.wait(30)

    monkeypatch.setattr(events_module, "_post", slow)

    async def told(platform):
        events = Events(platform, ("http://127.0.0.1:1",))
        await events.look()
        platform.learn_many("m", stream.X.tolist(), stream.y.tolist())
        await events.look()  # returns although the webhook does not
        assert await asyncio.to_thread(called.wait, 30)
        go_on.set()
        await events.settle()

    with Platform(tmp_path / "store") as platform:
        platform.create("m")
        platform.learn("m", stream.X[0].tolist(), int(stream.y[0]))
        asyncio.run(told(platform))


def test_what_goes_wrong_in_one_look_is_logged_and_the_next_one_is_taken(tmp_path, caplog):
    async def watched(events):
        looks, look = [], events.look

        async def failing():
            looks.append(1)
            if len(looks) == 1:
                raise RuntimeError("out of the blue")
            await look()
            raise asyncio.CancelledError

        events.look = failing
        with suppress(asyncio.CancelledError):
            await events.watch()
        return len(looks)

    with Platform(tmp_path / "store") as platform:
        assert asyncio.run(watched(Events(platform))) == 2
    assert "out of the blue" in caplog.text
