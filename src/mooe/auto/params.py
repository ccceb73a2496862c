"""What the user may choose of the default model, which is little: AutoParams."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from mooe.auto.experts import memory
from mooe.auto.layout import SETTINGS
from mooe.auto.roster import EXPERTS, ROSTER
from mooe.auto.targets import SHARPNESS
from mooe.numerics.arithmetic import padded
from mooe.numerics.checks import check_choice, check_whole, make_plain

# What can be left out, for an ablation: all experts, and parts of other things.
PARTS = (
    *ROSTER,
    *("early_switch", "merge", "hedge", "gradient", "fourier", "products", "sparse_columns"),
    "calibration",
)
MEMORIES = memory.NAMES
SPARSE_SHARE = 0.75


@dataclass(frozen=True)
class AutoParams:
    """The default model's parameters; none needs tuning.

    Parameters
    ----------
    task : {"classification", "regression"}
    interval : int
        Labelled samples per interval of the concept memories, at least 2; at most 1000 where the
        state would hold more than 2**27 numbers (1 GiB).
    max_concepts : int
        Concepts that each memory keeps, at least 1, at most 1000 likewise; the least recently
        recognised one leaves.
    without : tuple of str
        Parts to leave out, of PARTS.
    seed : int
        For all that is drawn, from 0: waves, products, trees, the rows of neighbours.

    Examples
    --------
    >>> AutoParams(max_concepts=6, without=("no_change",)).remembers
    True
    """

    task: str = "classification"
    interval: int = 40
    max_concepts: int = 12
    without: tuple[str, ...] = ()
    seed: int = 0

    mode: ClassVar[str] = "auto"
    sharpness: ClassVar[float] = SHARPNESS

    def __post_init__(self) -> None:
        make_plain(self)
        without = () if self.without is None else self.without
        if not isinstance(without, (tuple, list, set, frozenset)):
            raise ValueError(f"without must be a tuple of names of parts, got {without!r}")
        for part in without:
            check_choice("without", part, PARTS)
        object.__setattr__(self, "without", tuple(sorted(set(map(str, without)))))
        check_choice("task", self.task, ("classification", "regression"))
        check_whole("interval", self.interval, 2)
        check_whole("max_concepts", self.max_concepts, 1)
        check_whole("seed", self.seed, 0, 2**63)
        if {"hedge", "gradient"} <= set(self.without):
            raise ValueError("without must leave one of 'hedge' and 'gradient', got both")
        if set(EXPERTS) <= set(self.without):
            raise ValueError("without must leave one expert, got all of them")

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "settings"}

    @property
    def remembers(self) -> bool:
        """Whether there is a concept memory."""
        return not set(MEMORIES) <= set(self.without)

    @cached_property
    def settings(self) -> np.ndarray:
        """The record that compiled code reads."""
        values = {
            **{part: part not in self.without for part in PARTS},
            "interval": self.interval,
            "max_concepts": self.max_concepts,
            "n_slots": padded(self.max_concepts),
            "classify": self.task == "classification",
            "seed": self.seed,
            "sparse_share": 2.0 if "sparse_columns" in self.without else SPARSE_SHARE,
        }
        record = np.zeros(1, SETTINGS)  # the bytes between its fields are 0 too
        record[0] = tuple(values[name] for name in SETTINGS.names or ())
        return record
