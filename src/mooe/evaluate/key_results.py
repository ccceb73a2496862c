"""How well the keys of a stream were answered: by key, by age, along the stream; their regimes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mooe.evaluate.measures import Measure, main_measure
from mooe.labels import is_given

N_WINDOWS = 60  # along the stream, about
ENOUGH = 10  # judged rows of a key whose measure is compared with others
ALIKE = 0.9  # cosine of the weights of two regimes that are one across keys
MOST_FAMILIES = 60  # regimes, the longest first, that those of other keys are compared with


@dataclass(frozen=True)
class KeyRegime:
    """A regime of one key.

    visits: first and last row of each stretch in it, among the key's rows with a label. weights:
    what makes a class, or a value, up in it, by class; None where nobody kept the model.
    """

    name: int
    visits: tuple[tuple[int, int], ...]
    weights: dict[Any, np.ndarray] | None = None


@dataclass(frozen=True)
class Family:
    """Regimes that are alike, of several keys: one that comes back across keys."""

    keys: tuple[str, ...]
    returns: int  # times that a key went back to it
    n_returning: int  # keys that did
    rows: int
    weights: dict[Any, np.ndarray]


@dataclass
class KeyedResults:
    """What was counted of a run over a keyed stream.

    Arrays by key are in the order in which keys came. `total` and `no_change` count right answers,
    in regression they sum absolute errors: of the models, and of repeating the key's last label.
    Where a key has none yet, repeating is wrong; in regression it is as far off as the model.
    """

    stream: str
    key: str
    label: str = ""
    task: str = "classification"
    unit: str = ""
    seed: int = 0
    rows: int = 0
    inputs: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    n_rows: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    judged: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    total: np.ndarray = field(default_factory=lambda: np.zeros(0))
    no_change: np.ndarray = field(default_factory=lambda: np.zeros(0))
    ages: list[list[float]] = field(default_factory=list)  # judged, total, no_change by log2 of age
    regimes: dict[str, list[KeyRegime]] = field(default_factory=dict)
    origin: dict[str, str] = field(default_factory=dict)
    shared: str = "nothing shared"  # what new keys start from, in words
    seconds: float = 0.0
    _last: list[Any] = field(default_factory=list, repr=False)  # the last label of each key
    _numbers: dict[Any, int] = field(default_factory=dict, repr=False)
    _keys: list[np.ndarray] = field(default_factory=list, repr=False)  # of rows with a label
    _rows: list[np.ndarray] = field(default_factory=list, repr=False)
    _scores: list[np.ndarray] = field(default_factory=list, repr=False)  # judged rows: row, value

    @property
    def measure(self) -> Measure:
        """What keys are judged by."""
        return main_measure(self.task, self.unit)

    @property
    def value(self) -> float:
        """The measure over all judged rows."""
        return _mean(self.total.sum(), self.judged.sum())

    def add(self, keys: np.ndarray, labels: Sequence[Any], answers: Sequence[Any]) -> None:
        """In place: rows in their order: key, label (None for none) and answer (None for none)."""
        numbers = self._numbered(keys)
        n = len(numbers)
        age = self.n_rows[numbers] + _before(numbers)
        labelled, judged = np.zeros(n, bool), np.zeros(n, bool)
        value, trivial = np.zeros(n), np.zeros(n)
        for at, (number, label, answer) in enumerate(
            zip(numbers.tolist(), labels, answers, strict=True)
        ):
            if not is_given(label):
                continue
            labelled[at], before = True, self._last[number]
            if is_given(answer):
                judged[at] = True
                value[at] = trivial[at] = self._score(label, answer)
                if before is not None or self.task == "classification":
                    trivial[at] = self._score(label, before)
            self._last[number] = label
        np.add.at(self.n_rows, numbers, 1)
        np.add.at(self.judged, numbers, judged)
        np.add.at(self.total, numbers, value)
        np.add.at(self.no_change, numbers, trivial)
        bins = np.log2(age + 1.0).astype(np.int64)
        for at in np.unique(bins[judged]).tolist():
            while len(self.ages) <= at:
                self.ages.append([0.0, 0.0, 0.0])
            here = judged & (bins == at)
            for place, counted in enumerate((here.sum(), value[here].sum(), trivial[here].sum())):
                self.ages[at][place] += float(counted)
        rows = self.rows + np.arange(n)
        self._keys.append(numbers[labelled])
        self._rows.append(rows[labelled])
        self._scores.append(np.stack([rows[judged], value[judged]]))
        self.rows += n

    def _score(self, label: Any, answer: Any) -> float:
        """Return whether an answer is right, or how far off it is."""
        if self.task == "regression":
            return abs(float(label) - float(answer))
        return float(label == answer)

    def _numbered(self, keys: np.ndarray) -> np.ndarray:
        """In place: return the numbers of keys, new ones behind the others."""
        found, first, inverse = np.unique(keys.astype(str), return_index=True, return_inverse=True)
        new = [name for name in found[np.argsort(first)].tolist() if name not in self._numbers]
        for name in new:
            self._numbers[name] = len(self.names)
            self.names.append(name)
        self._last += [None] * len(new)
        for array in ("n_rows", "judged", "total", "no_change"):
            grown = getattr(self, array)
            setattr(self, array, np.append(grown, np.zeros(len(new), grown.dtype)))
        table = np.array([self._numbers[name] for name in found.tolist()], np.int64)
        numbers: np.ndarray = table[inverse.ravel()]
        return numbers

    def by_key(self) -> np.ndarray:
        """Return the measure of each key, NaN for those with too few judged rows."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.judged >= ENOUGH, self.total / self.judged, np.nan)

    def worst(self, n: int) -> list[int]:
        """Return the numbers of the keys that were answered worst, the worst first."""
        value = self.by_key()
        known = np.flatnonzero(~np.isnan(value))
        sign = 1.0 if self.measure.higher_is_better else -1.0
        order = np.lexsort((-self.judged[known], sign * value[known]))
        return [int(at) for at in known[order][:n]]

    def by_age(self) -> list[tuple[int, int, float, float, int]]:
        """Return by age: its first and last row, measure, that of no-change, and judged rows."""
        return [
            (2**at, 2 ** (at + 1) - 1, total / n, trivial / n, int(n))
            for at, (n, total, trivial) in enumerate(self.ages)
            if n
        ]

    def windows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return window by window: last row, measure, keys that changed their regime."""
        size = max(1, -(-self.rows // N_WINDOWS))
        n = -(-self.rows // size)
        rows, values = np.concatenate([np.zeros((2, 0)), *self._scores], axis=1)
        place = (rows // size).astype(np.int64)
        judged, total = np.bincount(place, minlength=n), np.bincount(place, values, minlength=n)
        changed = np.zeros(n, np.int64)
        np.add.at(changed, self.changes() // size, 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = np.where(judged > 0, total / judged, np.nan)
        return np.minimum((1 + np.arange(n)) * size, self.rows), value, changed

    def changes(self) -> np.ndarray:
        """Return the rows of the stream at which a key changed its regime, in order."""
        keys = np.concatenate([np.zeros(0, np.int64), *self._keys])
        rows = np.concatenate([np.zeros(0, np.int64), *self._rows])
        order = np.argsort(keys, kind="stable")
        begin = np.searchsorted(keys[order], np.arange(len(self.names) + 1))
        found: list[int] = []
        for name, regimes in self.regimes.items():
            first, end = begin[self._numbers[name]], begin[self._numbers[name] + 1]
            starts = sorted(start for regime in regimes for start, _ in regime.visits)[1:]
            found += [int(rows[order[first + at]]) for at in starts if first + at < end]
        return np.array(sorted(found), np.int64)

    def drifts(self) -> list[tuple[str, int, int]]:
        """Return the keys that changed their regime: how often, and how often they went back."""
        found = []
        for name, regimes in self.regimes.items():
            visits = sum(len(regime.visits) for regime in regimes)
            back = sum(max(0, len(regime.visits) - 1) for regime in regimes)
            if visits > 1:
                found.append((name, visits - 1, back))
        return sorted(found, key=lambda one: (-one[1], -one[2], self._numbers[one[0]]))

    def families(self) -> list[Family]:
        """Return regimes that are alike in several keys, those of most keys first."""
        told = [
            (name, regime)
            for name, regimes in self.regimes.items()
            for regime in regimes
            if regime.weights
        ]
        told.sort(key=lambda one: -_length(one[1]))
        groups: list[list[tuple[str, KeyRegime]]] = []
        heads: list[dict[Any, np.ndarray]] = []
        for name, regime in told:
            weights = regime.weights or {}
            alike = [_cosine(weights, head) for head in heads]
            if alike and max(alike) >= ALIKE:
                groups[int(np.argmax(alike))].append((name, regime))
            elif len(heads) < MOST_FAMILIES:
                groups.append([(name, regime)])
                heads.append(weights)
        families = [_family(group, head) for group, head in zip(groups, heads, strict=True)]
        shared = [family for family in families if len(family.keys) > 1]
        return sorted(shared, key=lambda family: (-len(family.keys), -family.rows))

    def summary(self, most: int = 20) -> dict[str, Any]:
        """Return what JSON has of it; lists of keys are cut to `most`."""
        measure, value = self.measure.key, self.by_key()
        drifts, spread = self.drifts(), self.spread()
        return {
            "stream": self.stream,
            "key": self.key,
            "task": self.task,
            "rows": self.rows,
            "judged": int(self.judged.sum()),
            "keys": len(self.names),
            measure: _plain(self.value),
            "no_change": _plain(_mean(self.no_change.sum(), self.judged.sum())),
            "of_keys": dict(
                zip(("lower_quartile", "median", "upper_quartile"), spread, strict=True)
            ),
            "worst": [
                {"key": self.names[at], "rows": int(self.n_rows[at]), measure: _plain(value[at])}
                for at in self.worst(most)
            ],
            "by_age": [
                dict(zip(("first", "last", measure, "no_change", "judged"), age, strict=True))
                for age in self.by_age()
            ],
            "drifting_keys": len(drifts),
            "returning_keys": sum(back > 0 for _, _, back in drifts),
            "drifts": [
                dict(zip(("key", "changes", "returns"), drift, strict=True))
                for drift in drifts[:most]
            ],
            "shared_regimes": [
                {"keys": len(family.keys), "rows": family.rows, "returns": family.returns}
                for family in self.families()[:most]
            ],
            "seconds": self.seconds,
            "seed": self.seed,
        }

    def spread(self) -> list[float | None]:
        """Return the quartiles of the keys' measures."""
        known = self.by_key()
        known = known[~np.isnan(known)]
        if not len(known):
            return [None, None, None]
        return [float(part) for part in np.quantile(known, (0.25, 0.5, 0.75))]


