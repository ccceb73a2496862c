"""What the baselines check of the user's choices, beyond what `mooe.paper.params` checks."""

from typing import Any

from mooe.numerics.checks import check_rate

__all__ = ["check_classification", "check_number"]


def check_classification(method: str, task: str) -> None:
    """Raise ValueError for another task than classification."""
    if task != "classification":
        raise ValueError(f"task must be 'classification' for {method}, got {task!r}")


def check_number(name: str, value: Any) -> None:
    """Raise ValueError unless the value is a number of at least 0: there is no formula for None."""
    if value is None:
        raise ValueError(f"{name} must be a finite number of at least 0, got None")
    check_rate(name, value)
