"""How well a season fits: against least squares of whole tables of columns."""

import numpy as np
import pytest

from mooe.forecast.season_fit import USED, WIDTH, residuals


def evidence(n, n_channels, seed=0):
    """Return columns and their products, those of the rows before alike as in a series."""
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(n, n_channels, WIDTH))
    columns[:, :, 2:] += 0.9 * columns[:, :, 1:2]
    return columns, np.einsum("ncj,nck->cjk", columns, columns)


def waves_of(season, n, numbers):
    turns = 2.0 * np.pi * np.arange(n)[:, None] / season * np.arange(1, numbers + 1)
    return np.hstack([np.sin(turns), np.cos(turns)])


def phases_of(season, n):
    return (np.arange(n)[:, None] % season == np.arange(season)).astype(float)


def left_of(y, *tables):
    """Return the squares of y that columns leave."""
    table = np.hstack(tables)
    return float(((y - table @ np.linalg.lstsq(table, y, rcond=None)[0]) ** 2).sum())


@pytest.mark.parametrize(
    ("n", "season", "known"),
    [(100, 24, 1), (60, 7, 1), (100, 30, 6), (100, 7, 3), (25, 12, 1), (40, 365, 7), (40, 5, 60)],
)
def test_all_that_is_left_is_what_least_squares_leave(n, season, known):
    columns, products = evidence(n, n_channels=3)
    waves = waves_of(season, n, numbers=2)
    period = min(int(np.lcm(season, known)), n)
    found = residuals(columns, products, waves[:period], season, known)
    for used, row in zip(USED, found, strict=True):
        expected = np.zeros(4)
        for y, before in zip(columns[:, :, 0].T, np.swapaxes(columns[:, :, 1:], 0, 1), strict=True):
            plain = phases_of(known, n)
            expected += [
                left_of(y, plain, before[:, : used - 1]),
                left_of(y, phases_of(season, n), before[:, : used - 1]),
                left_of(y, plain, before[:, :used]),
                left_of(y, plain, before[:, :used], waves),
            ]
        assert row == pytest.approx(expected, rel=1e-5, abs=1e-6)


def test_columns_that_are_alike_or_nothing_tell_nothing_more():
    columns, _ = evidence(50, n_channels=1)
    columns[:, :, 2] = columns[:, :, 1]
    columns[:, :, 3] = 0.0
    products = np.einsum("ncj,nck->cjk", columns, columns)
    waves = waves_of(7, 7, numbers=2)
    found = residuals(columns, products, np.hstack([waves, waves]), 7, 1)
    assert np.isfinite(found).all()
    assert found[1] == pytest.approx(found[0], rel=0.05)
    assert found[:, 3] == pytest.approx(residuals(columns, products, waves, 7, 1)[:, 3], rel=1e-6)


def test_nothing_is_new_in_rows_without_a_change():
    columns = np.zeros((30, 2, WIDTH))
    products = np.zeros((2, WIDTH, WIDTH))
    assert not residuals(columns, products, waves_of(5, 5, numbers=2), 5, 1).any()


def test_what_is_given_stays_as_it_was():
    columns, products = evidence(50, n_channels=2)
    waves = waves_of(7, 7, numbers=3)
    given = [a.copy() for a in (columns, products, waves)]
    residuals(columns, products, waves, 7, 1)
    assert all(np.array_equal(a, b) for a, b in zip(given, (columns, products, waves), strict=True))
