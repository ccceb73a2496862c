"""Bands: their share is right while the world drifts, and they lie within each other."""

import numpy as np
import pytest

from forecast.test_kernel import made, run


def share(Y, quantiles, j, h, first=300):
    """Return the share of values of step h within band j of two, from a row on."""
    seen = Y[first + h :]
    lower, upper = quantiles[first:-h, j, h - 1], quantiles[first:-h, 2 + j, h - 1]
    return ((seen >= lower) & (seen <= upper)).mean()


@pytest.mark.parametrize("kind", ["calm", "storms", "skewed"])
def test_shares_are_right_overall_whatever_the_errors(kind):
    rng = np.random.default_rng(1)
    _, turns = made(6000, 1)
    size = {"calm": 1.0, "skewed": 1.0}.get(
        kind, np.repeat(rng.uniform(0.3, 5.0, 12), 500)[:, None]
    )
    noise = rng.exponential(size=(6000, 1)) if kind == "skewed" else rng.normal(size=(6000, 1))
    Y = np.sin(np.arange(6000)[:, None] * 2 * np.pi / 6) + size * noise
    _, quantiles, *_ = run(Y, turns, horizon=8)
    for h in (1, 4, 8):
        assert abs(share(Y, quantiles, 0, h) - 0.80) < 0.02
        assert abs(share(Y, quantiles, 1, h) - 0.95) < 0.02


def test_wider_levels_hold_narrower_ones():
    Y, turns = made(500, 2)
    _, quantiles, *_ = run(Y, turns, levels=(50, 80, 95))
    inner, middle, outer = (slice(j, j + 1) for j in (0, 1, 2))
    assert (quantiles[:, outer] <= quantiles[:, middle]).all()
    assert (quantiles[:, middle] <= quantiles[:, inner]).all()
    assert (quantiles[:, 0] <= quantiles[:, 3]).all()
    assert (quantiles[:, 3:5] <= quantiles[:, 4:6]).all()


def test_there_is_a_band_from_the_second_value_on():
    Y, turns = made(3, 1)
    _, quantiles, *_ = run(Y, turns)
    assert np.isfinite(quantiles).all()
    assert (quantiles[1:, 0] < quantiles[1:, 2]).all()


def test_ends_that_pass_each_other_where_values_repeat_come_back():
    rng = np.random.default_rng(0)
    steps = rng.normal(size=(6000, 1)) * (rng.random((6000, 1)) < 0.05)
    steps[3000:] = rng.normal(size=(3000, 1))
    Y = np.cumsum(steps, 0)
    _, quantiles, *_ = run(Y, made(6000, 1)[1], season=1)
    widths = quantiles[3500:, 2, 0] - quantiles[3500:, 0, 0]
    assert widths.max() < 10.0
    assert abs(share(Y, quantiles, 0, 1, first=3500) - 0.8) < 0.02
