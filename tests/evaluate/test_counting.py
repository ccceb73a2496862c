"""Counts of answers: who leads, however the labels are cut; odd answers do no harm."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mooe.evaluate.counting import BINS, CLASSES, LOG_LOSS, SEEN, count_classes, leaders, with_room


@settings(deadline=None)
@given(st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0, np.nan]), max_size=60), st.integers(1, 7))
def test_the_leader_does_not_depend_on_chunks(labels, size):
    y = np.array(labels)
    known = [y[:i][~np.isnan(y[:i])].astype(int) for i in range(len(y))]
    expected = [int(np.bincount(some).argmax()) if len(some) else -1 for some in known]
    naive, found = None, []
    for at in range(0, len(y), size):
        leader, naive = leaders(y[at : at + size], naive)
        found += leader.tolist()
    assert found == expected


def test_room_for_more_classes_keeps_what_was_seen():
    _, naive = leaders(np.array([1.0, 1.0, 0.0]), None)
    larger = with_room(naive, 4)
    assert larger[SEEN:].tolist() == [1, 2, 0, 0]
    assert with_room(larger, 2).tolist() == larger.tolist()


@pytest.mark.parametrize("sure", [np.nan, -1.0, 0.0, 1.0, 7.0])
def test_a_probability_that_is_none_stays_inside_the_counts(sure):
    counts = np.zeros((1, CLASSES + 6))
    count_classes(
        np.array([0.0]), np.array([0]), np.array([[sure, 0.0]]), 0, 10, with_room(None, 2), counts
    )
    assert counts[0, BINS:CLASSES:3].sum() == 1
    assert np.isfinite(counts[0, LOG_LOSS])


def test_a_class_without_column_of_probabilities_had_none():
    counts = np.zeros((1, CLASSES + 9))
    count_classes(
        np.array([2.0]), np.array([2]), np.array([[0.6, 0.4]]), 0, 10, with_room(None, 3), counts
    )
    assert counts[0, LOG_LOSS] == pytest.approx(-np.log(1e-15))
    assert counts[0, CLASSES + 6 :].tolist() == [1, 1, 1]
