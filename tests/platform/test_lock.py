"""The lock of a platform: long work in pieces lets those who wait have their turn."""

import threading

import pytest

from mooe.platform import Platform, store
from mooe.platform.lock import TurnLock
from mooe.platform.requests import Predict


class Gate:
    """A gate that tells when somebody keeps it shut."""

    def __init__(self):
        self.lock, self.is_shut = threading.Lock(), threading.Event()

    def __enter__(self):
        self.lock.acquire()
        self.is_shut.set()

    def __exit__(self, *problem):
        self.lock.release()


class Waiter:
    """Someone who comes while the lock is taken, and waits for it."""

    def __init__(self, lock, work):
        lock._gate = gate = Gate()
        self.thread = threading.Thread(target=work)
        self.thread.start()
        assert gate.is_shut.wait(60)


def test_who_came_during_a_piece_has_the_lock_before_the_next_piece():
    lock, order = TurnLock(), []

    def work():
        with lock:
            order.append("waiter")

    for _ in range(100):
        with lock.behind_others():
            waiter = Waiter(lock, work)
            order.append("piece")
        with lock.behind_others():
            order.append("next piece")
        waiter.thread.join(60)
    assert order == ["piece", "waiter", "next piece"] * 100


def test_its_owner_takes_it_again_whoever_waits():
    lock, order = TurnLock(), []

    def work():
        with lock:
            order.append("waiter")

    with lock:
        waiter = Waiter(lock, work)
        with lock:
            order.append("owner")
        order.append("owner")
    waiter.thread.join(60)
    assert order == ["owner", "owner", "waiter"]


def test_it_is_free_after_a_piece_that_failed():
    lock = TurnLock()
    with pytest.raises(ValueError, match="in a piece"), lock.behind_others():
        raise ValueError("in a piece")
    taken = []
    thread = threading.Thread(target=lambda: taken.append(lock.__enter__()))
    thread.start()
    thread.join(60)
    assert taken == [None]


def test_a_condition_lets_others_have_it_while_its_owner_waits():
    lock, order = TurnLock(), []
    happened = lock.condition()

    def work():
        with lock:
            order.append("other")
            happened.notify_all()

    with lock:
        waiter = Waiter(lock, work)
        assert happened.wait(60)
        order.append("owner")
    waiter.thread.join(60)
    assert order == ["other", "owner"]


@pytest.mark.parametrize(
    ("reads", "few", "work"),
    [
        ("pending", {"limit": 2}, lambda platform: platform.expire(2.0**32, "m")),
        ("inputs_before", {}, lambda platform: platform.forget_inputs("m")),
    ],
)
def test_a_prediction_asked_during_a_piece_is_answered_before_the_next(
    tmp_path, monkeypatch, reads, few, work
):
    with Platform(tmp_path / "store") as platform:
        for name in ("m", "other"):
            platform.create(name)
        platform.predict_many("m", [{"a": 1.0}] * 8)
        if reads == "inputs_before":
            platform.expire(2.0**32, "m")
        request = Predict("other", platform.rows("other", [{"a": 1.0}]), [None])
        read, seen, waiters = getattr(platform.store, reads), [], []

        def watched(k, *about, **more):
            seen.append(platform.n_pending("other"))
            waiters.append(Waiter(platform._lock, lambda: platform.apply([request])))
            return read(k, *about, **more, **few)

        monkeypatch.setattr(store, "AT_ONCE", 2)
        monkeypatch.setattr(platform.store, reads, watched)
        assert work(platform) == 8
        for waiter in waiters:
            waiter.thread.join(60)
    assert seen == [0, 1, 2, 3, 4]
