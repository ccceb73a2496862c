"""Messages are carried out once, whatever dies when, and the order alone decides what is learnt."""

import json
import threading
from hashlib import sha256

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mooe.platform import Platform, StoreError, StoreStoppedError
from mooe.sources import Consumer, Message, SourceError, Topics
from mooe.sources.consumer import Task, transactions
from mooe.sources.messages import request_of
from sources.scenes import BEGIN, conversation

TOPICS = Topics(("requests",), ("labels",), "answers", "dead")


class Death(BaseException):
    """The end of a process, for the process that tests it."""


class Log:
    """A source in memory, which outlives its readers as a broker does."""

    scheme = "log"

    def __init__(self, told):
        self.messages, numbers = [], {}
        for time, role, body in told:
            position = numbers[role] = numbers.get(role, -1) + 1
            value = body if isinstance(body, bytes) else json.dumps(body).encode()
            name = f"{role}/0/{position}"
            self.messages.append(Message(role, 0, position, name, time, value))
        self.n_acknowledged, self.sent, self.on_acknowledge = 0, [], lambda: None
        self.sizes, self.deaths = iter(()), iter(())

    def start(self, positions):
        self.at = self.n_acknowledged
        return {}

    def read(self, most, seconds):
        begin, self.at = self.at, min(self.at + next(self.sizes, most), len(self.messages))
        return self.messages[begin : self.at]

    @property
    def is_at_end(self):
        return self.at == len(self.messages)

    def acknowledge(self, messages, replies):
        self.on_acknowledge()
        fate = next(self.deaths, None)
        if fate == "before":
            raise Death
        self.sent += replies
        if fate == "between":
            raise Death
        self.n_acknowledged += len(messages)
        if fate == "after":
            raise Death

    def lag(self):
        return {"requests": len(self.messages) - self.at}

    def close(self):
        pass


def consume(platform, log):
    """Carry out all messages; a process that dies is followed by another."""
    counts = []
    while True:
        consumer = Consumer(platform, lambda: log, TOPICS, "m")
        try:
            consumer.run(threading.Event(), until_end=True)
            return [*counts, consumer.counts]
        except Death:
            platform._models.reset()  # another process has nothing in memory
            counts.append(consumer.counts)


def outcome(path, log):
    """Return what a store has learnt of a log, and each answer that was sent."""
    with Platform(path) as platform:
        platform.create("m")
        counts = consume(platform, log)
        assert platform.check() == []
        learnt = sha256(platform.get("m").to_bytes()).hexdigest(), platform.facts("m")["feedback"]
    answers = {}
    for reply in log.sent:
        if reply.topic == "answers":
            body = json.loads(reply.value)
            answers.setdefault(body["id"], set()).add(reply.value)
    dead = sorted(
        {(dict(reply.extras)["mooe-message"]) for reply in log.sent if reply.topic == "dead"}
    )
    return learnt, answers, dead, counts


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """Return what becomes of a conversation, message by message."""
    log = Log(conversation(120))
    log.sizes = iter([1] * len(log.messages))
    return outcome(tmp_path_factory.mktemp("undisturbed") / "store", log)


def test_every_message_is_answered_learnt_or_dead(undisturbed):
    (_, n_learnt), answers, dead, (counts,) = undisturbed
    told = conversation(120)
    assert sum(counts.values()) - counts["refused"] + 2 * 3 == len(told)  # 6 make no sense at all
    assert counts["learned"] == n_learnt == 120 + 2 * 11 + 10
    assert counts["duplicate"] == 18
    assert counts["unknown"] == 3
    assert counts["answered"] == 120 + 8
    assert counts["conflict"] == 6
    assert counts["refused"] == len(dead) == 9 + 6
    assert len(answers) == 120 + 8 + 3  # and three are told why not
    assert all(len(bodies) == 1 for bodies in answers.values())


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(st.integers(1, 80), max_size=20),
    st.lists(st.sampled_from(["before", "between", "after", None]), max_size=8),
)
def test_deaths_and_sizes_of_batches_change_nothing(tmp_path_factory, undisturbed, sizes, deaths):
    log = Log(conversation(120))
    log.sizes, log.deaths = iter(sizes), iter(deaths)
    learnt, answers, dead, _ = outcome(tmp_path_factory.mktemp("store") / "store", log)
    assert (learnt, answers, dead) == undisturbed[:3]


