"""The figures show the numbers of the results, in one look, and leave matplotlib as it was."""

import subprocess
import sys
from dataclasses import replace
from itertools import combinations

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from made import (
    INTERVAL,
    N_INTERVALS,
    ROWS,
    concept,
    everyone,
    made,
    made_rare,
    made_regimes,
    made_values,
    moments,
    regimes,
    regrets,
)
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from mooe.plots import (
    PHONE,
    THEMES,
    Ranks,
    compare_ranks,
    interval_rows,
    plot_memory,
    plot_precision_recall,
    plot_ranks,
    plot_recall,
    plot_regret,
    plot_windowed_results,
)
from mooe.plots.recall_map import MOST_LINES, regime_map, weight_map
from mooe.plots.style import LABEL_GAP, spread, strokes

SCORES = {f"s{k}": {"a": 0.9 + k / 100, "b": 0.8 + k / 90, "c": 0.7 - k / 80} for k in range(8)}


@pytest.fixture(autouse=True)
def agg():
    """Figures that no window shows, closed afterwards."""
    with mpl.rc_context():
        plt.switch_backend("agg")
        yield
        plt.close("all")


def figures(**kwargs):
    mooe, ogd, *_ = everyone()
    yield plot_windowed_results(*everyone(), marks=[200, 400], **kwargs)
    yield plot_recall(mooe, marks=[200, 400], **kwargs)
    yield plot_regret(mooe, **kwargs)
    yield plot_memory(mooe, ogd, **kwargs)
    yield plot_ranks(SCORES, **kwargs)
    yield plot_precision_recall(made_rare(), made_rare("no-change", 0.01), **kwargs)


def texts(figure):
    return [text.get_text() for text in figure.findobj(mpl.text.Text) if text.get_text()]


@pytest.mark.parametrize("theme", THEMES)
def test_every_figure_is_drawn_in_its_theme_and_returned_with_its_axes(theme):
    for figure, ax in figures(theme=theme):
        figure.canvas.draw()
        assert ax in figure.axes
        assert figure.get_facecolor()[:3] == to_rgb(THEMES[theme].paper)


def test_global_settings_are_left_alone_and_not_looked_at():
    plain = [texts(figure) for figure, _ in figures()]
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "red", "axes.grid": True}):
        before = dict(mpl.rcParams)
        again = [(texts(figure), ax.get_facecolor()) for figure, ax in figures()]
        assert dict(mpl.rcParams) == before
    assert [found for found, _ in again] == plain
    assert {colour[:3] for _, colour in again} == {(1.0, 1.0, 1.0)}


def test_a_figure_that_is_given_is_drawn_on_and_pyplot_knows_of_none():
    mine = Figure()
    figure, _ = plot_windowed_results(made(), figure=mine)
    assert figure is mine
    assert plt.get_fignums() == []


def test_an_unknown_theme_is_refused_by_name():
    with pytest.raises(ValueError, match="theme must be one of light, dark, got 'blue'"):
        plot_windowed_results(made(), theme="blue")


def test_importing_the_figures_starts_no_window():
    code = "import mooe.plots, matplotlib.pyplot as plt; print(plt.get_fignums())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_windows_are_drawn_at_their_rows_in_percent():
    one = made()
    _, ax = plot_windowed_results(one)
    line = ax.get_lines()[0]
    assert line.get_xdata().tolist() == [window["row"] for window in one.windows]
    np.testing.assert_allclose(line.get_ydata(), [100 * w["accuracy"] for w in one.windows])
    assert ax.get_xlabel() == "rows of the stream"
    assert ax.get_ylabel() == "accuracy (%)"


def test_a_short_last_window_is_left_out_and_one_alone_is_drawn():
    one, other = made(), made("ogd", 0.7)
    for run in (one, other):
        run.windows[-1]["row"] -= 1
    _, ax = plot_windowed_results(one)
    assert ax.get_lines()[0].get_xdata().tolist() == [w["row"] for w in one.windows[:-1]]
    _, ax = plot_memory(one, other)
    assert ax.get_xlim() == (0, ROWS)
    one.windows = one.windows[-1:]
    _, ax = plot_windowed_results(one)
    assert ax.get_lines()[0].get_xdata().tolist() == [ROWS - 1]


