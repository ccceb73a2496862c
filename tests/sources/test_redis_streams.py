"""Redis streams as a source, against a real server."""

import json
import signal
import threading

import pytest

pytest.importorskip("redis")

from mooe.platform import Platform
from mooe.sources import Consumer, SourceError, Topics
from mooe.sources.redis_streams import RedisStreams, position_of
from sources.scenes import BEGIN, RedisScene, lessons


def consume(platform, scene, topics=None, **options):
    topics = topics or scene.topics()
    group = f"{scene.name}-mooe"
    consumer = Consumer(
        platform, lambda: RedisStreams(scene.url, topics, group, **options), topics, "m"
    )
    consumer.run(threading.Event(), until_end=True)
    return consumer.counts


def pending(scene, role="labels"):
    """Return how many entries of a stream the group holds."""
    return scene.client.xpending(scene.topic(role), f"{scene.name}-mooe")["pending"]


def test_answers_have_the_other_fields_of_their_requests(redis_scene, platform):
    redis_scene.send("requests", {"id": "o1", "x": [1.0]})
    redis_scene.client.xadd(redis_scene.topic("requests"), {"no": "value"})
    assert consume(platform, redis_scene) == {"answered": 1, "refused": 1}
    (value, _, extras), (error, _, _) = redis_scene.sent("answers")
    assert json.loads(value)["id"] == "o1"
    assert extras == {"trace": b"17"}
    assert "must be a JSON object" in json.loads(error)["error"]
    ((_, _, extras),) = redis_scene.sent("dead")
    assert extras["no"] == b"value"
    assert pending(redis_scene, "requests") == 0


def test_the_store_says_where_to_go_on_and_not_the_group(redis_scene, platform, tmp_path):
    redis_scene.send("labels", *lessons(10))
    assert consume(platform, redis_scene) == {"learned": 10}
    assert consume(platform, redis_scene) == {}
    with Platform(tmp_path / "other") as other:  # or a copy from before
        other.create("m")
        assert consume(other, redis_scene) == {"learned": 10}
        assert other.get("m").to_bytes() == platform.get("m").to_bytes()
    redis_scene.client.xgroup_destroy(redis_scene.topic("labels"), f"{redis_scene.name}-mooe")
    assert consume(platform, redis_scene) == {}


def test_messages_that_come_later_are_read_as_they_come(redis_scene, platform):
    consumer = Consumer(platform, redis_scene.source, redis_scene.topics(), "m")
    while not consumer.is_at_end:
        consumer.step()
    for i in range(3):
        redis_scene.send("requests", {"id": f"o{i}", "x": [1.0 * i]}, time=BEGIN + i)
        while consumer.counts["answered"] == i:
            consumer.step(30)
        redis_scene.send("labels", {"id": f"o{i}", "label": "yes"}, time=BEGIN + i)
        while consumer.counts["learned"] == i:
            consumer.step(30)
    assert consumer._source.lag() == dict.fromkeys(redis_scene.topics().read, 0)
    consumer.close()
    assert consumer.counts == {"answered": 3, "learned": 3}


def test_beginning_at_the_end_leaves_out_what_was_there_and_nothing_after(redis_scene, platform):
    redis_scene.send("labels", *lessons(10))
    assert consume(platform, redis_scene, begin="end") == {}
    redis_scene.send("labels", *lessons(5, 100), time=BEGIN + 1000)  # while nobody reads
    assert consume(platform, redis_scene, begin="end") == {"learned": 5}


