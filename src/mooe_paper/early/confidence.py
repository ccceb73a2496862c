"""Means over seeds with their 95 % intervals, and the word that an interval stands for."""

from typing import Any

import numpy as np
from scipy.special import stdtrit

__all__ = ["RULE", "both", "estimate", "has_gained", "word", "written"]

DECIMALS = 6
RULE = (
    "Behind ± is half of the 95 % interval of the mean over seeds (Student's t). Lower or higher: "
    "the whole interval lies on that side of 0; otherwise no difference is shown."
)


def estimate(values: np.ndarray) -> Any:
    """Return mean and ends of its 95 % interval, along the first axis, as nested lists.

    An array (n, a) gives a lists [mean, low, high].

    >>> estimate(np.array([1.0, 2.0, 3.0]))
    [2.0, -0.484138, 4.484138]
    """
    n = len(values)
    if n < 2:
        raise ValueError(f"values must be of at least 2 seeds, got {n!r}")
    mean = values.mean(axis=0)
    half = stdtrit(n - 1, 0.975) * values.std(axis=0, ddof=1) / np.sqrt(n)
    return np.stack([mean, mean - half, mean + half], axis=-1).round(DECIMALS).tolist()


def word(found: list[float]) -> str:
    """Return what a difference [mean, low, high] says.

    >>> word([-1.0, -1.5, -0.5]), word([0.2, -0.1, 0.5])
    ('lower', 'no difference')
    """
    _, low, high = found
    if high < 0.0:
        return "lower"
    return "higher" if low > 0.0 else "no difference"


def both(loss: list[float], error: list[float]) -> str:
    """Return what two differences say, of losses and of errors.

    >>> both([-1.0, -1.5, -0.5], [-1.0, -1.5, -0.5]), both([-1.0, -1.5, -0.5], [0.2, -0.1, 0.5])
    ('both lower', 'loss lower, error no difference')
    """
    if word(loss) == word(error):
        return "no difference" if word(loss) == "no difference" else f"both {word(loss)}"
    return f"loss {word(loss)}, error {word(error)}"


def written(found: list[float], digits: int, scale: float = 1.0) -> str:
    """Return a mean and half of its interval as text.

    >>> written([-0.5, -0.75, -0.25], 2), written([-0.0001, -0.5, 0.4998], 1, 100.0)
    ('−0.50 ± 0.25', '0.0 ± 50.0')
    """
    from mooe_paper.shown import shown  # loads the drawing, which workers need not

    mean, low, _ = (scale * one for one in found)
    return f"{shown(mean, digits)} ± {shown(mean - low, digits)}"


def has_gained(found: list[float]) -> str:
    """Return whether a claim holds that a difference [mean, low, high] is below 0.

    >>> [has_gained(one) for one in ([-0.2, -0.3, -0.1], [0.2, 0.1, 0.3], [0.2, -0.1, 0.5])]
    ['holds', 'does not hold', 'not shown']
    """
    return {"lower": "holds", "higher": "does not hold"}.get(word(found), "not shown")
