"""The Rademacher complexity of balls on inputs with known eigenvalues."""

import math

import numpy as np
import pytest

from mooe_paper import theory


def on_sphere(rng, rounds, scales):
    """Return rows of which E[x x'] is diag(scales^2) / d."""
    X = rng.normal(size=(rounds, len(scales)))
    return X / np.linalg.norm(X, axis=1, keepdims=True) * scales


def complexity(scales, rounds, radius, samples=40, draws=50):
    """Return the complexity, a mean over samples and signs."""
    rng = np.random.default_rng(len(scales) * rounds)
    return np.mean(
        [
            theory.observed_rademacher(on_sphere(rng, rounds, scales), radius, draws, seed)
            for seed in range(samples)
        ]
    )


CASES = [
    (np.ones(5), 1000, 1.0),
    (np.ones(2), 10, 3.0),
    (np.array([1.0, 0.1, 0.01]), 100, 0.5),
    (np.geomspace(1, 1e-3, 20), 50, 2.0),
]


@pytest.mark.parametrize(("scales", "rounds", "radius"), CASES)
def test_the_corrected_bounds_are_above_the_complexity(scales, rounds, radius):
    values = scales**2 / len(scales)
    true = complexity(scales, rounds, radius)
    trace = theory.trace_rademacher_bound(values, rounds, radius)
    assert true <= trace * 1.02  # a mean over 2,000 draws
    assert trace <= theory.rademacher_bound(values, rounds, radius, scales.max())


@pytest.mark.parametrize("seed", range(20))
def test_the_corrected_lemma_is_never_better_than_the_textbook(seed):
    rng = np.random.default_rng(seed)
    values = rng.exponential(size=rng.integers(1, 30))
    bound = math.sqrt(values.sum() * rng.uniform(1, 3))  # E||x||^2 <= D^2
    rounds = int(rng.integers(1, 1000))
    trace = theory.trace_rademacher_bound(values, rounds, 1.0)
    assert math.sqrt(2) * trace <= theory.rademacher_bound(values, rounds, 1.0, bound)
    assert trace <= bound / math.sqrt(rounds)


def test_the_printed_lemma_is_below_the_complexity_on_the_counter_example_of_the_errata():
    true = complexity(np.ones(5), 1000, 1.0)
    printed = theory.printed_rademacher_bound([0.2] * 5, 1000, 1.0, 1.0)
    assert (round(true, 3), round(printed, 4)) == (0.030, 0.0033)


def test_the_cut_in_the_printed_lemma_never_bites_from_three_rounds_on():
    # e lambda_i / T <= D^2 because lambda_i <= D^2: the eigenvalues enter by their sum alone.
    for values in ([1.0], [0.5, 0.5], [0.9, 0.05, 0.05]):
        plain = math.sqrt(math.e * sum(values)) / 3 + math.sqrt(math.e) / 3
        assert theory.printed_rademacher_bound(values, 3, 1.0, 1.0) == pytest.approx(plain)
