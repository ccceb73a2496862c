"""Streams from files: every format, any chunk size, growing columns, constant memory."""

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from mooe.datasets import Stream, StreamError, open_stream
from mooe.streams import arrow, delimited, files
from mooe.streams.layout import Options

CSV = (
    "price,colour,when,city,label\n"
    "1.5,red,2024-01-01,Rome,up\n"
    "2,blue,2024-01-02,,down\n"
    ",red,2024-01-03T12:00:00+01:00,Paris,up\n"
    '-3e2,"green, dark",2024-01-04T00:00:00Z,Rome,\n'
)
MIXED = {"label": "label", "time": "when"}


@pytest.fixture
def path(tmp_path):
    """Return a function that writes a text and returns the name of its file."""

    def write(text, name="data.csv"):
        opener = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}.get(Path(name).suffix, open)
        with opener(tmp_path / name, "wb") as file:
            file.write(text.encode() if isinstance(text, str) else text)
        return str(tmp_path / name)

    return write


def whole(stream, rows=10_000):
    """Return all rows at once, from chunks of a length."""
    chunks = list(stream.chunks(rows))
    X = np.zeros((sum(len(chunk.y) for chunk in chunks), len(chunks[-1].columns)))
    start = 0
    for chunk in chunks:
        assert chunk.X.flags.c_contiguous
        assert chunk.X.dtype == np.float64
        assert len(chunk.columns) == chunk.X.shape[1]
        X[start : start + len(chunk.y), : chunk.X.shape[1]] = chunk.X
        start += len(chunk.y)
    y = [label for chunk in chunks for label in chunk.y.tolist()]
    return X, y, chunks


