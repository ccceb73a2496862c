"""Frames with texts, categories, truth values and dates: as the command reads the same table."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from command import inside
from sklearn.base import clone
from tables import flights, sales

import mooe
from mooe import Model, MOOEClassifier, MOOERegressor, PaperMOOEClassifier
from mooe.auto.params import AutoParams
from mooe.datasets import open_stream
from mooe.streams import encoding
from mooe.tables import SourceColumns, columns_of, has_texts

N = 1_200


def people(n=N, seed=0):
    """Return a frame with every kind of column, and its labels."""
    rng = np.random.default_rng(seed)
    town = rng.choice(["Köln", "Rom", "Paris", None], n, p=[0.5, 0.3, 0.19, 0.01])
    size = rng.normal(size=n)
    size[rng.random(n) < 0.02] = np.nan
    frame = pd.DataFrame(
        {
            "size": size,
            "town": town,
            "grade": pd.Categorical(rng.choice(["a", "b", "c"], n)),
            "member": rng.random(n) < 0.4,
            "when": pd.date_range("2024-01-01", periods=n, freq="37min"),
            "visits": rng.integers(0, 9, n),
        }
    )
    frame.loc[n // 2 :, "town"] = frame.loc[n // 2 :, "town"].replace("Rom", "Oslo")  # comes late
    odds = np.nan_to_num(size) + (frame["grade"] == "b") - 2 * (frame["town"] == "Köln")
    y = np.where(rng.random(n) < 1 / (1 + np.exp(-2 * odds)), "yes", "no")
    return frame, y


def learnt(model):
    """Return what a model has learnt and can be asked about, without notes."""
    model = Model.from_bytes(model.to_bytes())
    return model.state.block.tobytes(), model.columns, model.groups, model.labels.names


def quietly(call, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(*arguments, **options)


@pytest.fixture(scope="module", params=[False, True], ids=["", "calendar"])
def by_command(request, tmp_path_factory):
    """Return whether there is a calendar, the model of the command, the file and the frame."""
    folder = tmp_path_factory.mktemp("people")
    frame, y = people()
    frame.assign(label=y).to_csv(folder / "people.csv", index=False)
    options = ["--calendar"] if request.param else []
    done = inside(
        *("run", folder / "people.csv", "--label", "label", "--save", folder / "m", "-q"), *options
    )
    assert done.exit_code == 0, done.stderr
    return request.param, folder, frame, y


def as_polars(frame):
    return pytest.importorskip("polars").from_pandas(frame)


def as_arrow(frame):
    return pytest.importorskip("pyarrow").Table.from_pandas(frame)


def as_objects(frame):
    return frame.astype(object)


@pytest.mark.parametrize("kind", [pd.DataFrame, as_polars, as_arrow, as_objects])
def test_a_frame_gives_the_bits_of_its_file(by_command, kind):
    calendar, folder, frame, y = by_command
    model = quietly(MOOEClassifier(calendar=calendar).partial_fit, kind(frame), y)
    expected = Model.load(folder / "m")
    assert learnt(model.model_) == learnt(expected)
    saved, again = mooe.load(folder / "m"), clone_of_bytes(model)
    assert saved.predict(kind(frame)).tolist() == model.predict(kind(frame)).tolist()
    assert saved.calendar == calendar
    names = [name for name in frame.columns if calendar or name != "when"]
    assert model.feature_names_in_.tolist() == again.feature_names_in_.tolist() == names
    assert saved.feature_names_in_.tolist() == names, "the file's order is kept"


def test_a_table_with_its_columns_in_another_order_leaves_the_model_its_own(by_command, tmp_path):
    calendar, folder, frame, y = by_command
    turned = frame.assign(label=y)[["label", *frame.columns[::-1]]]
    turned.to_csv(tmp_path / "turned.csv", index=False)
    options = ["--calendar"] if calendar else []
    resume = ("--resume", folder / "m", "--save", tmp_path / "m", "-q", *options)
    done = inside("run", tmp_path / "turned.csv", *resume)
    assert done.exit_code == 0, done.stderr
    before, after = mooe.load(folder / "m"), mooe.load(tmp_path / "m")
    assert after.feature_names_in_.tolist() == before.feature_names_in_.tolist()


def test_a_parquet_file_gives_the_bits_of_its_frame(by_command, tmp_path):
    pytest.importorskip("pyarrow")
    calendar, folder, frame, y = by_command
    frame.assign(label=y).to_parquet(tmp_path / "people.parquet")
    table = ("run", tmp_path / "people.parquet", "--label", "label", "--save", tmp_path / "m", "-q")
    assert inside(*table, *(["--calendar"] if calendar else [])).exit_code == 0
    assert learnt(Model.load(tmp_path / "m")) == learnt(Model.load(folder / "m"))


def test_rows_one_by_one_and_a_restart_give_the_bits_of_all_at_once(by_command):
    calendar, _, frame, y = by_command
    whole = quietly(MOOEClassifier(calendar=calendar).partial_fit, frame, y)
    model = quietly(MOOEClassifier(calendar=calendar).partial_fit, frame[:300], y[:300])
    for row in range(300, 320):
        model.partial_fit(frame[row : row + 1], y[row : row + 1])
    model = MOOEClassifier.from_bytes(model.to_bytes())
    model.partial_fit(frame[320:1_000], y[320:1_000])
    model = clone_of_bytes(model).partial_fit(frame[1_000:], y[1_000:])
    assert model.to_bytes() == whole.to_bytes()
    assert model.calendar == calendar


def clone_of_bytes(model):
    return type(model).from_bytes(model.to_bytes())


def test_the_command_goes_on_with_a_model_that_a_frame_taught(by_command, tmp_path):
    calendar, folder, frame, y = by_command
    model = quietly(MOOEClassifier(calendar=calendar).partial_fit, frame[:700], y[:700])
    model.save(tmp_path / "half")
    frame.assign(label=y)[700:].to_csv(tmp_path / "rest.csv", index=False)
    done = inside(
        *("run", tmp_path / "rest.csv", "--label", "label", "--resume", tmp_path / "half"),
        *("--save", tmp_path / "m", "-q"),
    )
    assert done.exit_code == 0, done.stderr
    assert learnt(Model.load(tmp_path / "m")) == learnt(Model.load(folder / "m"))


def test_what_was_left_out_is_said_once_and_in_a_line():
    frame, y = people()
    frame["id"] = [f"u{row}" for row in range(N)]
    model = MOOEClassifier()
    with pytest.warns(UserWarning, match="left out") as said:
        model.partial_fit(frame[:500], y[:500])
    lines = [str(warning.message) for warning in said]
    assert len(lines) == 2
    assert "when: times are no inputs and are left out; calendar=True makes" in lines[0]
    assert lines[1] == "id: another text in every row, left out"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.partial_fit(frame[500:], y[500:])
    assert model.n_features_in_ == 5
    assert model.feature_names_in_.tolist() == ["size", "town", "grade", "member", "visits"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda f: f.assign(size=["1", "lots", "2"]),
            "row 1, column 'size' must be a number.*lots",
        ),
        (lambda f: f.assign(visits=[1, np.inf, 2]), "row 1, column 'visits' must be finite.* inf"),
        (lambda f: f.drop(columns="town"), "X must have the column 'town'"),
        (lambda f: f.to_numpy(), r"X must be a frame with the columns size, town.*\(3, 6\)"),
        (lambda f: f.assign(member=["yes", "no", "no"]), "row 0, column 'member' .* got 'yes'"),
        (lambda f: pd.concat([f, f[["size"]]], axis=1), "different names, got 'size' twice"),
        (lambda f: pl.from_pandas(f).lazy(), r"got a lazy one: X.collect\(\) has them"),
    ],
)
def test_what_a_model_cannot_take_is_named_and_leaves_it_as_it_was(change, message):
    frame, y = people()
    model = quietly(MOOEClassifier().partial_fit, frame, y)
    before = model.to_bytes()
    odd = change(frame[:3])
    for call in (lambda: model.partial_fit(odd, y[:3]), lambda: model.predict(odd)):
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(ValueError, match="inconsistent"):
        model.partial_fit(frame, y[:5])
    with pytest.raises(ValueError, match="y must"):
        model.partial_fit(frame[:2], np.array([None, "yes"], dtype=object))
    assert model.to_bytes() == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda f: f.assign(size=pd.to_timedelta(f["size"], unit="s")),
            "got durations in column 'si",
        ),
        (
            lambda f: f.set_axis(range(f.shape[1]), axis=1),
            "need a frame with named columns",
        ),
        (lambda f: f.to_numpy(), "need a frame with named columns"),
        (
            lambda f: f.to_dict("records"),
            r"got a list of values: pandas.DataFrame\(X\) makes a frame",
        ),
        (lambda f: f.to_dict("list"), r"got a dict of values: pandas.DataFrame\(X\) makes a frame"),
        (lambda f: f[[]], "X must have columns, got a frame without any"),
        (lambda f: f[:0], "X must have at least 1 row, got 0"),
    ],
)
def test_what_is_no_table_is_told_what_to_become(change, message):
    frame, y = people()
    odd = change(frame)
    with pytest.raises((ValueError, TypeError), match=message):
        quietly(MOOEClassifier().fit, odd, y[: len(odd)])


def test_a_calendar_is_wanted_or_not():
    frame, y = people()
    with pytest.raises(ValueError, match="calendar must be True or False, got 'no'"):
        quietly(MOOEClassifier(calendar="no").fit, frame, y)


def test_a_failure_halfway_leaves_a_model_as_it_was(monkeypatch):
    frame, y = people()
    model = quietly(MOOEClassifier().partial_fit, frame[:100], y[:100])
    before, learn, calls = model.to_bytes(), Model.learn, []

    def fail_at_last(self, *arguments, **options):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return learn(self, *arguments, **options)

    monkeypatch.setattr(Model, "learn", fail_at_last)
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(frame[100:], y[100:])  # Oslo comes in between
    monkeypatch.undo()
    assert model.to_bytes() == before


def test_columns_are_found_by_their_names_and_texts_never_seen_are_left_out():
    frame, y = people()
    model = quietly(MOOEClassifier().partial_fit, frame, y)
    expected = model.predict_proba(frame)
    mixed = frame[frame.columns[::-1]].assign(more=1.0)
    np.testing.assert_array_equal(model.predict_proba(mixed), expected)
    unknown = model.predict_proba(frame.assign(town="Atlantis"))
    absent = model.predict_proba(frame.assign(town=None))
    np.testing.assert_array_equal(unknown, absent)


def test_regression_the_paper_s_model_and_clones_take_frames_too():
    frame, y = people()
    frame["size"] = frame["size"].fillna(0.0)  # the paper's model knows no absent values
    values = frame["size"].to_numpy() + (frame["grade"] == "b")
    regressor = quietly(MOOERegressor().fit, frame, values)
    assert regressor.score(frame, values) > 0.9
    paper = quietly(PaperMOOEClassifier().fit, frame, y)
    assert paper.score(frame, y) > 0.7
    again = quietly(clone(paper).fit, frame, y)
    assert again.to_bytes() == paper.to_bytes()
    numbers = frame[["size", "visits"]]
    assert paper.fit(numbers, y).n_features_in_ == 2  # fit starts anew


def test_known_classes_and_weights_go_with_frames():
    frame, y = people()
    model = quietly(MOOEClassifier().partial_fit, frame, y, ["maybe", "no", "yes"])
    assert model.classes_.tolist() == ["maybe", "no", "yes"]
    weights = np.where(y == "yes", 2.0, 0.0)
    one = quietly(MOOEClassifier().partial_fit, frame, y, sample_weight=weights)
    assert one.classes_.tolist() == ["yes"]


def test_added_experts_see_the_frame_itself():
    frame, y = people(300)

    class Looks:
        classes_ = np.array(["no", "yes"])

        def predict_proba(self, X):
            assert list(X.columns) == list(frame.columns)
            return np.tile([0.5, 0.5], (len(X), 1))

    model = MOOEClassifier().add_expert(Looks(), "looks")
    quietly(model.partial_fit, frame, y)
    model.predict(frame)


def test_frames_of_numbers_are_the_arrays_they_always_were():
    frame, y = people()
    numbers = frame[["visits", "member"]]
    assert not has_texts(numbers)
    assert not has_texts(numbers.to_numpy())
    assert has_texts(frame)
    assert columns_of(numbers.to_numpy()) is None
    by_frame = MOOEClassifier().fit(numbers, y)
    by_array = MOOEClassifier().fit(numbers.to_numpy(dtype=float), y)
    assert learnt(by_frame.model_)[0] == learnt(by_array.model_)[0]
    assert "source" not in by_frame.model_.notes


def test_a_model_that_takes_arrays_alone_says_who_takes_frames():
    frame, _ = people(10)
    with pytest.raises(ValueError, match="MOOEClassifier and MOOERegressor take frames with texts"):
        Model(AutoParams()).learn(frame[["town"]], np.zeros(10))


@pytest.mark.parametrize("make", [sales, flights])
def test_two_halves_of_a_table_give_the_model_of_the_whole(make, tmp_path, monkeypatch):
    monkeypatch.setattr(encoding, "MOST_OWN", 60)  # so that texts have to share
    label = {"sales": "Retoure", "flights": "late"}[make.__name__]
    head, *rows = make(n=2_600).splitlines(keepends=True)
    for name, some in (("whole", rows), ("first", rows[:1_300]), ("rest", rows[1_300:])):
        (tmp_path / f"{name}.csv").write_bytes(head + b"".join(some))
    table = ("--label", label, "-q", "--max-rows", "2600")
    for name, more in (("whole", ()), ("first", ()), ("rest", ("--resume", tmp_path / "first.m"))):
        path = tmp_path / f"{name}.csv"
        done = inside("run", path, *table, "--save", tmp_path / f"{name}.m", *more)
        assert done.exit_code == 0, done.stderr
    whole, rest = (Model.load(tmp_path / f"{name}.m") for name in ("whole", "rest"))
    assert learnt(whole) == learnt(rest)
    if make is flights:
        shared = [column for column in whole.columns if column.startswith("origin#")]
        assert shared
        assert {whole.groups[whole.columns.index(column)] for column in shared} == {"origin"}
    source = SourceColumns.of(rest)
    assert source == SourceColumns.of(whole)
    stream = open_stream(tmp_path / "rest.csv", label=label, **source.reading(rest))
    assert stream.kinds == source.inputs


def test_what_a_model_notes_of_its_table_is_read_back(tmp_path):
    frame, y = people()
    model = quietly(MOOEClassifier(calendar=True).fit, frame, y).model_
    source = SourceColumns.of(model)
    assert source.inputs["when"] == "time"
    assert source.is_encoded
    reading = source.reading(model)
    assert reading["texts"]["town"][:2] == [t for t in dict.fromkeys(frame["town"]) if t][:2]
    assert set(reading["texts"]["when: weekday"]) == set(encoding.WEEKDAYS)
    assert SourceColumns.is_noted_well(model)
    for odd in (
        {"decimal": ";"},
        {"date_format": 5},
        {"is_narrow": True},
        {"inputs": {"a": "?"}},
        {"units": {"a": 5}},
        {"decimals": {"a": ";"}},
        {"decimals": ["."]},
    ):
        model.notes = {"source": odd}
        assert not SourceColumns.is_noted_well(model)


def test_a_model_knows_the_units_of_its_table(tmp_path):
    rows = "".join(f"{i % 9} €,{'yes' if i % 9 > 4 else 'no'}\n" for i in range(300))
    (tmp_path / "shop.csv").write_text("price,y\n" + rows)
    saved = tmp_path / "model"
    assert inside("run", tmp_path / "shop.csv", "--label", "y", "--save", saved).exit_code == 0
    assert SourceColumns.of(Model.load(saved)).units == {"price": "€"}
    answers = inside("predict", saved, "-", text_in='price\n""\n8 €\n').stdout.splitlines()
    assert answers[2].startswith("1,yes,"), "though the first row does not show it"
    refused = inside("predict", saved, "-", text_in="price\n8 $\n")
    assert refused.exit_code == 1
    assert "got '8 $'" in (refused.stderr or str(refused.exception))


def test_a_model_knows_what_a_comma_meant_in_a_column_of_its_table(tmp_path):
    rows = "".join(f"{17 * i:,}\t{i % 7}.5\t{'yes' if i > 150 else 'no'}\n" for i in range(300))
    (tmp_path / "shop.tsv").write_text("items\tprice\ty\n" + rows)
    saved = tmp_path / "model"
    assert inside("run", tmp_path / "shop.tsv", "--label", "y", "--save", saved).exit_code == 0
    assert SourceColumns.of(Model.load(saved)).decimals == {"items": ".", "price": "."}
    (tmp_path / "one.tsv").write_text("items\tprice\n1,096\t2,5\n")
    said = inside("predict", saved, tmp_path / "one.tsv").output
    assert "thousands as in '1,096'" in said, "though the other column has a decimal comma"


def test_a_frame_without_rows_is_refused_in_words_about_rows():
    frame, y = people(300)
    model = quietly(MOOEClassifier().fit, frame, y)
    for ask in (model.predict, model.predict_proba):
        with pytest.raises(ValueError, match=r"^X must have at least 1 row, got 0$"):
            ask(frame[:0])


def shuffled(rows, seed):
    """Return a frame with its columns in another order and under other names."""
    order = np.random.default_rng(seed).permutation(rows.shape[1])
    return rows.iloc[:, order].rename(columns=lambda name: f"{seed}{name[::-1]}")


def test_neither_the_order_of_columns_nor_their_names_decide():
    rng = np.random.default_rng(5)
    rows = pd.DataFrame(
        {
            "price": np.round(rng.normal(size=400), 1),
            "weight": np.round(rng.normal(size=400), 1),
            "from": rng.choice(["Kiel", "Ulm", "Rom"], 400, p=[0.8, 0.1, 0.1]),
            "to": rng.choice(["Kiel", "Ulm", "Rom"], 400, p=[0.8, 0.1, 0.1]),
            "colour": rng.choice(["red", "blue"], 400),
            "new": rng.choice([True, False], 400),
        }
    )
    rows.loc[:3, "weight"] = rows.loc[:3, "price"]
    rows.loc[:5, ["from", "to"]] = "Kiel"
    y = np.where((rows["from"] == "Ulm") | (rows["price"] > rows["weight"]), "yes", "no")

    def answered(rows):
        model = MOOEClassifier()
        for first, end in ((0, 1), (1, 2), (2, 6), (6, 8), (8, 100), (100, 400)):
            model.partial_fit(rows[first:end], y[first:end], classes=["no", "yes"])
            yield model.predict_proba(rows[:50])

    expected = list(answered(rows))
    for seed in (1, 2, 3):
        np.testing.assert_array_equal(list(answered(shuffled(rows, seed))), expected)


def test_warnings_of_a_frame_speak_python():
    frame = pd.DataFrame(
        {
            "when": pd.date_range("2024-01-01", periods=60),
            "size": [*map(str, range(59)), "oops"],
            "town": ["Rom", "Oslo"] * 30,
        }
    )
    with pytest.warns(UserWarning, match="calendar=True|taken as texts") as told:
        MOOEClassifier().fit(frame, [0, 1] * 30)
    texts = [str(warning.message) for warning in told]
    assert "when: times are no inputs and are left out; calendar=True makes their" in texts[0]
    assert texts[1].startswith("'size' is taken as texts, though 59 of its 60 values")
    assert "frame['size'].replace('oops', None)" in texts[1]
    assert not any("--" in text for text in texts)


def test_categories_that_are_numbers_are_texts_without_a_warning():
    frame = pd.DataFrame({"a": np.arange(50.0) % 7, "k": pd.Categorical(np.arange(50) % 3)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = mooe.MOOEClassifier().partial_fit(frame, np.arange(50) % 2)
    assert "k=2" in str(model)
