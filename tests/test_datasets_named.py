"""The streams of the paper, as they lie in MOOE_DATA_HOME, against what is written of them."""

import os
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from mooe.datasets import (
    agrawal,
    archive,
    catalogue,
    describe,
    electricity,
    fetch,
    gas_sensor,
    kitsune,
    open_stream,
    sources,
    spam,
    usenet1,
    verify,
)
from mooe.datasets.sources import SPAM, bag_lines, chosen_lines
from mooe.streams.stream import StreamError, sha256_of

# name: rows, features, classes, share of the majority, share of labels equal to the one before
TABLE = {
    "Usenet1": (1_500, 99, 2, 0.533, 0.330),
    "Weather": (18_159, 8, 2, 0.686, 0.680),
    "Electricity": (45_312, 8, 2, 0.575, 0.853),
    "Powersupply": (29_928, 2, 2, 0.500, 0.917),
    "Powersupply24": (29_928, 2, 24, 0.042, 0.000),
    "Covertype": (581_012, 54, 7, 0.488, 0.951),
    "GasSensor": (6_697, 128, 6, 0.266, 0.962),
    "WESAD": (1_484, 54, 2, 0.776, 0.979),
    "Email": (1_500, 913, 2, 0.533, 0.336),
    "Spam": (9_324, 499, 2, 0.744, 0.916),
    "Spam_full": (9_324, 39_916, 2, 0.744, 0.916),
    "ijcnn1": (49_990, 22, 2, 0.903, 0.826),
    "cod-rna": (59_535, 8, 2, 0.667, 1.000),
}
HERE = os.environ.get("MOOE_DATA_HOME")
needs_data = pytest.mark.skipif(
    not HERE or not Path(HERE).is_dir(), reason="MOOE_DATA_HOME is not set: no real streams"
)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """Keep the user's own cache out of it."""
    monkeypatch.setenv("MOOE_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@needs_data
@pytest.mark.parametrize("name", TABLE)
def test_a_stream_is_what_is_written_of_it(name):
    n_rows, n_features, n_classes, majority, no_change = TABLE[name]
    stream = open_stream(name)  # compares the checksum
    labels = []
    for chunk in stream.chunks():
        labels.append(chunk.y)
        assert chunk.X.shape == (len(chunk.y), n_features)
        assert sparse.issparse(chunk.X) == (name == "Spam_full")
        assert chunk.n_missing == chunk.n_skipped == 0
    y = np.concatenate(labels)
    assert (stream.name, stream.task) == (name, "classification")
    assert (stream.n_rows, len(y), len(stream.feature_names)) == (n_rows, n_rows, n_features)
    _, counts = np.unique(y, return_counts=True)
    assert len(counts) == n_classes
    assert abs(counts.max() / n_rows - majority) <= 0.0005001
    assert abs(np.count_nonzero(y[1:] == y[:-1]) / n_rows - no_change) <= 0.0005001
    assert stream.source
    assert stream.citation
    assert stream.licence


@needs_data
def test_labels_are_those_of_the_source():
    assert set(electricity(max_rows=100).load().y) == {"UP", "DOWN"}
    assert set(open_stream("ijcnn1", max_rows=1_000).load().y.tolist()) == {-1.0, 1.0}
    hours = open_stream("Powersupply24", max_rows=48).load().y
    assert hours.tolist() == [*range(24), *range(24)]
    before_noon = open_stream("Powersupply", max_rows=48).load().y
    assert before_noon.tolist() == (hours < 12).astype(int).tolist()


@needs_data
def test_spam_is_made_from_spam_full():
    lines = chosen_lines(Path(HERE) / "Spam_full.svm.xz")
    assert sha256_of(line.encode() for line in lines) == SPAM.sha256


@needs_data
def test_options_reach_named_streams():
    stream = open_stream("Electricity", drop=["date", "day"], max_rows=1_500)
    assert stream.n_rows == 1_500
    assert stream.feature_names[0] == "period"
    assert [len(chunk.y) for chunk in stream.chunks(1_000)] == [1_000, 500]


@needs_data
def test_a_checksum_is_compared_once_and_then_remembered(cache, monkeypatch):
    usenet1()
    assert (cache / "checked.json").exists()
    monkeypatch.setattr(archive, "sha256_of", lambda pieces: pytest.fail("read again"))
    usenet1()


def test_a_wrong_checksum_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setenv("MOOE_DATA_HOME", str(tmp_path))
    import lzma

    with lzma.open(tmp_path / "Usenet1.csv.xz", "wt") as file:
        file.write("a,class\n1,0\n")
    with pytest.raises(StreamError, match=r"sha256 of Usenet1.csv.xz must be a3d3b6db.*, got '"):
        usenet1()
    found = verify("Usenet1")
    assert not found.ok
    assert found.path == tmp_path / "Usenet1.csv.xz"
    assert found.found != found.expected
    with pytest.raises(StreamError, match="sha256"):
        fetch("Usenet1")


@needs_data
def test_verify_and_fetch_speak_of_what_is_here(monkeypatch, tmp_path):
    assert verify("Weather").ok
    assert fetch("Weather") == Path(HERE) / "Weather.csv.xz"
    monkeypatch.setenv("MOOE_DATA_HOME", str(tmp_path))
    assert not verify("Weather").ok
    assert verify("Weather").path is None


def test_every_stream_is_described():
    entries = {entry.name: entry for entry in describe()}
    assert set(TABLE) | {"Kitsune", "GasSensor10"} <= set(entries)
    for name, (n_rows, n_features, n_classes, _, _) in TABLE.items():
        entry = entries[name]
        assert (entry.n_rows, entry.n_features) == (n_rows, n_features)
        assert entry.n_classes == n_classes
        assert entry.source.startswith("http")
        assert entry.licence
    made = [entry for entry in entries.values() if entry.is_made]
    assert {"synthetic", "recurring", "abrupt", "gradual", "noise"} < {made.name for made in made}
    assert "gives it away" in entries["ijcnn-drift-leaking"].note


@pytest.mark.parametrize("name", catalogue.MADE)
def test_a_stream_that_is_made_is_what_is_told_of_it(name):
    if name.startswith(("ijcnn", "cod-rna")) and not HERE:
        pytest.skip("MOOE_DATA_HOME is not set: no real streams")
    (entry,) = [entry for entry in describe() if entry.name == name]
    stream = open_stream(name, max_rows=2_000, seed=1)
    assert (stream.name, stream.n_rows) == (name, 2_000)
    assert len(np.unique(stream.y)) == entry.n_classes
    assert entry.is_made
    assert entry.source.startswith("Return ")
    if not name.startswith(("ijcnn", "cod-rna")):  # which have that of the rows they are made from
        assert entry.citation == stream.citation


def test_parameters_of_a_stream_that_is_made_go_with_its_name():
    given = {"concepts": (2, 6), "length": 50, "perturbation": 0.2, "n": np.int64(300)}
    texts = {"concepts": "2, 6", "length": "50", "perturbation": ".2", "n": "300"}
    wanted = agrawal(**given, seed=3)
    for made in (given, texts):
        stream = open_stream("agrawal", seed=3, made=made)
        np.testing.assert_array_equal(stream.X, wanted.X)
        np.testing.assert_array_equal(stream.concept, wanted.concept)


@pytest.mark.parametrize(
    ("name", "made", "message"),
    [
        ("sea", {"nose": 0.1}, r"made must be a parameter of sea \(n, .*, noise\), got 'nose'"),
        ("sea", {"seed": 1}, "made must be a parameter of sea .*, got 'seed'"),
        ("ijcnn-drift-leaking", {"leaking": 0}, "a parameter of .* .it has none., got 'leaking'"),
        ("sea", {"n": 2.5}, "n must be a whole number, got 2.5"),
        ("sea", {"n": float("inf")}, "n must be a whole number, got inf"),
        ("sea", {"n": True}, "n must be a whole number, got True"),
        ("sea", {"length": ""}, "length must be a whole number, got ''"),
        ("sea", {"noise": "much"}, "noise must be a number, got 'much'"),
        ("sea", {"noise": None}, "noise must be a number"),
        ("sea", {"noise": "1.5"}, "noise must be between 0 and 1, got 1.5"),
        ("sea", {"concepts": "0,x"}, "concepts must be whole numbers, got '0,x'"),
        ("sea", {"concepts": 3}, "concepts must be whole numbers, got 3"),
        ("sea", {"concepts": ((0, 1), (1,))}, "concepts must be whole numbers, got"),
        ("Usenet1", {"n": 5}, "made must not be given for Usenet1, which is read, not made"),
    ],
)
def test_parameters_that_a_stream_cannot_have_are_refused(name, made, message):
    with pytest.raises(StreamError, match=message):
        open_stream(name, made=made)


def test_names_that_are_not_there():
    with pytest.raises(StreamError, match="got 'Wether'; nearest: Weather"):
        verify("Wether")
    with pytest.raises(StreamError, match="must be read from a file, not made, got 'recurring'"):
        fetch("recurring")


def batch(folder, number, rows, concentration):
    """Write a made batch in the published layout and return its numbers and labels."""
    rng = np.random.default_rng(number)
    X, y = rng.normal(size=(rows, 128)).round(6), rng.integers(1, 7, size=rows)
    with open(folder / f"batch{number}.dat", "w") as file:
        for row, label in zip(X, y, strict=True):
            first = f"{label};{rng.uniform(1, 1_000):.6f}" if concentration else str(label)
            cells = " ".join(f"{j}:{value:.6f}" for j, value in enumerate(row, 1))
            file.write(f"{first} {cells} \n")
    return X, y


@pytest.mark.parametrize("concentration", [False, True])
def test_ten_batches_of_gas_sensors_are_read_in_their_order(tmp_path, concentration):
    parts = [batch(tmp_path, number, 3 + number, concentration) for number in range(1, 11)]
    stream = gas_sensor(tmp_path)
    loaded = stream.load()
    np.testing.assert_array_equal(loaded.X, np.concatenate([X for X, _ in parts]))
    np.testing.assert_array_equal(loaded.y, np.concatenate([y for _, y in parts]))
    assert stream.n_rows is None
    assert stream.name == "GasSensor10"


def test_a_broken_batch_is_named(tmp_path):
    for number in range(1, 11):
        batch(tmp_path, number, 2, False)
    with open(tmp_path / "batch7.dat", "a") as file:
        file.write("3 1:5 3:2\n")
    with pytest.raises(StreamError, match=r"batch7.dat, line 3 must be 'class 1:value"):
        gas_sensor(tmp_path)
    (tmp_path / "batch4.dat").unlink()
    with pytest.raises(StreamError, match=r"file must exist, got '.*batch4.dat'"):
        gas_sensor(tmp_path)


@pytest.mark.parametrize("head", ["", '"","x"\n'], ids=["labels alone", "numbered below names"])
def test_a_capture_of_kitsune_is_read_with_its_labels(tmp_path, head):
    import gzip

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1_200, 115)), rng.integers(2, size=1_200)
    with gzip.open(tmp_path / "Flood_dataset.csv.gz", "wt") as file:
        file.writelines(",".join(map(repr, row)) + "\n" for row in X.tolist())
    with gzip.open(tmp_path / "Flood_labels.csv.gz", "wt") as file:
        file.write(head)
        file.writelines(f'"{i}",{v}\n' if head else f"{v}\n" for i, v in enumerate(y, 1))
    files = tmp_path / "Flood_dataset.csv.gz", tmp_path / "Flood_labels.csv.gz"
    loaded = kitsune(*files).load()
    np.testing.assert_array_equal(loaded.X, X)
    np.testing.assert_array_equal(loaded.y, y)
    with pytest.raises(StreamError, match="dataset and labels must be given together"):
        kitsune(files[0])


