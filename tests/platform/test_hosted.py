"""A model of a platform in memory; loading and replay are shown in test_platform."""

import pytest

from mooe.auto.params import AutoParams
from mooe.model import Model
from mooe.platform.creation import new_model
from mooe.platform.hosted import Hosted, Settings, seqs_of
from mooe.platform.learner import Learner
from mooe.platform.lesson import LAST, Lesson
from mooe.platform.rows import row_of
from mooe.platform.store import Rollback


def hosted(width=None):
    stored = new_model("m", "classification", {}, Settings())
    stored.width = width
    return Hosted(stored, Learner(Model(AutoParams())), 0, None)


@pytest.mark.parametrize("value", [-1, "soon", True, float("nan"), 1e11])
def test_times_of_settings_are_seconds(value):
    for name in ("expire_after", "keep_inputs"):
        with pytest.raises(ValueError, match=f"{name} must be None or seconds from 0 to 1"):
            Settings(**{name: value})


def test_the_first_row_says_what_rows_look_like():
    assert hosted().check_rows([row_of({"a": 1})]) == 0
    assert hosted().check_rows([row_of([1, 2])]) == 2
    with pytest.raises(ValueError, match="as before; got a dict in row 1"):
        hosted().check_rows([row_of([1, 2]), row_of({"a": 1})])


def test_a_list_stands_for_the_columns_of_a_model_that_has_names():
    model = hosted(0)
    model.learn(Lesson([1], [row_of({"a": 1, "b": 2})], ["yes"], [LAST]))
    assert model.named([row_of([3, 4])]) == [row_of({"a": 3, "b": 4})]
    with pytest.raises(ValueError, match="x must be a dict of numbers by name, as before"):
        model.check_rows([row_of([3, 4, 5])])


@pytest.mark.parametrize(
    ("gaps", "expected"),
    [
        ([], {0: 3, 6: 9, 9: 12}),
        ([(8, 11)], {2: 2, 6: 6, 8: 8, 9: 12} | {}),
        ([(2, 5), (8, 10)], {5: 6, 7: 8, 9: 12, 8: 11}),
        ([(5, 6), (3, 9)], {9: 12, 7: 10, 6: 3}),
    ],
)
def test_samples_of_a_model_are_found_among_the_rows_that_count(gaps, expected):
    rollbacks = [Rollback(1, after, until, 0) for after, until in gaps]
    n_labelled = 10
    void = {seq for after, until in gaps for seq in range(after + 1, until + 1)}
    counting = [seq for seq in range(1, 13) if seq not in void]
    by_hand = {n_labelled - 1 - k: seq for k, seq in enumerate(reversed(counting))}
    found = seqs_of(range(10), n_labelled, 12, rollbacks, 0)
    assert found == {sample: seq for sample, seq in by_hand.items() if sample >= 0}
    assert expected.items() <= found.items()
