"""mooe forecast, as its users start it."""

import csv
import json

import numpy as np
import pytest
from command import inside, run, words

RNG = np.random.default_rng(7)


@pytest.fixture(scope="module")
def sales(tmp_path_factory):
    """Return a German table of daily sales with a missing day."""
    rows = []
    for k in range(200):
        if k == 50:
            continue
        day = str(np.datetime64("2023-01-01") + k)
        value = 100 + 20 * np.sin(2 * np.pi * k / 7) + RNG.normal()
        number = f"{value:.2f}".replace(".", ",")
        rows.append(f"{day[8:]}.{day[5:7]}.{day[:4]};{number}")
    path = tmp_path_factory.mktemp("sales") / "umsatz.csv"
    path.write_text("Datum;Umsatz\n" + "\n".join(rows) + "\n")
    return path


def told(*arguments):
    done = inside("forecast", *arguments, "--json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def test_a_table_is_forecast_and_told(sales):
    done = run("forecast", sales)
    assert done.returncode == 0, done.stderr
    assert (
        "umsatz.csv: 200 rows, 1 channel, 1 day apart, from 2023-01-01 to 2023-07-19" in done.stdout
    )
    assert "season of 7 rows" in done.stdout
    assert "1 time without a row (answered, not learnt)" in done.stderr
    assert "decimal commas" in done.stderr
    for name in ("mooe", "last value", "seasonal naive"):
        assert sum(line.startswith(name) for line in done.stdout.splitlines()) == 2
    assert "2023-07-20" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100


def test_json_is_all_that_comes_to_standard_output(sales):
    found = told(sales, "--horizon", "1w", "--level", "50,90")
    assert (found["horizon"], found["season"], found["levels"]) == (7, 7, [50, 90])
    assert found["by_horizon"][6]["mase"] < found["by_horizon"][6]["last_value"]["mase"]
    assert set(found["forecast"][0]["bands"]) == {"50", "90"}


def test_standard_input_is_a_table_too(sales):
    done = run("forecast", "-", "--json", text_in=sales.read_text())
    assert json.loads(done.stdout)["rows"] == 200


def test_a_forecaster_is_saved_and_goes_on(sales, tmp_path):
    model, answers = tmp_path / "model.mooe", tmp_path / "answers.csv"
    first = inside("forecast", sales, "--max-rows", 150, "--save", model, "--json")
    assert first.exit_code == 0, first.stderr
    later = inside("forecast", sales, "--resume", model, "--predictions", answers, "--json")
    assert later.exit_code == 0, later.stderr
    assert json.loads(later.stdout)["rows"] == 49
    assert "150 rows too late" in later.stderr
    lines = list(csv.DictReader(answers.read_text().splitlines()))
    assert len(lines) == 49 + 14
    inspected = inside("inspect", model)
    assert inspected.exit_code == 0, inspected.stderr


def test_a_forecaster_that_goes_on_tells_of_the_rows_that_are_new(sales, tmp_path):
    model = tmp_path / "model.mooe"
    inside("forecast", sales, "--max-rows", 150, "--save", model, "--json")
    page = tmp_path / "report"
    later = inside("forecast", sales, "--resume", model, "--report", page, "--save", model)
    assert "49 rows, 1 channel, 1 day apart, from 2023-06-01 to 2023-07-19" in words(later.stdout)
    assert "from 2023-06-01 to 2023-07-19" in words((page / "index.html").read_text())
    nothing_new = inside("forecast", sales, "--resume", model)
    assert "0 rows, 1 channel, 1 day apart; season" in words(nothing_new.stdout)


def test_many_series_are_told_of_by_their_names(tmp_path):
    lines = [f"{name},2024-01-{day:02d},{day % 7}" for name in "abc" for day in range(1, 31)]
    (tmp_path / "many.csv").write_text("\n".join(["unique_id,ds,y", *lines]))
    (tmp_path / "none.csv").write_text("unique_id,ds,y\na,2024-01-31,3\n")
    done = inside("forecast", tmp_path / "many.csv", "--save", tmp_path / "m.mooe")
    assert "forecast of a" in done.stdout
    done = inside("forecast", tmp_path / "none.csv", "--resume", tmp_path / "m.mooe")
    assert "2 series of the model without a new row" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--horizon", "soon"), "horizon must be a number of rows"),
        (("--horizon", "0"), "horizon must be at least 1 row, got '0'"),
        (("--season", "x"), "season must be a number of rows"),
        (("--level", "120"), "must be percents above 0 and below 100"),
        (("--warm-up", "many"), "warm_up must be a number of rows"),
    ],
)
def test_a_wrong_option_is_named(sales, arguments, problem):
    done = inside("forecast", sales, *arguments)
    assert done.exit_code == 2
    assert problem in words(done.stderr)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "have a first row"),
        ("when,n\n", "have rows"),
        ("when,n\n2024-01-01,x\n2024-01-02,y\n", "must have a column of numbers to forecast"),
        ("when,n\n2024-01-01,1\n2024-01-02,2\n2024-01-03,=A1\n", "--na '=A1' takes that as no"),
        ("when,n\n2024-01-01,1e999\n2024-01-02,2\n", "must be finite"),
    ],
)
def test_a_table_that_cannot_be_forecast_says_why(tmp_path, text, problem):
    path = tmp_path / "table.csv"
    path.write_text(text)
    done = run("forecast", path)
    assert done.returncode == 1
    assert problem in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "rows",
    [
        ["2024-01-01,5"],
        ["2024-01-01,5", "2024-01-02,6"],
        [f"2024-01-{k:02},5" for k in range(1, 29)],
        [f"2024-01-{k:02}," for k in range(1, 29)],
        [f"2024-01-{k:02},{k}" for k in range(28, 0, -1)],
        ["2024-01-01,1"] * 20,
    ],
    ids=["one row", "two rows", "constant", "no values", "backwards", "one time"],
)
def test_odd_tables_are_forecast_all_the_same(tmp_path, rows):
    path = tmp_path / "table.csv"
    path.write_text("when,n\n" + "\n".join(rows) + "\n")
    for options in ((), ("--horizon", "100", "--report", tmp_path / "report")):
        done = inside("forecast", path, "--target", "n", "--time", "when", *options)
        assert done.exit_code == 0, done.stderr
        assert "NaN" not in inside("forecast", path, "--json").stdout


