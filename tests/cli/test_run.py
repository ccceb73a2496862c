"""mooe run, as its users start it."""

import csv
import gzip
import html
import json
import os
import random
import re
import signal
import subprocess
import sys
from functools import reduce
from types import SimpleNamespace

import numpy as np
import pandas
import pytest
from command import MOOE, PLAIN, found_by, inside, run, words
from made import made
from shop import as_csv, made_rows

from mooe import MOOEClassifier, PaperMOOEClassifier, modelfile
from mooe.cli.run import full_summary, regime_line
from mooe.datasets import recurring
from mooe.evaluate.results import Results
from mooe.model import Model

KEYS = [
    "model",
    "stream",
    "rows",
    "features",
    "classes",
    "accuracy",
    "kappa",
    "seconds",
    "rows_per_second",
    "seed",
    "version",
]


def test_a_run_tells_its_cells_and_rows_left_out_and_what_it_is_compared_with():
    rows = SimpleNamespace(n_missing=3, n_skipped=1)
    finished = SimpleNamespace(results=made(others=[made("no-change", 0.5)]), rows=rows)
    summary = json.loads(json.dumps(full_summary(finished), default=str))
    assert (summary["model"], summary["missing_cells"], summary["skipped_rows"]) == ("mooe", 3, 1)
    assert [other["model"] for other in summary["others"]] == ["no-change"]


def test_labels_that_their_order_tells_are_said_to_be_told_by_it(tmp_path):
    draw, table, report = random.Random(0), tmp_path / "shifts.csv", tmp_path / "report"
    shifts = ["early", "early", "late", "late", "night", "night", "off"]
    rows = [f"{draw.random():.3f},{draw.random():.3f},{shifts[i % 7]}" for i in range(1_500)]
    table.write_text("\n".join(["load,heat,shift", *rows]))
    done = run("run", table, "--label", "shift", "--report", report)
    said = "The order of the labels alone tells most of them"
    assert said in done.stdout
    assert said in (report / "index.html").read_text()
    assert json.loads((report / "results.json").read_text())["weight_of_labels"] > 0.9


def test_labels_that_nothing_tells_are_not_said_to_be_told_by_their_order(tmp_path):
    """The experts that see labels alone may have most of the weight, and be wrong."""
    table = tmp_path / "late.csv"
    rows = [f"{i},{'' if i < 70 else 'yn'[i % 2]}" for i in range(80)]
    table.write_text("\n".join(["a,y", *rows]))
    done = run("run", table, "--label", "y", "--json")
    assert json.loads(done.stdout)["accuracy"] < 0.5
    assert "weight_of_labels" not in done.stdout


def test_labels_that_inputs_tell_are_not_said_to_be_told_by_their_order(tmp_path):
    done = run("run", "recurring", "--max-rows", "4000", "--report", tmp_path)
    assert "order of the labels" not in done.stdout
    assert "order of the labels" not in (tmp_path / "index.html").read_text()


def test_a_stream_that_is_made_takes_its_parameters():
    made = ["--made", "concepts=2,6", "--made", "length=100", "--made", "n=300"]
    done = run("run", "agrawal", *made, "--model", "majority", "--json")
    assert json.loads(done.stdout)["rows"] == 300
    refused = run("run", "agrawal", "--made", "length=0")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.splitlines()[-1] == "mooe: length must be at least 1, got 0"
    assert "Invalid value for --made" in run("run", "agrawal", "--made", "length").stderr


def test_a_table_is_run_and_told(shop):
    done = run("run", shop, "--label", "bought", "--time", "when")
    assert done.returncode == 0
    assert "shop.csv: 2,500 rows, 3 features, 2 classes" in done.stdout
    rows = [line.split() for line in done.stdout.splitlines() if line]
    assert [row[0] for row in rows[-4:]] == ["mooe", "no-change", "majority", "regimes:"]
    assert "since last" in done.stderr
    assert [line.split()[0] for line in done.stderr.splitlines()[2:14]] == [
        f"{2**k:,}" for k in range(12)
    ]
    assert "cells without a value: a number is taken as the mean so far" in done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_json_is_all_that_comes_to_standard_output(shop):
    done = run("run", shop, "--label", "bought", "--drop", "when", "--json", "--seed", "3")
    one = json.loads(done.stdout)
    assert set(KEYS) <= one.keys()
    assert (one["model"], one["stream"], one["rows"]) == ("mooe", "shop.csv", 2500)
    assert (one["features"], one["classes"], one["seed"]) == (3, 2, 3)
    assert one["missing_cells"] > 0
    assert one["regimes"] >= 1
    assert [other["model"] for other in one["others"]] == ["no-change", "majority"]
    for other in one["others"]:
        assert set(KEYS) <= other.keys()
        assert one["accuracy"] > other["accuracy"]
    assert 0.5 < one["accuracy"] < 1.0
    assert "since last" not in done.stderr


def test_quiet_says_nothing_on_the_way(shop):
    done = inside("run", shop, "--label", "bought", "--drop", "when", "--missing", "mean", "-q")
    assert done.exit_code == 0
    assert "since last" not in done.stderr
    assert "regimes:" not in done.stdout


def told_of(concepts):
    return regime_line(Results("m", "s", "classification", 50, 0, concepts=concepts))


def test_the_line_on_regimes_says_where_the_stream_is():
    away = {"name": 1, "visits": [[0, 99]], "in_charge": False}
    here = {"name": 7, "visits": [[100, 199], [1200, 1400]], "in_charge": True}
    assert told_of([away, here]) == "regimes: 2 known; now in regime 7, here since row 1,200"
    assert told_of([away]) == "regimes: 1 known; now in none of them"
    assert told_of([]) == "regimes: none known yet"
    resumed = {**here, "visits": [[-40, 99]]}
    assert told_of([resumed]).endswith("now in regime 7, here since before the stream")


def test_models_without_regimes_have_no_line_and_no_number_of_them(shop):
    table = (shop, "--label", "bought", "--drop", "when", "--max-rows", "500")
    done = inside("run", *table, "--model", "mooe-paper")
    assert done.exit_code == 0
    assert "mooe-paper" in done.stdout
    assert "regimes" not in done.stdout
    assert "regimes" not in found_by(*table, "--model", "mooe-paper")


