"""Covariates that are known in advance."""

import numpy as np

from mooe.forecast import MOOEForecaster


def errors(X_is_known, seed=0):
    """Return the mean squared error over the steps, without and with the covariates ahead."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(900, 2))
    effect = X @ [3.0, 0.0] if X_is_known else 0.0
    y = 10.0 + effect + np.sin(np.arange(900) * 2 * np.pi / 6) + rng.normal(0.0, 0.3, 900)
    model, without, with_them = MOOEForecaster(4, season=6).update(y[:600], X[:600]), [], []
    for t in range(600, 880):
        without.append(((model.predict().mean[:, 0] - y[t : t + 4]) ** 2).mean())
        ahead = model.predict(X_future=X[t : t + 4]).mean[:, 0]
        with_them.append(((ahead - y[t : t + 4]) ** 2).mean())
        model.update(y[t], X[t])
    return np.mean(without), np.mean(with_them)


def test_they_help_where_they_matter_and_do_no_harm_where_not():
    without, with_them = errors(X_is_known=True)
    assert with_them < 0.3 * without
    without, with_them = errors(X_is_known=False)
    assert with_them < 1.05 * without
