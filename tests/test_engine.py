"""The two engines: the same functions by the same names, each imported when it is used."""

import inspect
import subprocess
import sys
from dataclasses import asdict

import numpy as np
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


@each_params
@pytest.mark.parametrize("width", [3, 200])
def test_statistics_of_columns_are_those_of_the_rows(params, width):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, width)) * np.arange(1, 1 + width) + 5.0
    engine, state = engine_of(params), engine_of(params).init(params, width, 2)
    engine.predict_then_learn(params, state, X, (X[:, 0] > 5.0).astype(float))
    counts, means, squares = engine.column_statistics(params, state)
    assert counts.tolist() == [60.0] * width
    assert np.allclose(means, X.mean(axis=0), rtol=1e-9)
    assert np.allclose(squares, 60.0 * X.var(axis=0), rtol=1e-9)
    assert means.tolist() == engine.column_means(params, state).tolist()


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
