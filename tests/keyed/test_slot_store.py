"""The store: new slots, larger ones, slots that wait in a file, none."""

import numpy as np

from mooe.engine import engine_of
from mooe.keyed.settings import LIGHT
from mooe.keyed.slot_store import FRESH, SlotStore, grown_correction
from mooe.keyed.slots import ADDRESS, SPILLED, Content


def fresh(params):
    return Content(engine_of(params).init(params, 3), [], np.zeros((0, 12)))


def made(**options):
    store = SlotStore([LIGHT], fresh, False, **options)
    store.reserve(10)
    return store


def test_a_key_has_no_slot_until_it_is_brought():
    store = made()
    assert store.is_there(np.array([FRESH, 1, 2])).tolist() == [True, False, False]
    store.bring(np.array([2]))
    assert store.is_there(np.array([1, 2])).tolist() == [False, True]
    assert store.slot(2).tobytes() == store.slot(FRESH).tobytes()
    store.forget(2)
    assert store.n_bytes() == 0


def test_a_slot_may_become_larger():
    store = made()
    store.bring(np.array([1]))
    before, scratch = store.n_bytes(), store.scratch
    store.put(1, store.grow_classes(1, store.content(1), [4, 2, 9]))
    assert store.content(1).classes == [4, 2, 9]
    assert store.content(1).state.n_outputs == 3
    assert store.n_bytes() > before
    assert store.scratch > scratch


def test_keys_that_were_not_used_for_longest_wait_in_the_file(tmp_path):
    size = len(made().slot(FRESH)) * 8
    store = made(memory=5 * size, path=tmp_path / "slots")
    for number in range(1, 8):
        store.bring(np.array([number]))
        content = store.content(number)
        content.state.counters["n_labelled"] = number
        store.put(number, content)
    waits = np.flatnonzero(store.facts[:8, ADDRESS] == SPILLED)
    assert waits.tolist() == list(range(1, 1 + len(waits)))
    assert len(waits) >= 3
    assert [store.content(number).state.n_labelled for number in range(1, 8)] == [*range(1, 8)]
    store.bring(np.array([1]))
    assert store.facts[1, ADDRESS] != SPILLED
    assert store.content(1).state.n_labelled == 1
    store.forget(2)
    store.close()
    assert not (tmp_path / "slots").exists()


def test_a_correction_of_two_classes_is_shared_between_them():
    grown = grown_correction(np.array([[2.0, -4.0]]), 3)
    assert grown.tolist() == [[-1.0, 2.0], [1.0, -2.0], [0.0, 0.0]]
    assert grown_correction(np.ones((1, 2)), 1).tolist() == [[1.0, 1.0]]
