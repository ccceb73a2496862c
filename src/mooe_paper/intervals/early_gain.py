"""The gain of MOOE on OGD early in an interval, on a stream and with a setting, over seeds.

Every learner has the same rows. A difference is MOOE's minus the other's, so below 0 is a gain.
"""

from typing import Any

import numpy as np

from mooe.datasets import abrupt, moving_gaussians, recurring
from mooe.paper.core import Params
from mooe_paper.estimate import estimate
from mooe_paper.intervals import scores as paper

FIRST = (10, 25, 50, 100)  # rows that means are taken over, and all of them
BINS = range(0, 200, 5)  # where the bins of the curve begin, 5 rows each
N_RETURNING = 4  # regimes that take turns
N_VISITS = 16

# How many regimes are over before rows count: with those that return, all of them have been there;
# with the others, there is an offline expert.
SKIPPED = {"drifting": 1, "returning": N_RETURNING, "changing": 1, "recurring": N_RETURNING}


def early_gain(
    stream: str,
    length: int,
    interval: int,
    settings: dict[str, Any],
    n_seeds: int,
    curve: bool = False,
) -> dict[str, Any]:
    """Return how MOOE differs from its online expert alone, at the beginning of regimes.

    The other is OGD with the same start (`alike`), OGD restarted (`restarted`), or MOOE with
    offline experts that know nothing (`blank`). Of each: `loss` and `error` over the first 10, 25,
    50 and 100 rows of a regime and all of them, and `early`, the loss of the first 50 minus that of
    all. Everything is [mean, low, high] over seeds, a seed's value being the mean over regimes.

    Parameters
    ----------
    length, interval : int
        Rows of a regime, and labels of an interval of the learners.
    settings : dict
        Parameters of paper mode.
    curve : bool
        Whether to give `curve` as well, in bins of 5 rows.
    """
    skipped = SKIPPED[stream]
    runs = [differences(stream, length, interval, settings, seed) for seed in range(n_seeds)]
    record: dict[str, Any] = {"stream": stream, "length": length, "interval": interval}
    record |= {"settings": settings, "n_seeds": n_seeds}
    for other in runs[0]:
        record[other] = {}
        for measure in runs[0][other]:
            # (n_seeds, length): the mean over regimes of each of their rows
            rows = np.array(
                [run[other][measure].reshape(-1, length)[skipped:].mean(axis=0) for run in runs]
            )
            means = [rows[:, :n].mean(axis=1) for n in (*FIRST, length)]
            record[other][measure] = estimate(np.stack(means, axis=1))
            if measure == "loss":
                record[other]["early"] = estimate(means[2] - means[-1])
            if curve and other != "blank":
                bins = [rows[:, a : a + BINS.step].mean(axis=1) for a in BINS]
                record[other][f"{measure} curve"] = estimate(np.stack(bins, axis=1))
    return record


def differences(
    stream: str, length: int, interval: int, settings: dict[str, Any], seed: int
) -> dict[str, dict[str, np.ndarray]]:
    """Return, for each other learner and each measure, MOOE's rows minus the other's."""
    X, y = rows_of(stream, length, seed)
    if settings.get("scale") is False:
        settings = settings | {"input_bound": float(np.linalg.norm(X, axis=1).max())}
    params = Params(interval=interval, seed=seed, **settings)
    mixed = paper.scores(params, X, y)
    others = {
        "alike": paper.scores(paper.online_params(params), X, y),
        "restarted": paper.scores(paper.online_params(params, "reset"), X, y),
        "blank": paper.blank_scores(params, X, y),
    }
    more = {
        name: {
            "loss": paper.losses(mixed, y) - paper.losses(scores, y),
            "error": paper.errors(mixed, y) - paper.errors(scores, y),
        }
        for name, scores in others.items()
    }
    del more["blank"]["error"]  # it is that of `alike`
    return more


def rows_of(stream: str, length: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return X and y of a stream whose regimes last `length` rows."""
    if stream == "returning":
        return returning(N_RETURNING, N_VISITS, length, seed)
    if stream == "drifting":
        made = moving_gaussians(15, length, seed)
    elif stream == "changing":
        made = abrupt(15 * length, n_concepts=15, seed=seed)
    else:
        made = recurring(N_VISITS * length, n_concepts=N_RETURNING, length=length, seed=seed)
    return made.X, made.y.astype(np.float64)


def returning(
    n_regimes: int, n_visits: int, length: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return X and y of the paper's moving Gaussians, whose first regimes come back in turn.

    Visit v has the rows that `moving_gaussians` draws for a regime in its own draw v // n_regimes,
    so that no row comes twice.
    """
    n_draws = -(-n_visits // n_regimes)
    made = moving_gaussians(n_regimes, n_draws * length, seed)  # shuffled: any part is a draw
    X = made.X.reshape(n_regimes, n_draws, length, 2).swapaxes(0, 1).reshape(-1, 2)
    y = made.y.reshape(n_regimes, n_draws, length).swapaxes(0, 1).reshape(-1)
    n = n_visits * length
    return np.ascontiguousarray(X[:n]), y[:n].astype(np.float64)
