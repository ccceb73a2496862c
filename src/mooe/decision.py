"""What is answered, and how much a row counts, where one class matters more than the others.

Weights of classes change what is learnt; a threshold changes what is answered, and nothing else:
probabilities stay as they are. Rows are decided one by one in plain Python, so that a chunk gives
the bits of its rows.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mooe.labels import Label, as_label
from mooe.numerics.checks import is_number
from mooe.numerics.features import LARGEST_WEIGHT
from mooe.numerics.scores import Scored

NAMES = ("class_weight", "threshold", "positive")  # the parameters of a shell that make a Decision
STEP = 0.2  # nats by which an alarm raises the level, and rows without one lower it together
FARTHEST = 1e6  # nats: a level that no stream leads to


@dataclass(frozen=True)
class Tally:
    """What a decision has to remember of the rows that were learnt."""

    level: float = 0.0  # log-odds above which the positive class is answered, by alarm_rate
    counts: tuple[int, ...] = ()  # rows of each class, by "balanced"


@dataclass(frozen=True)
class Decision:
    """Which rows count more, and when the positive class is answered.

    Parameters
    ----------
    class_weight : None, "balanced" or dict of label to weight
        What the rows of a class count more than others, in every loss and gradient. "balanced":
        rows so far / (classes so far * rows of this class so far), this row included. A label that
        is not in the dict has the weight 1.
    threshold : None, float, or dict
        The probability above which the positive class is answered, between 0 and 1; else the most
        likely other class is. {"cost": (false_alarm, miss)} is the threshold that costs least,
        false_alarm / (false_alarm + miss). {"alarm_rate": share}: a threshold that follows the
        probabilities of the rows that are learnt, so that about this share of rows is answered
        positive. None: the most likely class is answered.
    positive : label, optional
        The positive class; by default the second of two in sorted order. Of three classes or more
        it has to be named.

    Examples
    --------
    >>> Decision(threshold={"cost": (1, 99)}).level
    -4.59511985013459
    """

    class_weight: Any = None
    threshold: Any = None
    positive: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "class_weight", _checked_weights(self.class_weight))
        object.__setattr__(self, "threshold", _checked_threshold(self.threshold))
        if self.positive is not None:
            object.__setattr__(self, "positive", as_label(self.positive, name="positive"))

    @property
    def is_needed(self) -> bool:
        """Whether anything differs from what a model does without it."""
        return self.class_weight is not None or self.threshold is not None

    @property
    def remembers(self) -> bool:
        """Whether rows that are learnt leave something in the tally."""
        return self.class_weight == "balanced" or self.alarm_rate is not None

    @property
    def alarm_rate(self) -> float | None:
        """The share of rows to be answered positive, None where a threshold says which."""
        if not isinstance(self.threshold, dict):
            return None
        rate: float | None = self.threshold.get("alarm_rate")
        return rate

    @property
    def costs(self) -> tuple[float, float] | None:
        """The costs of a false alarm and of a miss, None where no threshold goes by them."""
        given = self.threshold.get("cost") if isinstance(self.threshold, dict) else None
        return None if given is None else (given[0], given[1])

    @property
    def level(self) -> float:
        """The log-odds of the threshold; of an alarm rate those that it begins with."""
        if isinstance(self.threshold, dict):
            ((kind, value),) = self.threshold.items()
            share = value if kind == "alarm_rate" else value[0] / (value[0] + value[1])
        else:
            share = 0.5 if self.threshold is None else self.threshold
        return math.log(share / (1.0 - share))

    def first_tally(self) -> Tally:
        """Return the tally before the first row."""
        return Tally(self.level if self.alarm_rate is not None else 0.0)

    def check_classes(self, names: Sequence[Label]) -> None:
        """Raise ValueError where it is not clear which of the classes is the positive one.

        Others may come yet, but texts do not become numbers.
        """
        if self.threshold is not None and self.positive is None and len(names) > 2:
            raise ValueError(
                "positive must name the class that threshold is about where there are more than "
                f"two; these are {', '.join(map(repr, names[:8]))}"
            )
        for name, label in self._labels():
            if names and isinstance(label, str) != isinstance(names[0], str):
                raise ValueError(
                    f"{name} must be like the labels, such as {names[0]!r}, got {label!r}"
                )

    def check_all_classes(self, names: Sequence[Label]) -> None:
        """Raise ValueError for a label that is none of the classes, which are all there are."""
        for name, label in self._labels():
            if label not in names:
                known = ", ".join(map(repr, sorted(names)[:8]))
                raise ValueError(f"{name} must be one of the labels ({known}), got {label!r}")

    def _labels(self) -> list[tuple[str, Label]]:
        """Return the labels that it is about, each with the name of its parameter."""
        weighed = self.class_weight if isinstance(self.class_weight, dict) else {}
        labels = [("class_weight", label) for label in weighed]
        return labels if self.positive is None else [("positive", self.positive), *labels]

    def number_of_positive(self, names: Sequence[Label]) -> int | None:
        """Return the number of the positive class, None while it is not known."""
        if self.threshold is None:
            return None
        if self.positive is not None:
            return names.index(self.positive) if self.positive in names else None
        return names.index(sorted(names)[1]) if len(names) == 2 else None

    def weights(
        self, names: Sequence[Label], y: list[float], weights: list[float], tally: Tally
    ) -> tuple[list[float], Tally]:
        """Return the weights of rows, and the tally that has counted them; NaN is no label."""
        if self.class_weight is None:
            return weights, tally
        if self.class_weight != "balanced":
            table = [self.class_weight.get(name, 1.0) for name in names]
            found = [w if n != n else w * table[int(n)] for n, w in zip(y, weights, strict=True)]
            return [min(weight, LARGEST_WEIGHT) for weight in found], tally
        counts, total, weighed = list(tally.counts), sum(tally.counts), []
        n_classes = sum(count > 0 for count in counts)
        for number, weight in zip(y, weights, strict=True):
            if number == number and weight > 0.0:
                k = int(number)
                counts += [0] * (k + 1 - len(counts))
                n_classes += counts[k] == 0
                counts[k] += 1
                total += 1
                weight = min(weight * (total / (n_classes * counts[k])), LARGEST_WEIGHT)
            weighed.append(weight)
        return weighed, Tally(tally.level, tuple(counts))

    def answers(
        self,
        params: Scored,
        positive: int | None,
        scores: list[list[float]],
        tally: Tally,
        learnt: Sequence[bool] | None = None,
    ) -> tuple[list[int], Tally]:
        """Return the number of the class that each row is answered with, -1 before any label.

        And the tally that has followed the rows which are learnt after they are answered.
        """
        rate, level = self.alarm_rate, tally.level
        fixed = level if rate is not None else self.level
        chosen = []
        for i, row in enumerate(scores):
            odds = None if positive is None else log_odds(params, row, positive)
            if odds is None:
                chosen.append(_likeliest(row))
                continue
            alarm = odds > fixed
            chosen.append(positive if alarm else _likeliest(row, positive))  # type: ignore[arg-type]
            if rate is not None and learnt is not None and learnt[i]:
                level = fixed = level + STEP * (alarm - rate)
        return chosen, Tally(level, tally.counts)

    def to_json(self, tally: Tally) -> dict[str, Any]:
        """Return what a file keeps of it."""
        weight = self.class_weight
        return {
            "class_weight": [*map(list, weight.items())] if isinstance(weight, dict) else weight,
            "threshold": self.threshold,
            "positive": self.positive,
            "level": tally.level,
            "counts": list(tally.counts),
        }


def of_json(value: dict[str, Any]) -> tuple[Decision, Tally]:
    """Return what `to_json` was called on, or raise ValueError."""
    weight = value["class_weight"]
    weight = dict(weight) if isinstance(weight, list) else weight
    decision = Decision(weight, value["threshold"], value["positive"])
    level, counts = value["level"], value["counts"]
    if not (isinstance(level, float) and abs(level) <= FARTHEST):
        raise ValueError(f"level must be a number of size up to {FARTHEST:g}, got {level!r}")
    if not all(type(count) is int and 0 <= count < 2**53 for count in counts):
        raise ValueError(f"counts must be whole numbers of at least 0, got {counts!r}")
    return decision, Tally(level, tuple(counts))


def log_odds(params: Scored, scores: list[float], positive: int) -> float | None:
    """Return the log-odds of a class; None where it, or every other class, is not known yet.

    >>> from mooe.auto.params import AutoParams
    >>> log_odds(AutoParams(), [0.25], 1), log_odds(AutoParams(), [-0.25, 0.25, -math.inf], 0)
    (1.0, -1.0)
    """
    sharpness = params.sharpness
    if len(scores) == 1:
        single = scores[0]
        if positive > 1 or not abs(single) < math.inf:
            return None
        return 2.0 * sharpness * (single if positive == 1 else -single)
    if positive >= len(scores):
        return None
    own = scores[positive]
    others = [score for k, score in enumerate(scores) if k != positive]
    top = max(others)
    if not (abs(own) < math.inf and abs(top) < math.inf):
        return None
    rest = sum(math.exp(sharpness * (score - top)) for score in others)
    return sharpness * (own - top) - math.log(rest)


def _likeliest(scores: list[float], left_out: int | None = None) -> int:
    """Return the class of the largest score, the first among equals; -1 before any label."""
    if scores[0] != scores[0]:
        return -1
    if len(scores) == 1:
        return int(scores[0] > 0.0) if left_out is None else 1 - left_out
    places = [k for k in range(len(scores)) if k != left_out]
    return max(places, key=scores.__getitem__)


def _checked_weights(value: Any) -> Any:
    """Return weights of classes as Python's own values, or raise ValueError."""
    if value is None or (isinstance(value, str) and value == "balanced"):
        return value
    if not isinstance(value, Mapping):
        raise ValueError(
            f"class_weight must be None, 'balanced' or a dict of label to weight, got {value!r}"
        )
    weights = {}
    for label, weight in value.items():
        if not (is_number(weight) and 0.0 < float(weight) <= LARGEST_WEIGHT):
            raise ValueError(
                f"class_weight must hold numbers above 0, at most {LARGEST_WEIGHT:g}, "
                f"got {weight!r} for {label!r}"
            )
        weights[as_label(label, name="class_weight")] = float(weight)
    return weights