def test_fifty_series_are_forecast_by_their_names(tmp_path):
    lines = ["unique_id,ds,y"]
    for k in range(50):
        lines += [f"s{k},2024-01-{d:02},{k + d % 7}" for d in range(1, 31)]
    path = tmp_path / "many.csv"
    path.write_text("\n".join(lines) + "\n")
    found = told(path, "--horizon", "7")
    assert (found["series"], found["rows"], len(found["forecast"])) == (50, 1_500, 350)


def test_what_is_read_is_not_written_over(sales):
    for option in ("--save", "--predictions"):
        done = inside("forecast", sales, option, sales)
        assert done.exit_code == 2
        assert "must not write over" in words(done.stderr)


@pytest.fixture(scope="module")
def priced(tmp_path_factory):
    """Return daily sales that follow a price, which is known for two weeks more."""
    rng = np.random.default_rng(0)
    price, rows = rng.normal(10.0, 1.0, 314), []
    for k in range(314):
        sold = 100 + 10 * np.sin(2 * np.pi * k / 7) - 8 * (price[k] - 10) + rng.normal()
        day = np.datetime64("2023-01-01") + k
        rows.append(f"{day},{f'{sold:.2f}' if k < 300 else ''},{price[k]:.3f}")
    path = tmp_path_factory.mktemp("priced") / "sales.csv"
    path.write_text("day,sales,price\n" + "\n".join(rows) + "\n")
    return path, price


def test_a_covariate_that_is_known_ahead_moves_the_forecast(priced, tmp_path):
    path, price = priced
    found = told(path, "--covariate", "price", "--save", tmp_path / "m.mooe")
    assert (found["targets"], found["covariates"], found["rows"]) == (["sales"], ["price"], 300)
    expected = 100 + 10 * np.sin(2 * np.pi * np.arange(300, 314) / 7) - 8 * (price[300:] - 10)
    means = np.array([line["mean"] for line in found["forecast"]])
    plain = told(path, "--target", "sales", "--max-rows", "300")
    blind = np.array([line["mean"] for line in plain["forecast"]])
    assert np.abs(means - expected).mean() < 0.5 * np.abs(blind - expected).mean()
    assert "14 rows ahead are known" in " ".join(found["remarks"])
    again = told(path, "--resume", tmp_path / "m.mooe")
    assert again["forecast"] == found["forecast"]
    done = inside("forecast", path, "--resume", tmp_path / "m.mooe", "--covariate", "price")
    assert done.exit_code == 2
    assert "must be left out with --resume" in words(done.stderr)
