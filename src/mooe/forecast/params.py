"""What the user chooses of a forecaster: Params, checked once, and the settings made from it."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mooe.forecast.layout import SETTINGS
from mooe.numerics.checks import check_choice, check_whole, is_number

LONGEST = 100_000  # rows of a season, and steps of a horizon


@dataclass(frozen=True)
class Params:
    """What the user chooses.

    Parameters
    ----------
    horizon : int
        Steps that are forecast, at least 1.
    season : "auto", int or sequence of ints
        Rows of a season, the one that matters most first, of which two count; () for none. "auto":
        found while rows arrive, from the calendar where they have times.
    levels : sequence of numbers
        Bands that are followed, in percent, above 0 and below 100.
    memory : bool
        Whether regimes are remembered.
    """

    horizon: int = 24
    season: str | tuple[int, ...] = "auto"
    levels: tuple[float, ...] = (80, 95)
    memory: bool = True

    def __post_init__(self) -> None:
        horizon = int(self.horizon) if isinstance(self.horizon, np.integer) else self.horizon
        check_whole("horizon", horizon, 1, LONGEST)
        object.__setattr__(self, "horizon", horizon)
        object.__setattr__(self, "season", _season(self.season))
        object.__setattr__(self, "levels", _levels(self.levels))
        check_choice("memory", self.memory, (True, False))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "settings"}

    @cached_property
    def probabilities(self) -> np.ndarray:
        """The quantiles that are followed, (2 x levels,): lower ones, then upper ones."""
        outside = (1.0 - np.array(self.levels, np.float64) / 100.0) / 2.0
        return np.concatenate([outside, 1.0 - outside])

    @cached_property
    def settings(self) -> np.ndarray:
        """The record that compiled code reads."""
        record = np.zeros(1, SETTINGS)
        record["horizon"], record["n_quantiles"] = self.horizon, 2 * len(self.levels)
        record["remembers"] = self.memory
        return record


def _season(season: Any) -> str | tuple[int, ...]:
    """Return a season as it is kept: "auto" or a tuple of different whole numbers."""
    if isinstance(season, (str, bytes)):
        if season != "auto":
            raise ValueError(f"season must be 'auto', a whole number or several, got {season!r}")
        return season
    several = tuple(season) if isinstance(season, Iterable) else (season,) * (season is not None)
    chosen = tuple(int(one) if isinstance(one, np.integer) else one for one in several)
    for one in chosen:
        check_whole("season", one, 1, LONGEST)
    return tuple(dict.fromkeys(one for one in chosen if one > 1))


def _levels(levels: Any) -> tuple[float, ...]:
    """Return levels as they are kept: different numbers between 0 and 100, ascending."""
    chosen = tuple(levels) if isinstance(levels, Iterable) else (levels,) * (levels is not None)
    for level in chosen:
        check_level(level)
    plain = {int(level) if float(level).is_integer() else float(level) for level in chosen}
    return tuple(sorted(plain))


def check_level(level: Any) -> None:
    """Raise ValueError unless a level is a number of percent above 0 and below 100."""
    if not (is_number(level) and 0.0 < level < 100.0):
        raise ValueError(f"level must be a number above 0 and below 100, got {level!r}")
