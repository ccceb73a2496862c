"""What is to be run."""

from datetime import timedelta

import pytest

from mooe.auto.params import MEMORIES
from mooe.evaluate.learners import Majority
from mooe.evaluate.loop import Entrant
from mooe.run.plan import Plan


@pytest.mark.parametrize(
    ("model", "given", "twin"),
    [
        ("mooe-paper", {"interval": "40"}, ("ogd", {"interval": "40"}, "ogd")),
        ("mooe-paper", {"max_experts": "9"}, ("ogd", {}, "ogd")),
        ("mooe", {}, ("mooe", {"without": ",".join(MEMORIES)}, "mooe, no memory")),
        (
            "mooe",
            {"without": "steady", "interval": "9"},
            (
                "mooe",
                {"without": ",".join([*MEMORIES, "steady"]), "interval": "9"},
                "mooe, no memory",
            ),
        ),
    ],
)
def test_the_same_without_memory_is_a_plan_that_differs_in_nothing_else(model, given, twin):
    plan = Plan("recurring", model, given, delay=7, window=9, seed=4)
    other, name = plan.without_memory()
    assert (other.model, other.parameters, name) == twin
    assert (other.source, other.delay, other.window, other.seed) == ("recurring", 7, 9, 4)
    assert other.make_learner("classification").remembers == ""


def test_a_plan_says_when_labels_come_what_is_read_and_what_learns():
    plan = Plan(
        "recurring", "mooe", {"interval": "9"}, {"max_rows": 7}, timedelta(hours=2), 0.5, 9, 3
    )
    stream = plan.open_stream()
    assert len(stream.y) == 7
    one_pass = plan.begin_pass([Entrant("majority", Majority())], stream, most_classes=4)
    schedule, results = one_pass.schedule, one_pass.results[0]
    assert (schedule.delay, schedule.label_probability) == (timedelta(hours=2), 0.5)
    assert (schedule.seed, results.seed, results.window) == (3, 3, 9)
    assert (results.stream, one_pass.most_classes) == ("recurring", 4)
    params = plan.make_learner("regression").params
    assert (params.interval, params.task, params.seed) == (9, "regression", 3)
