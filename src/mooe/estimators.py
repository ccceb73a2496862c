"""The estimators in scikit-learn's dialect: thin shells around a Model.

Threads: any number may predict with one estimator at a time, as long as none learns; learning
(`fit`, `partial_fit`) needs the estimator for itself.
"""

import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import compress
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from mooe.auto.params import AutoParams
from mooe.decision import NAMES, Decision
from mooe.engine import AnyParams
from mooe.explanation import Concept, Expert, Explanation, Vote
from mooe.labels import as_label, python_labels, sorted_classes
from mooe.model import Model
from mooe.modelfile import ModelFileError
from mooe.numerics.blocks import State
from mooe.numerics.checks import parameters_of
from mooe.numerics.features import LARGEST_WEIGHT
from mooe.numerics.scores import probabilities
from mooe.paper.params import Params
from mooe.streams.stream import Chunk, stacked
from mooe.tables import Frame, SourceColumns, columns_of, has_texts, is_encoded
from mooe.user_experts import AddedExpert, check_added
from mooe.validation import (
    as_numbers,
    check_encoded,
    check_labels,
    check_rows,
    check_samples,
    check_targets,
    check_unchanged,
    make_params,
    parameter_names,
    parameter_values,
    unchanged_on_error,
)

__all__ = [
    "MOOEClassifier",
    "MOOERegressor",
    "PaperMOOEClassifier",
    "PaperMOOERegressor",
    "StreamEstimator",
    "load",
]

# Of scikit-learn's check_estimator, what cannot hold, and why.
EXPECTED_FAILED_CHECKS = {
    f"check_sample_weight_equivalence_on_{kind}_data": (
        "a row of weight 2 is one label of its interval, two rows are two: intervals, and with "
        "them the experts, end elsewhere"
    )
    for kind in ("dense", "sparse")
}


