"""Rules for snapshots."""

import numpy as np

from mooe.auto.params import AutoParams
from mooe.model import Model
from mooe.platform.snapshots import DAY, HOUR, KEPT_FOR_EVER, difference, superfluous
from mooe.platform.store import Snapshot

NOW = 10**16


def made(ages, kind="automatic"):
    ordered = sorted(ages, reverse=True)
    return [Snapshot(k, 1, k, NOW - age, kind, 0, "", "") for k, age in enumerate(ordered)]


def test_old_snapshots_are_thinned_out():
    snapshots = made([minute * HOUR // 60 for minute in range(0, 60 * 24 * 90, 10)])
    gone = {each.k for each in superfluous(snapshots, NOW)}
    kept = [each for each in snapshots if each.k not in gone]
    ages = [(NOW - each.at) / DAY for each in kept]
    assert sum(age < 1 for age in ages) in range(24, 30)
    assert sum(1 <= age < 30 for age in ages) in range(29, 32)
    assert sum(age >= 30 for age in ages) in range(2, 5)
    assert superfluous(kept, NOW) == []


def test_the_newest_and_what_was_made_on_purpose_stay():
    assert superfluous(made([1, 2, 3]), NOW) == []
    for kind in KEPT_FOR_EVER:
        assert superfluous(made(range(100), kind), NOW) == []


def test_a_difference_is_told_in_words():
    before = Model(AutoParams())
    X = np.random.default_rng(0).normal(size=(300, 3))
    before.learn(X, before.labels.encode(np.where(X[:, 0] > 0, "a", "b")))
    after = before.copy()
    assert difference(before, after) == []
    after.learn(X[:100], after.labels.encode(np.array(["c"] * 100)))
    changes = {change.what: change[1:] for change in difference(before, after)}
    assert changes["labels learnt"] == (300, 400)
    assert changes["class c"] == ("unknown", "known")
    assert any(what.startswith("weight of") for what in changes)
    back = {change.what: change[1:] for change in difference(after, before)}
    assert back["class c"] == ("known", "unknown")
