"""Rows of a table as rows of the model that it taught."""

import csv

import pytest
from command import inside
from shop import as_csv, made_rows

from mooe.model import Model
from mooe.platform import Platform
from mooe.platform.table_rows import reader_of


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Return the file of a model that a table with texts has taught, and its answers to others."""
    folder = tmp_path_factory.mktemp("shop")
    rows = list(made_rows(20, seed=5))
    (folder / "shop.csv").write_text(as_csv(made_rows(800)))
    (folder / "new.csv").write_text(as_csv(rows))
    taught = inside(
        *("run", folder / "shop.csv", "--label", "bought", "--drop", "when", "--quiet"),
        *("--save", folder / "model"),
    )
    assert taught.exit_code == 0, taught.stderr
    inside("predict", folder / "model", folder / "new.csv", "--out", folder / "answers.csv")
    with (folder / "answers.csv").open() as file:
        answers = list(csv.DictReader(file))
    xs = [
        {
            "size": float(row["size"]) if row["size"] else None,
            "colour": row["colour"],
            "weight": float(row["weight"]),
        }
        for row in rows
    ]
    return (folder / "model").read_bytes(), xs, answers


def test_the_platform_answers_rows_of_a_table_as_the_command_does(saved, tmp_path):
    blob, xs, answers = saved
    with Platform(tmp_path / "store") as platform:
        platform.create("m", file=blob)
        for x, expected in zip(xs, answers, strict=True):
            answer = platform.predict("m", x)
            assert answer.prediction == expected["prediction"]
            assert dict(answer.probabilities)["yes"] == pytest.approx(
                float(expected["p_yes"]), abs=1e-6
            )
        many = platform.predict_many("m", xs)
        platform.feedback("m", many[0].id, "yes")
        assert platform.get("m").n_labelled == 801
        assert platform.explain("m", x=xs[0]).inputs


def test_the_columns_of_the_model_are_taken_as_they_are(saved):
    reader = reader_of(Model.from_bytes(saved[0]))
    own = {"size": 1.0, "colour=red": 1.0}
    assert reader.values(own) is own
    assert reader.values([1.0]) == [1.0]
    read = reader.values({"size": 1, "colour": "never met", "new": 2.0})
    assert [read[name] for name in read if name.startswith("colour=")] == [0.0, 0.0, 0.0]
    assert read["new"] == 2.0


@pytest.mark.parametrize("x", [{"size": "large"}, {"colour": ["red"]}])
def test_what_the_table_could_not_hold_is_refused(saved, x):
    with pytest.raises(ValueError, match="in x must be"):
        reader_of(Model.from_bytes(saved[0])).values(x)


def test_dates_are_read_as_the_command_reads_them(tmp_path):
    lines = ["when,size,y"]
    lines += [
        f"2026-01-{1 + i // 24:02}T{i % 24:02}:00,{i % 5},{'ab'[i % 24 > 11]}" for i in range(480)
    ]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    done = inside(
        *("run", tmp_path / "t.csv", "--label", "y", "--calendar", "--quiet"),
        *("--save", tmp_path / "model"),
    )
    assert done.exit_code == 0, done.stderr
    (tmp_path / "new.csv").write_text("when,size\n2026-02-03T15:00,1\n2026-02-03T03:00,1\n")
    inside("predict", tmp_path / "model", tmp_path / "new.csv", "--out", tmp_path / "out.csv")
    with (tmp_path / "out.csv").open() as file:
        expected = [row["p_b"] for row in csv.DictReader(file)]
    with Platform(tmp_path / "store") as platform:
        platform.create("m", file=(tmp_path / "model").read_bytes())
        xs = [{"when": f"2026-02-03T{hour}:00", "size": 1} for hour in ("15", "03")]
        for x, share in zip(xs, expected, strict=True):
            answer = platform.predict("m", x)
            assert dict(answer.probabilities)["b"] == pytest.approx(float(share), abs=1e-6)
        with pytest.raises(ValueError, match="must be a date such as"):
            platform.predict("m", {"when": "noon", "size": 1})


def test_other_models_have_no_table():
    from mooe.auto.params import AutoParams

    assert reader_of(Model(AutoParams())) is None