def test_standard_input_is_read(shop):
    text = shop.read_text()
    arguments = ("--label", "bought", "--drop", "when", "--json")
    piped = json.loads(run("run", "-", *arguments, text_in=text).stdout)
    named = found_by(shop, *arguments[:-1])
    timed = {"stream", "seconds", "rows_per_second", "others"}
    assert {k: v for k, v in piped.items() if k not in timed} == {
        k: v for k, v in named.items() if k not in timed
    }


def test_regression_has_its_own_measures_and_no_accuracy(shop):
    one = found_by(shop, "--label", "weight", "--drop", "when", "--drop", "bought")
    assert one["task"] == "regression"
    assert one["accuracy"] is None
    assert one["rmse"] < one["others"][0]["rmse"]
    assert one["median_error"] < one["mae"] < one["rmse"]
    assert [other["model"] for other in one["others"]] == ["no-change", "mean"]
    done = inside("run", shop, "--label", "weight", "--drop", "when")
    assert "RMSE" in done.stdout
    assert "MAE" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["--delay", "20"],
        ["--delay", "2h", "--time", "when"],
        ["--delay", "2h", "--task", "auto"],
        ["--label-probability", "0.5"],
    ],
)
def test_late_and_missing_labels_cost_accuracy(shop, arguments):
    label = ("--label", "bought", "--param", "interval=20")
    drop = () if "2h" in arguments else ("--drop", "when")
    late = found_by(shop, *label, *drop, *arguments)
    prompt = found_by(shop, *label, "--drop", "when")
    assert late["rows"] == prompt["rows"]
    assert late["accuracy"] < prompt["accuracy"]
    assert late["unanswered"] >= prompt["unanswered"] == 1


def test_labels_that_never_come_leave_nothing_to_judge(shop):
    label = ("--label", "bought", "--drop", "when", "--delay", "never")
    never = found_by(shop, *label)
    assert never["accuracy"] is None
    assert never["unanswered"] == never["rows"] == 2500
    done = inside("run", shop, *label)
    assert "no label came in time, so no row could be answered; is --delay right?" in done.stderr


def test_rows_before_the_first_label_are_told_apart(shop):
    late = inside("run", shop, "--label", "bought", "--drop", "when", "--delay", "40")
    said = "41 rows came before the first label and are not judged"
    assert said in late.stdout
    prompt = inside("run", shop, "--label", "bought", "--drop", "when")
    assert "before the first label" not in prompt.stdout


def test_a_rare_class_is_told_of_in_table_json_and_report(tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(1500, 2))
    odd = np.where(rows[:, 0] > 2.0, "fraud", "fine")
    lines = [f"{a:.4f},{b:.4f},{y}" for (a, b), y in zip(rows, odd, strict=True)]
    path = tmp_path / "payments.csv"
    path.write_text("\n".join(["a,b,kind", *lines]) + "\n")
    report = tmp_path / "report"
    one = found_by(path, "--label", "kind", "--report", report)
    assert one["rare_class"] == "fraud"
    assert 0.5 < one["average_precision"] <= 1.0
    assert one["alarms_per_1000_rows"] > 0.0
    assert {"rare_precision", "rare_recall", "rare_f1"} <= set(one)
    assert one["others"][1]["average_precision"] < 0.1
    assert (report / "precision_recall.png").exists()
    assert "The rare class: class fraud" in (report / "index.html").read_text()
    assert json.loads((report / "results.json").read_text())["rare"]["curve"]
    done = inside("run", path, "--label", "kind")
    assert f"rare class fraud: {(odd == 'fraud').sum()} rows, 1.7 %" in done.stdout
    assert "AP  precision" in done.stdout


def test_errors_have_the_unit_of_the_label_and_broken_readings_are_named(tmp_path):
    rng = np.random.default_rng(0)
    a = rng.normal(size=1200)
    power = 3.0 * a + 0.1 * rng.normal(size=1200)
    power[[200, 500, 501, 900]] = 9999.0
    path = tmp_path / "log.csv"
    path.write_text("\n".join(["a,power [kW]", *map("{:.4f},{:.4f}".format, a, power)]) + "\n")
    done = inside("run", path, "--label", "power [kW]", "--report", tmp_path / "report")
    said = "4 labels are far from all others: 9,999 (4 times), in rows 200-900; without them MAE 0."
    assert said in done.stdout
    page = (tmp_path / "report" / "index.html").read_text()
    assert "MAE (kW)" in page
    assert "4 labels are far from all others: 9,999 (4 times)" in page
    one = found_by(path, "--label", "power [kW]", "--unit", "MW")
    assert one["unit"] == "MW"
    assert one["far_labels"]["labels"] == [[9999.0, 4]]


def test_models_parameters_and_seeds_reach_the_model(shop):
    label = ("--label", "bought", "--drop", "when")
    default = found_by(shop, *label)["accuracy"]
    assert found_by(shop, *label, "--param", "interval=20")["accuracy"] != default
    assert found_by(shop, *label, "--model", "ogd")["accuracy"] != default
    start = ("--model", "mooe-paper", "--param", "start=random")
    one, other = (found_by(shop, *label, *start, "--seed", seed)["accuracy"] for seed in (1, 2))
    assert one != other
    trivial = found_by(shop, *label, "--model", "majority")
    assert [other["model"] for other in trivial["others"]] == ["no-change"]


def test_rows_and_windows_can_be_limited(shop, tmp_path):
    label = ("--label", "bought", "--drop", "when", "--max-rows", "700", "--window", "100")
    assert found_by(shop, *label, "--report", tmp_path)["rows"] == 700
    assert len((tmp_path / "windows.csv").read_text().splitlines()) == 8
    kept = json.loads((tmp_path / "results.json").read_text())
    assert kept["rows"] == 700
    assert kept["moments"]
    assert len(kept["origin"]["data"]) == 64
    assert "<html" in (tmp_path / "index.html").read_text()


def test_regrets_are_measured_on_request(shop, tmp_path):
    chosen = ("--label", "bought", "--drop", "when", "--max-rows", "200", "--model", "mooe-paper")
    found_by(shop, *chosen, "--regret", "--report", tmp_path)
    assert json.loads((tmp_path / "results.json").read_text())["regrets"]
    assert (tmp_path / "regret.png").exists()


