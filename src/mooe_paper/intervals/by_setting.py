"""MOOE beside OGD on the last of 15 intervals, with a setting of what the paper leaves open.

Both have the setting: OGD is MOOE's online expert alone, in the same ball, with the same loss and
step.
"""

from typing import Any

import numpy as np

from mooe.datasets import open_stream
from mooe.paper.core import Params
from mooe_paper.estimate import estimate
from mooe_paper.intervals import scores as paper
from mooe_paper.intervals.last_interval import DRAWN, SOURCES, models
from mooe_paper.unknowns import SWEEPS

OTHERS = ("OGD restarted", "OGD warm")
FIRST = (50, DRAWN)  # rows of the last interval that means are taken over


def regrets(stream: str, setting: str, n_seeds: int) -> dict[str, Any]:
    """Return MOOE's regret in the last interval less that of each OGD, over seeds.

    `more` is [mean, low, high] by the names of the two.
    """
    runs = []
    for seed in range(n_seeds):
        X, y, learners = _prepared(stream, setting, seed)
        runs.append({name: paper.last_regret(params, X, y) for name, params in learners.items()})
    more = {
        f"MOOE - {other}": estimate(np.array([run["MOOE"] - run[other] for run in runs]))
        for other in OTHERS
    }
    return {"stream": stream, "setting": setting, "n_seeds": n_seeds, "more": more}


def losses(stream: str, setting: str, n_seeds: int) -> dict[str, Any]:
    """Return MOOE's loss and error in the last interval less those of each OGD, over seeds.

    `more` has, by the names of the two, `loss` and `error`, each [mean, low, high] over the first
    50 and 1,000 rows.
    """
    runs: dict[tuple[str, str], list[list[float]]] = {}
    for seed in range(n_seeds):
        X, y, learners = _prepared(stream, setting, seed)
        last = slice(len(y) - SOURCES[stream].length, None)
        scores = {name: paper.scores(params, X, y)[last] for name, params in learners.items()}
        for measure, of in (("loss", paper.losses), ("error", paper.errors)):
            rows = {name: of(s, y[last]) for name, s in scores.items()}
            for other in OTHERS:
                more = rows["MOOE"] - rows[other]
                means = [float(more[:n].mean()) for n in FIRST]
                runs.setdefault((f"MOOE - {other}", measure), []).append(means)
    differences: dict[str, dict[str, Any]] = {}
    for (pair, measure), values in runs.items():
        differences.setdefault(pair, {})[measure] = estimate(np.array(values))
    return {"stream": stream, "setting": setting, "n_seeds": n_seeds, "more": differences}


def _prepared(
    stream: str, setting: str, seed: int
) -> tuple[np.ndarray, np.ndarray, dict[str, Params]]:
    """Return rows, labels, and the parameters of MOOE and of both OGD with a setting."""
    opened = open_stream(stream, seed=seed)
    learners = models(SOURCES[stream], **SWEEPS["mooe-paper"][setting])
    return opened.X, opened.y.astype(np.float64), learners
