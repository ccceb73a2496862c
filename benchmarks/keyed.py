"""One model per key: rows per second over a million keys, sizes, spill, and how new keys start.

    python benchmarks/keyed.py                        # what is not there yet
    python benchmarks/keyed.py --streams speed --again
    python benchmarks/keyed.py --streams cold,real
    python benchmarks/keyed.py --streams cold:0.15    # of the grid, the streams of a spread

The speed of the light setting over a million keys takes 10 GB of memory.
"""

# ruff: noqa: E402

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
from keyed_section import (
    GLOBAL,
    LEARNERS,
    MANY,
    OURS,
    RATES,
    REAL,
    RIVER_RATE,
    SKLEARN_RATE,
    SPEED,
    digest_of,
    name_of,
)
from keyed_streams import GRID, stream
from result_file import measure_missing

from mooe.auto.params import AutoParams
from mooe.datasets import covertype, electricity
from mooe.keyed import KeyedMOOE
from mooe.model import Model
from mooe.numerics.arithmetic import matrix, vector
from mooe.numerics.compiled import compiled
from mooe.numerics.compiler import float64, int64, void
from mooe.paper.params import Params

RESULTS = Path(__file__).parent / "results" / "keyed.json"
N_KEYS, N_ROWS, WIDTH = 1_000_000, 1_000_000, 8
TIMES = 5  # that rows are taken; the best counts
COLD_KEYS, COLD_ROWS, FIRST = 2_000, 200, 20
ALONE_KEYS = 50  # of which learners that know one key alone are measured
SETTINGS = {"paper": Params(max_experts=8), "light": "light"}


def made_rows(seed):
    """Return rows and labels of no key."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_ROWS, WIDTH))
    return X, (X[:, 0] + X[:, 1] > 0.0).astype(np.int64)


def speed(setting):
    """Return how many rows a second are answered and learnt, and what that takes."""
    (X, y), rng = made_rows(0), np.random.default_rng(1)
    model, names = KeyedMOOE(SETTINGS[setting], threads=2), 7 * np.arange(N_KEYS) + 3
    model.learn(names, X, y)
    found = {"keys": len(model), "bytes_per_key": model.n_bytes() / len(model)}
    for name, threads in (("two", 2), ("one", 1)):
        model.threads, best, least = threads, np.inf, np.inf
        for _ in range(TIMES):
            keys = names[rng.integers(0, N_KEYS, N_ROWS)]
            began, used = time.perf_counter(), time.process_time()
            model.predict_then_learn(keys, X, y)
            best = min(best, time.perf_counter() - began)
            least = min(least, time.process_time() - used)
        found |= {name: N_ROWS / best, f"{name}_by_processor": N_ROWS / least}
    found["peak"] = peak_memory()
    del model
    return found | {"texts": text_speed(setting), "spill_is_exact": spill_is_exact(setting)}


def text_speed(setting):
    """Return rows per second where keys are texts, two threads; a fifth of the keys."""
    (X, y), rng, n = made_rows(0), np.random.default_rng(1), N_KEYS // 5
    names = np.array([f"device-{number:07d}" for number in range(n)])
    model, best = KeyedMOOE(SETTINGS[setting], threads=2), np.inf
    model.learn(names, X[:n], y[:n])
    for _ in range(TIMES):
        keys = names[rng.integers(0, n, N_ROWS)].tolist()
        began = time.perf_counter()
        model.predict_then_learn(keys, X, y)
        best = min(best, time.perf_counter() - began)
    return N_ROWS / best


def spill_is_exact(setting, n_keys=2_000, n_rows=20_000):
    """Return whether keys that wait in a file come back with the same bits."""
    (X, y), rng = made_rows(2), np.random.default_rng(3)
    keys = rng.integers(0, n_keys, n_rows)
    free = KeyedMOOE(SETTINGS[setting])
    free.learn(keys, X[:n_rows], y[:n_rows])
    tight = KeyedMOOE(SETTINGS[setting], memory=free.n_bytes() // 4)
    for first in range(0, n_rows, 500):
        part = slice(first, first + 500)
        tight.learn(keys[part], X[part], y[part])
    same = (free.model(key).to_bytes() == tight.model(key).to_bytes() for key in free)
    return tight.n_waiting() > n_keys // 2 and all(same)


def peak_memory():
    """Return the most memory that this process has had, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


@compiled(void(int64[::1], matrix, vector, matrix, vector, float64, float64, vector))
def learn_hierarchical(keys, X, y, own, common, rate, own_rate, right):
    """In place: right = 1 where logistic regression with weights common + own[key] was right."""
    d = X.shape[1]
    for i in range(X.shape[0]):
        mine, score = own[keys[i]], common[d] + own[keys[i], d]
        for j in range(d):
            score += (common[j] + mine[j]) * X[i, j]
        right[i] = 1.0 if (score > 0.0) == (y[i] > 0.0) else 0.0
        slope = y[i] - 1.0 / (1.0 + np.exp(-score))
        for j in range(d):
            common[j] += rate * slope * X[i, j]
            mine[j] += own_rate * slope * X[i, j]
        common[d] += rate * slope
        mine[d] += own_rate * slope


