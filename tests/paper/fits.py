"""Closed intervals watched through the core: what the offline fit was given and what it gave."""

from dataclasses import dataclass

import numpy as np
from made_streams import stream, within
from reference import loss_slope, loss_value

from mooe.paper import core


@dataclass
class Fit:
    """One closed interval of one output: min mean loss + pull/2 ||w - mixture||^2, ||w|| <= R."""

    params: core.Params
    inputs: np.ndarray  # (interval, p)
    targets: np.ndarray  # (interval,)
    row_weights: np.ndarray  # (interval,)
    mixture: np.ndarray  # (p,) before the last label
    floor: float  # of the pull, Lemma 1
    expert: np.ndarray  # (p,) the new offline expert
    multiplier: float  # of the ball

    @property
    def pull(self):
        return max(self.params.pull or 0.0, self.floor)

    @property
    def shares(self):
        return self.row_weights / (len(self.inputs) * self.params.loss_range)

    def loss(self, w):
        return self.shares @ loss_value(self.params.loss, self.inputs @ w, self.targets)

    def loss_gradient(self, w):
        slopes = loss_slope(self.params.loss, self.inputs @ w, self.targets)
        return self.inputs.T @ (self.shares * slopes)

    def objective(self, w):
        return self.loss(w) + self.pull / 2 * np.sum((w - self.mixture) ** 2)

    def gradient(self, w):
        return self.loss_gradient(w) + self.pull * (w - self.mixture)


def fits(n_intervals=5, d=3, seed=0, weighted=True, **chosen):
    """Return the fits of a binary stream's intervals; inputs are taken as they are."""
    params = core.Params(scale=False, **{"interval": 12, "max_experts": 3, **chosen})
    n = n_intervals * params.interval
    rows = stream(np.random.default_rng(seed), n, d)
    X = within(rows.X, params.input_bound)
    rng = np.random.default_rng(seed)
    row_weights = rng.uniform(0.5, 2.0, n) if weighted else np.ones(n)
    seen = np.hstack([X, np.ones((n, int(params.intercept)))])
    targets = np.where(rows.y == 1, 1.0, -1.0)
    state = core.init(params, d, n_classes=2)
    found = []
    for i in range(n):
        block = core.views(params, state)
        experts = np.vstack([block.experts[0, :, : state.n_offline].T, block.online]).copy()
        weights = core.weights(params, state)
        one = slice(i, i + 1)
        core.predict_then_learn(params, state, X[one], rows.y[one], row_weights[one])
        if state.t > 0:
            continue
        this = slice(i + 1 - params.interval, i + 1)
        fit = Fit(
            params, seen[this], targets[this], row_weights[this], weights @ experts, 0.0,
            block.experts[0, :, state.n_offline - 1].copy(), float(block.multipliers[0]),
        )  # fmt: skip
        fit.floor = weights @ [fit.loss(w) for w in experts] / (4 * params.radius**2)
        found.append(fit)
    return found