def regimes_of_rows(regimes: Sequence[int | None]) -> list[KeyRegime]:
    """Return the regimes of a key from that of each of its rows with a label, in order.

    >>> [(regime.name, regime.visits) for regime in regimes_of_rows([None, 1, 1, 2, 1])]
    [(1, ((1, 2), (4, 4))), (2, ((3, 3),))]
    """
    visits: dict[int, list[tuple[int, int]]] = {}
    for first, last, name in _stretches(regimes):
        if name is not None:
            visits.setdefault(name, []).append((first, last))
    return [KeyRegime(name, tuple(found)) for name, found in sorted(visits.items())]


def _stretches(values: Sequence[Any]) -> Iterator[tuple[int, int, Any]]:
    """Yield first and last place of each stretch of equal values, and the value."""
    first = 0
    for at in range(1, len(values) + 1):
        if at == len(values) or values[at] != values[first]:
            yield first, at - 1, values[first]
            first = at


def _before(numbers: np.ndarray) -> np.ndarray:
    """Return how many equal numbers come before each."""
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    first = np.searchsorted(ordered, ordered)
    out = np.empty(len(numbers), np.int64)
    out[order] = np.arange(len(numbers)) - first
    return out


def _mean(total: float, n: float) -> float:
    return float(total / n) if n else float("nan")


def _plain(value: float) -> float | None:
    return None if value != value else float(value)


def _length(regime: KeyRegime) -> int:
    """Return how many rows a key was in a regime."""
    return sum(last - first + 1 for first, last in regime.visits)


def _cosine(one: dict[Any, np.ndarray], other: dict[Any, np.ndarray]) -> float:
    """Return how alike weights are, over the classes that both have; 1 is the same."""
    names = [name for name in one if name in other]
    if not names:
        return -1.0
    a, b = (np.concatenate([weights[name] for name in names]) for weights in (one, other))
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / size if size else -1.0


def _family(group: list[tuple[str, KeyRegime]], head: dict[Any, np.ndarray]) -> Family:
    """Return regimes that are alike as one."""
    back: dict[str, int] = {}
    for name, regime in group:
        back[name] = back.get(name, 0) + max(0, len(regime.visits) - 1)
    rows = sum(_length(regime) for _, regime in group)
    n_returning = sum(count > 0 for count in back.values())
    return Family(tuple(back), sum(back.values()), n_returning, rows, head)
