"""Nothing acknowledged is lost or learnt twice: killed processes, cut disks, full disks.

A killed process cannot show durability, because the system still writes what it was given: so disks
are cut too. An image of the store is taken in the middle of the work, and all of its log behind the
last fdatasync is replaced by noise.
"""

import os
import random
import resource
import shutil
import signal
import sqlite3
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from killed import ask_and_tell, kill_in_the_middle
from lessons import labels_by_id, stored_lessons, taught

from mooe.platform import Platform, StoreError, StoreStoppedError, sqlite
from mooe.platform.learner import numerics_version

KILLS, IMAGES, CLIENTS = 20, 200, 6


def check_store(path, acknowledged):
    """Fail unless a store holds all that was acknowledged once, and its model has learnt it."""
    lessons, learnt = stored_lessons(path), labels_by_id(path)
    for name, label in acknowledged.items():
        assert learnt.get(name) == [label], f"{name}: {learnt.get(name)}, acknowledged {label}"
    assert all(len(labels) == 1 for labels in learnt.values())
    with Platform(path) as platform:
        assert platform.check() == []
        if lessons:
            assert platform.get("m").to_bytes() == taught(lessons)
    return len(lessons)


def test_a_process_that_is_killed_has_lost_nothing_and_learns_nothing_twice(tmp_path):
    numerics_version()  # compiled code is loaded once, before the forks
    rng, path, acknowledged = random.Random(0), tmp_path / "store", {}
    for k in range(KILLS):
        acknowledged |= kill_in_the_middle(path, 1_000_000 * k, rng)
    assert check_store(path, acknowledged) >= len(acknowledged) >= KILLS


class Disk:
    """What is on disk for certain: the log up to where it was when an fdatasync began.

    SQLite syncs it too, before it copies it into the file: up to there it is on disk as well. Cut
    below that, an image would be one that no disk can have: old pages of the log in front of newer
    ones of the file.
    """

    def __init__(self, path, is_honest=True):
        self.path, self.synced, self.is_honest = path, (b"", 0), is_honest
        self.n_logs = 0

    def written(self):
        """Return which log it is, and how far it is written."""
        with open(f"{self.path}-wal", "rb") as log:
            header = log.read(32)
            if len(header) < 32:
                return b"", 0
            page, salt, end = int.from_bytes(header[8:12], "big"), header[16:24], 32
            while True:
                frame = log.read(24 + page)
                if len(frame) < 24 + page or frame[8:16] != salt:
                    return salt, end
                end += len(frame)

    def data_sync(self, file):
        salt, end = self.written()
        if self.is_honest:
            os.fdatasync(file)
            self.n_logs += salt != self.synced[0]
            self.synced = salt, end

    def copied(self, salt, n_frames):
        """Note that SQLite has copied so many pages of a log, unless it has begun anew since."""
        with open(f"{self.path}-wal", "rb") as log:
            header = log.read(32)
        if salt and header[16:24] == salt:
            end = 32 + n_frames * (24 + int.from_bytes(header[8:12], "big"))
            self.synced = salt, max(end, self.synced[1] if self.synced[0] == salt else 0)

    def image(self, folder, rng):
        """Copy the store, and replace what is not on disk for certain."""
        folder.mkdir()
        there = folder / "store"
        shutil.copyfile(self.path, there)
        log = bytearray(Path(f"{self.path}-wal").read_bytes())
        salt, _ = self.written()
        keep = self.synced[1] if salt == self.synced[0] else 0
        for begin in range(keep, len(log), 512):
            end = min(begin + 512, len(log))
            fate = rng.choice(["noise", "noise", "zeros", "kept"])
            if fate != "kept":
                log[begin:end] = (
                    rng.randbytes(end - begin) if fate == "noise" else bytes(end - begin)
                )
        (folder / "store-wal").write_bytes(log)
        return there


class Copier:
    """The connection that copies the log, which tells a disk what it has copied."""

    def __init__(self, connection, disk):
        self.connection, self.disk = connection, disk

    def execute(self, sql):
        salt, _ = self.disk.written()
        row = self.connection.execute(sql).fetchone()
        self.disk.copied(salt, row[2])
        return SimpleNamespace(fetchone=lambda: row)

    def close(self):
        self.connection.close()


