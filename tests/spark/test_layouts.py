"""States as bytes, and states that another version of mooe laid out."""

import json

import numpy as np
import pytest

pytest.importorskip("pyspark")

from mooe.keyed.settings import params_of
from mooe.model import Model
from mooe.spark import layouts

LIGHT = params_of("light", "classification", False, 0)


@pytest.fixture(params=["light", "full", "paper"])
def model(request):
    model = Model(params_of(request.param, "classification", False, 0))
    X = np.random.default_rng(0).normal(size=(150, 3))
    model.learn(X, (X[:, 0] > 0.0).astype(float))
    return model


def older(model, leave_out=()):
    """Return bytes and description as of a version with another order, and a counter more."""
    params, state = model.params, model.state
    blob = layouts.to_bytes(params, state)
    about = json.loads(layouts.description(params, blob))
    size = state.counters.itemsize
    arrays, parts, at = [], [], 0
    for name, offset, kind, shape in reversed(about["arrays"]):
        if name not in leave_out:
            n = int(np.prod(shape)) * np.dtype(kind).itemsize
            arrays.append([name, at, kind, shape])
            parts.append(blob[size + offset : size + offset + n])
            at += n
    counters = [["gone_since", "<f8"], *reversed(about["counters"])]
    record = np.zeros(1, [tuple(one) for one in counters])
    for name in state.counters.dtype.names:
        record[name] = state.counters[name]
    described = json.dumps({"counters": counters, "arrays": arrays})
    return record.tobytes() + b"".join(parts), described


def test_a_state_goes_through_a_slot_bit_for_bit(model):
    params, blob = model.params, layouts.to_bytes(model.params, model.state)
    name = layouts.name_of(params, blob)
    assert layouts.is_own(params, blob, name)
    assert layouts.counters_of(params, blob)["n_labelled"][0] == 150
    assert layouts.of_slot(params, layouts.slot_of(params, blob, 2)) == (blob, name)


def test_arrays_in_another_order_are_found_by_their_names(model):
    params, (blob, described) = model.params, older(model)
    assert not layouts.is_own(params, blob, "another")
    again = Model(params)
    again.state = layouts.migrated(params, blob, described)
    assert layouts.to_bytes(params, again.state) == layouts.to_bytes(params, model.state)


def test_what_an_older_version_did_not_have_is_as_in_a_new_model(model):
    blob = layouts.to_bytes(model.params, model.state)
    about = json.loads(layouts.description(model.params, blob))
    fresh = model.engine.init(model.params, 3, 2)
    sizes = {name: view.shape for name, view in layouts._arrays(model.params, fresh)}
    name = [name for name, _, _, shape in about["arrays"] if sizes.get(name) == tuple(shape)][-1]
    state = layouts.migrated(model.params, *older(model, leave_out=(name,)))
    own, first = (dict(layouts._arrays(model.params, one)) for one in (state, fresh))
    before = dict(layouts._arrays(model.params, model.state))
    assert own[name].tolist() == first[name].tolist()
    for other in own.keys() - {name}:
        assert own[other].tobytes() == before[other].tobytes()


def test_bytes_of_other_sizes_are_not_taken_for_ones_own():
    assert not layouts.is_own(LIGHT, b"", "")
    size = layouts.Layouts["auto"].COUNTERS.itemsize
    assert not layouts.is_own(LIGHT, b"\xff" * size, "x")
