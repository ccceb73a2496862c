"""Sizes of errors: their median, and the few that are far from all others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mooe.evaluate.error_sizes import MOST_KEPT, N_LEVELS, ErrorSizes, least_errors, levels


def counted(truth, chosen, sizes=()):
    """Return the sizes of errors of rows that come in chunks."""
    errors = ErrorSizes()
    for some in np.split(np.arange(len(truth)), np.cumsum(sizes).astype(int)):
        errors.count(truth[some], chosen[some])
    return errors


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e12])
def test_the_median_is_right_to_a_per_cent_whatever_the_unit(unit):
    rng = np.random.default_rng(0)
    error = unit * rng.standard_cauchy(5000)
    found = counted(np.zeros(5000), error).median()
    assert found == pytest.approx(np.median(np.abs(error)), rel=0.01)


def test_the_median_of_answers_that_are_all_right_is_zero_and_of_none_not_known():
    assert counted(np.ones(9), np.ones(9)).median() == 0.0
    assert np.isnan(ErrorSizes().median())
    assert np.isnan(counted(np.full(3, np.nan), np.ones(3)).median())
    assert ErrorSizes().far(0.0, 0.0) == {}


def far(truth, chosen, sizes=()):
    error = np.abs(chosen - truth)
    return counted(truth, chosen, sizes).far(np.nansum(error), np.nansum(error**2))


def log(n=6000, n_broken=24, seed=0):
    """Return readings, of which some are 9999, answers to them, and where they are."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=n)
    chosen = truth + 0.5 * rng.normal(size=n)
    broken = np.sort(rng.choice(n, n_broken, replace=False))
    truth[broken] = 9999.0
    return truth, chosen, broken


def test_broken_readings_are_named_with_what_is_left_without_them():
    truth, chosen, broken = log()
    found = far(truth, chosen, (1, 500, 3000))
    error = np.abs(np.delete(chosen - truth, broken))
    assert found["rows"] == 24
    assert found["labels"] == [[9999.0, 24]]
    assert (found["least"], found["greatest"]) == (9999.0, 9999.0)
    assert (found["first"], found["last"]) == (broken[0], broken[-1])
    assert found["mae"] == pytest.approx(error.mean())
    assert found["rmse"] == pytest.approx(np.sqrt(np.mean(error**2)))


def test_labels_far_below_the_others_and_labels_of_many_values_are_found_too():
    truth, chosen, broken = log()
    truth[broken] = -9999.0
    assert far(truth, chosen)["labels"] == [[-9999.0, 24]]
    truth[broken] = 1000.0 + np.arange(24.0)
    found = far(truth, chosen)
    assert (found["rows"], found["least"], found["greatest"]) == (24, 1000.0, 1023.0)


def test_the_rows_after_a_broken_reading_are_not_taken_for_broken():
    truth, chosen, broken = log()
    chosen[broken + 1] += 240.0  # what a model answers that was just told 9999
    assert far(truth, chosen)["rows"] == 24


def test_labels_of_one_kind_are_not_told_apart():
    truth, chosen, broken = log()
    kept = np.delete(np.arange(len(truth)), broken)
    assert far(truth[kept], chosen[kept]) == {}
    often, answers, _ = log(n_broken=600)
    assert far(often, answers) == {}  # a tenth of the rows is no exception
    assert far(truth, np.where(truth > 9.0, truth, chosen)) == {}  # answered, and so no error
    rising = np.cumsum(np.ones(6000))
    assert far(rising, rising + 1.0) == {}


@pytest.mark.parametrize("sizes", [(), (1,) * 50, (2500,) * 20])
def test_what_is_kept_stays_small_and_does_not_depend_on_chunks(sizes):
    truth, chosen, _ = log(n=60_000, n_broken=500)
    errors = counted(truth, chosen, sizes)
    assert len(errors.sample) <= 2 * MOST_KEPT
    assert len(errors.largest) == len(errors.smallest) == MOST_KEPT
    assert far(truth, chosen, sizes) == far(truth, chosen)


@given(st.floats(1e-40, 1e40))
def test_an_error_lies_in_its_level(error):
    (level,) = levels(np.array([error]))
    assert 0 < level < N_LEVELS - 1
    low, high = least_errors(np.array([level, level + 1]))
    assert low <= error < high
    assert high / low < 1.016


def test_extreme_errors_stay_inside_the_levels():
    with np.errstate(over="ignore"):
        found = levels(np.array([0.0, 5e-324, 1e-300, 1e300]))
    assert found.tolist() == [0, 1, 1, N_LEVELS - 1]
