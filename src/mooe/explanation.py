"""What a model tells of itself: its experts, their votes, the regimes that it knows."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Expert:
    """One expert of the mixture.

    Attributes
    ----------
    name : str or None
        Of the default model: "adagrad", "memory_rich", ..., or as the user called an added one.
    kind : str
        Default model: "online" learns from every label, "memory" is a live copy of the concept in
        charge, "added" was fitted elsewhere. Paper: "offline" or "online".
    interval : int or None
        Paper: the interval it was fitted on, from 0; of the online expert the open one.
    samples : (int, int) or None
        Paper: first and last labelled sample of that interval, from 0; of the online expert those
        learnt so far, and last < first where there are none.
    weight : float
        Its share of the mixture now.
    """

    name: str | None
    kind: str
    interval: int | None
    samples: tuple[int, int] | None
    weight: float

    def facts(self) -> dict[str, Any]:
        """Return what is known of it, by name."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True)
class Concept:
    """A regime that the memory knows.

    Attributes
    ----------
    name : int
        From 1 in the order in which concepts were established; never given again.
    samples : int
        Labelled samples that it has learnt from.
    recognised : int
        Intervals in which it was recognised.
    first, last : int
        First and last labelled sample in its charge, counted from 0.
    visits : tuple of (int, int)
        The latest stretches in its charge, first and last sample, oldest first.
    in_charge : bool
    """

    name: int
    samples: int
    recognised: int
    first: int
    last: int
    visits: tuple[tuple[int, int], ...]
    in_charge: bool


@dataclass(frozen=True)
class Vote:
    """What one expert says of a sample.

    Attributes
    ----------
    expert : Expert
        Who it is; its weight is `expert.weight`.
    vote : label
        The class or value that it would answer alone.
    scores : tuple of float
        Its score, or one per class in the order of `classes_`.
    """

    expert: Expert
    vote: Any
    scores: tuple[float, ...]
