"""MOOEClassifier and MOOERegressor: the core in River's dialect, samples as dicts.

Features may be missing, new or in another order from sample to sample, see `mooe.samples`.
Threads: a model has room for one sample on its desk, so it serves one thread at a time.
"""

import math
from typing import Any

import numpy as np

from mooe import river_edge, shells
from mooe.labels import sorted_classes
from mooe.samples import Label, Rows, Sample, check_sample, checked_label, checked_target, listed
from mooe.scores import answers

try:
    from river import base
except ImportError as problem:
    raise ImportError("mooe.river_adapter needs River: pip install 'mooe[river]'") from problem

__all__ = ["MOOEClassifier", "MOOERegressor"]


class MOOEClassifier(base.MiniBatchClassifier):
    """Classifier for streams whose concepts change and come back.

    Labels are text or numbers; a class may appear at any time. The default model needs no tuning;
    the parameters from max_experts on belong to mode="paper", `mooe.core.Params` says more on each.

    Parameters
    ----------
    mode
        "auto" is the default model, "paper" the published algorithm.
    interval
        Labelled samples per interval; None is 40, and 50 in paper mode.
    max_concepts
        Auto mode: regimes kept; the least recently recognised one leaves.
    without
        Auto mode: parts to leave out, see `mooe.auto.params.PARTS`.
    max_experts
        Experts kept, the online one included.
    loss
        "squared" or "logistic".
    priority
        Who leaves when there are too many: "weight", the least of it, or "queue", the oldest.
    start
        The online expert in a new interval: "warm", "reset" or "random".
    radius
        Radius of the ball of experts.
    input_bound
        Bound on the norm of an input.
    pull, online_rate, meta_rate
        None is the paper's formula; meta_rate may be "anytime".
    step
        "corrected" or "printed".
    scale
        Standardise inputs as they arrive. Without it an input longer than `input_bound` is an
        error, so leave it on behind a scaler.
    intercept
        Append a constant 1 to the inputs.
    seed
        For the random features of the default model, and start="random".

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> from mooe.river_adapter import MOOEClassifier
    >>> model = MOOEClassifier()
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 90.47%
    >>> [expert.name for expert in model.experts if expert.kind == "memory"]
    ['memory_plain', 'memory_rich']
    """

    _task = "classification"

    def __init__(
        self,
        mode: str = "auto",
        interval: int | None = None,
        max_concepts: int = 12,
        without: tuple[str, ...] | None = None,
        max_experts: int = 25,
        loss: str = "squared",
        priority: str = "weight",
        start: str = "warm",
        radius: float = 1.0,
        input_bound: float = 1.0,
        pull: float | None = None,
        online_rate: float | None = None,
        meta_rate: float | str | None = None,
        step: str = "corrected",
        scale: bool = True,
        intercept: bool = True,
        seed: int = 0,
    ) -> None:
        shells.assign(self, locals())
        self._rows: Rows | None = None  # from the first label on
        self._labels: list[Label] = []  # in order of appearance
        self._numbers: dict[Label, int] = {}

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: Sample, y: Any, w: float = 1.0) -> None:
        """Learn a sample; without label (None) or with weight 0 it changes nothing."""
        try:
            number = self._numbers[y]
        except (KeyError, TypeError):
            self._learn_unknown(x, y, w)
        else:
            self._rows.learn(x, number, w)  # type: ignore[union-attr]

    def _learn_unknown(self, x: Sample, y: Any, w: float) -> None:
        """In place: learn a sample whose label is new, if it is one."""
        rows = river_edge.rows_of(self, [*x])
        if y is None:
            check_sample(rows.params, x)
            return
        label = checked_label(y, self._labels)
        if rows.learn(x, len(self._labels), w):
            self._rows = rows
            self._meet(label)

    def _meet(self, label: Label) -> None:
        """In place: the label is that of the next class."""
        self._numbers[label] = len(self._labels)
        self._labels.append(label)

    def predict_one(self, x: Sample) -> Label | None:  # type: ignore[override]
        """Return the most likely label, None before any label."""
        if self._rows is None:
            return None
        return self._labels[self._rows.answer(x)]

    def predict_proba_one(self, x: Sample) -> dict[Label, float]:  # type: ignore[override]
        """Return the probability of each label met so far."""
        if self._rows is None:
            return {}
        self._rows.answer(x)
        shares = river_edge.probabilities(self._rows.params, self._rows.scores.tolist())
        return dict(zip(self._labels, shares, strict=True))

    def learn_many(self, X: Any, y: Any, w: Any = 1.0) -> None:
        """Learn the rows of a frame in their order, as `learn_one` would; w may be a series."""
        weights = river_edge.weights_of(w, len(X))
        met, numbers = list(self._labels), dict(self._numbers)
        coded = np.full(len(X), np.nan)
        for i, given in enumerate(listed("y", y, len(X))):
            if given is None:
                continue
            label = checked_label(given, met)
            if weights[i] > 0.0:
                coded[i] = numbers.setdefault(label, len(met))
                met.extend([label] * (len(numbers) - len(met)))
        river_edge.learn_frame(self, X, coded, weights)
        self._labels, self._numbers = met, numbers

    def predict_many(self, X: Any) -> Any:
        """Return the series of what `predict_one` says of each row."""
        if self._rows is None:
            return river_edge.series([None] * len(X), X)
        numbers = answers(self._rows.params, self._rows.score_many(X))
        chosen = [self._labels[number] for number in numbers.tolist()]
        return river_edge.series(chosen, X, self._labels)

    def predict_proba_many(self, X: Any) -> Any:
        """Return the frame of what `predict_proba_one` says of each row."""
        import pandas as pd

        if self._rows is None:
            return pd.DataFrame(index=X.index)
        params, scores = self._rows.params, self._rows.score_many(X).tolist()
        table = np.array([river_edge.probabilities(params, row) for row in scores])
        shares = table.reshape(len(X), len(self._labels))
        kept = sorted_classes(self._labels).dtype != object
        columns = pd.Index(self._labels, dtype=None if kept else object)
        return pd.DataFrame(shares, index=X.index, columns=columns)

    def explain_one(self, x: Sample) -> list[dict[str, Any]]:
        """Return what is known of each expert, its weight and its vote.

        A vote is the label that the expert would answer alone. Empty before any label.
        """
        if self._rows is None:
            return []
        numbers = answers(self._rows.params, river_edge.votes(self, x))
        votes = [self._labels[k] for k in numbers.clip(max=len(self._labels) - 1).tolist()]
        return river_edge.explained(self, votes)

    experts = property(river_edge.experts_of)
    concepts = property(river_edge.concepts_of)
    regime = property(river_edge.regime_of)
    weights = property(river_edge.weights_now)
    to_bytes = river_edge.to_bytes
    save = shells.save
    from_bytes = classmethod(shells.from_bytes)
    load = classmethod(shells.load)
    _built = classmethod(river_edge.built)


