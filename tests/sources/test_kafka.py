"""Kafka as a source, against librdkafka's own cluster over TCP."""

import json
import threading

import pytest

pytest.importorskip("confluent_kafka")

from confluent_kafka import TopicPartition

from mooe.platform import Platform
from mooe.sources import Consumer, LostPositionError, SourceError, Topics
from mooe.sources import kafka as module
from sources.scenes import lessons


def read_to_the_end(source, most=500):
    """Return all messages of a source that was started."""
    found = []
    while not source.is_at_end:
        found += source.read(most, 0.5)
    return found


def consume(platform, scene, topics=None, **options):
    consumer = Consumer(platform, lambda: scene.source(topics, **options), topics or scene.topics())
    consumer.model = "m"
    consumer.run(threading.Event(), until_end=True)
    return consumer.counts


def test_answers_have_the_key_and_headers_of_their_requests(kafka_scene, platform):
    kafka_scene.send("requests", {"id": "o1", "x": [1.0]}, key=b"customer 5")
    kafka_scene.send("requests", None, b"{}", key=b"6")
    assert consume(platform, kafka_scene) == {"answered": 1, "refused": 2}
    answers = {
        key: (json.loads(value), extras) for value, key, extras in kafka_scene.sent("answers")
    }
    told, extras = answers[b"customer 5"]
    assert told == {
        "model": "m", "id": "o1", "prediction": None, "probabilities": [], "version": 0
    }  # fmt: skip
    assert extras == {"trace": b"17"}
    assert "must have x" in answers[b"6"][0]["error"]
    dead = kafka_scene.sent("dead")
    assert sorted((value is None, key) for value, key, _ in dead) == [(False, b"6"), (True, b"6")]


def test_what_was_read_is_committed_for_those_who_look_at_the_lag(kafka_scene, platform):
    kafka_scene.send("labels", *lessons(10), partition=2)
    consume(platform, kafka_scene)
    source = kafka_scene.source()
    (place,) = source._reader.committed([TopicPartition(kafka_scene.topic("labels"), 2)], 30)
    assert place.offset == 10
    source.start({})
    assert source.lag() == {kafka_scene.topic("requests"): 0, kafka_scene.topic("labels"): 0}
    kafka_scene.send("labels", *lessons(3), partition=1)
    while not source._order.n_waiting((kafka_scene.topic("labels"), 1)):
        source._fetch(500, 0.5)
    assert source.lag()[kafka_scene.topic("labels")] >= 3
    source.close()


def test_the_store_says_where_to_go_on_and_not_the_group(kafka_scene, platform, tmp_path):
    kafka_scene.send("labels", *lessons(10))
    assert consume(platform, kafka_scene) == {"learned": 10}
    assert consume(platform, kafka_scene, group="another") == {}
    with Platform(tmp_path / "other") as other:
        other.create("m")
        assert consume(other, kafka_scene) == {"learned": 10}
        assert other.get("m").to_bytes() == platform.get("m").to_bytes()


def test_messages_that_come_later_are_read_as_they_come(kafka_scene, platform):
    consumer = Consumer(platform, kafka_scene.source, kafka_scene.topics(), "m")
    while not consumer.is_at_end:
        consumer.step()
    for i in range(3):
        kafka_scene.send("requests", {"id": f"o{i}", "x": [1.0 * i]})
        while consumer.counts["answered"] == i:
            consumer.step(30)
        kafka_scene.send("labels", {"id": f"o{i}", "label": "yes"})
        while consumer.counts["learned"] == i:
            consumer.step(30)
    consumer.close()
    assert consumer.counts == {"answered": 3, "learned": 3}


def test_beginning_at_the_end_leaves_out_what_was_there_and_nothing_after(kafka_scene, platform):
    kafka_scene.send("labels", *lessons(10))
    assert consume(platform, kafka_scene, begin="end") == {}
    kafka_scene.send("labels", *lessons(5, 100))  # while nobody reads
    assert consume(platform, kafka_scene, begin="end") == {"learned": 5}


def test_a_topic_that_ends_before_its_position_is_another_topic(kafka_scene, platform):
    topics = Topics((), (kafka_scene.topic("labels"),))
    kafka_scene.send("labels", *lessons(10), partition=0)
    platform.apply([], {(f"kafka:{kafka_scene.topic('labels')}", 0): 500})
    with pytest.raises(LostPositionError, match=r"ends before 10, but 501 of it.*--begin"):
        consume(platform, kafka_scene, topics)
    assert consume(platform, kafka_scene, topics, begin="beginning") == {"learned": 10}
    assert platform.positions(f"kafka:{kafka_scene.topic('labels')}")[0] == 9


