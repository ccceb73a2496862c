"""What models have learnt after 20,000 rows, as hashes: the same bits, whoever compiled the code.

    python native/learnt.py   # prints JSON

Both engines learn streams whose two concepts take turns, as a chunk and row by row; every learner
of the command is run and judged; a forecaster learns a series in the same two ways. So every
compiled function is called.
"""

import hashlib
import json
import sys

import numpy as np
from scipy import sparse

from mooe.auto.params import AutoParams
from mooe.evaluate.loop import prequential
from mooe.forecast import MOOEForecaster, backtest
from mooe.model import Model
from mooe.named_rows import NamedRows
from mooe.numerics import native
from mooe.paper.params import Params
from mooe.run.registry import MODELS, make_learner
from mooe.streams.stream import Stream

ROWS, FEW = 20_000, 2_000  # of a chunk; one by one, and for the learners of the command
TURN = 2_500  # rows of a concept before the other comes back
ENGINES = {"default": AutoParams, "paper": Params}
SHAPES = {  # columns, and classes; none are a regression
    "binary": (8, 2),
    "five classes": (10, 5),
    "regression": (8, 0),
    "wide": (200, 2),
}


def made(name):
    """Return inputs and labels of a stream."""
    width, n_classes = SHAPES[name]
    rng = np.random.default_rng((0, width, n_classes))
    X = rng.normal(size=(ROWS, width))
    if name == "wide":
        X *= rng.random(X.shape) < 0.1
    concepts = rng.normal(size=(2, width, max(n_classes, 1)))
    scores = rng.normal(size=(ROWS, max(n_classes, 1)))
    for first in range(0, ROWS, TURN):
        rows = slice(first, first + TURN)
        scores[rows] += X[rows] @ concepts[first // TURN % 2]
    return X, scores.argmax(axis=1) if n_classes else scores[:, 0]


def learnt(name, engine, X, y):
    """Return the bytes of a model after all rows, and of one that has learnt a few one by one."""
    params = ENGINES[engine](task="classification" if SHAPES[name][1] else "regression")
    chunk, single = Model(params), Model(params, range(X.shape[1]))
    if engine == "default":
        X = sparse.csr_array(X) if name == "wide" else np.where(X > 2.5, np.nan, X)
    numbers = chunk.labels.encode(y) if SHAPES[name][1] else y
    chunk.learn(X, numbers)
    single.labels = chunk.labels
    rows = NamedRows(single)
    for x, label in zip(
        X[:FEW].toarray() if sparse.issparse(X) else X[:FEW], numbers, strict=False
    ):
        sample = {j: value for j, value in enumerate(x.tolist()) if value == value}
        rows.answer(sample)
        rows.learn(sample, float(label))
    return chunk.to_bytes(), single.to_bytes()


def judged(model, name):
    """Return what a learner of the command has answered to a few rows, and its measures."""
    X, y = made(name)
    task = "classification" if SHAPES[name][1] else "regression"
    stream = Stream(name, X[:FEW], y[:FEW], task=task)
    results = prequential(make_learner(model, task), stream, store_predictions=True)
    return repr((results.cumulative, results.windows, list(results.predictions))).encode()


def forecast():
    """Return the bytes of two forecasters, and of all forecasts that one of them has made."""
    rng = np.random.default_rng(1)
    X, at = rng.normal(size=(FEW, 1)), np.arange(FEW)
    turns = np.where(at[:, None] // 250 % 2, np.sin(at / 4)[:, None], np.cos(at / 9)[:, None])
    Y = 10.0 + 3.0 * turns + X + np.cumsum(rng.normal(0.0, 0.1, (FEW, 2)), 0)
    Y[rng.random(Y.shape) < 0.01] = np.nan
    done = backtest(Y, horizon=24, warm_up=500, X=X)
    single = MOOEForecaster(24)
    for row, x in zip(Y, X, strict=True):
        single.update(row[None], x[None])
    told = single.predict(X_future=X[:24]).mean
    made = [done.mean, *done.lower.values(), *done.upper.values(), told]
    blobs = done.forecaster.to_bytes(), single.to_bytes(), b"".join(map(np.ndarray.tobytes, made))
    return dict(zip(("chunk", "rows", "forecasts"), blobs, strict=True))


def hashes():
    """Return a hash of each by name."""
    found = {}
    for name in SHAPES:
        X, y = made(name)
        for engine in ENGINES:
            for way, blob in zip(("chunk", "rows"), learnt(name, engine, X, y), strict=True):
                found[f"{name}, {engine}, {way}"] = blob
    found |= {f"run, {model}": judged(model, "five classes") for model in MODELS if model != "mean"}
    found["run, regression"] = judged("ader", "regression")
    found |= {f"forecast, {way}": blob for way, blob in forecast().items()}
    return {name: hashlib.sha256(blob).hexdigest() for name, blob in found.items()}


if __name__ == "__main__":
    kept = hashes()
    is_native = native.ENTRIES is not None
    print(json.dumps({"hashes": kept, "native": is_native, "numba": "numba" in sys.modules}))
