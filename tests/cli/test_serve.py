"""mooe serve, as its users start it: a process of its own, killed and stopped."""

import http.client
import os
import re
import signal
import subprocess
import sys
import threading
import time

import pytest
from command import inside, words

from mooe.client import Client, ServerError
from mooe.platform import Platform


class Process:
    """A server in a process of its own."""

    def __init__(self, store, *options, **environment):
        command = [sys.executable, "-m", "mooe", "serve", "--port", "0"]
        command += ["--store", str(store)] if store else []
        self.process = subprocess.Popen(
            [*command, *options], stderr=subprocess.PIPE, text=True, env=os.environ | environment
        )
        self.lines = []
        for line in self.process.stderr:
            self.lines.append(line)
            found = re.search(r"on http://127.0.0.1:(\d+) .live page., see http", line)
            if found:
                self.url = f"http://127.0.0.1:{found[1]}"
                break
        self.reader = threading.Thread(target=lambda: self.lines.extend(self.process.stderr))
        self.reader.start()

    def client(self, **options):
        client = Client(self.url, retries=60, **options)
        client.request("GET", "/v2/health/ready")
        return client

    def end(self, kind=signal.SIGTERM):
        self.process.send_signal(kind)
        code = self.process.wait(60)
        self.reader.join()
        self.process.stderr.close()
        return code


def test_a_server_that_is_killed_has_lost_nothing(tmp_path):
    acknowledged = {}
    for k in range(2):
        server = Process(tmp_path / "store")
        client = server.client()
        client.create("m")

        def work(name, url=server.url, k=k):
            own = Client(url, retries=0)
            for i in range(100_000):
                try:
                    answer = own.predict("m", {"a": i % 5}, f"{k}-{name}-{i}")
                    receipt = own.feedback("m", answer.id, "yes")
                except (OSError, http.client.HTTPException):
                    return
                acknowledged[answer.id] = receipt.seq

        threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
        for thread in threads:
            thread.start()
        before = len(acknowledged)
        while len(acknowledged) < before + 40:
            time.sleep(0.01)
        assert server.end(signal.SIGKILL) == -signal.SIGKILL
        for thread in threads:
            thread.join()
        client.close()
    with Platform(tmp_path / "store") as platform:
        assert platform.check() == []
        for name, seq in acknowledged.items():
            assert platform.prediction("m", name).seq == seq
        assert platform.get("m").n_labelled == platform.store.last_seq(1)


@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGINT])
def test_a_server_that_is_told_to_stop_makes_a_snapshot(tmp_path, kind):
    server = Process(tmp_path / "store", MOOE_TOKEN="secret")
    client = server.client(token="secret")
    client.create("m")
    client.learn("m", {"a": 1}, "yes")
    client.close()
    assert server.end(kind) == 0, server.lines
    assert "Traceback" not in "".join(server.lines)
    with Platform(tmp_path / "store") as platform:
        assert [each.seq for each in platform.snapshots("m")] == [1]


def test_a_second_server_on_a_store_is_refused_in_a_line(tmp_path):
    with Platform(tmp_path / "store"):
        done = inside("serve", "--store", tmp_path / "store", "--port", "0")
    assert done.exit_code == 1
    assert f"is in use by process {os.getpid()}" in words(done.stderr)


def test_a_server_that_compiles_first_says_so_until_it_is_ready_on_an_empty_store(tmp_path):
    before = os.times()
    server = Process(tmp_path / "store", NUMBA_CACHE_DIR=str(tmp_path / "compiled"))
    impatient = Client(server.url, retries=0)
    assert impatient.request("GET", "/v2/health/live") == {"status": "live"}
    with pytest.raises(ServerError, match="503: not ready: models are being loaded"):
        impatient.create("m")
    client = Client(server.url, retries=600)
    client.request("GET", "/v2/health/ready")
    client.create("m")
    assert client.predict("m", {"a": 1}).prediction is None
    client.close()
    impatient.close()
    assert server.end() == 0
    after = os.times()
    used = after.children_user + after.children_system
    assert used - before.children_user - before.children_system < 60.0  # seconds, of one core


def test_a_public_address_without_a_token_is_wrong_usage(tmp_path, monkeypatch):
    monkeypatch.delenv("MOOE_TOKEN", raising=False)
    done = inside("serve", "--store", tmp_path / "store", "--host", "0.0.0.0")
    assert done.exit_code == 2
    assert "without a token" in words(done.stderr)
    assert not (tmp_path / "store").exists()


def test_a_webhook_that_cannot_be_one_is_wrong_usage(tmp_path):
    done = inside("serve", "--store", tmp_path / "store", "--webhook", "hooks.example/mooe")
    assert done.exit_code == 2
    assert "must be an http or https URL, got 'hooks.example/mooe'" in words(done.stderr)
    assert not (tmp_path / "store").exists()


def test_a_server_without_a_store_is_wrong_usage(monkeypatch):
    monkeypatch.delenv("MOOE_STORE", raising=False)
    done = inside("serve")
    assert done.exit_code == 2
    assert "must name a file or URL" in words(done.stderr)


def test_the_demo_asks_itself():
    server = Process(None, "--demo")
    client = server.client()
    learnt = 0
    while learnt < 60:
        learnt = sum(each["feedback"] for each in client.models())
        time.sleep(0.05)
    assert client.ask("demo", "comparison")["demo"]["n"] > 0
    client.close()
    assert server.end() == 0, server.lines
    assert "Traceback" not in "".join(server.lines)
    assert "stopped" not in "".join(server.lines)


@pytest.mark.parametrize(("level", "is_told"), [("debug", True), ("warning", False)])
def test_the_log_is_as_detailed_as_is_asked_for(tmp_path, level, is_told):
    server = Process(tmp_path / "store", "--log-level", level)
    client = server.client()
    client.create("m")
    client.close()
    assert server.end() == 0
    told = "".join(server.lines)
    assert ("PUT /v1/models/m 201" in told) is is_told
    assert ("INFO mooe.server ready after" in told) is is_told
