"""One model over one stream, with the trivial ones beside it."""

from datetime import timedelta

import numpy as np
import pytest

from mooe.auto.params import MEMORIES
from mooe.datasets import recurring
from mooe.evaluate.learners import Majority, MooeLearner, NoChange
from mooe.evaluate.loop import prequential
from mooe.run.plan import Plan, Run, evaluated, without_memory


def judged(plan):
    job = Run(plan)
    job.go()
    job.judge_trivial()
    return job


@pytest.fixture
def table(tmp_path):
    stream = recurring(n=600, n_features=3, n_concepts=2, length=100)
    path = tmp_path / "table.csv"
    lines = ["day,a,b,c,kind"]
    lines += [
        f"2024-01-01T{i // 60:02}:{i % 60:02},{a},{b},{c},{['no', 'yes'][y]}"
        for i, ((a, b, c), y) in enumerate(zip(stream.X.tolist(), stream.y.tolist(), strict=True))
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_the_loop_is_that_of_evaluate():
    job = judged(Plan("recurring", options={"max_rows": 3000}))
    stream = recurring().X[:3000], recurring().y[:3000]
    direct = prequential(MooeLearner(job.learner.params), type(job.stream)("recurring", *stream))
    for name, value in direct.cumulative.items():
        assert job.results.cumulative[name] == pytest.approx(value, rel=1e-12)
    assert job.results.features == 10
    assert [other.model for other in job.others] == ["no-change", "majority"]


@pytest.mark.parametrize(
    "chosen",
    [
        {},
        {"delay": 7},
        {"delay": timedelta(minutes=5)},
        {"delay": None},
        {"label_probability": 0.5},
    ],
)
def test_the_trivial_models_know_what_the_model_knows(table, chosen):
    options = {"label": "kind", "time": "day"}
    job = judged(Plan(str(table), options=options, seed=3, **chosen))
    stream = job.plan.opened()
    for other, learner in zip(job.others, (NoChange(), Majority()), strict=True):
        assert other.cumulative == prequential(learner, stream, seed=3, **chosen).cumulative
        assert (other.rows, other.stream, other.features) == (600, "table.csv", 3)
        assert other.classes == job.results.classes


def test_a_trivial_model_is_not_its_own_neighbour():
    job = judged(Plan("recurring", "majority", options={"max_rows": 100}))
    assert [other.model for other in job.others] == ["no-change"]
    with pytest.raises(ValueError, match="must learn, got 'majority'"):
        job.saved_model()


def test_equal_plans_give_equal_results(table):
    plan = Plan(str(table), options={"label": "kind", "time": "day"}, watch=True)
    one, other = evaluated(plan), judged(plan).results
    assert one.cumulative == other.cumulative
    assert one.windows == other.windows
    assert one.moments == other.moments
    assert one.origin["data"]


@pytest.mark.parametrize(
    ("model", "given", "alone"),
    [
        ("mooe-paper", {"interval": "40"}, ("ogd", {"interval": "40"}, "ogd")),
        ("mooe", {}, ("mooe", {"without": ",".join(MEMORIES)}, "mooe, no memory")),
    ],
)
def test_a_watched_model_runs_beside_itself_without_memory(table, model, given, alone):
    """As it would alone: nothing but the memory is different."""
    options = {"label": "kind", "time": "day"}
    plan = Plan(str(table), model, given, options, delay=7, watch=True)
    assert without_memory(plan) == alone
    job = judged(plan)
    apart = evaluated(Plan(str(table), alone[0], alone[1], options, delay=7))
    assert job.alone.model == alone[2]
    assert job.alone.rows == job.results.rows
    assert job.alone.features == job.results.features
    assert job.alone.cumulative == apart.cumulative
    assert job.alone.windows == apart.windows


def test_what_has_no_memory_or_is_not_watched_runs_by_itself(table):
    options = {"label": "kind", "drop": ["day"]}
    assert judged(Plan(str(table), "mooe-paper", options=options)).alone is None
    assert judged(Plan(str(table), "ogd", options=options, watch=True)).alone is None
    assert judged(Plan(str(table), "no-change", options=options, watch=True)).alone is None


def test_a_saved_model_goes_on_with_its_classes_and_columns(table):
    options = {"label": "kind", "drop": ["day"]}
    whole = judged(Plan(str(table), options=options))
    first = judged(Plan(str(table), options={**options, "max_rows": 101}))
    lines = table.read_text().splitlines(keepends=True)
    table.write_text("".join(lines[:1] + lines[102:]))
    saved = first.saved_model()
    rest = Run(Plan(str(table), options={**options, "inputs": saved.inputs}), saved)
    rest.go()
    assert rest.saved_model().labels == whole.saved_model().labels
    assert np.array_equal(rest.learner.state.block, whole.learner.state.block)


def test_a_model_is_not_resumed_on_another_task(table):
    saved = judged(Plan(str(table), options={"label": "kind", "drop": ["day"]})).saved_model()
    plan = Plan(str(table), options={"label": "a", "inputs": {"b": "number"}})
    with pytest.raises(
        ValueError, match=r"table.csv must be a classification, .* got a regression"
    ):
        Run(plan, saved)
