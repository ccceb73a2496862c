"""Models of many keys in slots, beside a Model for each of them."""

import numpy as np
import pytest

pytest.importorskip("pyspark")

from mooe.keyed.settings import params_of
from mooe.model import Model
from mooe.numerics.scores import probabilities
from mooe.spark import layouts
from mooe.spark.models import Models
from mooe.spark.record import Record


@pytest.mark.parametrize("setting", ["light", "full", "paper"])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_records_go_on_as_models_that_were_never_kept(setting, task):
    params, rng = params_of(setting, task, False, 0), np.random.default_rng(0)
    X, keys = rng.normal(size=(300, 3)), rng.integers(1, 4, 300)
    y = X[:, 0] if task == "regression" else rng.integers(0, 2, 300).astype(float)
    y[np.unique(keys, return_index=True)[1]] = 0.0  # every key numbers classes as it meets them
    known = np.full(300, np.nan)
    known[200:260:7] = -np.inf if task == "classification" else 0.5  # labels that came late
    records: list[Record | None] = [None, None, None]
    own = [Model(params) for _ in records]
    for part in np.split(np.arange(300), [40, 170]):
        models = Models(params, 3, records)
        said = models.learn(keys[part], X[part], y[part], known[part], 2)
        for number, model in enumerate(own, 1):
            rows = keys[part] == number
            scores, regimes = [], []
            for at in part[rows]:
                regimes.append(model.regime() or 0)
                row = slice(at, at + 1)
                scores.append(model.learn(X[row], y[row], None, known[row])[0, -1:])
            assert said.regimes[rows].tolist() == regimes
            if task == "classification":
                expected = probabilities(params, np.array(scores))
                assert np.array_equal(said.shares[rows][5:], expected[5:])
            else:
                assert np.array_equal(said.answers[rows][5:], np.array(scores)[5:, 0])
            blob, name = models.state(number)
            assert blob == layouts.to_bytes(params, model.state)
            records[number - 1] = Record(blob, name, [0, 1] if task == "classification" else [])
