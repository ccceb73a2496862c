"""Models by name, and their parameters as text."""

import subprocess
import sys

import pytest

from mooe.auto.params import AutoParams
from mooe.evaluate.learners import Majority, NoChange
from mooe.evaluate.measures import TRIVIAL_NAMES
from mooe.paper.params import Params
from mooe.run.registry import MODELS, make_learner, shown_name


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_every_name_makes_a_learner(name, task):
    if name in ("learnpp-nse", "dtel", "condor") and task == "regression":
        with pytest.raises(ValueError, match=f"'classification' for {name}"):
            make_learner(name, task, 3)
    elif (name, task) == ("mean", "classification"):
        with pytest.raises(ValueError, match="mean must be run on a regression"):
            make_learner(name, task)
    else:
        assert hasattr(make_learner(name, task, 3), "predict_then_learn")


@pytest.mark.parametrize(
    ("model", "name", "text", "value"),
    [
        ("ogd-classic", "restart", "true", True),
        ("ader", "horizon", "45312", 45312),
        ("ader", "horizon", "none", None),
        ("learnpp-nse", "pruning", "error", "error"),
        ("dtel", "capacity", "10", 10),
        ("condor", "mu", "1e-3", 1e-3),
    ],
)
def test_baselines_have_parameters_of_their_own(model, name, text, value):
    assert getattr(make_learner(model, parameters={name: text}, seed=4).params, name) == value


def test_every_baseline_has_a_name_and_none_is_imported_for_it():
    code = (
        "import sys; from mooe import baselines; from mooe.run.registry import MODELS; "
        "assert set(baselines.METHODS) < set(MODELS); "
        "assert not [name for name in sys.modules if name.startswith('mooe.baselines.')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_names_are_those_of_the_models():
    assert make_learner("mooe").params == AutoParams()
    assert make_learner("mooe-paper").params == Params()
    assert make_learner("ogd", "regression", 7).params == Params(
        task="regression", max_experts=1, seed=7
    )
    assert isinstance(make_learner("no-change"), NoChange)
    assert isinstance(make_learner("majority"), Majority)
    assert set(MODELS) >= TRIVIAL_NAMES
    assert isinstance(make_learner("mean", "regression"), Majority)


def test_every_call_makes_a_learner_of_its_own():
    assert make_learner("majority") is not make_learner("majority")


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("interval", "20", 20),
        ("radius", "2", 2.0),
        ("radius", "1e-3", 1e-3),
        ("loss", "logistic", "logistic"),
        ("pull", "none", None),
        ("pull", "None", None),
        ("pull", "0.5", 0.5),
        ("meta_rate", "anytime", "anytime"),
        ("meta_rate", "0.1", 0.1),
        ("meta_rate", "none", None),
        ("scale", "false", False),
        ("intercept", "True", True),
        ("intercept", "0", False),
    ],
)
def test_values_are_read_by_the_type_of_the_parameter(name, text, value):
    found = getattr(make_learner("mooe-paper", parameters={name: text}).params, name)
    assert found == value
    assert type(found) is type(value)


def test_bounds_are_two_numbers():
    learner = make_learner("mooe-paper", "regression", parameters={"target_bounds": "-1,2.5"})
    assert learner.params.target_bounds == (-1.0, 2.5)


@pytest.mark.parametrize(
    ("model", "parameters", "words"),
    [
        ("mooo", {}, ["model must be one of", "'mooo'", "nearest: mooe"]),
        ("learnpp", {}, ["'learnpp'"]),
        ("mooe", {"radius": "1"}, ["'radius'", "mooe-paper"]),
        ("mooe", {"without": "tea"}, ["without must be one of", "'tea'"]),
        ("mooe", {"intervall": "5"}, ["'intervall'", "nearest: interval"]),
        ("mooe", {"zzz": "5"}, ["'zzz'", "interval"]),
        ("mooe", {"interval": "5.5"}, ["interval must be a whole number", "'5.5'"]),
        ("mooe-paper", {"interval": "0"}, ["interval must be a whole number of at least 1", "0"]),
        ("mooe-paper", {"radius": "big"}, ["radius must be a number", "'big'"]),
        ("mooe-paper", {"pull": "big"}, ["pull must be a number or none", "'big'"]),
        ("mooe-paper", {"scale": "maybe"}, ["scale must be true or false", "'maybe'"]),
        ("mooe-paper", {"loss": "cubic"}, ["loss must be one of", "'cubic'"]),
        ("mooe-paper", {"target_bounds": "1"}, ["target_bounds must be", "1"]),
        ("mooe", {"seed": "1"}, ["seed must be set with --seed", "'1'"]),
        ("mooe", {"task": "regression"}, ["task must be set with --task"]),
        ("ogd", {"max_experts": "3"}, ["max_experts", "ogd", "'3'"]),
        ("majority", {"interval": "5"}, ["majority", "'interval'"]),
        ("no-change", {"interval": "5"}, ["no-change", "'interval'"]),
    ],
)
def test_an_error_names_parameter_value_and_rule(model, parameters, words):
    with pytest.raises(ValueError, match=r"must") as error:
        make_learner(model, parameters=parameters)
    for word in words:
        assert word in str(error.value)


def test_the_mean_of_values_is_not_called_a_majority():
    assert shown_name("majority", "regression") == "mean"
    assert shown_name("majority", "classification") == "majority"
