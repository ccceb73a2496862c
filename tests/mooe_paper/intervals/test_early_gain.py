"""Gains early in a regime: zero where they must be, and the same again."""

import json

import numpy as np
import pytest

from mooe_paper.intervals import early_gain
from mooe_paper.intervals.early_gain import FIRST, SKIPPED


def gained(**changed):
    arguments = {
        "stream": "drifting",
        "length": 100,
        "interval": 100,
        "settings": {"max_experts": 5},
        "n_seeds": 3,
    }
    return early_gain.early_gain(**(arguments | changed))


def test_records_are_the_same_bytes_again():
    once = json.dumps(gained(length=200, interval=200, curve=True))
    assert once == json.dumps(gained(length=200, interval=200, curve=True))


def test_without_offline_experts_nothing_is_gained():
    record = gained(settings={"max_experts": 1})
    nothing = [[0.0, 0.0, 0.0]] * (len(FIRST) + 1)
    assert record["alike"]["loss"] == nothing
    assert record["alike"]["error"] == nothing
    assert record["blank"]["loss"] == nothing


def test_a_restarted_expert_is_compared_with_one_like_it():
    record = gained(settings={"max_experts": 5, "start": "reset"})
    assert record["alike"] == record["restarted"]


def test_the_first_interval_does_not_count():
    # In it there is no offline expert: with the difference of the whole stream spread over all 15
    # intervals a gain would be smaller by a factor of 14 / 15.
    runs = [early_gain.differences("drifting", 100, 100, {"max_experts": 5}, s) for s in range(3)]
    rows = np.array([run["alike"]["loss"].reshape(15, 100) for run in runs])
    assert not rows[:, 0].any()
    mean = rows[:, 1:].mean()
    assert gained()["alike"]["loss"][-1][0] == pytest.approx(mean, abs=1e-6)


def test_inputs_may_be_taken_as_they_are():
    record = gained(settings={"max_experts": 5, "scale": False})
    assert np.isfinite(record["alike"]["loss"]).all()


@pytest.mark.parametrize("stream", SKIPPED)
def test_regimes_last_as_long_as_they_are_said_to(stream):
    X, y = early_gain.rows_of(stream, 20, seed=1)
    assert len(X) == len(y) in (300, 320)
    assert set(y) == {0.0, 1.0}
    assert X.flags.c_contiguous


def test_returning_regimes_come_in_turn_with_rows_of_their_own():
    X, y = early_gain.returning(3, 7, 400, seed=0)
    assert len(np.unique(X, axis=0)) == len(X) == 2_800
    means = [
        np.array(
            [X[v * 400 : (v + 1) * 400][y[v * 400 : (v + 1) * 400] == c].mean(0) for c in (0, 1)]
        )
        for v in range(7)
    ]
    for v in range(4):
        assert np.abs(means[v] - means[v + 3]).max() < 0.4
    assert np.abs(means[0] - means[1]).max() > 1.0
