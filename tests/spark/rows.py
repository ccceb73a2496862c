"""Keyed rows for the tests of Spark, and the same rows learnt one after the other without it."""

import numpy as np
import pandas as pd

from mooe.keyed.settings import params_of
from mooe.model import Model
from mooe.numerics.scores import probabilities

FEATURES = ["a", "b", "c"]


def made_rows(n_keys: int, n_each: int, seed: int = 0, first: int = 0) -> pd.DataFrame:
    """Return rows of all keys in turn; what makes a label up turns round half-way."""
    rng = np.random.default_rng((seed, first))
    n = n_keys * n_each
    X = rng.normal(size=(n, 3))
    keys, seq = np.tile(np.arange(n_keys), n_each), first + np.arange(n)
    turned = np.where(np.arange(n) < n / 2, 1.0, -1.0) * np.where(keys % 2, 1.0, -1.0)
    frame = pd.DataFrame(X, columns=FEATURES)
    frame["key"] = [f"key {key}" for key in keys]
    frame["seq"] = seq
    frame["label"] = np.where(turned * X[:, 0] > 0.0, "up", "down")
    return frame


def said_in_order(rows: pd.DataFrame, setting: object = "light") -> dict[int, tuple]:
    """Return what a model of each key says of its rows by seq: the oracle, row by row."""
    params = params_of(setting, "classification", False, 0)
    models: dict[str, Model] = {}
    said = {}
    for row in rows.sort_values("seq").itertuples():
        model = models.setdefault(row.key, Model(params))
        x = np.array([[row.a, row.b, row.c]])
        answer, likely = None, None
        if model.n_labelled:
            (answer,) = model.predict(x)
            likely = dict(
                zip(
                    model.labels.names,
                    probabilities(params, model.scores(x))[0].tolist(),
                    strict=False,
                )
            )
        said[row.seq] = (answer, likely, model.regime(), model.n_labelled)
        model.learn(x, model.labels.encode(np.array([row.label], object)))
    return said
