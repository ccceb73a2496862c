"""mooe predict, as its users start it."""

import io
import re

import numpy as np
import pandas
from command import inside, run
from command import words as flat
from shop import COLOURS

from mooe import Model, MOOEClassifier, MOOERegressor


def test_predict_answers_as_the_estimator_does(shop, tmp_path):
    model = tmp_path / "model"
    inside("run", shop, "--label", "bought", "--drop", "when", "--save", model, "-q")
    new = pandas.read_csv(shop, nrows=40)[["weight", "colour", "size"]].dropna()
    new.assign(note="not an input").to_csv(tmp_path / "new.csv", index=False)
    done = run("predict", model, tmp_path / "new.csv")
    assert done.returncode == 0
    now = Model.load(model).regime()
    assert re.fullmatch(rf"mooe: answered in regime {now}, here since row [\d,]+\n", done.stderr)
    answers = pandas.read_csv(io.StringIO(done.stdout))
    estimator = MOOEClassifier.load(model)
    frame = pandas.DataFrame(0.0, index=new.index, columns=estimator.feature_names_in_)
    frame[["size", "weight"]] = new[["size", "weight"]]
    for colour in COLOURS:
        frame[f"colour={colour}"] = (new["colour"] == colour).astype(float)
    assert answers["prediction"].tolist() == estimator.predict(frame).tolist()
    assert answers["row"].tolist() == list(range(len(new)))
    labelled = run("predict", model, shop, "--out", tmp_path / "out.csv")
    assert (labelled.returncode, labelled.stdout) == (0, "")
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 2501


def test_predict_says_what_predictions_are_called_here(tmp_path):
    done = inside("predict", tmp_path / "m", tmp_path / "t.csv", "--predictions", "p.csv")
    assert done.exit_code == 2
    assert "--predictions: is --out here: --out p.csv" in flat(done.stderr)


def test_predict_takes_numbers_that_were_texts_and_texts_never_seen(tmp_path):
    rows = [f"{code},{i % 2}" for i, code in enumerate(["1", "x"] * 30)]
    (tmp_path / "train.csv").write_text("code,kind\n" + "\n".join(rows) + "\n")
    inside("run", tmp_path / "train.csv", "--label", "kind", "--save", tmp_path / "m", "-q")
    done = inside("predict", tmp_path / "m", "-", text_in="code\n1\nz\n\n")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[1].startswith("0,0,")
    assert "a text the model has never seen, left out: 1" in done.stderr


def test_predict_says_that_a_number_is_in_a_column_never_seen(tmp_path):
    rows = "".join(f"{i % 2} 1:{i % 7} 2:1\n" for i in range(60))
    (tmp_path / "train.svm").write_text(rows)
    (tmp_path / "new.svm").write_text("0 1:1 3:5\n0 2:1\n")
    inside("run", tmp_path / "train.svm", "--save", tmp_path / "m", "-q")
    done = inside("predict", tmp_path / "m", tmp_path / "new.svm")
    assert (done.exit_code, len(done.stdout.splitlines())) == (0, 3)
    said = done.stderr.splitlines()
    assert said[0] == "mooe: answered in no regime that has a number yet"
    assert said[1:] == ["mooe: cells in a column the model has never seen, left out: 1"]


def test_regression_models_predict_values(shop, tmp_path):
    model = tmp_path / "model"
    chosen = ("--label", "weight", "--drop", "when", "--drop", "bought", "--drop", "colour")
    inside("run", shop, *chosen, "--save", model, "-q")
    done = inside("predict", model, shop)
    answers = pandas.read_csv(io.StringIO(done.stdout))
    estimator = MOOERegressor.load(model)
    size = pandas.read_csv(shop)[["size"]]
    known = size["size"].notna().to_numpy()
    expected = estimator.predict(size[known])
    assert np.array_equal(answers["prediction"].to_numpy()[known], expected)
    assert answers["prediction"].notna().all()


def test_a_model_that_has_learnt_no_label_is_refused(tmp_path):
    (tmp_path / "none.csv").write_text("a,y\n1,\n2,\n")
    inside("run", tmp_path / "none.csv", "--label", "y", "--save", tmp_path / "m", "-q")
    done = inside("predict", tmp_path / "m", tmp_path / "none.csv")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == f"mooe: {tmp_path / 'm'} must have learnt a label to predict, got none\n"