def test_answers_are_written_beside_their_labels(shop, tmp_path):
    out = tmp_path / "out.csv"
    one = found_by(shop, "--label", "bought", "--drop", "when", "--predictions", out)
    rows = pandas.read_csv(out, keep_default_na=False)
    assert rows["row"].tolist() == list(range(2500))
    assert rows["prediction"][0] == ""
    right = rows["label"] == rows["prediction"]
    assert right[1:].mean() == pytest.approx(one["accuracy"])


@pytest.mark.parametrize("label", ["bought", "weight"])
@pytest.mark.parametrize("at", [1, 700, 1313])
def test_saved_and_resumed_equals_never_stopped_byte_for_byte(shop, tmp_path, label, at):
    rows = list(made_rows())
    (tmp_path / "first.csv").write_text(as_csv(rows[:at]))
    (tmp_path / "rest.csv").write_text(as_csv(rows[at:]))
    chosen = ("--label", label, "--drop", "when", "--param", "interval=30", "-q")
    chosen += ("--task", "regression" if label == "weight" else "classification")
    half, two, one = (tmp_path / name for name in ("half", "two", "one"))
    assert inside("run", tmp_path / "first.csv", *chosen, "--save", half).exit_code == 0
    resumed = inside("run", tmp_path / "rest.csv", "--resume", half, "--save", two, "-q")
    assert resumed.exit_code == 0, resumed.stderr
    assert inside("run", shop, *chosen, "--save", one).exit_code == 0
    assert two.read_bytes() == one.read_bytes()
    other = "classification" if label == "weight" else "regression"
    refused = inside("run", tmp_path / "rest.csv", "--resume", half, "--task", other)
    assert refused.exit_code == 2
    assert "as of the model of --resume" in words(refused.stderr)


def labelled(path, labels, first=0):
    """Write a table, as csv or as LIBSVM text, whose input is the number of the row modulo 7."""
    rows = enumerate(labels, first)
    if path.suffix == ".svm":
        path.write_text("".join(f"{y} 1:{i % 7} 2:1\n" for i, y in rows))
    else:
        path.write_text("a,y\n" + "".join(f"{i % 7},{y}\n" for i, y in rows))
    return path


TEXTS = [["01", "02", "x"][i % 3] for i in range(90)]


LIKE_NUMBERS = [["01", "+1", "1.0", "2", "02"][i % 5] for i in range(90)]


@pytest.mark.parametrize("ending", ["csv", "svm"])
def test_texts_that_look_like_numbers_stay_texts_when_a_model_goes_on(tmp_path, ending):
    first = labelled(tmp_path / f"first.{ending}", TEXTS)
    rest = labelled(tmp_path / f"rest.{ending}", LIKE_NUMBERS, len(TEXTS))
    whole = labelled(tmp_path / f"whole.{ending}", TEXTS + LIKE_NUMBERS)
    label = () if ending == "svm" else ("--label", "y")
    assert inside("run", first, *label, "--save", tmp_path / "m", "-q").exit_code == 0
    answers = ("--predictions", tmp_path / "answers.csv")
    done = inside("run", rest, "--resume", tmp_path / "m", "--save", tmp_path / "m", *answers, "-q")
    assert done.exit_code == 0, done.stderr
    classes = json.loads(inside("inspect", tmp_path / "m", "--json").stdout)["classes"]
    assert classes == ["01", "02", "x", "+1", "1.0", "2"]
    with (tmp_path / "answers.csv").open() as text:
        assert [row["label"] for row in csv.DictReader(text)] == LIKE_NUMBERS
    assert inside("run", whole, *label, "--save", tmp_path / "one", "-q").exit_code == 0
    assert (tmp_path / "m").read_bytes() == (tmp_path / "one").read_bytes()


def bags(path, n, low, high, seed):
    """Write LIBSVM text whose rows hold two of the indices low to high; row 1,050 also 99."""
    rng = random.Random(seed)
    lines = []
    for i in range(n):
        indices = sorted(rng.sample(range(low, high + 1), 2)) + [99] * (i == 1_050)
        lines.append(" ".join([str(i % 2), *(f"{j}:{rng.gauss(i % 2, 1):.3f}" for j in indices)]))
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


@pytest.mark.parametrize(
    ("first", "rest"),
    [
        pytest.param((1_100, 1, 12), (300, 1, 60), id="larger"),
        pytest.param((1_100, 1, 12), (300, 2, 4), id="smaller"),
        pytest.param((300, 1, 6), (300, 2, 4), id="smaller, before 1,000 rows"),
        pytest.param((1_100, 0, 6), (1_100, 3, 9), id="without index 0"),
    ],
)
def test_a_model_keeps_the_columns_of_libsvm_text_when_it_goes_on(tmp_path, first, rest):
    first = bags(tmp_path / "first.svm", *first, seed=0)
    rest = bags(tmp_path / "rest.svm", *rest, seed=1)
    whole = tmp_path / "whole.svm"
    whole.write_text(first.read_text() + rest.read_text())
    half, two, one = (tmp_path / name for name in ("half", "two", "one"))
    assert inside("run", first, "--save", half, "-q").exit_code == 0
    resumed = inside("run", rest, "--resume", half, "--save", two, "-q")
    assert resumed.exit_code == 0, resumed.stderr
    assert inside("run", whole, "--save", one, "-q").exit_code == 0
    assert two.read_bytes() == one.read_bytes()


def test_index_0_that_a_model_knows_may_come_late_when_it_goes_on(tmp_path):
    first = bags(tmp_path / "first.svm", 50, 0, 6, seed=0)
    rest = bags(tmp_path / "rest.svm", 1_000, 1, 6, seed=1)
    rest.write_text(rest.read_text() + "1 0:1\n")
    inside("run", first, "--save", tmp_path / "m", "-q")
    done = inside("run", rest, "--resume", tmp_path / "m", "--save", tmp_path / "m", "-q")
    assert done.exit_code == 0, done.stderr
    columns = Model.load(tmp_path / "m").columns
    assert columns == list(map(str, range(7)))


