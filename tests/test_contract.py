"""The laws that every learner obeys, one table of laws by one table of learners."""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from hindsight import best_losses
from made_streams import Stream, stream, within
from reference import loss_value

from mooe import modelfile
from mooe.auto.params import AutoParams
from mooe.engine import AnyParams, engine_of
from mooe.paper import core
from mooe_paper import theory


@dataclass
class Model:
    """A mode of MOOE, as the laws call a learner."""

    params: AnyParams
    n_classes: int = 0  # known beforehand; 0: regression, or met as they come
    n_features: int = 4
    state: core.State = field(init=False)

    def __post_init__(self):
        self.state = engine_of(self.params).init(self.params, self.n_features, self.n_classes)

    def stream(self, n=130):
        """Return rows that this learner can take."""
        n_classes = 0 if self.params.task == "regression" else self.n_classes or 3
        return stream(np.random.default_rng(1), n, self.n_features, n_classes, late=True)

    def predict(self, X):
        return engine_of(self.params).predict(self.params, self.state, X)

    def learn(self, X, y):
        """Return the scores given before each label."""
        return engine_of(self.params).predict_then_learn(self.params, self.state, X, y)

    @property
    def weights(self):
        return engine_of(self.params).weights(self.params, self.state)

    def to_bytes(self):
        labels = list(range(self.state.n_classes))
        labels = labels if self.params.task == "classification" else None
        return modelfile.to_bytes(modelfile.Contents(self.params, self.state, labels))

    def restarted(self):
        """Return the learner that goes on from this one's bytes."""
        other = replace(self)
        contents = modelfile.from_bytes(self.to_bytes())
        other.params, other.state = contents.params, contents.state
        return other

    def regrets(self):
        """Return (regret, promised bound) of each interval of a stream that meets the paper."""
        p = replace(self.params, scale=False)
        rows = self.stream(n=4 * p.interval)
        rows = Stream(within(rows.X, p.input_bound), rows.y, rows.weights)
        state = core.init(p, self.n_features, self.n_classes)
        ones = np.ones((len(rows.X), int(p.intercept)))
        seen = np.hstack([rows.X, ones])
        if p.task == "regression":
            low, high = p.target_bounds
            unit = 2 * (rows.y - low) / (high - low) - 1
            targets = unit[:, None]
        else:
            classes = [1] if self.n_classes == 2 else range(self.n_classes)
            targets = np.where(rows.y[:, None] == classes, 1.0, -1.0)
        found = []
        for first in range(0, len(rows.X), p.interval):
            this = slice(first, first + p.interval)
            n_experts = state.n_offline + 1
            scores = core.predict_then_learn(p, state, rows.X[this], rows.y[this])
            if p.task == "regression":
                scores = 2 * (scores - low) / (high - low) - 1
                scores = np.nan_to_num(scores)  # no answer before the first label: its score is 0
            losses = loss_value(p.loss, scores, targets[this]).mean(axis=1) / p.loss_range
            best = best_losses(p, seen[this], targets[this])[-1]
            bound = theory.regret_bound(n_experts, p.interval, p.radius, p.smoothness)
            found.append((losses.sum() - best, bound))
        return found


FAST = {"interval": 40, "max_experts": 4}  # several intervals in few rows

# One line per learner: the laws below are all it has to obey.
LEARNERS = {
    "squared": lambda: Model(core.Params(**FAST), 2),
    "logistic": lambda: Model(core.Params(**FAST, loss="logistic"), 2),
    "queue, random start": lambda: Model(core.Params(**FAST, priority="queue", start="random"), 2),
    "multi-class": lambda: Model(core.Params(**FAST), 4),
    "multi-class, logistic": lambda: Model(core.Params(**FAST, loss="logistic"), 4),
    "multi-class, met as they come": lambda: Model(core.Params(**FAST, meta_rate="anytime")),
    "regression": lambda: Model(core.Params(**FAST, task="regression")),
    "regression in bounds": lambda: Model(
        core.Params(**FAST, task="regression", target_bounds=(-30.0, 40.0))
    ),
    "default": lambda: Model(AutoParams(), 2),
    "default, multi-class": lambda: Model(AutoParams(interval=20), 4),
    "default, met as they come": lambda: Model(AutoParams(interval=20)),
    "default, wide": lambda: Model(AutoParams(interval=20), 2, 140),
    "default, regression": lambda: Model(AutoParams("regression", interval=20)),
}
# Bounds are promised by paper mode, where the number of outputs and the bounds of the targets are
# known.
PROMISED = {
    name
    for name, make in LEARNERS.items()
    if make().params.mode == "paper" and name not in {"multi-class, met as they come", "regression"}
}


