"""The model: parameters, what was learnt, labels, names of columns, added experts; one holder.

Estimators, the River adapter, evaluation and the command are shells around a Model: whatever one of
them saves, the others open, and it answers the same.
"""

import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from html import escape
from typing import Any

import numpy as np
from scipy import sparse

from mooe import modelfile
from mooe.decision import Decision, Tally
from mooe.engine import AnyParams, Engine, engine_of
from mooe.explanation import (
    SMALL,
    Concept,
    Expert,
    Explanation,
    InputEffect,
    InputWeight,
    Vote,
    latest,
    regime_text,
    telling_inputs,
)
from mooe.labels import Labels
from mooe.numerics.blocks import State
from mooe.numerics.features import LARGEST_INPUT, LARGEST_WEIGHT
from mooe.numerics.scores import answers, probabilities
from mooe.user_experts import (
    AddedExpert,
    added_scores,
    check_added,
    dump_added,
    load_added,
    try_expert,
)
from mooe.words import date_form

__all__ = ["Model"]

MOST_CLASSES = 2**20
MOST_TRIED = 1_000  # inputs of a wide row that are tried out for an explanation
LONGEST_TITLE = 40  # characters
REGIMES = "regimes"  # among the notes: titles by number, dates by sample


class Model:
    """A MOOE model, the default one or the paper's, and all that belongs to it.

    Rows are arrays, (n, width), or sparse ones; NaN is an absent value. Classes are numbers, those
    of `labels`; a label of NaN means that a row is answered only. Whatever is refused leaves the
    model exactly as it was.

    Parameters
    ----------
    params : AutoParams or Params
        Of the default model, or of the paper's algorithm.
    columns : iterable, optional
        Names of the columns, in the order of the rows; None where they have none.
    groups : iterable, optional
        For each column the nominal column that it is an indicator of, None for others; it is 1 in a
        row with its value, 0 elsewhere. May be shorter.

    Attributes
    ----------
    state : State or None
        What has been learnt, None before the first row.
    labels : Labels
        Classes in the order in which they were met.
    added : list of AddedExpert
        Fitted models that the user brought.
    decision : Decision or None
        Which rows count more and when a class is answered; None: all alike, the most likely one.
    notes : dict
        JSON values that a shell keeps with the model; the file carries them.

    Examples
    --------
    >>> from mooe.auto.params import AutoParams
    >>> model = Model(AutoParams())
    >>> X, y = np.array([[0.0], [1.0]] * 20), np.array(["no", "yes"] * 20)
    >>> _ = model.learn(X, model.labels.encode(y))
    >>> model.predict(np.array([[1.0], [0.0]]))
    ['yes', 'no']
    >>> Model.from_bytes(model.to_bytes()).predict(np.array([[1.0]]))
    ['yes']
    """

    def __init__(
        self,
        params: AnyParams,
        columns: Iterable[Hashable] | None = None,
        groups: Iterable[Hashable | None] = (),
    ) -> None:
        self.params = params
        self.columns = None if columns is None else list(columns)
        self.groups = list(groups)
        self.state: State | None = None
        self.labels = Labels()
        self.added: list[AddedExpert] = []
        self.decision: Decision | None = None
        self.tally = Tally()
        self.notes: dict[str, Any] = {}

    @property
    def engine(self) -> Engine:
        """The functions that take its parameters and state."""
        return engine_of(self.params)

    @property
    def task(self) -> str:
        """What it learns: "classification" or "regression"."""
        return self.params.task

    @property
    def n_labelled(self) -> int:
        """Labels learnt so far."""
        return 0 if self.state is None else int(self.state.n_labelled)

    @property
    def width(self) -> int:
        """Columns that its rows have; the state may have room for more."""
        if self.columns is not None:
            return len(self.columns)
        return 0 if self.state is None else int(self.state.n_features)

    def copy(self) -> "Model":
        """Return a copy that learns on its own; added experts are shared, for they do not learn."""
        other = Model(self.params, self.columns, self.groups)
        other.state = None if self.state is None else self.state.copy()
        other.labels, other.added = self.labels.copy(), list(self.added)
        other.decision, other.tally = self.decision, self.tally
        other.notes = dict(self.notes)
        return other

    def decide(self, decision: Decision) -> None:
        """In place: answer by a threshold and weigh classes from now on; nothing is counted yet."""
        if self.task == "regression" and decision.is_needed:
            about = "--threshold and --cost are about classes"
            raise ValueError(f"class_weight and threshold must be None in regression; {about}")
        self.decision = decision if decision.is_needed else None
        self.tally = decision.first_tally() if decision.is_needed else Tally()

    def answer_by(self, threshold: Any, positive: Any = None) -> None:
        """In place: answer by another threshold from now on; all else that it decides by stays."""
        weight = None if self.decision is None else self.decision.class_weight
        counts = self.tally.counts
        self.decide(Decision(weight, threshold, positive))
        self.tally = replace(self.tally, counts=counts)

    # Learning

    def start(self, n_columns: int) -> State:
        """In place: return the state, an empty one for so many columns if there is none yet."""
        if self.state is None:
            self.state = self._fresh_state(n_columns)
        return self.state

    def _fresh_state(self, n_columns: int) -> State:
        """Return the state before the first row."""
        state = self.engine.init(self.params, n_columns, 0, self._group_numbers(n_columns))
        for _ in self.added:
            self.engine.add_expert(self.params, state)
        return state

    def grow_columns(
        self,
        names: Iterable[Hashable],
        room: int = 0,
        groups: Iterable[Hashable | None] | None = None,
    ) -> None:
        """In place: columns for the names that have none, behind the others.

        room: columns that the state is to have room for at least. groups: for each name the nominal
        column that it is an indicator of, None for others; what is known of a column stays.
        """
        names = list(names)
        columns = list(dict.fromkeys([*(self.columns or ()), *names]))
        if len(columns) > self.width:
            before = vars(self).copy()
            if groups is not None:
                own = dict(zip(names, groups, strict=True))
                self.grow_groups([own.get(name) for name in columns])
            state, room = self.state, max(room, len(columns))
            try:
                if state is not None and room > state.n_features:
                    state = State(state.counters.copy(), state.block)  # the old one stays as it is
                    self._grow_inputs(state, room)
            except BaseException:
                vars(self).update(before)
                raise
            vars(self).update(state=state, columns=columns)

    def grow_groups(self, groups: Sequence[Hashable | None]) -> None:
        """In place: what columns to come are indicators of, None for others.

        groups are those of all columns from the first on; what is known of a column stays.
        """
        n_columns = 0 if self.state is None else int(self.state.n_features)
        known = max(self.width, n_columns, len(self.groups))
        if len(groups) > known:
            before = [*self.groups, *[None] * (known - len(self.groups))]
            self.groups = [*before, *groups[known:]]

    def _grow_inputs(self, state: State, n_columns: int) -> None:
        """In place: a state of more columns, with their groups."""
        groups = self._group_numbers(n_columns)[state.n_features :]
        self.engine.grow_inputs(self.params, state, n_columns, groups)

    def _group_numbers(self, n_columns: int) -> np.ndarray:
        """Return the groups of the first columns by number, as the engine takes them."""
        return modelfile.group_numbers(self.groups, n_columns)

    def grow_classes(self, n_classes: int) -> None:
        """In place: room for classes that are known to come, of a model that was started."""
        if self.state is not None and n_classes > self.state.n_classes:
            self.engine.grow_classes(self.params, self.state, n_classes)

    @contextmanager
    def undone_unless_learnt(self) -> Iterator[None]:
        """Undo changes of columns and labels if the rows that they are for are not learnt.

        Whatever comes in between, an error or an interrupt; rows are learnt all or none.
        """
        before, n_labelled = dict(vars(self)), self.n_labelled
        try:
            yield
        except BaseException:
            if self.n_labelled == n_labelled:
                vars(self).update(before)
            raise

    def learn(
        self,
        X: Any,
        y: np.ndarray,
        weights: np.ndarray | None = None,
        known: np.ndarray | None = None,
        given: Any = None,
    ) -> np.ndarray:
        """In place: learn rows in their order, all or none; return the scores given before each.

        Parameters
        ----------
        X : array (n, width) of float64, or a sparse one
            New columns may follow the known ones.
        y : array (n,) of float64
            Numbers of classes, or values; NaN means that a row is answered and not learnt.
        weights : array (n,), optional
            Scale losses and gradients; a row of weight 0 is not learnt.
        known : array (n,), optional
            For late labels: the last label that was known when each row was answered, -inf for
            none, NaN for the last one learnt.
        given : optional
            The rows as the user has them, for added experts; by default X.
        """
        return self.answer_then_learn(X, y, weights, known, given)[1]

    def answer_then_learn(
        self,
        X: Any,
        y: np.ndarray,
        weights: np.ndarray | None = None,
        known: np.ndarray | None = None,
        given: Any = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """In place: as `learn`; return the answers to each row before its label, and the scores.

        Answers are numbers of classes, -1 before any label, or values.
        """
        X, y, weights, known = self._checked(X, y, weights, known)
        engine, params = self.engine, self.params
        engine.check_inputs(params, X)
        votes = self._added_scores(X if given is None else given, X.shape[0])
        state = self.state
        if state is None:
            state = self._fresh_state(X.shape[1])
        elif self._takes_several_steps(state, X, y) or (self.decision and self.decision.remembers):
            state = state.copy()  # one compiled call learns all or nothing, several may be cut off
        if X.shape[1] > state.n_features:
            self._grow_inputs(state, X.shape[1])
        X = self._widened(X, state, most=state.n_features)
        weighed, tally = self.weighed(y, weights)
        scores = engine.predict_then_learn(params, state, X, y, weighed, known, votes)
        learnt = (y == y) if weights is None else (y == y) & (weights > 0.0)
        chosen, tally = self.decided(scores, tally, learnt)
        vars(self).update(state=state, tally=tally)
        return chosen, scores

    def weighed(self, y: np.ndarray, weights: np.ndarray | None) -> tuple[np.ndarray | None, Tally]:
        """Return the weights of rows of these classes, and the tally that has counted them."""
        if self.decision is None:
            return weights, self.tally
        met = y[y == y]
        names = self._classes(int(met.max()) + 1 if len(met) else 0) or []
        self.decision.check_classes(names)
        given = [1.0] * len(y) if weights is None else weights.tolist()
        found, tally = self.decision.weights(names, y.tolist(), given, self.tally)
        return np.array(found, dtype=np.float64), tally

    def decided(
        self, scores: np.ndarray, tally: Tally, learnt: np.ndarray | None = None
    ) -> tuple[np.ndarray, Tally]:
        """Return the answers that scores stand for, and the tally that has followed them."""
        if self.decision is None or self.decision.threshold is None:
            return answers(self.params, scores), tally
        positive = self.decision.number_of_positive(self._classes(max(2, scores.shape[1])) or [])
        which = None if learnt is None else learnt.tolist()
        found = self.decision.answers(self.params, positive, scores.tolist(), tally, which)
        return np.array(found[0], dtype=np.int64), found[1]

    def answers(self, scores: np.ndarray) -> np.ndarray:
        """Return the answers that scores stand for: numbers of classes, or values."""
        return self.decided(scores, self.tally)[0]

    def _checked(self, X: Any, y: Any, weights: Any, known: Any) -> tuple[Any, ...]:
        """Return rows and what belongs to them as compiled code takes them, or raise ValueError."""
        X = _as_rows(X)
        y, weights, known = (
            None if values is None else np.require(values, np.float64, ("C", "W"))
            for values in (y, weights, known)
        )
        for name, values in (("y", y), ("weights", weights), ("known", known)):
            if values is not None and values.shape != (X.shape[0],):
                raise ValueError(f"{name} must have the shape ({X.shape[0]},), got {values.shape}")
        if self.task == "regression":
            rule, bad = f"at most {LARGEST_INPUT:g} in size", np.abs(y) > LARGEST_INPUT
        else:
            most = len(self.labels) or MOST_CLASSES
            rule = f"whole numbers of classes, from 0 to below {most:,}"
            bad = _is_no_class(y) | (y >= most)
        _refuse("y", y, bad, f"{rule}, or NaN for no label")
        if weights is not None:
            good = (weights >= 0.0) & (weights <= LARGEST_WEIGHT)
            _refuse("weights", weights, ~good, f"at least 0 and at most {LARGEST_WEIGHT:g}")
        if known is not None:
            is_number = np.abs(known) <= LARGEST_INPUT
            bad = ~is_number if self.task == "regression" else _is_no_class(known)
            _refuse("known", known, bad & (known == known) & (known != -np.inf), f"{rule}, or -inf")
        return X, y, weights, known

    def _takes_several_steps(self, state: State, X: Any, y: np.ndarray) -> bool:
        """Whether learning rows takes more than one compiled call: columns or classes are new."""
        if X.shape[1] > state.n_features:
            return True
        if self.task == "regression" or not len(y):
            return False
        return bool(np.fmax.reduce(y) >= state.n_classes)

    def add_expert(self, model: Any, name: str, trusted: Sequence[str] = ()) -> None:
        """In place: let a fitted model compete with the experts of the default model."""
        if self.params.mode != "auto":
            raise ValueError("experts can be added to the default model only, not to the paper's")
        new = AddedExpert(name, model, tuple(trusted))
        check_added(new, self.added)
        state = self.state
        if state is not None:
            state = state.copy()
            if self.width:
                row = self.engine.column_means(self.params, state)[: self.width]
                try_expert(new, row.reshape(1, -1), self._classes())
            self.engine.add_expert(self.params, state)
        vars(self).update(state=state, added=[*self.added, new])

    def upgrade(self) -> None:
        """In place: what came after the model was saved by an older version takes part from now on.

        It knows nothing at first and must earn its weight; answers are no longer those that the
        older version would have given. What `without` names of it comes in too.
        """
        params, state = self.engine.upgraded(self.params, self.start(self.width))
        vars(self).update(params=params, state=state)

    # Answering

    def scores(self, X: Any, given: Any = None) -> np.ndarray:
        """Return the mixture's scores, (n, n_outputs); the model is only read."""
        state, X = self._learnt(), _as_rows(X)
        self.engine.check_inputs(self.params, X)
        votes = self._added_scores(X if given is None else given, X.shape[0])
        X = self._widened(X, state)
        return self.engine.predict(self.params, state, X, votes)

    def predict(self, X: Any, given: Any = None) -> list[Any]:
        """Return the answer to each row: a label, or a value; None before any label."""
        if self.state is None:
            return [None] * _as_rows(X).shape[0]
        return self.named(self.answers(self.scores(X, given)))

    def predict_proba(self, X: Any, given: Any = None) -> np.ndarray:
        """Return class probabilities, (n, n_classes) in the order of `labels`."""
        return probabilities(self.params, self.scores(X, given))[:, : len(self._classes() or ())]

    def named(self, numbers: np.ndarray) -> list[Any]:
        """Return numbers of classes as labels, None for -1; values as they are."""
        if self.task == "regression":
            values: list[Any] = numbers.tolist()
            return values
        names = [*(self._classes() or ()), None]
        last = len(names) - 2
        return [names[min(number, last)] for number in numbers.tolist()]

    def votes(self, x: Any, given: Any = None) -> np.ndarray:
        """Return every expert's scores of one row, (n_experts, n_outputs)."""
        state, x = self._learnt(), _as_rows(x)
        self.engine.check_inputs(self.params, x)
        votes = self._added_scores(x if given is None else given, 1)
        x = self._widened(x, state)
        return self.engine.explain(self.params, state, x, votes)[1]

    def explain(self, x: Any, given: Any = None) -> Explanation:
        """Return why one row, (1, width), is answered so; scores in the order of `labels`."""
        scores = self.votes(x, given)
        named = self.named(answers(self.params, scores))
        rows = zip(self.experts(), named, scores.tolist(), strict=True)
        return self.explanation(x, [Vote(e, vote, tuple(row)) for e, vote, row in rows], given)

    def explanation(self, x: Any, votes: Sequence[Vote], given: Any = None) -> Explanation:
        """Return the answer to one row with all that is told beside the votes on it."""
        scores = self.scores(x, given)
        number = self.answers(scores)
        (answer,) = self.named(number)
        likely: dict[Any, float] = {}
        if self.task == "classification":
            shares = probabilities(self.params, scores)[0].tolist()
            likely = dict(sorted(zip(self._classes() or (), shares, strict=False)))
        now = next((concept for concept in self._bare_concepts() if concept.in_charge), None)
        regime, title = (None, "") if now is None else (now.name, now.title)
        effects = self._effects(_as_rows(x), int(number[0]) if likely else None, given)
        return Explanation(answer, likely, tuple(effects), regime, title, tuple(votes))

    def _effects(self, x: Any, number: int | None, given: Any) -> list[InputEffect]:
        """Return how much each input of one row mattered for its answer, the largest first.

        What the answer is more than with the mean so far in place of the input, in a wide row with
        nothing in its place. Indicators of one column are taken together; the votes of added
        experts stay as they are.
        """
        state = self._learnt()
        x = self._widened(x, state)
        row = np.asarray(x.todense()).ravel() if sparse.issparse(x) else x[0]
        parts = self._parts_of(row)
        rows = np.repeat(row[None, :], 1 + len(parts), axis=0)
        means = self.engine.column_means(self.params, state) if len(row) <= MOST_TRIED else None
        for at, columns in enumerate(parts.values(), 1):
            rows[at, columns] = 0.0 if means is None else means[columns]
        votes = self._added_scores(x if given is None else given, 1)
        votes = None if votes is None else np.repeat(votes, len(rows), axis=0)
        X = sparse.csr_array(rows) if sparse.issparse(x) else rows
        scores = self.engine.predict(self.params, state, X, votes)
        said = scores if number is None else probabilities(self.params, scores)
        values = said[:, number or 0]
        moved = values[0] - values[1:]
        least = SMALL if number is not None else 0.01 * np.abs(moved).max(initial=0.0)
        effects = [
            InputEffect(name, self._value_of(name, columns, row), float(effect))
            for (name, columns), effect in zip(parts.items(), moved, strict=True)
            if abs(effect) > least
        ]
        return sorted(effects, key=lambda effect: -abs(effect.effect))

    def _parts_of(self, row: np.ndarray) -> dict[Hashable, list[int]]:
        """Return the inputs of a row to be tried out one by one: their columns, by name."""
        names: Sequence[Hashable] = self.columns or range(len(row))
        tried = range(min(len(row), self.width))
        if len(row) > MOST_TRIED:
            tried = np.flatnonzero(row)[:MOST_TRIED].tolist()
        parts: dict[Hashable, list[int]] = {}
        for at in tried:
            group = self.groups[at] if at < len(self.groups) else None
            if row[at] == row[at]:
                parts.setdefault(names[at] if group is None else group, []).append(at)
        return parts

    def _value_of(self, name: Hashable, columns: list[int], row: np.ndarray) -> Any:
        """Return what an input is in a row: a number, or the value of a nominal column."""
        group = self.groups[columns[0]] if columns[0] < len(self.groups) else None
        if group is None:
            return float(row[columns[0]])
        known = self.columns or []
        on = [str(known[at] if at < len(known) else at) for at in columns if row[at] > 0.0]
        return ", ".join(text.removeprefix(f"{name}=") for text in on) or "none"

    def _added_scores(self, X: Any, n: int) -> np.ndarray | None:
        """Return what the added experts say of n rows, None where there are none."""
        if not self.added:
            return None
        return added_scores(self.added, X, n, self._classes())

    def _widened(self, X: Any, state: State, most: int = 0) -> Any:
        """Return rows with zeros in the columns that are reserved; `most` may have values."""
        missing = int(state.n_features) - X.shape[1]
        if missing == 0 or not self.width <= X.shape[1] <= max(self.width, most):
            return X
        if sparse.issparse(X):
            shape = X.shape[0], int(state.n_features)
            return sparse.csr_array((X.data, X.indices, X.indptr), shape=shape)
        return np.pad(X, ((0, 0), (0, missing)))

    def _learnt(self) -> State:
        """Return the state, or raise ValueError before the first row."""
        if self.state is None:
            raise ValueError("the model must have learnt a row to answer, got none yet")
        return self.state

    def _classes(self, least: int = 0) -> list[Any] | None:
        """Return the labels of the classes; None in regression.

        Where they have none, their numbers, and at least so many of them.
        """
        if self.task == "regression":
            return None
        met = 0 if self.state is None else int(self.state.n_classes)
        return self.labels.names or list(range(max(least, met)))

    # What it tells of itself

    def experts(self) -> list[Expert]:
        """Return the experts of the mixture; added ones have the names that the user gave them."""
        if self.state is None:
            return []
        names = iter(self.added)
        return [
            replace(expert, name=next(names).name) if expert.kind == "added" else expert
            for expert in self.engine.experts(self.params, self.state)
        ]

    def concepts(self) -> list[Concept]:
        """Return the regimes that have a number, described; the paper's model keeps none."""
        concepts = self._bare_concepts()
        if self.state is None or not concepts:
            return []
        traits = self.engine.traits(self.params, self.state)
        return [
            replace(
                concept,
                **self._outcomes(traits[at].outcomes),
                inputs=tuple(self._input_weight(*found) for found in telling_inputs(traits, at)),
            )
            for at, concept in enumerate(concepts)
        ]

    def _bare_concepts(self) -> list[Concept]:
        """Return the regimes that have a number, with the names and dates that are noted."""
        if self.state is None:
            return []
        titles, dates = (self.notes.get(REGIMES, {}).get(part, {}) for part in ("titles", "dates"))
        dates = _short_dates(dates)
        concepts = []
        for concept in self.engine.concepts(self.params, self.state):
            known = [tuple(dates.get(str(end), "") for end in visit) for visit in concept.visits]
            shown: Any = tuple(known) if any(map(any, known)) else ()
            title = titles.get(str(concept.name), "")
            concepts.append(replace(concept, title=title, dates=shown))
        return concepts

    def _outcomes(self, outcomes: np.ndarray) -> dict[str, Any]:
        """Return the shares of classes, or the mean of labels, that were counted of a regime."""
        n, *counts = outcomes.tolist()
        if not n:
            return {}
        if self.task == "regression":
            return {"mean": counts[0] / n}
        counts = [n - counts[0], counts[0]] if len(counts) == 1 else counts
        shares = zip(self._classes() or (), (count / n for count in counts), strict=False)
        return {"shares": tuple(sorted(shares, key=lambda share: (-share[1], share[0])))}

    def _input_weight(self, at: int, output: int, weight: float, elsewhere: float) -> InputWeight:
        """Return a weight of a regime under the names of its column and class."""
        column = self.columns[at] if self.columns and at < len(self.columns) else at
        if self.task == "regression":
            return InputWeight(column, None, weight, elsewhere)
        names = self._classes() or []
        if self._learnt().n_outputs > 1 or len(names) < 2:
            return InputWeight(column, names[output], weight, elsewhere)
        second = max(names)  # as `classes_` has them
        sign = 1.0 if names[1] == second else -1.0
        return InputWeight(column, second, sign * weight, sign * elsewhere)

    def regime(self) -> int | None:
        """Return the number of the regime that the stream is in, None while it has none."""
        return None if self.state is None else self.engine.regime_reader(self.params, self.state)()

    def regime_sentence(self) -> str:
        """Return in which regime the model answers."""
        for concept in self._bare_concepts():
            if concept.in_charge:
                *_, now = concept.visit_texts() or [f"row {concept.first:,}"]
                since = now.removeprefix("now, since ")
                return f"answered in {regime_text(concept.name, concept.title)}, here since {since}"
        return "answered in no regime that has a number yet"

    def name_regime(self, number: int, title: str) -> None:
        """In place: call a regime by a name of the user's; "" takes it away."""
        known = [concept.name for concept in self._bare_concepts()]
        if number not in known:
            listed = ", ".join(map(str, known)) or "none yet"
            raise ValueError(f"number must be that of a regime ({listed}), got {number!r}")
        if not isinstance(title, str) or len(title) > LONGEST_TITLE or not title.isprintable():
            rule = f"a text of at most {LONGEST_TITLE} characters in one line"
            raise ValueError(f"title must be {rule}, got {title!r:.80}")
        noted = self.notes.get(REGIMES, {})
        titles = {key: old for key, old in noted.get("titles", {}).items() if key != str(number)}
        title = title.strip()
        if title in titles.values():
            raise ValueError(f"title must be of one regime alone, got {title!r} again")
        if title:
            titles[str(number)] = title
        self.notes = {**self.notes, REGIMES: {**noted, "titles": titles}}

    def note_dates(self, date_of: Callable[[int], datetime | None]) -> None:
        """In place: when the labelled samples came at which regimes begin and end.

        date_of returns the date of a sample, by its number, or None for what is noted of it.
        """
        if self.state is None:
            return
        noted = self.notes.get(REGIMES, {})
        before, dates = noted.get("dates", {}), {}
        for sample in sorted(self.engine.samples_spoken_of(self.params, self.state)):
            date, key = date_of(sample), str(sample)
            text = before.get(key, "") if date is None else f"{date:%Y-%m-%dT%H:%M:%S}"
            dates.update({key: text} if text else {})
        if dates or before:
            self.notes = {**self.notes, REGIMES: {**noted, "dates": dates}}

    def facts(self) -> dict[str, str]:
        """Return what a person wants to know of it first, in words by name."""
        facts = {"rows learnt": f"{self.n_labelled:,}"}
        if self.columns is not None:
            facts["columns"] = _listed([str(name) for name in self.columns])
        elif self.state is not None:
            facts["columns"] = f"{self.width:,}"
        if self.task == "classification" and len(self.labels):
            facts["classes"] = _listed([repr(label) for label in self.labels.names])
        concepts = self._bare_concepts()
        if self.params.mode == "auto":
            facts["regimes known"] = f"{len(concepts):,}"
        for concept in concepts:
            if concept.in_charge:
                called = f"{concept.name} ({concept.title})" if concept.title else concept.name
                *before, now = concept.visit_texts() or [f"now, since row {concept.first:,}"]
                facts["regime now"] = f"{called}, {now.removeprefix('now, ')}"
                facts["here before"] = latest(before) or "never"
        return facts

    def __repr__(self) -> str:
        kind = "default model" if self.params.mode == "auto" else "paper's model"
        facts = "; ".join(f"{name}: {value}" for name, value in self.facts().items())
        return f"<{kind}, {self.task}; {facts}>"

    def _repr_html_(self) -> str:
        """Return a card for notebooks."""
        kind = "mooe" if self.params.mode == "auto" else "mooe, the paper's algorithm"
        rows = "".join(
            f"<tr><td style='text-align:left'>{escape(name)}</td>"
            f"<td style='text-align:left'>{escape(value)}</td></tr>"
            for name, value in self._card_facts()
        )
        return (
            f"<table><thead><tr><th colspan=2>{kind}: {self.task}</th></tr></thead>{rows}</table>"
        )

    def _card_facts(self) -> Iterator[tuple[str, str]]:
        """Yield what the card says: the facts, then when each regime was here and what it is."""
        yield from self.facts().items()
        for concept in self.concepts():
            words = "; ".join([concept.when(), *concept.description()])
            yield regime_text(concept.name, concept.title), words

    # Files

    def to_bytes(self) -> bytes:
        """Return the whole model as bytes, see `mooe.modelfile`."""
        state, classes = self.state or self._fresh_state(self.width), self._classes()
        columns = self.columns or None
        if columns and getattr(state, "narrow", True):  # those without a name have their number
            columns = [*columns, *range(len(columns), state.n_features)]
        return modelfile.to_bytes(
            modelfile.Contents(
                self.params,
                state,
                None if classes is None else classes[: state.n_classes],
                columns,
                {expert.name: dump_added(expert) for expert in self.added},
                self.notes,
                self.decision,
                self.tally,
                self.groups[: state.n_features],
            )
        )

    @classmethod
    def from_bytes(
        cls, blob: bytes, trusted: Sequence[str] = (), *, verify: bool = True
    ) -> "Model":
        """Return the model that `to_bytes` was called on, or raise ModelFileError.

        Parameters
        ----------
        trusted : sequence of str
            Types of added experts that skops may make, as in `add_expert`.
        verify : bool
            False is several times quicker, for bytes that nobody else can have touched: neither
            checksum nor content is checked, and forged bytes may crash the process.
        """
        return cls._of(modelfile.from_bytes(blob, verify=verify), trusted)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file: all of it, or the file stays as it was."""
        modelfile.write(path, self.to_bytes())

    @classmethod
    def load(cls, path: str | os.PathLike[str], trusted: Sequence[str] = ()) -> "Model":
        """Return the model that `save` was called on, by whichever shell; errors name the file."""
        contents = modelfile.read(path)
        try:
            return cls._of(contents, trusted)
        except modelfile.ModelFileError as problem:
            raise modelfile.ModelFileError(f"{os.fspath(path)}: {problem}") from problem

    @classmethod
    def _of(cls, contents: modelfile.Contents, trusted: Sequence[str]) -> "Model":
        """Return the model of what was in a file."""
        model = cls(contents.params, contents.columns, contents.groups)
        state, has_width = contents.state, bool(contents.columns)
        is_fresh = state.n_labelled == state.n_classes == 0 and (has_width or not state.n_features)
        _check_regimes(contents.notes)
        model.state, model.notes = None if is_fresh else contents.state, contents.notes
        model.labels = Labels(contents.labels or ())
        model.decision, model.tally = contents.decision, contents.tally
        model.added = [load_added(name, blob, trusted) for name, blob in contents.added.items()]
        return model


def _short_dates(dates: dict[str, str]) -> dict[str, str]:
    """Return dates of samples as short as they may be.

    >>> _short_dates({"7": "2022-06-01T00:00:00"}), _short_dates({"7": "2022-06-01T10:07:30"})
    ({'7': '2022-06-01'}, {'7': '2022-06-01 10:07:30'})
    """
    moments = {at: datetime.fromisoformat(text) for at, text in dates.items()}
    if not moments:
        return {}
    length = max(moments.values()) - min(moments.values())
    are_days = all(text.endswith("T00:00:00") for text in dates.values())
    form = date_form(length.total_seconds(), are_days)
    return {at: moment.strftime(form) for at, moment in moments.items()}


def _check_regimes(notes: dict[str, Any]) -> None:
    """Raise ModelFileError unless what is noted of regimes are texts, by number."""
    noted = notes.get(REGIMES, {})
    tables = (
        noted.values() if isinstance(noted, dict) and set(noted) <= {"titles", "dates"} else [0]
    )
    for table in tables:
        good = isinstance(table, dict) and all(
            key.isdigit() and isinstance(text, str) for key, text in table.items()
        )
        with suppress(ValueError, AttributeError):
            for text in noted.get("dates", {}).values() if good else ():
                datetime.fromisoformat(text)
            if good:
                continue
        raise modelfile.ModelFileError(
            f"the model file is damaged: its notes on regimes are {noted!r:.80}"
        )


def _as_rows(X: Any) -> Any:
    """Return rows as compiled code takes them."""
    try:
        return X if sparse.issparse(X) else np.require(X, np.float64, ("C", "W"))
    except (TypeError, ValueError) as problem:
        hint = "MOOEClassifier and MOOERegressor take frames with texts"
        raise ValueError(f"X must be an array of numbers ({problem}); {hint}") from problem


def _is_no_class(numbers: np.ndarray) -> np.ndarray:
    """Return which numbers are none of a class; NaN is not looked at."""
    far = (numbers < 0.0) | (numbers >= MOST_CLASSES)
    return np.asarray(far | ((numbers != np.floor(numbers)) & (numbers == numbers)))


def _refuse(name: str, values: np.ndarray, bad: np.ndarray, rule: str) -> None:
    """Raise ValueError for the first value that is bad."""
    if bad.any():
        row = int(bad.argmax())
        raise ValueError(f"{name} must be {rule}, got {values[row]:g} in row {row}")


def _listed(names: list[str], most: int = 8) -> str:
    """Return how many names there are, and the first of them."""
    more = ", ..." if len(names) > most else ""
    return f"{len(names):,} ({', '.join(names[:most])}{more})" if names else "none"
