"""Streams made by seeded generators: the same arguments give the same rows everywhere."""

from collections.abc import Callable

import numpy as np

from mooe.streams.stream import Stream, StreamError


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
    check_at_least(length=(length, 1))

    def concept_of(_: np.random.Generator) -> np.ndarray:
        return np.arange(n) // length % n_concepts

    return _linear_stream("recurring", n, n_features, n_concepts, noise, seed, concept_of)


def abrupt(
    n: int = 40_000,
    n_features: int = 10,
    n_concepts: int = 4,
    noise: float = 0.05,
    seed: int = 0,
) -> Stream:
    """Return a stream in which linear concepts follow each other and none comes back.

    Parameters are those of `recurring`; each concept has n / n_concepts rows.

    Examples
    --------
    >>> abrupt(n=7, n_concepts=3).concept.tolist()
    [0, 0, 0, 1, 1, 2, 2]
    """
    return gradual(n, n_features, n_concepts, 0, noise, seed, "abrupt")


def gradual(
    n: int = 40_000,
    n_features: int = 10,
    n_concepts: int = 4,
    width: int = 4_000,
    noise: float = 0.05,
    seed: int = 0,
    name: str = "gradual",
) -> Stream:
    """Return a stream in which linear concepts follow each other, each mixed into the one before.

    Around each change, `width` rows are drawn from the new concept with a probability that rises
    in a straight line from 0 to 1, and otherwise from the old one.

    Parameters
    ----------
    n, n_features, n_concepts, noise, seed
        As for `recurring`; each concept has about n / n_concepts rows.
    width : int
        Rows of a change, 0 (at once) to n / n_concepts.
    name : str

    Examples
    --------
    >>> gradual(n=12, n_concepts=2, width=6).concept.tolist()
    [0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1]
    """
    check_at_least(n=(n, 0), n_concepts=(n_concepts, 1), width=(width, 0))
    if width * n_concepts > n:
        raise StreamError("width", f"be at most n / n_concepts = {n / n_concepts:g}", width)

    def concept_of(rng: np.random.Generator) -> np.ndarray:
        concept = np.arange(n) * n_concepts // max(n, 1)
        if n_concepts == 1:
            return concept
        return with_gradual_changes(concept, n / n_concepts, width, rng, n_concepts - 1)

    return _linear_stream(name, n, n_features, n_concepts, noise, seed, concept_of)


def moving_gaussians(n_intervals: int = 15, length: int = 1_000, seed: int = 0) -> Stream:
    """Return the paper's moving Gaussians: two classes in the plane whose means wander off.

    Both means start uniform in [0, 10]^2. Each interval has as many rows of class 0 as of class 1,
    with unit variance, shuffled; then each mean moves by a step uniform in [0, 5]^2.

    Parameters
    ----------
    n_intervals : int
        At least 1.
    length : int
        Rows of an interval, even, at least 2.
    seed : int
        From 0.

    Examples
    --------
    >>> stream = moving_gaussians(n_intervals=2, length=4)
    >>> stream.concept.tolist(), int(stream.y.sum())
    ([0, 0, 0, 0, 1, 1, 1, 1], 4)
    """
    check_at_least(n_intervals=(n_intervals, 1), length=(length, 2), seed=(seed, 0))
    if length % 2:
        raise StreamError("length", "be even", length)
    rng = np.random.default_rng(seed)
    means = rng.uniform(0.0, 10.0, size=(2, 2))  # (class, coordinate)
    X = np.empty((n_intervals * length, 2))
    y = np.empty(n_intervals * length, dtype=np.int64)
    for start in range(0, len(y), length):
        labels = rng.permutation(np.repeat([0, 1], length // 2))
        X[start : start + length] = means[labels] + rng.normal(size=(length, 2))
        y[start : start + length] = labels
        means = means + rng.uniform(0.0, 5.0, size=(2, 2))
    return Stream("synthetic", X, y, np.arange(len(y)) // length)


def _linear_stream(
    name: str,
    n: int,
    n_features: int,
    n_concepts: int,
    noise: float,
    seed: int,
    concept_of: Callable[[np.random.Generator], np.ndarray],
) -> Stream:
    """Return a stream whose labels say on which side of its concept a row lies, some flipped."""
    check_at_least(n=(n, 0), n_features=(n_features, 1), n_concepts=(n_concepts, 1), seed=(seed, 0))
    check_share(noise=noise)
    # The order of these draws is part of the definition.
    rng = np.random.default_rng(seed)
    directions = rng.normal(size=(n_concepts, n_features))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    X = rng.uniform(-1.0, 1.0, size=(n, n_features))
    concept = concept_of(rng)
    is_above = np.einsum("ij,ij->i", X, directions[concept]) > 0.0
    is_flipped = rng.random(n) < noise
    return Stream(name, X, np.asarray(is_above ^ is_flipped, dtype=np.int64), concept)


def with_gradual_changes(
    visit: np.ndarray,
    length: float,
    width: int,
    rng: np.random.Generator,
    n_changes: int | None = None,
) -> np.ndarray:
    """Return the number of the visit that each row is drawn from where a change takes its time.

    `visit` says it where none does. Around each change, `length` rows apart, `width` rows are of
    the new visit with a probability that rises in a straight line from 0 to 1.
    """
    if not width:
        return visit
    row = np.arange(len(visit))
    change = np.clip(np.rint(row / length), 1, n_changes).astype(np.int64)  # the nearest
    away = (row - change * length) / width  # -0.5 where the change begins, 0.5 where it is over
    is_new = rng.random(len(visit)) < away + 0.5
    return np.where(np.abs(away) < 0.5, change - 1 + is_new, visit)


def check_at_least(**bounded: tuple[int, int]) -> None:
    """Raise unless each value is at least its least."""
    for name, (value, least) in bounded.items():
        if value < least:
            raise StreamError(name, f"be at least {least}", value)


def check_share(**shares: float) -> None:
    """Raise unless each value is a share or a probability."""
    for name, value in shares.items():
        if not 0.0 <= value <= 1.0:
            raise StreamError(name, "be between 0 and 1", value)
