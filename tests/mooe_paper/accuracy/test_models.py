"""The models of the tables, their seeds and costs."""

from mooe.run.registry import MODELS as REGISTERED
from mooe_paper.accuracy.models import MODELS, RANDOM, cost_of, seeds_of
from mooe_paper.accuracy.runs import SETTINGS


def test_every_model_is_registered_and_has_the_papers_settings():
    assert set(MODELS) <= set(REGISTERED)
    assert set(MODELS) <= set(SETTINGS)


def test_a_model_that_draws_no_random_numbers_is_run_once():
    assert {model: len(seeds_of(model, 3)) for model in MODELS} == {
        model: 3 if model in RANDOM else 1 for model in MODELS
    }


def test_large_streams_cost_more():
    assert cost_of("Covertype", "mooe") > 10 * cost_of("Usenet1", "mooe")
    assert cost_of("recurring", "no-change") > 0.0
