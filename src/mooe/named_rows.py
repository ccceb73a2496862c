"""Samples as dicts: features by name, in any order, some missing, some new; one by one and fast."""

import math
import struct
from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from itertools import repeat
from typing import Any, NoReturn

import numpy as np

from mooe.decision import Tally
from mooe.engine import AnyParams, engine_of, row_kernels
from mooe.explanation import Explanation
from mooe.labels import Label, Labels, as_label, check_label
from mooe.model import Model
from mooe.modelfile import check_column_name
from mooe.numerics.blocks import FULL, REFUSED, UNKNOWN
from mooe.numerics.features import LARGEST_INPUT, LARGEST_WEIGHT

Sample = Mapping[Hashable, Any]
SPARE = 2  # floats of the desk behind the scores


class NamedRows:
    """The quick way for one sample by name into a model and out of it.

    A feature that is absent counts as its mean and leaves its statistics alone, and in the default
    model so does NaN; where its inputs are wide an absent one counts as 0, as in a bag of words.
    New ones get columns behind the others when a label is learnt with them; answers leave them out.
    Whatever is refused, the model stays as it was.

    Parameters
    ----------
    model : Model
        With names of columns; it is changed in place. One without a state is started.

    Attributes
    ----------
    scores : array (n_outputs,)
        Of the sample that was answered last.
    """

    def __init__(self, model: Model) -> None:
        self.model, self.params = model, model.params
        if model.columns is None:
            model.columns = list(range(model.width))
        if model.state is None:
            for name in self.names:
                check_column_name(name)
            model.start(len(self.names))
        self._make_desk()

    def __reduce__(self) -> tuple[Any, ...]:
        return NamedRows, (self.model,)

    @property
    def names(self) -> list[Hashable]:
        """Names of the columns."""
        return self.model.columns or []

    def _make_desk(self) -> None:
        """In place: room for one sample of the state's shape, see `mooe.auto.onerow`."""
        state = self.model.start(0)
        d, o = int(state.n_features), int(state.n_outputs)
        self.wide = not getattr(state, "narrow", True)  # the paper's rows are always dense arrays
        self.state, self.block, self.columns = state, state.block, self.names
        self.places = {name: j for j, name in enumerate(self.columns)}
        room = len(self.model.engine.scratch(self.params, state))
        desk = np.zeros(d + 3 + o + SPARE + (3 * d if self.wide else 0) + room)
        self.desk, self.x = desk, desk[:d].reshape(1, d)
        self.scores = desk[d + 3 : d + 3 + o]
        # Quicker than numpy, and takes no text.
        self._pack = partial(struct.Struct(f"{d + 3}d").pack_into, desk.data, 0)
        if self.wide:
            n_values = struct.Struct(f"{len(self.columns)}d")
            self._pack_values = partial(n_values.pack_into, desk.data, 0)
            self._pack_label = partial(struct.Struct("3d").pack_into, desk.data, 8 * d)
            self.listed = desk[d + 3 + o + SPARE : d + 3 + o + SPARE + d]  # columns of the values
            self.in_order, self.is_in_order = np.arange(d), False
        settings, counters, block = self.params.settings, state.counters, state.block
        predict, learn = row_kernels(self.params).predict, row_kernels(self.params).learn

        # Functions, not partials of the kernels: River adds up the memory of all that a model
        # refers to, and would find numba's.
        def score_desk(n: int) -> int:
            return predict(settings, counters, block, desk, n)  # type: ignore[no-any-return]

        def learn_desk(n: int) -> int:
            return learn(settings, counters, block, desk, n)  # type: ignore[no-any-return]

        self._score_desk, self._learn_desk = score_desk, learn_desk

    def _is_stale(self) -> bool:
        """Whether another shell has changed the model's state or columns since the last sample."""
        state, model = self.state, self.model
        return (
            model.state is not state
            or state.block is not self.block
            or model.columns is not self.columns
        )

    def answer(self, x: Sample) -> int:
        """Return the number of a sample's class; its scores are in `scores` until the next call."""
        if self._is_stale():
            self._make_desk()
        number = REFUSED
        try:
            if self.wide:
                number = self._score_desk(self._place_wide(x, math.nan, 1.0, math.nan))
            elif [*x] == self.columns:
                self._pack(*x.values(), math.nan, 1.0, math.nan)
                number = self._score_desk(0)
            else:
                number = self._score_desk(self._place(x, math.nan, 1.0, math.nan))
        except (struct.error, AttributeError, TypeError):
            pass
        if number == REFUSED:
            _check_is_sample(x)
            self._refuse({name: value for name, value in x.items() if name in self.places})
        if self.model.decision is not None:
            return int(self.model.answers(self.scores.reshape(1, -1))[0])
        return number

    def learn(self, x: Sample, label: float, weight: float = 1.0, known: float = math.nan) -> bool:
        """In place: learn a sample; return whether it counted, which it does not with weight 0.

        Parameters
        ----------
        label : float
            Number of the class, which may be the next new one, or the value.
        known : float
            The last label that was known when the sample was answered, -inf for none; NaN for the
            last one learnt.
        """
        if self._is_stale():
            self._make_desk()
        if weight != 1.0:
            weight = checked_weight(weight)
        if weight == 0.0:
            check_sample(self.params, x)
            return False
        given, tally = weight, self.model.tally
        if self.model.decision is not None:
            weight, tally = self._weighed(label, weight)
        stop = REFUSED
        try:
            if [*x] == self.columns and not self.wide:
                self._pack(*x.values(), label, weight, known)
                stop = self._learn_desk(0)
            elif x.keys() <= self.places.keys():
                place = self._place_wide if self.wide else self._place
                stop = self._learn_desk(place(x, label, weight, known))
            else:
                stop = UNKNOWN
        except (struct.error, AttributeError, TypeError):
            pass
        if stop == REFUSED:
            self._refuse(x)
        if stop == UNKNOWN:
            self.learn_new(x, label, given, known)
        elif self.model.decision is not None:
            self._follow(tally)
        if stop == FULL:
            self._make_room()
        return True

    def _make_room(self) -> None:
        """In place: room for the next sample, where the last one took the rest."""
        self.model.engine.make_room(self.params, self.model.start(0), 1)
        self._make_desk()

    def _weighed(self, label: float, weight: float) -> tuple[float, Tally]:
        """Return the weight of a sample of a class, and the tally that has counted it."""
        weights, tally = self.model.weighed(np.array([label]), np.array([weight]))
        return (weight if weights is None else float(weights[0])), tally

    def _follow(self, tally: Tally) -> None:
        """In place: the sample on the desk was learnt; its scores are those from before that."""
        if self.model.decision is None:
            return
        scores = self.scores.reshape(1, -1)
        self.model.tally = self.model.decided(scores, tally, np.array([True]))[1]

    def learn_new(
        self,
        x: Sample,
        label: float,
        weight: float = 1.0,
        known: float = math.nan,
        name: Label | None = None,
    ) -> None:
        """In place: learn a sample with new features or of a new class, all of it or nothing.

        name: what a new class is called.
        """
        check_sample(self.params, x)
        with self.model.undone_unless_learnt():
            if name is not None:
                self.model.labels = Labels([*self.model.labels.names, name])
            self._grow([*x])
            place = self._place_wide if self.wide else self._place
            weighed, tally = self._weighed(label, weight)
            stop = self._learn_desk(place(x, label, weighed, known))
            if stop != UNKNOWN:
                self._follow(tally)
            else:
                row = self._arranged([*x], _as_row(x)) if self.wide else self.x.copy()
                self.model.learn(row, *np.array([[label], [weight], [known]], np.float64))
                self._make_desk()
            if stop == FULL:
                self._make_room()

    def _place(self, x: Sample, label: float, weight: float, known: float) -> int:
        """In place: put on the desk what has a column, NaN elsewhere; return how many are NaN."""
        self._pack(*map(x.get, self.columns, repeat(math.nan)), label, weight, known)
        return len(self.columns) - sum(map(self.places.__contains__, x))

    def _place_wide(self, x: Sample, label: float, weight: float, known: float) -> int:
        """In place: list on the desk what has a column; return how many values there are."""
        if [*x] == self.columns:
            self._pack_values(*x.values())
            n = len(self.columns)
            if not self.is_in_order:
                self.listed[:], self.is_in_order = self.in_order, True
        else:
            if not x.keys() <= self.places.keys():
                x = {name: value for name, value in x.items() if name in self.places}
            n = len(x)
            columns = np.fromiter(map(self.places.__getitem__, x), np.float64, n)
            order = columns.argsort()
            self.listed[:n], self.is_in_order = columns[order], False
            self.desk[:n] = np.frombuffer(struct.pack(f"{n}d", *x.values()))[order]
        self._pack_label(label, weight, known)
        return n

    def _refuse(self, x: Sample) -> NoReturn:
        """Raise ValueError for what is wrong with the sample on the desk."""
        check_sample(self.params, x)
        if not self.wide:
            engine_of(self.params).check_inputs(self.params, self.x)
        raise ValueError(f"x must be a dict of numbers by name, got {x!r}")

    def _grow(self, names: list[Hashable]) -> None:
        """In place: columns for those of the names that have none."""
        new = [name for name in names if name not in self.places]
        if not new:
            return
        for name in new:
            check_column_name(name)
        needed = len(self.columns) + len(new)
        # Of wide inputs ahead of time, or every new word would move all that was learnt.
        is_full = self.wide and needed > self.model.start(0).n_features
        self.model.grow_columns(new, needed + needed // 2 if is_full else 0)
        self._make_desk()

    def score_frame(self, X: Any) -> np.ndarray:
        """Return the scores (n, n_outputs) of the rows of a pandas frame."""
        if self._is_stale():
            self._make_desk()
        names = [name for name in X.columns if name in self.places]
        return self.score_rows(names, frame_values(self.params, X, names))

    def score_rows(self, names: Sequence[Hashable], values: np.ndarray) -> np.ndarray:
        """Return the scores (n, n_outputs) of rows whose values (n, len(names)) were checked."""
        if self._is_stale():
            self._make_desk()
        known = [name in self.places for name in names]
        if not all(known):
            names = [name for name in names if name in self.places]
            values = values[:, known]
        return self.model.scores(self._arranged(names, values))

    def learn_frame(
        self, X: Any, labels: np.ndarray, weights: np.ndarray, classes: Labels | None = None
    ) -> None:
        """In place: learn the rows of a pandas frame in their order, as `learn` would.

        classes: the classes that there are with those of its rows.
        """
        names = list(X.columns)
        self.learn_rows(names, frame_values(self.params, X, names), labels, weights, classes)

    def learn_rows(
        self,
        names: Sequence[Hashable],
        values: np.ndarray,
        labels: np.ndarray,
        weights: np.ndarray | None = None,
        classes: Labels | None = None,
        known: np.ndarray | None = None,
    ) -> None:
        """In place: learn rows whose values (n, len(names)) were checked, as `learn` would."""
        if self._is_stale():
            self._make_desk()
        with self.model.undone_unless_learnt():
            if classes is not None:
                self.model.labels = classes
            self._grow(list(names))
            self.model.learn(self._arranged(names, values), labels, weights, known)
        self._make_desk()

    def _arranged(self, names: Sequence[Hashable], values: np.ndarray) -> np.ndarray:
        """Return the rows with each value in the column of its name; elsewhere it is absent."""
        if [*names] == self.columns:
            return values
        rows = np.full((len(values), len(self.columns)), 0.0 if self.wide else np.nan)
        rows[:, [self.places[name] for name in names]] = values
        return rows

    def explain(self, x: Sample) -> Explanation:
        """Return why a sample is answered so."""
        self.answer(x)  # which checks it
        if not self.wide:
            return self.model.explain(self.x.copy())
        x = {name: value for name, value in x.items() if name in self.places}
        return self.model.explain(self._arranged([*x], _as_row(x)))


def _as_row(x: Sample) -> np.ndarray:
    """Return the values of a sample as a row, (1, n)."""
    return np.array([*x.values()], dtype=np.float64).reshape(1, len(x))


def _check_is_sample(x: Any) -> None:
    """Raise ValueError unless x is a dict."""
    if not isinstance(x, Mapping):
        raise ValueError(f"x must be a dict of numbers by name, got {x!r}")


def check_sample(params: AnyParams, x: Sample) -> None:
    """Raise ValueError for the first feature whose value no expert can take."""
    _check_is_sample(x)
    for name, value in x.items():
        if not _is_usable(value, params.mode == "auto"):
            raise _unusable(name, value)
    engine_of(params).check_inputs(params, np.array([[*x.values()]], dtype=np.float64))


def _is_usable(value: Any, absent_allowed: bool = False) -> bool:
    """Whether the value is a finite number of bearable size, or NaN where that is allowed."""
    try:
        (number,) = struct.unpack("d", struct.pack("d", value))
    except struct.error:
        return False
    odd = isinstance(value, (np.character, np.complexfloating))
    good = abs(number) <= LARGEST_INPUT or (absent_allowed and math.isnan(number))
    return good and not odd


def _unusable(name: Hashable, value: Any, where: str = "") -> ValueError:
    """Return the error of a feature's value, and what makes a number of it."""
    hint = ""
    if isinstance(value, str):
        hint = "; river.preprocessing.OneHotEncoder makes numbers of texts"
    elif hasattr(value, "isoformat"):
        hint = "; a date has to be told as numbers, such as its hour and its weekday"
    return ValueError(
        f"feature {name!r} must be a finite number of size up to {LARGEST_INPUT:g}, or be left "
        f"out where it is missing; got {value!r}{where}{hint}"
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
            if not _is_usable(value, absent_allowed):
                raise _unusable(name, value, f" in row {i}")
            values[i, j] = value
    good = np.abs(values) <= LARGEST_INPUT
    bad = np.argwhere(~(good | np.isnan(values)) if absent_allowed else ~good)
    if len(bad):
        i, j = bad[0]
        raise _unusable(names[j], values[i, j].item(), f" in row {i}")
    engine_of(params).check_inputs(params, values)
    return values


def checked_label(label: Any, known: list[Label]) -> Label:
    """Return a class label as a Python value, or raise ValueError."""
    check_label(label, known)
    return as_label(label)


def checked_target(target: Any, params: AnyParams) -> float:
    """Return a regression label, or raise ValueError."""
    low, high = getattr(params, "target_bounds", None) or (-LARGEST_INPUT, LARGEST_INPUT)
    if not (_is_usable(target) and low <= float(target) <= high):
        raise ValueError(
            f"y must be a number within ({low:g}, {high:g}), None for no label; got {target!r}"
        )
    return float(target)


def checked_weight(weight: Any) -> float:
    """Return the weight of a sample, or raise ValueError."""
    if not (_is_usable(weight) and 0.0 <= float(weight) <= LARGEST_WEIGHT):
        raise ValueError(
            f"w must be a finite number of at least 0, at most {LARGEST_WEIGHT:g}; got {weight!r}"
        )
    return float(weight)


def checked_values(name: str, values: Any, n: int) -> list[Any]:
    """Return the n values of a series, array or list, or raise ValueError."""
    listed = values.tolist() if hasattr(values, "tolist") else list(values)
    if len(listed) != n:
        raise ValueError(f"{name} must hold one value for each of the {n} rows, got {len(listed)}")
    return listed
