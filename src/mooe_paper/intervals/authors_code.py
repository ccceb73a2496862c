"""The authors' published code, replicated for comparison: it is not the paper's algorithm.

It differs from the paper and `mooe.paper` in that the offline expert of an interval is fitted
before the interval, by 1,000 gradient steps, and is then what regret is measured against; in its
regulariser, a constant push by a tenth of weighted experts instead of a pull towards the mixture,
and by the oldest experts instead of those in use; in that the online expert starts at random in
every interval, and "OGD" is that same expert; in one tiny rate for weights and online expert; in
that losses are squared errors on labels 0 and 1, neither scaled nor kept in a ball.
"""

from dataclasses import dataclass

import numpy as np

from mooe.numerics.hedge import prior

FIT_STEPS = 1_000
PUSH = 0.1


@dataclass(frozen=True)
class AuthorsRun:
    """The last interval, row by row.

    Attributes
    ----------
    scores, online_scores, comparator_scores : array (rows,)
        Of "MOOE", of "OGD" and of the offline expert that was fitted to the interval beforehand;
        labels are 0 and 1.
    first_weights, last_weights : array (n_experts,)
        Before the first and after the last of the rows, the online expert's last.
    """

    scores: np.ndarray
    online_scores: np.ndarray
    comparator_scores: np.ndarray
    first_weights: np.ndarray
    last_weights: np.ndarray


def replay(
    X: np.ndarray,
    y: np.ndarray,
    n_intervals: int,
    max_experts: int,
    rate: float,
    fit_rate: float,
    rows: int,
    seed: int = 0,
    blank: bool = False,
) -> AuthorsRun:
    """Return the first rows of the last interval.

    Only that interval is gone through row by row: what the others leave behind, an offline expert
    each, is fitted before they begin.

    Parameters
    ----------
    X, y : arrays (n, n_features) and (n,)
        y of 0 and 1; n is a multiple of n_intervals.
    max_experts : int
        Experts with a weight, the online one included.
    rate, fit_rate : float
        Of weights and online expert, and of the offline fit.
    rows : int
        Rows of the last interval to go through.
    seed : int
        Of the random starts, uniform in [0, 1].
    blank : bool
        Replace the offline experts by zeros, which know nothing: a control.
    """
    rng = np.random.default_rng(seed)
    length, n_features = len(y) // n_intervals, int(X.shape[1])
    experts = np.zeros((0, n_features))
    for i in range(n_intervals):
        this = slice(i * length, (i + 1) * length)
        online, start = rng.uniform(size=(2, n_features))
        weights = prior(min(max_experts, i + 1))
        experts = np.vstack([experts, online])
        fitted = fit_offline(X[this], y[this], start, push_of(experts, weights), fit_rate)
        if i < n_intervals - 1:
            experts[-1] = fitted
    first = slice((n_intervals - 1) * length, (n_intervals - 1) * length + rows)
    in_use = experts[-len(weights) :]
    if blank:
        in_use[:-1] = 0.0
    scores, online_scores, last = learn_interval(X[first], y[first], in_use, weights, rate)
    return AuthorsRun(scores, online_scores, X[first] @ fitted, weights, last)


def push_of(experts: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the constant that the offline fit adds to its gradient: it depends on no fitted value.

    The weights belong to the newest experts but are laid on the oldest. A single expert's push is
    the mean over its features, which is what averaging a matrix of one row does in that language.

    >>> push_of(np.array([[1.0, 3.0]]), np.ones(1)).round(12).tolist()
    [0.2, 0.2]
    """
    laid = experts[: len(weights)] * weights[:, None]
    axis = None if len(weights) == 1 else 0
    return np.full(experts.shape[1], PUSH * laid.mean(axis=axis))


def fit_offline(
    X: np.ndarray, y: np.ndarray, start: np.ndarray, push: np.ndarray, rate: float
) -> np.ndarray:
    """Return the expert after FIT_STEPS steps down half the gradient of the mean squared error."""
    matrix, side = X.T @ X / len(y), X.T @ y / len(y)
    w = start
    for _ in range(FIT_STEPS):
        w = w - rate * (matrix @ w - side + push)
    return w


def learn_interval(
    X: np.ndarray, y: np.ndarray, experts: np.ndarray, weights: np.ndarray, rate: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the scores of the mixture and of the online expert, and the weights at the end."""
    experts = experts.copy()
    mixed, alone = np.empty(len(y)), np.empty(len(y))
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        scores = experts @ x
        mixed[t], alone[t] = weights @ scores, scores[-1]
        weights = weights * np.exp(-rate * (scores - label) ** 2)
        weights = weights / weights.sum()
        experts[-1] -= rate * (alone[t] - label) * x
    return mixed, alone, weights
