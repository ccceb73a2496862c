"""What the default model answers, as a hash: what leaves it as it was makes no figure older.

    python benchmarks/answers.py    # of the present code: writes answers.json and the page

Rows of every kind are answered and learnt: streams of all generators, regimes that come back, two
classes and many, regression, wide and sparse rows, nominal columns, absent values, weights, labels
that come late; and with every part left out. Every bit of every score counts, and the regimes told.
"""

import hashlib
import json

import digest
import numpy as np
import page
from ablation_section import VARIANTS
from regimes_streams import made, plan
from streams import STREAMS

from mooe.auto import core
from mooe.auto.params import AutoParams
from mooe.labels import Labels

ROWS, FEW, LOOK_EVERY = 7_000, 2_000, 500


def asked():
    """Return the hash of all answers."""
    total = hashlib.sha256()
    for params, X, y, settings in runs():
        total.update(answered(params, X, y, **settings))
    return total.hexdigest()[:16]


def runs():
    """Yield parameters, rows, labels, and what else is known of them."""
    for name, make in STREAMS.items():
        if name != "covertype shuffled":  # which takes a file
            stream = make(seed=1, n=ROWS).load()
            yield AutoParams(seed=1), stream.X, Labels().encode(stream.y), {}
    for number in range(8):
        one = plan(number)
        X, y, _, _ = made(one)
        task = "classification" if one.n_classes else "regression"
        yield AutoParams(task, seed=number), X[:ROWS], y[:ROWS], {}
    rng = np.random.default_rng(5)
    yield from odd_rows(rng)
    narrow, wide = labelled(rng, 8, 2), labelled(rng, 300, 2)
    for without in VARIANTS.values():
        for X, y in (narrow, wide):
            yield AutoParams(without=without), X, y, {}


def odd_rows(rng):
    """Yield runs of rows that tables have and generators have not."""
    n = FEW
    for task, n_classes in (("classification", 40), ("classification", 3), ("regression", 0)):
        X, y = labelled(rng, 20, n_classes)
        absent = np.where(rng.random(X.shape) < 0.1, np.nan, X)
        yield AutoParams(task), absent, y, {"row_weights": rng.uniform(0.0, 3.0, n)}
        yield AutoParams(task), X, y, {"known": np.concatenate([np.full(30, -np.inf), y[:-30]])}
        some = X * (rng.random(X.shape) < 0.1)
        yield AutoParams(task), some, y, {}
        texts = rng.integers(0, 6, (n, 2))
        shown = np.concatenate([texts[:, [k]] == np.arange(6) for k in range(2)], axis=1)
        groups = np.concatenate([np.zeros(20), np.repeat([1.0, 2.0], 6)])
        yield AutoParams(task), np.concatenate([X, shown], axis=1), y, {"groups": groups}
        X, y = labelled(rng, 400, n_classes)
        yield AutoParams(task), X * (rng.random(X.shape) < 0.05), y, {}


def labelled(rng, columns, n_classes):
    """Return rows, and labels of two regimes that take turns; 0 classes: numbers."""
    X = rng.normal(size=(FEW, columns))
    signals = np.einsum("nd,rdc->rnc", X, rng.normal(size=(2, columns, max(n_classes, 1))))
    signal = signals[np.arange(FEW) // 400 % 2, np.arange(FEW)]
    if n_classes == 0:
        y = signal[:, 0] + rng.normal(size=FEW)
        y[::300] = 9999.0
        return X, y
    return X, Labels().encode(signal.argmax(axis=1))


def answered(params, X, y, groups=None, **settings):
    """Return the scores of all rows as bytes, and the regimes that are told on the way."""
    state = core.init(params, X.shape[1], groups=groups)
    found = b""
    for i in range(0, len(y), LOOK_EVERY):
        some = slice(i, i + LOOK_EVERY)
        rest = {name: values[some] for name, values in settings.items()}
        found += core.predict_then_learn(params, state, X[some], y[some], **rest).tobytes()
        regimes = [(one.name, one.in_charge) for one in core.concepts(params, state)]
        found += repr(regimes).encode()
    return found


def main():
    known = {"answers": asked(), "code": digest.model_code()}
    digest.KNOWN.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
    page.write()


if __name__ == "__main__":
    main()