def hierarchical(rate, own_rate, keys, X, y):
    own, right = np.zeros((COLD_KEYS, X.shape[1] + 1)), np.zeros(len(X))
    common, labels = np.zeros(X.shape[1] + 1), y.astype(np.float64)
    learn_hierarchical(keys, X, labels, own, common, rate, own_rate, right)
    return right


def keyed(keys, X, y, **options):
    return KeyedMOOE(**options).predict_then_learn(keys, X, y) == y


def shared_and_global(keys, X, y, options):
    """Return where keys beside one shared model were right, and where that one was by itself.

    It learns all rows in their order, so it is the one global model.
    """
    model, votes = KeyedMOOE(shared="learning", buckets=1, **options), []
    ask = model.shared.votes

    def heard(*about):
        votes.append(ask(*about))
        return votes[-1]

    model.shared.votes = heard
    right = model.predict_then_learn(keys, X, y) == y
    said = np.concatenate([part for part, _ in votes])
    names = np.array(model.labels.names)
    alone = (names[np.nan_to_num(said).argmax(axis=1)] == y) & ~np.isnan(said[:, 0])
    return right, alone


def of_river(rate, keys, X, y):
    from river.linear_model import LogisticRegression
    from river.optim import SGD

    models, right = {}, np.zeros(len(X))
    for i, (key, x, label) in enumerate(zip(keys.tolist(), X.tolist(), y.tolist(), strict=True)):
        if key not in models:
            models[key] = LogisticRegression(SGD(rate), intercept_lr=rate)
        model, row = models[key], dict(enumerate(x))
        right[i] = model.predict_one(row) == bool(label)
        model.learn_one(row, bool(label))
    return right


def of_sklearn(rate, keys, X, y):
    from sklearn.linear_model import SGDClassifier

    models, right = {}, np.zeros(len(X))
    options = {"loss": "log_loss", "learning_rate": "constant", "eta0": rate}
    for i, key in enumerate(keys.tolist()):
        row = X[i : i + 1]
        if key in models:
            right[i] = models[key].predict(row)[0] == y[i]
        model = models.setdefault(key, SGDClassifier(**options))
        model.partial_fit(row, y[i : i + 1], classes=[0, 1])
    return right


def cold(cell):
    """Return the accuracies of all learners on a stream of the grid."""
    keys, X, y, age = stream(cell, COLD_KEYS, COLD_ROWS)
    few = keys < ALONE_KEYS
    alone = keys[few], np.ascontiguousarray(X[few]), y[few]
    ours, one = shared_and_global(keys, X, y, {})
    said = (
        (ours, age),
        (keyed(keys, X, y, shared="learning", buckets=MANY), age),
        (one, age),
        (keyed(keys, X, y), age),
        (keyed(*alone, setting="full"), age[few]),
        *((hierarchical(*rates, keys, X, y), age) for rates in RATES),
        (of_river(RIVER_RATE, *alone), age[few]),
        (of_sklearn(SKLEARN_RATE, *alone), age[few]),
    )
    found = {}
    for learner, (right, ages) in zip(LEARNERS, said, strict=True):
        right = np.asarray(right, np.float64)
        found[learner] = {"first": right[ages < FIRST].mean(), "all": right.mean()}
    print(name_of(cell), *(f"{found[who]['all']:.4f}" for who in (OURS, GLOBAL)), file=sys.stderr)
    return found


def real(name):
    """Return the accuracies on a real stream, by its keys."""
    if name == "Electricity":
        chunk = next(electricity().chunks(rows=50_000))
        keys = np.round(47 * chunk.X[:, 2]).astype(np.int64)  # the period of the day
    else:
        chunk = next(covertype().chunks(rows=40_000))
        keys = chunk.X[:, 14:].argmax(axis=1)  # indicators of soil types
    X, y = np.ascontiguousarray(chunk.X), np.asarray(chunk.y)
    model = Model(AutoParams())
    scores = model.learn(X, model.labels.encode(y))
    return {
        "keys": len(np.unique(keys)),
        "rows": len(X),
        "shared": keyed(keys, X, y, shared="learning", buckets=1).mean(),
        "by bucket": keyed(keys, X, y, shared="learning", buckets=MANY).mean(),
        "global": (np.array(model.named(model.answers(scores)), object) == y).mean(),
        "alone": keyed(keys, X, y).mean(),
    }


def runs(part):
    """Yield the runs of a part, with the functions that measure them."""
    if part == "speed":
        yield from ((f"speed | {name}", partial(speed, name)) for name in SPEED)
    elif part.startswith("cold"):
        _, _, spread = part.partition(":")
        for cell in GRID:
            if not spread or cell.spread == float(spread):
                yield name_of(cell), partial(cold, cell)
    else:
        yield from ((f"real | {name}", partial(real, name)) for name in REAL)


if __name__ == "__main__":
    measure_missing(__doc__.splitlines()[0], RESULTS, ("real", "cold", "speed"), runs, digest_of)
