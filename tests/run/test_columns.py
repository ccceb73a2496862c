"""The columns of a stream in a model's order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from mooe.datasets import Chunk, Stream, open_stream
from mooe.run.columns import ArrangedStream, labels_like

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
    assert arranged.texts == ["colour"]


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
    monkeypatch.setattr("mooe.run.columns.CELLS", 60)
    X = sparse.random_array((50, 20), density=0.1, rng=0, format="csr")
    names = tuple(f"f{j}" for j in range(20))

    def read(rows):
        yield Chunk(X, np.zeros(50), names)

    arranged = ArrangedStream(Stream("sparse", feature_names=names, read=read))
    chunks = list(arranged.chunks())
    assert max(len(chunk.y) for chunk in chunks) <= 3
    assert np.array_equal(np.vstack([chunk.X for chunk in chunks]), X.toarray())


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
