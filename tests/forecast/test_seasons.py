"""Seasons that rows show."""

import numpy as np
import pytest

from mooe.forecast.seasons import LOOKS, found


def rows(n, season, noise=0.5, seed=0, trend=0.0):
    rng = np.random.default_rng(seed)
    profile = rng.normal(size=season)
    return (profile[np.arange(n) % season] + noise * rng.normal(size=n) + trend * np.arange(n))[
        :, None
    ]


@pytest.mark.parametrize("season", [5, 7, 12, 24, 30, 96])
def test_a_season_is_found_with_noise_and_trend(season):
    assert found(rows(max(100, 8 * season), season, trend=0.02)) == (season,)


def test_two_smooth_days_with_noise_are_enough():
    shown, at = 0, np.arange(48)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        waves = [np.sin(2 * np.pi * k * at / 24 + rng.uniform(0, 6)) / k for k in (1, 2, 3)]
        shown += found((sum(waves) + 0.5 * rng.normal(size=48))[:, None]) == (24,)
    assert shown >= 16


def test_quarters_are_found_before_they_were_seen_three_times():
    shown = [found(rows(10, 4, noise=0.3, seed=seed)) for seed in range(40)]
    assert sum(one == (4,) for one in shown) >= 24


def test_a_third_of_a_day_is_not_taken_for_the_day():
    turns, days = 2 * np.pi * np.arange(120) / 24, 0
    for seed in range(20):
        noise = 0.3 * np.random.default_rng(seed).normal(size=120)
        Y = (np.sin(turns) + 0.5 * np.sin(2 * turns) + 2 * np.sin(3 * turns) + noise)[:, None]
        days += all(found(Y[:n]) == (24,) for n in (60, 72, 96, 120))
    assert days >= 19


@pytest.mark.parametrize("noise", [0.0, 0.001, 0.01, 0.05])
def test_a_wave_with_little_noise_is_a_season(noise):
    at, rng = np.arange(300), np.random.default_rng(0)
    Y = (np.sin(2 * np.pi * at / 24) + noise * rng.normal(size=300))[:, None]
    assert all(found(Y[:n]) == (24,) for n in (60, 72, 96, 120, 200, 300))


def test_a_walk_that_comes_back_once_has_no_season():
    walks = np.cumsum(np.random.default_rng(4).normal(size=(100, 60, 1)), 1)
    assert sum(bool(found(one[:n])) for one in walks for n in (14, 28, 60)) <= 5


def test_a_slope_that_lasts_and_turns_is_no_long_season():
    rng, falsely = np.random.default_rng(5), 0
    for _ in range(20):
        slopes = rng.normal(size=120)
        for t in range(1, 120):
            slopes[t] += 0.9 * slopes[t - 1]
        level = np.cumsum(1.0 + slopes + rng.normal(size=120))[:, None]
        falsely += any(found(level[:n]) for n in (60, 72, 84, 96, 104, 120))
    assert falsely <= 3


def weeks(n, seed, noise=0.05):
    """Return a smooth year of weeks."""
    rng = np.random.default_rng(seed)
    at = np.arange(n)
    waves = [np.sin(2 * np.pi * k * at / 52 + rng.uniform(0, 6)) / k for k in (1, 2, 3)]
    return (sum(waves) + noise * rng.normal(size=n))[:, None]


def test_a_year_of_weeks_is_believed_before_it_was_seen_twice():
    shown = [found(weeks(84, seed))[:1] for seed in range(20)]
    assert sum(one == (52,) for one in shown) >= 15


def test_until_the_calendar_could_have_shown_itself_nothing_takes_its_place():
    for seed in range(20):
        for n in (48, 52, 60, 64):
            assert found(weeks(n, seed), expected=(52,)) == (52,)


def test_where_the_calendar_shows_a_surer_season_does_not_take_its_place():
    for seed in range(20):
        for n in (72, 84, 96, 104):
            assert found(weeks(n, seed), expected=(52,)) == (52,)


def test_who_looks_often_finds_little_by_chance():
    rng = np.random.default_rng(3)
    walks = np.cumsum(rng.normal(size=(30, 200, 1)), 1)
    looks = [n for n in LOOKS if n <= 200]
    assert sum(any(found(one[:n]) for n in looks) for one in walks) <= 6


def test_a_second_season_is_a_multiple_that_shows_more():
    rng = np.random.default_rng(2)
    at = np.arange(1500)
    day, week = rng.normal(size=24), rng.normal(size=168)
    Y = (2 * day[at % 24] + week[at % 168] + 0.3 * rng.normal(size=1500))[:, None]
    assert found(Y) == (24, 168)
    assert found(Y, expected=(24, 168)) == (24, 168)


def test_noise_random_walks_and_constants_have_none():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(40, 500, 1))
    assert sum(found(one) != () for one in noise) <= 1
    assert sum(found(np.cumsum(one, 0)) != () for one in noise) <= 1
    assert found(np.ones((100, 2))) == ()


def test_the_calendar_is_believed_until_another_season_shows():
    noise = np.random.default_rng(0).normal(size=(300, 1))
    assert found(noise, expected=(24, 168)) == (24,)
    assert found(rows(300, 5), expected=(7, 365))[0] == 5


@pytest.mark.parametrize("n", [180, 480, 1200, 1920, 4000])
def test_an_hour_of_minutes_is_taken_before_the_day_was_seen(n):
    assert found(rows(n, 60), expected=(1440,)) == (60,)


def test_a_day_of_quarter_hours_is_not_left_for_a_part_of_it():
    for seed in range(10):
        for n in (60, 96, 120, 192, 400):
            assert found(rows(n, 96, seed=seed), expected=(96, 672)) == (96,)


def test_gaps_do_not_hide_a_season():
    Y = rows(400, 12)
    Y[::9] = np.nan
    assert found(Y)[0] == 12


@pytest.mark.parametrize("n", [30, 60, 100])
@pytest.mark.parametrize("size", [1e3, 1e9])
def test_one_value_far_from_all_others_is_no_season(n, size):
    shown = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        Y = np.cumsum(rng.normal(size=(n, 1)), 0)
        Y[rng.integers(n)] = size
        shown += found(Y) != ()
    assert shown <= 1


def test_one_value_in_a_constant_is_no_season():
    Y = np.zeros((100, 1))
    Y[70] = 1.0
    assert all(found(Y[:n]) == () for n in range(12, 101))


def test_one_value_far_from_all_others_does_not_hide_a_season():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        Y = rows(200, 12, seed=seed)
        Y[rng.integers(200)] = 1e9
        assert found(Y) == (12,)


def test_an_outlier_before_a_gap_is_one_value():
    Y = rows(200, 12)
    Y[90], Y[91:95] = 1e9, np.nan
    assert found(Y) == (12,)


def test_a_value_that_is_large_once_a_season_is_found():
    bill = np.where(np.arange(150) % 30 == 3, 20.0, 0.0)[:, None]
    assert found(bill) == (30,)
    assert found(bill + 0.1 * np.random.default_rng(0).normal(size=(150, 1))) == (30,)
