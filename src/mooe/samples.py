"""Samples as dicts: features by name, in any order, some missing, some new; one by one and fast."""

import math
import struct
from collections.abc import Hashable, Mapping
from functools import partial
from itertools import repeat
from typing import Any, NoReturn

import numpy as np
from scipy import sparse

from mooe.features import LARGEST_INPUT, LARGEST_WEIGHT
from mooe.labels import Label, as_label
from mooe.layout import REFUSED, UNKNOWN, State
from mooe.modes import AnyParams, core_of, onerow_of

__all__ = [
    "Label",
    "Rows",
    "Sample",
    "check_sample",
    "checked_label",
    "checked_target",
    "checked_weight",
    "frame_values",
    "listed",
]

Sample = Mapping[Hashable, Any]
SPARE = 3  # floats on the desk, for what the default model's kernel is told beside the row


class Rows:
    """A model of the core whose inputs have names, with a desk for one sample.

    A feature that is absent counts as its mean and leaves its statistics alone, and in the default
    model so does NaN; where its inputs are wide an absent one counts as 0, as in a bag of words.
    New ones get columns behind the others when a label is learnt with them; answers leave them out.
    Whatever is refused, the model stays as it was.

    Parameters
    ----------
    params, state
        The model; the state is changed in place.
    names : list
        Names of its columns.
    """

    def __init__(self, params: AnyParams, state: State, names: list[Hashable]) -> None:
        self.params = params
        self.core, self.onerow = core_of(params), onerow_of(params)
        self.state = state
        self.names = names
        self.make_desk()

    def __reduce__(self) -> tuple[Any, ...]:
        return Rows, (self.params, self.state, self.names)

    def make_desk(self) -> None:
        """In place: room for one sample of the state's shape, see `mooe.onerow`."""
        self.places = {name: j for j, name in enumerate(self.names)}
        self.wide = self.params.mode == "auto" and not self.state.narrow
        if self.wide:
            self.scores = np.zeros(self.state.n_outputs)
            return
        d = len(self.names)
        scores, scratch = self.core.score(self.params, self.state, np.zeros((1, d)))
        self.desk = np.zeros(d + 2 + scores.size + scratch.size + SPARE)
        self.x = self.desk[:d].reshape(1, d)
        self.scores = self.desk[d + 2 : d + 2 + scores.size]
        self.at = d  # the label
        # A row, its label and weight; quicker than numpy, and takes no text.
        pack = struct.Struct(f"{d + 2}d").pack_into
        self.pack = partial(pack, self.desk.data, 0)
        # Of the number of absent features. Functions, not partials: River adds up the memory of all
        # that a model refers to, and would find numba's.
        settings, desk = self.params.settings, self.desk
        counters, block = self.state.counters, self.state.block
        score, learn = self.onerow.predict, self.onerow.learn

        def score_desk(absent: int) -> int:
            return score(settings, counters, block, desk, absent)  # type: ignore[no-any-return]

        def learn_desk(absent: int) -> int:
            return learn(settings, counters, block, desk, absent)  # type: ignore[no-any-return]

        self.score_desk, self.learn_desk = score_desk, learn_desk

    def answer(self, x: Sample) -> int:
        """Return the number of a sample's class; its scores are in `scores` until the next call."""
        if self.wide:
            return self.answer_wide(x)
        number = REFUSED
        try:
            if [*x] == self.names:
                self.pack(*x.values(), math.nan, 1.0)
                number = self.score_desk(0)
            else:
                number = self.score_desk(self.place(x, math.nan, 1.0))
        except (struct.error, AttributeError, TypeError):
            pass
        if number == REFUSED:
            check_is_sample(x)
            self.refuse({name: value for name, value in x.items() if name in self.places})
        return number

    def learn(self, x: Sample, label: float, weight: float = 1.0) -> bool:
        """In place: learn a sample; return whether it counted, which it does not with weight 0."""
        if weight != 1.0:
            weight = checked_weight(weight)
        if weight == 0.0:
            check_sample(self.params, x)
            return False
        if self.wide:
            self.learn_wide(x, label, weight)
            return True
        stop = REFUSED
        try:
            if [*x] == self.names:
                self.pack(*x.values(), label, weight)
                stop = self.learn_desk(0)
            else:
                self.meet(x)
                if self.wide:
                    self.learn_wide(x, label, weight)
                    return True
                stop = self.learn_desk(self.place(x, label, weight))
        except (struct.error, AttributeError, TypeError):
            pass
        if stop == REFUSED:
            self.refuse(x)
        if stop == UNKNOWN:
            d = self.at
            self.learn_rows(self.x, self.desk[d : d + 1], self.desk[d + 1 : d + 2])
        return True

    def answer_wide(self, x: Sample) -> int:
        """Return the number of a sample's class where inputs are wide."""
        check_is_sample(x)
        known = {name: value for name, value in x.items() if name in self.places}
        check_sample(self.params, known)
        scores = self.core.predict(self.params, self.state, self.listed([known]))
        self.scores = scores[0]
        if self.params.task == "regression":
            return 0
        number: int = self.core.answers(self.params, scores)[0]
        return number

    def learn_wide(self, x: Sample, label: float, weight: float) -> None:
        """In place: learn a sample where inputs are wide; what can fail is done before."""
        check_sample(self.params, x)
        self.grow([*x])
        rows = self.listed([x])
        one, two = np.array([label], dtype=np.float64), np.array([weight], dtype=np.float64)
        self.core.predict_then_learn(self.params, self.state, rows, one, two)

    def listed(self, samples: list[Sample]) -> Any:
        """Return samples as a sparse array; what they leave out is 0."""
        values = [value for x in samples for value in x.values()]
        columns = [self.places[name] for x in samples for name in x]
        begins = np.cumsum([0, *map(len, samples)])
        shape = (len(samples), self.state.n_features)
        return sparse.csr_array((np.array(values, dtype=np.float64), columns, begins), shape=shape)

    def learn_rows(self, rows: Any, labels: np.ndarray, weights: np.ndarray) -> None:
        """In place: learn rows with all columns; if that is cut short, nothing has been learnt."""
        state = self.state.copy()
        self.core.predict_then_learn(self.params, state, rows, labels, weights)
        self.state = state
        self.make_desk()

    def place(self, x: Sample, label: float, weight: float) -> int:
        """In place: put on the desk what has a column, NaN elsewhere; return how many are NaN."""
        self.pack(*map(x.get, self.names, repeat(math.nan)), label, weight)
        return len(self.names) - sum(map(self.places.__contains__, x))

    def refuse(self, x: Sample) -> NoReturn:
        """Raise ValueError for what is wrong with the sample on the desk."""
        check_sample(self.params, x)
        self.core.check_inputs(self.params, self.x, absent_allowed=True)
        raise ValueError(f"x must be a dict of numbers by name, got {x!r}")

    def meet(self, x: Sample) -> None:
        """In place: columns for features that have none, if all of the sample is good."""
        if not x.keys() <= self.places.keys():
            check_sample(self.params, x)
            self.grow([*x])

    def grow(self, names: list[Hashable]) -> None:
        """In place: columns for those of the names that have none."""
        new = [name for name in names if name not in self.places]
        if not new:
            return
        needed = len(self.names) + len(new)
        if needed > self.state.n_features:
            if self.wide:  # ahead of time, or every new word would move all that was learnt
                needed += needed // 2
            self.core.grow_inputs(self.params, self.state, needed)
            self.names = self.names + new
            self.make_desk()
        else:
            self.names = self.names + new
            self.places.update({name: len(self.places) + k for k, name in enumerate(new)})

    def score_many(self, X: Any) -> np.ndarray:
        """Return the scores (n, n_outputs) of the rows of a frame."""
        names = [name for name in X.columns if name in self.places]
        values = frame_values(self.params, X, names)
        rows = self.placed(names, values)
        scores: np.ndarray = self.core.predict(self.params, self.state, rows)
        return scores

    def learn_many(
        self, names: list[Hashable], values: np.ndarray, labels: np.ndarray, weights: np.ndarray
    ) -> None:
        """In place: learn rows (n, len(names)) in their order, as `learn` would."""
        self.grow(names)
        rows = self.placed(names, values)
        self.learn_rows(rows, labels, weights)

    def placed(self, names: list[Hashable], values: np.ndarray) -> np.ndarray:
        """Return the rows with each value in the column of its name; elsewhere it is absent."""
        absent = 0.0 if self.wide else np.nan
        rows = np.full((len(values), self.state.n_features), absent)
        rows[:, [self.places[name] for name in names]] = values
        return rows