def table(seed, n=2_345, n_numbers=4):
    """Return a csv text with numbers, two text columns and labels, some cells empty."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_numbers)) * 10.0 ** rng.integers(-8, 8, size=n_numbers)
    lines = ["a,b,c,d,kind,place,class"]
    for row in range(n):
        cells = [repr(float(value)) if rng.random() > 0.05 else "NA" for value in X[row]]
        kind = f"k{rng.integers(min(1 + row // 40, 60))}"
        place = rng.choice(["x", "y", ""])
        lines.append(",".join([*cells, kind, place, str(rng.integers(3))]))
    return "\n".join(lines) + "\n"


def test_numbers_texts_times_and_labels_are_told_apart(path, engine):
    stream = open_stream(path(CSV), **MIXED)
    X, y, (chunk,) = whole(stream)
    assert stream.task == "classification"
    assert stream.feature_names == ("price", "colour", "city")
    assert chunk.columns == (
        *("price", "colour=red", "city=Rome", "colour=blue", "city=Paris"),
        "colour=green, dark",
    )
    np.testing.assert_array_equal(
        X,
        [
            [1.5, 1, 1, 0, 0, 0],
            [2.0, 0, 0, 1, 0, 0],
            [np.nan, 1, 0, 0, 1, 0],
            [-300.0, 0, 1, 0, 0, 1],
        ],
    )
    assert y == ["up", "down", "up", None]
    assert chunk.labelled.tolist() == [True, True, True, False]
    day = 86_400.0
    expected = 1704067200.0 + np.array([0.0, day, 2 * day + 11 * 3600, 3 * day])
    np.testing.assert_array_equal(chunk.times, expected)
    assert chunk.n_missing == 2


@pytest.mark.parametrize("rows", [1, 7, 1_000, 2_345, 9_999])
def test_rows_do_not_depend_on_the_size_of_chunks(path, engine, rows):
    stream = open_stream(path(table(1)), label="class")
    X, y, chunks = whole(stream)
    again, labels, parts = whole(stream, rows)
    assert X.tobytes() == again.tobytes()
    assert y == labels
    assert [len(part.y) for part in parts[:-1]] == [rows] * (len(parts) - 1)
    assert sum(part.n_missing for part in parts) == sum(chunk.n_missing for chunk in chunks)


def test_both_engines_give_the_same_chunks(path, monkeypatch):
    pytest.importorskip("pyarrow")
    name = path(table(2, n=30_000))
    calls = []
    by_arrow = delimited.by_arrow
    monkeypatch.setattr(
        delimited, "by_arrow", lambda *given: calls.append(by_arrow(*given)) or calls[-1]
    )
    fast = list(open_stream(name, label="class").chunks(1_234))
    assert calls
    assert all(found is not None for found in calls)
    monkeypatch.setattr(delimited, "by_arrow", lambda block, layout: None)
    slow = list(open_stream(name, label="class").chunks(1_234))
    for one, other in zip(fast, slow, strict=True):
        assert one.X.tobytes() == other.X.tobytes()
        assert (one.y == other.y).all()
        assert (one.columns, one.n_missing) == (other.columns, other.n_missing)


def test_without_pyarrow_only_parquet_is_out_of_reach(path, monkeypatch):
    expected, labels, _ = whole(open_stream(path(table(3)), label="class"))
    for module in ("pyarrow", "pyarrow.csv", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, module, None)
    arrow.arrow.cache_clear()
    try:
        X, y, _ = whole(open_stream(path(table(3)), label="class"))
        np.testing.assert_array_equal(X, expected)
        assert y == labels
        with pytest.raises(StreamError, match=r"must be read with pyarrow.*pip install 'mooe\[dat"):
            open_stream(path("", "d.parquet"), label="class")
    finally:
        arrow.arrow.cache_clear()


ODD = """0|-1.5|1e3|+2| 3 |1e999|nan|-nan|NA||inf|Infinity|1_0|0x1|٣|abc|.5|5.|1e-400|-0|'1'|NaN|
|"4"|"5\n"|"a,b"|1,2|nan(1)|"4"x|4"x|"4""5"|"6"""
CELLS = st.sampled_from(ODD.split("|"))


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=4),
    st.sampled_from(["mean", "error"]),
    st.booleans(),
)
def test_both_engines_agree_on_odd_cells(odd, missing, skip):
    pytest.importorskip("pyarrow")
    good = "".join(f"{row},{row % 2}\n" for row in range(1_000))
    text = ("x,y\n" + good + "".join(f"{x},{y}\n" for x, y in odd)).encode()
    results = []
    by_arrow = delimited.by_arrow
    for engine in (by_arrow, lambda block, layout: None):
        delimited.by_arrow = engine
        try:
            options = Options(label="y", missing=missing, skip_bad_rows=skip)
            stream = delimited.table_stream("odd.csv", lambda: iter([text]), options)
            X, y, chunks = whole(stream)
            results.append((X.tobytes(), str(y), [chunk.n_skipped for chunk in chunks]))
        except StreamError as error:
            results.append(str(error))
        finally:
            delimited.by_arrow = by_arrow
    assert results[0] == results[1]


@pytest.mark.parametrize("name", ["d.csv", "d.csv.gz", "d.csv.xz", "d.csv.bz2", "d.tsv", "D.CSV"])
def test_every_spelling_of_delimited_text_gives_the_same_rows(path, engine, name):
    text = table(3, n=50)
    expected, labels, _ = whole(open_stream(path(text, "first.csv"), label="class"))
    text = text.replace(",", "\t") if "tsv" in name else text
    X, y, _ = whole(open_stream(path(text, name), label="class"))
    np.testing.assert_array_equal(X, expected)
    assert y == labels


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace(",", ";"),
        lambda text: "\n\n" + text.replace("\n", "\n\n"),
        lambda text: text.rstrip("\n"),
        lambda text: text.replace("k0", '"k0"'),
        lambda text: text.replace(",", " , "),
    ],
    ids=["crlf", "byte-order-mark", "semicolon", "blank-lines", "no-last-end", "quotes", "spaces"],
)
def test_dialects_of_csv_give_the_same_rows(path, engine, change):
    text = table(4, n=60)
    expected, labels, _ = whole(open_stream(path(text), label="class"))
    X, y, _ = whole(open_stream(path(change(text), "other.csv"), label="class"))
    np.testing.assert_array_equal(X, expected)
    assert y == labels


def test_a_quoted_line_end_may_lie_between_two_blocks(monkeypatch, engine):
    text = b'x,note,y\n1,"a\nb",0\n2,"c\n\nd",1\n3,e,0\n'
    options = Options(label="y")
    for size in range(1, len(text)):
        cut = [text[at : at + size] for at in range(0, len(text), size)]
        stream = delimited.table_stream("cut.csv", lambda cut=cut: iter(cut), options)
        X, y, (chunk,) = whole(stream)
        assert y == [0, 1, 0]
        assert chunk.columns == ("x", "note=a\nb", "note=c\n\nd", "note=e")
        np.testing.assert_array_equal(X[:, 0], [1, 2, 3])


def test_arff_gives_the_rows_of_its_csv(path, engine):
    text = (
        "% a comment\n@relation 'the weather'\n\n@ATTRIBUTE 'sea level' REAL\n"
        "@attribute sky {sunny, 'part cloudy'}\n@attribute play {yes,no}\n\n@DATA\n"
        "1.5,sunny,yes\n% another\n?,'part cloudy',no\n-2,sunny,no\n"
    )
    stream = open_stream(path(text, "w.arff"), label="play")
    X, y, (chunk,) = whole(stream)
    assert stream.feature_names == ("sea level", "sky")
    assert chunk.columns == ("sea level", "sky=sunny", "sky=part cloudy")
    np.testing.assert_array_equal(X, [[1.5, 1, 0], [np.nan, 0, 1], [-2, 1, 0]])
    assert y == ["yes", "no", "no"]
    with pytest.raises(StreamError, match=r"w2.arff, line 11, column 'sea level' must hold a"):
        list(open_stream(path(text, "w2.arff"), label="play", missing="error").chunks())


def test_sparse_arff_fills_in_what_its_rows_leave_out(path):
    head = "@relation s\n@attribute a numeric\n@attribute b numeric\n@attribute c {no,yes}\n@data\n"
    stream = open_stream(path(head + "{0 1.5, 2 yes}\n{}\n{1 2}\n", "s.arff"), label="c")
    X, y, _ = whole(stream)
    np.testing.assert_array_equal(X, [[1.5, 0], [0, 0], [0, 2]])
    assert y == ["yes", "no", "no"]


@pytest.mark.parametrize("name", ["d.svm", "d.libsvm.xz"])
@pytest.mark.parametrize("base", [0, 1])
def test_libsvm_gives_back_what_was_written(path, name, base):
    rng = np.random.default_rng(5)
    X = np.where(rng.random((1_500, 30)) < 0.2, rng.normal(size=(1_500, 30)), 0.0)
    X[0, 0] = X[1_400, 29] = 1.0
    y = rng.choice([-1, 1], size=1_500)
    lines = [
        f"{label:+d} " + " ".join(f"{j + base}:{row[j]!r}" for j in np.flatnonzero(row).tolist())
        for row, label in zip(X.tolist(), y.tolist(), strict=True)
    ]
    lines = [line.replace("np.float64", "") for line in lines]
    stream = open_stream(path("# comment\n" + "\n".join(lines) + "\n", name))
    for rows in (1, 77, 5_000):
        found, labels, _ = whole(stream, rows)
        np.testing.assert_array_equal(found, X)
        assert labels == y.tolist()


@pytest.mark.parametrize("name", ["d.csv", "d.svm", "d.parquet"])
@pytest.mark.parametrize(
    ("asked", "kind", "expected"),
    [
        (None, "text", ["01", "+1", "2"]),
        ("number", "number", [1, 1, 2]),
        ("text", "text", ["01", "+1", "2"]),
    ],
)
def test_labels_are_read_as_the_kind_that_is_asked_for(path, name, asked, kind, expected):
    labels = ["01", "+1", "2"]
    if name == "d.svm":
        source = path("".join(f"{label} 1:5\n" for label in labels), name)
    elif name == "d.csv":
        source = path("x,label\n" + "".join(f"5,{label}\n" for label in labels), name)
    else:
        pa = pytest.importorskip("pyarrow")
        import pyarrow.parquet

        source = path("", name)
        pyarrow.parquet.write_table(pa.table({"x": [5, 5, 5], "label": labels}), source)
    if name == "d.svm" and asked is None:  # whose labels are numbers by its form
        kind, expected = "number", [1, 1, 2]
    stream = open_stream(source, label="label", task="classification", label_kind=asked)
    assert stream.label_kind == kind
    (chunk,) = stream.chunks()
    assert chunk.y.tolist() == expected


def test_codes_with_leading_zeros_are_classes_of_their_own(path):
    source = path("x,code\n" + "5,01\n5,1\n5,10\n" * 200)
    stream = open_stream(source, label="code")
    assert "'code' is taken as texts, not as numbers: '01' is a code" in stream.remarks
    (chunk,) = stream.chunks()
    assert set(chunk.y.tolist()) == {"01", "1", "10"}
    values = open_stream(source, label="code", task="regression")
    assert values.task == "regression"
    assert set(values.load().y.tolist()) == {1.0, 10.0}


def test_a_code_after_numbers_is_refused_not_taken_for_a_number(path):
    source = path("x,code\n" + "5,1\n5,10\n" * 600 + "5,01\n")
    stream = open_stream(source, label="code")
    with pytest.raises(
        StreamError, match=r"line 1,202, column 'code' must begin with no zero.*'01'"
    ):
        list(stream.chunks())
    asked = open_stream(source, label="code", label_kind="number")
    assert set(asked.load().y.tolist()) == {1, 10}, "as a model that goes on has them"


def test_the_kind_of_the_label_must_be_one_of_two(path):
    with pytest.raises(StreamError, match=r"label_kind must be 'text' or 'number', got 5"):
        open_stream(path("x,y\n1,2\n"), label="y", label_kind=5)


@pytest.mark.parametrize(
    ("inputs", "names"),
    [
        (None, "12345"),
        ({"1": "number", "2": "number", "3": "number"}, "123"),
        ({"2": "number", "3": "number", "1": "number"}, "123"),  # as a model file has them
        ({"0": "number", "1": "number"}, "01"),
        ({"2": "number", "3": "number"}, "12345"),
        ({"1": "number", "3": "number"}, "12345"),
        ({"1": "number", "2": "text"}, "12345"),
        ({"a": "number", "b": "number"}, "12345"),
        ({str(j): "number" for j in range(1, 8)}, "1234567"),
    ],
)
def test_only_a_model_of_libsvm_text_says_how_many_columns_it_has(path, inputs, names):
    stream = open_stream(path("0 1:1 5:2\n1 2:1\n", "d.svm"), inputs=inputs)
    assert stream.feature_names == tuple(names)
    (chunk,) = stream.chunks()
    rows = [dict(zip(chunk.columns, row, strict=True)) for row in chunk.X.tolist()]
    used = [{name: value for name, value in row.items() if value} for row in rows]
    assert used == [{"1": 1.0, "5": 2.0}, {"2": 1.0}]


def test_wide_libsvm_stays_sparse_and_grows(path):
    text = "1 1:1 6000:2\n" + "0 2:1\n" * 1_100 + "1 7000:3\n"
    stream = open_stream(path(text, "wide.svm"))
    chunks = list(stream.chunks(1_000))
    assert [chunk.X.shape for chunk in chunks] == [(1_000, 6_000), (102, 7_000)]
    assert all(sparse.issparse(chunk.X) and chunk.X.format == "csr" for chunk in chunks)
    assert chunks[1].columns[-1] == "7000"
    loaded = stream.load()
    assert loaded.X.shape == (1_102, 7_000)
    assert loaded.X[1_101, 6_999] == 3.0


def traced(function):
    """Return the most memory that a function had at a time, and what it returned."""
    tracemalloc.start()
    try:
        found = function()
        return tracemalloc.get_traced_memory()[1], found
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "text", ["1 30000000:1\n", "1 1:1\n" * 1_100 + "1 30000000:1\n"], ids=["first", "late"]
)
def test_a_large_libsvm_index_costs_no_memory(path, text):
    stream = open_stream(path(text, "wide.svm"))
    memory, chunks = traced(lambda: list(stream.chunks()))
    assert memory < 2_000_000
    (chunk,) = chunks
    assert chunk.X.shape == (text.count("\n"), 30_000_000)
    assert (chunk.X.indices[-1], len(chunk.columns)) == (29_999_999, 30_000_000)
    memory, found = traced(lambda: open_stream(path(text, "wide.svm")).load())
    assert memory < 2_000_000
    assert found.feature_names[-1] == "30000000"


def test_the_names_of_many_columns_are_as_good_as_a_tuple(path):
    names = open_stream(path("1 0:1 5999:1\n", "wide.svm")).feature_names
    expected = tuple(map(str, range(6_000)))
    assert len(names) == 6_000
    assert tuple(names) == names == expected
    assert names[7] == "7"
    assert names[-1] == "5999"
    assert names[2:5] == ("2", "3", "4")
    assert names.index("41") == 41
    for name in ("0", "5999"):
        assert name in names
    for name in ("6000", "-1", "01", "1.0", "", "²", "9" * 5_000, 7, None):
        assert name not in names
    with pytest.raises(IndexError):
        names[6_000]
    with pytest.raises(ValueError, match="6000"):
        names.index("6000")
    assert names != expected[:-1]
    assert names == open_stream(path("1 0:1 5999:1\n", "again.svm")).feature_names
    assert names != open_stream(path("1 1:1 6000:1\n", "other.svm")).feature_names
    assert len(repr(names)) < 100


def test_a_wide_matrix_in_memory_has_names_that_cost_nothing():
    X = sparse.csr_matrix(([1.0], ([0], [29_999_999])), shape=(1, 30_000_000))
    memory, stream = traced(lambda: Stream("wide", X, np.array([1])))
    assert memory < 100_000
    assert stream.feature_names[-1] == "f30000000"


def test_parquet_gives_the_rows_of_its_csv(path, tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet
    from pyarrow import csv

    text = table(6, n=25_000)
    nothing = csv.ConvertOptions(null_values=["NA", ""], strings_can_be_null=True)
    frame = csv.read_csv(pa.BufferReader(text.encode()), convert_options=nothing)
    pyarrow.parquet.write_table(frame, tmp_path / "d.parquet", row_group_size=7_000)
    expected, labels, _ = whole(open_stream(path(text), label="class"), 900)
    stream = open_stream(tmp_path / "d.parquet", label="class")
    assert stream.n_rows == 25_000
    X, y, _ = whole(stream, 900)
    np.testing.assert_array_equal(X, expected)
    assert y == labels


def test_parquet_times_and_truth_values(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import datetime

    import pyarrow.parquet

    when = [datetime.datetime(1970, 1, day) for day in (1, 2)]
    frame = pa.table({"on": [True, False], "when": when, "y": [1.5, 2.25]})
    pyarrow.parquet.write_table(frame, tmp_path / "t.parquet")
    stream = open_stream(tmp_path / "t.parquet", label="y", time="when")
    (chunk,) = stream.chunks()
    assert stream.task == "regression"
    assert chunk.times.tolist() == [0.0, 86_400.0]
    assert chunk.y.tolist() == [1.5, 2.25]


def test_columns_are_appended_as_texts_appear(path, engine):
    lines = ["colour,x,y"] + [f"c{row // 100},{row},{row % 2}" for row in range(1_000)]
    stream = open_stream(path("\n".join(lines)), label="y")
    widths = [chunk.X.shape[1] for chunk in stream.chunks(100)]
    assert widths == [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
    assert stream.feature_names == ("colour", "x")
    loaded = stream.load()
    assert loaded.feature_names[:3] == ("x", "colour=c0", "colour=c1")
    np.testing.assert_array_equal(loaded.X[:, 1:].sum(axis=1), 1.0)


@pytest.mark.parametrize(
    ("labels", "task", "kind"),
    [
        (["up", "down"], "classification", "O"),
        (["True", "False"], "classification", "O"),
        (["1", "0"], "classification", "i"),
        (["-1.0", "1.0"], "classification", "f"),
        (["1.5", "2"], "regression", "f"),
        ([str(number) for number in range(51)], "regression", "f"),
        ([str(number) for number in range(50)], "classification", "i"),
    ],
)
def test_the_task_follows_from_the_labels(path, engine, labels, task, kind):
    stream = open_stream(path("x,y\n" + "".join(f"0,{label}\n" for label in labels)), label="y")
    (chunk,) = stream.chunks()
    assert (stream.task, chunk.y.dtype.kind) == (task, kind)
    assert [str(label) for label in chunk.y.tolist()] == (
        labels if kind != "f" else [str(float(label)) for label in labels]
    )


def test_rows_without_a_label_are_told(path, engine):
    for cells, expected in [("1,,0", [1, None, 0]), ("a,,b", ["a", None, "b"])]:
        text = "x,y\n" + "".join(f"1,{cell}\n" for cell in cells.split(","))
        (chunk,) = open_stream(path(text), label="y").chunks()
        assert chunk.y.tolist() == expected
        assert chunk.labelled.tolist() == [True, False, True]
    (chunk,) = open_stream(path("x,y\n1,0.5\n1,\n"), label="y").chunks()
    assert np.isnan(chunk.y).tolist() == [False, True]


def test_rows_that_wait_for_a_prediction_need_no_label(path):
    text = "x,z,y\n1,2,0\n3,4,1\n"
    without = open_stream(path(text), label="other", labelled=False)
    (chunk,) = without.chunks()
    assert without.feature_names == ("x", "z", "y")
    assert not chunk.labelled.any()
    assert open_stream(path(text), label="y", labelled=False).feature_names == ("x", "z")


def test_max_rows_and_drop(path, engine):
    stream = open_stream(path(table(7)), label="class", drop=["kind", "a"], max_rows=1_234)
    assert stream.feature_names == ("b", "c", "d", "place")
    assert [len(chunk.y) for chunk in stream.chunks(1_000)] == [1_000, 234]


def test_standard_input_is_read_once(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(table(8).encode())))
    stream = open_stream("-", label="class")
    _, y, _ = whole(stream)
    assert len(y) == 2_345
    assert stream.digest() is None
    with pytest.raises(StreamError, match="standard input must be read only once"):
        list(stream.chunks())


@pytest.fixture
def pipe(monkeypatch):
    """A standard input that stays open."""
    end, start = os.pipe()
    with os.fdopen(end) as source, os.fdopen(start, "wb", 0) as sink:
        monkeypatch.setattr(sys, "stdin", source)
        yield sink


def test_standard_input_is_handed_on_as_it_comes(pipe):
    pipe.write(b"a,b,class\n" + b"1,2,0\n" * 1_000)
    chunks = open_stream("-", label="class").chunks()
    assert len(next(chunks).y) == 1_000
    for n in (1, 5, 100):
        pipe.write(b"1,2,1\n" * n)
        assert len(next(chunks).y) == n


def test_rows_to_predict_are_handed_on_from_the_first(pipe):
    pipe.write(b"a,b,y\n1,red,0\n")
    inputs = {"a": "number", "b": "text"}
    chunks = open_stream("-", label="y", labelled=False, inputs=inputs).chunks()
    assert next(chunks).X.tolist() == [[1.0, 1.0]]
    pipe.write(b"2,red,0.5\n")
    assert next(chunks).X.tolist() == [[2.0, 1.0]]


def test_the_digest_is_that_of_the_text(path):
    import hashlib

    text = table(9)
    expected = hashlib.sha256(text.encode()).hexdigest()
    assert open_stream(path(text), label="class").digest() == expected
    assert open_stream(path(text, "z.csv.xz"), label="class").digest() == expected


MEASURE = """
import resource, sys
from mooe.datasets import open_stream
from mooe.streams import delimited
if sys.argv[2] == "csv":
    delimited.by_arrow = lambda block, layout: None
