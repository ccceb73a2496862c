"""What the keys of a bucket have in common: one model that learns from the rows of all of them.

Its answer to a row, given before the label is known to anybody, is a vote in the model of the
row's key. Or a model that learns no more votes for all buckets: a frozen prior.
"""

import os
from typing import Any

import numpy as np

from mooe.auto.params import AutoParams
from mooe.labels import Labels
from mooe.model import Model
from mooe.numerics.scores import probabilities

LEARNING = "learning"


def as_shared(shared: Any, task: str, seed: int) -> "AutoParams | Model | None":
    """Return what `shared` stands for: parameters of models that learn, a frozen one, or nothing."""
    if shared is None:
        return None
    if shared == LEARNING:
        return AutoParams(task=task, seed=seed)
    if isinstance(shared, (str, os.PathLike)):
        shared = Model.load(shared)
    if not isinstance(shared, (AutoParams, Model)):
        raise ValueError(
            f"shared must be None, 'learning', AutoParams, a Model or its file, got {shared!r:.80}"
        )
    if shared.task != task:
        raise ValueError(f"shared must be of the task {task!r}, got {shared.task!r}")
    return shared


class SharedModels:
    """The shared models of all buckets.

    Attributes
    ----------
    models : list of Model
        One of each bucket, whose classes are numbered as they came; or a frozen one alone.
    orders : list of list of int
        Of each model, the numbers of its classes among all.
    stats : array (n_buckets, 3 * width)
        Counts, means and squared deviations of the columns, for the keys' corrections.
    """

    def __init__(self, about: AutoParams | Model, n_buckets: int, labels: Labels) -> None:
        self.is_frozen = isinstance(about, Model)
        if isinstance(about, Model):
            labels.add(about.labels.names)
            known = about.labels.names
            self.models = [about]
        else:
            known = labels.names
            self.models = [Model(about) for _ in range(n_buckets)]
        self.orders = [[labels.numbers[name] for name in known] for _ in range(n_buckets)]
        self.stats = np.zeros((n_buckets, 0))

    def start(self, width: int) -> None:
        """In place: rows have so many columns."""
        if self.is_frozen and self.models[0].width != width:
            raise ValueError(
                f"X must have the columns of the shared model, {self.models[0].width}, got {width}"
            )
        self.stats = np.zeros((len(self.stats), 3 * width))
        for model, order in zip(self.models, self.orders, strict=False):
            model.start(width)
            model.grow_classes(len(order))

    def votes(
        self, bucket: int, X: np.ndarray, y: np.ndarray, weights: np.ndarray, n_votes: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """In place: learn the rows of a bucket; return its votes, and how many classes it knew.

        Votes are 2 p - 1 of each class, (n, n_votes), -1 for those it does not know; of a
        regression values, (n, 1). NaN before any label.
        """
        model, order = self.models[0 if self.is_frozen else bucket], self.orders[bucket]
        learnt = (y == y) & (weights > 0.0)
        if self.is_frozen or not learnt.any():
            known = np.full(len(X), len(order))
            return self._said(model, order, model.scores(X), n_votes, model.n_labelled), known
        n_before, n_labelled = len(order), model.n_labelled + np.cumsum(learnt) - learnt
        known = np.zeros(len(X), np.int64)
        if model.task == "classification":
            y, known = _numbered(order, y, learnt), known + n_before
            known[1:] = np.maximum.accumulate(np.fmax(n_before, y + 1.0))[:-1]
        scores = model.learn(X, y, weights)
        return self._said(model, order, scores, n_votes, n_labelled), known

    def _said(
        self, model: Model, order: list[int], scores: np.ndarray, n_votes: int, n_labelled: Any
    ) -> np.ndarray:
        """Return scores as votes; n_labelled: labels that the model knew when it gave them."""
        votes = scores
        if model.task == "classification":
            shares = probabilities(model.params, scores)
            votes = np.full((len(scores), n_votes), -1.0)
            votes[:, order] = 2.0 * shares[:, : len(order)] - 1.0
        votes[np.broadcast_to(n_labelled == 0, len(votes))] = np.nan
        return votes


def _numbered(order: list[int], y: np.ndarray, learnt: np.ndarray) -> np.ndarray:
    """In place: return labels by their places in an order, new ones behind; NaN for none."""
    numbers, first = np.unique(y[learnt].astype(np.int64), return_index=True)
    for number in numbers[np.argsort(first)].tolist():
        if number not in order:
            order.append(number)
    places = np.zeros(1 + max(order))
    places[order] = np.arange(len(order))
    out = np.full(len(y), np.nan)
    out[learnt] = places[y[learnt].astype(np.int64)]
    return out