class StreamEstimator(BaseEstimator):
    """What all estimators of mooe share; rows are learnt in the order in which they are given.

    All that was learnt is in `model_`, a `mooe.Model`. Whatever is refused leaves the estimator as
    it was.
    """

    _params_class: ClassVar[type[Params] | type[AutoParams]]
    _task: ClassVar[str]
    _decides: ClassVar[bool] = False  # whether it has the parameters of a Decision
    model_: Model
    classes_: np.ndarray  # of classifiers
    _chosen: dict[str, Any]  # the parameters when learning began

    # Learning

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Forget everything, then learn the rows in their order.

        Parameters
        ----------
        X : array, frame or sparse array (n, n_features)
        y : array (n,)
        sample_weight : array (n,), optional
            Scales loss and gradient; a row of weight 0 is not learnt.
        """
        with unchanged_on_error(self):
            for name in ("model_", "classes_", "n_features_in_", "feature_names_in_"):
                self.__dict__.pop(name, None)
            sample_weight = as_numbers("sample_weight", sample_weight)
            if sample_weight is not None and not np.asarray(sample_weight).any():
                raise ValueError("sample_weight must be above 0 for some row, got zeros alone")
            self.partial_fit(X, y, sample_weight=sample_weight)
            if self.model_.decision is not None:
                self.model_.decision.check_all_classes(self.model_.labels.names)
        return self

    def partial_fit(self, X: Any, y: Any, *, sample_weight: Any = None) -> Self:
        """Learn more rows, in their order."""
        raise NotImplementedError

    def upgrade(self) -> Self:
        """Let what came after the model was saved by an older version take part from now on.

        A model that is loaded goes on as it was, to the bit, until this is called.
        """
        check_is_fitted(self, "model_")
        self.model_.upgrade()
        self.__dict__.update(self._of(self.model_).__dict__)
        return self

    def add_expert(self, model: Any, name: str, trusted: Sequence[str] = ()) -> Self:
        """Let a fitted model compete with the other experts, before the first row or later.

        It is asked for every row, with X as the user gives it, and does not learn. A classifier
        votes by its probabilities, or, where it has none, by its answers alone; a class that it was
        not trained on has the probability 0. `fit` keeps it; `clone` does not, for it is no
        parameter.

        Parameters
        ----------
        model : object
            With `predict_proba` and `classes_`, or with `predict`.
        name : str
            For `experts_` and `explain`.
        trusted : list of str, default=()
            A model is saved with skops, and only if all its types are known to do no harm when they
            are loaded. Name those here that you trust beside, and again in `load`: trees are
            "sklearn.tree._tree.Tree".

        Examples
        --------
        >>> from sklearn.linear_model import LogisticRegression
        >>> from mooe import MOOEClassifier
        >>> from mooe.datasets import recurring
        >>> stream = recurring(n=3000, length=1000)
        >>> batch = LogisticRegression().fit(stream.X[:1000], stream.y[:1000])
        >>> model = MOOEClassifier().add_expert(batch, "last year's")
        >>> _ = model.partial_fit(stream.X[:1000], stream.y[:1000])
        >>> max(model.experts_, key=lambda expert: expert.weight).name
        "last year's"
        """
        added: list[AddedExpert] = getattr(self, "_added", [])
        if self._params_class is not AutoParams:
            raise ValueError("experts can be added to the default model only, not to the paper's")
        if hasattr(self, "model_"):
            self.model_.add_expert(model, name, trusted)
            self._added = self.model_.added
        else:
            expert = AddedExpert(name, model, tuple(trusted))
            check_added(expert, added)
            self._added = [*added, expert]
        return self

    def _learn(self, X: Any, y: Any, sample_weight: Any, declared: Any = None) -> None:
        """In place: learn rows, all or none; `declared` are classes that are known to come."""
        with unchanged_on_error(self):
            model: Model | None = getattr(self, "model_", None)
            is_first, is_numeric = model is None, self._task == "regression"
            table = self._table(X)
            if table is not None:
                values = check_labels(self, y, len(table.frame), is_numeric)
            else:
                rows, values = self._samples(X, y, is_first, is_numeric)
            weights = _check_weights(sample_weight, len(values))
            if model is None:
                model, chosen = self._new_model(), parameter_values(self)
            else:
                chosen = self._chosen
                check_unchanged(self, chosen)
            if is_numeric:
                numbers = values.astype(np.float64)
                check_targets(model.params, numbers)
                self._warn_of_clipping(model, numbers, weights)
            if table is None:
                chunks = [Chunk(rows, values, ())]
            else:
                chunks = table.chunks(model)
                if model.state is not None and len(chunks[-1].columns) > model.width:
                    model = model.copy()  # all rows are learnt, or none
                model.grow_groups(chunks[0].groups)
            if not is_numeric:
                width = chunks[0].X.shape[1]
                model, numbers = self._number(model, y, values, weights, declared, width)
            self._learn_chunks(model, chunks, numbers, weights, X if table is None else table)
            self.model_, self._chosen = model, chosen
            if not is_numeric and len(model.labels) != len(getattr(self, "classes_", ())):
                self.classes_ = sorted_classes(model.labels.names)

    def _new_model(self) -> Model:
        """Return the model before its first row; the columns are those of the rows just checked."""
        columns = getattr(self, "feature_names_in_", None)
        params = make_params(self, self._params_class, self._task)
        model = Model(params, None if columns is None else columns.tolist())
        model.added = list(getattr(self, "_added", []))
        if self._decides:
            model.decide(Decision(*(getattr(self, name) for name in NAMES)))
        return model

    def begin(self, X: Any) -> tuple[Model, list[Chunk]]:
        """Return a model that goes on from here on its own, and rows as it takes them.

        For whoever drives the model directly, as `mooe.evaluate.prequential` does; `adopt` brings
        it back. The estimator stays as it is.
        """
        before = dict(self.__dict__)
        try:
            known: Model | None = getattr(self, "model_", None)
            table = self._table(X)
            if known is not None:
                check_unchanged(self, self._chosen)
                rows = self._rows(X) if table is None else None
            elif table is None:
                rows = check_rows(self, X, is_first=True, **self._accepted())
            model = self._new_model() if known is None else known.copy()
        finally:
            self.__dict__.clear()
            self.__dict__.update(before)
        if table is None:
            return model, [Chunk(rows, np.zeros(0), ())]
        self._note_table(model, table)
        return model, table.chunks(model)

    def adopt(self, model: Model, chunks: list[Chunk]) -> None:
        """In place: go on from a model that `begin` returned and that has learnt its rows since."""
        if chunks[-1].columns:
            model.columns = list(chunks[-1].columns)
        own, learnt = self._of(model), ("classes_", "model_", "_added")
        shown = ("n_features_in_", "feature_names_in_")
        known = vars(own)
        self.__dict__.update({name: known[name] for name in (*learnt, *shown) if name in known})
        self._chosen = parameter_values(self)

    def _learn_chunks(
        self, model: Model, chunks: list[Chunk], y: np.ndarray, weights: Any, given: Any
    ) -> None:
        """In place: let a model learn chunks of rows, which are given as an array or as a Frame."""
        start = 0
        for chunk in chunks:
            part = slice(start, start + chunk.X.shape[0])
            own = None if weights is None else weights[part]
            asked = given
            if isinstance(given, Frame):
                model.grow_groups(chunk.groups)
                asked = given.part(start, part.stop) if model.added else None
            model.learn(chunk.X, y[part], own, given=asked)
            start = part.stop
        if isinstance(given, Frame):
            model.columns = list(chunks[-1].columns)
            if self._note_table(model, given):
                self._show_inputs(model)

    def _note_table(self, model: Model, table: Frame) -> bool:
        """In place: keep with a model what its table is like; return whether it was not known."""
        if "source" in model.notes:
            return False
        table.source(model).note(model)
        return True

    def _show_inputs(self, model: Model) -> None:
        """In place: the attributes that scikit-learn shows of a model's columns."""
        source, names = SourceColumns.of(model), model.columns
        self.n_features_in_ = model.width
        if source.is_encoded:
            names = [*source.names]
            self.n_features_in_ = len(names)
        if names is not None and all(isinstance(name, str) for name in names):
            self.feature_names_in_ = np.array(names, dtype=object)

    def _number(
        self, model: Model, given: Any, y: np.ndarray, weights: Any, declared: Any, width: int
    ) -> tuple[Model, np.ndarray]:
        """Return the numbers of labels, and the model that knows them: a copy if some are new."""
        listed = python_labels(given, y)
        numbers = model.labels.find(listed)
        if declared is None and not np.isnan(numbers).any():
            return model, numbers
        labels = model.labels.copy()
        if declared is not None:
            classes = python_labels(declared, np.asarray(declared).ravel(), "classes")
            labels.add(sorted({as_label(label, name="classes") for label in classes}))
        n_declared = len(labels)
        learnt = listed if weights is None else list(compress(listed, weights > 0.0))
        labels.add(learnt if declared is None else listed)
        if declared is not None and len(labels) > n_declared:
            raise ValueError(
                f"y must hold labels of classes alone, got {labels.names[n_declared]!r}"
            )
        if model.state is not None:
            model = model.copy()
        model.labels = labels
        if declared is not None:
            model.start(width)
            model.grow_classes(n_declared)
        return model, labels.find(listed)

    def _warn_of_clipping(self, model: Model, y: np.ndarray, weights: Any) -> None:
        """Warn once, before they are learnt, of labels outside the bounds of the first interval."""

    # Answering

    def explain(self, x: Any) -> Explanation:
        """Return why one sample is answered so: a sentence, probabilities, inputs, votes.

        It is also the sequence of every expert's vote, with its weight, in the order of `experts_`.
        An input mattered by what the answer is more than with its mean so far in its place.

        Parameters
        ----------
        x : array (n_features,) or (1, n_features), or a sparse row

        Examples
        --------
        >>> from mooe import MOOEClassifier
        >>> from mooe.datasets import recurring
        >>> stream = recurring(n=2000, length=200)
        >>> model = MOOEClassifier().fit(stream.X[:1900], stream.y[:1900])
        >>> votes = model.explain(stream.X[1900])
        >>> [(vote.expert.name, vote.vote) for vote in votes if vote.expert.kind == "memory"]
        [('memory_plain', 1), ('memory_rich', 1)]
        """
        x = [x] if not issparse(x) and np.ndim(x) == 1 else x
        row = self._rows(x)
        if row.shape[0] != 1:
            raise ValueError(f"x must be one sample, got {row.shape[0]}")
        votes = self._votes(self.model_.votes(row, given=x))
        return self.model_.explanation(row, votes, given=x)

    def _votes(self, scores: np.ndarray) -> list[Vote]:
        """Return the votes that every expert's scores stand for."""
        values = zip(self.experts_, scores[:, 0].tolist(), strict=True)
        return [Vote(expert, value, (value,)) for expert, value in values]

    def _scores(self, X: Any) -> np.ndarray:
        """Return the mixture's scores of rows as the user gives them."""
        rows = self._rows(X)  # which refuses before anything is learnt
        return self.model_.scores(rows, given=X)

    # Checks

    def _rows(self, X: Any) -> Any:
        """Return rows to be answered as an array, or raise an error that says what is wrong."""
        model: Model | None = getattr(self, "model_", None)
        if model is None or model.n_labelled == 0:
            check_is_fitted(self, "model_")
            raise NotFittedError(f"this {type(self).__name__} has learnt no label yet")
        table = self._table(X)
        if table is not None:
            return stacked([chunk.X for chunk in table.chunks(model, is_fixed=True)], model.width)
        if is_encoded(model):
            return self._encoded_rows(X)
        return check_rows(self, X, **self._accepted())

    def _table(self, X: Any) -> Frame | None:
        """Return X as the table that the model was taught from, None where it is rows of numbers.

        Whether it is one the first rows say.
        """
        model: Model | None = getattr(self, "model_", None)
        if model is None:
            if isinstance(X, np.ndarray) or not has_texts(X):
                return None
            table = Frame(X, calendar=getattr(self, "calendar", False))
            for remark in table.stream.remarks:
                warnings.warn(remark, stacklevel=5)
            return table
        names = columns_of(X) if is_encoded(model) else None
        if names is None or set(model.columns or ()) <= set(names):
            return None
        return Frame(X, SourceColumns.of(model).reading(model))

    def _encoded_rows(self, X: Any) -> Any:
        """Return rows that are given with the columns of a model that was taught by a table."""
        columns, names = list(self.model_.columns or ()), columns_of(X)
        if names is not None:
            X = X[columns]
        inputs = SourceColumns.of(self.model_).names
        return check_encoded(X, columns, inputs, **self._accepted())

    def _samples(self, X: Any, y: Any, is_first: bool, is_numeric: bool) -> tuple[Any, np.ndarray]:
        """Return rows of numbers and their labels as arrays, or raise ValueError."""
        if is_first or not is_encoded(self.model_):
            return check_samples(self, X, y, is_first, is_numeric, **self._accepted())
        rows = self._encoded_rows(X)
        return rows, check_labels(self, y, rows.shape[0], is_numeric)

    def _accepted(self) -> dict[str, Any]:
        """Return what scikit-learn is to let through: absent values and sparse rows, or neither."""
        if self._params_class is AutoParams:
            return {"accept_sparse": "csr", "ensure_all_finite": "allow-nan"}
        return {}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.sparse = self._params_class is AutoParams
        return tags

    # What it tells of itself

    @property
    def params_(self) -> AnyParams:
        """The parameters of the model, with every default filled in."""
        return self.model_.params

    @property
    def state_(self) -> State | None:
        """What the model has learnt."""
        return self.model_.state

    @property
    def weights_(self) -> np.ndarray:
        """The experts' weights now, in the order of `experts_`, (n_experts,)."""
        return np.array([expert.weight for expert in self.experts_])

    @property
    def experts_(self) -> list[Expert]:
        """The experts and their weights; of the paper's model the online expert last."""
        return self.model_.experts()

    @property
    def n_intervals_(self) -> int:
        """Intervals closed so far."""
        state, engine = self.model_.state, self.model_.engine
        return 0 if state is None else engine.n_intervals(self.model_.params, state)

    @property
    def concepts_(self) -> list[Concept]:
        """The regimes that were recognised at least three times; none of the paper's model."""
        return self.model_.concepts()

    @property
    def regime_(self) -> int | None:
        """The number of the regime that the stream is in, None while it has none."""
        return self.model_.regime()

    def name_regime(self, number: int, title: str) -> Self:
        """Call a regime of `concepts_` by a name of your own, which is saved with the model."""
        check_is_fitted(self, "model_")
        self.model_.name_regime(number, title)
        return self

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        shown: str = super().__repr__(N_CHAR_MAX)
        return f"{shown}  # {self.model_!r}" if hasattr(self, "model_") else shown

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Return the notebook card: what was learnt, above scikit-learn's diagram."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if hasattr(self, "model_") and "text/html" in bundle:
            bundle["text/html"] = self.model_._repr_html_() + bundle["text/html"]
        return bundle

    def _html_repr(self) -> str:
        """Return the notebook card for `_repr_html_`."""
        diagram: str = super()._html_repr()
        return self.model_._repr_html_() + diagram if hasattr(self, "model_") else diagram

    # Files

    def to_bytes(self) -> bytes:
        """Return the whole model as bytes, see `mooe.modelfile`."""
        check_is_fitted(self, "model_")
        return self.model_.to_bytes()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file: all of it, or the file stays as it was."""
        check_is_fitted(self, "model_")
        self.model_.save(path)

    @classmethod
    def from_bytes(cls, blob: bytes, trusted: Sequence[str] = ()) -> Self:
        """Return the model that `to_bytes` gave, whichever shell it was called on.

        Parameters
        ----------
        trusted : list of str
            Types of added experts that may be made, as in `add_expert`.
        """
        return cls._of(Model.from_bytes(blob, trusted))

    @classmethod
    def load(cls, path: str | os.PathLike[str], trusted: Sequence[str] = ()) -> Self:
        """Return the model of a file, whichever shell saved it; trusted as in `from_bytes`."""
        model = Model.load(path, trusted)
        try:
            return cls._of(model)
        except ModelFileError as problem:
            raise ModelFileError(f"{os.fspath(path)}: {problem}") from problem

    @classmethod
    def _of(cls, model: Model) -> Self:
        """Return an estimator that goes on from a model."""
        suits = _CLASSES[model.params.mode, model.task]
        if cls is not suits and not issubclass(cls, suits):
            raise ModelFileError(
                f"the model is a {suits.__name__}, and {cls.__name__} was to load it"
            )
        values = {field.name: getattr(model.params, field.name) for field in fields(model.params)}
        values["random_state"] = values["seed"]
        values["without"] = values.get("without") or None
        values["calendar"] = "time" in (SourceColumns.of(model).inputs or {}).values()
        values |= vars(model.decision or Decision())
        estimator = cls(**{name: values[name] for name in parameter_names(cls)})
        estimator.model_, estimator._chosen = model, parameter_values(estimator)
        if model.added:
            estimator._added = model.added
        estimator._show_inputs(model)
        if model.task == "classification":
            estimator.classes_ = sorted_classes(model.labels.names)
        return estimator


class _ClassAnswers(ClassifierMixin):
    """What the classifiers share: classes in the order of their labels, and probabilities."""

    _task: ClassVar[str] = "classification"

    def partial_fit(
        self: Any, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> Any:
        """Learn more rows, in their order.

        Parameters
        ----------
        X, sample_weight
            As of `fit`.
        y : array (n,)
            Labels, text or whole numbers; a class may appear at any time. Labels that Python
            calls equal are one class: 1, 1.0 and True.
        classes : array, optional
            Classes that are known to come.
        """
        self._learn(X, y, sample_weight, classes)
        return self

    def predict(self: Any, X: Any) -> np.ndarray:
        """Return the class that each row is answered with: the most likely, or by `threshold`."""
        scores = self._scores(X)
        decision = self.model_.decision
        if decision is not None and decision.threshold is not None:
            places = np.argsort(self.model_.labels.order())
            return np.asarray(self.classes_[places[self.model_.answers(scores)]])
        return np.asarray(self.classes_[self._winners(scores)])

    def predict_proba(self: Any, X: Any) -> np.ndarray:
        """Return class probabilities, (n, n_classes) in the order of `classes_`."""
        scores = self._scores(X)
        return probabilities(self.model_.params, scores)[:, self.model_.labels.order()]

    def decision_function(self: Any, X: Any) -> np.ndarray:
        """Return scores, (n, n_classes); of two classes (n,), above 0 the second.

        Their softmax, times 2 in the default model, is what `predict_proba` returns.
        """
        scores: np.ndarray = self._in_order(self._scores(X))
        return scores if scores.shape[1] > 1 else scores[:, 0]

    def _votes(self: Any, scores: np.ndarray) -> list[Vote]:
        """Return the votes that every expert's scores stand for."""
        votes = self.classes_[self._winners(scores)].tolist()
        rows = zip(self.experts_, votes, self._in_order(scores).tolist(), strict=True)
        return [Vote(expert, vote, tuple(row)) for expert, vote, row in rows]

    def _in_order(self: Any, scores: np.ndarray) -> np.ndarray:
        """Return scores in the order of `classes_`; a single one is above 0 for the second."""
        order = self.model_.labels.order()
        if scores.shape[1] > 1:
            return scores[:, order]
        if len(order) == 1:
            return np.zeros_like(scores)
        return scores if order[0] == 0 else -scores

    def _winners(self: Any, scores: np.ndarray) -> np.ndarray:
        """Return the place in `classes_` of the class with the highest score in each row."""
        ordered: np.ndarray = self._in_order(scores)
        if ordered.shape[1] == 1:
            return (ordered[:, 0] > 0.0).astype(np.int64)
        return np.asarray(ordered.argmax(axis=1))