def check_is_sample(x: Any) -> None:
    """Raise ValueError unless x is a dict."""
    if not isinstance(x, Mapping):
        raise ValueError(f"x must be a dict of numbers by name, got {x!r}")


def check_sample(params: AnyParams, x: Sample) -> None:
    """Raise ValueError for the first feature whose value no expert can take."""
    check_is_sample(x)
    for name, value in x.items():
        if not is_usable(value, params.mode == "auto"):
            raise unusable(name, value)
    core_of(params).check_inputs(params, np.array([[*x.values()]], dtype=np.float64))


def is_usable(value: Any, absent_allowed: bool = False) -> bool:
    """Whether the value is a finite number of bearable size, or NaN where that is allowed."""
    try:
        (number,) = struct.unpack("d", struct.pack("d", value))
    except struct.error:
        return False
    odd = isinstance(value, (np.character, np.complexfloating))
    good = abs(number) <= LARGEST_INPUT or (absent_allowed and math.isnan(number))
    return good and not odd


def unusable(name: Hashable, value: Any, where: str = "") -> ValueError:
    """Return the error of a feature's value."""
    return ValueError(
        f"feature {name!r} must be a finite number of size up to {LARGEST_INPUT:g}, or be left "
        f"out where it is missing; got {value!r}{where}"
    )


