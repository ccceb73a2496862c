"""Lemmas 2 to 4 and Theorem 3 where the distribution, and so every risk, is known exactly."""

import math

import numpy as np
import pytest

from mooe.paper import core
from mooe.paper.regret import best_in_ball
from mooe_paper import theory
from mooe_paper.theory.generalisation import deviation

OPTIMA = np.array([[0.5, 0.6, -0.2, 0.1], [-0.6, 0.4, 0.3, 0.0]])
FAILURE = 0.05


def excess(params, expert, optimum):
    """Return L(w) - L(w*) for inputs uniform on the unit sphere and E[y | x] = <w*, x>."""
    return float(np.sum((expert - optimum) ** 2)) / len(optimum) / params.loss_range


def last_interval(rounds, seed, n_intervals=4):
    """Return excess risks of an interval's mixtures, their mean, and the best on its rows."""
    params = core.Params(interval=rounds, max_experts=3, scale=False, intercept=False)
    state = core.init(params, 4, n_classes=2)
    rng = np.random.default_rng(seed)
    for number in range(n_intervals):
        optimum, mixtures = OPTIMA[number % 2], []
        X = rng.normal(size=(rounds, 4))
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        y = (rng.uniform(-1, 1, rounds) < X @ optimum).astype(float)
        for i in range(rounds):
            mixtures.append(theory.mixture(params, state)[0])
            core.predict_then_learn(params, state, X[i : i + 1], y[i : i + 1])
    best, _ = best_in_ball(params, X, 2 * y - 1)
    risks = np.array([excess(params, w, optimum) for w in mixtures])
    averaged = excess(params, theory.averaged_expert(np.array(mixtures)), optimum)
    return params, risks.mean(), averaged, excess(params, best, optimum)


@pytest.mark.parametrize("rounds", [10, 100, 400])
@pytest.mark.parametrize("seed", range(3))
def test_the_excess_risks_are_below_every_corrected_bound(rounds, seed):
    params, mean, averaged, minimiser = last_interval(rounds, seed)
    k, t, r, beta = 3, rounds, params.radius, params.smoothness
    values = [0.25] * 4
    complexity = theory.trace_rademacher_bound(values, t, r)
    assert averaged <= mean <= theory.mixtures_risk_bound(k, t, r, beta, FAILURE)
    assert averaged <= theory.excess_risk_bound(k, t, r, beta, FAILURE)
    assert minimiser <= theory.minimiser_risk_bound(t, r, beta, FAILURE)
    assert minimiser <= theory.complexity_risk_bound(complexity, t, beta, FAILURE)
    assert averaged <= theory.lemmas_excess_risk_bound(k, t, r, 1.0, beta, values, FAILURE)


def test_the_mixture_gives_the_scores_that_the_core_gives():
    params = core.Params(interval=10, max_experts=4)
    state = core.init(params, 2, n_classes=3)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(37, 2))
    core.predict_then_learn(params, state, X, rng.integers(0, 3, 37).astype(float))
    _, scratch = core.score(params, state, X[:1])
    seen = scratch[: state.n_features + 1]
    expected = core.predict(params, state, X[:1])[0]
    assert theory.mixture(params, state) @ seen == pytest.approx(expected)


@pytest.mark.parametrize("failure", [0.5, 0.05, 1e-6])
@pytest.mark.parametrize("size", [0.01, 0.5, 4.0])
def test_what_is_proved_is_below_what_lemma_3_prints_so_its_statement_stands(failure, size):
    for rounds in (1, 50, 10**6):
        printed = theory.printed_minimiser_risk_bound(rounds, size, 1.0, failure)
        assert theory.minimiser_risk_bound(rounds, size, 1.0, failure) <= printed


@pytest.mark.parametrize(
    ("radius", "expected"),
    [
        (1.0, 2 * 0.7071068 * 0.2 + 1.4142136 * 0.2447747),  # losses within 1
        (0.1, 2 * 0.0707107 * 0.2 + 4 * 0.0707107 * 0.2447747),  # within 2 R sqrt(2 beta)
    ],
)
def test_the_corrected_lemma_3_is_the_sum_of_what_is_expected_and_how_far_above(radius, expected):
    # beta = .5, T = 50: sqrt(2/50) = .2, sqrt(ln 20 / 50) = .2447747.
    assert theory.minimiser_risk_bound(50, radius, 0.5) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("root", [1.0, 0.1])
@pytest.mark.parametrize("rounds", [50, 101, 400])
def test_the_deviation_of_fair_coins_keeps_the_bound_and_breaks_half_of_it(rounds, root):
    # Differences of losses lie within [-1, 1] and within 2 sqrt(2) root: both ends alike.
    size = min(1.0, 2 * math.sqrt(2) * root)

    def chance(least):
        """Return how likely the mean of the coins is to be at least so much."""
        heads = [k for k in range(rounds + 1) if size * (2 * k / rounds - 1) >= least]
        return sum(math.comb(rounds, k) for k in heads) / 2**rounds

    bound = deviation(rounds, root, FAILURE)
    assert chance(bound) <= FAILURE
    assert chance(bound / 2) > FAILURE