def test_what_was_carried_out_and_not_acknowledged_is_answered_again_and_not_learnt(
    redis_scene, platform, monkeypatch
):
    redis_scene.send("requests", {"id": "o1", "x": {"a": 1.0}})
    redis_scene.send("labels", *lessons(4), {"id": "nobody's", "label": "yes"})
    redis_scene.client.xdel(redis_scene.topic("labels"), f"{BEGIN + 3}-4")

    def dies(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(RedisStreams, "acknowledge", dies)
        with pytest.raises(KeyboardInterrupt):
            consume(platform, redis_scene)
    assert pending(redis_scene) == 4
    redis_scene.client.xdel(redis_scene.topic("labels"), f"{BEGIN}-1")  # held, and deleted
    assert consume(platform, redis_scene) == {"again": 4}
    assert platform.facts("m")["feedback"] == 3
    assert pending(redis_scene) == pending(redis_scene, "requests") == 0
    ((answer, _, _),) = redis_scene.sent("answers")
    assert json.loads(answer)["id"] == "o1"
    ((dead, _, _),) = redis_scene.sent("dead")
    assert json.loads(dead)["id"] == "nobody's"


def test_entries_of_a_consumer_that_died_are_taken_over(redis_scene, platform):
    """Somebody else in the group took entries while we read on, and died with them."""
    group, stream = f"{redis_scene.name}-mooe", redis_scene.topic("labels")
    redis_scene.send("labels", *lessons(2))
    topics = Topics((), (stream,))
    source = RedisStreams(redis_scene.url, topics, group, claim_after=0.0)
    consumer = Consumer(platform, lambda: source, topics, "m")
    while not consumer.is_at_end:
        consumer.step()
    redis_scene.send("labels", *lessons(3, 2), time=BEGIN + 100)
    redis_scene.client.xreadgroup(group, "somebody else", {stream: ">"})
    redis_scene.send("labels", *lessons(2, 5), time=BEGIN + 200)
    while consumer.counts["learned"] < 7:
        consumer.step()
    assert consumer.counts == {"learned": 7}
    assert pending(redis_scene) == 0
    assert platform.positions(f"redis:{stream}") == {0: position_of(f"{BEGIN + 201}-6")}
    consumer.close()


def test_entries_that_were_deleted_before_they_were_read_are_told(redis_scene, platform, caplog):
    redis_scene.send("labels", *lessons(2))
    assert consume(platform, redis_scene) == {"learned": 2}
    redis_scene.send("labels", *lessons(5, 2), time=BEGIN + 100)
    redis_scene.client.xtrim(redis_scene.topic("labels"), maxlen=1, approximate=False)
    assert consume(platform, redis_scene) == {"learned": 1}
    assert f"4 entries of {redis_scene.topic('labels')} were deleted before" in caplog.text


@pytest.mark.parametrize("name", [f"{2**43}-0", f"5-{2**20}"])
def test_ids_that_are_no_times_are_refused(name):
    with pytest.raises(SourceError, match="ids of entries must be milliseconds"):
        position_of(name)


def test_positions_grow_as_ids_do():
    names = ["0-1", "0-2", "1-0", f"{BEGIN}-0", f"{BEGIN}-1", f"{BEGIN + 1}-0"]
    positions = [position_of(name) for name in names]
    assert positions == sorted(set(positions))
    assert positions[-1] < 2**63


def test_a_server_that_cannot_be_reached_is_a_source_error(tmp_path):
    source = RedisStreams(f"unix://{tmp_path}/nothing", Topics(("a",)))
    with pytest.raises(SourceError, match="Redis: "):
        source.start({})
    source.close()
    with pytest.raises(ValueError, match="URL of Redis must be"):
        RedisStreams("http://localhost", Topics(("a",)))


def test_a_server_that_is_killed_and_comes_back_is_read_on(own_redis, platform, caplog):
    scene = RedisScene(own_redis.url, "killed")
    scene.send("labels", *lessons(20))
    topics, stop = scene.topics(), threading.Event()
    consumer = Consumer(platform, scene.source, topics, "m", at_once=3)
    reader = threading.Thread(target=consumer.run, args=(stop,))
    reader.start()
    while consumer.counts["learned"] < 5:
        assert reader.is_alive()
    own_redis.stop(signal.SIGKILL)
    while "nothing is lost, trying again" not in caplog.text:
        assert reader.is_alive()
    own_redis.start()
    scene = RedisScene(own_redis.url, "killed")
    scene.send("labels", *lessons(20, 20), time=BEGIN + 1000)
    while consumer.counts["learned"] < 40:
        assert reader.is_alive()
    stop.set()
    reader.join()
    assert platform.facts("m")["feedback"] == 40
    assert consumer.counts["learned"] == 40
    assert scene.client.xpending(scene.topic("labels"), "killed-mooe")["pending"] == 0
