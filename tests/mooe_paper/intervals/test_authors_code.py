"""The replica of the authors' code against cases worked out by hand."""

import numpy as np
import pytest

from mooe_paper.intervals import authors_code


def test_weights_are_laid_on_the_oldest_experts():
    experts = np.array([[1.0, 0.0], [0.0, 2.0], [9.0, 9.0]])
    push = authors_code.push_of(experts, np.array([0.25, 0.75]))
    # 0.1 * mean of (0.25, 0) and (0, 1.5): the newest expert has no part in it
    assert push == pytest.approx([0.0125, 0.075])


def test_the_push_does_not_vanish_where_the_fit_is_perfect():
    X, y = np.array([[1.0]]), np.array([1.0])
    fitted = authors_code.fit_offline(X, y, np.array([0.3]), np.array([0.2]), rate=0.5)
    assert fitted == pytest.approx([0.8])  # a pull towards anything from 1 on would stop there


def test_a_fit_with_a_small_rate_stays_near_its_start():
    X, y = np.array([[1.0], [1.0]]), np.array([0.0, 1.0])
    fitted = authors_code.fit_offline(X, y, np.array([0.9]), np.zeros(1), rate=1e-4)
    assert fitted == pytest.approx([0.5 + 0.4 * (1 - 1e-4) ** 1000])


def test_an_interval_of_two_rows():
    X, y = np.array([[1.0], [2.0]]), np.array([1.0, 0.0])
    experts, weights = np.array([[0.0], [2.0]]), np.array([0.25, 0.75])
    scores, alone, last = authors_code.learn_interval(X, y, experts, weights, rate=0.1)
    # Row 1: both experts are wrong by 1, so weights stay; the online one steps by 0.1 * 1 * 1.
    # Row 2: 0.25 * 0 + 0.75 * 2 * 1.9; the online one is wrong by 3.8.
    assert scores == pytest.approx([1.5, 2.85])
    assert alone == pytest.approx([2.0, 3.8])
    online = 0.75 * np.exp(-0.1 * 3.8**2)
    assert last == pytest.approx(np.array([0.25, online]) / (0.25 + online))
    assert experts.tolist() == [[0.0], [2.0]], "the experts that were given have changed"


def test_a_replay_by_hand_of_two_intervals_of_one_row():
    X, y = np.array([[2.0], [1.0]]), np.array([1.0, 0.0])
    run = authors_code.replay(X, y, 2, 5, rate=0.1, fit_rate=0.5, rows=1, seed=3)
    draws = np.random.default_rng(3).uniform(size=4)  # online and fit of both intervals
    # With one feature the first fit solves 4 w - 2 + 0.1 online = 0, for 1 - 0.5 * 4 is -1:
    # after an even number of steps it is back at its start.
    assert run.first_weights.tolist() == [0.25, 0.75]
    first, online = draws[1], draws[2]
    push = 0.1 * (0.25 * first + 0.75 * online) / 2
    assert run.scores == pytest.approx([0.25 * first + 0.75 * online])
    assert run.online_scores == pytest.approx([online])
    assert run.comparator_scores == pytest.approx([-push])  # solves w - 0 + push = 0


def test_ogd_is_the_mixtures_own_online_expert():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60).astype(float)
    run = authors_code.replay(X, y, 1, 5, rate=0.01, fit_rate=1e-3, rows=60, seed=1)
    assert run.scores == pytest.approx(run.online_scores), "one expert, so they are one"


def test_a_replay_repeats_itself():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 2)), rng.integers(0, 2, 90).astype(float)
    one, other = (authors_code.replay(X, y, 9, 5, 1e-3, 1e-3, 10, seed=2) for _ in range(2))
    assert all(
        np.array_equal(a, b) for a, b in zip(vars(one).values(), vars(other).values(), strict=True)
    )
    assert len(one.scores) == 10
    assert len(one.last_weights) == 5


def test_blank_experts_leave_a_share_of_the_online_one():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 2)), rng.integers(0, 2, 90).astype(float)
    run = authors_code.replay(X, y, 9, 5, 0.0, 1e-3, 10, seed=2, blank=True)
    assert run.scores == pytest.approx(0.6 * run.online_scores)
