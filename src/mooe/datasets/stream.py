"""A stream: rows in the order in which they come, their labels, and what is known of them."""

from dataclasses import dataclass

import numpy as np

__all__ = ["Stream"]


@dataclass(frozen=True, eq=False)
class Stream:
    """Rows and labels in order.

    Attributes
    ----------
    name : str
    X : array (n, n_features), float64
    y : array (n,)
        Whole numbers from 0 where the labels are classes.
    concept : array (n,) of int64, or None
        The number of the concept that each row was drawn from, where it is known; no learner is
        shown it.
    """

    name: str
    X: np.ndarray
    y: np.ndarray
    concept: np.ndarray | None = None
