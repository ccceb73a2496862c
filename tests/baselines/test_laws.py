"""The laws of tests/test_contract.py, and causality, for every baseline."""

import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from made_streams import stream
from test_contract import LAWS

from mooe import baselines


def remembered(value):
    """Return all that an object remembers as bytes, in a fixed order."""
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if isinstance(value, (list, tuple)):
        return b"".join(map(remembered, value))
    if hasattr(value, "__dict__") and type(value).__module__.startswith("mooe"):
        return b"".join(
            name.encode() + remembered(one)
            for name, one in sorted(vars(value).items())
            if name not in ("core", "settings")  # follow from the other parameters
        )
    if hasattr(value, "theta_"):  # naive Bayes of scikit-learn
        return value.theta_.tobytes() + value.var_.tobytes()
    return repr(value).encode()


@dataclass
class Baseline:
    """A baseline, as the laws call a learner."""

    kind: str
    options: dict[str, Any] = field(default_factory=dict)
    n_classes: int = 2
    learner: Any = field(init=False)

    def __post_init__(self):
        params = getattr(baselines, f"{self.kind}Params")(**self.options)
        self.learner = getattr(baselines, self.kind)(params)

    def stream(self, n=130):
        n_classes = 0 if self.options.get("task") == "regression" else self.n_classes
        return stream(
            np.random.default_rng(1), n, 4, n_classes, late=True, absent=0.1, unlabelled=0.1
        )

    def predict(self, X):
        return table(self.learner.predict(X))

    def learn(self, X, y):
        return table(self.learner.predict_then_learn(X, y))

    @property
    def weights(self):
        return self.learner.weights

    def to_bytes(self):
        return remembered(self.learner)

    def restarted(self):
        other = copy.copy(self)
        other.learner = copy.deepcopy(self.learner)
        return other


def table(answers):
    """Return answers and probabilities side by side."""
    parts = [answers.chosen.astype(float)[:, None]]
    return np.hstack(parts if answers.probabilities is None else [*parts, answers.probabilities])


LEARNERS = {
    "OGD": lambda: Baseline("OGD"),
    "OGD, restarted": lambda: Baseline("OGD", {"restart": True, "interval": 30}),
    "OGD, multi-class, logistic": lambda: Baseline("OGD", {"loss": "logistic"}, 4),
    "OGD, regression": lambda: Baseline("OGD", {"task": "regression"}),
    "Ader": lambda: Baseline("Ader"),
    "Ader, basic": lambda: Baseline("Ader", {"form": "basic", "horizon": 40}),
    "Ader, multi-class": lambda: Baseline("Ader", {"horizon": 60}, 4),
    "Ader, regression": lambda: Baseline("Ader", {"task": "regression"}),
    "Condor": lambda: Baseline("Condor", {"epoch": 20, "max_models": 3}),
    "Condor, multi-class": lambda: Baseline("Condor", {"epoch": 20, "max_models": 3}, 4),
    "Learn++.NSE": lambda: Baseline("LearnPPNSE", {"chunk": 20, "max_members": 3}),
    "Learn++.NSE, bayes": lambda: Baseline(
        "LearnPPNSE", {"chunk": 15, "base": "bayes", "max_members": 3}, 3
    ),
    "Learn++.NSE, by error": lambda: Baseline(
        "LearnPPNSE", {"chunk": 15, "max_members": 3, "pruning": "error"}, 4
    ),
    "DTEL": lambda: Baseline("DTEL", {"chunk": 20, "capacity": 3}),
    "DTEL, multi-class": lambda: Baseline("DTEL", {"chunk": 15, "capacity": 3}, 4),
}
MIXTURES = [name for name in LEARNERS if not name.startswith("OGD")]


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("law", [law for law in LAWS if law != "weights sum to one"])
def test_every_baseline_obeys_every_law(law, name):
    LAWS[law](LEARNERS[name]())


@pytest.mark.parametrize("name", MIXTURES)
def test_weights_sum_to_one(name):
    learner = LEARNERS[name]()
    rows = learner.stream()
    learner.learn(rows.X[:70], rows.y[:70])
    for x, y in zip(rows.X[70:, None], rows.y[70:, None], strict=True):
        learner.learn(x, y)
        assert learner.weights.min() >= 0
        assert learner.weights.sum() == pytest.approx(1, abs=1e-12)
    assert len(learner.weights) > 1


@pytest.mark.parametrize("name", LEARNERS)
def test_rows_one_by_one_are_answered_as_in_one_chunk(name):
    whole, single = LEARNERS[name](), LEARNERS[name]()
    rows = whole.stream()
    together = whole.learn(rows.X, rows.y)
    for i in range(len(rows.X)):
        one = single.learn(rows.X[i : i + 1], rows.y[i : i + 1])[0]
        np.testing.assert_array_equal(one[0], together[i, 0])
        if np.isfinite(one).all():
            np.testing.assert_allclose(one[1:], together[i, 1 : len(one)], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", LEARNERS)
def test_the_same_seed_gives_the_same_bytes(name):
    one, other = LEARNERS[name](), LEARNERS[name]()
    before = one.to_bytes()
    for learner in (one, other):
        rows = learner.stream()
        learner.learn(rows.X, rows.y)
    assert one.to_bytes() == other.to_bytes() != before


@pytest.mark.parametrize("name", LEARNERS)
def test_an_answer_does_not_depend_on_what_comes_later(name):
    one, other = LEARNERS[name](), LEARNERS[name]()
    rows = one.stream()
    told = rows.y.copy()
    told[90:] = told[90:][::-1]  # of the last 40 rows the labels, from row 91 on also the inputs
    later = rows.X.copy()
    later[91:] *= -3.0
    first, second = one.learn(rows.X, rows.y), other.learn(later, told)
    np.testing.assert_array_equal(first[:91, 0], second[:91, 0])
    assert not np.array_equal(first[91:], second[91:])


@pytest.mark.parametrize("name", LEARNERS)
def test_rows_without_label_change_nothing(name):
    learner = LEARNERS[name]()
    rows = learner.stream()
    learner.learn(rows.X, rows.y)
    before = learner.to_bytes()
    learner.learn(rows.X, np.full(len(rows.X), np.nan))
    assert learner.to_bytes() == before


@pytest.mark.parametrize("name", LEARNERS)
def test_more_is_learnt_than_the_most_frequent_class(name):
    learner = LEARNERS[name]()
    rng = np.random.default_rng(3)
    X = rng.normal(size=(1200, 4))
    scores = X @ rng.normal(size=(4, learner.n_classes))
    y = scores.argmax(axis=1).astype(float)
    regression = learner.options.get("task") == "regression"
    if regression:
        y = np.tanh(scores[:, 0])
    else:
        y = np.array([list(dict.fromkeys(y)).index(one) for one in y], dtype=float)
    found = learner.learn(X, y)[600:, 0]
    if regression:
        assert np.mean((found - y[600:]) ** 2) < 0.5 * y.var()
    else:
        most = np.bincount(y.astype(int)).max() / len(y)
        assert np.mean(found == y[600:]) > most + 0.15
