"""The default model in regression: its parts, River's learners and the naive ones beside it.

    python benchmarks/regression.py                           # what is not there yet
    python benchmarks/regression.py --streams friedman --again

Made streams without and with regimes that return, and a real one; prequential, every row counted.
"""

# ruff: noqa: E402

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

from functools import cache, partial
from pathlib import Path

import numpy as np
from regression_section import LEARNERS, NAIVE, OURS, REAL, STREAMS, digest_of, seeds_of
from result_file import measure_missing
from river import forest, linear_model, preprocessing, tree

from mooe import MOOERegressor
from mooe.datasets import open_stream
from mooe.evaluate.loop import prequential
from mooe.run.registry import make_learner

RESULTS = Path(__file__).parent / "results" / "regression.json"
N_ROWS, N_INPUTS, LENGTH = 20_000, 10, 2_500
PEERS = {
    "River's ARF": lambda seed: forest.ARFRegressor(seed=seed),
    "River's Hoeffding adaptive tree": lambda seed: tree.HoeffdingAdaptiveTreeRegressor(seed=seed),
    "River's linear regression": lambda seed: (
        preprocessing.StandardScaler() | linear_model.LinearRegression()
    ),
}
NAMES = dict(zip(NAIVE, ("no-change", "mean"), strict=True))


def friedman(rng, X):
    """Friedman (1991), of five of the inputs."""
    a, b, c, d, e = X.T[rng.permutation(N_INPUTS)[:5]]
    return 10.0 * np.sin(np.pi * a * b) + 20.0 * (c - 0.5) ** 2 + 10.0 * d + 5.0 * e


def steps(rng, X):
    """Eight steps, each along one input."""
    cuts, heights = rng.uniform(0.2, 0.8, 8), rng.normal(0.0, 3.0, 8)
    return ((X[:, rng.integers(0, N_INPUTS, 8)] > cuts) * heights).sum(1)


def board(rng, X):
    """A value for each of the 4 x 4 fields of two inputs."""
    i, j = (4.0 * X.T[rng.permutation(N_INPUTS)[:2]]).astype(int)
    return rng.normal(0.0, 3.0, (4, 4))[i, j]


def linear(rng, X):
    return X @ rng.normal(0.0, 5.0, N_INPUTS)


@cache
def rows_of(stream, seed):
    """Return the rows of a stream and their labels."""
    if stream == REAL:
        real = open_stream("Electricity").load()
        demand = real.feature_names.index("nswdemand")
        return real.X[:-1], real.X[1:, demand]
    rng = np.random.default_rng((seed, list(STREAMS).index(stream)))
    X = rng.uniform(size=(N_ROWS, N_INPUTS))
    kind, _, way = stream.partition(" ")
    n_regimes = {"": 1, "recurring": 3, "abrupt": N_ROWS // LENGTH}[way]
    function = {"friedman": friedman, "steps": steps, "board": board, "linear": linear}[kind]
    values = [function(rng, X) for _ in range(n_regimes)]
    y = np.choose(np.arange(N_ROWS) // LENGTH % n_regimes, values)
    return X, y + rng.normal(0.0, 1.0 if kind == "friedman" else 0.5, N_ROWS)


def made(learner, seed):
    """Return a learner that has learnt nothing."""
    if learner in OURS:
        return MOOERegressor(without=OURS[learner], random_state=seed)
    if learner in PEERS:
        return PEERS[learner](seed)
    return make_learner(NAMES[learner], "regression", seed, {})


def runs_on(stream):
    """Yield the runs of all learners on a stream."""

    def told(key, learner, seed):
        results = prequential(made(learner, seed), *rows_of(stream, seed))
        error = results.cumulative["rmse"]
        print(key, error, flush=True)
        return error

    for learner in LEARNERS:
        for seed in seeds_of(stream):
            key = f"{stream} | {learner} | {seed}"
            yield key, partial(told, key, learner, seed)


if __name__ == "__main__":
    measure_missing(__doc__.splitlines()[0], RESULTS, STREAMS, runs_on, digest_of)
