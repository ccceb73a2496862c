"""Sizes of errors: their median, and the few that are far from all others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mooe.evaluate.error_sizes import MOST_KEPT, N_LEVELS, ErrorSizes, level_edges, levels


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
    assert ErrorSizes().far() == {}


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
    far = counted(truth, chosen, (1, 500, 3000)).far()
    error = np.abs(np.delete(chosen - truth, broken))
    assert far["rows"] == 24
    assert far["labels"] == [[9999.0, 24]]
    assert (far["first"], far["last"]) == (broken[0], broken[-1])
    assert far["mae"] == pytest.approx(error.mean())
    assert far["rmse"] == pytest.approx(np.sqrt(np.mean(error**2)))
    assert error.max() < far["beyond"] < 9000.0


def test_errors_of_one_kind_are_not_told_apart():
    truth, chosen, broken = log()
    kept = np.delete(np.arange(len(truth)), broken)
    assert counted(truth[kept], chosen[kept]).far() == {}
    often, answers, _ = log(n_broken=600)
    assert counted(often, answers).far() == {}  # a tenth of the rows is no exception


def test_more_far_errors_than_are_kept_are_still_counted():
    truth, chosen, _ = log(n=400_000, n_broken=2 * MOST_KEPT)
    far = counted(truth, chosen).far()
    assert far["rows"] == 2 * MOST_KEPT
    assert far["labels"] == [[9999.0, MOST_KEPT]]


@given(st.floats(1e-40, 1e40))
def test_an_error_lies_in_its_level(error):
    (level,) = levels(np.array([error]))
    assert 0 < level < N_LEVELS - 1
    low, high = level_edges(np.array([level, level + 1]))
    assert low <= error < high
    assert high / low < 1.016


def test_extreme_errors_stay_inside_the_levels():
    with np.errstate(over="ignore"):
        found = levels(np.array([0.0, 5e-324, 1e-300, 1e300]))
    assert found.tolist() == [0, 1, 1, N_LEVELS - 1]