def images_of_a_working_store(tmp_path, monkeypatch, disk, n):
    """Yield images of a store that clients work on, with what was acknowledged before each."""
    monkeypatch.setattr(sqlite, "data_sync", disk.data_sync)
    if disk.is_honest:  # SQLite itself syncs when it copies the log
        monkeypatch.setattr(sqlite, "PASSIVE_OVER", 100_000)
        monkeypatch.setattr(sqlite, "RESTART_OVER", 300_000)
    acknowledged = {}
    platform = Platform(disk.path)
    if disk.is_honest:
        platform.store.database._copier = Copier(platform.store.database._copier, disk)
    platform.create("m")
    threads = [
        threading.Thread(target=ask_and_tell, args=(platform, k, 0, acknowledged.__setitem__))
        for k in range(CLIENTS)
    ]
    for thread in threads:
        thread.start()
    rng, database = random.Random(1), platform.store.database
    try:
        for k in range(n):
            before = len(acknowledged)
            while len(acknowledged) < before + 3:
                time.sleep(0.0005)
            with platform._lock, database._sync_lock, database._write_lock:
                sure = dict(acknowledged)
                place = disk.image(tmp_path / f"image-{k}", rng)
            yield place, sure
            shutil.rmtree(place.parent)
    finally:
        platform._models._is_open = False  # clients are told to go
        for thread in threads:
            thread.join()
        platform._models._is_open = True
        platform.close()


def test_a_disk_that_is_cut_behind_the_last_sync_has_all_that_was_acknowledged(
    tmp_path, monkeypatch
):
    disk = Disk(tmp_path / "store")
    images = images_of_a_working_store(tmp_path, monkeypatch, disk, IMAGES)
    n_checked = 0
    for k, (place, sure) in enumerate(images):
        if k % 10 == 0:
            check_store(place, sure)  # what the model has learnt, too
            n_checked += 1
            continue
        learnt = labels_by_id(place)
        assert [name for name, label in sure.items() if learnt.get(name) != [label]] == []
    assert n_checked == IMAGES // 10
    assert disk.n_logs > 3, "the log must have begun anew several times"


def test_the_cut_shows_a_store_that_does_not_sync(tmp_path, monkeypatch):
    disk = Disk(tmp_path / "store", is_honest=False)
    for place, sure in images_of_a_working_store(tmp_path, monkeypatch, disk, 5):
        try:
            learnt = labels_by_id(place)
        except sqlite3.Error:
            learnt = {}
        if any(name not in learnt for name in sure):
            return
    pytest.fail("images without any sync have all that was acknowledged: the cut shows nothing")


def test_a_failed_sync_acknowledges_nothing_and_stops_the_platform(tmp_path, monkeypatch):
    path = tmp_path / "store"
    platform = Platform(path)
    platform.create("m")
    platform.learn("m", {"a": 1}, "yes")
    answer = platform.predict("m", {"a": 2})

    def broken(file):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(sqlite, "data_sync", broken)
    with pytest.raises(StoreStoppedError, match="could not be brought to disk"):
        platform.feedback("m", answer.id, "no")
    monkeypatch.undo()
    with pytest.raises(StoreStoppedError, match="start again"):  # a second sync would lie
        platform.feedback("m", answer.id, "no")
    with pytest.raises(StoreStoppedError):
        platform.predict("m", {"a": 3})
    platform.close()
    check_store(path, {})


def test_a_full_disk_acknowledges_nothing_and_corrupts_nothing(tmp_path):
    """A limit on the size of files stands for the disk; it is lifted again."""
    path = tmp_path / "store"
    platform = Platform(path)
    platform.create("m")
    platform.learn("m", {"a": 1}, "yes", "first")
    before = platform.get("m").to_bytes()
    size = os.path.getsize(f"{path}-wal")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100, hard))
    try:
        with pytest.raises(StoreError, match="cannot be written, and nothing was"):
            platform.learn_many("m", [{"a": 2}] * 10, ["no"] * 10)
        with pytest.raises(StoreError, match="cannot be written, and nothing was"):
            platform.predict("m", {"a": 3}, "lost")
        assert platform.get("m").to_bytes() == before
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)
    assert platform.learn("m", {"a": 2}, "no", "second").seq == 2  # there is room again
    platform.close()
    assert check_store(path, {"first": "yes", "second": "no"}) == 2


def test_a_store_that_turns_read_only_refuses_and_stays_whole(tmp_path):
    platform = Platform(tmp_path / "store")
    platform.create("m")
    platform.learn("m", {"a": 1}, "yes")
    platform.store.database._writer.execute("PRAGMA query_only=ON")
    with pytest.raises(StoreError, match="nothing was: attempt to write a readonly database"):
        platform.predict("m", {"a": 1})
    platform.store.database._writer.execute("PRAGMA query_only=OFF")
    assert platform.predict("m", {"a": 1}).prediction == "yes"
    platform.close()
    check_store(tmp_path / "store", {})
