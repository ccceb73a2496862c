"""One turn of the event loop is one transaction; labels wait for the disk, predictions do not."""

import asyncio
import threading
from itertools import count
from types import SimpleNamespace

import pytest

from mooe.platform import ConflictError, Platform, StoreError, UnknownModelError
from mooe.platform.life import Status
from mooe.platform.requests import Feedback, Predict
from mooe.platform.rows import row_of
from mooe.server.problems import BusyError
from mooe.server.request_queue import RequestQueue


@pytest.fixture
def platform(tmp_path):
    with Platform(tmp_path / "store") as platform:
        platform.create("m")
        yield platform


@pytest.fixture
def disk(platform, monkeypatch):
    """A disk that is asked and holds every label back until its gate is set."""
    disk = SimpleNamespace(asked=threading.Event(), gate=threading.Event(), n_asked=0)

    def wait():
        disk.n_asked += 1
        disk.asked.set()
        assert disk.gate.wait(10)

    monkeypatch.setattr(platform, "wait", wait)
    return disk


def predict(name, x=None):
    return Predict("m", [row_of(x or {"a": 1})], [name])


def label(name, value="yes"):
    return Feedback("m", [name], [value], [False])


def together(platform, *requests):
    """Submit requests in one turn; return their results or errors."""

    async def submit():
        queue = RequestQueue(platform)
        try:
            tasks = [queue.submit(request) for request in requests]
            return await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            queue.close()

    return asyncio.run(submit())


def test_all_of_one_turn_is_one_transaction(platform):
    platform.experts("m")  # is loaded
    before = platform.store.database.commits
    results = together(platform, *(predict(f"id{k}") for k in range(20)))
    assert platform.store.database.commits == before + 1
    assert [answer.id for (answer,) in results] == [f"id{k}" for k in range(20)]


def test_a_request_that_fails_fails_alone(platform):
    platform.predict("m", {"a": 1}, "there")
    bad = Predict("nobody", [row_of({"a": 1})], [None])
    good, conflict, unknown, receipt = together(
        platform, predict("new"), predict("there", {"a": 2}), bad, label("there")
    )
    assert good[0].id == "new"
    assert isinstance(conflict, ConflictError)
    assert isinstance(unknown, UnknownModelError)
    assert receipt[0].result == "learned"


def test_of_many_that_are_alike_the_wrong_one_fails_alone(platform):
    platform.learn("m", {"a": 1}, "yes")
    rows = [{"a": 1}, [1, 2, 3], {"a": 2}]
    requests = [Predict("m", [row_of(x)], [None]) for x in rows]
    first, wrong, last = together(platform, *requests)
    assert isinstance(wrong, ValueError)
    assert first[0].prediction == last[0].prediction == "yes"
    labels = [label(first[0].id, "no"), label("nobody"), label(last[0].id, 3)]
    results = [receipt.result.value for (receipt,) in together(platform, *labels)]
    assert results == ["learned", "unknown", "invalid"]


def test_a_store_that_fails_fails_all_of_the_turn(platform):
    platform.store.database._writer.execute("PRAGMA query_only=ON")
    results = together(platform, predict("a"), predict("b"))
    assert all(isinstance(result, StoreError) for result in results)
    platform.store.database._writer.execute("PRAGMA query_only=OFF")
    assert together(platform, predict("a"))[0][0].id == "a"


def test_a_prediction_does_not_wait_for_the_disk_and_a_label_does(platform, disk):
    platform.predict("m", {"a": 1}, "there")

    async def work():
        queue = RequestQueue(platform)
        labelled = asyncio.ensure_future(queue.submit(label("there")))
        await asyncio.to_thread(disk.asked.wait, 10)
        (answer,) = await queue.submit(predict("other"))
        was_done = labelled.done()
        disk.gate.set()
        (receipt,) = await labelled
        queue.close()
        return answer.version, was_done, receipt.result

    assert asyncio.run(work()) == (1, False, "learned")


def test_labels_that_come_while_others_go_to_disk_are_one_transaction(platform, disk):
    for name in "abc":
        platform.predict("m", {"a": 1}, name)
    database = platform.store.database

    async def work():
        queue = RequestQueue(platform)
        first = asyncio.ensure_future(queue.submit(label("a")))
        await asyncio.to_thread(disk.asked.wait, 10)
        others = [asyncio.ensure_future(queue.submit(label(name))) for name in "bc"]
        await queue.submit(predict("d"))
        statuses, commits = [platform.prediction("m", name).status for name in "bc"], []
        commits.append(database.commits)
        disk.gate.set()
        results = await asyncio.gather(first, *others)
        queue.close()
        commits.append(database.commits)
        return statuses, commits[1] - commits[0], [receipt.seq for (receipt,) in results]

    statuses, commits, seqs = asyncio.run(work())
    assert statuses == [Status.PENDING] * 2
    assert commits == 1
    assert seqs == [1, 2, 3]


def test_a_client_that_cannot_be_told_keeps_nobody_from_the_answer(platform, caplog):
    def gone(_):
        raise RuntimeError("nobody listens")

    async def work():
        queue = RequestQueue(platform)
        queue.enter(predict("a"), gone)
        (answer,) = await queue.submit(predict("b"))
        queue.close()
        return answer.id

    assert asyncio.run(work()) == "b"
    assert "nobody listens" in caplog.text


def test_too_much_that_waits_is_refused(platform):
    async def work():
        queue = RequestQueue(platform, most_waiting=2)
        tasks = [queue.submit(predict(f"id{k}")) for k in range(4)]
        results = await asyncio.gather(*tasks, return_exceptions=True)
        queue.close()
        return results

    results = asyncio.run(work())
    assert [isinstance(result, BusyError) for result in results] == [False, False, True, True]


def test_whatever_goes_wrong_on_the_way_to_the_disk_nobody_waits_for_ever(platform, monkeypatch):
    platform.predict("m", {"a": 1}, "x")

    def broken():
        raise RuntimeError("no more threads")

    monkeypatch.setattr(platform, "wait", broken)
    (result,) = together(platform, label("x"))
    assert isinstance(result, RuntimeError)


def test_without_a_helper_thread_nobody_waits_for_ever(platform):
    platform.predict("m", {"a": 1}, "x")

    async def work():
        queue = RequestQueue(platform)
        queue.close()
        return await asyncio.gather(queue.submit(label("x")), return_exceptions=True)

    (result,) = asyncio.run(work())
    assert isinstance(result, RuntimeError)


def test_where_the_disk_is_slow_all_labels_go_together(platform, disk, monkeypatch):
    clock = SimpleNamespace(perf_counter=count().__next__)  # every way takes a second
    monkeypatch.setattr("mooe.server.request_queue.time", clock)
    monkeypatch.setattr("mooe.server.request_queue.LONGEST_PAUSE", 0.2)
    for name in "abc":
        platform.predict("m", {"a": 1}, name)

    async def work():
        queue = RequestQueue(platform)
        first = asyncio.ensure_future(queue.submit(label("a")))
        await asyncio.to_thread(disk.asked.wait, 10)
        held = asyncio.ensure_future(queue.submit(label("b")))
        await queue.submit(predict("d"))  # so that the label was entered before the disk is done
        disk.gate.set()
        await first
        await asyncio.gather(held, queue.submit(label("c")))  # sent by who was told
        queue.close()

    asyncio.run(work())
    assert disk.n_asked == 2
