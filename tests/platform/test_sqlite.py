"""A store in one file; what it survives is in test_durability."""

import os
import sqlite3
import struct
import subprocess
import sys
import threading
from contextlib import closing

import pytest

from mooe.platform import Platform, StoreError, StoreInUseError, StoreStoppedError, sqlite
from mooe.platform.sqlite import SQLite


def test_a_second_process_is_told_which_one_has_the_store(tmp_path):
    with Platform(tmp_path / "store"):
        code = f"from mooe.platform import Platform; Platform({str(tmp_path / 'store')!r})"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (
        f"StoreInUseError: {tmp_path / 'store'} is in use by process {os.getpid()}" in done.stderr
    )
    Platform(tmp_path / "store").close()


def test_whoever_lost_the_store_to_another_stops(tmp_path):
    platform = Platform(tmp_path / "store")
    platform.create("m")
    (tmp_path / "store.lock").unlink()  # as if the lock did not hold, on a network's disk
    with Platform(tmp_path / "store") as other:
        with pytest.raises(StoreStoppedError, match="opened by another process"):
            platform.predict("m", {"a": 1})
        assert other.predict("m", {"a": 1}).prediction is None
    platform.close()


@pytest.mark.parametrize("name", ["folder", "no/where", "table.csv"])
def test_what_cannot_be_a_store_is_refused(tmp_path, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "table.csv").write_text("a,b,c\n" * 50)
    with pytest.raises(StoreError, match="store must be"):
        Platform(tmp_path / name)


def test_the_log_is_copied_into_the_file_as_it_grows(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite, "PASSIVE_OVER", 50_000)
    with Platform(tmp_path / "store") as platform:
        platform.create("m")
        for _ in range(20):
            platform.learn_many("m", [{"a": 1.0, "b": 2.0}] * 100, ["yes"] * 100)
            assert os.path.getsize(tmp_path / "store-wal") < 1_000_000
        assert os.path.getsize(tmp_path / "store") > 100_000


def test_a_log_that_was_copied_is_overwritten(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite, "COMMITS", 10)
    sizes = []
    with Platform(tmp_path / "store") as platform:
        platform.create("m")
        for _ in range(100):
            platform.learn("m", {"a": 1.0, "b": 2.0}, "yes")
            sizes.append(os.path.getsize(tmp_path / "store-wal"))
    assert max(sizes[20:]) <= max(sizes[:20])  # it grows no more,
    assert sizes == sorted(sizes)  # and is not cut off


def test_a_reader_does_not_hold_up_labels_and_the_log_shrinks_after_it(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite, "PASSIVE_OVER", 50_000)
    monkeypatch.setattr(sqlite, "RESTART_OVER", 100_000)
    path, log = tmp_path / "store", tmp_path / "store-wal"
    with Platform(path) as platform, closing(sqlite3.connect(path)) as reader:
        platform.create("m")
        platform.learn("m", {"a": 1.0}, "yes")
        reader.execute("BEGIN")
        (before,) = reader.execute("SELECT count(*) FROM feedback").fetchone()
        for _ in range(20):
            platform.learn_many("m", [{"a": 1.0}] * 100, ["yes"] * 100)
        assert log.stat().st_size > 200_000
        assert reader.execute("SELECT count(*) FROM feedback").fetchone() == (before,)
        reader.execute("COMMIT")
        for _ in range(20):
            platform.learn_many("m", [{"a": 1.0}] * 100, ["yes"] * 100)
        assert log.stat().st_size < 200_000
        assert platform.get("m").n_labelled == 4001


def test_threads_share_one_sync(tmp_path, monkeypatch):
    database = SQLite(tmp_path / "store")
    database.begin("")
    n_calls, gate = [0], threading.Event()

    def slow(file):
        n_calls[0] += 1
        gate.wait(10)

    monkeypatch.setattr(sqlite, "data_sync", slow)
    for _ in range(8):
        with database.transaction():
            database.execute("UPDATE store SET numerics = numerics")
    first = threading.Thread(target=database.sync, args=(database.commits,))
    first.start()
    others = [threading.Thread(target=database.sync, args=(k,)) for k in range(2, 9)]
    for thread in others:
        thread.start()
    gate.set()
    for thread in (first, *others):
        thread.join()
    assert n_calls == [1]
    database.close()


def test_what_was_deleted_is_gone_from_the_files(tmp_path):
    secret = struct.pack("=d", 12345.678910111213)
    now = [1e9]

    def is_on_disk():
        return any(secret in path.read_bytes() for path in tmp_path.iterdir())

    with Platform(tmp_path / "store", clock=lambda: now[0]) as platform:
        platform.create("m")
        platform.predict("m", {"a": 12345.678910111213}, "x")  # a model would remember its rows
        now[0] += 1
        platform.expire(now[0])
        assert is_on_disk()
        assert platform.forget_inputs("m") == 1
        assert not is_on_disk()


def test_a_store_in_use_by_the_same_process_is_refused_too(tmp_path):
    with Platform(tmp_path / "store"), pytest.raises(StoreInUseError):
        Platform(tmp_path / "store")


def test_what_is_kept_of_the_file_in_memory_has_a_bound(tmp_path):
    database = sqlite.SQLite(tmp_path / "store")
    for connection in (database._writer, database._copier):
        ((kept,),) = connection.execute("PRAGMA cache_size")  # in KiB where it is negative
        assert -1024 * kept == sqlite.CACHE
    database.close()
