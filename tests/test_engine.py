"""The two engines: the same functions by the same names, each imported when it is used."""

import inspect
import subprocess
import sys
from dataclasses import asdict

import pytest

from mooe.auto.params import AutoParams
from mooe.engine import Engine, engine_of, params_of, row_kernels
from mooe.paper.params import Params

each_params = pytest.mark.parametrize("params", [AutoParams(), Params()], ids=["auto", "paper"])


def offered(kind):
    return {name for name, _ in inspect.getmembers(kind, inspect.isfunction) if name[0] != "_"}


@each_params
def test_an_engine_offers_what_the_protocol_asks_for_with_the_same_arguments(params):
    engine = engine_of(params)
    assert engine.__name__ == f"mooe.{params.mode}.core"
    assert len(offered(Engine)) > 12
    for name in offered(Engine):
        asked = list(inspect.signature(getattr(Engine, name)).parameters)[1:]
        assert list(inspect.signature(getattr(engine, name)).parameters) == asked, name
    assert callable(row_kernels(params).predict)
    assert callable(row_kernels(params).learn)


@pytest.mark.parametrize("params", [AutoParams(without=("merge", "hedge")), Params(radius=2.0)])
def test_parameters_come_back_from_json(params):
    values = asdict(params)
    if "without" in values:
        values["without"] = list(values["without"])
    assert params_of(params.mode, values) == params


def test_an_unknown_mode_is_refused():
    with pytest.raises(ValueError, match=r"mode must be one of \['auto', 'paper'\], got 'magic'"):
        params_of("magic", {})


@pytest.mark.parametrize(("kind", "own"), [("MOOE", "auto"), ("PaperMOOE", "paper")])
def test_an_engine_that_is_not_used_is_not_imported_and_so_not_compiled(kind, own):
    code = (
        "import sys, mooe, mooe.estimators, mooe.run.execution, mooe.report\n"
        f"mooe.{kind}Classifier().fit([[0.0], [1.0]], [0, 1]).predict([[0.0]])\n"
        "print([name for name in ('mooe.auto.kernel', 'mooe.paper.kernel') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"['mooe.{own}.kernel']"
