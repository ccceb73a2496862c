"""Choices that the baselines refuse."""

import pytest

from mooe.baselines.choices import check_classification, check_number


@pytest.mark.parametrize("value", [None, -1.0, float("nan"), "0.5", True])
def test_a_number_is_at_least_zero_and_not_none(value):
    with pytest.raises(ValueError, match="slope must be"):
        check_number("slope", value)
    check_number("slope", 0.0)


def test_another_task_is_refused_with_the_name_of_the_method():
    with pytest.raises(ValueError, match="task must be 'classification' for dtel, got 'ranking'"):
        check_classification("dtel", "ranking")
    check_classification("dtel", "classification")
