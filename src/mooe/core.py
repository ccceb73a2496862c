"""The algorithm: State, and the functions that take Params and State.

Flow of a sample: its scores are the weighted scores of all experts (`predict`); when its label is
known, every expert is charged its loss and the online expert takes a gradient step
(`predict_then_learn`); a full interval leaves an offline expert behind and a new one begins.
Params never change, State changes in place, and nothing else remembers. The loops over samples and
experts are in `mooe.kernel`. Paper: Zhao, Cao, Wan, "Mixture of Online and Offline Experts for
Non-Stationary Time Series", AAAI 2025.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mooe import kernel
from mooe.features import LARGEST_INPUT
from mooe.layout import COUNTERS, SPARE, Block, open_block
from mooe.offline import n_scratch
from mooe.params import Params

__all__ = [
    "Expert",
    "Params",
    "State",
    "answers",
    "check_inputs",
    "experts",
    "explain",
    "grow_classes",
    "grow_inputs",
    "init",
    "predict",
    "predict_then_learn",
    "probabilities",
    "views",
    "weights",
]


@dataclass(frozen=True)
class Expert:
    """One expert of the mixture, as users see it.

    Attributes
    ----------
    kind : {"offline", "online"}
    interval : int
        The interval it was fitted on, from 0; of the online expert the open one.
    samples : (int, int)
        First and last number of the labelled samples of that interval, from 0; for the online
        expert those learnt so far, and last < first where there are none.
    weight : float
        Its share of the mixture now.
    """

    kind: str
    interval: int
    samples: tuple[int, int]
    weight: float


@dataclass(eq=False)
class State:
    """What has been learnt: a record of counters and one block of floats, see `mooe.layout`."""

    counters: np.ndarray  # (1,) of COUNTERS
    block: np.ndarray  # (n,)

    def __getattr__(self, name: str) -> Any:
        """Give the counters by name: state.n_labelled, state.t, ..."""
        if name in (COUNTERS.names or ()):
            return self.counters[name][0].item()
        raise AttributeError(name)

    def __setstate__(self, arrays: dict[str, np.ndarray]) -> None:
        """Take arrays of one's own when unpickled: they may be mapped from a read-only file."""
        self.__dict__.update({name: np.array(array) for name, array in arrays.items()})

    def copy(self) -> "State":
        """Return a copy that shares nothing."""
        return State(self.counters.copy(), self.block.copy())


def n_outputs_of(params: Params, n_classes: int) -> int:
    """Return how many scores an expert gives: one, or one per class from three classes on."""
    return n_classes if params.task == "classification" and n_classes > 2 else 1


def init(params: Params, n_features: int, n_classes: int = 0) -> State:
    """Return the state before the first sample, with room for classes known beforehand."""
    counters = np.zeros(1, COUNTERS)
    counters["n_features"] = n_features
    counters["n_classes"] = n_classes
    counters["n_outputs"] = n_outputs_of(params, n_classes)
    counters["low"], counters["high"] = params.target_bounds or (math.inf, -math.inf)
    counters["bounds_frozen"] = params.target_bounds is not None
    state = State(counters, empty_block(params, n_features, counters["n_outputs"].item()))
    kernel.start(params.settings, state.counters, state.block)
    return state


def empty_block(params: Params, n_features: int, n_outputs: int) -> np.ndarray:
    """Return zeros of the size that `mooe.layout.open_block` cuts into arrays."""
    b, k, d, o = params.interval, params.max_experts - 1, n_features, n_outputs
    p = d + params.intercept
    kept = 3 * d + o * p * (k + 1) + k + o + 2 * (k + 1) + b * (p + 2)
    scratch = (k + 1) + o * k + SPARE + o + o * b + 3 * o * p + max(n_scratch(b, p), 2 * k)
    return np.zeros(kept + scratch)


def views(params: Params, state: State) -> Block:
    """Return the named arrays of a state; they are views, not copies."""
    settings, counters = (r.view(np.recarray)[0] for r in (params.settings, state.counters))
    block: Block = open_block.py_func(settings, counters, state.block)
    return block


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


