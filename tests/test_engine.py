"""The two modes: parameters, core and file of each, by the same names."""

import subprocess
import sys

import pytest

from mooe import MOOEClassifier, MOOERegressor
from mooe import engine as modes
from mooe.auto.params import AutoParams
from mooe.paper.params import Params


@pytest.mark.parametrize(
    ("params", "home"), [(AutoParams(), "mooe.auto"), (Params(), "mooe")], ids=["auto", "paper"]
)
def test_each_mode_has_a_home_with_the_same_names(params, home):
    assert modes.core_of(params).__name__ == f"{home}.core"
    assert modes.onerow_of(params).__name__ == f"{home}.onerow"
    assert modes.stored_of(params.mode).__name__ == f"{home}.stored"
    for name in ("init", "predict", "predict_then_learn", "explain", "experts", "concepts"):
        assert callable(getattr(modes.core_of(params), name))


def test_what_is_left_alone_is_the_modes_own():
    chosen = MOOEClassifier().get_params()
    del chosen["random_state"]
    found = modes.chosen_params(MOOEClassifier, chosen, "classification", 3)
    assert found == AutoParams(seed=3)
    found = modes.chosen_params(MOOEClassifier, {**chosen, "mode": "paper"}, "classification")
    assert found == Params()


def test_what_is_chosen_is_handed_on():
    chosen = {**MOOERegressor(interval=9, without=("merge",)).get_params(), "max_concepts": 2}
    del chosen["random_state"]
    found = modes.chosen_params(MOOERegressor, chosen, "regression")
    assert found == AutoParams(task="regression", interval=9, max_concepts=2, without=("merge",))


@pytest.mark.parametrize(
    ("kind", "chosen", "message"),
    [
        (MOOEClassifier, {"radius": 2.0}, "radius must be left alone with mode='auto', got 2.0"),
        (MOOEClassifier, {"loss": "logistic"}, "loss must be left alone with mode='auto'"),
        (MOOERegressor, {"target_bounds": (0, 1)}, "a parameter of mode='paper'"),
        (
            MOOEClassifier,
            {"mode": "paper", "max_concepts": 3},
            "max_concepts must be left alone with mode='paper', got 3; .* of mode='auto'",
        ),
        (MOOEClassifier, {"mode": "paper", "without": ("merge",)}, "without must be left alone"),
        (MOOEClassifier, {"mode": "magic"}, "mode must be one of .*, got 'magic'"),
        (MOOEClassifier, {"interval": 1}, "interval must be a whole number of at least 2, got 1"),
        (MOOEClassifier, {"max_concepts": 0}, "max_concepts must be .* at least 1, got 0"),
        (MOOEClassifier, {"without": ("magic",)}, "without must be one of .*, got 'magic'"),
    ],
)
def test_parameters_of_the_other_mode_and_bad_ones_are_refused_at_fit(kind, chosen, message):
    model = kind(**chosen)
    with pytest.raises(ValueError, match=message):
        model.fit([[0.0], [1.0]], [0, 1])
    assert not hasattr(model, "state_")


@pytest.mark.parametrize("params", [AutoParams(without=("merge", "hedge")), Params(radius=2.0)])
def test_parameters_come_back_from_json(params):
    values = dict(vars(params))
    values.pop("settings", None)
    if "without" in values:
        values["without"] = list(values["without"])
    assert modes.params_of(params.mode, values) == params


@pytest.mark.parametrize("mode", ["auto", "paper"])
def test_a_mode_that_is_not_used_is_not_imported_and_so_not_compiled(mode):
    code = (
        "import sys, mooe, mooe.estimators, mooe.run.plan, mooe.report\n"
        f"mooe.MOOEClassifier(mode={mode!r}).fit([[0.0], [1.0]], [0, 1]).predict([[0.0]])\n"
        "print([name for name in ('mooe.auto.kernel', 'mooe.paper.kernel') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    own = {"auto": "mooe.auto.kernel", "paper": "mooe.paper.kernel"}[mode]
    assert done.stdout.strip() == f"[{own!r}]"
