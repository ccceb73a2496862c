"""The measures: of each its key, name, unit, form, and which way is better; one table for all.

The terminal, JSON, reports and figures take from here what they call a measure and how they write
it. `mooe.evaluate.metrics` computes the values; a new measure is a formula there and a line here.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

TRIVIAL = ("no-change", "majority")  # models that learn next to nothing: the floor of every table


@dataclass(frozen=True)
class Measure:
    """How a measure is called, written and compared."""

    key: str  # in `Results.cumulative`, results.json and the command's JSON
    name: str  # in tables, figures and sentences
    task: str = "classification"
    unit: str = ""  # a share is written in "%"
    decimals: int | None = 3  # in the unit; None: four significant digits
    higher_is_better: bool = True
    in_tables: bool = True  # whether tables of models have it, in the order of `MEASURES`
    in_every_json: bool = False  # whether JSON has its key for every task, null where there is none
    reference: str = ""  # one of `TRIVIAL`, where it is the share of its errors that is avoided

    @property
    def scale(self) -> float:
        """What a value is multiplied by to be in the unit."""
        return 100.0 if self.unit == "%" else 1.0

    @property
    def heading(self) -> str:
        """Name and unit, as on an axis or above a column."""
        return f"{self.name} ({self.unit})" if self.unit else self.name

    @property
    def difference_unit(self) -> str:
        """The unit of a difference of two values."""
        return {"%": "points", "unit of the label": "units of the label"}.get(self.unit, self.unit)

    def number(self, value: float, minus: str = "−") -> str:
        """Return a value in the unit, with thousands separators and, for pages, a true minus sign.

        >>> [MEASURES[key].number(-0.5) for key in ("accuracy", "kappa", "mae")]
        ['−50.00', '−0.500', '−0.5000']
        >>> MEASURES["r2"].number(-1e-9), MEASURES["mae"].number(12345.6)
        ('0.000', '12,346')
        """
        return self._written(value, value, minus)

    def _written(self, value: float, like: float, minus: str) -> str:
        """Return a value in the unit, with the decimals of another."""
        value, like = self.scale * value, self.scale * like
        decimals = _decimals(like) if self.decimals is None else self.decimals
        text = f"{value:.3e}" if decimals is None else f"{value:,.{decimals}f}"
        return text.replace("-", minus if text.strip("-0.") else "")

    def text(self, value: float, minus: str = "−") -> str:
        """Return a value with its percent sign, if it has one.

        >>> MEASURES["f1"].text(0.7361), MEASURES["log_loss"].text(0.7361)
        ('73.61 %', '0.736')
        """
        return self.number(value, minus) + (" %" if self.unit == "%" else "")

    def plain_text(self, value: float) -> str:
        """Return the same text for a terminal, which may have no true minus sign."""
        return self.text(value, "-")

    def gain(self, value: float, other: float) -> float:
        """Return by how much a value is better than another."""
        return value - other if self.higher_is_better else other - value

    def signed(self, gain: float, like: float, minus: str = "−") -> str:
        """Return a gain with its sign, and with the decimals of a value.

        >>> MEASURES["mae"].signed(0.5, like=25.25), MEASURES["accuracy"].signed(-0.5, like=0.1)
        ('+0.50', '−50.00')
        """
        return ("+" if gain > 0 else "") + self._written(gain, like, minus)

    def best(self, values: Iterable[float]) -> float:
        """Return the best of those values that are finite, NaN where there is none."""
        known = [value for value in values if math.isfinite(value)]
        return (max if self.higher_is_better else min)(known, default=math.nan)


def _decimals(value: float) -> int | None:
    """Return the decimals with which a number has four digits, None if it is too small or large.

    >>> [_decimals(value) for value in (0.25, 1234.56, 1e6 / 3, 1.23456e-9)]
    [4, 0, 0, None]
    """
    exponent = int(f"{value:.3e}".partition("e")[2]) if math.isfinite(value) else 0
    return max(0, 3 - exponent) if -5 <= exponent <= 8 else None


_SHARE: Any = {"unit": "%", "decimals": 2}
_ERROR: Any = {"unit": "unit of the label", "decimals": None, "higher_is_better": False}
_ALL = (
    Measure("accuracy", "accuracy", **_SHARE, in_every_json=True),
    Measure("kappa", "kappa", in_every_json=True),
    Measure("kappa_m", "kappa-M", reference="majority"),
    Measure("kappa_temporal", "kappa-T", reference="no-change"),
    Measure("precision", "precision", **_SHARE, in_tables=False),
    Measure("recall", "recall", **_SHARE, in_tables=False),
    Measure("f1", "F1", **_SHARE),
    Measure("log_loss", "log-loss", unit="nats", higher_is_better=False),
    Measure(
        "calibration_error", "calibration error", **_SHARE, higher_is_better=False, in_tables=False
    ),
    Measure("mae", "MAE", "regression", **_ERROR),
    Measure("rmse", "RMSE", "regression", **_ERROR),
    Measure("r2", "R2", "regression"),
)
MEASURES = {measure.key: measure for measure in _ALL}


def main_measure(task: str) -> Measure:
    """Return the measure that models are compared by: accuracy, in regression MAE."""
    return table_measures(task)[0]


def table_measures(task: str) -> list[Measure]:
    """Return the columns of a table of models, the most important first."""
    return [measure for measure in MEASURES.values() if measure.task == task and measure.in_tables]


def measure_of(results: Sequence[Any], key: str | None = None) -> Measure:
    """Return the measure of results that was asked for, or the one that they are compared by."""
    if key is None:
        is_regression = any(run.task == "regression" for run in results)
        return main_measure("regression" if is_regression else "classification")
    known = {measured for run in results for measured in run.cumulative}
    if key not in MEASURES or (known and key not in known):
        choices = ", ".join(other for other in MEASURES if other in known) or ", ".join(MEASURES)
        raise ValueError(f"measure must be one of {choices}, got {key!r}")
    return MEASURES[key]
