"""The made streams that benchmarks and tests share, by name; each is a function of its seed.

    STREAMS["agrawal abrupt"](seed=3)   # 20,000 rows; n=... gives more or fewer

Covertype stands beside them in an order that has no drift.
"""

from dataclasses import replace
from functools import partial

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
    "agrawal abrupt, others": partial(
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
