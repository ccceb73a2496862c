"""A model on a stream, as a cell: what `mooe run` finds, and counts of a class."""

import pytest

from mooe.datasets import open_stream
from mooe.run.plan import Plan
from mooe.run.run import evaluate
from mooe_paper.accuracy.judged import (
    DRAWS,
    SETTINGS,
    cost_of,
    judged,
    judged_in_noise,
    seeds_of,
)

ROWS = 400


@pytest.mark.parametrize("model", SETTINGS)
def test_a_record_is_what_a_run_gives(model):
    record = judged("recurring", model, max_rows=ROWS)
    results = evaluate(Plan("recurring", model, SETTINGS[model], {"max_rows": ROWS}))
    assert record["accuracy"] == results.cumulative["accuracy"]
    assert (record["stream"], record["model"], record["rows"]) == ("recurring", model, ROWS)


@pytest.mark.parametrize("model", SETTINGS)
def test_only_models_that_draw_random_numbers_depend_on_the_seed(model):
    if model in DRAWS:
        assert len(seeds_of(model, 3)) == 3
    else:
        assert len(seeds_of(model, 3)) == 1
        records = [judged("recurring", model, seed=seed, max_rows=ROWS) for seed in (0, 1)]
        assert records[0]["accuracy"] == records[1]["accuracy"]


def test_counts_of_a_class_add_up():
    record = judged("recurring", "mooe-paper", max_rows=ROWS, positive=1)
    right = record["true_positive"] + record["true_negative"]
    assert right / ROWS == pytest.approx(record["accuracy"], abs=1e-12)
    there = record["true_positive"] + record["false_negative"]
    assert there == (open_stream("recurring", max_rows=ROWS).y == 1).sum()
    wrong = record["false_positive"] + record["false_negative"]
    assert right + wrong in (ROWS - 1, ROWS)  # the first row has no answer


def test_noise_takes_the_end_of_a_stream_away():
    record = judged_in_noise("recurring", "mooe-paper", max_rows=2_000)
    assert record["stream"] == "recurring-noise"
    assert record["tail"] < record["accuracy"]
    other = judged_in_noise("recurring", "mooe-paper", seed=1, max_rows=2_000)
    assert other["accuracy"] != record["accuracy"], "another seed is another noise"


def test_large_streams_cost_more():
    assert cost_of("Covertype", "mooe") > 10 * cost_of("Usenet1", "mooe")
    assert cost_of("recurring", "no-change") > 0.0