@pytest.mark.parametrize("fate", ["before", "between"])
def test_who_died_before_it_told_of_refusals_tells_of_them_whatever_came_since(tmp_path, fate):
    given = {"id": "a", "label": "yes"}
    told = [
        ("requests", {"id": "a", "x": [1.0]}),
        ("labels", given),
        ("labels", given | {"label": "no"}),  # refused,
        ("labels", given | {"label": "no", "correction": True}),  # and right from here on
        ("labels", {"id": "b", "label": "no", "correction": True}),  # nobody asked yet
        ("requests", {"id": "b", "x": [2.0]}),
        ("requests", {"id": "c", "x": [2.0], "model": "later"}),
    ]
    log = Log([(BEGIN + i, *each) for i, each in enumerate(told)])
    log.deaths = iter([fate])
    with Platform(tmp_path / "store") as platform:
        platform.create("m")
        log.on_acknowledge = lambda: "later" in platform.models() or platform.create("later")
        died, last = consume(platform, log)
        assert died["refused"] == 3
        assert last == {"again": len(told)}
        assert platform.refusals("log:labels") == platform.refusals("log:requests") == {}
        assert platform.n_pending("later") == 0
    dead = [reply for reply in log.sent if reply.topic == "dead"]
    names = {dict(reply.extras)["mooe-message"] for reply in dead}
    assert names == {b"labels/0/1", b"labels/0/3", b"requests/0/2"}
    reasons = [dict(reply.extras)["mooe-reason"] for reply in dead]
    assert len(set(reasons)) == 3  # the same each time


def test_a_refusal_is_not_that_of_a_message_of_a_topic_that_begins_anew(tmp_path):
    refused = Log([(BEGIN + i, "labels", {"id": f"no {i}", "label": "yes"}) for i in range(3)])
    refused.deaths = iter(["before"])
    anew = Log([(BEGIN, "labels", {"x": [float(i)], "label": "yes"}) for i in range(3)])
    anew.start = lambda positions: setattr(anew, "at", 0) or positions.clear() or {}
    with Platform(tmp_path / "store") as platform:
        platform.create("m")
        with pytest.raises(Death):
            Consumer(platform, lambda: refused, TOPICS, "m").run(threading.Event())
        assert len(platform.refusals("log:labels")) == 3
        assert consume(platform, anew) == [{"learned": 3}]
        assert platform.refusals("log:labels") == {}


def test_nothing_is_acknowledged_before_it_is_on_disk(tmp_path):
    log = Log(conversation(20))
    log.sizes = iter([7] * 100)
    with Platform(tmp_path / "store") as platform:
        platform.create("m")
        database = platform.store.database
        unsynced = []
        log.on_acknowledge = lambda: unsynced.append(database.commits - database._synced)
        consume(platform, log)
    assert set(unsynced) == {0}
    assert len(unsynced) > 5


def test_a_request_sees_the_labels_before_it_also_of_a_slow_model(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "mooe.platform.open_models.SLOW", -1.0
    )  # every lesson is learnt in a thread
    told = []
    for i in range(30):
        told.append((BEGIN + i, "labels", {"x": {"a": i}, "label": "yes"}))
        told.append((BEGIN + i, "requests", {"x": {"a": i}}))
    log = Log(told)
    with Platform(tmp_path / "store") as platform:
        platform.create("m")
        consume(platform, log)
    assert [json.loads(each.value)["version"] for each in log.sent] == list(range(1, 31))


def test_a_defect_of_ours_takes_one_message_and_no_more(tmp_path, monkeypatch):
    from mooe.platform.turn import Turn

    real = Turn.carry_out

    def broken(self, request):
        if request.ids == ["o5"]:
            raise TypeError("a defect")
        return real(self, request)

    monkeypatch.setattr(Turn, "carry_out", broken)
    told = [(BEGIN + i, "requests", {"id": f"o{i}", "x": {"a": i}}) for i in range(10)]
    log = Log(told)
    with Platform(tmp_path / "store") as platform:
        platform.create("m")
        (counts,) = consume(platform, log)
        assert platform.n_pending("m") == 9
        assert platform.check() == []
    assert counts == {"answered": 9, "refused": 1}