def test_the_kind_of_the_label_is_kept_before_any_label_is_learnt(tmp_path):
    first = labelled(tmp_path / "first.csv", TEXTS)
    rest = labelled(tmp_path / "rest.csv", LIKE_NUMBERS)
    model = tmp_path / "m"
    inside("run", first, "--label", "y", "--delay", "never", "--save", model, "-q")
    assert inside("run", rest, "--resume", model, "--save", model, "-q").exit_code == 0
    classes = json.loads(inside("inspect", model, "--json").stdout)["classes"]
    assert classes == ["01", "+1", "1.0", "2", "02"]


def test_a_label_column_that_is_empty_at_first_is_decided_when_the_model_goes_on(tmp_path):
    first = labelled(tmp_path / "first.csv", [""] * 20)
    rest = labelled(tmp_path / "rest.csv", [0, 1] * 20)
    model = tmp_path / "m"
    inside("run", first, "--label", "y", "--save", model, "-q")
    assert inside("run", rest, "--resume", model, "--save", model, "-q").exit_code == 0
    assert json.loads(inside("inspect", model, "--json").stdout)["classes"] == [0, 1]


def test_numbers_stay_numbers_where_the_next_rows_have_no_label_yet(tmp_path):
    first = labelled(tmp_path / "first.csv", [0, 1] * 20)
    rest = labelled(tmp_path / "rest.csv", [""] * 1_000 + [1, 0] * 20)
    model = tmp_path / "m"
    inside("run", first, "--label", "y", "--save", model, "-q")
    done = inside("run", rest, "--resume", model, "--save", model, "-q")
    assert done.exit_code == 0, done.stderr
    assert json.loads(inside("inspect", model, "--json").stdout)["classes"] == [0, 1]


def test_a_model_saved_without_the_kind_of_its_label_takes_that_of_its_labels(tmp_path):
    first = labelled(tmp_path / "first.csv", TEXTS)
    rest = labelled(tmp_path / "rest.csv", LIKE_NUMBERS)
    model = tmp_path / "m"
    inside("run", first, "--label", "y", "--save", model, "-q")
    saved = Model.load(model)
    assert saved.notes["source"].pop("label_kind") == "text"
    saved.save(model)
    assert inside("run", rest, "--resume", model, "--save", model, "-q").exit_code == 0
    classes = json.loads(inside("inspect", model, "--json").stdout)["classes"]
    assert classes == ["01", "02", "x", "+1", "1.0", "2"]


LARGE = [2**53, 2**53 + 1, 2**60 + 1, 2**60, -(2**70), 10**30 + 1, 10**30, 0]


@pytest.mark.parametrize("ending", ["csv", "svm"])
def test_large_whole_numbers_are_labels_that_keep_their_value(tmp_path, ending):
    label = () if ending == "svm" else ("--label", "y")
    for first, rest in ((LARGE, LARGE[::-1]), ([3, 4] * 600, LARGE)):
        paths = [tmp_path / f"{name}.{ending}" for name in ("first", "rest", "whole")]
        for path, labels in zip(paths, (first, rest, first + rest), strict=True):
            labelled(path, labels, len(first) if path is paths[1] else 0)
        options = (*label, "--task", "classification", "-q", "--save")
        assert inside("run", paths[0], *options, tmp_path / "m").exit_code == 0
        answers = ("--predictions", tmp_path / "answers.csv")
        done = inside(
            "run", paths[1], "--resume", tmp_path / "m", *answers, *options, tmp_path / "m"
        )
        assert done.exit_code == 0, done.stderr
        assert Model.load(tmp_path / "m").labels.names == list(dict.fromkeys(first + rest))
        with (tmp_path / "answers.csv").open() as text:
            assert [row["label"] for row in csv.DictReader(text)] == list(map(str, rest))
        assert inside("run", paths[2], *options, tmp_path / "one").exit_code == 0
        assert (tmp_path / "m").read_bytes() == (tmp_path / "one").read_bytes()
    said = inside("predict", tmp_path / "m", paths[1]).stdout.split()[1:]
    assert {int(line.split(",")[1]) for line in said} <= {3, 4, *LARGE}


@pytest.mark.parametrize("at", [1, 2, 3])
def test_numbers_written_in_several_ways_are_the_labels_of_one_run(tmp_path, at):
    labels = ["1e0", "1", "2", "3.0", "3", "4"]
    options = ("--label", "y", "--task", "classification", "-q", "--save")
    assert (
        inside("run", labelled(tmp_path / "a.csv", labels), *options, tmp_path / "one").exit_code
        == 0
    )
    inside("run", labelled(tmp_path / "b.csv", labels[:at]), *options, tmp_path / "m")
    rest = labelled(tmp_path / "c.csv", labels[at:], at)
    done = inside("run", rest, "--resume", tmp_path / "m", *options, tmp_path / "m")
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "m").read_bytes() == (tmp_path / "one").read_bytes()


def test_true_and_false_stand_for_the_bools_of_a_model(tmp_path):
    frame = pandas.DataFrame({"a": [float(i % 7) for i in range(60)]})
    MOOEClassifier().fit(frame, [i % 2 == 0 for i in range(60)]).save(tmp_path / "m")
    for labels in (["True", "False"], ["true", ""], ["FALSE", "True"], ["0", "1"]):
        table = labelled(tmp_path / "t.csv", labels * 5)
        options = ("--label", "y", "--save", tmp_path / "m", "-q")
        done = inside("run", table, "--resume", tmp_path / "m", *options)
        assert done.exit_code == 0, (done.stderr, done.exception)
        assert Model.load(tmp_path / "m").labels.names == [True, False]
    assert MOOEClassifier.load(tmp_path / "m").classes_.tolist() == [False, True]


def test_labels_of_another_kind_than_the_model_knows_are_refused(tmp_path):
    first = labelled(tmp_path / "first.csv", [0, 1] * 20)
    rest = labelled(tmp_path / "rest.csv", TEXTS)
    inside("run", first, "--label", "y", "--save", tmp_path / "m", "-q")
    done = inside("run", rest, "--resume", tmp_path / "m", "-q")
    assert done.exit_code == 1
    assert str(done.exception) == "labels must be like the model's, such as 0, got '01'"


