"""The models of the tables, their seeds and costs."""

from mooe.evaluate.measures import TRIVIAL
from mooe.run.registry import MODELS as REGISTERED
from mooe_paper.accuracy.models import MODELS, RANDOM, cost_of, model_experiments
from mooe_paper.accuracy.runs import SETTINGS, run_model


def test_every_model_is_registered_and_has_the_papers_settings():
    assert set(MODELS) <= set(REGISTERED)
    assert set(MODELS) <= set(SETTINGS)


def test_every_model_runs_with_seeds_of_its_own_and_once_where_nothing_is_random():
    planned = model_experiments(run_model, "recurring", (), 3, {"max_rows": 9})
    seeds = {model: 3 if model in RANDOM else 1 for model in (*MODELS, *TRIVIAL)}
    assert [experiment.arguments["model"] for experiment in planned] == [
        model for model, n in seeds.items() for _ in range(n)
    ]
    assert planned[1].name == "recurring learnpp-nse seed 1"
    assert list(planned[1].arguments) == ["stream", "model", "seed", "max_rows"]
    slow = model_experiments(run_model, "recurring", (), 2, random=MODELS, slowness=2.0)
    assert len(slow) == 2 * len(MODELS) + len(TRIVIAL)
    assert slow[0].cost == 2.0 * planned[0].cost


def test_large_streams_cost_more():
    assert cost_of("Covertype", "mooe") > 10 * cost_of("Usenet1", "mooe")
    assert cost_of("recurring", "no-change") > 0.0
