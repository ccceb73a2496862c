"""Models in memory: when they are loaded, taught and saved."""

import threading

import numpy as np

from mooe.platform import Platform, Settings, open_models, store
from mooe.platform.creation import new_model
from mooe.platform.hosted import Hosted
from mooe.platform.requests import Learn

ROWS = [{"a": float(i % 7)} for i in range(40)]


def test_a_large_model_that_learns_does_not_hold_up_a_small_one(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 120))
    labels = ["yes" if row[0] > 0 else "no" for row in X.tolist()]
    with Platform(tmp_path / "store") as platform:
        for name in ("large", "small"):
            platform.create(name)
        platform.learn_many("large", X[:200], labels[:200])
        platform.learn_many("small", [{"a": 1.0, "b": 2.0}, {"a": 3.0, "b": 4.0}], ["yes", "no"])
        rows = platform.rows("large", X[200:])
        platform.apply([Learn("large", rows, labels[200:], [None] * len(rows))])
        hosted = platform._models.hosted[1]
        n = 0
        while hosted.is_being_taught:
            platform.predict("small", {"a": 1.0, "b": 2.0})
            assert platform.predict("large", X[0].tolist()).version in (200, 3000)
            n += 1
        assert n >= 3
        assert platform.get("large").n_labelled == 3000
        assert platform.model_at("large", 3000).to_bytes() == platform.get("large").to_bytes()


def test_a_thousand_models_open_when_they_are_needed(tmp_path):
    with Platform(tmp_path / "store") as platform:
        for k in range(1, 1001):
            stored = new_model(f"m{k}", "classification", {}, Settings())
            stored.k = k
            platform.store.add_model(stored, None, "", 0)
    with Platform(tmp_path / "store") as platform:
        assert len(platform.models()) == 1000
        platform.learn("m999", {"a": 1}, "yes")
        assert len(platform._models.hosted) == 1


def test_a_snapshot_that_a_rollback_overtakes_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(open_models, "DUE_AFTER", 1e-9)
    monkeypatch.setattr(store, "PART", 4096)
    with Platform(tmp_path / "store") as platform:
        platform.create("m")
        models = platform._models
        work = []
        monkeypatch.setattr(models._saver, "submit", lambda *asked: work.append(asked))
        platform.learn_many("m", [{"a": 1.0}, {"a": 2.0}], ["yes", "no"])
        platform.learn("m", {"a": 3.0}, "yes")
        add, step = platform.store.add_snapshot, []

        def overtaken(*about):
            for piece in add(*about):
                if not step:
                    step.append(platform.restore("m", 2))
                yield piece

        with monkeypatch.context() as patch:
            patch.setattr(platform.store, "add_snapshot", overtaken)
            (save, *about), *_ = work
            save(*about)
        assert step == [1]
        select = platform.store.database.select
        assert select("SELECT count(*) FROM snapshot WHERE complete = 0") == [(0,)]
        kept = sum(each.size for each in platform.snapshots("m"))
        assert select("SELECT sum(length(bytes)) FROM snapshot_part") == [(kept,)]


def slow_shadow(platform, monkeypatch):
    """Make a model with a shadow that learns in a thread; return what lets it, and has begun to."""
    platform.create("m")
    platform.create("shadow", shadow_of="m")
    platform.learn_many("m", ROWS[:20], ["yes", "no"] * 10)
    shadow = platform._models.open("shadow")
    shadow.pace = 1e9
    may, began, learn = threading.Event(), threading.Event(), shadow.learn_behind

    def learn_behind(*about):
        began.set()
        may.wait()
        learn(*about)

    monkeypatch.setattr(shadow, "learn_behind", learn_behind)
    platform.apply([Learn("m", platform.rows("m", ROWS[20:]), ["no"] * 20, [None] * 20)])
    began.wait()
    return may


def test_a_shadow_that_is_taken_back_while_it_is_waited_for_takes_over_as_it_is_then(
    tmp_path, monkeypatch
):
    with Platform(tmp_path / "store") as platform:
        may = slow_shadow(platform, monkeypatch)
        waits, wait = threading.Event(), platform._models._taught.wait
        monkeypatch.setattr(platform._models._taught, "wait", lambda: waits.set() or wait())
        promoting = threading.Thread(target=platform.promote, args=("shadow",))
        promoting.start()
        waits.wait()
        assert platform.restore("m", 20) == 20  # all that the shadow is about to learn
        may.set()
        promoting.join()
        assert platform.models() == ["m"]
        assert platform.get("m").n_labelled == 20


def test_what_was_stored_is_waited_for_and_not_what_came_after(tmp_path, monkeypatch):
    with Platform(tmp_path / "store") as platform:
        may = slow_shadow(platform, monkeypatch)
        models, heard = platform._models, []
        teach, lessons = models._after_learning, []

        def after(hosted):  # labels come faster than the shadow learns
            teach(hosted)
            if hosted.stored.name == "shadow" and len(lessons) < 50:
                lessons.append(hosted.version)
                rows = platform.rows("m", ROWS[:1])
                platform.apply([Learn("m", rows, ["no"], [None])])

        monkeypatch.setattr(models, "_after_learning", after)
        waiting = threading.Thread(target=lambda: heard.append(platform.get("shadow").n_labelled))
        waiting.start()
        may.set()
        waiting.join()
        assert 40 <= heard[0] < 90
        platform.settle()


def test_after_a_restart_a_large_first_lesson_is_learnt_behind_the_others(tmp_path, monkeypatch):
    behind, learn_behind = [], Hosted.learn_behind

    def seen(hosted, lesson, lock):
        behind.append((hosted.stored.name, len(lesson.seqs)))
        learn_behind(hosted, lesson, lock)

    monkeypatch.setattr(Hosted, "learn_behind", seen)
    with Platform(tmp_path / "store") as platform:
        platform.create("m")
        platform.learn_many("m", ROWS, ["yes", "no"] * 20)
        assert not behind  # a new model answers with what it was taught first
    with Platform(tmp_path / "store") as platform:
        platform.learn_many("m", ROWS, ["yes", "no"] * 20)
        assert behind == [("m", 40)]
        assert platform.get("m").n_labelled == 80
    with Platform(tmp_path / "store") as platform:
        platform.learn_many("m", ROWS[:10], ["yes", "no"] * 5)
        assert len(behind) == 1  # some rows hold nobody up
