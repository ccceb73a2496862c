"""What every shell shares: attributes, and a file that is opened by its own kind alone."""

import numpy as np
import pytest

from mooe import ModelFileError, MOOEClassifier, modelfile, shells
from mooe.core import Params, init


class Bare:
    def __init__(self, a=1, b=2):
        shells.assign(self, locals())


def test_arguments_become_attributes_and_nothing_else_does():
    assert vars(Bare(3)) == {"a": 3, "b": 2}


def test_a_file_of_another_kind_is_refused_by_name():
    params = Params()
    extras = {"class": "other", "chosen": {}, "labels": ["a", "b"]}
    with pytest.raises(ModelFileError, match="the model is a other, and Mine was to load it"):
        shells.chosen_of("mine", "Mine", params, init(params, 2, 2), extras)


def test_what_was_chosen_comes_back_with_its_bounds_as_a_pair():
    params = Params(task="regression")
    extras = {"class": "mine", "chosen": {"target_bounds": [0, 1]}, "labels": None}
    chosen = shells.chosen_of("mine", "Mine", params, init(params, 2), extras)
    assert chosen == {"target_bounds": (0, 1)}


def test_extras_that_make_no_sense_are_damage():
    model = MOOEClassifier(mode="paper").fit(np.eye(4), [0, 1, 0, 1])
    blob = modelfile.to_bytes(model.params_, model.state_, {"class": "MOOEClassifier"})
    with pytest.raises(ModelFileError, match="damaged"):
        MOOEClassifier.from_bytes(blob)
