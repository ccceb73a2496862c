"""Errors by the length of intervals and the number of experts."""

import numpy as np
import pytest

from mooe.paper.core import Params
from mooe_paper.intervals import scores as paper
from mooe_paper.intervals.early_gain import rows_of
from mooe_paper.intervals.sizes import errors_by_size


def test_errors_are_those_of_runs_with_each_size():
    record = errors_by_size("drifting", 100, "interval", [50, 100], 100, {"max_experts": 3}, 2)
    wanted = []
    for seed in range(2):
        X, y = rows_of("drifting", 100, seed)
        params = Params(interval=50, max_experts=3, seed=seed)
        wanted.append(paper.errors(paper.scores(params, X, y), y)[100:].mean())
    assert record["error"][0][0] == pytest.approx(np.mean(wanted), abs=1e-6)
    assert record["more"][1] == [0.0, 0.0, 0.0]
    gap = record["error"][0][0] - record["error"][1][0]
    assert record["more"][0][0] == pytest.approx(gap, abs=2e-6)


def test_one_expert_is_the_online_one():
    record = errors_by_size("recurring", 50, "max_experts", [1, 2], 2, {"interval": 50}, 2)
    assert record["error"][0] == record["online"][0] == record["online"][1]
