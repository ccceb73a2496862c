"""The shelf: new slots, larger ones, slots that wait in a file, none."""

import numpy as np

from mooe.engine import engine_of
from mooe.keyed.settings import LIGHT
from mooe.keyed.shelf import FRESH, Shelf, grown_correction
from mooe.keyed.slots import ADDRESS, SPILLED, Content


def fresh(params):
    return Content(engine_of(params).init(params, 3), [], np.zeros((0, 12)))


def made(**options):
    shelf = Shelf([LIGHT], fresh, False, **options)
    shelf.reserve(10)
    return shelf


def test_a_key_has_no_slot_until_it_is_brought():
    shelf = made()
    assert shelf.is_there(np.array([FRESH, 1, 2])).tolist() == [True, False, False]
    shelf.bring(np.array([2]))
    assert shelf.is_there(np.array([1, 2])).tolist() == [False, True]
    assert shelf.slot(2).tobytes() == shelf.slot(FRESH).tobytes()
    shelf.forget(2)
    assert shelf.n_bytes() == 0


def test_a_slot_may_become_larger():
    shelf = made()
    shelf.bring(np.array([1]))
    before, scratch = shelf.n_bytes(), shelf.scratch
    shelf.put(1, shelf.grow_classes(1, shelf.content(1), [4, 2, 9]))
    assert shelf.content(1).classes == [4, 2, 9]
    assert shelf.content(1).state.n_outputs == 3
    assert shelf.n_bytes() > before
    assert shelf.scratch > scratch


def test_keys_that_were_not_used_for_longest_wait_in_the_file(tmp_path):
    size = len(made().slot(FRESH)) * 8
    shelf = made(memory=5 * size, path=tmp_path / "slots")
    for number in range(1, 8):
        shelf.bring(np.array([number]))
        content = shelf.content(number)
        content.state.counters["n_labelled"] = number
        shelf.put(number, content)
    waits = np.flatnonzero(shelf.facts[:8, ADDRESS] == SPILLED)
    assert waits.tolist() == list(range(1, 1 + len(waits)))
    assert len(waits) >= 3
    assert [shelf.content(number).state.n_labelled for number in range(1, 8)] == [*range(1, 8)]
    shelf.bring(np.array([1]))
    assert shelf.facts[1, ADDRESS] != SPILLED
    assert shelf.content(1).state.n_labelled == 1
    shelf.forget(2)
    shelf.close()
    assert not (tmp_path / "slots").exists()


def test_a_correction_of_two_classes_is_shared_between_them():
    grown = grown_correction(np.array([[2.0, -4.0]]), 3)
    assert grown.tolist() == [[-1.0, 2.0], [1.0, -2.0], [0.0, 0.0]]
    assert grown_correction(np.ones((1, 2)), 1).tolist() == [[1.0, 1.0]]
