"""A store in PostgreSQL: a real server, killed processes, and two that fight for one store."""

import random
from contextlib import suppress

import pytest
from killed import kill_in_the_middle, opened

pytest.importorskip("psycopg")

import psycopg

from mooe.platform import Platform, StoreError, StoreInUseError, StoreStoppedError
from mooe.platform.learner import numerics_version

KILLS = 20


def test_a_store_that_cannot_be_reached_is_told(postgres):
    with pytest.raises(StoreError, match="cannot be reached"):
        Platform(f"postgresql://postgres@/nowhere?host={postgres}")


def test_passwords_are_not_in_messages(postgres_url):
    platform = Platform(postgres_url.replace("postgres@", "postgres:secret@"))
    assert "secret" not in platform.store.database.where
    with pytest.raises(StoreInUseError) as refused:
        Platform(postgres_url)
    assert "is in use" in str(refused.value)
    platform.close()


def test_whoever_lost_its_session_stops_and_cannot_write(postgres_url, postgres):
    platform = Platform(postgres_url)
    platform.create("m")
    platform.learn("m", {"a": 1}, "yes")
    with psycopg.connect(host=postgres, user="postgres", autocommit=True) as server:
        server.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
            (platform.store.database._connection.info.dbname,),
        )
    with pytest.raises(StoreStoppedError):
        platform.learn("m", {"a": 2}, "no")
    with pytest.raises(StoreStoppedError, match="open the store again"):
        platform.learn("m", {"a": 2}, "no")
    with Platform(postgres_url) as other:
        assert other.get("m").n_labelled == 1


def test_of_two_with_one_store_the_older_can_write_no_more(postgres_url):
    older = Platform(postgres_url)
    older.create("m")
    database = older.store.database
    database._connection.execute("SELECT pg_advisory_unlock_all()")  # the lock alone has split
    with Platform(postgres_url) as newer:
        with pytest.raises(StoreStoppedError, match="opened by another process"):
            older.learn("m", {"a": 1}, "yes")
        newer.learn("m", {"a": 1}, "no")
        with suppress(StoreError):
            older.predict("m", {"a": 1})
        assert newer.get("m").n_labelled == 1
        assert newer.check() == []
    older.close()


def test_a_process_that_is_killed_has_lost_nothing_and_learns_nothing_twice(postgres_url):
    numerics_version()
    rng, acknowledged = random.Random(0), {}
    for k in range(KILLS):
        acknowledged |= kill_in_the_middle(postgres_url, 1_000_000 * k, rng, clients=3, most=10)
    with opened(postgres_url) as platform:
        assert platform.check() == []
        rows = platform.store.database.select(
            "SELECT p.id, f.label FROM feedback f JOIN prediction p ON p.n = f.n"
        )
        learnt = {}
        for name, label in rows:
            learnt.setdefault(name, []).append(label)
        assert all(len(labels) == 1 for labels in learnt.values())
        lost = [name for name, label in acknowledged.items() if learnt.get(name) != [f'"{label}"']]
        assert lost == []
        assert len(acknowledged) >= KILLS
        head = platform.store.last_seq(1)
        assert platform.get("m").to_bytes() == platform.model_at("m", head).to_bytes()
