"""mooe keyed, as its users start it."""

import csv
import json

import numpy as np
import pytest
from command import inside

COLUMNS = ["shop", "price", "rain", "sold"]


@pytest.fixture(scope="module")
def shops(tmp_path_factory):
    """Return a file of 1,200 rows of five shops; the price's sign turns round every 240 rows."""
    path = tmp_path_factory.mktemp("shops") / "shops.csv"
    rng = np.random.default_rng(0)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for at in range(1200):
            x = rng.normal(size=2).round(4)
            sold = (x[0] > 0.0) != bool(at // 240 % 2)
            writer.writerow([f"shop {at % 5}", *x, "yes" if sold else "no"])
    return path


def test_keys_are_told_with_the_worst_of_them(shops):
    done = inside("keyed", shops, "--key", "shop", "--label", "sold")
    assert done.exit_code == 0
    assert "shops.csv: 1,200 rows, 5 keys" in done.stdout
    assert "of 1,195 rows were answered right, over 5 keys." in done.stdout
    assert "worst keys" in done.stdout
    assert "changed their regime" in done.stdout


def test_json_report_and_answers_are_written(shops, tmp_path):
    report, answers = tmp_path / "report", tmp_path / "answers.csv"
    asked = ["keyed", shops, "--key", "shop", "--label", "sold", "--json", "--keep", "rain"]
    done = inside(*asked, "--report", report, "--predictions", answers)
    assert done.exit_code == 0
    summary = json.loads(done.stdout)
    assert (summary["rows"], summary["keys"], summary["judged"]) == (1200, 5, 1195)
    assert len(summary["worst"]) == 5
    assert summary["worst"][0]["accuracy"] <= summary["worst"][-1]["accuracy"]
    assert sum(age["judged"] for age in summary["by_age"]) == 1195
    page = (report / "index.html").read_text()
    for words in ("Which keys drift?", "By age of key", "The worst keys", "Regimes across keys"):
        assert words in page
    with answers.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["row", "shop", "rain", "label", "prediction", "p_no", "p_yes"]
    assert len(rows) == 1200
    right = sum(row["label"] == row["prediction"] for row in rows)
    assert right / 1195 == pytest.approx(summary["accuracy"])
    shares = [float(row["p_no"]) + float(row["p_yes"]) for row in rows if row["prediction"]]
    assert np.allclose(shares, 1.0)


def test_columns_that_are_kept_twice_are_written_once(shops, tmp_path):
    answers, asked = tmp_path / "answers.csv", ["keyed", shops, "--key", "shop", "--label", "sold"]
    keep = ["--keep", "rain", "--keep", "shop", "--keep", "rain"]
    assert inside(*asked, *keep, "--quiet", "--predictions", answers).exit_code == 0
    with answers.open(newline="") as file:
        head, *rows = csv.reader(file)
    assert head == ["row", "shop", "rain", "label", "prediction", "p_no", "p_yes"]
    assert {len(row) for row in rows} == {len(head)}


def test_a_long_key_leaves_room_for_its_numbers(tmp_path):
    path = tmp_path / "long.csv"
    lines = [f"{'k' * 300},{at % 2},{'yes' if at % 2 else 'no'}" for at in range(40)]
    path.write_text("\n".join(["key,a,y", *lines]))
    done = inside("keyed", path, "--key", "key", "--label", "y")
    assert "k" * 39 + "…" in done.stdout
    assert "accuracy (%)   no-change" in done.stdout


def test_what_keys_share_is_told(shops, tmp_path):
    asked = ["keyed", shops, "--key", "shop", "--label", "sold", "--json", "--report", tmp_path]
    for options, words in (
        ([], "nothing shared"),
        (["--shared", "learning"], "one shared model that learns from all keys"),
        (["--shared", "learning", "--buckets", "3"], "3 shared models that learn"),
    ):
        done = inside(*asked, *options)
        assert json.loads(done.stdout)["shared"].startswith(words)
        assert words in (tmp_path / "index.html").read_text()


def test_what_cannot_be_is_refused_before_anything_is_read(shops, tmp_path):
    for options, words in (
        (["--key", "shops"], "key must be a column of shops.csv, got 'shops'; nearest: shop"),
        (["--key", "shop", "--keep", "rane"], "keep must be a column of shops.csv, got 'rane'"),
        (["--key", "sold"], "key must be another column than the label, got 'sold'"),
        (["--key", "shop", "--shared", "learnin"], "shared must be 'learning' or the file of a"),
        (["--key", "shop", "--predictions", shops], "must not write over"),
        (["--key", "shop", "--engine", "spark", "--shared", "learning"], "must be left out"),
        (["--key", "shop", "--setting", "huge"], "huge"),
    ):
        done = inside("keyed", shops, "--label", "sold", *options)
        assert done.exit_code != 0, options
        told = done.output + str(done.exception or "")
        assert words in " ".join(told.replace("│", " ").split()), (options, told)
