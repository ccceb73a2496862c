"""A model that is to be made."""

import pytest

from mooe.auto.params import AutoParams
from mooe.model import Model
from mooe.paper.params import Params
from mooe.platform import Settings
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