def test_kitsune_files_must_fit_each_other(tmp_path):
    (tmp_path / "d.csv").write_text((",".join("1" * 115) + "\n") * 3)
    (tmp_path / "l.csv").write_text("0\n1\n")
    with pytest.raises(StreamError, match="must have one label for each row"):
        kitsune(tmp_path / "d.csv", tmp_path / "l.csv")
    (tmp_path / "l.csv").write_text("0\n2\n1\n")
    with pytest.raises(StreamError, match=r"label in l.csv must be 0 or 1, got '2'"):
        kitsune(tmp_path / "d.csv", tmp_path / "l.csv")
    (tmp_path / "d.csv").write_text("1,2,3\n")
    with pytest.raises(StreamError, match="row 1 must have 115 columns, got '1,2,3'"):
        kitsune(tmp_path / "d.csv", tmp_path / "l.csv")


def test_a_bag_of_words_becomes_libsvm_text(tmp_path):
    head = (
        "@relation mail\n@attribute a {0,1}\n@attribute b {0,1}\n@attribute c {spam,legitimate}\n"
    )
    dense = head + "@data\n1,0,spam\n0,1,legitimate\n"
    (tmp_path / "dense.arff").write_text(dense)
    (tmp_path / "sparse.arff").write_text(head + "@data\n{0 1}\n{1 1, 2 legitimate}\n")
    for name in ("dense.arff", "sparse.arff"):
        assert list(bag_lines(tmp_path / name)) == ["1 1:1\n", "0 2:1\n"]


