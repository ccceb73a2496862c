"""One model over one stream: every row is answered, then learnt, and counts.

The functions of the experiments of Tables 1 to 3 and the K_max figure.
"""

from typing import Any

import numpy as np

from mooe.datasets import Stream, increasing_noise, open_stream
from mooe.evaluate.loop import prequential
from mooe.run.registry import make_learner
from mooe.streams.arrangement import ArrangedStream
from mooe_paper.unknowns import SWEEPS

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
TAIL = 10  # the last 1/10 of the rows counts apart where a stream changes towards its end


def run_model(
    stream: str,
    model: str,
    seed: int = 0,
    parameters: dict[str, str] | None = None,
    max_rows: int | None = None,
    positive: int | str | None = None,
) -> dict[str, Any]:
    """Run a model over a stream and return its accuracy.

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
    return _run(opened, model, seed, parameters or {}, positive)


def run_setting(
    stream: str,
    model: str,
    setting: str,
    max_rows: int | None = None,
    positive: int | str | None = None,
) -> dict[str, Any]:
    """Run a model with a setting of `SWEEPS` and return its accuracy, as `run_model` does."""
    record = run_model(stream, model, 0, _texts(model, setting), max_rows, positive)
    return _swept(record, setting)


def run_pool(stream: str, pool: int, setting: str, max_rows: int | None = None) -> dict[str, Any]:
    """Run the paper's method with so many experts and a setting; return its accuracy."""
    parameters = {**_texts("mooe-paper", setting), "max_experts": str(pool)}
    record = run_model(stream, "mooe-paper", 0, parameters, max_rows)
    return {**record, "setting": setting, "pool": pool}


def run_in_noise(
    stream: str,
    model: str,
    seed: int = 0,
    setting: str | None = None,
    max_rows: int | None = None,
) -> dict[str, Any]:
    """Run a model over a stream that drowns in noise, see `increasing_noise`; return its accuracy.

    The record has the accuracy over the last tenth of the rows too, as `tail`. Without a setting of
    `SWEEPS` the model has its defaults.
    """
    still = open_stream(stream, max_rows=max_rows)
    parameters = _texts(model, setting) if setting else {}
    record = _run(increasing_noise(still, seed), model, seed, parameters, tail=True)
    return _swept(record, setting) if setting else record


def _texts(model: str, setting: str) -> dict[str, str]:
    """Return the parameters of a setting as the command takes them."""
    return {name: str(value) for name, value in SWEEPS[model][setting].items()}


def _swept(record: dict[str, Any], setting: str) -> dict[str, Any]:
    """Return the record of a run with a setting that is not our default."""
    return {**record, "model": f"{record['model']} swept", "setting": setting}


def _run(
    stream: Stream,
    model: str,
    seed: int,
    parameters: dict[str, str],
    positive: Any = None,
    tail: bool = False,
) -> dict[str, Any]:
    """Return the record of a run."""
    learner = make_learner(model, stream.task, seed, {**SETTINGS[model], **parameters})
    rows = ArrangedStream(stream, keeps_sparse=learner.takes_sparse)
    needs_answers = tail or positive is not None
    results = prequential(learner, rows, model=model, seed=seed, store_predictions=needs_answers)
    # All rows count here, as in the counts below: the first, which nobody can answer, is not right.
    right = round(results.cumulative["accuracy"] * results.judged)
    record: dict[str, Any] = {
        "stream": stream.name,
        "model": model,
        "seed": seed,
        "rows": results.rows,
        "accuracy": right / results.rows,
    }
    if needs_answers and results.predictions is not None:
        labels = np.concatenate([chunk.y for chunk in stream.chunks()])
        answers = results.predictions
        if positive is not None:
            given = np.array([answer is not None for answer in answers], dtype=bool)
            record |= _counts(labels == positive, answers == positive, given)
        if tail:
            right = (labels == answers)[-(len(labels) // TAIL) :]
            record["tail"] = int(np.count_nonzero(right)) / len(right)
    return record


def _counts(truth: np.ndarray, answers: np.ndarray, answered: np.ndarray) -> dict[str, int]:
    """Return how often a class was there and was answered; rows without answer are never right.

    >>> _counts(*np.array([[1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 1, 0]], dtype=bool))
    {'true_positive': 1, 'false_positive': 0, 'false_negative': 1, 'true_negative': 1}
    """
    return {
        "true_positive": int(np.count_nonzero(truth & answers)),
        "false_positive": int(np.count_nonzero(~truth & answers)),
        "false_negative": int(np.count_nonzero(truth & ~answers)),
        "true_negative": int(np.count_nonzero(~truth & ~answers & answered)),
    }
