"""The server as its clients meet it: rows, labels, tokens, limits, problems, stops."""

import http.client
import json
import threading

import pytest

from mooe.client import Client, ServerError
from mooe.platform import Platform, sqlite
from mooe.server import app

from .conftest import running

ROWS = [({"a": float(i % 7), "b": float(i % 3)}, "yes" if i % 7 > 3 else "no") for i in range(60)]


def send(server, method, path, body=None, **headers):
    """Send a request as it is, an iterator in chunks; return status, headers and body."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def problem(server, *arguments, **headers):
    """Send a request that is refused; return its problem."""
    status, given, body = send(server, *arguments, **headers)
    assert given["content-type"] == "application/problem+json"
    told = json.loads(body)
    assert told["status"] == status
    assert told["request_id"] == given["x-request-id"]
    return told


def test_a_row_is_answered_and_its_label_learnt_once(server, model):
    client = server.client
    assert client.predict(model, {"a": 1}, "first") == ("first", None, [], 0)
    receipt = client.feedback(model, "first", "yes")
    assert (receipt.result, receipt.duplicate, receipt.seq) == ("learned", False, 1)
    assert client.feedback(model, "first", "yes").duplicate
    answer = client.predict(model, {"a": 1})
    assert (answer.prediction, answer.probabilities, answer.version) == ("yes", [("yes", 1.0)], 1)


@pytest.mark.parametrize(
    ("verb", "body", "status", "words"),
    [
        ("feedback", {"id": "first", "label": "no"}, 409, "send correction"),
        ("feedback", {"id": "nobody", "label": "no"}, 404, "no prediction has id"),
        ("feedback", {"id": "first", "label": 3}, 422, "label must be a text"),
        ("feedback", {"id": "first", "label": None}, 422, "$.label"),
        ("feedback", {"id": "first", "lable": "no"}, 422, "unknown field"),
        ("predict", {"x": {"a": 2}, "id": "first"}, 409, "another x"),
        ("predict", {"x": {"a": "red"}}, 422, "'a' in x must be a finite number"),
        ("predict", {"x": {"a": [1]}}, 422, "$.x"),
        ("predict", {"x": {"a": 1e300}}, 422, "finite number of size up to"),
        ("predict", {"x": [1, 2]}, 422, "as before"),
        ("predict", {"x": {"a": 1}, "id": ""}, 422, "id must be"),
        ("predict", {"y": 1}, 422, "y"),
        ("predict", "{", 400, "truncated"),
        ("predict", b"\xff", 400, "malformed"),
        ("predict", "", 400, "truncated"),
        ("predict", '{"x": {"a\\u0000": 1}}', 422, "without NUL"),
        ("learn", {"x": {"a": 1}, "label": "yes", "at": 1e300}, 422, "seconds since 1970"),
    ],
)
def test_what_is_wrong_is_told_as_a_problem(server, model, verb, body, status, words):
    server.client.predict(model, {"a": 1}, "first")
    server.client.feedback(model, "first", "yes")
    body = json.dumps(body) if isinstance(body, dict) else body
    told = problem(server, "POST", f"/v1/models/{model}/{verb}", body)
    assert (told["status"], words in told["detail"]) == (status, True), told


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/v1/models/nobody/predict", 404),
        ("GET", "/v1/models/nobody", 404),
        ("GET", "/v1/models/nobody/events", 404),
        ("GET", "/v1/models/../../etc/passwd", 404),
        ("GET", "/nowhere", 404),
        ("PATCH", "/v1/models", 405),
        ("DELETE", "/metrics", 405),
        ("GET", "/v1/models/m/predict", 405),
    ],
)
def test_what_is_not_there_is_told_as_a_problem(server, method, path, status):
    assert problem(server, method, path, '{"x": {"a": 1}}')["status"] == status


def test_json_of_any_depth_is_refused(server):
    deep = '{"params": {"a": ' + "[" * 100_000 + "]" * 100_000 + "}}"
    assert problem(server, "PUT", "/v1/models/deep", deep)["status"] == 400


def test_arrays_and_lines_are_answered_in_their_order(server, model):
    client = server.client
    labels = [label for _, label in ROWS]
    answers = client.predict_many(model, [x for x, _ in ROWS])
    receipts = client.feedback_many(model, [answer.id for answer in answers], labels)
    assert [receipt.seq for receipt in receipts] == list(range(1, 61))
    lines = "\n".join(json.dumps({"x": x}) for x, _ in ROWS[:5]) + "\n\n"
    status, headers, body = send(
        server,
        "POST",
        f"/v1/models/{model}/predict",
        lines,
        **{"content-type": "application/x-ndjson"},
    )
    assert (status, headers["content-type"]) == (200, "application/x-ndjson")
    told = [json.loads(line) for line in body.splitlines()]
    alone = [client.predict(model, x) for x, _ in ROWS[:5]]
    assert [each["probabilities"] for each in told] == [
        [list(pair) for pair in answer.probabilities] for answer in alone
    ]
    assert send(server, "POST", f"/v1/models/{model}/predict", "[]")[2] == b"[]"


def test_an_id_that_nobody_gave_is_told_without_all_of_its_letters(server, model):
    body = json.dumps({"id": "z" * 100_000, "label": "yes"})
    told = problem(server, "POST", f"/v1/models/{model}/feedback", body)
    assert (told["status"], len(told["detail"]) < 200) == (404, True)


@pytest.mark.parametrize(
    ("line", "status", "words"),
    [
        (b'{"x":', 400, "truncated"),
        (b'{"x": 3}', 422, "Expected"),
        (b"xx", 400, "malformed"),
        (b'{"x": {"a": 1}, "id": "\xe4"}', 400, "utf-8"),
    ],
)
def test_a_wrong_line_is_named_and_none_is_answered(server, model, line, status, words):
    lines = b'{"x": {"a": 1}, "id": "before"}\n\n' + line + b'\n{"x": {"a": 2}, "id": "after"}\n'
    kind = {"content-type": "application/x-ndjson"}
    told = problem(server, "POST", f"/v1/models/{model}/predict", lines, **kind)
    assert (told["status"], words in told["detail"]) == (status, True), told
    assert told["detail"].startswith("line 3: ")
    assert server.client.ask(model, "pending") == []


def test_labels_of_an_array_have_results_of_their_own(server, model):
    server.client.predict_many(model, [{"a": 1}, {"a": 2}], ["one", "two"])
    receipts = server.client.feedback_many(
        model, ["one", "nobody", "one", "two"], ["a", "a", "b", 3]
    )
    assert [each.result for each in receipts] == ["learned", "unknown", "conflict", "invalid"]


def test_a_model_is_sent_as_its_file_and_comes_back(server):
    client = server.client
    client.create("source")
    client.learn_many("source", [x for x, _ in ROWS], [label for _, label in ROWS])
    blob = client.file("source")
    facts = client.create("target", file=blob)
    assert facts["name"] == "target"
    assert client.file("target") == blob
    assert client.ask("target", "experts") == client.ask("source", "experts")
    with pytest.raises(ServerError, match="422: not a model file"):
        client.create("other", file=b"nothing")
    with pytest.raises(ServerError, match="409"):
        client.create("target")


def test_all_that_is_told_of_a_model_is_the_same_after_a_restart(tmp_path):
    def told(client):
        asked = ("experts", "regime", "regimes", "pending", "comparison", "predictions/waits")
        return {what: client.ask("m", what) for what in asked}

    with running(tmp_path / "store") as server:
        client = server.client
        client.create("m")
        client.create("behind", shadow_of="m", params={"seed": 3})
        for x, label in ROWS:
            client.feedback("m", client.predict("m", x).id, label)
        client.predict("m", {"a": 1}, "waits")
        before, blob = told(client), client.file("m")
        assert before["comparison"]["m"]["n"] == 59
    with running(tmp_path / "store") as server:
        assert told(server.client) == before
        assert server.client.file("m") == blob
        assert server.client.ask("m", "snapshots")[0]["seq"] == 60
        server.client.tell("behind", "promote")
        assert [each["name"] for each in server.client.models()] == ["m"]
        assert server.client.tell("m", "restore", seq=30) == {"n": 30}
        assert server.client.tell("m", "expire", before=4e9) == {"n": 1}
        server.client.delete("m")
        assert server.client.models() == []


def test_a_token_guards_all_but_health(tmp_path):
    with running(tmp_path / "store", token="secret") as server:
        assert server.client.models() == []
        for headers in (
            {},
            {"authorization": "Bearer wrong"},
            {"authorization": "Basic secret"},
            {"authorization": "secret"},
            {"authorization": "Bearer " + "x" * 5000},
        ):
            for path in ("/v1/models", "/metrics", "/docs", "/openapi.json", "/nowhere"):
                told = problem(server, "GET", path, **headers)
                assert told["status"] == 401
            told = problem(server, "POST", "/v1/models/m/predict", '{"x": {}}', **headers)
            assert told["status"] == 401
        assert send(server, "GET", "/v2/health/ready")[0] == 200
        assert send(server, "GET", "/v1/models")[1]["www-authenticate"] == "Bearer"


def test_bodies_and_batches_have_limits(server, model):
    server.server.largest_body, server.server.most_rows = 1000, 3
    try:
        path = f"/v1/models/{model}/predict"
        assert problem(server, "POST", path, b" " * 1001)["status"] == 413
        assert problem(server, "POST", path, iter([b" " * 600] * 2))["status"] == 413
        assert problem(server, "POST", path, json.dumps([{"x": {"a": 1}}] * 4))["status"] == 413
    finally:
        server.server.largest_body, server.server.most_rows = 2**20, 10_000


def test_a_full_queue_asks_to_come_back(server, model):
    server.client.learn(model, {"a": 1}, "yes")
    server.server.queue.most_waiting, before = 10, server.server.queue.most_waiting
    server.server.queue._rows[model] = 9
    try:
        status, headers, _ = send(
            server, "POST", f"/v1/models/{model}/predict", '[{"x":{"a":1}},{"x":{"a":1}}]'
        )
        assert (status, headers["retry-after"]) == (429, "1")
        assert send(server, "POST", f"/v1/models/{model}/predict", '{"x":{"a":1}}')[0] == 200
    finally:
        server.server.queue.most_waiting = before
        server.server.queue._rows[model] -= 9


def test_many_clients_at_once_lose_nothing(server, model):
    problems = []

    def work(k):
        client = Client(server.url)
        try:
            for i in range(20):
                answer = client.predict(model, {"a": i, "b": k}, f"{k}-{i}")
                assert client.feedback(model, answer.id, i % 2 == 0).result == "learned"
        except Exception as problem:
            problems.append(problem)
        finally:
            client.close()

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert server.platform.get(model).n_labelled == 160
    assert server.platform.check() == []


def test_a_disk_that_cannot_be_synced_acknowledges_nothing(tmp_path, monkeypatch):
    with running(tmp_path / "store") as server:
        server.client.create("m")
        server.client.predict("m", {"a": 1}, "x")

        def broken(file):
            raise OSError(5, "Input/output error")

        monkeypatch.setattr(sqlite, "data_sync", broken)
        with pytest.raises(ServerError, match=r"503.*could not be brought to disk"):
            server.client.feedback("m", "x", "yes")
        monkeypatch.undo()
        with pytest.raises(ServerError, match="503"):
            server.client.predict("m", {"a": 1})


def test_what_goes_wrong_in_maintenance_is_logged_and_the_next_one_is_done(
    tmp_path, monkeypatch, caplog
):
    tried, was_done = [], threading.Event()

    def maintain(platform):
        tried.append(1)
        if len(tried) == 1:
            raise RuntimeError("out of the blue")
        was_done.set()

    monkeypatch.setattr(app, "MAINTAINED_EVERY", 0.01)
    monkeypatch.setattr(Platform, "maintain", maintain)
    with running(tmp_path / "store"):
        assert was_done.wait(30)
    assert "out of the blue" in caplog.text


def test_requests_have_ids_that_clients_may_give(server):
    headers = send(server, "GET", "/v1/models", **{"x-request-id": "abc123"})[1]
    assert headers["x-request-id"] == "abc123"
    headers = send(server, "GET", "/v1/models", **{"x-request-id": "not good; drop"})[1]
    assert len(headers["x-request-id"]) == 16


def test_the_log_has_the_ids_of_requests(server, model, caplog, monkeypatch):
    def fail(*_):
        raise RuntimeError("out of the blue")

    monkeypatch.setattr(server.platform, "experts", fail)
    body = '{"x": {"a": 1}}'
    with caplog.at_level("DEBUG", "mooe.server"):
        send(server, "POST", f"/v1/models/{model}/predict", body, **{"x-request-id": "hot7"})
        send(server, "GET", f"/v1/models/{model}", **{"x-request-id": "cold7"})
        told = problem(server, "GET", f"/v1/models/{model}/experts", **{"x-request-id": "bad7"})
        send(server, "GET", "/v2/health/live")  # so all before it is logged
    assert told["status"] == 500
    for name, status in (("hot7", 200), ("cold7", 200), ("bad7", 500)):
        lines = [line for line in caplog.messages if line.endswith(f"ms, request {name}")]
        assert [f" {status} " in line for line in lines] == [True]
    (record,) = (each for each in caplog.records if each.levelname == "ERROR")
    assert record.getMessage() == f"GET /v1/models/{model}/experts: request bad7"
    assert "out of the blue" in caplog.text


@pytest.mark.parametrize("path", ["/v1/models", "/", "/metrics", "/v2/health/live"])
def test_a_page_whose_name_points_here_reads_nothing(server, path):
    assert problem(server, "GET", path, host="evil.org")["status"] == 403
    assert send(server, "GET", path, host=f"localhost:{server.port}")[0] == 200


def test_with_a_token_any_name_will_do(tmp_path):
    with running(tmp_path / "store", token="secret") as server:
        headers = {"host": "models.example.org", "authorization": "Bearer secret"}
        assert send(server, "GET", "/v1/models", **headers)[0] == 200