def _checked_threshold(value: Any) -> Any:
    """Return a threshold as Python's own values, or raise ValueError."""
    if value is None:
        return None
    if is_number(value):
        _check_share("threshold", value)
        return float(value)
    if not (
        isinstance(value, Mapping) and len(value) == 1 and set(value) <= {"cost", "alarm_rate"}
    ):
        raise ValueError(
            "threshold must be None, a probability, {'cost': (false_alarm, miss)} or "
            f"{{'alarm_rate': share}}, got {value!r}"
        )
    ((kind, given),) = value.items()
    if kind == "alarm_rate":
        _check_share("threshold['alarm_rate']", given)
        return {kind: float(given)}
    pair = tuple(given) if isinstance(given, Sequence) and not isinstance(given, str) else ()
    if len(pair) != 2 or not all(is_number(one) and 0.0 < one < math.inf for one in pair):
        raise ValueError(
            f"threshold['cost'] must be two finite numbers above 0, false alarm and miss, "
            f"got {given!r}"
        )
    costs = float(pair[0]), float(pair[1])
    _check_share("threshold['cost'], of its sum the first,", costs[0] / (costs[0] + costs[1]))
    return {kind: costs}


def _check_share(name: str, value: Any) -> None:
    """Raise ValueError unless the value lies between 0 and 1."""
    if not (is_number(value) and 0.0 < value < 1.0):
        raise ValueError(f"{name} must be above 0 and below 1, got {value!r}")
