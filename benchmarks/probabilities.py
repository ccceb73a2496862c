"""How true the probabilities of the default model are, beside the best fixed sharpness.

    python benchmarks/probabilities.py                       # what is not there yet
    python benchmarks/probabilities.py --streams GasSensor --again

Prequential: the log-loss of what was said before each label, and the calibration error over 15
equal bins of the winner's probability; beside them what the softmax of the mixture's scores would
have had, with the sharpness of 2 that it once had, and with the best one in hindsight, of 60 from
.1 to 30. Rows that bring a new class, which nobody could name, are left out.
"""

# ruff: noqa: E402

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

from pathlib import Path

import ablation
import numpy as np
from probabilities_section import LONGEST, N_BINS, STREAMS, digest_of
from result_file import measure_missing

from mooe.auto import core
from mooe.auto.params import AutoParams
from mooe.labels import Labels
from mooe.numerics.scores import two_scores

RESULTS = Path(__file__).parent / "results" / "probabilities.json"
SHARPNESSES = np.geomspace(0.1, 30.0, 60)
BEFORE = 2.0


def loaded(name):
    """Return the rows of a stream and the numbers of its labels in order of appearance."""
    rng = np.random.default_rng(5)
    if name == "noisy pairs":
        X = rng.normal(size=(20_000, 12))
        y = (X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] > 0.0) ^ (rng.random(len(X)) < 0.15)
    elif name == "40 classes":
        X = rng.normal(size=(20_000, 10))
        y = (X @ rng.normal(size=(10, 40)) + rng.gumbel(size=(len(X), 40))).argmax(axis=1)
    else:
        X, y = ablation.loaded(name)
    return X[:LONGEST], Labels().encode(np.asarray(y[:LONGEST]))


def scores_of(without, X, y):
    """Return the scores of all classes that were given before each label."""
    params = AutoParams(without=without)
    scores = core.predict_then_learn(params, core.init(params, X.shape[1]), X, y)
    return scores if scores.shape[1] > 1 else two_scores(scores[:, 0])


def softmax(scores, sharpness):
    raised = np.exp(sharpness * (scores - scores.max(axis=1, keepdims=True)))
    return raised / raised.sum(axis=1, keepdims=True)


def judged(chances, y):
    """Return log-loss and calibration error."""
    sure, right = chances.max(axis=1), chances.argmax(axis=1) == y
    bins = np.minimum((sure * N_BINS).astype(int), N_BINS - 1)
    gap = np.abs(np.bincount(bins, right - sure)).sum() / len(y)
    return {"log_loss": -np.log(chances[np.arange(len(y)), y]).mean(), "error": gap}


def measured(name):
    """Return what came out of one stream."""
    X, y = loaded(name)
    learnt, plain = scores_of((), X, y), scores_of(("calibration",), X, y)
    y = y.astype(int)
    known = np.isfinite(plain[np.arange(len(y)), y]) & (np.isfinite(plain).sum(axis=1) > 1)
    learnt, plain, y = learnt[known], plain[known], y[known]
    fixed = [judged(softmax(plain, sharpness), y) for sharpness in SHARPNESSES]
    best = int(np.argmin([one["log_loss"] for one in fixed]))
    return {
        "rows": len(y),
        "classes": int(y.max()) + 1,
        "learnt": judged(softmax(learnt, AutoParams.sharpness), y),
        "before": judged(softmax(plain, BEFORE), y),
        "best": {"sharpness": SHARPNESSES[best], **fixed[best]},
    }


def runs_on(name):
    """Yield the one run on a stream."""

    def told():
        one = measured(name)
        learnt, best = one["learnt"], one["best"]
        print(
            f"{name}: log-loss {learnt['log_loss']:.4f}, best fixed {best['log_loss']:.4f}, "
            f"calibration error {100 * learnt['error']:.2f} %",
            flush=True,
        )
        return one

    yield name, told


if __name__ == "__main__":
    measure_missing(__doc__.splitlines()[0], RESULTS, STREAMS, runs_on, digest_of)
