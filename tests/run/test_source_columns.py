"""What the command notes of a table in a model, and models that other shells taught."""

import numpy as np
import pandas
import pytest

from mooe import Model, ModelFileError, MOOEClassifier, MOOERegressor, PaperMOOEClassifier
from mooe.auto.params import AutoParams
from mooe.datasets import recurring
from mooe.run.source_columns import columns_for, load_model
from mooe.tables import SourceColumns

NOTED = SourceColumns("mooe", {"a": "number", "b": "number", "c": "text"}, "class")


def taught(task="classification", **chosen):
    stream = recurring(n=330, n_features=3, length=60)
    model = Model(AutoParams(task=task, **chosen), ["a", "b", "c=x"])
    y = stream.X[:, 0].copy()
    if task == "classification":
        y = model.labels.encode(np.array(["low", "high"])[stream.y])
    model.learn(stream.X, y)
    NOTED.note(model)
    return model, stream


@pytest.mark.parametrize(
    ("task", "cls"), [("classification", MOOEClassifier), ("regression", MOOERegressor)]
)
def test_the_estimator_loads_it_and_answers_the_same(tmp_path, task, cls):
    model, stream = taught(task, interval=30, seed=5)
    model.save(tmp_path / "m")
    estimator = cls.load(tmp_path / "m")
    assert (estimator.interval, estimator.random_state) == (30, 5)
    assert estimator.feature_names_in_.tolist() == ["a", "b", "c"]
    frame = pandas.DataFrame(stream.X, columns=model.columns)
    assert estimator.predict(stream.X).tolist() == model.predict(stream.X)
    assert estimator.predict(frame).tolist() == model.predict(stream.X)
    estimator.partial_fit(frame, ["low"] * 330 if task == "classification" else stream.X[:, 1])


def test_what_is_loaded_is_what_was_saved(tmp_path):
    model, _ = taught()
    model.save(tmp_path / "m")
    again = load_model(tmp_path / "m")
    assert SourceColumns.of(again) == NOTED
    assert again.to_bytes() == model.to_bytes()


def test_an_estimator_keeps_what_the_command_noted_until_it_starts_anew(tmp_path):
    model, stream = taught()
    model.save(tmp_path / "m")
    estimator = MOOEClassifier.load(tmp_path / "m")
    estimator.save(tmp_path / "again")
    assert SourceColumns.of(load_model(tmp_path / "again")) == NOTED
    frame = pandas.DataFrame(stream.X[:, :2], columns=["p", "q"])
    estimator.fit(frame, stream.y).save(tmp_path / "other")
    noted = SourceColumns.of(load_model(tmp_path / "other"))
    assert noted == SourceColumns("mooe", {"p": "number", "q": "number"})


def test_a_model_that_learnt_from_arrays_takes_the_columns_of_the_stream_in_their_order(tmp_path):
    stream = recurring(n=100, n_features=2)
    PaperMOOEClassifier().fit(stream.X, stream.y).save(tmp_path / "m")
    model = load_model(tmp_path / "m")
    assert SourceColumns.of(model) == SourceColumns("mooe-paper")
    assert columns_for(model, stream) == list(stream.feature_names)
    with pytest.raises(ValueError, match=r"must have the 2 columns of the model, .* got 3"):
        columns_for(model, recurring(n=10, n_features=3))


def test_what_cannot_be_taken_is_refused_by_name(tmp_path):
    with pytest.raises(ValueError, match=r"model file must exist, got '.*nothing'"):
        load_model(tmp_path / "nothing")


@pytest.mark.parametrize(
    "noted",
    [5, [], {"inputs": 5}, {"inputs": {"a": "magic"}}, {"label": 5}, {"model": None}, {"other": 1}],
)
def test_notes_that_nobody_can_have_made_are_damage(tmp_path, noted):
    model, _ = taught()
    model.notes = {"source": noted}
    model.save(tmp_path / "m")
    with pytest.raises(ModelFileError, match="m: the model file is damaged: its source is"):
        load_model(tmp_path / "m")
