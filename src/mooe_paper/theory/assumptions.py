"""The quantities in the paper's bounds, estimated from a stream or taken from a model.

Estimates are not assumptions met: a later row may be longer than all before it, and rows of a
stream that drifts are not drawn from one distribution.
"""

from dataclasses import dataclass

import numpy as np

from mooe.numerics.losses import LOSSES, declared_range, smoothness
from mooe.paper import core
from mooe.paper.core import Params, State
from mooe.paper.regret import loss as loss_of
from mooe.paper.regret import targets_of


@dataclass(frozen=True)
class Assumptions:
    """The quantities in the paper's bounds.

    Attributes
    ----------
    n_experts, rounds : int
        K and T, at least 1.
    radius, input_bound, smoothness : float
        R, D and beta (in w, of the loss divided by its range), above 0.
    loss_range : float
        What losses are divided by.
    eigenvalues : tuple of float
        Of E[x x'], descending.
    mean_loss : float
        sum_k weights[k] L(expert k) of an interval, in [0, 1]; 1 where nothing is known.
    pull : float or None
        gamma; None for the floor.
    failure : float
        The probability with which a bound on risks may fail, between 0 and 1.
    """

    n_experts: int
    rounds: int
    radius: float
    input_bound: float
    smoothness: float
    loss_range: float = 1.0
    eigenvalues: tuple[float, ...] = ()
    mean_loss: float = 1.0
    pull: float | None = None
    failure: float = 0.05

    def __post_init__(self) -> None:
        for name in ("n_experts", "rounds"):
            if not getattr(self, name) >= 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)!r}")
        for name in ("radius", "input_bound", "smoothness", "loss_range"):
            if not 0.0 < getattr(self, name) < np.inf:
                raise ValueError(
                    f"{name} must be a finite number above 0, got {getattr(self, name)!r}"
                )
        if not 0.0 < self.failure < 1.0:
            raise ValueError(f"failure must be between 0 and 1, got {self.failure!r}")


def input_bound(X: np.ndarray) -> float:
    """Return the largest norm of a row, an estimate of D from below.

    >>> input_bound(np.array([[3.0, 4.0], [0.0, 1.0]]))
    5.0
    """
    return float(np.sqrt(np.max(np.sum(_checked(X) ** 2, axis=1))))


def least_radius(X: np.ndarray, targets: np.ndarray) -> float:
    """Return the norm of the shortest least-squares expert, an estimate of the R to ask for.

    A ball of this radius holds the best linear expert for the squared loss on these rows; targets
    lie in [-1, 1]. For the logistic loss it is an indication only.

    >>> round(least_radius(np.array([[2.0, 0.0], [0.0, 2.0]]), np.array([1.0, -1.0])), 3)
    0.707
    """
    return float(np.linalg.norm(np.linalg.lstsq(_checked(X), np.asarray(targets, float))[0]))


def eigenvalues(X: np.ndarray) -> np.ndarray:
    """Return the eigenvalues of X'X / n, descending: those of E[x x'], of inputs not centred.

    Computed in the smaller of inputs x inputs and rows x rows; the others are 0.

    >>> eigenvalues(np.array([[2.0, 0.0], [0.0, 1.0]])).tolist()
    [2.0, 0.5]
    """
    X = _checked(X)
    return kernel_eigenvalues(X @ X.T if len(X) <= X.shape[1] else X.T @ X, len(X))


def kernel_eigenvalues(gram: np.ndarray, n_rows: int | None = None) -> np.ndarray:
    """Return the eigenvalues of a kernel's matrix over rows, divided by their number, descending.

    They estimate those of E[x x'] in the space of the kernel.

    >>> kernel_eigenvalues(np.array([[4.0, 0.0], [0.0, 1.0]])).tolist()
    [2.0, 0.5]
    """
    values = np.linalg.eigvalsh(_checked(gram))[::-1] / (len(gram) if n_rows is None else n_rows)
    return np.asarray(np.maximum(values, 0.0))


def observed_rademacher(X: np.ndarray, radius: float, draws: int = 1000, seed: int = 0) -> float:
    """Return the Rademacher complexity of experts in a ball on these rows, a mean over draws.

    R E ||sum_t sign_t x_t|| / T: the best expert points along the sum.

    >>> round(observed_rademacher(np.ones((100, 1)), radius=1.0), 2)
    0.08
    """
    X, rng = _checked(X), np.random.default_rng(seed)
    signs = rng.integers(0, 2, (draws, len(X))) * 2.0 - 1.0
    return radius * float(np.mean(np.linalg.norm(signs @ X, axis=1))) / len(X)