rows, early = 0, None
for chunk in open_stream(sys.argv[1], label="y").chunks():
    rows += len(chunk.y)
    if early is None and rows >= 50_000:
        early = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - early)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes on Linux")
@pytest.mark.parametrize("kind", ["arrow", "csv"])
def test_memory_does_not_grow_with_the_rows(tmp_path, kind):
    block = "".join(f"{row},{row * 0.5},k{row % 9},{row % 2}\n" for row in range(10_000))
    with open(tmp_path / "long.csv", "w") as file:
        file.write("a,b,c,y\n")
        for _ in range(30):
            file.write(block)
    arguments = [sys.executable, "-c", MEASURE, str(tmp_path / "long.csv"), kind]
    out = subprocess.run(arguments, capture_output=True, text=True, check=True, env=os.environ)
    rows, kilobytes = map(int, out.stdout.split())
    assert rows == 300_000
    assert kilobytes < 20_000


def test_the_number_of_rows_is_guessed_from_the_first_ones(tmp_path, monkeypatch):
    text = "a,b\n" + "".join(f"{i:05},{i % 7}\n" for i in range(20_000))
    (tmp_path / "plain.csv").write_text(text)
    with gzip.open(tmp_path / "packed.csv.gz", "wt") as file:
        file.write(text)
    for name in ("plain.csv", "packed.csv.gz"):
        assert files.guess_rows(tmp_path / name) == 20_000
    monkeypatch.setattr("mooe.streams.files.SAMPLE", 40_000)
    assert files.guess_rows(tmp_path / "plain.csv") == pytest.approx(20_000, rel=0.01)
    assert files.guess_rows(tmp_path / "packed.csv.gz") == pytest.approx(20_000, rel=0.5)
    assert files.guess_rows(tmp_path / "nothing.csv") is None
    (tmp_path / "broken.csv.gz").write_bytes(b"no gzip")
    assert files.guess_rows(tmp_path / "broken.csv.gz") is None


