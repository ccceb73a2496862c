"""What the estimators of chunks have of their own; test_estimators has what all obey."""

import numpy as np
import pytest

from mooe.baselines import DTELClassifier, LearnPPNSEClassifier

X = np.random.default_rng(0).integers(0, 2, size=(200, 6)).astype(float)  # many equal splits
Y = np.random.default_rng(1).integers(0, 2, size=200)


@pytest.mark.parametrize("kind", [DTELClassifier, LearnPPNSEClassifier])
def test_the_seed_decides_between_equal_splits(kind):
    def answers(seed):
        return kind(chunk=20, random_state=seed).fit(X, Y).predict_proba(X)

    np.testing.assert_array_equal(answers(0), answers(None))
    np.testing.assert_array_equal(answers(3), answers(3))
    assert (answers(0) != answers(3)).any()


def test_the_choices_reach_the_learner():
    model = LearnPPNSEClassifier(chunk=10, max_members=2, pruning="error", base="bayes").fit(X, Y)
    assert model.learner_.n_members == 2
    assert type(model.learner_.members).__name__ == "Models"
    assert DTELClassifier(chunk=10, capacity=3).fit(X, Y).learner_.archive.n == 3