def test_messages_that_were_deleted_before_they_were_read_are_told(kafka_scene, platform, caplog):
    topic = kafka_scene.topic("labels")
    kafka_scene.send("labels", *lessons(1), partition=0)
    assert consume(platform, kafka_scene) == {"learned": 1}
    large = [{**lesson, "padding": "x" * 500_000} for lesson in lessons(20)]
    kafka_scene.send("labels", *large, partition=0)  # the cluster keeps 5 MB
    source = kafka_scene.source()
    low, high = source._watermarks((topic, 0))
    source.close()
    assert high == 21
    assert low > 1, "the cluster keeps all: this shows nothing"
    assert consume(platform, kafka_scene) == {"learned": high - low}
    assert f"{low - 1} messages of partition 0 of {topic} were deleted before" in caplog.text


def test_a_partition_that_is_far_ahead_waits_for_the_others(kafka_scene):
    """Memory is bounded: it is paused, and nothing of it is lost or read twice."""
    topics = Topics((), (kafka_scene.topic("labels"),))
    kafka_scene.send("labels", *lessons(2000), partition=0)
    kafka_scene.send("labels", *lessons(10), partition=1, time=1_600_000_000_000)
    source = kafka_scene.source(topics)
    source.start({})
    most = 0
    found = []
    ended, source._order.ended = [], lambda part: ended.append(part)  # others are not at their end
    while len(found) < 10 or most == 0:
        found += source.read(10, 0.5)
        most = max(most, source._order.n_waiting((topics.read[0], 0)))
        if len(ended) >= 2 and source._paused:
            break
    assert source._paused == {(topics.read[0], 0)}
    assert most < 200
    del source._order.ended
    for part in source._order.parts[1:]:
        source._order.ended(part)
    found += read_to_the_end(source, 10)
    source.close()
    assert [each.position for each in found if each.part == 0] == list(range(2000))
    assert [each.part for each in found[:10]] == [1] * 10


def test_a_partition_that_says_nothing_is_not_waited_for_for_ever(kafka_scene):
    now = [0.0]
    kafka_scene.send("labels", *lessons(1))
    topics = Topics((), (kafka_scene.topic("labels"),))
    source = module.Kafka(kafka_scene.brokers, topics, kafka_scene.name, clock=lambda: now[0])
    source.start({})
    source._order.add(module.Message(topics.read[0], 0, 0, "first", 1, b"{}"))
    source._fetch = lambda most, seconds: None  # nothing comes, no end either
    assert source.read(10, 0.0) == []
    now[0] += module.PATIENCE
    assert [each.name for each in source.read(10, 0.0)] == ["first"]
    source.close()


def test_brokers_that_cannot_be_reached_are_a_source_error(monkeypatch):
    monkeypatch.setattr(module, "NETWORK", 0.5)
    source = module.Kafka("127.0.0.1:1", Topics(("a",)))
    with pytest.raises(SourceError, match="Kafka: "):
        source.start({})
    source.close()


def test_answers_that_cannot_be_sent_are_not_acknowledged(kafka_scene, platform, monkeypatch):
    kafka_scene.send("requests", {"id": "o1", "x": [1.0]})
    topics = Topics((kafka_scene.topic("requests"),), answers=kafka_scene.topic("answers"))
    source = kafka_scene.source(topics)
    broken = module.confluent_kafka.Producer(
        {"bootstrap.servers": "127.0.0.1:1", "message.timeout.ms": 300, "log_level": 0}
    )
    monkeypatch.setattr(source, "_writer", broken)
    consumer = Consumer(platform, lambda: source, topics, "m")
    with pytest.raises(SourceError, match="answers could not be sent"):
        list(iter(consumer.step, None))
    consumer.close()
    assert platform.n_pending("m") == 1
    assert consume(platform, kafka_scene, topics) == {"again": 1}
    ((value, _, _),) = kafka_scene.sent("answers")
    assert json.loads(value)["id"] == "o1"


def test_partitions_that_a_topic_gains_are_read_from_their_beginning(kafka_scene):
    now = [0.0]
    for part in (0, 3):
        kafka_scene.send("labels", *lessons(4), partition=part)
    topics = Topics((), (kafka_scene.topic("labels"),))
    source = module.Kafka(
        kafka_scene.brokers, topics, kafka_scene.name, begin="end", clock=lambda: now[0]
    )
    all_of, source._partitions = source._partitions, lambda topic: [0, 1]
    assert source.start({}) == {(topics.read[0], 0): 3, (topics.read[0], 1): -1}
    assert read_to_the_end(source) == []
    source._partitions = all_of
    now[0] += module.LOOK_AGAIN
    found = source.read(10, 0.5)
    while source._order.missing:
        found += source.read(10, 0.5)
    source.close()
    assert [(each.part, each.position) for each in found] == [(3, i) for i in range(4)]
