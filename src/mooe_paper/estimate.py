"""Means over seeds with their 95 % intervals."""

from typing import Any

import numpy as np
from scipy.special import stdtrit

Estimate = list[float]
"""[mean, low, high]: a mean over seeds and the ends of its 95 % interval."""

DECIMALS = 6


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
