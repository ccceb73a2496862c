"""Tables as people have them, from file to report in one command, with no option but the label."""

import json
from pathlib import Path

import numpy as np
import pytest
from command import inside
from tables import TABLES, write

SAID = {
    "sales.csv": [
        "read with encoding cp1252, semicolons between cells, decimal commas as in",
        "thousands as in '1.0",
        "times as '03.01.2022 09:01' (%d.%m.%Y %H:%M), '-' and 'k.A.' as no value",
        "'Datum' is the clock",
        "Bestellnr: another text in every row, left out",
    ],
    "fraud.csv": ["'time' is the clock"],
    "sensors.csv": [
        "encoding utf-16-le, tabs between cells",
        "3 cannot be read (taken as the one before), 12 repeat the one before, 12 run back",
    ],
    "flights.csv": ["'date' is the clock"],
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_goes_from_file_to_report_in_one_command(name, tmp_path):
    path, label = write(tmp_path, name), TABLES[name][1]
    done = inside("run", path, "--label", label, "--report", tmp_path / "report", "--json")
    assert done.exit_code == 0, done.stderr
    for words in SAID[name]:
        assert words in done.stderr
    assert "warning" not in done.stderr
    results = json.loads(done.stdout)
    assert results["rows"] == len(path.read_bytes().splitlines()) - 1 or name == "sensors.csv"
    assert (tmp_path / "report" / "index.html").exists()
    others = {other["model"]: other for other in results["others"]}
    if results["task"] == "classification":
        # One in two hundred is told better by its odds than by its answers.
        measure = "log_loss" if name == "fraud.csv" else "accuracy"
        better = results[measure] - others["majority"].get(measure, 0.0)
        assert better > 0.05 if measure == "accuracy" else results["log_loss"] < 0.03
    else:
        assert results["mae"] < 0.6 * others["no-change"]["mae"]


def test_the_tables_are_made_from_their_seed(tmp_path):
    for name in TABLES:
        assert write(tmp_path, name).read_bytes() == write(tmp_path, name).read_bytes()
        assert write(tmp_path, name, seed=1).read_bytes() != write(tmp_path, name).read_bytes()


def rows_of_a_shop(n=600):
    """Return amounts, temperatures, towns and whether something was bought, by turns of regimes."""
    rng = np.random.default_rng(7)
    amount, degrees = rng.lognormal(7, 1, n).round(2), rng.normal(10, 8, n).round(1)
    town = rng.choice(["Zürich", "Genève", "Köln"], n)
    bought = np.where(np.arange(n) // 100 % 2, degrees > 10, amount > 1200)
    return list(zip(amount.tolist(), degrees.tolist(), town.tolist(), bought.tolist(), strict=True))


def english(value, decimals=2):
    return f"{value:,.{decimals}f}"


def swapped(value, thousands, decimals=2):
    """Return a number with a decimal comma and this sign between thousands."""
    return english(value, decimals).translate({ord(","): thousands, ord("."): ","})


# How a country or a program writes the table: sign, encoding, what is above and below, a row.
EXPORTS = {
    "German": (";", "cp1252", "", "", lambda a, t, _: (swapped(a, "."), swapped(t, ".", 1))),
    "French": (";", "utf-8", "", "", lambda a, t, _: (swapped(a, "\u202f"), swapped(t, ".", 1))),
    "Swiss": (";", "utf-8-sig", "", "", lambda a, t, _: (english(a).replace(",", "’"), t)),
    "American": ("\t", "utf-16", "", "", lambda a, t, _: (f"${english(a)}", f"{t} °F")),
    "euros": (";", "utf-8", "", "", lambda a, t, _: (f"{swapped(a, '.')} €", f"{t} %")),
    "SAP": ("|", "utf-8", "", "", lambda a, t, _: (a, f"{abs(t)}-" if t < 0 else t)),
    "books": (";", "utf-8", "", "", lambda a, t, _: (a, f"({abs(t)})" if t < 0 else t)),
    "minus": (";", "utf-8", "", "", lambda a, t, _: (a, f"{t}".replace("-", "\N{MINUS SIGN}"))),
    "report": (
        ";",
        "utf-8",
        "Sales, 2021\r\nas of 4.1.2022\r\n\r\n",
        "sum;123\r\n",
        lambda a, t, _: (a, t),
    ),
    "trailing": (";", "utf-8", "", "", lambda a, t, _: (a, t)),
}


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_of_any_country_gives_the_answers_of_the_plain_table(name, tmp_path):
    sign, encoding, above, below, cells = EXPORTS[name]
    end = f"{sign}\r\n" if name == "trailing" else "\r\n"
    lines = [f"amount{sign}degrees{sign}town{sign}has bought\r\n"]
    plain = ["amount,degrees,town,has bought\n"]
    for row, (amount, degrees, town, bought) in enumerate(rows_of_a_shop()):
        answer = "ja" if bought else "nein"
        lines.append(sign.join(map(str, (*cells(amount, degrees, row), town, answer))) + end)
        plain.append(f"{amount},{degrees},{town},{answer}\n")
    (tmp_path / "odd.csv").write_bytes((above + "".join(lines) + below).encode(encoding, "replace"))
    (tmp_path / "plain.csv").write_text("".join(plain))
    odd, usual = (
        inside("run", tmp_path / f"{which}.csv", "--label", "has bought", "--json", "--quiet")
        for which in ("odd", "plain")
    )
    assert odd.exit_code == 0, odd.stderr
    told, expected = (json.loads(done.stdout) for done in (odd, usual))
    assert (told["rows"], told["features"]) == (expected["rows"], 3)
    assert told["accuracy"] == expected["accuracy"]


def test_what_may_be_wrong_with_labels_and_times_is_said_with_what_to_do(tmp_path):
    rows = [f"2021-01-{28 - i % 28:02d},{i % 7},{'Ja' if i % 9 == 0 else 'ja'}" for i in range(140)]
    rows[5] = rows[5].rpartition(",")[0] + ","
    (tmp_path / "d.csv").write_text("t,x,y\n" + "\n".join([*rows, "2021-02-01,3,nein"]) + "\n")
    said = inside("run", tmp_path / "d.csv", "--label", "y").stderr
    assert "not that of time: sort the file by 't' to judge it by that" in said
    assert "1 row without a label: answered, neither judged nor learnt" in said
    assert "warning: 'Ja' and 'ja' are classes of their own" in said
    (tmp_path / "d.csv").write_text("x,y\n" + "".join(f"{i},name {i}\n" for i in range(200)))
    said = inside("run", tmp_path / "d.csv", "--label", "y").stderr
    assert "warning: the label has 200 classes, all of them texts; is --label the right" in said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device")
def test_what_cannot_be_written_is_named(tmp_path):
    path = write(tmp_path, "flights.csv")
    for option, what in (("--save", "the model"), ("--predictions", "predictions")):
        arguments = ("run", path, "--label", TABLES["flights.csv"][1], "--max-rows", "50")
        done = inside(*arguments, option, "/dev/full")
        assert done.exit_code == 1
        assert f"{what} could not be written to /dev/full (No space left" in done.stderr
