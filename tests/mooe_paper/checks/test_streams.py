"""The streams of the checks meet the assumptions that they are made for."""

import numpy as np
import pytest

from mooe.paper.regret import best_in_ball, loss
from mooe_paper import theory
from mooe_paper.checks import streams

each_setting = pytest.mark.parametrize("setting", streams.SETTINGS)


def rows(setting, n=4000):
    params = streams.params_of(setting, interval=50, max_experts=2)
    rng = np.random.default_rng(0)
    concept = streams.concepts_of(params, rng)[0]
    X = streams.inputs_of(params, rng, n)
    return params, X, streams.draw_labels(params, rng, X @ concept), concept


@each_setting
def test_inputs_concepts_and_losses_are_within_their_bounds(setting):
    params, X, y, concept = rows(setting)
    assert theory.input_bound(X) <= params.input_bound * (1 + 1e-12)
    assert np.linalg.norm(concept) <= params.radius
    ends = np.array([-1.0, 1.0]) * params.radius * params.input_bound
    assert loss(params, ends, -np.sign(ends)).max() == pytest.approx(1)
    assert set(y) == {0.0, 1.0}


@each_setting
def test_the_concept_is_the_best_expert_of_the_ball(setting):
    params, X, y, concept = rows(setting)
    targets = 2 * y - 1
    best, _ = best_in_ball(params, X, targets)
    assert np.linalg.norm(best - concept) <= 0.2 * max(params.radius, 1 / params.input_bound)
    # Its gradient is 0 but for the draw, so no other expert is better in the mean.
    slopes = [loss(params, X @ (concept * (1 + step)), targets).mean() for step in (-0.5, 0.0, 0.5)]
    assert min(slopes) >= slopes[1] - 0.01


def test_the_eigenvalues_are_those_of_many_rows():
    params, X, _, _ = rows("large ball, long inputs", n=100_000)
    assert theory.eigenvalues(X) == pytest.approx(streams.spectrum_of(params), rel=0.02)


def test_the_excess_risk_is_the_difference_of_mean_losses_over_many_rows():
    params, X, y, concept = rows("squared", n=400_000)
    other, targets = -0.3 * concept, 2 * y - 1
    gap = (loss(params, X @ other, targets) - loss(params, X @ concept, targets)).mean()
    assert streams.excess_risk(params, other, concept) == pytest.approx(gap, abs=2e-3)


def test_the_excess_risk_is_known_for_the_squared_loss_only():
    params = streams.params_of("logistic", 50, 2)
    with pytest.raises(ValueError, match="loss must be 'squared', got 'logistic'"):
        streams.excess_risk(params, np.zeros(5), np.zeros(5))


def test_an_adversary_opposes_the_mixture():
    params = streams.params_of("squared", 50, 2)
    learner = streams.learner_of(params)
    x = np.full((1, 5), 0.4)
    learner.predict_then_learn(x, np.array([1.0]))
    assert streams.opposing_label(params, learner, x).tolist() == [0.0]
    assert streams.opposing_label(params, learner, -x).tolist() == [1.0]


def test_a_learner_without_state_is_refused():
    learner = streams.learner_of(streams.params_of("squared", 50, 2))
    learner.model.state = None
    with pytest.raises(ValueError, match="learner must have a state, got None"):
        streams.state_of(learner)
