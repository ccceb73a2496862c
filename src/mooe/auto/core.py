"""The default model: the functions that take AutoParams and State, by the names of `mooe.core`."""

import numpy as np
from scipy import sparse

from mooe.auto import kernel
from mooe.auto.state import desk_of, init, n_outputs_of, views

__all__ = ["init", "predict", "predict_then_learn", "views"]

NO_VALUES, NO_PLACES = np.zeros(0), np.zeros(0, np.int64)


def as_rows(state, X):
    """Return the rows as the kernel takes them: X, values, places, begins."""
    n = X.shape[0]
    if state.narrow:
        dense = X.toarray() if sparse.issparse(X) else X
        return np.ascontiguousarray(dense), NO_VALUES, NO_PLACES, np.zeros(n + 1, np.int64)
    rows = sparse.csr_array(X)
    rows.sort_indices()
    return (
        np.zeros((n, 0)),
        np.ascontiguousarray(rows.data, dtype=np.float64),
        rows.indices.astype(np.int64),
        rows.indptr.astype(np.int64),
    )


def predict(params, state, X):
    out = np.empty((X.shape[0], state.n_outputs))
    added = np.zeros((X.shape[0], state.n_added * state.n_outputs))
    kernel.predict(
        params.settings,
        state.counters,
        state.block,
        desk_of(params, state),
        *as_rows(state, X),
        added,
        out,
    )
    return out


def predict_then_learn(params, state, X, y, row_weights=None):
    n = X.shape[0]
    row_weights = np.ones(n) if row_weights is None else row_weights
    out = np.full((n, n_outputs_of(params, max(state.n_classes, int(np.nanmax(y)) + 1))), -np.inf)
    if params.task == "classification":
        assert state.n_classes >= np.nanmax(y) + 1
    known = np.full(n, np.nan)
    added = np.zeros((n, state.n_added * state.n_outputs))
    stop = kernel.learn(
        params.settings,
        state.counters,
        state.block,
        desk_of(params, state),
        *as_rows(state, X),
        added,
        y,
        row_weights,
        known,
        0,
        out,
    )
    assert stop == 0
    return out
