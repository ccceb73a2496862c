"""Forecasts drawn: the numbers are those of the results, in both themes and sizes."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from forecast.results import made_series, many_series, one_series, results_of, seven_channels
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from mooe.forecast.grid import Grid
from mooe.plots import PHONE, plot_coverage, plot_errors, plot_forecast, plot_weights
from mooe.plots.forecast import coverage_windows, expert_shares, panels_of

ALL = (plot_forecast, plot_errors, plot_coverage, plot_weights)


@pytest.fixture(autouse=True)
def agg():
    with mpl.rc_context():
        plt.switch_backend("agg")
        yield
        plt.close("all")


@pytest.mark.parametrize("plot", ALL)
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("made", [one_series, seven_channels, many_series])
def test_every_figure_is_drawn_in_both_themes_and_on_a_phone(plot, theme, made):
    before = dict(mpl.rcParams)
    for width in (7.2, PHONE):
        figure = Figure(figsize=(width, width))
        FigureCanvasAgg(figure)
        plot(made(), theme=theme, figure=figure)
        figure.draw_without_rendering()
        assert figure.get_figwidth() == pytest.approx(width)
    assert dict(mpl.rcParams) == before


def test_the_forecast_is_drawn_behind_the_last_value():
    _, ax = plot_forecast(one_series())
    one = one_series().results[0]
    line = ax.lines[2]
    np.testing.assert_allclose(line.get_ydata()[1:], one.forecast.mean[:, 0])
    assert line.get_ydata()[0] == one.series.values[-1, 0]
    assert line.get_xdata()[1] == one.series.grid.times(400)
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), one.series.values[-60:, 0])


def test_errors_are_those_of_all_three():
    _, ax = plot_errors(one_series())
    scores = one_series().scores()
    for line, name in zip(ax.lines, ("mooe", "last_value", "seasonal_naive"), strict=False):
        wanted = [scores[name].at(h)["mase"] for h in range(1, 13)]
        np.testing.assert_allclose(line.get_ydata(), wanted)


def test_windows_of_coverage_add_up():
    places, shares = coverage_windows(one_series(), 80, 1)
    hits = next(h for h in one_series().results[0].hits if (h.level, h.h) == (80, 1))
    n = len(hits.rows) // len(places) if len(places) else 0
    assert len(places) == len(shares) >= 5
    assert shares[0] == pytest.approx(hits.shares[: max(n, 25)].mean(), abs=0.05)
    assert (np.diff(places) > 0).all()


def test_weights_of_experts_sum_to_one():
    shares, spans = expert_shares(seven_channels())
    np.testing.assert_allclose(np.sum(list(shares.values()), axis=0), 1.0)
    assert spans[0] == (1, 1)
    assert spans[-1][1] == 12


def test_of_many_the_first_are_drawn():
    assert [panel.title for panel in panels_of(many_series())] == [f"s{k}" for k in range(6)]
    assert len(panels_of(seven_channels())) == 6


@pytest.mark.parametrize(
    "grid", [Grid(), Grid("number", 1950.0, 1.0), Grid("months"), Grid("weekdays", 4 * 86_400.0)]
)
@pytest.mark.parametrize("n", [1, 2, 60])
def test_any_grid_and_length_is_drawn(grid, n):
    made = results_of(made_series(n, grid=grid), horizon=5)
    for plot in ALL:
        figure, _ = plot(made)
        figure.draw_without_rendering()


def test_without_bands_there_is_still_a_forecast():
    made = results_of(made_series(), levels=())
    plot_forecast(made)[0].draw_without_rendering()
