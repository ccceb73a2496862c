"""The demo's numbers: every model predicts and learns a stream, visit by visit of its concepts."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import numpy as np

from mooe.core import Expert, Params, State, answers, experts, init, predict_then_learn
from mooe.datasets import Stream, recurring
from mooe.evaluate import prequential
from mooe.learners import Learner, Majority, MooeLearner, NoChange
from mooe.results import Results, origin

__all__ = [
    "LEAST_ROWS",
    "MODELS",
    "N_CONCEPTS",
    "N_FEATURES",
    "VISIT",
    "Replay",
    "Visit",
    "accuracy",
    "begin",
    "concept_of",
    "gain",
    "lines",
    "report_of",
    "results",
    "step",
]

VISIT = Params().interval  # rows
N_CONCEPTS = 2
N_FEATURES = 15
REPORT_ROWS = 2_000  # in which a reader can tell visits apart
LEAST_ROWS = (N_CONCEPTS + 1) * VISIT  # up to the end of the first return

MODELS = {
    "mooe": Params(),
    "newest-only": Params(max_experts=2),  # remembers the last interval and no other
    "online-alone": Params(max_experts=1),
}


@dataclass(frozen=True)
class Visit:
    """One visit of a concept, and what the models made of it.

    Attributes
    ----------
    number : int
        From 0; the first `N_CONCEPTS` visits are no returns.
    concept : int
    right : dict of str to array (VISIT,) of bool
        Which rows each of `MODELS` answered right.
    own_before, own_after : float
        Share of the concept's own experts in the weight of MOOE's offline experts, when the visit
        began and before its last label; NaN where there are no offline experts.
    heaviest : Expert or None
        The offline expert with the largest weight before the last label.
    """

    number: int
    concept: int
    right: dict[str, np.ndarray]
    own_before: float
    own_after: float
    heaviest: Expert | None


@dataclass
class Replay:
    """A demo under way."""

    stream: Stream
    seed: int
    states: dict[str, State]
    seconds: dict[str, float]  # spent predicting and learning
    visits: list[Visit] = field(default_factory=list)

    @property
    def n_visits(self) -> int:
        """How many visits the whole stream has."""
        return len(self.stream.y) // VISIT

    @property
    def rows_done(self) -> int:
        return len(self.visits) * VISIT

    @property
    def returns(self) -> list[Visit]:
        """The visits of concepts that had been there before."""
        return self.visits[N_CONCEPTS:]


def begin(rows: int, seed: int) -> Replay:
    """Return a replay of the demo's stream before its first row; a started visit is left out."""
    stream = recurring(rows // VISIT * VISIT, N_FEATURES, N_CONCEPTS, VISIT, seed=seed)
    states = {name: init(params, N_FEATURES) for name, params in MODELS.items()}
    return Replay(stream, seed, states, dict.fromkeys(MODELS, 0.0))


def step(replay: Replay) -> Visit:
    """In place: every model predicts and learns the rows of the next visit."""
    number = len(replay.visits)
    first, last = number * VISIT, (number + 1) * VISIT
    concept = number % N_CONCEPTS
    before = memories(replay)
    right = {name: [learn(replay, name, first, last - 1)] for name in MODELS}
    after = memories(replay)
    for name in MODELS:
        right[name].append(learn(replay, name, last - 1, last))
    visit = Visit(
        number,
        concept,
        {name: np.concatenate(parts) for name, parts in right.items()},
        own_share(before, concept),
        own_share(after, concept),
        max(after, key=lambda expert: expert.weight, default=None),
    )
    replay.visits.append(visit)
    return visit


def learn(replay: Replay, name: str, first: int, last: int) -> np.ndarray:
    """In place: one model predicts and learns these rows; return which it answered right."""
    params, state = MODELS[name], replay.states[name]
    X, y = replay.stream.X[first:last], replay.stream.y[first:last]
    began = time.perf_counter()
    scores = predict_then_learn(params, state, X, y.astype(np.float64))
    replay.seconds[name] += time.perf_counter() - began
    right: np.ndarray = answers(params, scores) == y
    return right


def memories(replay: Replay) -> list[Expert]:
    """Return MOOE's offline experts."""
    return experts(MODELS["mooe"], replay.states["mooe"])[:-1]


def concept_of(expert: Expert) -> int:
    """Return the concept of the visit that an offline expert was fitted on."""
    return expert.interval % N_CONCEPTS


def own_share(offline: Sequence[Expert], concept: int) -> float:
    """Return the share of the concept's experts in the weight of all; NaN where there are none."""
    total = sum(expert.weight for expert in offline)
    own = sum(expert.weight for expert in offline if concept_of(expert) == concept)
    return own / total if total > 0.0 else float("nan")


def lines(returns: Sequence[Visit]) -> list[Sequence[Visit]]:
    """Group returns as Vowpal Wabbit does: a group ends at return 1, 2, 4, 8, ... and the last."""
    ends = [2**k for k in range(len(returns).bit_length())]
    if len(returns) not in ends:
        ends.append(len(returns))
    return [returns[a:b] for a, b in zip([0, *ends], ends, strict=False) if b > a]


def accuracy(visits: Sequence[Visit], name: str) -> float:
    """Return a model's share of right answers over these visits."""
    return float(np.mean([visit.right[name] for visit in visits]))


def gain(visits: Sequence[Visit], other: str) -> tuple[float, float]:
    """Return MOOE's accuracy minus another model's, and the standard error over the visits."""
    per_visit = [visit.right["mooe"].mean() - visit.right[other].mean() for visit in visits]
    error = np.std(per_visit, ddof=1) / np.sqrt(len(visits)) if len(visits) > 1 else np.nan
    return float(np.mean(per_visit)), float(error)


def results(replay: Replay) -> list[dict[str, Any]]:
    """Return a row per model over the visits done so far, at least one return."""
    y = replay.stream.y[: replay.rows_done]
    right = {name: np.array([visit.right[name] for visit in replay.visits]) for name in MODELS}
    seconds = dict(replay.seconds)
    for name, learner in (("no-change", NoChange()), ("majority", Majority())):
        began = time.perf_counter()
        given = learner.predict_then_learn(replay.stream.X[: len(y)], y.astype(np.float64)).chosen
        right[name] = (given == y).reshape(-1, VISIT)
        seconds[name] = time.perf_counter() - began
    half = VISIT // 2
    return [
        {
            "model": name,
            "stream": replay.stream.name,
            "rows": len(y),
            "features": N_FEATURES,
            "classes": 2,
            "accuracy": float(rows.mean()),
            "accuracy_after_return": float(rows[N_CONCEPTS:].mean()),
            "accuracy_first_half": float(rows[N_CONCEPTS:, :half].mean()),
            "accuracy_second_half": float(rows[N_CONCEPTS:, half:].mean()),
            "seconds": seconds[name],
            "rows_per_second": len(y) / seconds[name],
            "seed": replay.seed,
            "version": version("mooe"),
        }
        for name, rows in right.items()
    ]


def report_of(replay: Replay) -> tuple[list[Results], Results]:
    """Return what a report on the first rows is made of: all models, and MOOE without memory."""
    n = min(REPORT_ROWS, replay.rows_done)
    stream: Any = Stream(replay.stream.name, replay.stream.X[:n], replay.stream.y[:n])
    learners: dict[str, Learner] = {
        **{name: MooeLearner(params) for name, params in MODELS.items()},
        "no-change": NoChange(),
        "majority": Majority(),
    }
    judged = {
        name: prequential(
            learner, stream, model=name, window=4 * VISIT, seed=replay.seed, watch=name == "mooe"
        )
        for name, learner in learners.items()
    }
    for one in judged.values():
        one.origin = origin(data=stream.digest() or "")
    return list(judged.values()), judged["online-alone"]
