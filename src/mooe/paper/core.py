"""The algorithm: the functions that take Params and State.

Flow of a sample: its scores are the weighted scores of all experts (`predict`); when its label is
known, every expert is charged its loss and the online expert takes a gradient step
(`predict_then_learn`); a full interval leaves an offline expert behind and a new one begins.
Params never change, State changes in place, and nothing else remembers. The loops over samples and
experts are in `paper.kernel`. Paper: Zhao, Cao, Wan, "Mixture of Online and Offline Experts for
Non-Stationary Time Series", AAAI 2025.
"""

import numpy as np

from mooe.explanation import Concept, Expert
from mooe.numerics.blocks import State
from mooe.numerics.driver import learn_in_order
from mooe.numerics.features import LARGEST_INPUT
from mooe.numerics.scores import answers, probabilities
from mooe.paper import kernel
from mooe.paper.layout import SPARE
from mooe.paper.params import Params
from mooe.paper.state import grow_classes, grow_inputs, init, views

__all__ = [
    "Expert",
    "Params",
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
    "scratch",
    "views",
    "weights",
]


def check_inputs(params: Params, X: np.ndarray, absent_allowed: bool = False) -> None:
    """Raise ValueError for the first value or row that no expert can take."""
    row, column = kernel.check(params.settings, X, absent_allowed)
    if column >= 0:
        raise ValueError(
            f"X must hold finite numbers of size up to {LARGEST_INPUT:g}, "
            f"got {X[row, column]} in row {row}, column {column}"
        )
    if row >= 0:
        raise ValueError(
            f"with scale=False every input must have a norm of at most input_bound = "
            f"{params.input_bound:g}, got {np.linalg.norm(X[row]):g} in row {row}"
        )


def predict(
    params: Params, state: State, X: np.ndarray, added: np.ndarray | None = None
) -> np.ndarray:
    """Return the mixture's scores, (n, n_outputs); the state is only read.

    Classification: a positive single score means the second class met; with three classes or more
    the largest wins. NaN before any label, -inf while there is one class. Regression: the label.
    """
    check_width(state, X)
    return score(params, state, X)[0]


def check_width(state: State, X: np.ndarray) -> None:
    """Raise ValueError unless X has the columns of the state: compiled code does not look."""
    if X.ndim != 2 or X.shape[1] != state.n_features:
        raise ValueError(f"X must have the shape (n, {state.n_features}), got {X.shape}")


def score(params: Params, state: State, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the mixture's scores and the scratch: what was seen last, weights, experts' scores."""
    out, room = np.empty((len(X), state.n_outputs)), scratch(params, state)
    kernel.predict(params.settings, state.counters, state.block, X, room, out)
    return out, room


def scratch(params: Params, state: State) -> np.ndarray:
    """Return room for what is computed on the way to an answer."""
    n_inputs = state.n_features + params.intercept
    return np.zeros(n_inputs + params.max_experts * (state.n_outputs + 1) + SPARE)


def weights(params: Params, state: State) -> np.ndarray:
    """Return the meta expert's weights, lowest priority first, the online expert last."""
    return explain(params, state, np.zeros((0, state.n_features)))[0]


def experts(params: Params, state: State) -> list[Expert]:
    """Return the experts, lowest priority first, the online expert last."""
    b, now = params.interval, state.n_intervals
    shares = weights(params, state).tolist()
    found = [
        Expert(None, "offline", g, (g * b, (g + 1) * b - 1), share)
        for g, share in zip(views(params, state).fitted.astype(int).tolist(), shares, strict=False)
    ][: state.n_offline]
    return [*found, Expert(None, "online", now, (now * b, state.n_labelled - 1), shares[-1])]


def n_intervals(params: Params, state: State) -> int:
    """Return how many intervals have been closed."""
    return int(state.n_intervals)


def recalled(params: Params, state: State) -> tuple[list[int], list[float]]:
    """Return the intervals of the offline experts, and all weights, the online one's last."""
    fitted = views(params, state).fitted[: state.n_offline]
    return fitted.astype(int).tolist(), weights(params, state).tolist()


def concepts(params: Params, state: State) -> list[Concept]:
    """Return no concepts: paper mode remembers intervals, not regimes."""
    return []


def as_if_sorted(params: Params, state: State, order: list[int]) -> None:
    """In place: nothing, for nothing is drawn at random for columns."""


def add_expert(params: Params, state: State) -> None:
    """Raise ValueError: the paper's mixture has no place for an expert of the user's."""
    raise ValueError("experts can be added to the default model only, not to the paper's")


def column_means(params: Params, state: State) -> np.ndarray:
    """Return the mean of each column so far."""
    return views(params, state).mean


def explain(
    params: Params, state: State, x: np.ndarray, added: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights (n_experts,) and every expert's scores (n_experts, n_outputs) of a row.

    The online expert is last; regression scores are in the unit of the labels.
    """
    k, o, n = params.max_experts - 1, state.n_outputs, state.n_offline
    p = state.n_features + params.intercept
    _, room = score(params, state, x)
    raw = room[p : p + k + 1]
    chosen = np.append(raw[:n], raw[-1])
    by_output = room[p + k + 1 : p + k + 1 + o * k].reshape(o, k)[:, :n]
    scores = np.vstack([by_output.T, room[-o:]])
    if params.task == "regression":
        half = (state.high - state.low) / 2 if state.high > state.low else 1.0
        scores = (state.low + state.high) / 2 + half * scores
    return chosen / chosen.sum(), scores


def predict_then_learn(
    params: Params,
    state: State,
    X: np.ndarray,
    y: np.ndarray,
    row_weights: np.ndarray | None = None,
    known: np.ndarray | None = None,
    added: np.ndarray | None = None,
) -> np.ndarray:
    """In place: learn the rows in order and return the scores given before each label.

    Parameters
    ----------
    X : array (n, n_features), C-contiguous float64
        NaN means that a feature is absent.
    y : array (n,)
        Classification: numbers of classes in order of appearance. NaN means no label: the row is
        predicted and changes nothing.
    row_weights : array (n,), optional
        Scale loss and gradient; a row of weight 0 counts as one without label.
    known, added
        Of no account: no expert here repeats the last label, and none can be added.

    Returns
    -------
    array (n, n_outputs after the last row), as from `predict`; a class that was not met yet when
    the row came has the score -inf.
    """
    if row_weights is None:
        row_weights = np.ones(len(X))
    check_width(state, X)
    for name, values in (("y", y), ("row_weights", row_weights)):
        if values.shape != (len(X),):
            raise ValueError(f"{name} must have the shape ({len(X)},), got {values.shape}")

    def learn(first: int, out: np.ndarray) -> int:
        stop: int = kernel.learn(
            params.settings, state.counters, state.block, X, y, row_weights, first, out
        )
        return stop

    return learn_in_order(
        params,
        state,
        np.where(row_weights > 0.0, y, np.nan),
        learn,
        answer=lambda row: predict(params, state, X[row : row + 1])[0],
        grow=lambda n_classes: grow_classes(params, state, n_classes),
    )
