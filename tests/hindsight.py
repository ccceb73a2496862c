"""The best fixed expert of the ball in hindsight, which regret is measured against."""

import numpy as np
from reference import loss_slope, loss_value


def best_losses(p, X, Y, rounds=200):
    """Return lower bounds of the least sum of losses over the ball, after each round, (T,).

    Accelerated projected gradient, all rounds at once; the convex gap <g, w> + R ||g|| is
    subtracted from what it reaches, so no fixed expert is better than what is returned.
    """
    T = len(X)
    seen = np.tri(T)[:, None] / p.loss_range  # (T, 1, T) the samples of each prefix

    def gradients(w):  # (T, n_outputs, p)
        return (seen * loss_slope(p.loss, w @ X.T, Y.T)) @ X

    step = 1 / (p.smoothness * np.arange(1, T + 1))[:, None, None]
    w = ahead = np.zeros((T, Y.shape[1], X.shape[1]))
    for n in range(rounds):
        moved = ahead - step * gradients(ahead)
        norms = np.linalg.norm(moved, axis=2, keepdims=True)
        moved *= p.radius / np.maximum(norms, p.radius)
        ahead = moved + n / (n + 3) * (moved - w)
        w = moved
    values = (seen * loss_value(p.loss, w @ X.T, Y.T)).sum(axis=2)
    uphill = gradients(w)
    gaps = (uphill * w).sum(axis=2) + p.radius * np.linalg.norm(uphill, axis=2)
    assert gaps.max() < 0.1  # against a loss of up to T: tight enough to mean something
    return (values - gaps).mean(axis=1)
