"""The models in River's dialect: samples as dicts, thin shells around a Model.

Features may be missing, new or in another order from sample to sample, see `mooe.named_rows`.
Threads: a model has room for one sample on its desk, so it serves one thread at a time.
"""

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from inspect import signature
from typing import Any, ClassVar, Self

import numpy as np

from mooe.auto.params import AutoParams
from mooe.decision import NAMES, Decision
from mooe.engine import AnyParams
from mooe.explanation import NOTHING_LEARNT, Concept, Expert, Explanation
from mooe.labels import Label, Labels, sorted_classes
from mooe.model import Model
from mooe.modelfile import ModelFileError
from mooe.named_rows import (
    NamedRows,
    Sample,
    check_sample,
    checked_label,
    checked_target,
    checked_values,
    checked_weight,
    frame_values,
)
from mooe.numerics.checks import parameters_of
from mooe.numerics.scores import probabilities, row_probabilities
from mooe.paper.params import Params

try:
    from river import base
except ImportError as problem:
    raise ImportError("mooe.river_adapter needs River: pip install 'mooe[river]'") from problem

__all__ = ["MOOEClassifier", "MOOERegressor", "PaperMOOEClassifier", "PaperMOOERegressor"]


class _StreamModel:
    """What all models of mooe share in River's dialect; all that was learnt is in `model`."""

    _params_class: ClassVar[type[Params] | type[AutoParams]]
    _task: ClassVar[str]
    _decides: ClassVar[bool] = False  # whether it has the parameters of a Decision
    _rows: NamedRows | None = None  # from the first label on

    @property
    def model(self) -> Model:
        """All that was learnt, see `mooe.Model`."""
        return self._begun([]).model if self._rows is None else self._rows.model

    @property
    def experts(self) -> list[Expert]:
        """The experts and their weights; of the paper's model the online one last."""
        return [] if self._rows is None else self._rows.model.experts()

    @property
    def concepts(self) -> list[Concept]:
        """The regimes that were recognised at least three times; none of the paper's model."""
        return [] if self._rows is None else self._rows.model.concepts()

    @property
    def regime(self) -> int | None:
        """The name of the regime that the stream is in, None while it has none."""
        return None if self._rows is None else self._rows.model.regime()

    @property
    def weights(self) -> list[float]:
        """The experts' weights now, in the order of `experts`."""
        return [expert.weight for expert in self.experts]

    def explain_one(self, x: Sample) -> Explanation:
        """Return why a sample is answered so: a sentence, probabilities, inputs, votes.

        It is also the sequence of every expert's vote, with its weight, in the order of `experts`;
        empty before any label. Scores of a vote are in the order in which labels were met.
        """
        return NOTHING_LEARNT if self._rows is None else self._rows.explain(x)

    def to_bytes(self) -> bytes:
        """Return the whole model as bytes, see `mooe.modelfile`."""
        return self.model.to_bytes()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file: all of it, or the file stays as it was."""
        self.model.save(path)

    @classmethod
    def from_bytes(cls, blob: bytes, trusted: Sequence[str] = ()) -> Self:
        """Return the model that `to_bytes` gave, whichever shell it was called on."""
        return cls._of(Model.from_bytes(blob, trusted))

    @classmethod
    def load(cls, path: str | os.PathLike[str], trusted: Sequence[str] = ()) -> Self:
        """Return the model of a file, whichever shell saved it."""
        return cls._of(Model.load(path, trusted))

    @classmethod
    def _of(cls, model: Model) -> Self:
        """Return a shell that goes on from a model."""
        suits = _CLASSES[model.params.mode, model.task]
        if not issubclass(cls, suits):
            raise ModelFileError(
                f"the model is a {suits.__name__}, and River's {cls.__name__} was to load it"
            )
        if model.added:
            names = ", ".join(expert.name for expert in model.added)
            raise ModelFileError(
                f"the model must have no added experts, got {names}: River's dialect cannot ask "
                "them; load it with the estimator"
            )
        values = {field.name: getattr(model.params, field.name) for field in fields(model.params)}
        if "without" in values:
            values["without"] = values["without"] or None  # River takes no empty tuple
        values |= vars(model.decision or Decision())
        shell = cls(**{name: values[name] for name in signature(cls).parameters})
        if model.state is not None or model.columns or len(model.labels):
            shell._rows = NamedRows(model)
        return shell

    def upgrade(self) -> Self:
        """Let what came after the model was saved by an older version take part from now on."""
        if self._rows is not None:
            self._rows.model.upgrade()
            self.__dict__.update(self._of(self._rows.model).__dict__)
        return self

    def __repr__(self) -> str:
        shown: str = super().__repr__()
        return shown if self._rows is None else f"{shown}  # {self._rows.model!r}"

    def _repr_html_(self) -> str:
        """Return a card for notebooks."""
        return self.model._repr_html_()

    def _make_params(self) -> AnyParams:
        """Return the Params that the parameters stand for."""
        chosen = self._get_params()  # type: ignore[attr-defined]
        values = {name: value for name, value in chosen.items() if name not in NAMES}
        return self._params_class(task=self._task, **values)

    def _begun(self, names: list[Any]) -> NamedRows:
        """Return what was learnt, or an empty beginning for features of these names."""
        return self._rows or NamedRows(self._new_model(names))

    def _new_model(self, names: list[Any]) -> Model:
        """Return a model that has learnt nothing, for features of these names."""
        model = Model(self._make_params(), names)
        if self._decides:
            model.decide(Decision(*(getattr(self, name) for name in NAMES)))
        return model

    def _begun_with(self, x: Sample) -> NamedRows:
        """Return what was learnt, or an empty beginning for the features of a sample."""
        if self._rows is None:
            check_sample(self._make_params(), x)
            return self._begun([*x])
        return self._rows

    def _learn_frame(
        self, X: Any, labels: np.ndarray, weights: np.ndarray, classes: Labels | None = None
    ) -> None:
        """In place: learn the rows of a frame, NaN is no label; all is checked in any case."""
        rows = self._begun(list(X.columns))
        if np.any((labels == labels) & (weights > 0.0)):
            rows.learn_frame(X, labels, weights, classes)
            self._rows = rows
        else:
            frame_values(rows.params, X, list(X.columns))


class _ClassModel(_StreamModel):
    """What the classifiers share."""

    _task = "classification"
    _multiclass = True  # for River

    def learn_one(self, x: Sample, y: Any, w: float = 1.0) -> None:
        """Learn a sample; without label (None) or with weight 0 it changes nothing."""
        rows = self._rows
        try:
            number = rows.model.labels.numbers[y]  # type: ignore[union-attr]
        except (AttributeError, KeyError, TypeError):
            self._learn_new(x, y, w)
        else:
            rows.learn(x, number, w)  # type: ignore[union-attr]

    def _learn_new(self, x: Sample, y: Any, w: float) -> None:
        """In place: learn a sample whose label is new, if it is one."""
        rows = self._begun_with(x)
        if y is None:
            check_sample(rows.params, x)
            return
        labels = rows.model.labels
        label = checked_label(y, labels.names)
        if checked_weight(w) > 0.0:
            rows.learn_new(x, len(labels), float(w), name=label)
            self._rows = rows

    def predict_one(self, x: Sample) -> Label | None:
        """Return the most likely label, or the one by `threshold`; None before any label."""
        rows = self._rows
        if rows is None:
            return None
        label: Label = rows.model.labels.names[rows.answer(x)]
        return label

    def predict_proba_one(self, x: Sample) -> dict[Label, float]:
        """Return the probability of each label met so far."""
        rows = self._rows
        if rows is None:
            return {}
        rows.answer(x)
        shares = row_probabilities(rows.params, rows.scores.tolist())
        return dict(zip(rows.model.labels.names, shares, strict=True))

    def learn_many(self, X: Any, y: Any, w: Any = 1.0) -> None:
        """Learn the rows of a frame in their order, as `learn_one` would; w may be a series."""
        weights = _weights_of(w, len(X))
        labels = self.model.labels.copy()
        numbers = np.full(len(X), np.nan)
        for i, given in enumerate(checked_values("y", y, len(X))):
            if given is None:
                continue
            label = checked_label(given, labels.names)
            if weights[i] > 0.0:
                numbers[i] = labels.number(label)
        self._learn_frame(X, numbers, weights, labels)

    def predict_many(self, X: Any) -> Any:
        """Return the series of what `predict_one` says of each row."""
        if self._rows is None:
            return _series([None] * len(X), X)
        model = self._rows.model
        chosen = model.named(model.answers(self._rows.score_frame(X)))
        return _series(chosen, X, model.labels.names)

    def predict_proba_many(self, X: Any) -> Any:
        """Return the frame of what `predict_proba_one` says of each row."""
        import pandas as pd

        if self._rows is None:
            return pd.DataFrame(index=X.index)
        names = self._rows.model.labels.names
        shares = probabilities(self._rows.params, self._rows.score_frame(X))[:, : len(names)]
        is_exact = sorted_classes(names).dtype != object
        columns = pd.Index(names, dtype=None if is_exact else object)
        return pd.DataFrame(shares, index=X.index, columns=columns)


class _ValueModel(_StreamModel):
    """What the regressors share."""

    _task = "regression"

    def learn_one(self, x: Sample, y: Any, w: float = 1.0) -> None:
        """Learn a sample; without label (None) or with weight 0 it changes nothing."""
        rows = self._begun_with(x)
        if y is None:
            check_sample(rows.params, x)
        elif rows.learn(x, checked_target(y, rows.params), w):
            self._rows = rows

    def predict_one(self, x: Sample) -> float | None:
        """Return the value that is expected, None before any label."""
        if self._rows is None:
            return None
        self._rows.answer(x)
        value: float = self._rows.scores.item()
        return value

    def learn_many(self, X: Any, y: Any, w: Any = 1.0) -> None:
        """Learn the rows of a frame in their order, as `learn_one` would; w may be a series."""
        params = self.model.params
        labels = [
            math.nan if label is None else checked_target(label, params)
            for label in checked_values("y", y, len(X))
        ]
        self._learn_frame(X, np.array(labels), _weights_of(w, len(X)))

    def predict_many(self, X: Any) -> Any:
        """Return the series of what `predict_one` says of each row."""
        if self._rows is None:
            return _series([None] * len(X), X)
        return _series(self._rows.score_frame(X)[:, 0], X)


@dataclass(eq=False, repr=False)
class MOOEClassifier(_ClassModel, base.MiniBatchClassifier):  # type: ignore[misc]
    """Classifier for streams whose concepts change and come back; nothing needs tuning.

    Labels are text or numbers; a class may appear at any time.

    Parameters
    ----------
    interval
        Labelled samples per interval of the concept memories.
    max_concepts
        Regimes kept; the least recently recognised one leaves.
    without
        Parts to leave out, for an ablation, see `mooe.auto.params.PARTS`.
    seed
        For all that is drawn: waves, products, trees, the rows of neighbours.
    class_weight
        None, "balanced" by the rows so far, or a dict of label to weight: what the rows of a class
        count more. To find more of a rare class, rather choose a threshold.
    threshold
        The probability above which the positive class is answered, {"cost": (false_alarm, miss)}
        or {"alarm_rate": share}, see `mooe.decision.Decision`; probabilities do not follow it.
    positive
        The class that threshold is about, by default the second of two in sorted order.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> from mooe.river_adapter import MOOEClassifier
    >>> model = MOOEClassifier()
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 91.03%
    >>> [expert.name for expert in model.experts if expert.kind == "memory"]
    ['memory_plain', 'memory_rich']
    """

    _params_class = AutoParams
    _decides = True

    interval: int = 40
    max_concepts: int = 12
    without: Sequence[str] | None = None
    seed: int = 0
    class_weight: Any = None
    threshold: Any = None
    positive: Any = None


@dataclass(eq=False, repr=False)
class MOOERegressor(_ValueModel, base.MiniBatchRegressor):  # type: ignore[misc]
    """Regressor for streams whose concepts change and come back, by the squared loss.

    Parameters are those of `MOOEClassifier` but for what is about classes.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> from mooe.river_adapter import MOOERegressor
    >>> model = MOOERegressor()
    >>> evaluate.progressive_val_score(datasets.TrumpApproval(), model, metrics.MAE())
    MAE: 0.149043
    """

    _params_class = AutoParams

    interval: int = 40
    max_concepts: int = 12
    without: Sequence[str] | None = None
    seed: int = 0


@parameters_of(Params, "target_bounds")
class PaperMOOEClassifier(_ClassModel, base.MiniBatchClassifier):  # type: ignore[misc]
    """Classifier by MOOE as published.

    Parameters are those of `mooe.paper.params.Params`, which says what each does. Leave `scale` on
    behind a scaler: without it an input longer than `input_bound` is an error.
    """


@parameters_of(Params, "loss")
class PaperMOOERegressor(_ValueModel, base.MiniBatchRegressor):  # type: ignore[misc]
    """Regressor by MOOE as published, by the squared loss.

    Parameters are those of `PaperMOOEClassifier` without `loss`, and one more.

    Parameters
    ----------
    target_bounds
        (low, high), the bounds of the labels; a label outside is an error. None takes those of the
        first interval in which two labels differ; later labels outside are learnt as the nearest
        bound and counted in `n_clipped`.
    """

    @property
    def n_clipped(self) -> int:
        """Labels so far that lay outside the bounds of the first interval."""
        state = None if self._rows is None else self._rows.model.state
        return 0 if state is None else int(state.n_clipped)


_CLASSES: dict[tuple[str, str], type[_StreamModel]] = {
    (shell._params_class.mode, shell._task): shell
    for shell in (MOOEClassifier, MOOERegressor, PaperMOOEClassifier, PaperMOOERegressor)
}


def _weights_of(w: Any, n: int) -> np.ndarray:
    """Return one weight per row."""
    given = [w] * n if np.ndim(w) == 0 else checked_values("w", w, n)
    return np.array([checked_weight(weight) for weight in given], dtype=np.float64)


def _series(values: Any, X: Any, labels: list[Label] | None = None) -> Any:
    """Return the values as a pandas series beside the rows of X; labels are its classes."""
    import pandas as pd

    is_exact = labels is None or sorted_classes(labels).dtype != object
    return pd.Series(values, index=X.index, dtype=None if len(X) and is_exact else object)
