"""Drift added to rows that have none: shifts after each interval, and noise that grows."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from mooe.datasets.sources import cod_rna, ijcnn1
from mooe.datasets.synthetic import check_at_least, recurring
from mooe.streams.stream import Chunk, Stream, StreamError

N_INTERVALS = 15
LEAK = "The noise depends on the label and so gives it away: no result on it says anything."


def ijcnn_drift(leaking: bool = False, seed: int = 0) -> Stream:
    """Return the first 49,500 rows of ijcnn1, shuffled, shifted after each of 15 intervals.

    As the paper's authors cut it; see `shifted`.
    """
    return shifted(ijcnn1().load(), "ijcnn-drift", 3_300, leaking, seed)


def cod_rna_drift(leaking: bool = False, seed: int = 0) -> Stream:
    """Return cod-rna, shuffled, 59,535 rows, shifted after each of 15 intervals; see `shifted`."""
    return shifted(cod_rna().load(), "cod-rna-drift", 3_969, leaking, seed)


def shifted(stream: Stream, name: str, length: int, leaking: bool = False, seed: int = 0) -> Stream:
    """Return rows shuffled, scaled to [0, 1] over all of them, and shifted after each interval.

    They are the first 15 * length rows of a stream in memory with two classes, no others.
    After each interval of `length` rows, noise N(m, I) is added to all rows that follow, on top of
    the noise before, with m uniform in [0, 1]^d. All rows share m, or each class has one of its
    own, as the authors of the paper made it: that leaks the label into the inputs, and the name
    gets '-leaking'.
    """
    check_at_least(length=(length, 1), seed=(seed, 0))
    n = N_INTERVALS * length
    if len(stream.y) < n:
        raise StreamError("stream", f"have at least {n:,} rows", len(stream.y))
    rng = np.random.default_rng(seed)
    X = stream.X[:n]
    low, span = X.min(axis=0), np.ptp(X, axis=0)
    order = rng.permutation(n)
    X = (X[order] - low) / np.where(span > 0.0, span, 1.0)
    classes, y = np.unique(stream.y[order], return_inverse=True)
    for start in range(length, n, length):
        means = rng.uniform(0.0, 1.0, size=(len(classes), X.shape[1]))
        group = y[start:] if leaking else np.zeros(n - start, dtype=np.int64)
        X[start:] += means[group] + rng.normal(size=(n - start, X.shape[1]))
    return replace(
        stream,
        name=f"{name}-leaking" if leaking else name,
        X=X,
        y=y.astype(np.int64),
        concept=np.arange(n) // length,
        n_rows=n,
        sha256=None,
        text=None,
        note=LEAK if leaking else "",
        nominal=(),
    )


def noise(n: int = 40_000, n_features: int = 10, seed: int = 0) -> Stream:
    """Return one linear concept whose inputs drown in noise; see `increasing_noise`."""
    still = recurring(n, n_features, n_concepts=1, seed=seed)
    return replace(increasing_noise(still, seed).load(), name="noise", concept=None, text=None)


def increasing_noise(stream: Stream, seed: int = 0) -> Stream:
    """Return a stream in which row t of n is (1 - t / n) x + (t / n) e, e standard normal.

    x is the row, standardised as it arrives: by mean and deviation of the rows so far, itself
    included. The last rows say nothing about their labels. The paper does not give its schedule.
    The stream is dense, its n_rows known; seeds count from 0.
    """
    check_at_least(seed=(seed, 0))
    n = stream.n_rows
    if n is None:
        raise StreamError("n_rows", "be known", n)

    def read(rows: int) -> Iterator[Chunk]:
        rng = np.random.default_rng(seed)
        first, seen = None, 0
        for chunk in stream.chunks(rows):
            if first is None:
                first = chunk.X[0]
                total = squares = np.zeros(len(first))
            X = chunk.X - first  # sums of small numbers lose less
            count = np.arange(seen + 1, seen + len(X) + 1)[:, np.newaxis]
            # One running sum, so that chunks of any size give the same bits.
            sums = np.cumsum(np.vstack([total, X]), axis=0)[1:]
            sums_of_squares = np.cumsum(np.vstack([squares, X**2]), axis=0)[1:]
            variance = sums_of_squares / count - (sums / count) ** 2
            spread = np.sqrt(np.maximum(variance, 0.0))
            X = (X - sums / count) / np.where(spread > 0.0, spread, 1.0)
            share = (count - 1) / n
            yield replace(chunk, X=(1.0 - share) * X + share * rng.normal(size=X.shape))
            seen, total, squares = seen + len(X), sums[-1], sums_of_squares[-1]

    return replace(
        stream,
        name=f"{stream.name}-noise",
        X=None,
        y=None,
        read=read,
        sha256=None,
        text=None,
        nominal=(),
    )
