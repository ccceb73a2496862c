"""Settings by name."""

import pytest

from mooe.auto.params import AutoParams
from mooe.keyed.settings import FULL, LIGHT, PAPER, params_of


def test_a_name_stands_for_parameters():
    assert params_of("light", "classification", False, 0) == LIGHT
    assert params_of("full", "classification", True, 0) == FULL == AutoParams()
    assert params_of("paper", "classification", False, 0) == PAPER
    named = params_of("light", "regression", True, 3)
    assert (named.task, named.seed) == ("regression", 3)
    assert set(LIGHT.without) < set(named.without)
    assert params_of(FULL, "regression", False, 3) is FULL


def test_other_names_are_refused():
    with pytest.raises(ValueError, match=r"setting must be one of 'light', .* got 7"):
        params_of(7, "classification", False, 0)
