"""Rows of many keys for tests, with labels of every kind."""

import numpy as np

N_KEYS, WIDTH = 12, 5
KINDS = ("two classes", "four classes", "regression")


def rows(kind, n=1500, seed=0, absent=0.03, unlabelled=0.1):
    """Return keys, X and y; some values are absent, some rows have no label."""
    rng = np.random.default_rng(seed)
    keys, X = rng.integers(0, N_KEYS, n), rng.normal(size=(n, WIDTH))
    weights = rng.normal(size=(1, WIDTH, 4)) + 0.5 * rng.normal(size=(N_KEYS, WIDTH, 4))
    scores = np.einsum("ij,ijk->ik", X, weights[keys])
    X[rng.random(X.shape) < absent] = np.nan
    without = rng.random(n) < unlabelled
    if kind == "regression":
        return keys, X, np.where(without, np.nan, scores[:, 0])
    names = np.array(["elm", "oak", "ash", "fir"], object)
    y = names[scores[:, : 2 if kind == "two classes" else 4].argmax(axis=1)]
    y[without] = None
    return keys, X, y


def task_of(kind):
    return "regression" if kind == "regression" else "classification"


def in_parts(model, keys, X, y, n):
    """Return the answers to rows that are given n at a time."""
    parts = range(0, len(keys), n)
    given = ((keys[i : i + n], X[i : i + n], y[i : i + n]) for i in parts)
    return np.concatenate([model.predict_then_learn(*part) for part in given])


def bits(model):
    """Return all that every key has learnt."""
    return {key: model.store.slot(model._number(key)).tobytes() for key in model}