def test_standard_input_has_its_comparison_with_no_memory_too(tmp_path, shop):
    text = shop.read_text()
    arguments = ("--label", "bought", "--drop", "when", "--max-rows", 400, "--report", tmp_path)
    assert inside("run", "-", *arguments, "-q", text_in=text).exit_code == 0
    assert (tmp_path / "memory.png").exists()
    assert "no memory" in (tmp_path / "index.html").read_text()


def fed(model, rows, *arguments):
    """Start a run that is fed without end; interrupt it at its first lines; return all it said."""
    process = subprocess.Popen(
        [MOOE, "run", "-", "--label", "bought", "--save", model, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=PLAIN,
    )
    os.set_blocking(process.stderr.fileno(), False)
    text = as_csv(rows).encode()
    header, _, body = text.partition(b"\n")
    said = b""
    process.stdin.write(header + b"\n")
    while b" 8,192 " not in said:  # the table is under way: chunks have been learnt
        process.stdin.write(body)
        said += process.stderr.read() or b""
    process.send_signal(signal.SIGINT)
    try:
        while process.poll() is None:
            process.stdin.write(body)
        process.stdin.close()
    except BrokenPipeError:
        pass
    os.set_blocking(process.stderr.fileno(), True)
    out, rest = process.stdout.read(), process.stderr.read()
    process.stdout.close()
    process.stderr.close()
    return process.wait(), out.decode(), (said + rest).decode(), body


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_prints_the_result_so_far_and_saves_the_model_whole(tmp_path):
    rows = [{k: row[k] for k in ("weight", "bought")} for row in made_rows(500)]
    code, out, said, body = fed(tmp_path / "model", rows)
    assert code == 1
    assert "Traceback" not in said
    done = int(said.rpartition("interrupted after ")[2].partition(" rows")[0].replace(",", ""))
    assert f"{done:,} rows" in out
    assert "no-change" in out
    # The model is the one of exactly these rows.
    text = body.decode().splitlines(keepends=True)
    same = [text[i % len(text)] for i in range(done)]
    (tmp_path / "same.csv").write_text("weight,bought\n" + "".join(same))
    whole = ("--label", "bought", "--save", tmp_path / "whole", "-q")
    assert inside("run", tmp_path / "same.csv", *whole).exit_code == 0
    assert (tmp_path / "model").read_bytes() == (tmp_path / "whole").read_bytes()


def test_an_interrupt_before_the_first_row_is_one_line(monkeypatch, shop):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("mooe.run.execution.Plan.open_stream", interrupted)
    done = inside("run", shop, "--label", "bought")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == "mooe: interrupted before the first row\n"


def test_a_label_that_never_changes_is_warned_of(tmp_path):
    (tmp_path / "same.csv").write_text("a,b\n" + "1,x\n2,x\n" * 20)
    done = inside("run", tmp_path / "same.csv", "--label", "b")
    assert done.exit_code == 0
    assert "warning: the label never changes" in done.stderr


def test_a_label_of_one_row_is_not_said_never_to_change(tmp_path):
    (tmp_path / "one.csv").write_text("a,b\n1,x\n")
    done = inside("run", tmp_path / "one.csv", "--label", "b", "-q")
    assert (done.exit_code, done.stderr) == (0, "")


def test_a_label_that_never_comes_is_warned_of(tmp_path):
    (tmp_path / "none.csv").write_text("a,b\n1,\n")
    done = inside("run", tmp_path / "none.csv", "--label", "b")
    assert done.exit_code == 0
    assert "1 row, 1 feature, 0 classes" in done.stdout
    assert "warning: no row has a label" in done.stderr


def test_labels_under_way_are_said_not_to_be_saved(shop, tmp_path):
    chosen = ("--label", "bought", "--drop", "when", "--save", tmp_path / "m", "-q")
    for late, is_told in ((("--delay", "9"), True), ((), False)):
        done = inside("run", shop, *chosen, *late)
        assert done.exit_code == 0
        assert (tmp_path / "m").exists()
        assert ("had not come yet" in done.stderr) == is_told
        (tmp_path / "m").unlink()


def test_bad_rows_are_skipped_and_counted_on_request(tmp_path):
    path = tmp_path / "ragged.csv"
    path.write_text("a,b\n1,x\n2\n3,y\n4,x,5\n6,y\n")
    done = inside("run", path, "--label", "b")
    assert done.exit_code == 1
    assert "line 3" in str(done.exception)
    one = found_by(path, "--label", "b", "--skip-bad-rows")
    assert (one["rows"], one["skipped_rows"]) == (3, 2)
    assert "2 bad rows left out" in inside("run", path, "--label", "b", "--skip-bad-rows").stderr


def test_a_stream_that_no_change_wins_says_so(tmp_path):
    text = "a,b\n" + "".join(f"{i % 7},{'xy'[i // 50 % 2]}\n" for i in range(400))
    (tmp_path / "slow.csv").write_text(text)
    done = inside("run", tmp_path / "slow.csv", "--label", "b", "--task", "classification")
    assert "no-change is right more often than mooe on this stream" in done.stderr


BAD_DATA = {
    "no such file": ("nothing.csv", None, [], ["file must exist", "nothing.csv"]),
    "no such stream": ("Electrcity", None, [], ["'Electrcity'", "nearest: Electricity"]),
    "no such ending": ("table.doc", "a,b\n", [], ["table.doc", ".csv"]),
    "empty": ("empty.csv", "", ["--label", "b"], ["empty.csv"]),
    "no rows": ("head.csv", "a,b\n", ["--label", "b"], ["head.csv", "rows"]),
    "no label": ("t.csv", "a,b\n1,2\n", [], ["--label", "a, b"]),
    "no such label": ("t.csv", "a,bb\n1,2\n", ["--label", "bbb"], ["'bbb'", "nearest: bb"]),
    "no such time": ("t.csv", "a,b\n1,2\n", ["--label", "b", "--time", "c"], ["time", "'c'"]),
    "no such drop": ("t.csv", "a,b\n1,2\n", ["--label", "b", "--drop", "c"], ["drop", "'c'"]),
    "nan refused": (
        "t.csv",
        "a,b\n1,2\n,2\n",
        ["--label", "b", "--missing", "error"],
        ["line 3", "'a'"],
    ),
    "infinity": ("t.csv", "a,b\n1,2\ninf,2\n", ["--label", "b"], ["line 3", "finite"]),
    "two columns to drop": (
        "t.csv",
        "a,b,c,d\n1,2,3,4\n",
        ["--label", "b", "--drop", "a,d"],
        ["got 'a,d'", "one column each: --drop 'a' --drop 'd'"],
    ),
    "an encoding nobody knows": (
        "t.csv",
        "a,b\n1,2\n",
        ["--label", "b", "--encoding", "cp9999"],
        ["encoding must be known, got 'cp9999'", "such as utf-8"],
    ),
    "a decimal sign that is none": (
        "t.csv",
        "a,b\n1,2\n",
        ["--label", "b", "--decimal", ";"],
        ["decimal must be '.' or ',', got ';'"],
    ),
    "text for regression": (
        "t.csv",
        "a,b\n1,x\n2,y\n",
        ["--label", "b", "--task", "regression"],
        ["number", "'x'"],
    ),
    "no model": ("t.csv", "a,b\n1,2\n", ["--resume", "no.mooe"], ["model file must exist"]),
    "not a model": ("t.csv", "a,b\n1,2\n", ["--resume", "t.csv"], ["not a model file"]),
    "report under a file": (
        "t.csv",
        "a,b\n1,2\n",
        ["--label", "b", "--report", "t.csv/report"],
        ["the report", "t.csv/report"],
    ),
    "save under a file": (
        "t.csv",
        "a,b\n1,2\n",
        ["--label", "b", "--save", "t.csv/model"],
        ["the model", "folder"],
    ),
    "damaged gzip": (
        "t.csv.gz",
        gzip.compress(b"a,b\n1,2\n")[:10] + b"\xff" * 20,
        ["--label", "b"],
        ["file must be readable", "t.csv.gz"],
    ),
    "a header cell without end": (
        "t.csv",
        "a" * 131_073 + ",b\n1,2\n",
        ["--label", "b"],
        ["t.csv, line 1 must have cells of at most 131,072 letters", "131,072"],
    ),
    "damaged parquet": (
        "t.parquet",
        b"PAR1" + b"\xff" * 40 + b"\x20\0\0\0PAR1",
        ["--label", "b"],
        ["t.parquet must be a Parquet file"],
    ),
    "arff index": (
        "t.arff",
        "@attribute a numeric\n@attribute b {0,1}\n@data\n{² 1}\n",
        ["--label", "b"],
        ["t.arff, line 4"],
    ),
    "save to a folder": ("t.csv", "a,b\n1,2\n", ["--label", "b", "--save", "."], ["folder"]),
}


@pytest.mark.parametrize("case", BAD_DATA, ids=str)
def test_bad_input_is_one_line_and_exit_code_1(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name, text, arguments, parts = BAD_DATA[case]
    if text is not None:
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    done = inside("run", name, *arguments)
    assert done.exit_code == 1
    assert isinstance(done.exception, (SystemExit, OSError, ValueError))  # no traceback
    assert done.stdout == ""
    said = done.stderr or str(done.exception)  # main prints the exception as one line
    for part in parts:
        assert part in said


FORGED = {
    "no columns": {"columns": 5},
    "no classes": {"labels": None},
    "no source": {"notes": {"source": 5}},
    "no end": {"notes": {"more": reduce(lambda inner, _: [inner], range(950), [])}},
}


@pytest.mark.parametrize("forgery", FORGED)
def test_a_forged_model_is_one_line_and_exit_code_1(forgery, tmp_path):
    frame = pandas.DataFrame({"a": [1.0, 2.0], "b": [3.0, 1.0]})
    model = PaperMOOEClassifier().fit(frame, ["x", "y"])
    header = json.loads(modelfile.read_header(model.to_bytes())[0])
    arrays = modelfile.safetensors.load(model.to_bytes())
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(5000)
    try:
        text = modelfile.dump({**header, **FORGED[forgery]})
        whole = modelfile.dump({"header": text, "sha256": modelfile.digest(text, arrays)})
        blob = modelfile.safetensors.save(arrays, {"mooe": whole})
    finally:
        sys.setrecursionlimit(limit)
    path, table = tmp_path / "forged.mooe", tmp_path / "t.csv"
    path.write_bytes(blob)
    table.write_text("a,b,c\n1,2,x\n")
    for arguments in (["predict", path, table], ["run", table, "--label", "c", "--resume", path]):
        done = run(*arguments)
        assert done.returncode == 1
        assert done.stdout == ""
        assert done.stderr.startswith(f"mooe: {path}: the model file is damaged")
        assert done.stderr.count("\n") == 1


def test_a_delay_in_time_is_refused_before_the_first_row_where_there_are_no_times(shop):
    done = inside("run", shop, "--label", "bought", "--drop", "when", "--delay", "2h")
    assert (done.exit_code, done.stdout) == (1, "")
    told = "delay must be in rows, for shop.csv has no column of dates, got '2:00:00'; --time"
    assert str(done.exception).startswith(told)


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["--model", "moee"], ["'moee'", "nearest: mooe"]),
        (["--param", "interval"], ["name=value", "'interval'"]),
        (["--param", "interval=0"], ["interval must be", "0"]),
        (["--param", "intervl=5"], ["nearest: interval"]),
        (["--delay", "soon"], ["delay must be", "'soon'"]),
        (["--delay", "-1"], ["delay must be", "'-1'"]),
        (["--delay", "²"], ["delay must be", "'²'"]),
        (["--delay", "²h", "--time", "when"], ["delay must be", "'²h'"]),
        (["--delay", "9999999999d", "--time", "when"], ["delay must be at most", "'9999999999d'"]),
        (["--delay", "9" * 400 + "w", "--time", "when"], ["delay must be at most"]),
        (["--delay", "1" + "0" * 400], ["delay must be at most"]),
        (["--delay", "9" * 5_000], ["delay must be at most"]),
        (["--label-probability", "0"], ["above 0"]),
        (["--max-rows", "0"], ["--max-rows"]),
        (["--window", "0"], ["--window"]),
        (["--window", "9" * 20], ["window must be at most 9,007,199,254,740,992"]),
        (["--task", "ranking"], ["--task"]),
        (["--missing", "zero"], ["--missing"]),
        (["--model", "majority", "--save", "m"], ["--save", "'majority'"]),
        (["--model", "majority", "--regret"], ["--regret", "'majority'"]),
        (["--resume", "m", "--model", "ogd"], ["--model", "--resume"]),
        (["--resume", "m", "--param", "interval=5"], ["--param", "--resume"]),
    ],
)
def test_wrong_usage_is_exit_code_2(shop, arguments, parts):
    done = inside("run", shop, "--label", "bought", *arguments)
    assert done.exit_code == 2
    assert done.stdout == ""
    for part in parts:
        assert part in words(done.stderr)