class Openings:
    """Counts how often a file's text is opened."""

    def __init__(self, monkeypatch):
        self.n, real = 0, files.pieces_of

        def counted(path):
            self.n += 1
            return real(path)

        monkeypatch.setattr(files, "pieces_of", counted)


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.arff", "t.svm"])
def test_the_look_and_the_first_reading_share_one_opening(tmp_path, monkeypatch, name):
    texts = {
        "csv": "a,y\n" + "".join(f"{i},{i % 2}\n" for i in range(5000)),
        "arff": "@relation r\n@attribute a numeric\n@attribute y {0,1}\n@data\n"
        + "".join(f"{i},{i % 2}\n" for i in range(5000)),
        "svm": "".join(f"{i % 2} 1:{i}\n" for i in range(5000)),
    }
    text = texts[name.split(".")[1]].encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    openings = Openings(monkeypatch)
    monkeypatch.setattr(files, "PIECE", 1000)
    stream = open_stream(tmp_path / name, label=None if name == "t.svm" else "y")
    first = [chunk.y for chunk in stream.chunks(700)]
    assert openings.n == 1
    again = [chunk.y for chunk in stream.chunks(700)]
    assert openings.n == 2
    assert np.concatenate(first).tolist() == [i % 2 for i in range(5000)]
    assert np.array_equal(np.concatenate(first), np.concatenate(again))


