"""A model that is to be made."""

import pytest

from mooe.auto.params import AutoParams
from mooe.model import Model
from mooe.paper.params import Params
from mooe.platform import Settings, creation
from mooe.platform.creation import chosen_params, model_of_file, new_model


def test_only_what_is_not_usual_is_kept_of_parameters():
    assert chosen_params(AutoParams()) == {}
    kept = chosen_params(AutoParams("regression", seed=3, without=("forest",)))
    assert kept == {"seed": 3, "without": ["forest"]}
    made = new_model("m", "regression", {"mode": "paper", "interval": 7}, Settings())
    assert (made.mode, made.params) == ("paper", chosen_params(Params("regression", interval=7)))


@pytest.mark.parametrize("params", [{"mode": "other"}, {"task": "regression"}, {"colour": 1}, []])
def test_other_parameters_are_refused(params):
    with pytest.raises(ValueError, match="must be"):
        new_model("m", "classification", params, Settings())


def test_a_default_label_must_be_one_that_the_model_of_a_file_could_learn():
    model = Model(AutoParams("regression"))
    assert model_of_file("m", model.to_bytes(), Settings(default_label=0.0)).task == "regression"
    with pytest.raises(ValueError, match="label must be a number"):
        model_of_file("m", model.to_bytes(), Settings(default_label="no"))


@pytest.mark.parametrize("mode", ["auto", "paper"])
def test_code_that_a_model_needs_is_there_once_it_is_made(mode, monkeypatch):
    asked = []
    monkeypatch.setattr(creation, "row_kernels", lambda params: asked.append(params.mode))
    new_model("m", "classification", {"mode": mode}, Settings())
    assert asked == [mode]  # compiled by who makes it, and not while others wait for their answers
