"""What a store holds; the platform's own tests ask it everything else."""

import pytest

from mooe.platform import Platform, StoreError, store
from mooe.platform.store import Rollback, is_void, open_store, stored_model


def test_rows_of_many_different_names_are_kept_as_they_are(place, monkeypatch):
    monkeypatch.setattr(store, "MOST_LISTS", 5)
    with Platform(place) as platform:
        platform.create("m")
        for at in range(12):
            x = {f"word{at}": 1.0, "käse": float(at)}
            platform.predict("m", x, f"id{at}")
            platform.feedback("m", f"id{at}", "yes" if at % 2 else "no")
        before = platform.get("m").to_bytes()
        ((n,),) = platform.store.database.select("SELECT count(*) FROM prediction WHERE names = -1")
        assert n >= 5
        assert platform.prediction("m", "id11").x == {"word11": 1.0, "käse": 11.0}
        assert platform.model_at("m", 12).to_bytes() == before
        assert platform.check() == []


def test_a_store_that_is_only_looked_at_stays_as_it_is(tmp_path):
    with pytest.raises(StoreError, match="must exist"):
        open_store(tmp_path / "store", read_only=True)
    with Platform(tmp_path / "store") as platform:
        platform.create("m")
        platform.learn("m", {"a": 1}, "yes")
        other = open_store(tmp_path / "store", read_only=True)
        assert stored_model(other, "m").name == "m"
        assert other.last_seq(1) == 1
        with pytest.raises(StoreError, match="readonly"):
            other.set_numerics("x")
        other.database.close()
        assert platform.predict("m", {"a": 1}).prediction == "yes"


def test_a_prediction_that_changed_meanwhile_stops_the_write(place):
    with Platform(place) as platform:
        platform.create("m")
        platform.predict("m", {"a": 1}, "x")
        with platform.store.database.transaction():
            platform.store.database.execute("UPDATE prediction SET status = 2")
        changes = store.Changes(statuses={1: (1, 1, 1, 0)}, feedback=[(1, 1, 1, '"a"', 0, 0)])
        with pytest.raises(StoreError, match="has changed meanwhile"):
            platform.store.write(changes)
        assert platform.store.last_seq(1) == 0


def test_positions_of_a_source_are_stored_with_its_rows(place):
    from mooe.platform.requests import Learn
    from mooe.platform.rows import row_of

    with Platform(place) as platform:
        platform.create("m")
        for offset in (5, 9):
            request = Learn("m", [row_of({"a": 1})], ["yes"], [None])
            platform.apply([request], {("topic", 0): offset})
        assert platform.store.positions("topic") == {0: 9}
        assert platform.store.positions("other") == {}


def test_rows_of_a_rollback_are_void():
    rollbacks = [Rollback(1, 5, 8, 0)]
    assert [seq for seq in range(1, 12) if is_void(seq, rollbacks)] == [6, 7, 8]
