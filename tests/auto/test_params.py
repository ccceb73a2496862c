"""AutoParams: what is refused, with name, value and rule."""

import math
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from mooe.auto.params import PARTS, AutoParams
from mooe.auto.roster import EXPERTS

REFUSED = [
    *(("task", value, "'classification', 'regression'") for value in ("ranking", None, 1)),
    *(("interval", value, "at least 2") for value in (1, 0, -1, 2.0, "5", True, None, math.nan)),
    *(("max_concepts", value, "at least 1") for value in (0, -3, 2.5, "many", False)),
    *(("seed", value, "at least 0") for value in (-1, 0.5, None)),
    ("seed", 2**63, "below 9223372036854775808"),
    ("without", ("memory",), "memory_plain"),
    *(("without", value, "must be a tuple of names") for value in (5, "merge", {"merge": 1})),
    *(("without", value, "must be one of") for value in (("merge", 5), [["merge"]], {"merge", 1})),
    ("without", ("hedge", "gradient"), "leave one of 'hedge' and 'gradient'"),
    ("without", EXPERTS, "leave one expert"),
]


@pytest.mark.parametrize(("name", "value", "rule"), REFUSED)
def test_a_wrong_value_is_refused_with_its_name_and_the_rule(name, value, rule):
    with pytest.raises(ValueError, match=name) as error:
        AutoParams(**{name: value})
    assert rule in str(error.value)


@pytest.mark.parametrize("part", PARTS)
def test_every_part_can_be_left_out(part):
    params = AutoParams(without=(part,))
    assert params.without == (part,)
    assert params != AutoParams()


def test_the_order_in_which_parts_are_named_does_not_matter():
    one = AutoParams(without=("merge", "hedge", "merge"))
    assert one == AutoParams(without=("hedge", "merge"))
    assert one.settings.tobytes() == AutoParams(without=("hedge", "merge")).settings.tobytes()


@pytest.mark.parametrize("kind", [list, set, frozenset, np.array])
def test_parts_may_be_named_in_any_collection(kind):
    params = AutoParams(without=kind(["merge", "hedge"]))
    assert params == AutoParams(without=("hedge", "merge"))
    assert {type(part) for part in params.without} == {str}


def test_numbers_of_numpy_become_those_of_python():
    params = AutoParams(interval=np.int64(7), max_concepts=np.int32(3), seed=np.uint8(4))
    assert [type(value) for value in (params.interval, params.max_concepts, params.seed)] == [
        int,
        int,
        int,
    ]


def test_they_are_frozen_and_travel():
    params = AutoParams("regression", interval=9, without=("merge",), seed=3)
    with pytest.raises(FrozenInstanceError):
        params.interval = 5
    assert params.settings["interval"][0] == 9
    again = pickle.loads(pickle.dumps(params))
    assert again == params
    assert again.settings.tobytes() == params.settings.tobytes()