def test_a_few_errors_far_above_the_others_do_not_swamp_the_picture():
    one, other = made_values(), made_values("mean", 2.0)
    one.windows[3]["mae"], other.windows[3]["mae"] = 240.0, 250.0
    figure, ax = plot_windowed_results(one, other)
    figure.canvas.draw()
    assert ax.get_ylim()[1] < 5.0
    assert "each point: the last 100 rows; ▲ 2 up to 250.0" in texts(figure)
    marks = [line for line in ax.get_lines() if line.get_marker() == 10]
    assert [line.get_xdata().tolist() for line in marks] == [[400.0], [400.0]]
    _, ax = plot_memory(one, other)
    assert max(map(abs, ax.get_ylim())) < 10.0
    figure, ax = plot_windowed_results(
        made_values(), made_values("no-change", 0.7), bad := made_values("mean", 9.0)
    )
    assert ax.get_ylim()[1] < 2.0
    where = f"mean is beyond the axis: {bad.windows[0]['mae'] + 0.01:.3f}"
    assert f"each point: the last 100 rows; {where}" in texts(figure)
    _, ax = plot_windowed_results(made_values(), made_values("mean", 2.0))
    assert ax.get_ylim()[1] > 2.0
    assert not [line for line in ax.get_lines() if line.get_marker() == 10]


def test_precision_and_recall_are_drawn_with_what_was_answered():
    run, naive = made_rare(), made_rare("no-change", 0.01)
    figure, ax = plot_precision_recall(run, naive)
    curve, answered, *_ = ax.get_lines()
    recall, precision, _ = zip(*run.rare["curve"], strict=True)
    np.testing.assert_allclose(curve.get_xdata(), [0, *(100 * r for r in recall)])
    np.testing.assert_allclose(curve.get_ydata()[1:], [100 * p for p in precision])
    assert (answered.get_xdata(), answered.get_ydata()) == ([60.0], [75.0])
    said = texts(figure)
    assert "mooe: average precision 0.600" in said
    assert "no-change: average precision 0.010" in said
    assert "guessing: 1 %" in said
    figure.draw_without_rendering()
    (legend,) = figure.legends
    assert legend.get_window_extent().y1 < ax.get_window_extent().y0, "over no curve"
    with pytest.raises(ValueError, match="at least one with a rare class, got none"):
        plot_precision_recall(made())


def test_every_line_has_its_name_at_its_end_and_no_two_names_overlap():
    results = [made(f"model {k}", 0.8 + k / 1000) for k in range(6)]
    figure, ax = plot_windowed_results(*results)
    figure.canvas.draw()
    boxes = {t.get_text(): t.get_window_extent() for t in ax.texts}
    assert set(boxes) == {one.model for one in results}
    assert ax.get_legend() is None
    for a, b in combinations(boxes.values(), 2):
        assert not a.overlaps(b)


def test_more_names_than_fit_become_a_legend():
    _, ax = plot_windowed_results(*(made(f"model {k}") for k in range(20)))
    assert len(ax.get_legend().get_texts()) == 20


def test_names_with_dollars_are_shown_as_they_are():
    figure, ax = plot_windowed_results(made("$a$ _b_ \\frac"))
    figure.canvas.draw()
    assert [t.get_text() for t in ax.texts] == ["$a$ _b_ \\frac"]


def test_a_window_without_labels_is_a_gap():
    one = made()
    one.windows[3] = {"row": one.windows[3]["row"]}
    _, ax = plot_windowed_results(one)
    assert np.isnan(ax.get_lines()[0].get_ydata()).tolist() == [k == 3 for k in range(10)]


def test_lines_differ_without_colour():
    drawn = strokes(THEMES["light"], ["mooe", "ogd", "ader", "dtel", "no-change", "majority"])
    assert len({str((one["linestyle"], one.get("marker"))) for one in drawn}) == len(drawn)


def test_regression_is_drawn_by_its_mean_absolute_error():
    _, ax = plot_windowed_results(made_values())
    assert ax.get_ylabel() == "MAE (unit of the label)"


