"""The demo's numbers: every model predicts and learns a stream, and which regime is in charge."""

import time
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np

from mooe.auto.core import concepts
from mooe.auto.params import MEMORIES, AutoParams
from mooe.datasets import Stream, recurring
from mooe.evaluate.learners import Learner, Majority, MooeLearner, NoChange
from mooe.evaluate.results import Results, origin
from mooe.explanation import Concept

VISIT = 500  # rows
N_CONCEPTS = 4
N_FEATURES = 10
AT_FIRST = (50, 100)  # rows after a return over which accuracy is shown
PIECE = 50  # rows learnt at once; a visit's first so many one by one, to see who takes charge when
REPORT_ROWS = 20_000  # in which a reader can tell visits apart
LEAST_ROWS = (N_CONCEPTS + 1) * VISIT  # up to the end of the first return
WITHOUT = "mooe, no memory"


@dataclass
class Replay:
    """A demo under way.

    Attributes
    ----------
    right : dict of str to array (n,) of bool
        Which rows each model answered right.
    charge : array (n,) of int
        Name of the regime in charge when a row had been learnt, 0 for none; from row `PIECE` of a
        visit on it is known for every `PIECE` rows.
    done : int
        Rows learnt so far; what the arrays hold beyond means nothing.
    """

    stream: Stream
    seed: int
    learners: dict[str, Learner]
    seconds: dict[str, float]  # spent predicting and learning
    right: dict[str, np.ndarray]
    charge: np.ndarray
    done: int = 0

    @property
    def n_returns(self) -> int:
        """How many visits of concepts that had been there before are over."""
        return max(0, self.done // VISIT - N_CONCEPTS)


@dataclass(frozen=True)
class Return:
    """A concept that is there again, and whether its regime was recognised.

    Attributes
    ----------
    row : int
        First row of the visit, from 0.
    concept : int
    regime : int
        Name of the regime that was in charge for most of the concept's last visit; 0 for none.
    after : int or None
        Rows of this visit that were learnt when that regime took over; None if it did not so far.
    ago : int
        Rows since it was last in charge, counted at `row`.
    """

    row: int
    concept: int
    regime: int
    after: int | None
    ago: int


def _make_learners(seed: int) -> dict[str, Learner]:
    """Return the demo's models by name, before their first row."""
    return {
        "mooe": MooeLearner(AutoParams(seed=seed)),
        WITHOUT: MooeLearner(AutoParams(seed=seed, without=MEMORIES)),
        "no-change": NoChange(),
        "majority": Majority(),
    }


def begin(rows: int, seed: int) -> Replay:
    """Return a replay of the demo's stream before its first row; a started visit is left out."""
    n = rows // VISIT * VISIT
    stream = recurring(n, N_FEATURES, N_CONCEPTS, VISIT, seed=seed)
    learners = _make_learners(seed)
    right = {name: np.zeros(n, dtype=bool) for name in learners}
    return Replay(
        stream, seed, learners, dict.fromkeys(learners, 0.0), right, np.zeros(n, dtype=np.int64)
    )


def step(replay: Replay) -> None:
    """In place: every model predicts and learns the next rows, one or `PIECE` of them."""
    at = replay.done
    stop = at + (1 if at % VISIT < PIECE else PIECE)
    X, y = replay.stream.X[at:stop], replay.stream.y[at:stop]
    numbers = (y != replay.stream.y[0]).astype(np.float64)  # in order of appearance
    for name, learner in replay.learners.items():
        began = time.perf_counter()
        chosen = learner.predict_then_learn(X, numbers).chosen
        replay.seconds[name] += time.perf_counter() - began
        replay.right[name][at:stop] = chosen == numbers
    regime = in_charge(replay)
    replay.charge[at:stop] = regime.name if regime else 0
    replay.done = stop


def in_charge(replay: Replay) -> Concept | None:
    """Return the regime in charge now, None while it has no name."""
    mooe: Any = replay.learners["mooe"]
    known = concepts(mooe.params, mooe.state) if mooe.state is not None else []
    return next((regime for regime in known if regime.in_charge), None)


def return_in(replay: Replay, visit: int) -> Return:
    """Return what is known of a visit, numbered from 0, that is a return and has begun."""
    first = visit * VISIT
    end, before = min(first + VISIT, replay.done), first - N_CONCEPTS * VISIT
    concept = visit % N_CONCEPTS
    regime = int(np.bincount(replay.charge[before : before + VISIT]).argmax())
    if regime == 0:
        return Return(first, concept, 0, None, 0)
    ago = int(np.argmax(replay.charge[before:first][::-1] == regime)) + 1
    there = np.flatnonzero(replay.charge[first:end] == regime)
    after = int(there[0]) + 1 if len(there) and ago > 1 else None  # it had not left: no recognition
    return Return(first, concept, regime, after, ago)


def returns(replay: Replay) -> list[Return]:
    """Return all returns that are over."""
    return [return_in(replay, N_CONCEPTS + k) for k in range(replay.n_returns)]


def accuracy(replay: Replay, name: str) -> float:
    """Return a model's share of right answers so far, at least one row."""
    return float(replay.right[name][: replay.done].mean())


def after_returns(replay: Replay, name: str, rows: int = VISIT) -> np.ndarray:
    """Return a model's share of right answers in the first rows after each return, (n_returns,)."""
    whole = replay.right[name][: replay.done // VISIT * VISIT].reshape(-1, VISIT)
    shares: np.ndarray = whole[N_CONCEPTS:, :rows].mean(axis=1)
    return shares


def gain(replay: Replay, rows: int) -> tuple[float, float]:
    """Return what memory adds to the accuracy after returns, and the standard error over them."""
    each = after_returns(replay, "mooe", rows) - after_returns(replay, WITHOUT, rows)
    error = np.std(each, ddof=1) / np.sqrt(len(each)) if len(each) > 1 else np.nan
    return float(each.mean()), float(error)


def results(replay: Replay) -> list[dict[str, Any]]:
    """Return a row per model over the rows learnt so far, at least one return.

    rows_to_recognise is the median over all returns; None where fewer than half were recognised.
    """
    waits = [np.inf if back.after is None else back.after for back in returns(replay)]
    median = float(np.median(waits))
    return [
        {
            "model": name,
            "stream": replay.stream.name,
            "rows": replay.done,
            "features": N_FEATURES,
            "classes": 2,
            "accuracy": accuracy(replay, name),
            "accuracy_after_return": float(after_returns(replay, name).mean()),
            **{
                f"accuracy_first_{rows}": float(after_returns(replay, name, rows).mean())
                for rows in AT_FIRST
            },
            "returns": replay.n_returns,
            "rows_to_recognise": median if name == "mooe" and median < np.inf else None,
            "seconds": replay.seconds[name],
            "rows_per_second": replay.done / replay.seconds[name],
            "seed": replay.seed,
            "version": version("mooe"),
        }
        for name in replay.learners
    ]


def report_runs(replay: Replay) -> tuple[list[Results], Results, list[float]]:
    """Return what a report is made of: all models, the one without memory, rows of changes."""
    from mooe.evaluate.loop import Entrant, Pass  # compiles what the screen does not need
    from mooe.evaluate.schedule import Schedule

    n = min(REPORT_ROWS, replay.done)
    stream = Stream(replay.stream.name, replay.stream.X[:n], replay.stream.y[:n])
    entrants = [
        Entrant(name, learner, watch=name == "mooe")
        for name, learner in _make_learners(replay.seed).items()
    ]
    run = Pass(entrants, stream.name, stream.task, Schedule(), VISIT // 2, replay.seed)
    run.go(stream.chunks(n))
    for results in run.results:
        results.origin = origin(data=stream.digest() or "")
    without = next(results for results in run.results if results.model == WITHOUT)
    return run.results, without, [float(row) for row in range(VISIT, n, VISIT)]
