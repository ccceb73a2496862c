"""The client: retries that cannot learn anything twice."""

import http.server
import json
import threading
from typing import ClassVar

import numpy as np
import pytest

from mooe.client import Client, ServerError


class Flaky(http.server.BaseHTTPRequestHandler):
    """A server that fails as it is told to, then answers."""

    protocol_version = "HTTP/1.1"
    fates: ClassVar[list] = []
    seen: ClassVar[list] = []

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.seen.append((self.path, body, self.headers.get("authorization")))
        fate = self.fates.pop(0) if self.fates else 200
        if fate == "cut":
            self.connection.close()
            return
        answers = {200: {"id": body["id"], "prediction": 1, "probabilities": [], "version": 0}}
        blob = json.dumps(answers.get(fate, {"detail": "no", "status": fate})).encode()
        self.send_response(fate)
        self.send_header("content-length", str(len(blob)))
        if fate in (429, 503):
            self.send_header("retry-after", "0")
        self.end_headers()
        self.wfile.write(blob)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server():
    Flaky.fates, Flaky.seen = [], []
    made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Flaky)
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{made.server_port}"
    made.shutdown()
    made.server_close()


def test_a_request_is_sent_again_with_the_same_id(server):
    Flaky.fates[:] = [503, 429, 503]
    client = Client(server, token="secret")
    answer = client.predict("m", {"a": 1})
    client.close()
    assert len(Flaky.seen) == 4
    assert {body["id"] for _, body, _ in Flaky.seen} == {answer.id}
    assert {token for *_, token in Flaky.seen} == {"Bearer secret"}


def test_a_connection_that_breaks_is_made_anew(server):
    Flaky.fates[:] = ["cut"]
    client = Client(server)
    assert client.predict("m/../x", [1.0, None]).prediction == 1
    client.close()
    assert Flaky.seen[0][0] == "/v1/models/m%2F..%2Fx/predict"


def test_numbers_of_numpy_and_absent_values_are_sent_as_json_has_them(server):
    client = Client(server)
    row = {"size": np.int64(3), "hour": np.float32(0.5), "age": float("nan"), "old": np.bool_(True)}
    client.predict("m", row)
    client.predict("m", np.array([1.0, np.nan]))
    client.predict("m", [np.int64(1), None, np.float64("nan")])
    client.tell("m", "learn", x=[1], label=np.int64(7), id="a")
    client.close()
    xs = [body["x"] for _, body, _ in Flaky.seen]
    assert xs[0] == {"size": 3, "hour": 0.5, "age": None, "old": True}
    assert xs[1:3] == [[1.0, None], [1, None, None]]
    assert Flaky.seen[3][1]["label"] == 7


def test_what_json_cannot_hold_is_refused_before_it_is_sent(server):
    client = Client(server)
    with pytest.raises(ValueError, match="Out of range"):
        client.predict("m", {"a": float("inf")})
    with pytest.raises(TypeError, match="object is not JSON"):
        client.predict("m", {"a": object()})
    with pytest.raises(TypeError, match="ndarray object is not JSON"):
        client.predict("m", {"a": np.zeros(2)})
    client.close()
    assert Flaky.seen == []


@pytest.mark.parametrize("status", [400, 404, 409, 422, 500])
def test_what_is_refused_is_not_sent_again(server, status):
    Flaky.fates[:] = [status]
    client = Client(server)
    with pytest.raises(ServerError, match=f"{status}: no") as refused:
        client.predict("m", {"a": 1})
    client.close()
    assert refused.value.status == status
    assert len(Flaky.seen) == 1


def test_a_server_that_is_not_there_is_told_in_the_end():
    with pytest.raises(OSError, match="refused"):
        Client("http://127.0.0.1:9", retries=1).models()
    with pytest.raises(ValueError, match="url must be"):
        Client("127.0.0.1:8080")