@pytest.mark.parametrize("failure", [0.5, 0.05, 1e-6])
def test_plain_contraction_is_below_what_lemma_4_prints(failure):
    for rounds, complexity in ((1, 1.0), (50, 0.1), (10**6, 1e-3)):
        direct = theory.complexity_risk_bound(complexity, rounds, 0.5, failure)
        printed = theory.printed_complexity_risk_bound(complexity, rounds, 0.5, failure)
        assert direct <= printed


def descent(numerator, input_bound, radius, rounds):
    """Return the experts of gradient descent on (w x - 1/2)^2 from the far end of the ball."""
    x, w, experts = input_bound, -radius, []
    step = numerator / math.sqrt(2 * x * x)
    for t in range(1, rounds + 1):
        experts.append(w)
        w -= step / math.sqrt(t) * 2 * (w * x - 0.5) * x
        w = min(max(w, -radius), radius)
    return np.array(experts)


def test_lemma_2_and_theorem_3_as_printed_break_where_the_ball_is_larger_than_the_inputs():
    # One x = D, one label: the distribution is a point, w* = R has no loss, losses are in [0, 1].
    x, radius, rounds, beta = 0.01, 50.0, 10_000, 2e-4
    risks = {
        step: ((descent(step, x, radius, rounds) * x - 0.5) ** 2).mean() for step in (x, radius)
    }
    averaged = (descent(x, x, radius, rounds).mean() * x - 0.5) ** 2
    lemma = theory.printed_mixtures_risk_bound(1, rounds, x, beta)
    theorem = theory.printed_excess_risk_bound(1, rounds, radius, x, beta, [x * x])
    assert risks[x] > 5 * lemma
    assert averaged > 2 * theorem
    assert risks[radius] <= theory.mixtures_risk_bound(1, rounds, radius, beta)


def test_theorem_3_as_printed_says_nothing_at_the_settings_of_the_paper():
    values = {t: theory.printed_excess_risk_bound(25, t, 1.0, 1.0, 0.5, [1.0]) for t in (50, 5000)}
    assert round(values[50], 1) == 37.6
    assert theory.is_vacuous(values[5000], 1)


def test_on_the_papers_way_one_bound_on_w_hat_is_enough():
    # Lemma 2: (sqrt ln 25 + 6 sqrt .5 + sqrt(2 ln 40)) / sqrt 50. Lemma 3, the smaller one:
    # (6 + 4 sqrt .5) ln 160 / 50 + 4 sqrt(.5 * 2 ln 160 / 50).
    lemma_2 = (1.794123 + 4.242641 + 2.716203) / 7.071068
    lemma_3 = 8.828427 * 5.075174 / 50 + 4 * math.sqrt(5.075174 / 50)
    bound = theory.lemmas_excess_risk_bound(25, 50, 1.0, 1.0, 0.5, [1.0])
    assert bound == pytest.approx(lemma_2 + lemma_3, abs=1e-5)
    assert bound > theory.excess_risk_bound(25, 50, 1.0, 0.5)


def test_the_smaller_of_lemmas_3_and_4_is_taken():
    # Inputs nearly always 0: next to no complexity, so Lemma 4 is the smaller in a large ball.
    rounds, radius, beta, failure = 10**8, 10.0, 0.5, 0.025
    size = theory.rademacher_bound([1e-15], rounds, radius, 1.0)
    lemma_3 = theory.printed_minimiser_risk_bound(rounds, radius, beta, failure)
    lemma_4 = theory.printed_complexity_risk_bound(size, rounds, beta, failure)
    assert lemma_4 < lemma_3
    bound = theory.lemmas_excess_risk_bound(25, rounds, radius, 1.0, beta, [1e-15])
    mixtures = theory.mixtures_risk_bound(25, rounds, radius, beta, failure)
    assert bound == pytest.approx(mixtures + lemma_4)


def test_the_direct_bound_says_something_from_72_labels_on():
    assert theory.is_vacuous(theory.excess_risk_bound(25, 71, 1.0, 0.5), 1)
    assert not theory.is_vacuous(theory.excess_risk_bound(25, 72, 1.0, 0.5), 1)


def test_the_averaged_expert_is_the_mean():
    mixtures = np.arange(12.0).reshape(3, 2, 2)
    assert theory.averaged_expert(mixtures).tolist() == [[4.0, 5.0], [6.0, 7.0]]


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


@pytest.mark.parametrize("seed", range(20))
def test_with_the_right_step_theorem_3_as_printed_is_never_below_the_direct_bound(seed):
    rng = np.random.default_rng(seed)
    experts, rounds = int(rng.integers(1, 200)), int(rng.integers(1, 10_000))
    radius, inputs, smoothness = 10.0 ** rng.uniform(-3, 3, size=3)
    failure, values = float(rng.uniform(1e-6, 1.0)), [float(rng.uniform(0, inputs**2))]
    known = (radius, inputs, smoothness, values, failure)
    printed = theory.printed_excess_risk_bound(experts, rounds, *known)
    assert printed >= theory.excess_risk_bound(experts, rounds, radius, smoothness, failure)