def frame_values(params: AnyParams, X: Any, names: list[Hashable]) -> np.ndarray:
    """Return these columns of a pandas frame, (n, len(names)), or raise ValueError."""
    columns = list(X.columns)
    if len(set(columns)) < len(columns):
        twice = next(name for name in columns if columns.count(name) > 1)
        raise ValueError(f"columns of X must differ in name, got {twice!r} twice")
    values, absent_allowed = np.empty((len(X), len(names))), params.mode == "auto"
    for j, name in enumerate(names):
        column = X.iloc[:, columns.index(name)]
        if column.dtype.kind in "biuf":
            values[:, j] = column.to_numpy(dtype=np.float64, na_value=np.nan)
            continue
        for i, value in enumerate(column):
            if not is_usable(value, absent_allowed):
                raise unusable(name, value, f" in row {i}")
            values[i, j] = value
    good = np.abs(values) <= LARGEST_INPUT
    bad = np.argwhere(~(good | np.isnan(values)) if absent_allowed else ~good)
    if len(bad):
        i, j = bad[0]
        raise unusable(names[j], values[i, j].item(), f" in row {i}")
    core_of(params).check_inputs(params, values)
    return values


def checked_label(label: Any, known: list[Label]) -> Label:
    """Return a class label as a Python value, or raise ValueError."""
    try:
        label = as_label(label)
    except ValueError as problem:
        raise ValueError(
            f"y must be text or a finite number, None for no label; got {label!r}"
        ) from problem
    if known and isinstance(label, str) != isinstance(known[0], str):
        raise ValueError(f"y must be of one type, got {label!r} after {known[0]!r}")
    checked: Label = label
    return checked


def checked_target(target: Any, params: AnyParams) -> float:
    """Return a regression label, or raise ValueError."""
    low, high = getattr(params, "target_bounds", None) or (-LARGEST_INPUT, LARGEST_INPUT)
    good = is_usable(target) and low <= float(target) <= high
    if not good:
        raise ValueError(
            f"y must be a number within ({low:g}, {high:g}), None for no label; got {target!r}"
        )
    return float(target)


def checked_weight(weight: Any) -> float:
    """Return the weight of a sample, or raise ValueError."""
    if not (is_usable(weight) and 0.0 <= float(weight) <= LARGEST_WEIGHT):
        raise ValueError(
            f"w must be a finite number of at least 0, at most {LARGEST_WEIGHT:g}; got {weight!r}"
        )
    return float(weight)


def listed(name: str, values: Any, n: int) -> list[Any]:
    """Return the n values of a series, array or list."""
    found = values.tolist() if hasattr(values, "tolist") else list(values)
    if len(found) != n:
        raise ValueError(f"{name} must hold one value for each of the {n} rows, got {len(found)}")
    return found
