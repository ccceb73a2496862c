"""One table of measures: what is computed is in it, and what shows measures looks there."""

import io

import numpy as np
import pytest
from made import made, made_values
from rich.console import Console

from mooe.cli.terminal_tables import final_table
from mooe.evaluate import metrics
from mooe.evaluate.learners import Majority, NoChange
from mooe.evaluate.loop import prequential
from mooe.evaluate.measures import (
    MEASURES,
    TRIVIAL,
    Measure,
    headline_measure,
    main_measure,
    measure_of,
    rare_measures,
    shown_measures,
    table_measures,
    trivial_models,
    unit_of,
)
from mooe.plots import plot_windowed_results
from mooe.report import write_report
from mooe.run.registry import make_learner
from mooe.streams.stream import Stream


def stream(task="classification", n=400):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    y = X[:, 0] if task == "regression" else (X[:, 0] > 0).astype(int)
    return Stream("made", X, y, task=task)


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_what_is_computed_is_in_the_table_and_nothing_else(task):
    results = prequential(make_learner("mooe", task), stream(task))
    known = {m.key for m in MEASURES.values() if m.task == task and not m.of_rare_class}
    assert set(results.cumulative) == known - {"cost"}, "which only costs make"
    assert [measure.key for measure in MEASURES.values()] == list(MEASURES)


def test_the_first_column_of_a_table_is_what_models_are_compared_by():
    assert main_measure("classification").key == "accuracy"
    assert main_measure("regression").key == "mae"
    assert [m.name for m in table_measures("classification")] == [
        "accuracy", "kappa", "kappa-M", "kappa-T", "macro F1", "log-loss",
    ]  # fmt: skip
    assert [m.name for m in table_measures("regression")] == ["MAE", "median error", "RMSE", "R2"]


def test_shares_are_percent_kappas_have_three_decimals_and_errors_four_digits():
    for measure in MEASURES.values():
        text = measure.text(0.73649)
        if measure.unit == "%":
            assert text == "73.65 %"
            assert measure.difference_unit == "points"
        else:
            digits = dict.fromkeys(("mae", "median_error", "rmse", "cost"), "0.7365")
            alarms = "0.74" if measure.key.startswith("alarms") else "0.736"
            assert text == digits.get(measure.key, alarms)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.000"),
        (9.9996, "10.00"),
        (0.0001, "0.0001000"),
        (1e-7, "1.000e-07"),
        (-1234.5, "-1,234"),
        (1e12, "1.000e+12"),
        (123456789.0, "123,456,789"),
        (float("inf"), "inf"),
    ],
)
def test_an_error_has_four_significant_digits(value, text):
    assert MEASURES["mae"].number(value, "-") == text


def test_a_difference_has_the_decimals_of_what_it_is_a_difference_of():
    mae = MEASURES["mae"]
    assert mae.number(0.10644) == "0.1064"
    assert mae.signed(mae.gain(0.10644, 0.1059), like=0.10644) == "−0.0005"
    assert MEASURES["f1"].signed(0.01, like=0.5) == "+1.00"


def test_a_terminal_gets_a_plain_minus_and_a_page_a_true_one():
    assert MEASURES["kappa"].number(-0.25) == "−0.250"
    assert MEASURES["kappa"].plain_text(-0.25) == "-0.250"
    assert MEASURES["kappa"].number(-0.0001) == "0.000"


def test_gains_and_bests_know_which_way_is_better():
    assert MEASURES["accuracy"].gain(0.75, 0.5) == 0.25
    assert MEASURES["mae"].gain(0.75, 0.5) == -0.25
    assert MEASURES["accuracy"].best([0.1, np.nan, 0.3]) == 0.3
    assert MEASURES["mae"].best([0.1, np.nan, 0.3]) == 0.1
    assert np.isnan(MEASURES["mae"].best([]))


def test_a_measure_that_is_not_there_is_refused_with_those_that_are():
    with pytest.raises(ValueError, match="measure must be one of mae, rmse, r2, got 'accuracy'"):
        measure_of([made_values()], "accuracy")
    assert measure_of([made()], "f1").name == "macro F1"
    assert measure_of([made_values()]).key == "mae"


def test_a_trivial_model_is_called_by_what_it_does():
    assert trivial_models("classification") == ("no-change", "majority") == TRIVIAL
    assert trivial_models("regression") == ("no-change", "mean")


def test_shares_of_classes_say_which_average_they_are():
    names = [MEASURES[key].name for key in ("precision", "recall", "f1")]
    assert names == ["macro precision", "macro recall", "macro F1"]


