"""What the keys of a bucket have in common: one model that learns from the rows of all of them.

Its answer to a row, given before the label is known to anybody, is a vote in the model of the
row's key. Or a model that learns no more votes for all keys: a frozen prior, beside which no key
depends on another.
"""

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from mooe.auto.params import AutoParams
from mooe.keyed.slots import N_VOTES, Content, n_multiplied
from mooe.labels import Labels
from mooe.model import Model
from mooe.numerics.scores import probabilities
from mooe.user_experts import AddedExpert
from mooe.words import some_of

LEARNING = "learning"
VOTE_NAMES = ("shared", "corrected", "corrected with products")


def as_shared(shared: Any, task: str, seed: int) -> "AutoParams | Model | None":
    """Return what `shared` stands for: parameters of models that learn, a frozen one, nothing."""
    if shared is None:
        return None
    if isinstance(shared, str) and shared == LEARNING:
        return AutoParams(task=task, seed=seed)
    if isinstance(shared, (str, os.PathLike)):
        if not os.path.exists(shared):
            raise ValueError(
                f"shared must be 'learning' or the file of a model, got {os.fspath(shared)!r}, "
                "which is not there"
            )
        shared = Model.load(shared)
    elif isinstance(shared, Model):
        shared = shared.copy()  # which stays as it is, whatever its owner does
    if not isinstance(shared, (AutoParams, Model)):
        raise ValueError(
            f"shared must be None, 'learning', AutoParams, a Model or its file, got {shared!r:.80}"
        )
    if shared.task != task:
        raise ValueError(f"shared must be of the task {task!r}, got {shared.task!r}")
    if isinstance(shared, Model) and not shared.n_labelled:
        raise ValueError(f"shared must have learnt rows, got {shared!r:.80}")
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
    meets : bool
        Whether these go on with the rows; those of a frozen model are its own.
    places : list of int, optional
        Where rows have the columns of a frozen model, if not in its order.
    """

    def __init__(
        self,
        about: AutoParams | Model,
        n_buckets: int,
        labels: Labels,
        columns: list[Any] | None = None,
    ) -> None:
        self.is_frozen = isinstance(about, Model)
        self.meets, self.places = True, None
        if isinstance(about, Model):
            self.places = _places(about.columns, columns)
            labels.add(about.labels.names)
            known, n_buckets = about.labels.names, 1
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
        if self.is_frozen:
            (prior,) = self.models
            own = prior.engine.column_statistics(prior.params, prior.start(width))
            if self.places is not None:
                own[:, self.places] = own.copy()
            self.stats[0] = own.ravel()
            self.meets = not self.stats.any()
        for model, order in zip(self.models, self.orders, strict=False):
            if not self.is_frozen:
                model.state = None  # of rows of another width, that were asked and not learnt
            model.start(width)
            model.grow_classes(len(order))

    def told(self) -> str:
        """Return in words what they are."""
        if self.is_frozen:
            return "a shared model that is frozen"
        if len(self.models) == 1:
            return "one shared model that learns from all keys"
        return f"{len(self.models)} shared models that learn, one for each bucket of keys"

    def about(self) -> dict[str, Any]:
        """Return what a file's header holds of them."""
        return {
            "is_frozen": self.is_frozen,
            "meets": self.meets,
            "orders": self.orders,
            "places": self.places,
            "width": self.stats.shape[1],
        }

    def to_blobs(self) -> list[bytes]:
        """Return the statistics, and every model, as bytes."""
        return [self.stats.tobytes(), *(model.to_bytes() for model in self.models)]

    @classmethod
    def of_blobs(cls, about: dict[str, Any], blobs: list[bytes]) -> "SharedModels":
        """Return what `about` and `to_blobs` were called on."""
        self = cls.__new__(cls)
        self.is_frozen, self.orders = about["is_frozen"], about["orders"]
        self.meets = about.get("meets", True)  # as all did once
        self.places = about.get("places")
        stats = np.frombuffer(bytearray(blobs[0]), np.float64)
        self.stats = stats.reshape(len(self.orders), about["width"])
        self.models = [Model.from_bytes(blob) for blob in blobs[1:]]
        return self

    def experts(self, bucket: int, content: Content, labels: Labels) -> list[AddedExpert]:
        """Return the vote of a bucket's model, and that corrected, as experts of a key's model."""
        model, order = self.models[0 if self.is_frozen else bucket].copy(), self.orders[bucket]
        frozen = SharedModels.__new__(SharedModels)
        frozen.is_frozen, frozen.meets, frozen.places = True, False, self.places
        frozen.models, frozen.orders = [model], [list(order)]
        frozen.stats = self.stats[bucket : bucket + 1].copy()
        n_votes = len(labels)

        def say(X: np.ndarray) -> np.ndarray:
            nobody = np.full(len(X), np.nan)
            votes, _ = frozen.votes(0, X, nobody, nobody, n_votes)
            return _corrected(content, frozen.stats[0], X, votes)

        classes = [labels.names[number] for number in content.classes]
        return [
            AddedExpert(name, _Vote(say, place, classes)) for place, name in enumerate(VOTE_NAMES)
        ]

    def votes(
        self, bucket: int, X: np.ndarray, y: np.ndarray, weights: np.ndarray, n_votes: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """In place: learn the rows of a bucket; return its votes, and how many classes it knew.

        Votes are 2 p - 1 of each class, (n, n_votes), -1 for those it does not know; of a
        regression values, (n, 1). NaN before any label.
        """
        model, order = self.models[0 if self.is_frozen else bucket], self.orders[bucket]
        if self.places is not None:
            X = np.ascontiguousarray(X[:, self.places])
        learnt = (y == y) & (weights > 0.0)
        known, n_labelled = np.full(len(X), len(order)), np.full(len(X), model.n_labelled)
        if self.is_frozen or not learnt.any():
            return _said(model, order, model.scores(X), n_votes, known, n_labelled), known
        n_labelled += np.cumsum(learnt) - learnt
        if model.task == "classification":
            n_before, y = len(order), _numbered(order, y, learnt)
            known[1:] = np.maximum.accumulate(np.fmax(n_before, y + 1.0))[:-1]
        scores = model.learn(X, y, weights)
        return _said(model, order, scores, n_votes, known, n_labelled), known


def _places(asked: Any, given: list[Any] | None) -> list[int] | None:
    """Return where rows have the columns of a model, None if as it has them, or raise ValueError.

    >>> _places(["heat", "load"], ["load", "heat"])
    [1, 0]
    """
    if asked is None or given is None or list(asked) == list(given):
        return None
    if set(asked) != set(given) or len(asked) != len(given):
        raise ValueError(
            f"columns must be those of the shared model, {some_of(asked)}; got {some_of(given)}"
        )
    places = {name: at for at, name in enumerate(given)}
    return [places[name] for name in asked]


def _said(
    model: Model,
    order: list[int],
    scores: np.ndarray,
    n_votes: int,
    known: np.ndarray,
    n_labelled: np.ndarray,
) -> np.ndarray:
    """Return scores as votes; known, n_labelled: classes and labels known when they were given.

    Scores that were given together have columns for the classes of the last: rows of as many
    classes are looked at together, so that a row has the same vote whatever came with it.
    """
    votes = scores
    if model.task == "classification":
        votes = np.full((len(scores), n_votes), -1.0)
        for n in np.unique(known).tolist():
            rows = np.flatnonzero(known == n)
            single = min(1, scores.shape[1] - 1)  # of two classes (-s, s), or s
            taken = slice(0, n) if n > 2 else slice(single, single + 1)
            shares = probabilities(model.params, np.ascontiguousarray(scores[rows, taken]))
            votes[rows[:, None], order[:n]] = 2.0 * shares[:, :n] - 1.0
    votes[n_labelled == 0] = np.nan
    return votes


def _corrected(content: Content, stats: np.ndarray, X: np.ndarray, votes: np.ndarray) -> np.ndarray:
    """Return what a shared model and a key's corrections say of rows, (n, N_VOTES, n_outputs)."""
    from mooe.keyed import default_rows  # which is compiled where it is needed

    state = content.state
    if not getattr(state, "narrow", True):
        X = np.zeros((len(X), 0))
    out = np.zeros((len(X), N_VOTES * int(state.n_outputs)))
    classes, z = np.array(content.classes, np.float64), np.zeros(n_multiplied(X.shape[1]))
    default_rows.vote(state.counters, stats, classes, content.correction, X, votes, z, out)
    return out.reshape(len(X), N_VOTES, -1)


class _Vote:
    """One of the experts that a key has beside a shared model, as `mooe.user_experts` asks it."""

    def __init__(
        self, say: Callable[[np.ndarray], np.ndarray], place: int, classes: list[Any]
    ) -> None:
        self._say, self._place, self.classes_ = say, place, classes

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return probabilities, (n, n_classes)."""
        scores = self._say(X)[:, self._place]
        if scores.shape[1] == 1:
            scores = np.hstack([-scores, scores])[:, : len(self.classes_)]
        return 0.5 * (1.0 + scores)


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
