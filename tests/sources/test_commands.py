"""The commands that read sources, started and stopped as their users do."""

import json
import re
import signal

from mooe.client import Client
from mooe.platform import Platform
from sources.scenes import BEGIN, started


def options_of(scene):
    """Return the options that name the topics of a scene."""
    return [
        *("--requests", scene.topic("requests"), "--labels", scene.topic("labels")),
        *("--answers", scene.topic("answers"), "--group", f"{scene.name}-mooe", "--model", "m"),
    ]


def ask_and_tell(scene, n):
    for i in range(n):
        scene.send("requests", {"id": f"o{i}", "x": {"a": i}}, time=BEGIN + 10 * i)
        scene.send("labels", {"id": f"o{i}", "label": i % 2}, time=BEGIN + 10 * i + 5)


def test_a_reader_that_is_told_to_stop_finishes_and_says_what_it_did(redis_scene, tmp_path):
    arguments = ("consume", redis_scene.url, "--store", tmp_path / "store")
    with started(*arguments, *options_of(redis_scene)) as process:
        assert any("Ctrl-C stops" in line for line in process.stderr)
        ask_and_tell(redis_scene, 5)
        while len(redis_scene.sent("answers")) < 5 or pending(redis_scene):
            assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        said, _ = process.communicate()
    assert (process.returncode, said) == (0, "5 answered, 5 learned\n")
    with Platform(tmp_path / "store") as platform:
        assert [each.seq for each in platform.snapshots("m")] == [5]


def pending(scene):
    """Return how many labels the group was not given, or holds."""
    stream = scene.topic("labels")
    (group,) = scene.client.xinfo_groups(stream)
    return group["pending"] + scene.client.xlen(stream) - (group["entries-read"] or 0)


def test_a_server_reads_a_source_beside_http(redis_scene, tmp_path):
    ask_and_tell(redis_scene, 5)
    arguments = ("serve", "--port", 0, "--store", tmp_path / "store", "--consume", redis_scene.url)
    with started(*arguments, *options_of(redis_scene)) as process:
        found = None
        while found is None:
            found = re.search(
                r"on (http://127.0.0.1:\d+) .live page., see http", next(process.stderr)
            )
        client = Client(found[1], retries=60)

        def wait_for(metric):
            """Return once a metric is told."""
            while metric not in client.request("GET", "/metrics", is_raw=True).decode():
                assert process.poll() is None

        learned = 'mooe_source_messages_total{result="learned"}'
        wait_for(f"{learned} 5.0")
        wait_for(f'mooe_source_lag{{topic="{redis_scene.topic("labels")}"}}')
        assert client.predict("m", {"a": 3}, id="by HTTP").version == 5
        redis_scene.send("labels", {"id": "by HTTP", "label": 1}, time=BEGIN + 1000)
        wait_for(f"{learned} 6.0")
        client.close()
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate()
    assert process.returncode == 0, said
    answers = [json.loads(value)["id"] for value, _, _ in redis_scene.sent("answers")]
    assert answers == [f"o{i}" for i in range(5)]
    with Platform(tmp_path / "store") as platform:
        assert platform.facts("m")["feedback"] == 6
        assert platform.check() == []
