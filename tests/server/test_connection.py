"""What one turn of the event loop writes is sent in one piece; small requests need no task."""

import asyncio
import http.client
import json
import resource
import socket
from contextlib import ExitStack, suppress
from select import select

import pytest

from mooe.server import connection as module
from mooe.server import process
from mooe.server.connection import LARGEST_HEAD, SMALL, Joined

from .conftest import running


class Noted:
    """A transport that notes what it is told."""

    def __init__(self):
        self.told = []

    def write(self, data):
        self.told.append(data)

    def close(self):
        self.told.append("closed")

    def is_closing(self):
        return "closed" in self.told


def test_head_and_body_of_an_answer_are_one_piece():
    async def told():
        noted = Noted()
        joined = Joined(noted)
        joined.write(b"head ")
        joined.write(b"body")
        assert noted.told == []
        await asyncio.sleep(0)
        joined.write(b"later")
        await asyncio.sleep(0)
        return noted.told

    assert asyncio.run(told()) == [b"head body", b"later"]


def test_what_was_written_is_sent_before_it_closes():
    async def told():
        noted = Noted()
        joined = Joined(noted)
        joined.write(b"last words")
        assert not joined.is_closing()
        joined.close()
        assert joined.is_closing()
        await asyncio.sleep(0)
        return noted.told

    assert asyncio.run(told()) == [b"last words", "closed"]


def test_what_is_whole_is_sent_at_once_behind_what_was_written():
    async def told():
        noted = Noted()
        joined = Joined(noted)
        joined.write(b"first")
        joined.write_whole(b"second")
        return list(noted.told)

    assert asyncio.run(told()) == [b"first", b"second"]


def posted(server, path, body, in_chunks=False, **headers):
    """Send a body whose length is told, or one in chunks, which becomes a task; return all."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    try:
        connection.request("POST", path, iter([body]) if in_chunks else body, headers)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("verb", "body"),
    [
        ("predict", {"x": {"a": 1}, "id": "order"}),
        ("predict", [{"x": {"a": 1}, "id": "order"}] * 2),
        ("predict", []),
        ("predict", {"x": {"a": 1}, "id": "order", "pad": " " * SMALL}),
        ("predict", {"x": {"a": "red"}}),
        ("feedback", {"id": "first", "label": "yes"}),
        ("feedback", {"id": "first", "label": "no"}),
        ("feedback", {"id": "nobody", "label": "no"}),
        ("learn", {"x": {"a": 1}, "label": "yes", "id": "lesson"}),
    ],
)
def test_a_small_request_is_answered_as_a_task_would(server, model, verb, body):
    server.client.predict(model, {"a": 1}, "first")
    server.client.feedback(model, "first", "yes")
    path, sent = f"/v1/models/{model}/{verb}", json.dumps(body).encode()
    posted(server, path, sent)  # what is sent again is a duplicate both times
    own, other = (
        posted(server, path, sent, in_chunks, **{"x-request-id": "same"})
        for in_chunks in (False, True)
    )
    for _, headers, _ in (own, other):
        del headers["date"]
    assert own == other


def test_requests_that_do_not_wait_for_answers_are_answered_in_their_order(server, model):
    bodies = [json.dumps({"x": {"a": k}, "id": f"id{k}"}).encode() for k in range(5)]
    head = f"POST /v1/models/{model}/predict HTTP/1.1\r\nhost: localhost\r\n"
    close = ["", "", "", "", "connection: close\r\n"]
    requests = [
        f"{head}{last}content-length: {len(body)}\r\n\r\n".encode() + body
        for body, last in zip(bodies, close, strict=True)
    ]
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(b"".join(requests))
        told = b""
        while data := connection.recv(2**16):  # until the server closes
            told += data
    answers = [part.partition(b"\r\n\r\n")[2] for part in told.split(b"HTTP/1.1 200 OK")[1:]]
    assert [json.loads(answer)["id"] for answer in answers] == [f"id{k}" for k in range(5)]


def test_a_client_that_says_so_is_let_go_after_its_answer(server, model):
    body = b'{"x": {"a": 1}}'
    status, headers, _ = posted(server, f"/v1/models/{model}/predict", body, connection="close")
    assert (status, headers["connection"]) == (200, "close")


@pytest.mark.parametrize("size", [100, SMALL + 1])
def test_a_server_that_stops_waits_no_longer_for_a_body_that_does_not_come(
    tmp_path, monkeypatch, size
):
    monkeypatch.setattr(module, "BODY_PATIENCE", 0.0)
    with running(tmp_path / "store") as server:
        head = (
            b"POST /v1/models/m/predict HTTP/1.1\r\nhost: localhost\r\ncontent-length: %d\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(head % 2 + b"[]" + head % size + b'{"x": ')
            assert connection.recv(2**16).startswith(b"HTTP/1.1 200")  # it has the other half too
            server.listener.should_exit = True
            assert server.ends_within(10)
            assert connection.recv(2**16) == b""


@pytest.mark.parametrize("endless", [b"x-filler: " + b"a" * 2000 + b"\r\n", b"a" * 2000])
def test_a_head_without_end_is_cut_off(server, endless):
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nhost: localhost\r\nx-first: ")
        answer, sent = b"", 0
        with suppress(ConnectionError):  # who sends on is not listened to
            while sent < 100 * LARGEST_HEAD and not select([connection], [], [], 0)[0]:
                connection.sendall(endless)
                sent += len(endless)
            answer = connection.recv(2**16)
    assert sent < 50 * LARGEST_HEAD
    assert answer.startswith(b"HTTP/1.1 431 ") or not answer
    assert server.client.request("GET", "/v2/health/live") == {"status": "live"}


def test_a_long_head_and_a_long_body_are_no_head_without_end(server, model):
    body = json.dumps({"x": {"a": 1}, "pad": " " * 4 * LARGEST_HEAD}).encode()
    head = {"x-filler": "a" * (LARGEST_HEAD // 2)}
    status, _, _ = posted(server, f"/v1/models/{model}/predict", body, **head)
    assert status == 422  # for the pad
    status, _, _ = posted(server, f"/v1/models/{model}/predict", b'{"x": {"a": 1}}', **head)
    assert status == 200


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nhost: local"])
def test_a_client_that_asks_nothing_is_let_go(tmp_path, monkeypatch, sent):
    monkeypatch.setattr(process, "IDLE", 0.1)
    with (
        running(tmp_path / "store") as server,
        socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection,
    ):
        connection.sendall(sent)
        assert connection.recv(2**16) == b""


def test_more_clients_than_there_are_files_for_are_told_to_come_back(tmp_path, monkeypatch):
    with running(tmp_path / "store") as server:
        server.client.close()
        monkeypatch.setattr(module, "most_connections", lambda: 3)
        where = ("127.0.0.1", server.port)
        with ExitStack() as kept:
            for _ in range(3):
                connection = kept.enter_context(socket.create_connection(where, timeout=30))
                connection.sendall(b"HEAD /v2/health/live HTTP/1.1\r\nhost: localhost\r\n\r\n")
                assert connection.recv(2**16).startswith(b"HTTP/1.1 200")
            with socket.create_connection(where, timeout=30) as late:
                told = b"".join(iter(lambda: late.recv(2**16), b""))
            assert told.startswith(b"HTTP/1.1 503")
            assert b"retry-after: 1" in told
            assert b"too many connections" in told
        server.client.retries = 60  # until it is seen that the others have gone
        assert server.client.request("GET", "/v2/health/live") == {"status": "live"}


def test_connections_leave_files_for_the_store():
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    assert 0 < module.most_connections() < soft
