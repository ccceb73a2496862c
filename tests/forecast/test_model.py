"""A model: seasons are looked for at fixed rows, whatever the chunks."""

import numpy as np

from forecast.test_file import HOURS, series
from mooe.forecast.cycles import seconds
from mooe.forecast.model import Rows, begin, learn
from mooe.forecast.params import Params
from mooe.forecast.seasons import LOOKS


def rows(n, with_times=True):
    at = seconds(HOURS[:n]) if with_times else np.zeros(n)
    return Rows(series(n), np.zeros((n, 0)), at)


def begun(with_times, season="auto"):
    return begin(Params(horizon=3, season=season), 2, 0, with_times, 0)


def test_chunks_of_any_size_lead_to_the_same_state():
    for with_times in (True, False):
        whole, parts = begun(with_times), begun(with_times)
        learn(whole, rows(200, with_times))
        for first in range(0, 200, 7):
            learn(parts, rows(200, with_times)[first : first + 7])
        assert np.array_equal(whole.state.block, parts.state.block)
        assert (whole.seasons, whole.cycles) == (parts.seasons, parts.cycles)


def test_times_give_the_season_after_two_rows_and_rows_when_they_show_it():
    timed, plain = begun(True), begun(False)
    learn(timed, rows(2))
    learn(plain, rows(2, with_times=False))
    assert (timed.seasons, timed.cycles, timed.step) == ((24,), (86_400.0, 604_800.0), 3600.0)
    assert (plain.seasons, plain.cycles) == ((), ())
    learn(plain, rows(200, with_times=False)[2:])
    assert plain.seasons[0] == 24
    assert plain.cycles[0] == 24.0


def test_a_season_of_quarters_is_known_within_the_third_year():
    model = begun(False)
    quarters = np.tile([1.0, 4.0, 2.0, 3.0], 3)[:11] + 0.01 * np.arange(11) ** 2
    learn(model, Rows(quarters[:, None], np.zeros((11, 0)), np.arange(11.0)))
    assert model.seasons == (4,)


def test_a_chosen_season_is_kept_and_no_rows_are():
    model = begun(False, season=7)
    learn(model, rows(100, with_times=False))
    assert model.seasons == (7,)
    assert model.past == []


def test_rows_are_kept_till_the_last_look():
    model = begun(True)
    learn(model, rows(300))
    assert sum(map(len, model.past)) == 300
    assert tuple(sorted(set(LOOKS))) == LOOKS
