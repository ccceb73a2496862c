"""The made streams that benchmarks and tests share, by name; each is a function of its seed.

    STREAMS["agrawal abrupt"](seed=3)   # 20,000 rows; n=... gives more or fewer

Covertype stands beside them in an order that has no drift. RIVERS are those that River makes by
other definitions than the published ones, which ours follow, as River makes them.
"""

from dataclasses import replace
from functools import partial
from itertools import islice

import numpy as np

from mooe.datasets import (
    agrawal,
    covertype,
    hyperplane,
    led,
    mixed,
    random_tree,
    rbf,
    sea,
    sine,
    stagger,
)
from mooe.streams.stream import Stream

ROWS = 20_000  # of a stream that is made


def covertype_shuffled(seed=0, n=60_000):
    """Return rows of the first 200,000 of Covertype, drawn without putting back."""
    stream = covertype(max_rows=200_000).load()
    order = np.random.RandomState(seed).permutation(len(stream.y))[:n]
    return replace(stream, X=stream.X[order], y=stream.y[order], n_rows=n, sha256=None, text=None)


STREAMS = {
    "agrawal abrupt": partial(
        agrawal, n=ROWS, concepts=(0, 1, 2, 3), length=5_000, perturbation=0.05
    ),
    "agrawal other rules": partial(
        agrawal, n=ROWS, concepts=(4, 6, 8, 9), length=5_000, perturbation=0.05
    ),
    "agrawal recurring": partial(
        agrawal, n=ROWS, concepts=(2, 6, 4), length=5_000, perturbation=0.0
    ),
    "led drifting": partial(led, n=ROWS, swapped=(0, 3, 7, 0), length=10_000, noise=0.1),
    "sea recurring": partial(sea, n=ROWS, concepts=(0, 1, 2, 3), length=5_000, noise=0.1),
    "rbf": partial(rbf, n=ROWS, n_classes=5, n_features=10, n_centres=50, speed=0.0),
    "rbf drifting": partial(rbf, n=ROWS, n_classes=5, n_features=10, n_centres=50, speed=0.0001),
    "hyperplane": partial(
        hyperplane, n=ROWS, n_features=10, n_drifting=5, speed=0.001, reversal=0.1, noise=0.05
    ),
    "stagger": partial(stagger, n=ROWS, concepts=(0, 1, 2), length=2_500),
    "mixed": partial(mixed, n=ROWS, concepts=(0, 1), length=5_000),
    "sine": partial(sine, n=ROWS, concepts=(0, 1, 2, 3), length=5_000, n_irrelevant=2),
    "random-tree": partial(
        random_tree,
        n=ROWS,
        concepts=(0,),
        n_classes=4,
        n_numeric=5,
        n_nominal=5,
        n_values=5,
        depth=6,
        first_leaf=3,
    ),
    "covertype shuffled": covertype_shuffled,
}


def as_river(name, makers, length, seed=0, n=ROWS):
    """Return rows of River's generators in turns, so many each; one goes on where it was."""
    from river.datasets import synth

    made = [iter(getattr(synth, maker)(**settings(seed))) for maker, settings in makers]
    samples = [
        sample
        for visit in range(-(-n // length))
        for sample in islice(made[visit % len(made)], length)
    ][:n]
    X = np.array([list(x.values()) for x, _ in samples], dtype=np.float64)
    return Stream(name, X, np.array([int(label) for _, label in samples]))


def _agrawal(function):
    return "Agrawal", lambda seed: {"classification_function": function, "seed": seed}


def _led(n_swapped):
    return "LEDDrift", lambda seed: {
        "seed": seed,
        "noise_percentage": 0.1,
        "irrelevant_features": True,
        "n_drift_features": n_swapped,
    }


def _rbf(seed):
    return {
        "seed_model": seed,
        "seed_sample": seed,
        "n_classes": 5,
        "n_features": 10,
        "n_centroids": 50,
        "change_speed": 0.0001,
        "n_drift_centroids": 50,
    }


RIVERS = {
    "River's agrawal recurring": partial(
        as_river, "agrawal", [_agrawal(function) for function in (2, 6, 4)], 5_000
    ),
    "River's led drifting": partial(
        as_river, "led", [_led(n_swapped) for n_swapped in (0, 3, 7, 0)], 10_000
    ),
    "River's rbf drifting": partial(as_river, "rbf", [("RandomRBFDrift", _rbf)], ROWS),
}
