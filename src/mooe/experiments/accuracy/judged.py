"""One model over one stream, as a cell: every row is answered, then learnt, and counts."""

from typing import Any

import numpy as np

from mooe.datasets import Stream, increasing_noise, open_stream
from mooe.datasets.catalogue import NAMED
from mooe.evaluate import prequential
from mooe.feed import Feed
from mooe.models import TRIVIAL, make_learner

__all__ = ["DRAWS", "SETTINGS", "TRIVIAL", "cost_of", "judged", "judged_in_noise", "seeds_of"]

# The paper's B and K_max, in the words of each method.
SETTINGS: dict[str, dict[str, str]] = {
    "learnpp-nse": {"chunk": "50", "max_members": "25"},
    "dtel": {"chunk": "50", "capacity": "25"},
    "condor": {"epoch": "50", "max_models": "25"},
    "mooe-paper": {"interval": "50", "max_experts": "25"},
    "mooe": {},
    "no-change": {},
    "majority": {},
}
DRAWS = ("learnpp-nse", "dtel", "mooe")  # models that draw random numbers

SECONDS = {"learnpp-nse": 30.0, "dtel": 45.0, "condor": 6.0, "mooe-paper": 6.0, "mooe": 22.0}
LARGE = 581_012 * 54  # numbers in Covertype, over which these are the seconds, about
TAIL = 10  # the last 1/10 of the rows is judged apart where a stream changes towards its end


def seeds_of(model: str, n: int) -> range:
    """Return the seeds that a model is run with: one where it draws no random numbers."""
    return range(n if model in DRAWS else 1)


def cost_of(stream: str, model: str) -> float:
    """Return about how many seconds a model takes over a stream."""
    data = NAMED[stream][1] if stream in NAMED else None
    size = 100_000 if data is None else data.n_rows * data.n_features
    return 0.5 + SECONDS.get(model, 4.0) * size / LARGE


def judged(
    stream: str,
    model: str,
    seed: int = 0,
    parameters: dict[str, str] | None = None,
    max_rows: int | None = None,
    positive: int | str | None = None,
) -> dict[str, Any]:
    """Return the accuracy of a model on a stream.

    Parameters
    ----------
    stream, model : str
        By name.
    seed : int
        Of the model; streams that are made have seed 0.
    parameters : dict of str to str, optional
        Of the model, beside `SETTINGS`.
    max_rows : int, optional
        Stop after so many rows.
    positive : int or str, optional
        A class; the record then has right and wrong answers of that class and of the others:
        `true_positive`, `false_positive`, `false_negative`, `true_negative`.
    """
    opened = open_stream(stream, max_rows=max_rows)
    return record_of(opened, model, seed, parameters or {}, positive)


def judged_in_noise(
    stream: str, model: str, seed: int = 0, max_rows: int | None = None
) -> dict[str, Any]:
    """Return the accuracy of a model on a stream that drowns in noise; see `increasing_noise`.

    The record has the accuracy over the last tenth of the rows too, as `tail`.
    """
    still = open_stream(stream, max_rows=max_rows)
    return record_of(increasing_noise(still, seed), model, seed, {}, tail=True)


def record_of(
    stream: Stream,
    model: str,
    seed: int,
    parameters: dict[str, str],
    positive: Any = None,
    tail: bool = False,
) -> dict[str, Any]:
    """Return the record of a run."""
    learner = make_learner(model, stream.task, seed, {**SETTINGS[model], **parameters})
    feed: Any = Feed(stream, keeps_sparse=getattr(learner, "takes_sparse", False))
    closer = tail or positive is not None
    results = prequential(learner, feed, model=model, seed=seed, store_predictions=closer)
    record: dict[str, Any] = {
        "stream": stream.name,
        "model": model,
        "seed": seed,
        "rows": results.rows,
        "accuracy": results.cumulative["accuracy"],
    }
    if closer and results.predictions is not None:
        labels = np.concatenate([chunk.y for chunk in stream.chunks()])
        answers = results.predictions
        if positive is not None:
            given = np.array([answer is not None for answer in answers], dtype=bool)
            record |= counts(labels == positive, answers == positive, given)
        if tail:
            right = (labels == answers)[-(len(labels) // TAIL) :]
            record["tail"] = int(np.count_nonzero(right)) / len(right)
    return record


def counts(truth: np.ndarray, answers: np.ndarray, answered: np.ndarray) -> dict[str, int]:
    """Return how often a class was there and was answered; rows without answer are never right.

    >>> counts(*np.array([[1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 1, 0]], dtype=bool))
    {'true_positive': 1, 'false_positive': 0, 'false_negative': 1, 'true_negative': 1}
    """
    return {
        "true_positive": int(np.count_nonzero(truth & answers)),
        "false_positive": int(np.count_nonzero(~truth & answers)),
        "false_negative": int(np.count_nonzero(truth & ~answers)),
        "true_negative": int(np.count_nonzero(~truth & ~answers & answered)),
    }
