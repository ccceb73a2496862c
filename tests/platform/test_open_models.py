"""Models in memory: when they are loaded, taught and saved."""

import numpy as np

from mooe.platform import Platform, Settings, open_models, store
from mooe.platform.creation import new_model
from mooe.platform.requests import Learn


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