def run_in_little_memory(*arguments):
    """Run the command where 4 GB of addresses are all there is; most are the libraries' own."""
    resource = pytest.importorskip("resource")
    return subprocess.run(
        [MOOE, *map(str, arguments)],
        capture_output=True,
        text=True,
        env=PLAIN | {"OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)),
        timeout=120,
        check=False,
    )


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit addresses")
@pytest.mark.parametrize("command", ["run", "compare"])
def test_more_columns_than_a_model_can_hold_are_refused_in_one_line(tmp_path, command):
    (tmp_path / "wide.svm").write_text("1 30000000:1\n0 1:1\n")
    models = ("--models", "mooe,mooe-paper") if command == "compare" else ("--json",)
    done = run_in_little_memory(command, tmp_path / "wide.svm", *models)
    assert done.returncode == 1
    rule = "columns of wide.svm must be at most 4,000,000 for a model to learn, got 30,000,000"
    assert done.stderr.count(rule) == done.stderr.count("\n") == 1


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit addresses")
@pytest.mark.parametrize(
    "arguments", ["--model mooe", "--model mooe --delay 5", "--model mooe-paper --delay 5"]
)
def test_a_column_with_a_large_number_that_comes_late_is_one_column_more(
    tmp_path, monkeypatch, arguments
):
    monkeypatch.chdir(tmp_path)
    rows = [f"{i % 2} 1:{i % 7} 3:{i % 2}" for i in range(1_100)]
    (tmp_path / "late.svm").write_text("\n".join([*rows, "1 5000000:1", *rows]) + "\n")
    (tmp_path / "few.svm").write_text("\n".join([*rows, "1 4:1", *rows]) + "\n")
    done = run_in_little_memory("run", "late.svm", *arguments.split(), "--save", "m", "--json")
    assert done.returncode == 0, done.stderr
    few = found_by("few.svm", *arguments.split())
    assert json.loads(done.stdout)["accuracy"] == few["accuracy"]
    assert Model.load("m").columns == ["1", "2", "3", "5000000"]
    answers = run_in_little_memory("predict", "m", "late.svm")
    assert answers.returncode == 0, answers.stderr
    assert len(answers.stdout.splitlines()) == 2_202


def test_what_goes_wrong_is_one_line_in_a_process_of_its_own(tmp_path):
    done = run("run", "nothing.csv", "--label", "b", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "mooe: file must exist, got 'nothing.csv'\n"


streams_needed = pytest.mark.skipif(
    not os.environ.get("MOOE_DATA_HOME"), reason="MOOE_DATA_HOME, where the streams lie, is not set"
)


@streams_needed
def test_usenet1_beats_the_majority():
    one = found_by("Usenet1")
    assert (one["rows"], one["features"], one["classes"]) == (1500, 99, 2)
    assert one["others"][0]["accuracy"] == pytest.approx(0.330, abs=5e-4)
    assert one["others"][1]["accuracy"] == pytest.approx(0.533, abs=5e-4)
    assert one["accuracy"] > 0.65


@streams_needed
def test_the_first_rows_of_electricity():
    one = found_by("Electricity", "--max-rows", "5000")
    assert (one["stream"], one["rows"], one["features"]) == ("Electricity", 5000, 8)
    assert one["accuracy"] > 0.7


def test_answers_have_ids_probabilities_and_the_regime_in_charge(shop, tmp_path):
    out, model = tmp_path / "answers.csv", tmp_path / "model"
    chosen = ("--label", "bought", "--time", "when", "--keep", "when", "--save", model)
    done = inside("run", shop, *chosen, "--predictions", out, "-q")
    assert done.exit_code == 0, done.stderr
    answers = pandas.read_csv(out, keep_default_na=False)
    names = ["row", "when", "label", "prediction", "p_no", "p_yes", "regime"]
    assert list(answers) == names
    source = pandas.read_csv(shop)
    assert answers["when"].tolist() == source["when"].tolist()
    assert answers["label"].tolist() == source["bought"].tolist()
    known = answers[answers["p_yes"] != ""]
    likely = known["p_yes"].astype(float)
    assert len(answers) - len(known) == 1  # the first has nothing to go by
    assert np.allclose(known["p_no"].astype(float) + likely, 1.0, atol=1e-5)
    assert ((likely > 0.5) == (known["prediction"] == "yes")).all()
    for concept in Model.load(model).concepts():
        for first, last in concept.visits:
            assert set(answers["regime"][first : last + 1]) == {concept.name}


def test_a_kept_column_is_no_input(shop, tmp_path):
    lines = shop.read_text().splitlines()
    ids = [f"{line},{i}" for i, line in enumerate(lines[1:])]
    (tmp_path / "ids.csv").write_text("\n".join([f"{lines[0]},id", *ids]) + "\n")
    plain = found_by(shop, "--label", "bought", "--drop", "when")
    kept = found_by(tmp_path / "ids.csv", "--label", "bought", "--drop", "when", "--keep", "id")
    assert kept["accuracy"] == plain["accuracy"]
    assert kept["features"] == plain["features"]


@pytest.mark.parametrize("options", [("--threshold", ".2"), ("--cost", "1:4")])
def test_a_threshold_decides_and_is_saved_with_the_model(shop, tmp_path, options):
    out, model = tmp_path / "answers.csv", tmp_path / "model"
    chosen = ("--label", "bought", "--drop", "when", "--positive", "no", "--save", model)
    inside("run", shop, *chosen, *options, "--predictions", out, "-q")
    answers = pandas.read_csv(out)[100:]
    assert ((answers["p_no"] > 0.2) == (answers["prediction"] == "no")).all()
    assert Model.load(model).decision.positive == "no"
    estimator = MOOEClassifier.load(model)
    assert estimator.positive == "no"


def test_a_positive_class_of_a_regression_is_not_passed_over_in_silence(tmp_path):
    rows = "".join(f"{i % 9},{i % 7 + 0.5}\n" for i in range(60))
    (tmp_path / "t.csv").write_text("a,y\n" + rows)
    done = inside("run", tmp_path / "t.csv", "--label", "y", "--positive", "0.5", "-q")
    assert "warning: --positive is about a class, and a regression has none" in done.stderr


def test_numbers_as_labels_have_a_positive_class_too(tmp_path):
    stream = recurring(400, n_features=2)
    rows = [f"{a},{b},{y}" for (a, b), y in zip(stream.X, stream.y, strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,y", *rows]) + "\n")
    chosen = ("--label", "y", "--threshold", ".3", "--positive", "1", "-q")
    done = inside("run", tmp_path / "t.csv", *chosen, "--predictions", tmp_path / "a.csv")
    assert done.exit_code == 0, done.stderr
    answers = pandas.read_csv(tmp_path / "a.csv")[50:]
    assert ((answers["p_1"] > 0.3) == (answers["prediction"] == 1)).all()
    done = inside("run", tmp_path / "t.csv", "--label", "y", "--threshold", ".3", "--positive", "7")
    assert "warning: no label is 7; is --positive one of the classes?" in done.stderr
    done = inside("run", tmp_path / "t.csv", "--label", "y", "--threshold", ".3", "--positive", "x")
    assert "positive must be a number" in str(done.exception)
    done = inside("run", "recurring", "--model", "condor", "--threshold", ".3")
    assert done.exit_code == 2
    assert "to answer by a threshold, got 'condor'" in words(done.stderr)


def test_with_times_everything_speaks_in_dates(shop, tmp_path):
    report, model = tmp_path / "report", tmp_path / "model"
    chosen = ("--label", "bought", "--time", "when", "--report", report, "--save", model, "-q")
    shown = inside("run", shop, *chosen[:4]).stdout
    assert re.search(r"now in regime \d, here since 2024-01-02 \d\d:\d\d", shown)
    inside("run", shop, *chosen)
    whole = (report / "index.html").read_text()
    page = re.sub(r"<svg.*?</svg>|<style>.*?</style>|<[^>]*>", "", whole, flags=re.S)
    page = html.unescape(page)
    assert "2,500 rows from 2024-01-01 00:00 to 2024-01-02 17:39" in page
    assert re.search(r"Regime 1 was first in charge from 2024-01-01 00:00 to \d\d:\d\d and", page)
    assert not re.search(r"in rows \d|at row \d|rows \d+–", page)
    assert "1 Jan 2024" in whole  # on an axis
    windows = pandas.read_csv(report / "windows.csv")
    assert windows["date"].iloc[0] == "2024-01-01T00:49:00"
    times = dict(json.loads((report / "results.json").read_text())["times"])
    assert times[49] == 1704070140.0


def test_a_model_that_goes_on_knows_the_dates_of_one_that_never_stopped(shop, tmp_path):
    lines = shop.read_text().splitlines(keepends=True)
    (tmp_path / "first.csv").write_text("".join(lines[:1300]))
    (tmp_path / "rest.csv").write_text("".join([lines[0], *lines[1300:]]))
    chosen = ("--label", "bought", "--time", "when", "-q")
    inside("run", tmp_path / "first.csv", *chosen, "--save", tmp_path / "half")
    going_on = ("--resume", tmp_path / "half", "--save", tmp_path / "two", "--time", "when", "-q")
    done = inside("run", tmp_path / "rest.csv", *going_on)
    assert done.exit_code == 0, done.stderr
    inside("run", shop, *chosen, "--save", tmp_path / "one")
    one, two = (Model.load(tmp_path / name) for name in ("one", "two"))
    assert two.notes["regimes"] == one.notes["regimes"]
    assert two.concepts() == one.concepts()
    assert all(all(map(all, concept.dates)) for concept in one.concepts())
    assert (tmp_path / "two").read_bytes() == (tmp_path / "one").read_bytes()


def test_a_threshold_is_the_same_for_the_model_without_its_memory(shop, tmp_path):
    chosen = ("--label", "bought", "--drop", "when", "--threshold", ".9", "--max-rows", 800, "-q")
    table = {}
    for name, more in (("plain", ()), ("strict", chosen[4:6])):
        asked = (*chosen[:4], *more, *chosen[6:])
        done = inside("run", shop, *asked, "--json", "--report", tmp_path / name)
        assert done.exit_code == 0, done.stderr
        page = (tmp_path / name / "table.md").read_text()
        table[name] = [line for line in page.splitlines() if "no memory" in line]
    assert "the threshold is about class yes, the second of two" in done.stderr
    assert table["plain"]
    assert table["plain"] != table["strict"]


def test_a_class_that_accuracy_says_little_of_is_pointed_out(tmp_path):
    lines = [f"{i % 7},{'yes' if i % 5 == 0 else 'no'}" for i in range(200)]
    (tmp_path / "t.csv").write_text("\n".join(["x,came", *lines]))
    done = inside("run", tmp_path / "t.csv", "--label", "came", "-q")
    assert "class yes makes 20 % of the labels; --positive yes tells how much" in done.stderr
    named = inside("run", tmp_path / "t.csv", "--label", "came", "-q", "--positive", "yes")
    assert "--positive" not in named.stderr
    assert "recall" in named.stdout


def test_a_column_that_is_carried_along_is_not_said_to_be_left_out(tmp_path):
    lines = [f"id{i},{i % 7},{i % 2}" for i in range(200)]
    (tmp_path / "t.csv").write_text("\n".join(["id,x,y", *lines]))
    chosen = ("--label", "y", "-q", "--predictions", tmp_path / "out.csv")
    assert "left out" in inside("run", tmp_path / "t.csv", *chosen).stderr
    assert "left out" not in inside("run", tmp_path / "t.csv", *chosen, "--keep", "id").stderr
