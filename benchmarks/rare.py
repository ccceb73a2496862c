"""How a rare class is found: what weights and thresholds do, beside linear models of others.

    python benchmarks/rare.py                             # what is not there yet
    python benchmarks/rare.py --streams "linear 10" --again

Made streams of 40,000 rows, one in two hundred of them positive. Prequential, every row counted:
average precision, recall in the 1 % of the rows with the highest scores, log-loss, and recall and
share of alarms of the answers.
"""

# ruff: noqa: E402

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

from functools import partial
from pathlib import Path

import numpy as np
from rare_section import CAPS, MODELS, POSITIVES, STREAMS, TOP, digest_of
from result_file import measure_missing

from mooe.auto.params import AutoParams
from mooe.decision import Decision
from mooe.model import Model
from mooe.numerics.scores import probabilities

RESULTS = Path(__file__).parent / "results" / "rare.json"
N_ROWS = 40_000
AT_ONCE = 20  # rows that scikit-learn is given


def made(kind, d, drifts, seed=0):
    """Return rows and labels: log-odds are linear, a product, or a matter of places.

    Where it drifts, it goes over into another of its kind along the stream.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_ROWS, d))
    turn = np.linspace(0.0, np.pi / 2, N_ROWS) * drifts
    if kind == "linear":
        a, b = rng.normal(size=(2, d)) / np.sqrt(d)
        odds = 6.0 * (np.cos(turn) * (X @ a) + np.sin(turn) * (X @ b))
    elif kind == "products":
        i, j, k, m = rng.permutation(d)[:4]
        odds = 4.0 * (np.cos(turn) * X[:, i] * X[:, j] + np.sin(turn) * X[:, k] * X[:, m])
    else:
        centres, ways = rng.normal(size=(2, 3, 4))
        moved = centres + np.sin(turn)[:, None, None] * ways  # (n, 3, 4)
        odds = -10.0 * ((X[:, None, :4] - moved) ** 2).sum(axis=2).min(axis=1)
    low, high = -60.0, 60.0
    for _ in range(60):
        middle = (low + high) / 2
        above = (1.0 / (1.0 + np.exp(-odds - middle))).mean() > POSITIVES
        low, high = (low, middle) if above else (middle, high)
    y = rng.random(N_ROWS) < 1.0 / (1.0 + np.exp(-odds - low))
    y[0] = False
    return X, y.astype(np.float64)


def balanced(y):
    """Return rows so far / (2 * rows of this class so far), as the docs once advised."""
    n = np.arange(1, len(y) + 1)
    return n / (2 * np.where(y == 1, np.cumsum(y), n - np.cumsum(y)))


def by_mooe(X, y, weights=None, **chosen):
    """Return chances of the positive class, and answers."""
    model = Model(AutoParams())
    model.labels.add([0, 1])
    model.start(X.shape[1])
    model.grow_classes(2)
    model.decide(Decision(**chosen))
    answers, scores = model.answer_then_learn(X, y, weights)
    return probabilities(model.params, scores)[:, 1], answers


def by_sklearn(X, y):
    """Return the same of scikit-learn's logistic regression by stochastic gradient, scaled.

    It answers and learns some rows at a time, for a call of it takes as long as a hundred rows.
    """
    from sklearn.linear_model import SGDClassifier
    from sklearn.preprocessing import StandardScaler

    model, scaler = SGDClassifier(loss="log_loss", random_state=0), StandardScaler()
    chances = np.full(len(y), POSITIVES)
    for first in range(0, len(y), AT_ONCE):
        some = slice(first, first + AT_ONCE)
        if first > 0:
            chances[some] = model.predict_proba(scaler.transform(X[some]))[:, 1]
        scaled = scaler.partial_fit(X[some]).transform(X[some])
        model.partial_fit(scaled, y[some], classes=[0.0, 1.0])
    return chances, (chances > 0.5).astype(int)


def by_river(X, y):
    """Return the same of River's logistic regression behind its scaler."""
    from river.linear_model import LogisticRegression
    from river.preprocessing import StandardScaler

    model = StandardScaler() | LogisticRegression()
    chances = np.empty(len(y))
    for i, row in enumerate(X.tolist()):
        x = dict(enumerate(row))
        chances[i] = model.predict_proba_one(x).get(True, 0.0)
        model.learn_one(x, bool(y[i]))
    return chances, (chances > 0.5).astype(int)


def run(model, X, y):
    """Return chances and answers of one of MODELS."""
    if model in CAPS:
        return by_mooe(X, y, np.minimum(balanced(y), CAPS[model]))
    if model == "River, logistic":
        return by_river(X, y)
    if model == "scikit-learn, logistic":
        return by_sklearn(X, y)
    return by_mooe(X, y, **MODELS[model])


def judged(chances, answers, y):
    """Return what is told of chances and answers."""
    from sklearn.metrics import average_precision_score

    top = np.argsort(-chances, kind="stable")[: round(TOP * len(y))]
    own = np.clip(np.where(y == 1, chances, 1.0 - chances), 1e-15, 1.0)
    return {
        "precision": average_precision_score(y, chances),
        "top_recall": y[top].sum() / y.sum(),
        "log_loss": -np.log(own).mean(),
        "recall": y[answers == 1].sum() / y.sum(),
        "alarms": (answers == 1).mean(),
    }


def runs_on(stream):
    """Yield the runs of all models on a stream."""
    X, y = made(*STREAMS[stream])

    def told(key, model):
        one = judged(*run(model, X, y), y)
        print(key, {name: round(value, 3) for name, value in one.items()}, flush=True)
        return one

    for model in MODELS:
        key = f"{stream} | {model}"
        yield key, partial(told, key, model)


if __name__ == "__main__":
    measure_missing(__doc__.splitlines()[0], RESULTS, STREAMS, runs_on, digest_of)
