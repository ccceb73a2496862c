"""What happens is told as it happens."""

import asyncio
import http.client
import http.server
import json
import threading
import time

from mooe.datasets import recurring
from mooe.platform import Platform
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
