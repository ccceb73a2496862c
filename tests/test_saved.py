"""Models that the command saves are the estimators' own."""

import sys
from functools import reduce

import numpy as np
import pandas
import pytest
from typer.testing import CliRunner

from mooe import MOOEClassifier, MOOERegressor, modelfile
from mooe.cli import app
from mooe.core import Params
from mooe.datasets import recurring
from mooe.learners import MooeLearner
from mooe.saved import SavedModel, load, save


def trained(task="classification", **chosen):
    stream = recurring(n=330, n_features=3, length=60)
    y = stream.y.astype(float) if task == "classification" else stream.X[:, 0].copy()
    learner = MooeLearner(Params(task=task, **chosen))
    learner.predict_then_learn(stream.X, y)
    labels = ["low", "high"] if task == "classification" else []
    names = ["a", "b", "c=x"]
    return SavedModel(learner, "mooe", labels, names, {"a": "number", "c": "text"}, "class"), stream


@pytest.mark.parametrize(
    ("task", "cls"), [("classification", MOOEClassifier), ("regression", MOOERegressor)]
)
def test_the_estimator_loads_it_and_answers_the_same(tmp_path, task, cls):
    model, stream = trained(task, interval=30, seed=5)
    save(tmp_path / "m", model)
    estimator = cls.load(tmp_path / "m")
    assert estimator.interval == 30
    assert estimator.random_state == 5
    assert estimator.feature_names_in_.tolist() == ["a", "b", "c=x"]
    chosen = model.learner.predict_then_learn(stream.X, np.full(330, np.nan)).chosen
    if task == "classification":
        assert estimator.classes_.tolist() == ["high", "low"]
        chosen = np.array(model.labels)[chosen]
    frame = pandas.DataFrame(stream.X, columns=estimator.feature_names_in_)
    assert np.array_equal(estimator.predict(frame), chosen)
    estimator.partial_fit(frame, ["low"] * 330 if task == "classification" else stream.X[:, 1])


def test_what_is_loaded_is_what_was_saved(tmp_path):
    model, _ = trained()
    save(tmp_path / "m", model)
    found = load(tmp_path / "m")
    assert found.learner.params == model.learner.params
    assert (found.labels, found.columns, found.label) == (model.labels, model.columns, "class")
    assert found.inputs == {"a": "number", "c": "text"}
    save(tmp_path / "again", found)
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


def test_an_estimator_keeps_what_the_command_wrote_of_the_columns(tmp_path):
    model, stream = trained()
    save(tmp_path / "m", model)
    estimator = MOOEClassifier.load(tmp_path / "m")
    estimator.save(tmp_path / "again")
    found = load(tmp_path / "again")
    assert (found.inputs, found.label) == ({"a": "number", "c": "text"}, "class")
    frame = pandas.DataFrame(stream.X[:, :2], columns=["p", "q"])
    estimator.fit(frame, stream.y).save(tmp_path / "other")  # forgets, and this too
    assert load(tmp_path / "other").inputs == {"p": "number", "q": "number"}


def test_a_model_of_the_estimator_is_taken_with_numbers_in_its_columns(tmp_path):
    stream = recurring(n=100, n_features=2)
    frame = pandas.DataFrame(stream.X, columns=["a", "b"])
    MOOEClassifier(mode="paper").fit(frame, stream.y).save(tmp_path / "m")
    found = load(tmp_path / "m")
    assert found.inputs == {"a": "number", "b": "number"}
    assert (found.labels, found.label) == ([1, 0] if stream.y[0] else [0, 1], None)


SOURCE = {"model": "mooe", "inputs": {"a": "number"}, "label": None}
FORGED_EXTRAS = {
    **{f"no {name}": {name: ...} for name in ("feature_names", "labels", "class")},
    **{f"{name} is 5": {name: 5} for name in ("feature_names", "labels", "source", "class")},
    "no class has a name": {"labels": None},
    "too few classes": {"labels": ["low"]},
    "a class twice": {"labels": ["low", "low"]},
    "classes of no kind": {"labels": [["low"], ["high"]]},
    "an infinite class": {"labels": [float("inf"), 1]},
    "too few columns": {"feature_names": ["a", "b"]},
    "columns that are no texts": {"feature_names": ["a", "b", 3]},
    "a column twice": {"feature_names": ["a", "b", "a"]},
    "a source without inputs": {"source": {"model": "mooe", "label": None}},
    "inputs of no kind": {"source": {**SOURCE, "inputs": {"a": "date"}}},
    "inputs that are a list": {"source": {**SOURCE, "inputs": ["a"]}},
    "a label that is no text": {"source": {**SOURCE, "label": 5}},
    "a model that is no text": {"source": {**SOURCE, "model": ["mooe"]}},
    "another task": {"class": "MOOERegressor"},
    "extras in extras": {"more": reduce(lambda inner, _: [inner], range(990), [])},
    "extras in many extras": {"more": reduce(lambda inner, _: [inner], range(50), [])},
}


@pytest.mark.parametrize("forgery", FORGED_EXTRAS)
def test_forged_extras_are_refused_and_the_file_is_named(forgery, tmp_path):
    model, _ = trained()
    save(tmp_path / "m", model)
    params, state, extras = modelfile.read(tmp_path / "m")
    forged = {k: v for k, v in {**extras, **FORGED_EXTRAS[forgery]}.items() if v is not ...}
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(5000)
    try:
        modelfile.write(tmp_path / "forged", modelfile.to_bytes(params, state, forged))
    finally:
        sys.setrecursionlimit(limit)
    with pytest.raises(ValueError, match=r"forged.* (must hold|damaged|cannot be read)"):
        load(tmp_path / "forged")
    for arguments in (["predict", tmp_path / "forged", "t.csv"], ["inspect", tmp_path / "forged"]):
        done = CliRunner().invoke(app, list(map(str, arguments)))
        assert done.exit_code == 1 or arguments[0] == "inspect"
        assert done.exception is None or isinstance(done.exception, (SystemExit, ValueError))


def test_what_cannot_be_taken_is_refused_by_name(tmp_path):
    with pytest.raises(ValueError, match=r"model file must exist, got '.*nothing'"):
        load(tmp_path / "nothing")
    stream = recurring(n=100, n_features=2)
    MOOEClassifier(mode="paper").fit(stream.X, stream.y).save(tmp_path / "arrays")
    with pytest.raises(ValueError, match="must know the names of its columns"):
        load(tmp_path / "arrays")
    params, state, extras = modelfile.read(tmp_path / "arrays")
    modelfile.write(tmp_path / "m", modelfile.to_bytes(params, state, {**extras, "class": "Other"}))
    with pytest.raises(
        ValueError, match="must hold a MOOEClassifier or MOOERegressor, got 'Other'"
    ):
        load(tmp_path / "m")
    with pytest.raises(ValueError, match="must have seen a row"):
        save(tmp_path / "m", SavedModel(MooeLearner(Params())))