def test_a_reading_that_was_given_up_does_not_shorten_the_next(tmp_path):
    (tmp_path / "t.csv").write_text("a,y\n" + "".join(f"{i},{i % 2}\n" for i in range(3000)))
    stream = open_stream(tmp_path / "t.csv", label="y")
    assert len(next(iter(stream.chunks(10))).y) == 10
    assert sum(len(chunk.y) for chunk in stream.chunks()) == 3000


def test_a_text_is_opened_once_for_the_look_and_the_first_reading_and_is_not_kept():
    openings = []

    def pieces():
        openings.append(1)
        return (bytes([number]) * 100_000 for number in range(200))

    look, reading = delimited.opened(pieces)
    assert (next(look)[0], next(look)[0]) == (0, 1)
    tracemalloc.start()
    try:
        numbers = [piece[0] for piece in reading()]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (numbers, len(openings)) == (list(range(200)), 1)
    assert peak < 1_000_000  # of 20 MB, though the look goes on
    assert ([piece[0] for piece in reading()], len(openings)) == (list(range(200)), 2)


@pytest.mark.parametrize("rows", [1, 10_000])
def test_kept_columns_come_as_they_are_written_and_are_no_inputs(path, engine, rows):
    keep = ["city", "when", "price", "label"]
    stream = open_stream(path(CSV), **MIXED, keep=keep)
    chunks = list(stream.chunks(rows))
    assert [row for chunk in chunks for row in chunk.kept.tolist()] == [
        ["Rome", "2024-01-01", "1.5", "up"],
        [None, "2024-01-02", "2", "down"],
        ["Paris", "2024-01-03T12:00:00+01:00", None, "up"],
        ["Rome", "2024-01-04T00:00:00Z", "-3e2", None],
    ]
    assert stream.feature_names == ("colour",)
    assert [label for chunk in chunks for label in chunk.y] == ["up", "down", "up", None]
    assert stream.has_dates
    known = {"price": "number", "colour": "text"}
    both = open_stream(path(CSV), **MIXED, keep=["price"], inputs=known)
    (chunk,) = both.chunks()
    assert chunk.kept[:2, 0].tolist() == ["1.5", "2"]
    assert chunk.X[:2, 0].tolist() == [1.5, 2.0]


def test_kept_columns_of_parquet_are_texts_too(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    frame = pa.table({"id": [7, None], "x": [1.0, 2.0], "y": ["a", "b"]})
    pyarrow.parquet.write_table(frame, tmp_path / "d.parquet")
    (chunk,) = open_stream(tmp_path / "d.parquet", label="y", keep=["id"]).chunks()
    assert chunk.kept.tolist() == [["7"], [None]]
    assert list(chunk.columns) == ["x"]


def test_streams_without_such_columns_cannot_keep_them(path):
    with pytest.raises(StreamError, match="nearest: city"):
        open_stream(path(CSV), **MIXED, keep=["citi"])
    with pytest.raises(StreamError, match="keep must not be given for LIBSVM text"):
        open_stream(path("1 1:2\n", "d.svm"), keep=["id"])
    with pytest.raises(StreamError, match="keep must not be given for recurring"):
        open_stream("recurring", keep=["id"])


def test_numbers_as_times_are_no_dates(path):
    text = "t,x,y\n1,2,a\n2,3,b\n"
    assert not open_stream(path(text), label="y", time="t").has_dates
    assert not open_stream(path(text), label="y").has_dates
