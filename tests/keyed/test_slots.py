"""A slot holds a state, classes and corrections, and gives them back."""

import numpy as np
import pytest

from mooe.engine import engine_of
from mooe.keyed.settings import FULL, LIGHT, PAPER
from mooe.keyed.slots import (
    Content,
    layout_of,
    n_corrected,
    read_slot,
    shape_of,
    shape_of_slot,
    write_slot,
)
from mooe.model import Model
from mooe.numerics.blocks import LINE


@pytest.mark.parametrize("params", [LIGHT, FULL, PAPER])
@pytest.mark.parametrize("corrected", [False, True])
def test_what_is_written_is_read_again(params, corrected):
    rng = np.random.default_rng(0)
    model = Model(params)
    model.learn(rng.normal(size=(90, 4)), rng.integers(0, 3, 90).astype(float))
    state = model.state
    weights = rng.normal(size=(3, n_corrected(state)) if corrected else (0, n_corrected(state)))
    shape = shape_of(params, state, corrected)
    slot = np.full(shape.size, 7.0)
    write_slot(slot, shape, Content(state, [5, 1, 9], weights))
    content = read_slot(params, slot, corrected)
    assert content.classes == [5, 1, 9]
    assert content.correction.tolist() == weights.tolist()
    again = Model(params)
    again.state = content.state
    assert again.to_bytes() == model.to_bytes()
    assert shape_of_slot(params, slot, corrected) == shape
    assert shape.size % LINE == 0


def test_the_slot_of_the_papers_model_has_no_scratch():
    state = engine_of(PAPER).init(PAPER, 8, 2)
    assert shape_of(PAPER, state, False).n_block < 0.5 * len(state.block)


def test_layouts_of_other_parameters_differ():
    assert layout_of(LIGHT, 5) == layout_of(LIGHT, 5)
    assert len({layout_of(LIGHT, 5), layout_of(LIGHT, 6), layout_of(FULL, 5)}) == 3


def test_corrections_see_products_of_few_columns():
    few, many = engine_of(LIGHT).init(LIGHT, 3, 2), engine_of(LIGHT).init(LIGHT, 13, 2)
    wide = engine_of(LIGHT).init(LIGHT, 200, 2)
    assert [n_corrected(state) for state in (few, many, wide)] == [
        4 + 10 + 2,
        14 + 14 + 2,
        1 + 1 + 2,
    ]
