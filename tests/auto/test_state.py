"""A state before the first sample: what is drawn, and who has a say."""

import numpy as np
import pytest

from mooe.auto import core
from mooe.auto.experts.memory import IN_CHARGE
from mooe.auto.params import AutoParams
from mooe.auto.roster import EXPERTS
from mooe.auto.state import NARROW_ONLY, n_outputs_of


def block_of(d, **chosen):
    params = AutoParams(**chosen)
    return core.views(params, core.init(params, d))


@pytest.mark.parametrize("d", [1, 5, 24])
def test_all_pairs_of_few_columns_are_multiplied_each_once(d):
    pairs = block_of(d).inputs.pairs.astype(int)
    expected = {(i, j) for j in range(d) for i in range(j + 1)}
    assert {(min(pair), max(pair)) for pair in pairs.tolist()} == expected
    assert len(pairs) == len(expected)


def test_of_many_columns_300_pairs_are_drawn_by_the_seed():
    one, same, other = (block_of(60, seed=seed).inputs.pairs for seed in (1, 1, 2))
    assert len({tuple(pair) for pair in one.tolist()}) == 300
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def test_frequencies_are_normal_and_phases_uniform_in_turns():
    found = [block_of(7, seed=seed) for seed in range(40)]
    radians = 2.0 * np.pi * np.concatenate([block.inputs.frequencies.ravel() for block in found])
    assert radians.std() == pytest.approx(0.7 / np.sqrt(7), rel=0.03)
    assert abs(radians.mean()) < 0.01
    phases = np.concatenate([block.inputs.phases for block in found])
    assert (phases.min() >= 0.0, phases.max() < 1.0) == (True, True)
    assert phases.mean() == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize(("d", "on"), [(128, set(EXPERTS)), (129, set(EXPERTS) - set(NARROW_ONLY))])
def test_wide_inputs_leave_the_experts_on_plain_inputs(d, on):
    params = AutoParams()
    state = core.init(params, d)
    weighed = {member.name: member.weight for member in core.experts(params, state)}
    assert set(weighed) == on
    assert set(weighed.values()) == {1.0 / len(on)}


def test_parts_that_are_left_out_are_not_drawn():
    block = block_of(5, without=("fourier", "products"))
    assert (block.inputs.phases.size, block.inputs.pairs.size) == (0, 0)
    assert block.experts.linear.rich.busy.weights.shape[1] == 6


@pytest.mark.parametrize(
    ("task", "n_classes", "outputs"),
    [("classification", c, o) for c, o in ((0, 1), (1, 1), (2, 1), (3, 3), (9, 9))]
    + [("regression", 0, 1)],
)
def test_two_classes_need_one_score_and_more_one_each(task, n_classes, outputs):
    params = AutoParams(task)
    assert n_outputs_of(params, n_classes) == outputs
    assert core.init(params, 2, n_classes).n_outputs == outputs


def test_nobody_is_in_charge_before_the_first_interval_has_closed():
    params = AutoParams()
    state = core.init(params, 3)
    block = core.views(params, state)
    assert (
        block.experts.memory.plain.status[IN_CHARGE]
        == block.experts.memory.rich.status[IN_CHARGE]
        == -1
    )
    assert core.concepts(params, state) == []
    assert core.regime(params, state) is None