def predict_changes_nothing(learner):
    rows = learner.stream()
    learner.learn(rows.X, rows.y)
    before = learner.to_bytes()
    learner.predict(rows.X)
    assert learner.to_bytes() == before


def predict_equals_what_learning_reports(learner):
    rows = learner.stream()
    for x, y in zip(rows.X[:, None], rows.y[:, None], strict=True):
        predicted, reported = learner.predict(x), learner.learn(x, y)
        if predicted.shape == reported.shape:  # else a class was met in this row
            np.testing.assert_array_equal(reported, predicted)


def rows_one_by_one_equal_one_chunk(learner):
    rows, single = learner.stream(), learner.restarted()
    learner.learn(rows.X, rows.y)
    for x, y in zip(rows.X[:, None], rows.y[:, None], strict=True):
        single.learn(x, y)
    assert single.to_bytes() == learner.to_bytes()


def restarted_equals_never_stopped(learner):
    rows = learner.stream()
    for cut in (0, 1, 40, 57, 120):
        whole = learner.restarted()
        whole.learn(rows.X[:cut], rows.y[:cut])
        part = whole.restarted()
        assert part.to_bytes() == whole.to_bytes()
        one, other = (m.learn(rows.X[cut:], rows.y[cut:]) for m in (whole, part))
        np.testing.assert_array_equal(one, other)
        assert part.to_bytes() == whole.to_bytes()


def large_inputs_give_finite_answers(learner):
    rows = learner.stream()
    learner.learn(rows.X, rows.y)
    learner.learn(rows.X * 1e6, rows.y)
    assert np.isfinite(learner.predict(rows.X * 1e6)).all()
    assert np.isfinite(learner.predict(rows.X)).all()


def inputs_are_not_modified(learner):
    rows = learner.stream()
    before = rows.X.tobytes(), rows.y.tobytes()
    learner.learn(rows.X, rows.y)
    learner.predict(rows.X)
    assert (rows.X.tobytes(), rows.y.tobytes()) == before


def weights_sum_to_one(learner):
    rows = learner.stream()
    for x, y in zip(rows.X[:, None], rows.y[:, None], strict=True):
        learner.learn(x, y)
        assert learner.weights.min() >= 0
        assert learner.weights.sum() == pytest.approx(1, abs=1e-12)
    assert len(learner.weights) > 1


LAWS = {
    "predict changes nothing": predict_changes_nothing,
    "predict equals what learning reports": predict_equals_what_learning_reports,
    "rows one by one equal one chunk": rows_one_by_one_equal_one_chunk,
    "restarted equals never stopped": restarted_equals_never_stopped,
    "large inputs give finite answers": large_inputs_give_finite_answers,
    "inputs are not modified": inputs_are_not_modified,
    "weights sum to one": weights_sum_to_one,
}


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("law", LAWS)
def test_every_learner_obeys_every_law(law, name):
    LAWS[law](LEARNERS[name]())


@pytest.mark.parametrize("name", LEARNERS)
def test_the_same_seed_gives_the_same_bytes(name):
    one, other = LEARNERS[name](), LEARNERS[name]()
    before = one.to_bytes()
    for learner in (one, other):
        rows = learner.stream()
        learner.learn(rows.X, rows.y)
    assert one.to_bytes() == other.to_bytes() != before


@pytest.mark.parametrize("name", sorted(PROMISED))
def test_regret_stays_below_its_bound_where_one_is_promised(name):
    for regret, bound in LEARNERS[name]().regrets():
        assert regret <= bound