class MOOERegressor(base.MiniBatchRegressor):
    """Regressor for streams whose concepts change and come back, by the squared loss.

    Parameters are those of `MOOEClassifier` without `loss`, and one more.

    Parameters
    ----------
    target_bounds
        Paper mode: (low, high), the bounds of the labels; a label outside is an error. None takes
        those of the first interval in which two labels differ; later labels outside are learnt as
        the nearest bound and counted in `n_clipped`.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> from mooe.river_adapter import MOOERegressor
    >>> model = MOOERegressor()
    >>> evaluate.progressive_val_score(datasets.TrumpApproval(), model, metrics.MAE())
    MAE: 0.148472
    """

    _task = "regression"

    def __init__(
        self,
        mode: str = "auto",
        interval: int | None = None,
        max_concepts: int = 12,
        without: tuple[str, ...] | None = None,
        max_experts: int = 25,
        priority: str = "weight",
        start: str = "warm",
        radius: float = 1.0,
        input_bound: float = 1.0,
        pull: float | None = None,
        online_rate: float | None = None,
        meta_rate: float | str | None = None,
        step: str = "corrected",
        scale: bool = True,
        intercept: bool = True,
        target_bounds: tuple[float, float] | None = None,
        seed: int = 0,
    ) -> None:
        shells.assign(self, locals())
        self._rows: Rows | None = None  # from the first label on

    def learn_one(self, x: Sample, y: Any, w: float = 1.0) -> None:
        """Learn a sample; without label (None) or with weight 0 it changes nothing."""
        rows = self._rows or river_edge.rows_of(self, [*x])
        if y is None:
            check_sample(rows.params, x)
        elif rows.learn(x, checked_target(y, rows.params), w):
            self._rows = rows

    def predict_one(self, x: Sample) -> float | None:  # type: ignore[override]
        """Return the value that is expected, None before any label."""
        if self._rows is None:
            return None
        self._rows.answer(x)
        value: float = self._rows.scores.item()
        return value

    def learn_many(self, X: Any, y: Any, w: Any = 1.0) -> None:
        """Learn the rows of a frame in their order, as `learn_one` would; w may be a series."""
        params = river_edge.params_of(self) if self._rows is None else self._rows.params
        labels = [
            math.nan if label is None else float(checked_target(label, params))
            for label in listed("y", y, len(X))
        ]
        river_edge.learn_frame(self, X, np.array(labels), river_edge.weights_of(w, len(X)))

    def predict_many(self, X: Any) -> Any:
        """Return the series of what `predict_one` says of each row."""
        if self._rows is None:
            return river_edge.series([None] * len(X), X)
        return river_edge.series(self._rows.score_many(X)[:, 0], X)

    def explain_one(self, x: Sample) -> list[dict[str, Any]]:
        """Return what is known of each expert, its weight and its vote.

        A vote is the value that the expert would answer alone. Empty before any label.
        """
        if self._rows is None:
            return []
        return river_edge.explained(self, river_edge.votes(self, x)[:, 0].tolist())

    @property
    def n_clipped(self) -> int:
        """Labels so far that lay outside the bounds of the first interval."""
        return 0 if self._rows is None else int(getattr(self._rows.state, "n_clipped", 0))

    experts = property(river_edge.experts_of)
    concepts = property(river_edge.concepts_of)
    regime = property(river_edge.regime_of)
    weights = property(river_edge.weights_now)
    to_bytes = river_edge.to_bytes
    save = shells.save
    from_bytes = classmethod(shells.from_bytes)
    load = classmethod(shells.load)
    _built = classmethod(river_edge.built)
