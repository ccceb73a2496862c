"""The block of floats: its views fill it without overlap, in the shapes they state."""

import numpy as np
import pytest

from mooe.auto import core
from mooe.auto.experts.linear import BUSY
from mooe.auto.layout import COUNTERS, SETTINGS, open_desk
from mooe.auto.params import PARTS, AutoParams
from mooe.auto.roster import EXPERTS
from mooe.numerics.arithmetic import padded
from mooe.numerics.blocks import records

SHAPES = [
    # interval, max_concepts, n_features, n_classes
    (2, 1, 1, 0),
    (40, 12, 8, 2),
    (7, 3, 30, 3),
    (3, 60, 2, 5),
    (5, 4, 129, 2),
    (10, 2, 200, 4),
]


# Parts that have no arrays of their own, or a single float.
WITHOUT_ARRAYS = {
    *("no_change", "usual", "early_switch", "merge", "hedge", "gradient", "sparse_columns"),
}
OF_PLAIN, OF_RICH = ("passive_plain", "steady", "memory_plain"), ("passive_rich", "memory_rich")
OF_TREES = ("forest", "leaves")
SHARING = {
    **dict.fromkeys(OF_PLAIN[:2], OF_PLAIN),
    **dict.fromkeys(OF_RICH[:1], OF_RICH),
    **dict.fromkeys(OF_TREES, OF_TREES),
    "adagrad": ("adagrad", *OF_RICH),
}


def opened(interval, max_concepts, n_features, n_classes):
    params = AutoParams(interval=interval, max_concepts=max_concepts)
    state = core.init(params, n_features, n_classes)
    return params, state, list(flat(core.views(params, state)))


AGAIN = ("thresholds", "tests")  # the same numbers as the array before, of another type


def flat(views):
    """Yield the arrays of a block, those inside others too, each once."""
    for name, view in views._asdict().items():
        if isinstance(view, tuple):
            yield from flat(view)
        elif name not in AGAIN:
            yield view


def begins(views, block):
    """Return where each array begins in the block, and where all of them end, in floats."""
    first = block.__array_interface__["data"][0]
    places = [(view.__array_interface__["data"][0] - first) // 8 for view in views]
    return places, places[-1] + -(-views[-1].nbytes // 8)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_view_begins_at_the_cache_line_behind_the_one_before(shape):
    _, state, views = opened(*shape)
    assert state.block.ctypes.data % 64 == 0
    assert all(view.flags.c_contiguous for view in views)
    places, end = begins([view for view in views if view.size], state.block)
    sizes = [-(-view.nbytes // 8) for view in views if view.size]
    assert places[0] == 0
    for place, size, following in zip(places, sizes, places[1:], strict=False):
        assert following == -(-(place + size) // 8) * 8
    assert 0 <= len(state.block) - end < 8  # arrays of no size take a cache line


@pytest.mark.parametrize("shape", SHAPES)
def test_a_view_writes_to_the_block_and_to_no_other_view(shape):
    _, state, views = opened(*shape)
    for number, view in enumerate(views, start=1):
        view[...] = number
    for number, view in enumerate(views, start=1):
        assert (view == number).all()
    assert np.count_nonzero(state.block) == sum(-(-view.nbytes // 8) for view in views)


@pytest.mark.parametrize("shape", SHAPES)
def test_scratch_is_as_long_as_its_views_need(shape):
    params, state, _ = opened(*shape)
    scratch = core.scratch(params, state)
    desk, length = open_desk(*records(params, state.counters), scratch)
    views = [view for view in flat(desk) if view.size]
    assert length == len(scratch)
    assert 0 <= length - begins(views, scratch)[1] < 8  # an array of no size takes a cache line
    for number, view in enumerate(views, start=1):
        view[...] = number
    assert all((view == number).all() for number, view in enumerate(views, start=1))


@pytest.mark.parametrize("shape", SHAPES)
def test_arrays_have_the_sizes_that_parameters_and_stream_give(shape):
    interval, max_concepts, d, n_classes = shape
    params, state, _ = opened(*shape)
    block = core.views(params, state)
    outputs, narrow = (n_classes if n_classes > 2 else 1), d <= 128
    lanes = padded(max_concepts) + BUSY
    n_pairs = min(300, d * (d + 1) // 2) if narrow else 0
    rich = d + 1 + 100 + n_pairs if narrow else 0
    for scorers, n_inputs in zip(block.experts.linear, (d + 1, rich), strict=True):
        assert scorers.frozen.weights.shape == (outputs, n_inputs, lanes - BUSY)
        assert scorers.busy.sums.shape == (outputs, n_inputs, BUSY)
    assert block.experts.memory.plain.losses.shape == (interval, lanes)
    assert block.inputs.frequencies.shape == (d, 100 if narrow else 0)
    assert block.inputs.pairs.shape == (n_pairs, 2)
    assert block.experts.least_squares.fast.inverse.shape == ((d + 1,) * 2 if narrow else (0, 0))
    assert block.experts.least_squares.slow.inverse.shape == ((d + 101,) * 2 if narrow else (0, 0))
    assert len(block.mixture.shares) >= len(EXPERTS)


@pytest.mark.parametrize("record", [SETTINGS, COUNTERS])
def test_records_are_aligned_and_have_no_name_twice(record):
    assert record.isalignedstruct
    assert len(set(record.names)) == len(record.names)


@pytest.mark.parametrize("n", range(1, 14))
def test_lanes_come_in_fours(n):
    assert n <= padded(n) < n + 4
    assert padded(n) % 4 == 0


@pytest.mark.parametrize("part", [part for part in PARTS if part not in WITHOUT_ARRAYS])
def test_a_part_that_is_left_out_takes_no_room(part):
    whole, without = AutoParams(), AutoParams(without=(part,))
    kept = len(core.init(without, 8, 2).block)
    if part in SHARING:  # the arrays of these are there while one of them is
        kept = len(core.init(AutoParams(without=SHARING[part]), 8, 2).block)
    assert kept < len(core.init(whole, 8, 2).block)


def test_a_light_setting_is_small():
    without = (*("autoregression", "calibration", "forest", "leaves", "neighbours"), "fourier")
    params = AutoParams(
        interval=20,
        max_concepts=4,
        without=(*without, "products", "memory_rich", "passive_rich", "squares_slow"),
    )
    assert core.init(params, 8, 2).block.nbytes < 9_000
    assert core.init(AutoParams(), 8, 2).block.nbytes > 200_000
