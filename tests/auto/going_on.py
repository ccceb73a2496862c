"""A program that goes on with model files of before, and tries a fresh model of the same package.

    python going_on.py out.npz a.mooe b.mooe ...

`test_roster` runs it with a copy of mooe that has one expert more, and compares.
"""

import json
import sys
from pathlib import Path

import numpy as np

from mooe import modelfile
from mooe.auto import core
from mooe.auto.file import learnt
from mooe.auto.params import AutoParams
from mooe.auto.roster import EXPERTS, OLD_ROSTER
from mooe.modelfile import Contents, from_bytes, to_bytes
from mooe.numerics.scores import answers

WIDTHS = (1, 2, 140)  # columns more than at first: as before, narrow, wide
N = 90  # rows each


def rows(params, state, rng):
    """Return rows, labels and scores of added experts; a new class comes in the middle."""
    X = rng.normal(size=(N, state.n_features))
    n_classes = state.n_classes + 1
    if params.task == "regression":
        y = X[:, 0] - X[:, 1] * X[:, 2]
    else:
        y = np.where(rng.random(N) < 0.3, rng.integers(0, n_classes, N), X[:, 0] > 0).astype(float)
        y[: N // 2] = np.minimum(y[: N // 2], state.n_classes - 1)
    return X, y, rng.uniform(-1, 1, (N, state.n_added, max(n_classes, 1)))


def roster_of(path):
    """Return the experts that a file knows."""
    header = json.loads(modelfile.read_header(Path(path).read_bytes())[0])
    return tuple(header.get("roster", OLD_ROSTER))


def going_on(path):
    """Return all that a model says and knows while it goes on from a file, by name."""
    contents = modelfile.read(path)
    params, state = contents.params, contents.state
    rng = np.random.default_rng(0)
    known = {}
    for more in WIDTHS:
        core.grow_inputs(params, state, state.n_features + more)
        X, y, added = rows(params, state, rng)
        known[f"{more}.asked"] = core.predict(params, state, X, added)
        known[f"{more}.learnt"] = core.predict_then_learn(params, state, X, y, added=added)
        known[f"{more}.weights"] = core.weights(params, state)
    return known | learnt(params, state, roster_of(path))


def bytes_of(params, state):
    """Return the file of a model."""
    labels = None if params.task == "regression" else list(range(state.n_classes))
    return to_bytes(Contents(params, state, labels))


def fresh(name, task):
    """Return what a fresh model makes of its last expert, and check laws that hold for all."""
    params, rng = AutoParams(task, interval=8), np.random.default_rng(1)
    state = core.init(params, 4, 2 if task == "classification" else 0)
    for more in WIDTHS:
        core.grow_inputs(params, state, state.n_features + more)
        X, y, _ = rows(params, state, rng)
        single, stopped = state.copy(), from_bytes(bytes_of(params, state)).state
        scores = core.predict_then_learn(params, state, X, y)
        core.predict_then_learn(params, stopped, X, y)
        for i in range(N):
            core.predict_then_learn(params, single, X[i : i + 1], y[i : i + 1])
        assert bytes_of(params, single) == bytes_of(params, stopped) == bytes_of(params, state)
        assert np.isfinite(scores[2:, :1]).all()
    members = core.experts(params, state)
    assert [member.name for member in members][-1] == name, members
    weights, votes = core.explain(params, state, X[:1])
    score = core.predict(params, state, X[:1])
    mixed = (weights @ votes).reshape(1, -1)
    if task == "regression":
        np.testing.assert_allclose(mixed, score, rtol=1e-9)
    np.testing.assert_allclose(answers(params, mixed), answers(params, score), rtol=1e-9)
    return np.append(weights[-1], votes[-1])


def main() -> None:
    out, *paths = sys.argv[1:]
    known = {}
    for k, path in enumerate(paths):
        params = modelfile.read(path).params
        assert set(EXPERTS) - set(roster_of(path)) <= set(params.without), params
        known |= {f"{k}.{name}": array for name, array in going_on(path).items()}
    for task in ("classification", "regression"):
        known[f"fresh.{task}"] = fresh(EXPERTS[-1], task)
    np.savez(out, **known)


if __name__ == "__main__":
    main()
