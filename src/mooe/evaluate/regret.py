"""The regret meter: a paper-mode learner that writes down the regrets of each full interval.

It learns row by row in Python and fits the best expert in hindsight once per interval, so it is
used on request only (`mooe run --regret`).
"""

from typing import Any

import numpy as np

from mooe.evaluate.learners import Answers, Learner, MooeLearner, together
from mooe.paper import core
from mooe.paper.core import Params
from mooe.paper.regret import best_in_ball, loss, scaled, split, targets_of


class RegretMeter:
    """A paper-mode learner that writes down `regrets`, which are those of `Results`.

    An interval in which a class appears has none, because its losses are not of one kind.
    """

    takes_sparse = False

    def __init__(self, learner: Learner) -> None:
        if not isinstance(learner, MooeLearner):
            kind = type(learner).__name__
            raise ValueError(f"regret must be that of mode='paper', got {kind}")
        if not isinstance(learner.params, Params):
            raise ValueError(f"regret must be that of mode='paper', got {learner.params.mode!r}")
        self.learner, self.params = learner, learner.params
        self.regrets: list[dict[str, float]] = []
        self.losses: list[np.ndarray] = []  # per label: of the mixture, then of every expert
        self.whole = True  # whether all labels of the open interval are in self.losses

    def predict_then_learn(self, X: Any, y: np.ndarray, known: np.ndarray | None = None) -> Answers:
        """In place: answer each row, then learn it, one by one."""
        return together([self.step(X[i : i + 1], y[i : i + 1]) for i in range(len(X))])

    def step(self, x: np.ndarray, y: np.ndarray) -> Answers:
        """In place: one row."""
        state = self.learner.state
        if state is None or np.isnan(y[0]):
            self.whole = self.whole and np.isnan(y[0])
            return self.learner.predict_then_learn(x, y)
        outputs, interval = state.n_outputs, state.n_intervals
        weights, scores = core.explain(self.params, state, x[:, : state.n_features])
        low, high = state.low, state.high
        answers = self.learner.predict_then_learn(x, y)
        state = self.learner.state or state  # a new one where a class has appeared
        comparable = state.n_outputs == outputs and (low, high) == (state.low, state.high)
        self.whole = self.whole and comparable and state.n_labelled > 1
        if self.whole:
            everyone = np.vstack([weights @ scores, scores])
            if self.params.task == "regression":
                everyone = scaled(state, everyone)
            targets = targets_of(self.params, state, y)
            self.losses.append(loss(self.params, everyone, targets).mean(axis=1))
        if state.n_intervals > interval:
            self.close(interval)
        return answers

    def close(self, interval: int) -> None:
        """In place: an interval is full; its rows are still in the buffer."""
        state = self.learner.state
        if self.whole and state is not None and len(self.losses) == self.params.interval:
            block = core.views(self.params, state)
            targets = targets_of(self.params, state, block.labels)
            best = sum(
                best_in_ball(self.params, block.rows, targets[:, c])[1]
                for c in range(state.n_outputs)
            )
            parts = split(self.params, np.sum(self.losses, axis=0), best / state.n_outputs)
            self.regrets.append({"interval": interval, "rows": self.params.interval, **parts})
        self.losses, self.whole = [], True
