"""Batch references see all rows but the one they answer."""

import numpy as np
import pytest

from mooe.datasets import Stream
from mooe_paper.accuracy import batch
from mooe_paper.accuracy.batch import LEARNERS, cross_validate, with_surroundings


@pytest.fixture
def turning(monkeypatch):
    """Two interests that take turns every 300 rows and contradict each other."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1_200, 2))
    y = (X[:, 0] > 0) ^ (np.arange(1_200) // 300 % 2 == 1)
    stream = Stream("Usenet1", X, y.astype(np.int64))
    monkeypatch.setattr(batch, "open_stream", lambda *_, **__: stream)
    monkeypatch.setattr(batch, "FOLDS", 2)  # enough, and quicker


@pytest.mark.parametrize("learner", LEARNERS)
def test_told_the_regime_it_is_solved_and_otherwise_not(turning, learner):
    told = cross_validate("Usenet1", learner, told=True)
    assert told["accuracy"] > 0.97
    assert told["rows"] == 1_200
    assert cross_validate("Usenet1", learner)["accuracy"] < 0.65


def test_labels_without_meaning_give_what_guessing_gives(monkeypatch):
    rng = np.random.default_rng(1)
    stream = Stream("noise", rng.normal(size=(1_000, 3)), rng.integers(0, 2, 1_000))
    monkeypatch.setattr(batch, "open_stream", lambda *_, **__: stream)
    assert cross_validate("noise", "forest")["accuracy"] == pytest.approx(0.5, abs=0.06)


def test_the_same_seed_gives_the_same_record():
    once, again = (cross_validate("abrupt", "forest", max_rows=300) for _ in range(2))
    assert once == again


def test_where_no_regime_is_known_the_row_is_told(monkeypatch):
    X, y = np.random.default_rng(2).normal(size=(600, 3)), np.arange(600) // 100 % 2
    monkeypatch.setattr(batch, "open_stream", lambda *_, **__: Stream("runs", X, y))
    assert cross_validate("runs", "forest")["accuracy"] < 0.65
    assert cross_validate("runs", "forest", told=True)["accuracy"] > 0.9


def test_what_the_rows_around_tell_is_used(monkeypatch):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(600, 2))
    y = (np.roll(X[:, 0], -1) > 0).astype(np.int64)  # told by the row after
    monkeypatch.setattr(batch, "open_stream", lambda *_, **__: Stream("next", X, y))
    assert cross_validate("next", "logistic")["accuracy"] < 0.65
    assert cross_validate("next", "logistic", around=True)["accuracy"] > 0.9


def test_the_season_is_a_point_on_a_circle_that_a_year_goes_round():
    rows = with_surroundings(np.zeros((9, 1)), year=8.0)
    assert rows.shape == (9, 5)
    np.testing.assert_allclose((rows[:, 3:] ** 2).sum(axis=1), 1.0)
    np.testing.assert_allclose(rows[0], rows[8], atol=1e-12)


def test_an_unknown_learner_is_refused():
    with pytest.raises(ValueError, match="learner must be one of"):
        cross_validate("abrupt", "oracle", max_rows=300)
