"""A model on a stream: what `mooe run` finds, counts of a class, sweeps and pools."""

import pytest

from mooe.datasets import open_stream
from mooe.run.execution import Plan, evaluate
from mooe_paper.accuracy.models import RANDOM
from mooe_paper.accuracy.runs import (
    SETTINGS,
    run_in_noise,
    run_model,
    run_pool,
    run_setting,
)
from mooe_paper.unknowns import SWEEPS, default_setting

ROWS = 400


@pytest.mark.parametrize("model", SETTINGS)
def test_a_record_is_what_a_run_gives(model):
    record = run_model("recurring", model, max_rows=ROWS)
    results = evaluate(Plan("recurring", model, SETTINGS[model], {"max_rows": ROWS}))
    right = results.cumulative["accuracy"] * results.judged  # all rows count in a record
    assert record["accuracy"] == pytest.approx(right / ROWS, abs=1e-12)
    assert (record["stream"], record["model"], record["rows"]) == ("recurring", model, ROWS)


@pytest.mark.parametrize("model", [model for model in SETTINGS if model not in RANDOM])
def test_only_models_that_draw_random_numbers_depend_on_the_seed(model):
    records = [run_model("recurring", model, seed=seed, max_rows=ROWS) for seed in (0, 1)]
    assert records[0]["accuracy"] == records[1]["accuracy"]


def test_counts_of_a_class_add_up():
    record = run_model("recurring", "mooe-paper", max_rows=ROWS, positive=1)
    right = record["true_positive"] + record["true_negative"]
    assert right / ROWS == pytest.approx(record["accuracy"], abs=1e-12)
    there = record["true_positive"] + record["false_negative"]
    assert there == (open_stream("recurring", max_rows=ROWS).y == 1).sum()
    wrong = record["false_positive"] + record["false_negative"]
    assert right + wrong in (ROWS - 1, ROWS)  # the first row has no answer


def test_noise_takes_the_end_of_a_stream_away():
    record = run_in_noise("recurring", "mooe-paper", max_rows=2_000)
    assert record["stream"] == "recurring-noise"
    assert record["tail"] < record["accuracy"]
    other = run_in_noise("recurring", "mooe-paper", seed=1, max_rows=2_000)
    assert other["accuracy"] != record["accuracy"], "another seed is another noise"


@pytest.mark.parametrize("model", SWEEPS)
def test_every_setting_of_a_sweep_can_be_run(model):
    records = [run_setting("recurring", model, name, max_rows=150) for name in SWEEPS[model]]
    assert {record["model"] for record in records} == {f"{model} swept"}
    assert [record["setting"] for record in records] == list(SWEEPS[model])
    assert len({record["accuracy"] for record in records}) > 1, "settings change something"


def test_more_experts_are_a_parameter_of_the_papers_method():
    record = run_pool("recurring", 5, "R 3", max_rows=200)
    assert (record["pool"], record["model"], record["setting"]) == (5, "mooe-paper", "R 3")
    other = run_pool("recurring", 5, "R 30", max_rows=200)
    assert other["accuracy"] != record["accuracy"]


def test_the_setting_of_our_default_gives_what_the_default_gives():
    for model in SWEEPS:
        swept = run_setting("recurring", model, default_setting(model), max_rows=ROWS)
        assert swept["accuracy"] == run_model("recurring", model, max_rows=ROWS)["accuracy"]


def test_a_setting_is_run_in_noise_too():
    record = run_in_noise("recurring", "mooe-paper", setting="R 10", max_rows=ROWS)
    assert (record["model"], record["setting"]) == ("mooe-paper swept", "R 10")
    usual = run_in_noise("recurring", "mooe-paper", max_rows=ROWS)
    assert record["accuracy"] != usual["accuracy"]
