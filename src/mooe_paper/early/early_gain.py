"""Whether, and when, MOOE gains on OGD early in an interval: the paper's central claim.

Each cell is one condition: a stream and a setting, over seeds, every learner on the same rows. A
difference is MOOE's minus the other's, so below 0 is a gain.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mooe.datasets import abrupt, moving_gaussians, recurring
from mooe.paper.core import Params
from mooe_paper.cells import Cell
from mooe_paper.early import scored
from mooe_paper.early.confidence import estimate

__all__ = ["BINS", "DRAWN", "FIRST", "STREAMS", "cells", "gained", "returning"]

FIRST = (10, 25, 50, 100)  # rows that means are taken over, and all of them
BINS = range(0, 200, 5)  # where the bins of the curve begin, 5 rows each
N_RETURNING = 4  # regimes that take turns
N_VISITS = 16

# What each stream is, and how many regimes are over before rows count: with those that return, all
# of them have been there; with the others, there is an offline expert.
STREAMS = {
    "drifting": ("the paper's synthetic stream: means that wander off", 1),
    "returning": ("four of its regimes in turn", N_RETURNING),
    "changing": ("a new linear concept each time", 1),
    "recurring": ("four linear concepts in turn", N_RETURNING),
}
PAPER = {"max_experts": 5}  # the settings of the paper's figures
# The conditions whose curves are drawn, and what they are called.
DRAWN = {
    "drifting 1000": "synthetic: regimes drift",
    "recurring 1000": "recurring: regimes return",
    "recurring 1000, max_experts 25, meta_rate 5.0": "recurring, K 25, rate 5",
}
SETTINGS: list[dict[str, Any]] = [
    {"start": "reset"},
    {"start": "random"},
    {"max_experts": 2},
    {"max_experts": 25},
    {"priority": "queue"},
    {"pull": 1.0},
    {"pull": 10.0},
    {"radius": 5.0},
    {"scale": False},
    {"loss": "logistic"},
    {"meta_rate": "anytime"},
    {"meta_rate": 0.5},  # the squared loss, at most 1, is exp-concave up to here
    {"meta_rate": 1.0},
    {"meta_rate": 5.0},
    {"max_experts": 25, "meta_rate": 5.0},  # more are kept, and the one that fits is found
]


def cells(quick: bool) -> list[Cell]:
    """Return the conditions: streams and lengths, settings, and intervals shorter than regimes."""
    n_seeds = 5 if quick else 30
    lengths = (1_000,) if quick else (50, 200, 1_000)
    found = [condition(n_seeds, name, length) for name in STREAMS for length in lengths]
    chosen = [SETTINGS[0], SETTINGS[-1]] if quick else SETTINGS
    for name in ("drifting", "recurring"):
        found += [condition(n_seeds, name, 1_000, settings=settings) for settings in chosen]
    if not quick:
        found += [
            condition(n_seeds, name, 1_000, settings=SETTINGS[-1])
            for name in ("returning", "changing")
        ]
        found += [
            condition(n_seeds, "recurring", length, 50, settings)
            for settings in ({"max_experts": 25}, SETTINGS[-1])
            for length in (50, 200, 300, 1_000)
        ]
    return found


def condition(
    n_seeds: int,
    stream: str,
    length: int,
    interval: int | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Cell:
    """Return the cell of a condition, named by what differs from the paper's figures."""
    words = [f"interval {interval}"] if interval else []
    words += [f"{name} {value}" for name, value in (settings or {}).items()]
    name = ", ".join([f"{stream} {length}", *words])
    arguments = {
        "stream": stream,
        "length": length,
        "interval": interval or length,
        "settings": PAPER | dict(settings or {}),
        "n_seeds": n_seeds,
        "curve": name in DRAWN,
    }
    return Cell(name, gained, arguments, cost=0.1 * n_seeds)


def gained(
    stream: str,
    length: int,
    interval: int,
    settings: dict[str, Any],
    n_seeds: int,
    curve: bool = False,
) -> dict[str, Any]:
    """Return what MOOE has more than its online expert alone, at the beginning of regimes.

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
    skipped = STREAMS[stream][1]
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
    mixed = scored.scores(params, X, y)
    others = {
        "alike": scored.scores(scored.online_params(params), X, y),
        "restarted": scored.scores(scored.online_params(params, "reset"), X, y),
        "blank": scored.blank_scores(params, X, y),
    }
    more = {
        name: {
            "loss": scored.losses(mixed, y) - scored.losses(scores, y),
            "error": scored.errors(mixed, y) - scored.errors(scores, y),
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
