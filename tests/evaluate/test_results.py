"""Results and their files."""

import csv
import json

import matplotlib.pyplot as plt
import numpy as np
import pytest
from made import made_rare, made_values

from mooe.evaluate.results import Moment, Results, load, origin, save


def made(**more):
    return Results(
        model="mooe",
        stream="made",
        task="classification",
        window=2,
        seed=3,
        rows=4,
        features=2,
        classes=["a", "b"],
        cumulative={"accuracy": 0.75},
        windows=[{"row": 2, "accuracy": 0.5}, {"row": 4, "accuracy": 1.0}],
        seconds=0.5,
        moments=[Moment(1, (0, 2), (0.25, 0.25, 0.5), ((0, 49), (100, 149)))],
        **more,
    )


def rows_of(path):
    return list(csv.reader(path.read_text().splitlines()))


def test_what_is_loaded_is_what_was_saved(tmp_path):
    regime = {"name": 1, "first": 0, "last": 3, "visits": [[0, 1], [3, 3]], "in_charge": True}
    results = made(origin=origin(data="abc"), remembers="regimes", concepts=[regime])
    assert load(save(results, tmp_path / "run")) == results


def test_equal_results_give_equal_files(tmp_path):
    for name in "xy":
        save(made(), tmp_path / name)
    for name in ("results.json", "windows.csv"):
        assert (tmp_path / "x" / name).read_bytes() == (tmp_path / "y" / name).read_bytes()


def test_windows_and_predictions_are_tables(tmp_path):
    save(made(predictions=np.array([None, "a", "b", "b"], dtype=object)), tmp_path)
    windows = rows_of(tmp_path / "windows.csv")
    assert windows == [["row", "accuracy"], ["2", "0.5"], ["4", "1.0"]]
    predictions = rows_of(tmp_path / "predictions.csv")
    assert predictions[1:] == [["0", ""], ["1", "a"], ["2", "b"], ["3", "b"]]


def test_numpy_labels_are_saved_as_plain_ones(tmp_path):
    results = made()
    results.classes = [np.int64(3), np.float64(0.5)]
    save(results, tmp_path)
    assert json.loads((tmp_path / "results.json").read_text())["classes"] == [3, 0.5]


def test_the_summary_has_the_names_of_the_command():
    summary = made().summary()
    assert summary["rows_per_second"] == 8.0
    assert summary["classes"] == 2
    names = "model stream rows unanswered features classes accuracy seconds rows_per_second seed"
    assert "version" in summary
    assert set(names.split()) <= set(summary)


def test_the_summary_has_accuracy_and_kappa_for_every_task():
    summary = made_values().summary()
    assert (summary["accuracy"], summary["kappa"], summary["mae"]) == (None, None, 0.5)


def test_the_summary_names_the_rare_class_the_unit_and_errors_far_labels():
    plain = made().summary()
    assert not {"rare_class", "unit", "far_labels"} & set(plain)
    assert plain["unanswered"] == 0
    rare = made_rare().summary()
    assert (rare["rare_class"], rare["unanswered"]) == ("b", 1)
    assert rare["average_precision"] == 0.6
    values = made_values(unit="kW", far={"rows": 3}).summary()
    assert (values["unit"], values["far_labels"]) == ("kW", {"rows": 3})


def test_results_say_what_they_are_in_a_line():
    assert repr(made()) == ("<Results of mooe on made, classification of 4 rows: accuracy 75.00 %>")
    assert repr(made_values(unit="kW")).endswith("regression of 1,000 rows: MAE 0.5000 kW>")
    nothing = made()
    nothing.cumulative = {}
    assert repr(nothing).endswith("nothing to judge>")


def test_results_draw_themselves_along_the_stream_or_by_precision_and_recall():
    plt.switch_backend("agg")
    run = made_values()
    run.others = [made_values("no-change", 0.9)]
    _, ax = run.plot(made_values("ogd", 0.6))
    assert {line.get_label() for line in ax.get_lines()} >= {"mooe", "ogd", "no-change"}
    _, ax = made_rare().plot(theme="dark")
    assert ax.get_xlabel().startswith("recall (%)")
    _, ax = made_rare().plot(measure="kappa")
    assert ax.get_ylabel() == "kappa"
    plt.close("all")


def test_results_report_themselves_with_their_files(tmp_path):
    run = made_rare()
    run.others = [made_rare("no-change", 0.01)]
    page = run.report(tmp_path / "report", made_rare("ogd", 0.3), title="Fraud")
    assert page == tmp_path / "report" / "index.html"
    text = page.read_text()
    assert "<h1>Fraud</h1>" in text
    assert ">ogd<" in text
    again = load(tmp_path / "report")
    assert again.rare == run.rare
    assert again.others == []


def test_a_report_into_a_file_is_refused_in_words(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(
        FileExistsError, match=r"^folder must be one that can be written, got '.*fi"
    ):
        made_rare().report(tmp_path / "file")


def test_runs_of_one_name_are_told_apart(tmp_path):
    text = made_rare().report(tmp_path, made_rare(average=0.3)).read_text()
    assert ">mooe (2)<" in text
    assert "mooe (2): average precision 0.300" in text
    _, ax = made_values().plot(made_values(), made_values())
    assert {line.get_label() for line in ax.get_lines()} >= {"mooe", "mooe (2)", "mooe (3)"}
    plt.close("all")


def test_windows_are_a_data_frame():
    frame = made().to_frame()
    assert frame["accuracy"].tolist() == [0.5, 1.0]
    assert frame["row"].tolist() == [2, 4]


def test_results_of_before_load(tmp_path):
    save(made(), tmp_path)
    path = tmp_path / "results.json"
    kept = json.loads(path.read_text())
    for name in ("unanswered", "judged", "label", "unit", "rare", "far"):
        del kept[name]
    path.write_text(json.dumps(kept))
    assert load(tmp_path) == made()


def test_the_summary_counts_the_regimes_of_a_model_that_knows_any():
    assert "regimes" not in made().summary()
    assert made(remembers="regimes").summary()["regimes"] == 0
    assert made(remembers="regimes", concepts=[{"name": 4}]).summary()["regimes"] == 1


def test_windows_as_columns_have_nan_where_a_measure_is_missing():
    results = made()
    results.windows.append({"row": 6})
    columns = results.metrics_per_window()
    assert columns["row"] == [2, 4, 6]
    assert columns["accuracy"] == pytest.approx([0.5, 1.0, np.nan], nan_ok=True)


def test_the_origin_names_versions_machine_and_data():
    assert {"mooe", "numpy", "numba", "python", "machine", "data"} <= set(origin(data="x"))