def stream_assumptions(
    X: np.ndarray,
    targets: np.ndarray,
    interval: int = 50,
    max_experts: int = 25,
    loss: str = "squared",
    radius: float | None = None,
    failure: float = 0.05,
) -> Assumptions:
    """Estimate the assumptions of the bounds from rows of a stream and their targets.

    Parameters
    ----------
    X : array (n, d)
        As the experts are to see it.
    targets : array (n,)
        In [-1, 1]: +1 and -1 for two classes.
    interval, max_experts : int
        T and K.
    loss : {"squared", "logistic"}
    radius : float, optional
        R; `least_radius` where it is not given.
    failure : float
        As in `Assumptions`.

    >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 3))
    >>> known = stream_assumptions(X, np.sign(X[:, 0]))
    >>> round(known.input_bound, 2), round(known.radius, 2), round(known.smoothness, 2)
    (1.6, 1.49, 0.44)
    """
    if loss not in LOSSES:
        raise ValueError(f"loss must be one of {list(LOSSES)}, got {loss!r}")
    targets = np.asarray(targets, float)
    if not np.all(np.abs(targets) <= 1.0):
        raise ValueError(f"targets must lie in [-1, 1], got {targets[~(np.abs(targets) <= 1)][0]}")
    reach = input_bound(X)
    ball = least_radius(X, targets) if radius is None else radius
    return Assumptions(
        n_experts=max_experts,
        rounds=interval,
        radius=ball,
        input_bound=reach,
        smoothness=smoothness(loss, reach, ball),
        loss_range=declared_range(loss, ball * reach),
        eigenvalues=tuple(eigenvalues(X).tolist()),
        failure=failure,
    )


def model_assumptions(params: Params, state: State, failure: float = 0.05) -> Assumptions:
    """Return the assumptions of the bounds for a paper-mode model and its open interval.

    R, D and beta are those that the model enforces; the eigenvalues are estimated from the rows of
    its buffer as the experts see them. The mean loss is that of the weights and experts of this
    moment, on the labels of the open interval so far.

    >>> params = Params(interval=4, scale=False, intercept=False)
    >>> state = core.init(params, n_features=2, n_classes=2)
    >>> _ = core.predict_then_learn(params, state, np.eye(2), np.array([0.0, 1.0]))
    >>> model_assumptions(params, state).eigenvalues
    (0.5, 0.5)
    """
    t, n = int(state.t), state.n_offline
    block = core.views(params, state)
    rows = block.rows[:t] if state.n_intervals == 0 else block.rows
    return Assumptions(
        n_experts=n + 1,
        rounds=params.interval,
        radius=params.radius,
        input_bound=params.reach,
        smoothness=params.smoothness,
        loss_range=params.loss_range,
        eigenvalues=tuple(eigenvalues(rows).tolist()) if len(rows) else (),
        mean_loss=min(_members_loss(params, state), 1.0) if t else 1.0,
        pull=params.pull,
        failure=failure,
    )


def _members_loss(params: Params, state: State) -> float:
    """Return sum_k weights[k] L(expert k) over the labels of the open interval, one or more.

    What the online expert was charged is the loss of its past, so it is scored again.
    """
    block, t, n = core.views(params, state), int(state.t), state.n_offline
    targets = targets_of(params, state, block.labels[:t])
    now = loss_of(params, block.rows[:t] @ block.online.T, targets).mean(axis=1)
    losses = np.append(block.losses[:n], block.row_weights[:t] @ now) / t
    return float(core.weights(params, state) @ losses)


def _checked(X: np.ndarray) -> np.ndarray:
    """Return rows as floats; ValueError where there is none or a number is not finite."""
    X = np.asarray(X, float)
    if X.ndim != 2 or len(X) == 0:
        raise ValueError(f"X must have the shape (rows, inputs) with a row or more, got {X.shape}")
    if not np.all(np.isfinite(X)):
        raise ValueError(f"X must hold finite numbers, got {X[~np.isfinite(X)][0]}")
    return X
