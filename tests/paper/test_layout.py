"""The block of floats: its views fill it without overlap, in the shapes they state."""

import numpy as np
import pytest

from mooe.paper import core
from mooe.paper.layout import COUNTERS, SETTINGS, SPARE, Block

SHAPES = [
    # interval, max_experts, n_features, n_classes, intercept
    (1, 1, 1, 0, False),
    (1, 1, 1, 2, True),
    (50, 25, 8, 2, True),
    (7, 2, 30, 3, True),
    (3, 60, 2, 5, False),
    (10, 4, 10, 4, True),
]


def opened(interval, max_experts, n_features, n_classes, intercept):
    params = core.Params(interval=interval, max_experts=max_experts, intercept=intercept)
    state = core.init(params, n_features, n_classes)
    return params, state, core.views(params, state)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_view_begins_at_the_cache_line_behind_the_one_before(shape):
    _, state, views = opened(*shape)
    first, end = state.block.__array_interface__["data"][0], 0
    for name, view in zip(Block._fields, views, strict=True):
        assert view.flags.c_contiguous, name
        end = -(-end // 8) * 8
        if view.size:
            assert view.__array_interface__["data"][0] == first + 8 * end, name
        end += view.size
    assert end == len(state.block)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_block_and_its_copy_begin_at_a_cache_line(shape):
    _, state, _ = opened(*shape)
    for block in (state.block, state.copy().block):
        assert block.ctypes.data % 64 == 0


@pytest.mark.parametrize("shape", SHAPES)
def test_a_view_writes_to_the_block_and_to_no_other_view(shape):
    _, state, views = opened(*shape)
    for number, view in enumerate(views, start=1):
        view[...] = number
    for number, view in enumerate(views, start=1):
        assert (view == number).all()
    assert np.count_nonzero(state.block) == sum(view.size for view in views)


@pytest.mark.parametrize("shape", SHAPES)
def test_arrays_have_the_sizes_that_parameters_and_stream_give(shape):
    interval, max_experts, n_features, n_classes, intercept = shape
    _, _, views = opened(*shape)
    p, outputs = n_features + intercept, n_classes if n_classes > 2 else 1
    assert views.online.shape == (outputs, p)
    assert views.experts.shape == (outputs, p, max_experts - 1)
    assert views.rows.shape == (interval, p)
    assert views.losses.shape == (max_experts,)
    assert views.mean.shape == (n_features,)
    assert views.spare.shape == (SPARE,)


@pytest.mark.parametrize("record", [SETTINGS, COUNTERS])
def test_records_hold_aligned_numbers_only(record):
    assert record.isalignedstruct
    for name in record.names:
        kind, offset = record.fields[name]
        assert kind.kind in "bif", name
        assert offset % kind.alignment == 0, name


def test_counters_are_read_by_name():
    _, state, _ = opened(50, 25, 8, 3, True)
    assert (state.n_features, state.n_classes, state.n_outputs) == (8, 3, 3)
    assert isinstance(state.n_features, int)
    assert np.isinf(state.low)
    with pytest.raises(AttributeError, match="n_nothing"):
        state.n_nothing  # noqa: B018
