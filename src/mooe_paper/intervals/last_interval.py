"""MOOE against OGD on the last of 15 intervals, with at most five experts, as the paper draws it.

The functions of the experiments of both figures. On the streams as the authors made them, their
code runs as well.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from mooe.datasets import Stream, open_stream
from mooe.labels import Labels
from mooe.paper.core import Params
from mooe.run.registry import make_learner
from mooe_paper.estimate import estimate
from mooe_paper.intervals import authors_code
from mooe_paper.intervals import scores as paper

N_INTERVALS = 15
MAX_EXPERTS = 5
DRAWN = 1_000  # rows of the last interval that the authors draw
FIRST = (10, 25, 50, 100, DRAWN)  # rows of an interval that means are taken over
EDGES = (0, 3, 6, 10, 15, 22, 32, 46, 68, 100, 147, 215, 316, 464, 681, DRAWN)  # of the loss curve
GRID = tuple(range(40, DRAWN + 1, 40))  # rows of the regret curve
AUTHORS = ("MOOE, authors", "OGD, authors", "blank, authors")
Rows = dict[str, np.ndarray]


@dataclass(frozen=True)
class Source:
    """A stream of the figures.

    Attributes
    ----------
    title, length, needs
        Its name in figures, the rows of an interval, the named stream that it is made from.
    rate, fit_rate : float
        Of the authors' code; 0 for a stream that is not theirs.
    """

    title: str
    length: int
    needs: tuple[str, ...] = ()
    rate: float = 0.0
    fit_rate: float = 0.0


SOURCES = {
    "synthetic": Source("synthetic", 1_000, (), 1e-6, 1e-4),
    "ijcnn-drift": Source("ijcnn", 3_300, ("ijcnn1",)),
    "cod-rna-drift": Source("cod-rna", 3_969, ("cod-rna",)),
    "ijcnn-drift-leaking": Source("ijcnn, leaking", 3_300, ("ijcnn1",), 2e-6, 1e-3),
    "cod-rna-drift-leaking": Source("cod-rna, leaking", 3_969, ("cod-rna",), 5e-6, 1e-3),
}


def losses(stream: str, n_seeds: int) -> dict[str, Any]:
    """Return the losses of all models in the last interval, over seeds.

    `loss` and `error` are means over its first 10, 25, 50, 100 and 1,000 rows, each of them, and of
    what MOOE has more than each OGD (`more`); `curve` is the loss between `EDGES`; `accuracy` that
    over the whole stream. Everything is [mean, low, high].
    """
    runs = [_losses_once(stream, seed) for seed in range(n_seeds)]
    lost = {name: np.array([run[0][name] for run in runs]) for name in runs[0][0]}
    errors = {name: np.array([run[1][name] for run in runs]) for name in runs[0][1]}
    record: dict[str, Any] = {"stream": stream, "n_seeds": n_seeds}
    record["loss"] = {name: estimate(_firsts(rows)) for name, rows in lost.items()}
    record["error"] = {name: estimate(_firsts(rows)) for name, rows in errors.items()}
    record["curve"] = {name: estimate(_binned(rows)) for name, rows in lost.items()}
    record["accuracy"] = {
        name: estimate(np.array([run[2][name] for run in runs])) for name in runs[0][2]
    }
    pairs = [("MOOE", "OGD restarted"), ("MOOE", "OGD warm")]
    if AUTHORS[0] in lost:
        pairs += [(AUTHORS[0], AUTHORS[1]), (AUTHORS[0], AUTHORS[2])]
        record["moved"] = estimate(np.array([run[3] for run in runs]))
    record["more"] = {
        f"{model} - {other}": {
            "loss": estimate(_firsts(lost[model] - lost[other])),
            "error": estimate(_firsts(errors[model] - errors[other])),
        }
        for model, other in pairs
    }
    return record


def _losses_once(stream: str, seed: int) -> tuple[Rows, Rows, dict[str, float], float]:
    """Return losses and errors of the rows that are drawn, accuracies, and how far weights moved.

    That is the total variation between the authors' weights before and after the rows.
    """
    source, opened = SOURCES[stream], open_stream(stream, seed=seed)
    X, y = opened.X, opened.y.astype(np.float64)
    drawn = slice(len(y) - source.length, len(y) - source.length + DRAWN)
    scores = {name: paper.scores(params, X, y) for name, params in models(source).items()}
    scores["default"] = _default_scores(opened, seed)
    accuracy = {name: 1.0 - float(paper.errors(s, y).mean()) for name, s in scores.items()}
    scores = {name: s[drawn] for name, s in scores.items()}
    moved = 0.0
    if source.rate:
        run, blank = _replay(source, X, y, seed, False), _replay(source, X, y, seed, True)
        moved = round(float(np.abs(run.last_weights - run.first_weights).sum() / 2.0), 6)
        theirs = (run.scores, run.online_scores, blank.scores)
        scores |= {name: 2.0 * s - 1.0 for name, s in zip(AUTHORS, theirs, strict=True)}
    lost = {name: paper.losses(s, y[drawn]) for name, s in scores.items()}
    errors = {name: paper.errors(s, y[drawn]) for name, s in scores.items()}
    return lost, errors, accuracy, moved


def regrets(stream: str, n_seeds: int) -> dict[str, Any]:
    """Return regrets over seeds: of all intervals as the paper splits them, and within the last.

    `intervals` has a list for each of the names in `regret`; `curve` the regret up to the rows
    of `GRID`; `whole` that at the interval's end; `more` what MOOE has more than each OGD there.
    The authors' regret is against their own offline expert, and up to row 1,000.
    """
    runs = [_regrets_once(stream, seed) for seed in range(n_seeds)]
    paths = {name: np.array([run[1][name] for run in runs]) for name in runs[0][1]}
    ends = {name: rows[:, -1] for name, rows in paths.items()}
    names = runs[0][0][0].keys()
    split = {name: [[interval[name] for interval in run[0]] for run in runs] for name in names}
    record: dict[str, Any] = {"stream": stream, "n_seeds": n_seeds}
    record["intervals"] = {name: estimate(np.array(values)) for name, values in split.items()}
    at = np.array(GRID) - 1
    record["curve"] = {name: estimate(rows[:, at]) for name, rows in paths.items()}
    record["whole"] = {name: estimate(values) for name, values in ends.items()}
    pairs = [("MOOE", "OGD restarted"), ("MOOE", "OGD warm")]
    if AUTHORS[0] in ends:
        pairs.append((AUTHORS[0], AUTHORS[1]))
    record["more"] = {
        f"{model} - {other}": estimate(ends[model] - ends[other]) for model, other in pairs
    }
    return record


def _regrets_once(stream: str, seed: int) -> tuple[list[dict[str, float]], Rows]:
    """Return the regrets of every interval, and those of each model up to each row of the last."""
    source, opened = SOURCES[stream], open_stream(stream, seed=seed)
    X, y = opened.X, opened.y.astype(np.float64)
    intervals = {name: paper.intervals(params, X, y) for name, params in models(source).items()}
    paths = {name: np.cumsum(of[-1].mixture - of[-1].best) for name, of in intervals.items()}
    if source.rate:
        run = _replay(source, X, y, seed, False)
        first = len(y) - source.length
        labels = y[first : first + DRAWN]
        best = (run.comparator_scores - labels) ** 2
        for name, scores in zip(AUTHORS, (run.scores, run.online_scores), strict=False):
            paths[name] = np.cumsum((scores - labels) ** 2 - best)
    return [interval.regrets() for interval in intervals["MOOE"]], paths


def models(source: Source, **settings: Any) -> dict[str, Params]:
    """Return the paper's algorithm and its online expert alone, with both of the paper's starts.

    `settings` are parameters of all three.
    """
    params = Params(interval=source.length, max_experts=MAX_EXPERTS, **settings)
    return {
        "MOOE": params,
        "OGD restarted": paper.online_params(params, "reset"),
        "OGD warm": paper.online_params(params, "warm"),
    }


def _replay(
    source: Source, X: np.ndarray, y: np.ndarray, seed: int, blank: bool
) -> authors_code.AuthorsRun:
    """Return the run of the authors' code."""
    return authors_code.replay(
        X, y, N_INTERVALS, MAX_EXPERTS, source.rate, source.fit_rate, DRAWN, seed, blank
    )


def _default_scores(stream: Stream, seed: int) -> np.ndarray:
    """Return the default model's probabilities of label 1 as scores from -1 to 1, 0 for none."""
    labels = Labels()
    numbers = labels.encode(stream.y)
    answers = make_learner("mooe", seed=seed).predict_then_learn(stream.X, numbers)
    assert answers.probabilities is not None
    chance = np.nan_to_num(answers.probabilities[:, labels.number(1)], nan=0.5)
    return np.asarray(2.0 * chance - 1.0)


def _firsts(rows: np.ndarray) -> np.ndarray:
    """Return the means over the first rows, (n_seeds, len(FIRST))."""
    return np.stack([rows[:, :n].mean(axis=1) for n in FIRST], axis=1)


def _binned(rows: np.ndarray) -> np.ndarray:
    """Return the means between EDGES, (n_seeds, len(EDGES) - 1)."""
    return np.stack([rows[:, a:b].mean(axis=1) for a, b in pairwise(EDGES)], axis=1)
