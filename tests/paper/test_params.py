"""Params: what is refused, with name, value and rule, and the quantities that follow from them."""

import inspect
import math
import pickle
from dataclasses import FrozenInstanceError, fields, replace

import numpy as np
import pandas as pd
import pytest

from mooe import estimators
from mooe.auto.params import AutoParams
from mooe.decision import NAMES
from mooe.paper.params import Params

nan, inf = math.nan, math.inf
WHOLE, POSITIVE, RATE = "whole number of at least", "finite number above 0", "finite number of at"
BOUNDS = "(low, high), low < high"

# (name, refused value, rule)
REFUSED = [
    *(("task", value, "'classification', 'regression'") for value in ("ranking", None, 1)),
    *(("loss", value, "'squared', 'logistic'") for value in ("hinge", "Squared", None)),
    *(("priority", value, "'weight', 'queue'") for value in ("age", True)),
    *(("start", value, "'warm', 'reset', 'random'") for value in ("cold", 0)),
    *(("step", value, "'corrected', 'printed'") for value in ("fixed", 1.0)),
    *(("interval", value, f"{WHOLE} 1") for value in (0, -1, 1.0, "5", True, None, nan)),
    ("interval", 2**31, "below 2147483648"),
    ("seed", 2**63, "below 9223372036854775808"),
    *(("max_experts", value, f"{WHOLE} 1") for value in (0, -3, 2.5, "many", False)),
    *(("seed", value, f"{WHOLE} 0") for value in (-1, 0.5, None)),
    *(("radius", value, POSITIVE) for value in (0, -1.0, inf, nan, "1", None, True)),
    *(("input_bound", value, POSITIVE) for value in (0.0, -2, inf, nan, [1.0])),
    *(("radius", value, "from 1e-50 to 1e+50") for value in (1e200, 1e-170)),
    *(("input_bound", value, "from 1e-50 to 1e+50") for value in (1e51, 1e-51)),
    *(("pull", value, f"{RATE} least 0") for value in (-0.1, inf, nan, "auto")),
    *(("online_rate", value, f"{RATE} least 0") for value in (-1, inf, nan, "anytime")),
    *(("meta_rate", value, f"{RATE} least 0") for value in (-1.0, inf, nan, "any", True)),
    *(("scale", value, "True, False") for value in ("yes", None, 2)),
    *(("intercept", value, "True, False") for value in ("no", None, -1)),
    *(
        ("target_bounds", value, BOUNDS)
        for value in ((1, 1), (2, 1), (0, inf), (nan, 1), (0,), (0, 1, 2), 5, "ab", (-1e101, 0))
    ),
    ("target_bounds", {0.0, 1.0}, BOUNDS),  # which of them is low?
    *((name, pd.NA, "one of") for name in ("task", "loss", "step")),
]
ACCEPTED = [
    ("interval", np.int64(7)),
    ("max_experts", 1),
    ("seed", 0),
    ("radius", np.float32(0.5)),
    ("radius", 3),
    ("input_bound", 1e-6),
    ("pull", 0),
    ("online_rate", 0.0),
    ("meta_rate", "anytime"),
    ("meta_rate", 0.0),
    ("start", "random"),
    ("step", "printed"),
    ("radius", np.longdouble(0.5)),
    ("interval", np.array(7)),
]


@pytest.mark.parametrize(("name", "value", "rule"), REFUSED)
def test_an_error_says_name_value_and_rule(name, value, rule):
    task = "regression" if name == "target_bounds" else "classification"
    with pytest.raises(ValueError, match=f"^{name} must be ") as caught:
        Params(**{"task": task, name: value})
    assert rule in str(caught.value)
    assert str(caught.value).endswith(f"got {value!r}")


@pytest.mark.parametrize(("name", "value"), ACCEPTED)
def test_what_the_rules_allow_is_taken_as_it_is(name, value):
    assert getattr(Params(**{name: value}), name) == value


def test_regression_takes_the_squared_loss_only():
    Params(task="regression", loss="squared", target_bounds=(0, 1))
    with pytest.raises(ValueError, match="loss must be 'squared' for regression, got 'logistic'"):
        Params(task="regression", loss="logistic")


def test_the_defaults_are_those_of_the_paper():
    p = Params()
    assert (p.interval, p.max_experts, p.loss, p.priority, p.start) == (
        50, 25, "squared", "weight", "warm",
    )  # fmt: skip
    assert (p.radius, p.input_bound, p.pull, p.online_rate, p.meta_rate) == (1, 1, None, None, None)
    assert (p.step, p.scale, p.intercept) == ("corrected", True, True)


def test_params_never_change():
    with pytest.raises(FrozenInstanceError):
        Params().interval = 3


@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize("intercept", [True, False])
def test_the_constant_input_counts_in_the_bound_on_inputs(loss, intercept):
    p = Params(loss=loss, input_bound=2.0, radius=3.0, intercept=intercept)
    assert p.reach == (math.sqrt(5) if intercept else 2.0)
    same = Params(loss=loss, input_bound=p.reach, radius=3.0, intercept=False)
    assert (p.loss_range, p.smoothness) == (same.loss_range, same.smoothness)


@pytest.mark.parametrize("step", ["corrected", "printed"])
def test_the_first_step_is_the_radius_or_as_printed_the_input_bound(step):
    p = Params(radius=3.0, input_bound=2.0, step=step)
    numerator = 3.0 if step == "corrected" else math.sqrt(5)
    assert p.settings["first_step"][0] == pytest.approx(numerator / math.sqrt(p.smoothness))


def test_equal_params_have_equal_settings_before_and_after_pickling():
    p = Params(interval=7, loss="logistic", meta_rate="anytime", seed=3)
    settings = p.settings.tobytes()
    for same in (replace(p), pickle.loads(pickle.dumps(p))):
        assert same == p
        assert same.settings.tobytes() == settings
    assert replace(p, seed=4).settings.tobytes() != settings


@pytest.mark.parametrize(("prefix", "params"), [("MOOE", AutoParams), ("PaperMOOE", Params)])
@pytest.mark.parametrize("kind", ["Classifier", "Regressor"])
def test_every_shell_offers_the_parameters_with_their_defaults(prefix, params, kind):
    river = pytest.importorskip("mooe.river_adapter")
    defaults = {field.name: field.default for field in fields(params)}
    if "without" in defaults:
        defaults["without"] = None  # stands for nothing; River takes no empty tuple
    for home in (estimators, river):
        signature = inspect.signature(getattr(home, prefix + kind))
        offered = {name: one.default for name, one in signature.parameters.items()}
        for name in ("random_state", "calendar", *NAMES):
            offered.pop(name, None)
        assert all(defaults[name] == value for name, value in offered.items())
        other = {"target_bounds"} if kind == "Classifier" else {"loss"}
        assert set(defaults) - set(offered) - {"task", "seed"} == other & set(defaults)
