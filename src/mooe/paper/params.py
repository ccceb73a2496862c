"""What the user chooses: Params, checked once, and the record of settings made from it."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from mooe.numerics.checks import (
    check_choice,
    check_positive,
    check_rate,
    check_whole,
    is_number,
    make_plain,
)
from mooe.numerics.features import LARGEST_INPUT
from mooe.numerics.hedge import ANYTIME
from mooe.numerics.losses import LOSSES, declared_range, smoothness
from mooe.paper.layout import SETTINGS

REALS = ("radius", "input_bound", "pull", "online_rate", "meta_rate")
STARTS = ("warm", "reset", "random")
CHOICES = {
    "task": ("classification", "regression"),
    "loss": LOSSES,
    "priority": ("weight", "queue"),
    "start": STARTS,
    "step": ("corrected", "printed"),
}
FORMULA = -1.0  # in place of a rate: the paper's


@dataclass(frozen=True)
class Params:
    """What the user chooses; None stands for the paper's formula.

    Parameters
    ----------
    task : {"classification", "regression"}
    interval : int
        Labelled samples per interval (B), at least 1; at most 1000 where the state would hold more
        than 2**27 numbers (1 GiB).
    max_experts : int
        Experts kept, the online one included (K_max), at least 1; at most 1000 likewise.
    loss : {"squared", "logistic"}
        Regression takes the squared loss.
    priority : {"weight", "queue"}
        Who leaves when there are too many: the offline expert with the least final weight, or the
        oldest. The newest has the highest priority either way.
    start : {"warm", "reset", "random"}
        The online expert in a new interval: goes on, zeros, or random numbers from `seed`.
    radius : float
        Radius of the ball of experts (R), above 0.
    input_bound : float
        Bound on the norm of an input (D), above 0.
    pull : float or None
        Pull of a new offline expert towards the mixture (gamma); never below the paper's floor,
        which is what None takes.
    online_rate : float or None
        A constant step of the online expert instead of radius / sqrt(beta t).
    meta_rate : float, "anytime" or None
        A Hedge rate instead of 4 sqrt(ln K / interval); "anytime" is sqrt(8 ln K / t).
    step : {"corrected", "printed"}
        Numerator of the online step: the radius, or, as the paper prints it, the input bound.
    scale : bool
        Standardise inputs as they arrive, then shrink them to `input_bound` where they are longer.
        Without it inputs are taken as they are, and a longer one is an error.
    intercept : bool
        Append a constant 1 to the inputs.
    target_bounds : (float, float) or None
        Regression: bounds of the labels. None: those of the first interval in which two labels
        differ; later labels outside are learnt as the nearest bound.
    seed : int
        For start="random", from 0.
    """

    task: str = "classification"
    interval: int = 50
    max_experts: int = 25
    loss: str = "squared"
    priority: str = "weight"
    start: str = "warm"
    radius: float = 1.0
    input_bound: float = 1.0
    pull: float | None = None
    online_rate: float | None = None
    meta_rate: float | str | None = None
    step: str = "corrected"
    scale: bool = True
    intercept: bool = True
    target_bounds: tuple[float, float] | None = None
    seed: int = 0

    mode: ClassVar[str] = "paper"

    def __post_init__(self) -> None:
        make_plain(self)
        for name, choices in CHOICES.items():
            check_choice(name, getattr(self, name), choices)
        check_whole("interval", self.interval, 1)
        check_whole("max_experts", self.max_experts, 1)
        check_whole("seed", self.seed, 0, 2**63)
        check_positive("radius", self.radius)
        check_positive("input_bound", self.input_bound)
        for name in ("pull", "online_rate"):
            check_rate(name, getattr(self, name))
        if self.meta_rate != "anytime":
            check_rate("meta_rate", self.meta_rate)
        for name in ("scale", "intercept"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(
                    f"{name} must be one of [True, False], got {getattr(self, name)!r}"
                )
        if self.task == "regression" and self.loss != "squared":
            raise ValueError(f"loss must be 'squared' for regression, got {self.loss!r}")
        if self.target_bounds is not None:
            _check_bounds(self.target_bounds)
            low, high = self.target_bounds
            object.__setattr__(self, "target_bounds", (float(low), float(high)))
        for name in REALS:
            if isinstance(getattr(self, name), int):  # 2 and 2.0 are the same, in files too
                object.__setattr__(self, name, float(getattr(self, name)))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "settings"}

    @property
    def reach(self) -> float:
        """Bound on the norm of what the experts see: the input and, if there is one, the constant.

        This is the D of every formula.
        """
        return math.sqrt(self.input_bound**2 + 1.0) if self.intercept else self.input_bound

    @property
    def loss_range(self) -> float:
        """The largest loss over the ball and the inputs, by which every loss is divided."""
        return declared_range(self.loss, self.radius * self.reach)

    @property
    def smoothness(self) -> float:
        """Beta of the paper's Assumption 5, for the loss divided by its range."""
        return smoothness(self.loss, self.reach, self.radius)

    @property
    def remembers(self) -> bool:
        """Whether there is room for offline experts."""
        return self.max_experts > 1

    @property
    def sharpness(self) -> float:
        """What class scores are multiplied with before the softmax.

        For two classes the logistic loss gives its own link, 1 / (1 + exp(-s)).
        """
        return 0.5 if self.loss == "logistic" else 1.0

    @cached_property
    def settings(self) -> np.ndarray:
        """The record that compiled code reads."""
        numerator = self.radius if self.step == "corrected" else self.reach
        rate = {None: FORMULA, "anytime": ANYTIME}.get(self.meta_rate, self.meta_rate)  # type: ignore[arg-type]
        values = {
            **vars(self),
            "n_slots": self.max_experts - 1,
            "classify": self.task == "classification",
            "is_logistic": self.loss == "logistic",
            "by_weight": self.priority == "weight",
            "start": STARTS.index(self.start),
            "range": self.loss_range,
            "smoothness": self.smoothness,
            "pull": 0.0 if self.pull is None else self.pull,
            "online_rate": FORMULA if self.online_rate is None else self.online_rate,
            "first_step": numerator / math.sqrt(self.smoothness),
            "meta_rate": rate,
        }
        record = np.zeros(1, SETTINGS)  # the bytes between its fields are 0 too
        record[0] = tuple(values[name] for name in SETTINGS.names or ())
        return record


def _check_bounds(value: Any) -> None:
    """Raise ValueError unless the value is two finite numbers, the first smaller."""
    try:
        low, high = map(float, value if isinstance(value, (tuple, list)) else ())
        good = all(map(is_number, value)) and -LARGEST_INPUT <= low < high <= LARGEST_INPUT
    except (TypeError, ValueError, OverflowError):
        good = False
    if not good:
        raise ValueError(
            f"target_bounds must be None or (low, high), low < high, of size up to "
            f"{LARGEST_INPUT:g}, got {value!r}"
        )