def predict(params: Params, state: State, X: np.ndarray) -> np.ndarray:
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
    o = state.n_outputs
    out = np.empty((len(X), o))
    n_inputs = state.n_features + params.intercept
    scratch = np.zeros(n_inputs + params.max_experts * (o + 1) + SPARE)
    kernel.predict(params.settings, state.counters, state.block, X, scratch, out)
    return out, scratch


def weights(params: Params, state: State) -> np.ndarray:
    """Return the meta expert's weights, lowest priority first, the online expert last."""
    return explain(params, state, np.zeros((0, state.n_features)))[0]


def experts(params: Params, state: State) -> list[Expert]:
    """Return the experts, lowest priority first, the online expert last."""
    b, now = params.interval, state.n_intervals
    shares = weights(params, state).tolist()
    found = [
        Expert("offline", g, (g * b, (g + 1) * b - 1), share)
        for g, share in zip(views(params, state).fitted.astype(int).tolist(), shares, strict=False)
    ][: state.n_offline]
    return [*found, Expert("online", now, (now * b, state.n_labelled - 1), shares[-1])]


def explain(params: Params, state: State, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights (n_experts,) and every expert's scores (n_experts, n_outputs) of a row.

    The online expert is last; regression scores are in the unit of the labels.
    """
    k, o, n = params.max_experts - 1, state.n_outputs, state.n_offline
    p = state.n_features + params.intercept
    _, scratch = score(params, state, x)
    raw = scratch[p : p + k + 1]
    chosen = np.append(raw[:n], raw[-1])
    by_output = scratch[p + k + 1 : p + k + 1 + o * k].reshape(o, k)[:, :n]
    scores = np.vstack([by_output.T, scratch[-o:]])
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

    Returns
    -------
    array (n, n_outputs after the last row), as from `predict`; a class that was not met yet when
    the row came has the score -inf.
    """
    learnt = True if row_weights is None else row_weights > 0.0
    if row_weights is None:
        row_weights = np.ones(len(X))
    check_width(state, X)
    for name, values in (("y", y), ("row_weights", row_weights)):
        if values.shape != (len(X),):
            raise ValueError(f"{name} must have the shape ({len(X)},), got {values.shape}")
    classes = state.n_classes
    if params.task == "classification":
        classes = max(classes, int(np.fmax.reduce(y, initial=-1.0, where=learnt)) + 1)
    out = np.full((len(X), n_outputs_of(params, classes)), -np.inf)
    row = 0
    while row < len(X):
        stop = kernel.learn(
            params.settings, state.counters, state.block, X, y, row_weights, row, out
        )
        if stop == 0:
            break
        row = -1 - stop
        meet_class(params, state, X, y, row_weights, row, out)
        row += 1
    return out


def meet_class(
    params: Params,
    state: State,
    X: np.ndarray,
    y: np.ndarray,
    row_weights: np.ndarray,
    row: int,
    out: np.ndarray,
) -> None:
    """In place: a class is met at this row: answer without knowing it, grow, then learn the row."""
    before = state.n_outputs
    out[row, :before] = predict(params, state, X[row : row + 1])[0]
    grow_classes(params, state, int(y[row]) + 1)
    if before == 1 and state.n_outputs > 1:
        out[: row + 1, :2] = two_scores(out[: row + 1, 0])
    this = slice(row, row + 1)
    predict_then_learn(params, state, X[this], y[this], row_weights[this])


def two_scores(single: np.ndarray) -> np.ndarray:
    """Return (n, 2): one score per class from the single score of two; one class alone scores 0."""
    first = np.where(np.isneginf(single), 0.0, -single)
    return np.column_stack([first, single])


def grow_classes(params: Params, state: State, n_classes: int) -> None:
    """In place: room for more classes.

    Experts are given the scores that they would have learnt: of two classes the single score w
    becomes (-w, w), which has the same loss; a class that an expert never met has the score -1, its
    target all along, from the constant input (0 without one).
    """
    before, after = state.n_outputs, n_outputs_of(params, n_classes)
    if after == before:
        state.counters["n_classes"] = n_classes
        return
    larger = resized(params, state, state.n_features, after)
    larger.counters["n_classes"] = n_classes
    old, new = views(params, state), views(params, larger)
    absent = np.zeros(old.online.shape[1])
    if params.intercept:
        absent[-1] = -min(1.0, params.radius)
    known = np.stack([-old.online[0], old.online[0]]) if before == 1 else old.online
    taught = np.stack([-old.experts[0], old.experts[0]]) if before == 1 else old.experts
    new.online[:] = absent
    new.online[: len(known)] = known
    new.experts[:, :, : state.n_offline] = absent[:, None]
    new.experts[: len(taught)] = taught
    new.multipliers[:before] = old.multipliers
    kernel.recharge(params.settings, larger.counters, larger.block)
    state.counters, state.block = larger.counters, larger.block


def grow_inputs(params: Params, state: State, n_features: int) -> None:
    """In place: room for more features, behind the ones there are; no expert knows them yet."""
    larger, d = resized(params, state, n_features, state.n_outputs), state.n_features
    old, new = views(params, state), views(params, larger)
    for name in ("counts", "mean", "squares"):
        getattr(new, name)[:d] = getattr(old, name)
    places = np.append(np.arange(d), n_features) if params.intercept else np.arange(d)
    new.rows[:, places] = old.rows
    new.online[:, places] = old.online
    new.experts[:, places] = old.experts
    new.multipliers[:] = old.multipliers
    state.counters, state.block = larger.counters, larger.block


def resized(params: Params, state: State, n_features: int, n_outputs: int) -> State:
    """Return a state for these numbers of features and outputs, with all that has no such side."""
    larger = State(state.counters.copy(), empty_block(params, n_features, n_outputs))
    larger.counters["n_features"], larger.counters["n_outputs"] = n_features, n_outputs
    old, new = views(params, state), views(params, larger)
    for name in ("fitted", "log_prior", "losses", "labels", "row_weights"):
        getattr(new, name)[:] = getattr(old, name)
    if n_features == state.n_features:
        for name in ("counts", "mean", "squares", "rows"):
            getattr(new, name)[:] = getattr(old, name)
    return larger


def answers(params: Params, scores: np.ndarray) -> np.ndarray:
    """Return the class number (-1 before any label) or the regression value of each row."""
    if params.task == "regression":
        return scores[:, 0]
    unknown = np.isnan(scores[:, 0])
    if scores.shape[1] == 1:
        chosen = (scores[:, 0] > 0.0).astype(np.int64)
    else:
        chosen = np.where(unknown[:, None], -np.inf, scores).argmax(axis=1)
    return np.where(unknown, -1, chosen)


def probabilities(params: Params, scores: np.ndarray) -> np.ndarray:
    """Return class probabilities, (n, n_classes) in order of appearance, from scores.

    A softmax of the class scores, so they rank as the scores do; for two classes the logistic loss
    gives its own link, 1 / (1 + exp(-s)). NaN before any label.
    """
    sharpness = 0.5 if params.loss == "logistic" else 1.0
    if scores.shape[1] == 1:  # the scores of two classes are (-s, s)
        single = scores[:, 0]
        small = np.exp(-2.0 * sharpness * np.abs(single))
        likely, unlikely = 1.0 / (1.0 + small), small / (1.0 + small)
        second = single > 0.0
        out = np.empty((len(scores), 2))
        out[:, 0] = np.where(second, unlikely, likely)
        out[:, 1] = np.where(second, likely, unlikely)
        return out
    raised: np.ndarray = np.exp(sharpness * (scores - scores.max(axis=1, keepdims=True)))
    raised /= raised.sum(axis=1, keepdims=True)
    return raised
