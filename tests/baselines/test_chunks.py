"""Chunks: filled by labelled rows, absent values, the first answers."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from mooe.baselines.chunks import Chunk
from mooe.baselines.dtel import DTEL, DTELParams

NONE = np.nan


def test_absent_values_become_the_mean_of_the_labelled_rows_before():
    chunk = Chunk(10, 1)
    X = np.array([[NONE], [2.0], [100.0], [4.0], [NONE]])
    found = chunk.filled(X, np.array([True, True, False, True, True]))
    assert found.ravel().tolist() == [0.0, 2.0, 100.0, 4.0, 3.0]
    assert chunk.filled(np.array([[NONE]])).tolist() == [[3.0]]
    assert chunk.counts.tolist() == [2.0]


def test_rows_are_numbers_that_a_float32_holds():
    found = Chunk(10, 1).filled(np.array([[0.1], [1e90], [-1e90]])).ravel()
    assert found[0] == np.float32(0.1)
    assert np.isfinite(found.astype(np.float32)).all()


def test_before_the_first_chunk_the_most_frequent_class_is_answered():
    learner = DTEL(DTELParams(chunk=10))
    labels = np.array([0, 1, NONE, 1, 2, 0.0])
    found = learner.predict_then_learn(np.zeros((6, 1)), labels)
    assert found.chosen.tolist() == [-1, 0, 0, 0, 1, 1]
    np.testing.assert_allclose(found.probabilities[4], [1 / 3, 2 / 3, 0])
    assert learner.predict(np.zeros((1, 1))).chosen.tolist() == [0]


def test_a_chunk_is_as_many_labels_as_it_says():
    learner = DTEL(DTELParams(chunk=3))
    seen = []
    for label in [0, NONE, 1, NONE, NONE, 0, 1, 1, 1]:
        learner.predict_then_learn(np.array([[float(len(seen))]]), np.array([label], dtype=float))
        seen.append(learner.n_chunks)
    assert seen == [0, 0, 0, 0, 0, 1, 1, 1, 2]


def test_sparse_rows_and_later_columns():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    y = (X[:, 0] > 0).astype(float)
    y[:2] = 0, 1
    one, other = DTEL(DTELParams(chunk=20)), DTEL(DTELParams(chunk=20))
    found = one.predict_then_learn(X, y)
    parts = [other.predict_then_learn(csr_matrix(X[:50]), y[:50])]
    parts.append(other.predict_then_learn(np.hstack([X[50:], X[50:]]), y[50:]))
    np.testing.assert_array_equal(found.chosen, np.concatenate([p.chosen for p in parts]))


def test_before_any_row_there_is_no_answer():
    assert DTEL(DTELParams()).predict(np.zeros((2, 3))).chosen.tolist() == [-1, -1]


@pytest.mark.parametrize(
    ("options", "words"), [({"task": "regression"}, "task"), ({"chunk": 0}, "chunk")]
)
def test_errors_name_the_parameter(options, words):
    with pytest.raises(ValueError, match=words):
        DTELParams(**options)
