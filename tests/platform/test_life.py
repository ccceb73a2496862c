"""The life of a prediction: every status and every label."""

from itertools import product

import pytest

from mooe.platform.life import Kind, Result, Status, on_expiry, on_label, same_label


@pytest.mark.parametrize(
    ("status", "is_correction", "late", "same", "result"),
    [
        *(
            (status, c, late, same, "learned")
            for status, c, late, same in product(
                (Status.PENDING, Status.WITHDRAWN), (False, True), (False, True), (False, True)
            )
        ),
        *((Status.LEARNT, c, late, True, "duplicate") for c in (0, 1) for late in (0, 1)),
        *((Status.LEARNT, True, late, False, "learned") for late in (0, 1)),
        *((Status.LEARNT, False, late, False, "conflict") for late in (0, 1)),
        *((Status.DEFAULTED, c, late, True, "duplicate") for c in (0, 1) for late in (0, 1)),
        (Status.DEFAULTED, False, False, False, "expired"),
        (Status.DEFAULTED, False, True, False, "learned"),
        (Status.DEFAULTED, True, False, False, "learned"),
        (Status.EXPIRED, False, False, False, "expired"),
        (Status.EXPIRED, True, False, False, "learned"),
        (Status.EXPIRED, False, True, False, "learned"),
    ],
)
def test_what_a_label_does(status, is_correction, late, same, result):
    step = on_label(status, "yes", "yes" if same else "no", is_correction, late)
    assert step.result == result
    assert (step.kind is None) == (step.result is not Result.LEARNED)
    assert step.status == (Status.LEARNT if step.kind is not None else None)


def test_only_what_replaces_a_label_is_a_correction():
    assert on_label(Status.LEARNT, "a", "b", True, False).kind is Kind.CORRECTION
    assert on_label(Status.DEFAULTED, "a", "b", False, True).kind is Kind.CORRECTION
    assert on_label(Status.EXPIRED, None, "b", True, False).kind is Kind.LABEL


def test_waiting_ends_with_the_default_label_or_without_any():
    assert on_expiry(True) == (Status.DEFAULTED, Kind.DEFAULT)
    assert on_expiry(False) == (Status.EXPIRED, None)


def test_truth_values_are_no_numbers():
    assert not same_label(True, 1)
    assert same_label(2, 2.0)
    assert not same_label("2", 2)
