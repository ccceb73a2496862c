"""The client: retries that cannot learn anything twice."""

import http.server
import json
import threading
from typing import ClassVar

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