class _ValueAnswers(RegressorMixin):
    """What the regressors share."""

    _task: ClassVar[str] = "regression"

    def partial_fit(self: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Learn more rows, in their order; parameters as of `fit`."""
        self._learn(X, y, sample_weight)
        return self

    def predict(self: Any, X: Any) -> np.ndarray:
        """Return the value of each row."""
        return np.asarray(self._scores(X)[:, 0])


@dataclass(eq=False, repr=False, kw_only=True)
class MOOEClassifier(_ClassAnswers, StreamEstimator):
    """Classifier for streams whose concepts change and come back; nothing needs tuning.

    Rows are learnt in the order in which they are given. It takes absent values (NaN), sparse
    rows, and frames of pandas, polars and pyarrow with texts, categories and truth values, which it
    encodes as the command does; what a column holds the first rows say. It keeps a memory of
    regimes (`concepts_`).

    Parameters
    ----------
    interval : int, default=40
        Labelled samples per interval of the concept memories, at least 2.
    max_concepts : int, default=12
        Regimes kept; the least recently recognised one leaves.
    without : tuple of str or None, default=None
        Parts to leave out, for an ablation, see `mooe.auto.params.PARTS`.
    random_state : int, RandomState or None
        For all that is drawn: waves, products, trees, the rows of neighbours; None counts as 0.
    class_weight : None, "balanced" or dict of label to weight
        What the rows of a class count more than others; "balanced" goes by the rows so far. The
        probabilities are then those of the weighted stream, and rare classes are told apart worse:
        to find more of them, rather choose a threshold.
    threshold : None, float, {"cost": (false_alarm, miss)} or {"alarm_rate": share}
        The probability above which `predict` answers the positive class, else the most likely
        other class; a threshold by the costs of a false alarm and of a miss; or one that follows
        the rows so that about this share of them is answered positive. `predict_proba` and
        `decision_function` do not follow it. See `mooe.decision.Decision`.
    positive : label, optional
        The class that threshold is about; by default the second of two, `classes_[1]`. It must be
        named where there are more.
    calendar : bool, default=False
        Whether hour, weekday and season of the dates of a frame are inputs; else they are left out.

    Attributes
    ----------
    classes_ : array
        Classes met so far, sorted.
    concepts_ : list of Concept
        The regimes that were recognised at least three times: number, when they were here, the
        shares of classes, the inputs that set them apart, the name that you gave them.
    regime_ : int or None
        The number of the regime that the stream is in.
    weights_ : array (n_experts,)
        Weights of the experts now.
    experts_ : list of Expert
        Name, kind and weight of each.
    n_intervals_ : int
        Intervals closed so far.
    model_ : Model
        All that was learnt.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn; of a frame with texts the columns that are inputs.

    Examples
    --------
    >>> from mooe import MOOEClassifier
    >>> from mooe.datasets.synthetic import recurring
    >>> stream = recurring(n=2000, length=200)
    >>> model = MOOEClassifier().fit(stream.X[:1900], stream.y[:1900])
    >>> float(model.score(stream.X[1900:], stream.y[1900:]))
    0.9
    >>> len(model.concepts_), model.regime_
    (4, 2)
    """

    _params_class = AutoParams
    _decides = True

    interval: int = 40
    max_concepts: int = 12
    without: Sequence[str] | None = None
    random_state: Any = None
    class_weight: Any = None
    threshold: Any = None
    positive: Any = None
    calendar: bool = False


@dataclass(eq=False, repr=False, kw_only=True)
class MOOERegressor(_ValueAnswers, StreamEstimator):
    """Regressor for streams whose concepts change and come back, by the squared loss.

    Parameters and attributes are those of `MOOEClassifier` but for what is about classes.

    Examples
    --------
    >>> import numpy as np
    >>> from mooe import MOOERegressor
    >>> X = np.random.default_rng(0).uniform(-1, 1, (500, 2))
    >>> model = MOOERegressor().fit(X, X[:, 0] - X[:, 1])
    >>> float(model.score(X, X[:, 0] - X[:, 1])) > 0.99
    True
    """

    _params_class = AutoParams

    interval: int = 40
    max_concepts: int = 12
    without: Sequence[str] | None = None
    random_state: Any = None
    calendar: bool = False


@parameters_of(Params, "seed", "target_bounds", kw_only=True)
class PaperMOOEClassifier(_ClassAnswers, StreamEstimator):
    """Classifier by MOOE as published, every formula exact, with the corrected step.

    `step="printed"` is the paper's own, with which its bounds can be broken.
    `mooe.paper.params.Params` says more on each parameter, `docs/algorithm.md` where the published
    algorithm is corrected.

    Parameters
    ----------
    interval : int, default=50
        Labelled samples per interval.
    max_experts : int, default=25
        Experts kept, the online one included.
    loss : {"squared", "logistic"}
    priority : {"weight", "queue"}
        Who leaves when there are too many experts.
    start : {"warm", "reset", "random"}
        The online expert in a new interval.
    radius, input_bound : float, default=1.0
        Of the ball of experts; of the norm of an input.
    pull, online_rate, meta_rate : float or None, default=None
        None is the paper's formula; meta_rate may be "anytime".
    step : {"corrected", "printed"}
    scale, intercept : bool, default=True
    random_state : int, RandomState or None
        For start="random"; None counts as 0.

    Attributes
    ----------
    classes_ : array
        Classes met so far, sorted.
    weights_ : array (n_experts,)
        Weights of the experts now, the online one's last.
    experts_ : list of Expert
        Kind, interval, samples and weight of each, the online expert last.
    n_intervals_ : int
        Intervals closed so far.
    model_ : Model
        All that was learnt.

    Examples
    --------
    >>> from mooe import PaperMOOEClassifier
    >>> from mooe.datasets.synthetic import recurring
    >>> stream = recurring(n=2000, length=200)
    >>> model = PaperMOOEClassifier().fit(stream.X[:1900], stream.y[:1900])
    >>> len(model.experts_), model.experts_[-1].kind
    (25, 'online')
    """

    random_state: Any = None


@parameters_of(Params, "seed", "loss", kw_only=True)
class PaperMOOERegressor(_ValueAnswers, StreamEstimator):
    """Regressor by MOOE as published, by the squared loss.

    Parameters and attributes are those of `PaperMOOEClassifier`, without `loss` and `classes_`.

    Parameters
    ----------
    target_bounds : (float, float) or None, default=None
        Bounds of the labels; a label outside is an error. None takes those of the first interval in
        which two labels differ; later labels outside are learnt as the nearest bound, counted in
        `n_clipped_` and warned of once.

    Examples
    --------
    >>> import numpy as np
    >>> from mooe import PaperMOOERegressor
    >>> X = np.random.default_rng(0).uniform(-1, 1, (500, 2))
    >>> model = PaperMOOERegressor(target_bounds=(-2.0, 2.0)).fit(X, X[:, 0] - X[:, 1])
    >>> float(model.score(X, X[:, 0] - X[:, 1])) > 0.9
    True
    """

    random_state: Any = None

    @property
    def n_clipped_(self) -> int:
        """Labels so far that lay outside the bounds of the first interval."""
        state = self.model_.state
        return 0 if state is None else int(state.n_clipped)

    def _warn_of_clipping(self, model: Model, y: np.ndarray, weights: Any) -> None:
        """Warn once, before they are learnt, of labels outside the bounds of the first interval."""
        state = model.state
        if state is None or not state.bounds_frozen or state.n_clipped:
            return
        learnt = y if weights is None else y[weights > 0.0]
        if ((learnt < state.low) | (learnt > state.high)).any():
            warnings.warn(
                f"a label lies outside ({state.low:g}, {state.high:g}), the bounds of the first "
                "interval; such labels are learnt as the nearest bound: pass "
                "target_bounds=(low, high)",
                stacklevel=4,
            )


_CLASSES: dict[tuple[str, str], type[StreamEstimator]] = {
    (shell._params_class.mode, shell._task): shell
    for shell in (MOOEClassifier, MOOERegressor, PaperMOOEClassifier, PaperMOOERegressor)
}


def load(path: str | os.PathLike[str], trusted: Sequence[str] = ()) -> StreamEstimator:
    """Return the estimator of a model file, of the class that suits it, whichever shell saved it.

    Examples
    --------
    >>> import tempfile
    >>> import mooe
    >>> file = tempfile.mkdtemp() + "/model.mooe"
    >>> mooe.MOOEClassifier().fit([[0.0], [1.0]], ["no", "yes"]).save(file)
    >>> type(mooe.load(file)).__name__
    'MOOEClassifier'
    """
    model = Model.load(path, trusted)
    return _CLASSES[model.params.mode, model.task]._of(model)


def _check_weights(sample_weight: Any, n: int) -> np.ndarray | None:
    """Return the weights of n rows, None for ones, or raise ValueError."""
    if sample_weight is None:
        return None
    weights = np.array(as_numbers("sample_weight", sample_weight), dtype=np.float64)
    if weights.shape != (n,):
        raise ValueError(f"sample_weight must have the shape ({n},), got {weights.shape}")
    bad = weights[~((weights >= 0.0) & (weights <= LARGEST_WEIGHT))]
    if len(bad):
        raise ValueError(
            f"sample_weight must be at least 0 and at most {LARGEST_WEIGHT:g}, got {bad[0]}"
        )
    return weights
