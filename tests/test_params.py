"""Params: the paper's symbols, checked once."""

import math

import pytest

from mooe import Params


def test_formulas_follow_the_declared_range():
    params = Params(radius=2.0, input_bound=3.0, intercept=False)
    assert params.reach == 3.0
    assert params.loss_range == (2.0 * 3.0 + 1.0) ** 2
    assert params.smoothness == pytest.approx(2.0 * 9.0 / 49.0)
    assert Params(input_bound=3.0).reach == math.sqrt(10.0)


def test_the_printed_step_takes_the_input_bound_where_the_corrected_takes_the_radius():
    steps = {
        step: Params(radius=5.0, input_bound=0.1, intercept=False, step=step)
        for step in ("corrected", "printed")
    }
    ratio = steps["corrected"].settings["first_step"] / steps["printed"].settings["first_step"]
    assert ratio == pytest.approx(50.0)


def test_params_are_frozen_equal_and_hashable():
    assert Params() == Params()
    assert hash(Params()) == hash(Params())
    with pytest.raises(AttributeError):
        Params().interval = 3


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("interval", 0),
        ("interval", True),
        ("interval", 1.5),
        ("max_experts", 0),
        ("loss", "hinge"),
        ("priority", "age"),
        ("start", "cold"),
        ("step", "other"),
        ("task", "ranking"),
        ("radius", -1.0),
        ("radius", math.inf),
        ("radius", "1"),
        ("input_bound", 0.0),
        ("input_bound", math.nan),
        ("pull", -0.1),
        ("online_rate", math.nan),
        ("meta_rate", "sometimes"),
        ("seed", -1),
        ("scale", "yes"),
        ("target_bounds", (1.0, 1.0)),
        ("target_bounds", 3.0),
    ],
)
def test_errors_carry_name_value_and_rule(name, value):
    with pytest.raises(ValueError, match=rf"{name} must be .*, got ") as told:
        Params(**{name: value})
    assert repr(value) in str(told.value)


def test_regression_takes_the_squared_loss():
    with pytest.raises(ValueError, match="loss must be 'squared' for regression"):
        Params(task="regression", loss="logistic")
