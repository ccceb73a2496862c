"""A model as it was at any row of feedback."""

import pytest

from mooe.datasets import recurring
from mooe.platform import Platform, history
from mooe.platform import platform as module
from mooe.platform.history import (
    last_that_counts,
    rows_until_recognised,
    state_at,
    taken_back,
)
from mooe.platform.store import Rollback, stored_model


@pytest.fixture
def platform(tmp_path):
    with Platform(tmp_path / "store") as platform:
        platform.create("m")
        yield platform


def test_a_row_that_was_rolled_back_does_not_count():
    gaps = [Rollback(1, 4, 9, 0), Rollback(1, 11, 12, 0)]
    assert [last_that_counts(seq, gaps) for seq in (3, 4, 5, 9, 10, 12, 13)] == [
        *(3, 4, 4, 4, 10, 11, 13)
    ]


def test_snapshots_and_rows_behind_them_give_the_state_of_then(platform):
    seen = {}
    for k in range(30):
        platform.learn("m", {"a": k % 5}, "yes" if k % 5 > 2 else "no")
        seen[k + 1] = platform.get("m").to_bytes()
        if k in (9, 19):
            platform.save_snapshot("m")
    stored = stored_model(platform.store, "m")
    for seq, blob in seen.items():
        state, n = state_at(platform.store, stored, seq)
        assert state.model.to_bytes() == blob
        assert n == seq - max(at for at in (0, 10, 20) if at <= seq)
        assert taken_back(state)[1] == blob


def test_a_replay_reads_what_memory_can_bear_and_learns_the_same(platform, monkeypatch):
    for k in range(90):  # names, a class and an x without any come in between
        x = {"a": k % 5, **({"b": 1.0} if k % 40 > 30 else {})} if k != 50 else {}
        answer = platform.predict("m", x)
        platform.learn("m", {"a": k % 7}, "no")
        platform.feedback("m", answer.id, "late" if k > 70 else "yes")
    platform.restore("m", 150)
    platform.learn_many("m", [{"a": k % 3} for k in range(30)], ["yes", "no", "no"] * 10)
    stored, asked = stored_model(platform.store, "m"), []
    learnt = platform.store.learnt

    def counted(model, after, until, limit):
        asked.append(limit)
        return learnt(model, after, until, limit)

    monkeypatch.setattr(platform.store, "learnt", counted)
    monkeypatch.setattr(history, "AT_ONCE", 10)
    monkeypatch.setattr(history, "MOST_ROWS", 50)
    monkeypatch.setattr(history, "MOST_BYTES", 16 * 40)
    platform.store.delete_snapshots(each.k for each in platform.snapshots("m"))
    state, n = state_at(platform.store, stored, 210)
    assert n == 180
    assert asked[:2] == [1, 10]  # the last label, then as many rows as may be wide
    assert {*asked[2:]} == {40, 50}  # behind rows of two values, and of one
    assert state.model.to_bytes() == platform.get("m").to_bytes()


def test_how_soon_a_regime_was_recognised_is_told_as_it_was_also_after_a_restart(tmp_path):
    stream = recurring(4_100, 5, 3, 1_000, seed=0)
    xs = [[float(v) for v in row] for row in stream.X]
    labels = [int(y) for y in stream.y]
    with Platform(tmp_path / "store") as platform:
        platform.create("m")
        assert platform.recognised_after("m") is None
        platform.learn_many("m", xs[:3_000], labels[:3_000])
        before, k = platform.regime("m").name, 3_000
        while platform.regime("m") is None or platform.regime("m").name == before:
            platform.learn("m", xs[k], labels[k])
            k += 1
        here = platform.regime("m")
        assert len(here.visits) == 2  # it is back
        expected = k - here.visits[-1][0]
        assert platform.recognised_after("m") == expected < 100
        platform.learn_many("m", xs[k:3_500], labels[k:3_500])
        assert platform.recognised_after("m") == expected
    with Platform(tmp_path / "store") as platform:
        assert platform.recognised_after("m") == expected


def test_how_soon_is_told_as_long_as_no_snapshot_is_due(platform):
    stream = recurring(30_200, 5, 3, 1_000, seed=0)
    for first in range(0, len(stream.y), 5_000):
        part = slice(first, first + 5_000)
        platform.learn_many("m", stream.X[part].tolist(), stream.y[part].tolist())
        platform._models.open("m").spent = 0.0  # as on a machine that learns them in no time
    assert platform.snapshots("m") == []
    assert 0 < platform.recognised_after("m") < 100


def test_how_soon_is_not_told_of_a_model_that_is_deleted_meanwhile(tmp_path, monkeypatch):
    stream = recurring(1_000, 5, 3, 1_000, seed=0)
    names = [f"x{j}" for j in range(5)]
    rows = [dict(zip(names, row, strict=True)) for row in stream.X.tolist()]
    with Platform(tmp_path / "store") as platform:
        platform.create("m")
        platform.learn_many("m", rows, [int(y) for y in stream.y])
        assert platform.recognised_after("m") is not None
        platform._models.open("m").recognised = None

        def deleted(*about):
            platform.delete("m")
            return rows_until_recognised(*about)

        monkeypatch.setattr(module, "rows_until_recognised", deleted)
        assert platform.recognised_after("m") is None