def test_libsvm_text_without_the_columns_of_the_model_is_refused_by_their_name(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\n1,2,0\n2,1,1\n")
    (tmp_path / "t.svm").write_text("0 1:1 2:3\n")
    inside("run", tmp_path / "t.csv", "--label", "y", "--save", tmp_path / "m", "-q")
    said = "t.svm must have the column 'a' of the model, got 'LIBSVM text'; its columns are numbers"
    for command in (["predict", tmp_path / "m"], ["run", "--resume", tmp_path / "m"]):
        done = inside(*command, tmp_path / "t.svm")
        assert (done.exit_code, str(done.exception)) == (1, said)


def test_predict_reads_a_table_as_the_one_that_taught_the_model(tmp_path):
    rows = [f"{'1.000' if row % 2 else '2,5'};Köln;{row % 2}" for row in range(60)]
    head = "größe;ort;y\n"
    (tmp_path / "taught.csv").write_text(head + "\n".join(rows), encoding="cp1252")
    table = ("run", tmp_path / "taught.csv", "--label", "y", "--save", tmp_path / "m", "-q")
    assert inside(*table).exit_code == 0
    asked = "größe;ort\n1.000;Köln\n2,5;Köln\n"  # whose first row could be either
    done = inside("predict", tmp_path / "m", "-", text_in=asked)
    answers = pandas.read_csv(io.StringIO(done.stdout))
    assert answers["prediction"].tolist() == [1, 0]
    assert "semicolons between cells" in done.stderr
    wrong = inside("predict", tmp_path / "m", "-", "--decimal", ".", text_in=asked)
    assert wrong.exit_code == 1
    assert "line 3, column 'größe' must be a number" in str(wrong.exception)


def test_the_calendar_of_a_model_is_that_of_its_table(tmp_path):
    days = [f"2024-{1 + row // 28 % 12:02}-{1 + row % 28:02}" for row in range(336)]
    weekday = [row % 7 for row in range(336)]
    rows = [f"{day},1,{int(row in (2, 3))}" for day, row in zip(days, weekday, strict=True)]
    (tmp_path / "t.csv").write_text("when,x,y\n" + "\n".join(rows))
    table = ("run", tmp_path / "t.csv", "--label", "y", "--save", tmp_path / "m", "-q")
    done = inside(*table, "--calendar")
    assert done.exit_code == 0
    assert "'when' is the clock\n" in done.stderr
    (tmp_path / "new.csv").write_text("when,x\n2024-12-25,1\n")
    assert inside("predict", tmp_path / "m", tmp_path / "new.csv").stdout.count("\n") == 2
    (tmp_path / "bare.csv").write_text("x\n1\n")
    bare = inside("predict", tmp_path / "m", tmp_path / "bare.csv")
    assert "bare.csv must have the column 'when'" in str(bare.exception)


def saved(shop, tmp_path, *options):
    """Return a model of the shop, and what it predicts of it, as a frame."""
    model = tmp_path / "model"
    if not model.exists():
        inside("run", shop, "--label", "bought", "--time", "when", "--save", model, "-q")
    done = inside("predict", model, shop, *options)
    assert done.exit_code == 0, done.stderr
    return model, pandas.read_csv(io.StringIO(done.stdout), dtype=str, keep_default_na=False)


def test_answers_have_kept_columns_and_the_probability_of_every_class(shop, tmp_path):
    _, answers = saved(shop, tmp_path, "--keep", "when", "--keep", "bought")
    assert list(answers) == ["row", "when", "bought", "prediction", "p_no", "p_yes"]
    source = pandas.read_csv(shop, dtype=str, keep_default_na=False)
    assert answers["when"].tolist() == source["when"].tolist()
    assert answers["bought"].tolist() == source["bought"].tolist()
    chances = answers[["p_no", "p_yes"]].astype(float)
    assert np.allclose(chances.sum(axis=1), 1.0, atol=1e-5)
    assert ((chances["p_yes"] > 0.5) == (answers["prediction"] == "yes")).all()


def test_a_threshold_or_costs_decide_what_is_answered(shop, tmp_path):
    for options, level in (
        (("--threshold", ".2"), 0.2),
        (("--cost", "1:9"), 0.1),
        (("--cost", "9:1", "--positive", "yes"), 0.9),
    ):
        model, answers = saved(shop, tmp_path, *options)
        alarm = answers["p_yes"].astype(float) > level
        assert 0 < alarm.sum() < len(alarm)
        assert (alarm == (answers["prediction"] == "yes")).all()
    before = model.read_bytes()
    _, answers = saved(shop, tmp_path, "--threshold", ".8", "--positive", "no")
    assert ((answers["p_no"].astype(float) > 0.8) == (answers["prediction"] == "no")).all()
    assert model.read_bytes() == before


def test_wrong_decisions_are_usage(shop, tmp_path):
    model, _ = saved(shop, tmp_path)
    for options, words in (
        (("--threshold", "2"), "above 0 and below 1, got 2.0"),
        (("--cost", "1"), "two finite numbers"),
        (("--cost", "a:b"), "two numbers such as 1:50, got 'a:b'"),
        (("--cost", "1:2", "--threshold", ".5"), "left out with --threshold"),
        (("--positive", "yes"), "needs --threshold or --cost"),
        (("--positive", "maybe", "--cost", "1:2"), "a class of the model: no, yes; got 'maybe'"),
    ):
        done = inside("predict", model, shop, *options)
        assert (done.exit_code, done.stdout) == (2, "")
        assert words in flat(done.stderr)


def test_a_kept_column_must_be_there(shop, tmp_path):
    model, _ = saved(shop, tmp_path)
    done = inside("predict", model, shop, "--keep", "wen")
    assert done.exit_code == 1
    assert str(done.exception) == "keep must be a column of shop.csv, got 'wen'; nearest: when"


def test_the_regime_is_said_with_its_name_and_date(shop, tmp_path):
    model, _ = saved(shop, tmp_path)
    now = Model.load(model).regime()
    inside("inspect", model, "--name", f"{now}=sunny days")
    said = inside("predict", model, shop).stderr.splitlines()[0]
    words = rf"mooe: answered in regime {now} \(sunny days\), here since 2024-01-02 \d\d:\d\d"
    assert re.fullmatch(words, said)
