"""The columns of a stream in a model's order."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from mooe.datasets import Chunk, Stream, open_stream
from mooe.streams.arrangement import ArrangedStream, labels_like

HEADER = "size,colour,kind\n"


def table(tmp_path, rows, name="table.csv"):
    path = tmp_path / name
    path.write_text(HEADER + "".join(f"{row}\n" for row in rows))
    return open_stream(path, label="kind")


def rows_of(arranged):
    """Return every row as a dict of what the learner is given."""
    return [
        dict(zip(chunk.columns, row, strict=True))
        for chunk in arranged.chunks()
        for row in chunk.X.tolist()
    ]


def test_pieces_end_where_the_number_of_rows_doubles():
    stream = Stream("numbers", np.arange(100.0)[:, None], np.arange(100) % 2)
    arranged = ArrangedStream(stream)
    ends = np.cumsum([len(chunk.y) for chunk in arranged.chunks(30)]).tolist()
    assert ends == [1, 2, 4, 8, 16, 30, 32, 60, 64, 90, 100]
    assert arranged.rows == 100


def test_a_column_is_there_from_the_row_of_its_first_value(tmp_path):
    arranged = ArrangedStream(
        table(tmp_path, ["1,red,a", "2,red,b", "3,blue,a", "4,red,b", "5,green,a"])
    )
    assert rows_of(arranged) == [
        {"size": 1, "colour=red": 1},
        {"size": 2, "colour=red": 1},
        {"size": 3, "colour=red": 0, "colour=blue": 1},
        {"size": 4, "colour=red": 1, "colour=blue": 0},
        {"size": 5, "colour=red": 0, "colour=blue": 0, "colour=green": 1},
    ]
    assert arranged.stream.kinds == {"size": "number", "colour": "text"}
    assert arranged.groups == [None, "colour", "colour", "colour"]


def test_groups_are_those_of_the_encoder_and_not_of_names(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("colour=red,colour,kind\n" + "1,blue,a\n2,green,b\n3,blue,b\n")
    stream = open_stream(path, label="kind")
    chunks = [*stream.chunks(2), *stream.load().chunks()]
    assert {chunk.groups for chunk in chunks} == {(None, "colour", "colour")}
    arranged = ArrangedStream(stream, ["colour=green", "colour=red"])
    assert [chunk.groups for chunk in arranged.chunks()][-1] == ("colour", None, "colour")
    assert arranged.columns == ["colour=green", "colour=red", "colour=blue"]
    numbers = Stream("numbers", np.zeros((2, 2)), np.zeros(2))
    assert [chunk.groups for chunk in ArrangedStream(numbers).chunks()] == [(), ()]


colours = st.sampled_from(["red", "blue", "green", "", "dark, red"])


@settings(max_examples=30, deadline=None)
@given(st.lists(colours, min_size=4, max_size=40), st.data())
def test_rows_are_the_same_however_the_source_cuts_them(tmp_path_factory, cells, data):
    tmp_path = tmp_path_factory.mktemp("cut")
    rows = [f'{i},"{cell}",{"ab"[i % 2]}' for i, cell in enumerate(cells)]
    at = data.draw(st.integers(2, len(rows) - 2))
    inputs = {"size": "number", "colour": "text"}

    def opened(some, name):
        path = tmp_path / name
        path.write_text(HEADER + "".join(f"{row}\n" for row in some))
        return open_stream(path, label="kind", inputs=inputs)

    whole = rows_of(ArrangedStream(opened(rows, "whole.csv")))
    first = ArrangedStream(opened(rows[:at], "first.csv"))
    found = rows_of(first)
    found += rows_of(ArrangedStream(opened(rows[at:], "second.csv"), first.columns))
    assert found == whole
    assert [list(row) for row in found] == [list(row) for row in whole]


def test_columns_come_in_the_order_of_the_model_and_unknown_texts_are_counted(tmp_path):
    stream = table(tmp_path, ["1,green,a", "2,blue,b", "3,,b"])
    arranged = ArrangedStream(stream, ["colour=red", "size", "colour=blue"], is_fixed=True)
    rows = np.vstack([chunk.X for chunk in arranged.chunks()])
    assert rows.tolist() == [[0, 1, 0], [0, 2, 1], [0, 3, 0]]
    assert (arranged.n_unknown, arranged.n_missing) == (1, 1)


def test_sparse_rows_are_handed_out_dense_a_few_at_a_time(monkeypatch):
    monkeypatch.setattr("mooe.streams.arrangement.CELLS", 60)
    X = sparse.random_array((50, 20), density=0.1, rng=0, format="csr")
    names = tuple(f"f{j}" for j in range(20))

    def read(rows):
        yield Chunk(X, np.zeros(50), names)

    arranged = ArrangedStream(Stream("sparse", feature_names=names, read=read))
    chunks = list(arranged.chunks())
    assert max(len(chunk.y) for chunk in chunks) <= 3
    assert np.array_equal(np.vstack([chunk.X for chunk in chunks]), X.toarray())


class Late:
    """Sparse rows whose columns beyond `known` are met later, in chunks of any length."""

    def __init__(self, X, known):
        self.X, self.known = sparse.csr_matrix(X), known

    def read(self, rows):
        width, y = self.known, np.arange(self.X.shape[0]) % 2
        for start in range(0, len(y), rows):
            some = self.X[start : start + rows]
            used = some.indices[some.data != 0]
            width = max(width, int(used.max()) + 1 if len(used) else 0)
            names = tuple(f"f{j + 1}" for j in range(width))
            yield Chunk(some[:, :width], y[start : start + rows], names)

    def stream(self):
        names = tuple(f"f{j + 1}" for j in range(self.known))
        return Stream("late", feature_names=names, read=self.read)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 60), st.booleans())
def test_sparse_rows_become_what_dense_ones_would(seed, rows, keeps_sparse):
    rng = np.random.default_rng(seed)
    X = rng.random((60, 20)) * (rng.random((60, 20)) < 0.05)
    known = int(rng.integers(1, 20))
    found, expected = [], []
    arranged = ArrangedStream(Late(X, known).stream(), keeps_sparse=keeps_sparse)
    for chunk in arranged.chunks(rows):
        dense = chunk.X.toarray() if sparse.issparse(chunk.X) else chunk.X
        found += [dict(zip(chunk.columns, row, strict=True)) for row in dense.tolist()]
    for row in X:
        met = set(range(known)) | {j for j in range(20) if X[: len(expected) + 1, j].any()}
        expected.append({f"f{j + 1}": row[j] for j in met})
    assert found == expected


def test_a_wide_model_gets_its_new_columns_sparse(monkeypatch):
    monkeypatch.setattr("mooe.streams.arrangement.WIDEST", 10)
    X = np.zeros((40, 5_000_000 // 1_000))
    X[:, :12] = 1.0
    X[30, 4_321] = 7.0
    arranged = ArrangedStream(Late(X, 12).stream(), keeps_sparse=True)
    chunks = list(arranged.chunks(8))
    assert all(sparse.issparse(chunk.X) for chunk in chunks)
    assert chunks[-1].X.shape == (8, 13)
    assert arranged.columns[-1] == "f4322"
    after = sparse.vstack([chunk.X for chunk in chunks if chunk.X.shape[1] == 13]).toarray()
    assert after[0, 12] == 7.0
    assert after.sum() == 10 * 12 + 7.0


def test_columns_that_a_model_does_not_know_are_left_out_of_sparse_rows_and_counted():
    X = sparse.csr_matrix(([1.0, 2.0, 3.0], ([0, 0, 1], [0, 4, 2])), shape=(2, 5))
    names = tuple(f"f{j}" for j in range(5))
    arranged = ArrangedStream(
        Stream("sparse", X, np.zeros(2), feature_names=names), ["f4", "f1"], is_fixed=True
    )
    rows = np.vstack([chunk.X for chunk in arranged.chunks()])
    assert rows.tolist() == [[2.0, 0.0], [0.0, 0.0]]
    assert arranged.n_unknown == 2


def test_a_model_that_does_not_grow_takes_rows_of_any_width_without_memory():
    X = sparse.csr_matrix(([2.0, 1.0], ([0, 1], [3, 29_999_999])), shape=(2, 30_000_000))
    arranged = ArrangedStream(Stream("wide", X, np.zeros(2)), ["f4", "f1"], is_fixed=True)
    tracemalloc.start()
    try:
        rows = np.vstack([chunk.X for chunk in arranged.chunks()])
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    assert rows.tolist() == [[2.0, 0.0], [0.0, 0.0]]
    assert arranged.n_unknown == 1


def test_labels_are_of_the_type_that_the_model_knows():
    texts = labels_like(["x", "1"], np.array([1, 2]))
    assert texts.tolist() == ["1", "2"]
    assert labels_like(["x"], np.array([1, None], dtype=object)).tolist() == ["1", None]
    for y, known in [([1, 2], [1]), ([1.5, np.nan], [1.5]), (["a", None], ["b"]), (["a"], [])]:
        dtype = object if isinstance(y[0], str) else None
        given = np.array(y, dtype=dtype)
        assert labels_like(known, given) is given
    with pytest.raises(ValueError, match=r"labels must be like the model's, such as 1, got 'a'"):
        labels_like([1, 0], np.array(["a"], dtype=object))
    with pytest.raises(ValueError, match=r"such as 'x', got 1.5"):
        labels_like(["x"], np.array([1.5]))