def test_errors_are_written_in_the_unit_of_the_label_where_it_is_known():
    results = made_values()
    assert measure_of([results]).heading == "MAE (unit of the label)"
    results.unit = "kWh"
    mae = measure_of([results])
    assert (mae.heading, mae.text(0.5), mae.difference_unit) == ("MAE (kWh)", "0.5000 kWh", "kWh")
    assert [m.heading for m in table_measures("regression", "kWh")] == [
        "MAE (kWh)", "median error (kWh)", "RMSE (kWh)", "R2",
    ]  # fmt: skip


def test_errors_of_labels_in_per_cent_are_no_shares():
    mae = MEASURES["mae"].in_unit("%")
    assert (mae.text(0.25), mae.scale, mae.difference_unit) == ("0.2500 %", 1.0, "points")
    assert (MEASURES["accuracy"].text(0.25), MEASURES["accuracy"].scale) == ("25.00 %", 100.0)


@pytest.mark.parametrize(
    ("label", "unit"),
    [
        ("temperature [°C]", "°C"),
        ("load (MW) ", "MW"),
        ("price", ""),
        ("rain (mm) today", ""),
        ("a (very long remark on it)", ""),
        ("", ""),
    ],
)
def test_the_unit_is_what_the_name_of_the_label_ends_with_in_brackets(label, unit):
    assert unit_of(label) == unit


def test_alarms_by_day_take_the_place_of_those_by_rows_and_none_is_the_best():
    results = made()
    assert rare_measures([results]) == []
    results.cumulative |= {"average_precision": 0.5, "alarms_per_1000_rows": 2.0}
    assert [m.key for m in rare_measures([results])] == [
        "average_precision", "alarms_per_1000_rows",
    ]  # fmt: skip
    results.cumulative["alarms_per_day"] = 7.0
    assert [m.key for m in rare_measures([results])] == ["average_precision", "alarms_per_day"]
    assert not MEASURES["alarms_per_day"].is_judged


@pytest.mark.parametrize("model", TRIVIAL)
def test_the_accuracy_of_a_trivial_model_is_one_however_it_is_had(model):
    """By running it, and from the kappa of another model of which it is the reference."""
    learner = {"no-change": NoChange, "majority": Majority}[model]()
    run = prequential(learner, stream())
    other = prequential(make_learner("mooe"), stream())
    kappa = next(measure.key for measure in MEASURES.values() if measure.reference == model)
    assert run.cumulative[kappa] == 0.0
    accuracy = metrics.reference_accuracy(other.cumulative, model)
    assert accuracy == pytest.approx(run.cumulative["accuracy"], abs=1e-12)


def printed(table):
    console = Console(width=120, file=io.StringIO())
    console.print(table)
    return console.file.getvalue()


@pytest.fixture
def error_rate(monkeypatch):
    """A new measure: a formula in metrics and a line in the table, nothing else."""
    real = metrics.ClassJudge.measures

    def measures(self, counts):
        return [{**m, "error_rate": 1.0 - m["accuracy"]} if m else m for m in real(self, counts)]

    monkeypatch.setattr(metrics.ClassJudge, "measures", measures)
    new = Measure("error_rate", "error rate", unit="%", decimals=1, higher_is_better=False)
    monkeypatch.setitem(MEASURES, "error_rate", new)


def test_a_new_measure_is_shown_everywhere_by_a_line_in_the_table(error_rate, tmp_path):
    results = prequential(make_learner("mooe"), stream(), model="mooe")
    value = 100 * (1.0 - results.cumulative["accuracy"])
    table = printed(final_table([results], 120))
    assert "error rate" in table
    assert f"{value:.1f} %" in table
    assert results.summary()["error_rate"] == pytest.approx(value / 100)
    page = write_report(tmp_path, [results]).read_text()
    assert "error rate (%)" in page
    assert f">{value:.1f}</data>" in page
    assert "error rate (%)" in (tmp_path / "table.md").read_text()
    _, ax = plot_windowed_results(results, measure="error_rate")
    assert ax.get_ylabel() == "error rate (%)"


def test_costs_come_first_where_a_model_has_them():
    plain, priced = (prequential(make_learner("mooe"), stream("classification")) for _ in range(2))
    priced.cumulative["cost"] = 12.0
    assert headline_measure(plain).key == "accuracy"
    assert headline_measure(priced).key == "cost"
    assert shown_measures([plain]) == table_measures("classification")
    assert [m.key for m in shown_measures([plain, priced])][:2] == ["cost", "accuracy"]
    assert not MEASURES["cost"].higher_is_better