class Flaky(Log):
    """A source that fails a few times."""

    failures = 2

    def read(self, most, seconds):
        if self.failures:
            self.failures -= 1
            raise SourceError("the broker is gone")
        return super().read(most, seconds)


class NoPause(threading.Event):
    """Waits for nothing."""

    def __init__(self):
        super().__init__()
        self.pauses = []

    def wait(self, timeout=None):
        self.pauses.append(timeout)


def test_a_source_that_fails_is_opened_again_after_a_pause(tmp_path, caplog):
    stop, log = NoPause(), Flaky(conversation(5))
    with Platform(tmp_path / "store") as platform:
        platform.create("m")
        consumer = Consumer(platform, lambda: log, TOPICS, "m")
        consumer.run(stop, until_end=True)
        assert platform.facts("m")["feedback"] >= 5
    assert stop.pauses == [1.0, 2.0]
    assert "the broker is gone; nothing is lost, trying again in 1 s" in caplog.text


def test_a_full_disk_is_waited_for_and_a_broken_one_is_not(tmp_path, monkeypatch):
    stop, log = NoPause(), Log(conversation(5))
    with Platform(tmp_path / "store") as platform:
        platform.create("m")
        write, failures = platform.store.write, iter([StoreError("the disk is full")])

        def failing(changes):
            for failure in failures:
                raise failure
            return write(changes)

        monkeypatch.setattr(platform.store, "write", failing)
        Consumer(platform, lambda: log, TOPICS, "m").run(stop, until_end=True)
        assert stop.pauses == [1.0]
        assert platform.facts("m")["feedback"] >= 5
        failures = iter([StoreStoppedError("it cannot be synced")])
        log.n_acknowledged = 0
        platform.store.database.execute("DELETE FROM source_position")
        with pytest.raises(StoreStoppedError):
            Consumer(platform, lambda: log, TOPICS, "m").run(stop, until_end=True)


def test_a_model_in_quarantine_or_unknown_does_not_stop_the_others(tmp_path):
    told = [
        (BEGIN + i, "requests", {"id": f"o{i}", "x": {"a": i}, "model": name})
        for i, name in enumerate(["m", "sick", "nobody"] * 3)
    ]
    log = Log(told)
    with Platform(tmp_path / "store") as platform:
        platform.create("m")
        platform.create("sick")
        platform._models.open("sick").problem = "it cannot go on"
        (counts,) = consume(platform, log)
    assert counts == {"answered": 3, "refused": 6}
    reasons = {dict(each.extras)["mooe-reason"] for each in log.sent if each.topic == "dead"}
    assert any(b"quarantine" in reason for reason in reasons)
    assert any(b"no model is called 'nobody'" in reason for reason in reasons)


def test_a_message_taken_over_is_judged_by_its_id_and_moves_no_position(tmp_path):
    told = [(BEGIN + i, "labels", {"x": {"a": i}, "label": "yes"}) for i in range(4)]
    log = Log(told)
    log.messages[1] = log.messages[1]._replace(position=99, is_late=True)
    log.messages.append(log.messages[1])
    with Platform(tmp_path / "store") as platform:
        platform.create("m")
        (counts,) = consume(platform, log)
        assert platform.store.positions("log:labels") == {0: 3}
    assert counts == {"learned": 4, "duplicate": 1}


def test_a_transaction_ends_before_a_request_that_follows_a_label_and_where_it_is_long():
    def task(role, model):
        body = {"x": [1], "model": model} | ({"label": 1} if role == "labels" else {})
        sent = Message(role, 0, 0, "name", 0, json.dumps(body).encode())
        return Task(sent, request_of(sent, TOPICS, None), "", False)

    tasks = [
        *(task("requests", "a"), task("labels", "a"), task("requests", "b"), task("labels", "b")),
        *(task("requests", "a"), task("requests", "b")),
        *[task("labels", "a")] * 120,
    ]
    pieces = list(transactions(tasks))
    assert [len(piece) for piece in pieces] == [4, 50, 50, 22]
    assert [each for piece in pieces for each in piece] == tasks
