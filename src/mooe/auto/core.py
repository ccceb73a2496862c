"""The default model: the functions that take AutoParams and State, named as in `paper.core`.

Flow of a sample: its columns are standardised; ten experts score it, among them the live copies
of the concepts in charge; the meta expert mixes their votes (`predict`). When its label is known,
weights, experts and concept memories learn it (`predict_then_learn`). The loops are in
`mooe.auto.kernel`.
"""

from typing import Any

import numpy as np
from scipy import sparse

from mooe.auto import kernel
from mooe.auto.layout import open_desk
from mooe.auto.params import AutoParams
from mooe.auto.regimes import (
    concepts,
    experts,
    is_in,
    n_intervals,
    recalled,
    regime,
    weights,
)
from mooe.auto.state import (
    add_expert,
    as_if_sorted,
    desk_of,
    grow_classes,
    grow_inputs,
    init,
    records,
    views,
)
from mooe.explanation import Concept, Expert
from mooe.numerics.blocks import State
from mooe.numerics.driver import learn_in_order
from mooe.numerics.features import LARGEST_INPUT
from mooe.numerics.scores import answers, probabilities

__all__ = [
    "AutoParams",
    "Concept",
    "Expert",
    "State",
    "add_expert",
    "answers",
    "as_if_sorted",
    "check_inputs",
    "column_means",
    "concepts",
    "experts",
    "explain",
    "grow_classes",
    "grow_inputs",
    "init",
    "n_intervals",
    "predict",
    "predict_then_learn",
    "probabilities",
    "recalled",
    "regime",
    "scratch",
    "views",
    "weights",
]

NOTHING = np.zeros(0)


def check_inputs(params: AutoParams, X: Any, absent_allowed: bool = True) -> None:
    """Raise ValueError for the first value that no expert can take; NaN is an absent value."""
    values = X.data if sparse.issparse(X) else X
    bad = np.abs(values) > LARGEST_INPUT if absent_allowed else ~(np.abs(values) <= LARGEST_INPUT)
    if bad.any():
        at = tuple(int(i) for i in np.argwhere(bad)[0])
        where = "" if sparse.issparse(X) else f" in row {at[0]}, column {at[1]}"
        raise ValueError(
            f"X must hold finite numbers of size up to {LARGEST_INPUT:g}, got {values[at]}{where}"
        )


def check_width(state: State, X: Any) -> None:
    """Raise ValueError unless X has the columns of the state: compiled code does not look."""
    if X.ndim != 2 or X.shape[1] != state.n_features:
        raise ValueError(f"X must have the shape (n, {state.n_features}), got {X.shape}")