def test_no_results_make_no_figure():
    with pytest.raises(ValueError, match="results must hold at least one"):
        plot_windowed_results()


def test_labels_are_pushed_apart_and_stay_inside():
    places = spread(np.array([-0.2, 0.0, 0.5, 0.5, 0.51, 1.3]))
    assert (np.diff(places) >= LABEL_GAP - 1e-12).all()
    assert places[0] >= 0.0
    assert places[-1] <= 1.0 + 1e-12
    np.testing.assert_allclose(spread(np.array([0.1, 0.9])), [0.1, 0.9])


def test_rows_of_intervals_are_found_from_the_moments_also_from_a_few_of_them():
    expected = {g: (50 * g, 50 * g + 49) for g in range(N_INTERVALS - 1)}
    whole = made(moments=moments())
    assert interval_rows(whole) == expected
    thinned = replace(whole, moments=whole.moments[1::2])
    assert interval_rows(thinned) == expected
    assert interval_rows(made()) == {}


def test_the_map_begins_with_the_rows_that_a_resumed_model_brings_along():
    shifted = [
        replace(
            m,
            names=tuple(g + 7 for g in m.names),
            spans=tuple((a - 150, b - 150) for a, b in m.spans),
        )
        for m in moments()
    ]
    weights, borders, _ = weight_map(made(moments=shifted))
    assert len(weights) == N_INTERVALS - 1
    assert borders[[0, 3, -1]].tolist() == [-150.0, 0.0, ROWS - 200.0]
    figure, ax = plot_recall(made(moments=shifted))
    figure.canvas.draw()
    assert ax.get_ylim() == (-150.0, ROWS - 200.0)


def names_of_lines(results):
    figure, ax = plot_recall(results)
    figure.canvas.draw()
    return [tick.get_text() for tick in ax.get_yticklabels()]


def test_a_regime_is_a_line_coloured_by_the_memory_where_it_is_in_charge():
    one = made_regimes()
    weights, borders, places = regime_map(one)
    assert borders.tolist() == [0.0, 1.0, 2.0]
    for first, stop, moment in zip([0, *places[1:-1]], places[1:], one.moments, strict=True):
        own, other = (0, 1) if first // 200 % 2 == 0 else (1, 0)
        column = places.tolist().index(first)
        assert stop == moment.row + 1
        assert weights[own, column] == 1.0 - moment.weights[-1]
        assert np.isnan(weights[other, column])
    assert names_of_lines(one) == ["regime 1", "regime 2"]


def test_borders_of_visits_need_not_be_those_of_moments():
    first, second = regimes()
    first["visits"], second["visits"] = [[0, 209], [413, 599]], [[210, 412]]
    weights, borders, places = regime_map(made_regimes(concepts=[first, second]))
    assert {210, 413, 600} <= set(places.tolist())
    for line, inside in enumerate((lambda a: a < 210 or 413 <= a < 600, lambda a: 210 <= a < 413)):
        assert [not np.isnan(w) for w in weights[line]] == [inside(a) for a in places[:-1]]
    rest = [a >= 600 for a in places[:-1]]
    assert [not np.isnan(weight) for weight in weights[2]] == rest
    assert borders[-1] - borders[-2] < 0.5


def test_what_has_no_name_shares_a_line_and_nothing_is_drawn_before_there_is_a_concept():
    concepts = regimes()[1:]
    weights, _, places = regime_map(made_regimes(concepts=concepts))
    assert np.isnan(weights[:, 0]).all()  # nothing is remembered in the first rows
    assert not np.isnan(weights[1, places[:-1] == 50]).any()
    assert names_of_lines(made_regimes(concepts=concepts)) == ["regime 2", "others"]
    assert names_of_lines(made_regimes(concepts=[])) == ["others"]


def test_rows_after_the_last_label_are_in_nobodys_charge():
    one, two = regimes()
    one["visits"][-1][1] = one["last"] = 899
    weights, _, places = regime_map(made_regimes(concepts=[one, two]))
    assert len(weights) == 2
    assert np.isnan(weights[:, places[:-1] >= 900]).all()
    one["in_charge"] = False
    weights, _, places = regime_map(made_regimes(concepts=[one, two]))
    assert not np.isnan(weights[2, places[:-1] >= 900]).any()


