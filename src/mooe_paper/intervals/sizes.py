"""MOOE's errors by the length of its intervals and by the number of its experts.

The paper says: "if K is too large, it is difficult for the meta expert to derive effective advice
because of the dilution effect from those weak experts; if B is too large, the samples in an
interval may come from various distributions".
"""

from typing import Any

import numpy as np

from mooe.paper.core import Params
from mooe_paper.estimate import estimate
from mooe_paper.intervals import scores as paper
from mooe_paper.intervals.early_gain import SKIPPED, rows_of


def errors_by_size(
    stream: str,
    length: int,
    parameter: str,
    sizes: list[int],
    usual: int,
    settings: dict[str, Any],
    n_seeds: int,
) -> dict[str, Any]:
    """Return the share of wrong labels of MOOE with each size, and what it has more than with one.

    Parameters
    ----------
    stream, length
        As for `early_gain`; regimes count from the same on.
    parameter : {"interval", "max_experts"}
    sizes : list of int
        Its values.
    usual : int
        One of them, beside which `more` sets the others.
    settings : dict
        Other parameters of paper mode.

    Returns
    -------
    dict
        `error` of MOOE, `online` of its online expert alone with the same intervals, `more`: each
        [mean, low, high] over seeds, in the order of sizes.
    """
    mixed, alone = np.empty((2, n_seeds, len(sizes)))
    for seed in range(n_seeds):
        X, y = rows_of(stream, length, seed)
        counted = slice(SKIPPED[stream] * length, None)
        for at, size in enumerate(sizes):
            params = Params(seed=seed, **{**settings, parameter: size})
            for out, which in ((mixed, params), (alone, paper.online_params(params))):
                out[seed, at] = paper.errors(paper.scores(which, X, y), y)[counted].mean()
    return {
        "stream": stream,
        "length": length,
        "parameter": parameter,
        "sizes": sizes,
        "usual": usual,
        "n_seeds": n_seeds,
        "error": estimate(mixed),
        "online": estimate(alone),
        "more": estimate(mixed - mixed[:, [sizes.index(usual)]]),
    }
