"""Shared models: votes are what a Model says, and the same whatever rows come together."""

import numpy as np
import pytest

from mooe.auto.params import AutoParams
from mooe.keyed.shared import LEARNING, SharedModels, as_shared
from mooe.labels import Labels
from mooe.model import Model


def made(n=300, n_classes=4):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    y = (X @ rng.normal(size=(3, n_classes))).argmax(axis=1).astype(float)
    y[rng.random(n) < 0.1] = np.nan
    return X, y


def shared_models(n_buckets=2):
    models = SharedModels(AutoParams(), n_buckets, Labels())
    models.start(3)
    return models


def test_votes_do_not_depend_on_what_comes_together():
    X, y = made()
    whole, cut = shared_models(), shared_models()
    votes, known = whole.votes(1, X, y, np.ones(len(X)), 4)
    for i in range(len(X)):
        this = slice(i, i + 1)
        one, n = cut.votes(1, X[this], y[this], np.ones(1), 4)
        assert one.tobytes() == votes[this].tobytes()
        assert n == known[this]
    assert cut.models[1].to_bytes() == whole.models[1].to_bytes()
    assert np.isnan(votes[0]).all()
    assert known[0] == 0
    assert cut.models[0].n_labelled == 0


def test_a_vote_is_twice_the_probability_minus_one():
    X, y = made(n_classes=2)
    models, alone = shared_models(), Model(AutoParams())
    models.votes(0, X, 5.0 + y, np.ones(len(X)), 7)
    places = np.where(
        np.isnan(y), np.nan, [models.orders[0].index(5 + int(c)) if c == c else 0 for c in y]
    )
    alone.learn(X, places)
    votes, known = models.votes(0, X[:9], np.full(9, np.nan), np.ones(9), 7)
    shares = alone.predict_proba(X[:9]) if alone.labels.names else None
    assert shares is None
    scores = alone.scores(X[:9])[:, 0]
    second = 2.0 / (1.0 + np.exp(-4.0 * scores)) - 1.0
    assert np.allclose(votes[:, models.orders[0][1]], second, atol=1e-12)
    assert (votes[:, :5] == -1.0).all()
    assert known.tolist() == [2] * 9


def test_they_come_back_from_bytes():
    X, y = made()
    models = shared_models()
    models.votes(0, X, y, np.ones(len(X)), 4)
    models.stats[:] = np.arange(models.stats.size).reshape(models.stats.shape)
    again = SharedModels.of_blobs(models.about(), models.to_blobs())
    assert again.to_blobs() == models.to_blobs()
    assert again.about() == models.about()


def test_statistics_of_a_file_of_before_go_on_with_the_rows():
    about = {name: one for name, one in shared_models().about().items() if name != "meets"}
    again = SharedModels.of_blobs(about | {"is_frozen": True}, shared_models().to_blobs())
    assert again.meets
    assert again.told() == "a shared model that is frozen"


def test_a_frozen_model_must_have_the_columns_of_the_rows():
    X, y = made()
    model = Model(AutoParams())
    model.learn(X, y)
    with pytest.raises(ValueError, match="X must have the columns of the shared model, 3, got 4"):
        SharedModels(model, 2, Labels()).start(4)


def test_what_is_shared_has_a_word():
    assert as_shared(None, "regression", 0) is None
    assert as_shared(LEARNING, "regression", 7) == AutoParams(task="regression", seed=7)