def test_visits_from_before_the_stream_are_not_in_the_map():
    (one, two) = regimes()
    one["visits"] = [[-300, -101], [-50, 199], *one["visits"][1:]]
    weights, _, places = regime_map(made_regimes(concepts=[one, two]))
    expected, _, same = regime_map(made_regimes())
    assert places.tolist() == same.tolist()
    np.testing.assert_array_equal(weights, expected)


def test_moments_and_spans_that_share_a_row_are_drawn():
    """Labels that come after the stream, out of order."""
    late = [
        replace(m, row=min(m.row, 700), spans=tuple((0, b % 700) for _, b in m.spans))
        for m in moments()
    ]
    figure, _ = plot_recall(made(moments=late))
    figure.canvas.draw()


def test_results_without_a_single_measure_are_drawn_as_empty_axes():
    figure, ax = plot_windowed_results(replace(made(), cumulative={}, windows=[{"row": ROWS}]))
    figure.canvas.draw()
    assert [t.get_text() for t in ax.texts] == []


def test_the_recall_map_holds_every_weight_and_is_blank_before_birth():
    one = made(moments=moments())
    weights, borders, _ = weight_map(one)
    assert weights.shape == (N_INTERVALS - 1, N_INTERVALS)
    assert borders.tolist() == [50.0 * g for g in range(N_INTERVALS)]
    for column, moment in enumerate(one.moments):
        assert weights[: len(moment.names), column].tolist() == list(moment.weights[:-1])
        assert np.isnan(weights[len(moment.names) :, column]).all()


def test_a_returning_concept_lights_up_in_the_map():
    _, ax = plot_recall(made(moments=moments()))
    mesh = ax.collections[0]
    shown = mesh.norm(mesh.get_array())  # log scale, 0 to 1
    for now in range(8, N_INTERVALS):
        own = [g for g in range(now) if concept(g) == concept(now)]
        other = [g for g in range(now) if concept(g) != concept(now)]
        assert shown[own, now].min() > shown[other, now].max() + 0.2


def test_many_intervals_share_lines_and_no_weight_is_lost():
    one = made(moments=moments(n=500, interval=2))
    weights, borders, _ = weight_map(one)
    assert len(weights) <= MOST_LINES
    assert len(borders) == len(weights) + 1
    assert borders[-1] == 2 * 499
    offline = [1.0 - moment.weights[-1] for moment in one.moments]
    np.testing.assert_allclose(np.nansum(weights, axis=0), offline, atol=1e-12)


def test_the_online_expert_has_a_strip_of_its_own():
    one = made(moments=moments())
    figure, _ = plot_recall(one)
    line = figure.axes[0].get_lines()[0]
    expected = [100 * moment.weights[-1] for moment in one.moments]
    np.testing.assert_allclose(line.get_ydata()[1:], expected)
    assert line.get_xdata()[-1] == ROWS


def test_a_run_that_was_not_watched_has_no_map():
    with pytest.raises(ValueError, match=r"results must have moments .*, got none"):
        plot_recall(made())


@pytest.mark.parametrize("bound", [4.0, 400.0])
def test_regrets_are_drawn_with_their_bound_near_or_far(bound):
    one = made(regrets=regrets(bound))
    figure, _ = plot_regret(one)
    assert len(figure.axes) == (1 if bound < 10 else 2)
    lines = {line.get_label(): line for axes in figure.axes for line in axes.get_lines()}
    for label, key in (("mixture", "mixture"), ("online expert", "online"), ("bound", "bound")):
        assert lines[label].get_ydata().tolist() == [r[key] for r in one.regrets]
    assert lines["bound"].get_xdata()[0] == 2  # the second interval
    names = {text.get_text() for axes in figure.axes for text in axes.texts}
    assert {"mixture", "online expert", "bound"} <= names  # beside the axes
    worst = max(r["mixture"] / r["bound"] for r in one.regrets)
    assert f"at most {100 * worst:.0f} % of its bound" in figure.axes[0].get_title(loc="left")


