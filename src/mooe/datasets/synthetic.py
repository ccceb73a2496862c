"""Streams made by seeded generators: the same arguments give the same rows everywhere."""

import numpy as np

from mooe.datasets.stream import Stream

__all__ = ["recurring"]


def recurring(
    n: int = 40_000,
    n_features: int = 10,
    n_concepts: int = 4,
    length: int = 2_000,
    noise: float = 0.05,
    seed: int = 0,
) -> Stream:
    """Return a stream in which linear concepts take turns and come back in the same order.

    A concept is a direction; the label is 1 where a row, uniform in the cube [-1, 1]^n_features,
    lies on its positive side.

    Parameters
    ----------
    n : int
        Rows, 0 or more.
    n_features : int
        At least 1.
    n_concepts : int
        At least 1; 1 never changes.
    length : int
        Rows of a visit, after which the next concept takes over; at least 1.
    noise : float
        Probability, 0 to 1, that a label is flipped.
    seed : int
        From 0.

    Examples
    --------
    >>> stream = recurring(n=10, n_features=2, n_concepts=2, length=3)
    >>> stream.concept.tolist()
    [0, 0, 0, 1, 1, 1, 0, 0, 0, 1]
    >>> stream.X.shape, stream.y.tolist()
    ((10, 2), [0, 0, 0, 1, 1, 1, 1, 0, 0, 1])
    """
    for name, value, least in [
        ("n", n, 0),
        ("n_features", n_features, 1),
        ("n_concepts", n_concepts, 1),
        ("length", length, 1),
        ("seed", seed, 0),
    ]:
        if value < least:
            raise ValueError(f"{name} must be at least {least}, got {value!r}")
    if not 0.0 <= noise <= 1.0:
        raise ValueError(f"noise must be between 0 and 1, got {noise!r}")
    # The order of these draws is part of the definition.
    rng = np.random.default_rng(seed)
    directions = rng.normal(size=(n_concepts, n_features))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    X = rng.uniform(-1.0, 1.0, size=(n, n_features))
    concept = np.arange(n) // length % n_concepts
    clean = np.einsum("ij,ij->i", X, directions[concept]) > 0.0
    flipped = rng.random(n) < noise
    return Stream("recurring", X, (clean ^ flipped).astype(np.int64), concept)