def as_rows(state: State, X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the rows as the kernel takes them: dense, or values, columns and where rows begin."""
    check_width(state, X)
    n = X.shape[0]
    if state.narrow:
        dense = X.toarray() if sparse.issparse(X) else X
        return np.ascontiguousarray(dense), NOTHING, NOTHING, np.zeros(n + 1)
    rows = sparse.csr_array(X)
    if not rows.has_canonical_format or not rows.data.all():
        rows = rows.copy()  # what follows is in place, and the arrays are the user's
        rows.sum_duplicates()
        rows.eliminate_zeros()
    values = np.require(rows.data, np.float64, ["C", "W"])  # compiled code takes no other
    places, begins = rows.indices.astype(np.float64), rows.indptr.astype(np.float64)
    return np.zeros((n, 0)), values, places, begins


def added_scores(params: AutoParams, state: State, added: np.ndarray | None, n: int) -> np.ndarray:
    """Return the added experts' scores, (n, n_added * n_outputs), from theirs of every class.

    The single score of two classes is half the difference of theirs: it does not matter which of
    them was met first. While one class has been met there is nothing to tell apart, even where the
    experts know the next one.
    """
    if state.n_added == 0:
        return np.zeros((n, 0))
    if added is None or added.shape[:2] != (n, state.n_added):
        raise ValueError(f"added must hold the scores of {state.n_added} experts for {n} rows")
    if params.task == "classification" and state.n_classes < 2:
        return np.zeros((n, state.n_added * state.n_outputs))
    scores = added[:, :, : state.n_outputs]
    if state.n_outputs == 1 and added.shape[2] > 1:
        scores = 0.5 * (added[:, :, 1] - added[:, :, 0])
    return np.ascontiguousarray(scores.reshape(n, -1))


def predict(
    params: AutoParams, state: State, X: Any, added: np.ndarray | None = None
) -> np.ndarray:
    """Return the mixture's scores, (n, n_outputs); the state is only read.

    Classification: a positive single score means the second class met; with three classes or more
    the largest wins. NaN before any label, -inf while there is one class. Regression: the label.
    """
    return score(params, state, X, added)[0]


def score(
    params: AutoParams,
    state: State,
    X: Any,
    added: np.ndarray | None = None,
    known: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the mixture's scores, and the scratch, which holds the votes on the last row."""
    n = X.shape[0]
    out, desk = np.empty((n, state.n_outputs)), desk_of(params, state)
    others, unknown = added_scores(params, state, added, n), np.full(n, np.nan)
    kernel.learn(
        params.settings,
        state.counters,
        state.block,
        desk,
        *as_rows(state, X),
        others,
        unknown,
        np.ones(n),
        unknown if known is None else known,
        0,
        out,
    )
    return out, desk


def predict_then_learn(
    params: AutoParams,
    state: State,
    X: Any,
    y: np.ndarray,
    row_weights: np.ndarray | None = None,
    known: np.ndarray | None = None,
    added: np.ndarray | None = None,
) -> np.ndarray:
    """In place: learn the rows in order and return the scores given before each label.

    Parameters
    ----------
    X : array (n, n_features), or a sparse one
        NaN means that a feature is absent, and counts as its mean so far.
    y : array (n,)
        Classification: numbers of classes in order of appearance. NaN means no label: the row is
        predicted and changes nothing.
    row_weights : array (n,), optional
        Scale losses and gradients; a row of weight 0 counts as one without label.
    known : array (n,), optional
        For labels that come late: the last label that was known when each row was answered; -inf
        for none, NaN for the last one learnt.
    added : array (n, n_added, n_classes), optional
        The scores in [-1, 1] of the experts that the user added, one per class; in regression
        (n, n_added, 1), labels as they expect them.

    Returns
    -------
    array (n, n_outputs after the last row), as from `predict`; a class that was not met yet when
    the row came has the score -inf.

    Examples
    --------
    >>> from mooe.datasets import recurring
    >>> stream = recurring(n=8000, length=2000)
    >>> params = AutoParams()
    >>> state = init(params, n_features=10, n_classes=2)
    >>> scores = predict_then_learn(params, state, stream.X, stream.y.astype(float))
    >>> round(float((answers(params, scores) == stream.y).mean()), 3)
    0.896
    >>> [concept.name for concept in concepts(params, state)]
    [1, 2, 3, 4]
    """
    n = X.shape[0]
    row_weights = np.ones(n) if row_weights is None else row_weights
    known = np.full(n, np.nan) if known is None else known
    for name, values in (("y", y), ("row_weights", row_weights), ("known", known)):
        if values.shape != (n,):
            raise ValueError(f"{name} must have the shape ({n},), got {values.shape}")
    rows = as_rows(state, X)

    def learn(first: int, out: np.ndarray) -> int:
        stop: int = kernel.learn(
            params.settings,
            state.counters,
            state.block,
            desk_of(params, state),
            *rows,
            added_scores(params, state, added, n),
            y,
            row_weights,
            known,
            first,
            out,
        )
        return stop

    def answer(row: int) -> np.ndarray:
        this = slice(row, row + 1)
        others = None if added is None else added[this]
        scores: np.ndarray = score(params, state, X[this], others, known[this])[0][0]
        return scores

    return learn_in_order(
        params,
        state,
        np.where(row_weights > 0.0, y, np.nan),
        learn,
        answer,
        grow=lambda n_classes: grow_classes(params, state, n_classes),
    )


def explain(
    params: AutoParams, state: State, x: Any, added: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights (n_experts,) and every expert's votes (n_experts, n_outputs) of a row.

    Votes are clipped scores; in regression they are in the unit of the labels.
    """
    _, scratch = score(params, state, x, added)
    desk = open_desk(*records(params, state.counters), scratch)[0]
    votes = desk.votes[:, is_in(params, state)].T
    if params.task == "regression":
        votes = state.target_mean + state.target_unit * votes
    return weights(params, state), votes


def column_means(params: AutoParams, state: State) -> np.ndarray:
    """Return the mean of each column so far."""
    means: np.ndarray = views(params, state).inputs.mean
    return means


def scratch(params: AutoParams, state: State) -> np.ndarray:
    """Return room for what is computed on the way to an answer."""
    return desk_of(params, state)