def test_a_regret_above_its_bound_is_said():
    figure, _ = plot_regret(made(regrets=regrets(bound=0.5)))
    assert "above its bound in" in figure.axes[0].get_title(loc="left")
    with pytest.raises(ValueError, match="results must have regrets"):
        plot_regret(made())


def test_memory_shows_the_difference_and_the_overall_figures():
    _, ax = plot_memory(made(accuracy=0.82), made("ogd", 0.7))
    assert ax.get_title(loc="left") == (
        "accuracy 82.00 % with memory, 70.00 % without: gain +12.00 points"
    )
    heights = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert heights.max() == pytest.approx(12.0)


def test_memory_in_regression_gains_where_the_error_is_smaller():
    _, ax = plot_memory(made_values(mae=0.4), made_values("ogd", 0.5))
    assert "gain +0.1000" in ax.get_title(loc="left")
    assert ax.collections[0].get_paths()[0].vertices[:, 1].max() == pytest.approx(0.1)


def test_memory_needs_the_same_windows():
    with pytest.raises(ValueError, match="without must have the windows of with_memory"):
        plot_memory(made(), replace(made("ogd"), windows=[]))


def test_the_diagram_names_every_model_with_its_rank_and_joins_groups():
    ranks = Ranks(("x", "y", "z"), np.array([1.2, 1.9, 2.9]), np.ones((3, 3)), ((0, 1),), 9)
    _, ax = plot_ranks(ranks)
    assert {t.get_text() for t in ax.texts} == {"x  1.20", "y  1.90", "z  2.90"}
    bars = [line for line in ax.get_lines() if line.get_linewidth() == 4]
    assert len(bars) == 1
    left, right = bars[0].get_xdata()
    assert left <= 1.2
    assert right >= 1.9
    assert ax.get_xlabel() == "mean rank over 9 streams (1 is best)"


def test_numbers_on_axes_have_thousands_separators():
    one = replace(made(), rows=1_000_000)
    for k, window in enumerate(one.windows):
        window["row"] = 100_000 * (k + 1)
    figure, ax = plot_windowed_results(one)
    figure.canvas.draw()
    assert "1,000,000" in [label.get_text() for label in ax.get_xticklabels()]
    assert INTERVAL * N_INTERVALS == ROWS


@pytest.mark.parametrize("dated", [False, True])
def test_a_narrow_figure_stays_narrow_and_its_letters_stay_inside(dated):
    times = [(row, 1.6e9 + 43_200.0 * row) for row in range(ROWS)] if dated else []
    results = [replace(run, times=times) for run in everyone()]
    regimes = replace(made_regimes(), times=times)
    ranks = compare_ranks({s: {"a": 1.0, "b": 2.0, "a long name": 0.5} for s in "xyz"})
    for plot, *args in (
        (plot_windowed_results, *results),
        (plot_memory, *results[:2]),
        (plot_recall, results[0]),
        (plot_recall, regimes),
        (plot_regret, results[0]),
        (plot_ranks, ranks),
    ):
        figure = Figure(figsize=(PHONE, PHONE))
        plot(*args, figure=figure)
        FigureCanvasAgg(figure).draw()
        width, height = figure.get_size_inches()
        assert width == PHONE
        drawn = figure.get_tightbbox()
        assert min(drawn.x0, drawn.y0) >= -0.02, plot.__name__
        assert drawn.x1 <= width + 0.02, plot.__name__
        assert drawn.y1 <= height + 0.02, plot.__name__


def test_dates_stand_along_the_axis_where_their_rows_are():
    times = [(row, 1_640_995_200.0 + 86_400.0 * row) for row in range(ROWS)]  # from 2022 on
    results = replace(made_regimes(), times=times)
    for plot in (plot_recall, plot_windowed_results):
        _, ax = plot(results, figure=Figure())
        labels = dict(
            zip([t.get_text() for t in ax.get_xticklabels()], ax.get_xticks(), strict=True)
        )
        assert ax.get_xlabel() == ""
        assert any(label.endswith("\n2022") for label in labels)
        (new_year,) = [row for label, row in labels.items() if label == "Jan\n2023"]
        assert new_year == 365
