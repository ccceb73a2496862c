"""Batch references: the accuracy of learners that have the whole stream in hand, shuffled."""

from typing import Any

import numpy as np

from mooe.datasets import open_stream

FOLDS = 10
LEARNERS = ("logistic", "forest", "boosted")  # as in the tables: regression, random, trees
REGIMES = {"Usenet1": 300, "Email": 300}  # rows of a block; two interests take turns
SEASONS = {"Weather": 365.25}  # rows of a year


def cross_validate(
    stream: str,
    learner: str,
    told: bool = False,
    around: bool = False,
    seed: int = 0,
    max_rows: int | None = None,
) -> dict[str, Any]:
    """Return the accuracy of a batch learner, cross-validated on the shuffled rows of a stream.

    Ten folds, each class spread evenly over them. Every row is answered by a model that has seen
    rows from before and after it, which no learner on the stream can.

    Parameters
    ----------
    stream : str
    learner : one of LEARNERS
    told : bool
        Whether each regime of the stream has a model of its own, where regimes are known; where
        they are not, whether the number of the row is an input too.
    around : bool
        Whether the inputs of the row before and of the row after are inputs too, and the season,
        where a year is known: see `with_surroundings`. Labels of other rows never are.
    seed : int
        Of the folds, the learner, and a stream that is made.
    """
    from sklearn.model_selection import StratifiedKFold

    data = open_stream(stream, seed=seed, max_rows=max_rows).load()
    X, y = np.nan_to_num(data.X), np.unique(data.y, return_inverse=True)[1]
    if around:
        X = with_surroundings(X, SEASONS.get(stream))
    regimes = _regimes(stream, data.concept, len(y)) if told else None
    if regimes is None:
        regimes = np.zeros(len(y), dtype=np.int64)
        if told:
            X = np.column_stack([X, np.arange(len(y))])
    right = 0
    for regime in np.unique(regimes):
        rows = np.flatnonzero(regimes == regime)
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
        for train, test in folds.split(X[rows], y[rows]):
            model = _new_learner(learner, seed).fit(X[rows[train]], y[rows[train]])
            right += int(np.count_nonzero(model.predict(X[rows[test]]) == y[rows[test]]))
    return {
        "stream": stream,
        "learner": learner,
        "told": told,
        "around": around,
        "rows": len(y),
        "accuracy": right / len(y),
    }


def with_surroundings(X: np.ndarray, year: float | None = None) -> np.ndarray:
    """Return rows with the inputs of the row before and after, the ends' own, and the season.

    The season is sine and cosine of the row's place in a year of so many rows, left out for None.

    >>> with_surroundings(np.array([[1.0], [2.0], [3.0]])).tolist()
    [[1.0, 1.0, 2.0], [2.0, 1.0, 3.0], [3.0, 2.0, 3.0]]
    """
    rows = np.arange(len(X))
    parts = [X, X[np.maximum(rows - 1, 0)], X[np.minimum(rows + 1, len(X) - 1)]]
    if year is not None:
        angle = 2.0 * np.pi * rows / year
        parts += [np.sin(angle)[:, None], np.cos(angle)[:, None]]
    return np.hstack(parts)


def _regimes(stream: str, concept: np.ndarray | None, n: int) -> np.ndarray | None:
    """Return the number of the regime of each row, None where it is not known."""
    if concept is not None:
        return concept[:n]
    return np.arange(n) // REGIMES[stream] % 2 if stream in REGIMES else None


def _new_learner(learner: str, seed: int) -> Any:
    """Return a new batch learner, with the settings of scikit-learn."""
    if learner == "logistic":
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        return make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=1000))
    if learner == "forest":
        from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier(random_state=seed)
    if learner == "boosted":
        from sklearn.ensemble import HistGradientBoostingClassifier

        return HistGradientBoostingClassifier(random_state=seed)
    raise ValueError(f"learner must be one of {', '.join(LEARNERS)}, got {learner!r}")