def test_columns_of_covertype_have_their_names():
    assert len(sources.CARTOGRAPHY) == 54
    assert sources.CARTOGRAPHY[9:15:4] == ("Horizontal_Distance_To_Fire_Points", "Wilderness_Area4")


def test_spam_needs_spam_full(monkeypatch, tmp_path):
    monkeypatch.setenv("MOOE_DATA_HOME", str(tmp_path))
    with pytest.raises(StreamError, match=r"Spam_full.svm.xz for Spam must be put into MOOE_DATA"):
        spam()


@needs_data
@pytest.mark.parametrize(("name", "n_rows"), [("ijcnn-drift", 49_500), ("cod-rna-drift", 59_535)])
def test_drift_is_added_to_real_rows(name, n_rows):
    clean, leaking = open_stream(name, seed=1), open_stream(f"{name}-leaking", seed=1)
    assert clean.n_rows == len(clean.y) == n_rows
    np.testing.assert_array_equal(clean.y, leaking.y)
    first = clean.concept == 0
    np.testing.assert_array_equal(clean.X[first], leaking.X[first])
    assert clean.X[first].min() == 0.0
    assert not np.array_equal(clean.X[~first], leaking.X[~first])
    assert np.bincount(clean.concept).tolist() == [n_rows // 15] * 15
    assert clean.digest() != leaking.digest()
    assert clean.citation
