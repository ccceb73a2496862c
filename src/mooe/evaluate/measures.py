"""The measures: of each its key, name, unit, form, and which way is better; one table for all.

The terminal, JSON, reports and figures take from here what they call a measure and how they write
it. `mooe.evaluate.metrics` computes the values; a new measure is a formula there and a line here.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

# Models that learn next to nothing, the floor of every table: of classes, and of values.
TRIVIAL, TRIVIAL_OF_VALUES = ("no-change", "majority"), ("no-change", "mean")
TRIVIAL_NAMES = {*TRIVIAL, *TRIVIAL_OF_VALUES}
LABEL_UNIT = "unit of the label"  # of errors, where the user's is not known


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
    of_rare_class: bool = False  # whether it is about one class that is rare, or was named
    is_judged: bool = True  # whether one value is better than another; alarms may be many or few
    in_every_json: bool = False  # whether JSON has its key for every task, null where there is none
    reference: str = ""  # a trivial model, where it is the share of its errors that is avoided

    @property
    def scale(self) -> float:
        """What a value is multiplied by to be in the unit."""
        return 100.0 if self.is_share else 1.0

    @property
    def is_share(self) -> bool:
        """Whether it lies between 0 and 1 and is written in per cent; errors in per cent do not."""
        return self.unit == "%" and self.key not in _ERRORS

    @property
    def heading(self) -> str:
        """Name and unit, as on an axis or above a column."""
        return f"{self.name} ({self.unit})" if self.unit else self.name

    @property
    def has_own_unit(self) -> bool:
        """Whether it is an error in a unit of the user's, which is written beside every value."""
        return self.key in _ERRORS and self.unit != LABEL_UNIT

    def in_unit(self, unit: str) -> "Measure":
        """Return the same measure with the label's unit for errors, where it is known.

        >>> MEASURES["mae"].in_unit("kWh").heading, MEASURES["r2"].in_unit("kWh").heading
        ('MAE (kWh)', 'R2')
        """
        return replace(self, unit=unit) if unit and self.unit == LABEL_UNIT else self

    @property
    def difference_unit(self) -> str:
        """The unit of a difference of two values."""
        return {"%": "points", LABEL_UNIT: "units of the label"}.get(self.unit, self.unit)

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
        """Return a value with its percent sign or the user's unit, if it has one.

        >>> MEASURES["f1"].text(0.7361), MEASURES["log_loss"].text(0.7361)
        ('73.61 %', '0.736')
        >>> MEASURES["mae"].in_unit("°C").text(0.5)
        '0.5000 °C'
        """
        unit = f" {self.unit}" if self.unit == "%" or self.has_own_unit else ""
        return self.number(value, minus) + unit

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
_ERROR: Any = {"unit": LABEL_UNIT, "decimals": None, "higher_is_better": False}
_RARE: Any = {"in_tables": False, "of_rare_class": True}
_ALL = (
    Measure("accuracy", "accuracy", **_SHARE, in_every_json=True),
    Measure("kappa", "kappa", in_every_json=True),
    Measure("kappa_m", "kappa-M", reference="majority"),
    Measure("kappa_temporal", "kappa-T", reference="no-change"),
    Measure("precision", "macro precision", **_SHARE, in_tables=False),
    Measure("recall", "macro recall", **_SHARE, in_tables=False),
    Measure("f1", "macro F1", **_SHARE),
    Measure("log_loss", "log-loss", unit="nats", higher_is_better=False),
    Measure(
        "calibration_error", "calibration error", **_SHARE, higher_is_better=False, in_tables=False
    ),
    Measure("cost", "cost", decimals=None, higher_is_better=False, in_tables=False),
    Measure("average_precision", "average precision", **_RARE),
    Measure("rare_precision", "precision", **_SHARE, **_RARE),
    Measure("rare_recall", "recall", **_SHARE, **_RARE),
    Measure("rare_f1", "F1", **_SHARE, **_RARE),
    Measure("alarms_per_day", "alarms per day", decimals=2, **_RARE, is_judged=False),
    Measure("alarms_per_1000_rows", "alarms per 1,000 rows", decimals=2, **_RARE, is_judged=False),
    Measure("mae", "MAE", "regression", **_ERROR),
    Measure("median_error", "median error", "regression", **_ERROR),
    Measure("rmse", "RMSE", "regression", **_ERROR),
    Measure("r2", "R2", "regression"),
)
MEASURES = {measure.key: measure for measure in _ALL}
_ERRORS = {measure.key for measure in _ALL if measure.unit == LABEL_UNIT}


def trivial_models(task: str) -> tuple[str, str]:
    """Return the names of the models that learn next to nothing."""
    return TRIVIAL_OF_VALUES if task == "regression" else TRIVIAL


def main_measure(task: str, unit: str = "") -> Measure:
    """Return the measure that models are compared by: accuracy, in regression MAE."""
    return table_measures(task, unit)[0]


def headline_measure(results: Any) -> Measure:
    """Return the measure that a model is judged by first: its cost, where errors have costs."""
    is_priced = "cost" in results.cumulative
    return MEASURES["cost"] if is_priced else main_measure(results.task, results.unit)


def table_measures(task: str, unit: str = "") -> list[Measure]:
    """Return the columns of a table of models, the most important first; errors in the unit."""
    measures = [m for m in MEASURES.values() if m.task == task and m.in_tables]
    return [measure.in_unit(unit) for measure in measures]


def shown_measures(results: Sequence[Any]) -> list[Measure]:
    """Return the columns of a table of these models: the cost first, where errors have costs."""
    priced = [MEASURES["cost"]] if any("cost" in run.cumulative for run in results) else []
    return priced + table_measures(results[0].task, results[0].unit)


def rare_measures(results: Sequence[Any]) -> list[Measure]:
    """Return the measures that results have of a rare class; alarms by day where days are known."""
    known = {key for run in results for key in run.cumulative}
    left_out = "alarms_per_1000_rows" if "alarms_per_day" in known else ""
    return [
        measure
        for measure in MEASURES.values()
        if measure.of_rare_class and measure.key in known and measure.key != left_out
    ]


def unit_of(label: str) -> str:
    """Return the unit that the name of a label ends with in brackets, '' without one.

    >>> unit_of("temperature [°C]"), unit_of("load (kW)"), unit_of("price")
    ('°C', 'kW', '')
    """
    unit = re.search(r"[\[(]\s*([^\[\]()]{1,12}?)\s*[\])]\s*$", label)
    return unit[1] if unit else ""


def measure_of(results: Sequence[Any], key: str | None = None) -> Measure:
    """Return the measure of results that was asked for, or the one that they are compared by."""
    unit = next((run.unit for run in results if run.unit), "")
    if key is None:
        is_regression = any(run.task == "regression" for run in results)
        return main_measure("regression" if is_regression else "classification", unit)
    known = {measured for run in results for measured in run.cumulative}
    if key not in MEASURES or (known and key not in known):
        choices = ", ".join(other for other in MEASURES if other in known) or ", ".join(MEASURES)
        raise ValueError(f"measure must be one of {choices}, got {key!r}")
    return MEASURES[key].in_unit(unit)
