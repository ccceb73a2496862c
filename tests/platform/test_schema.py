"""Versions of a store."""

import sqlite3

import pytest

from mooe.platform import Platform, StoreError, schema, sqlite


def test_a_store_of_a_newer_version_is_refused(tmp_path):
    Platform(tmp_path / "store").close()
    with sqlite3.connect(tmp_path / "store") as store:
        store.execute("UPDATE store SET schema = 99")
    store.close()
    with pytest.raises(StoreError, match="newer mooe"):
        Platform(tmp_path / "store")


def test_an_older_store_is_migrated_at_once_or_not_at_all(tmp_path, monkeypatch):
    with Platform(tmp_path / "store") as platform:
        platform.create("m")
        platform.learn("m", {"a": 1}, "yes")
    newer = schema.SCHEMA + 1
    for module in (schema, sqlite):
        monkeypatch.setattr(module, "SCHEMA", newer)
    broken = ("ALTER TABLE model ADD COLUMN colour TEXT", "ALTER TABLE absent ADD COLUMN x TEXT")
    monkeypatch.setitem(schema.MIGRATIONS, newer - 1, broken)
    with pytest.raises(StoreError, match="no such table: absent"):
        Platform(tmp_path / "store")
    monkeypatch.setitem(schema.MIGRATIONS, newer - 1, broken[:1])
    with Platform(tmp_path / "store") as platform:
        assert platform.store.database.select("SELECT colour FROM model") == [(None,)]
        assert platform.store.database.select("SELECT schema FROM store") == [(newer,)]
        assert platform.predict("m", {"a": 1}).prediction == "yes"


def test_a_store_of_the_first_version_goes_on(tmp_path):
    with Platform(tmp_path / "store") as platform:
        platform.create("m")
        platform.learn("m", {"a": 1}, "yes")
    with sqlite3.connect(tmp_path / "store") as store:
        store.execute("ALTER TABLE store DROP COLUMN numbered")
        store.execute("DROP TABLE source_refusal")
        store.execute("UPDATE store SET schema = 1")
    store.close()
    with Platform(tmp_path / "store") as platform:
        assert platform.predict("m", {"a": 1}).prediction == "yes"
        assert platform.check() == []
        assert platform.refusals("kafka:labels") == {}
