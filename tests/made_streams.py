"""Random streams and settings of paper mode for tests, and what a state remembers, as bytes."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from mooe.paper import core

# What lies behind these in the block is scratch; of slots and rows only those in use are compared.
KEPT = [
    "counts",
    "mean",
    "squares",
    "online",
    "experts",
    "fitted",
    "multipliers",
    "log_prior",
    "losses",
    "rows",
    "labels",
    "row_weights",
]
SLOTS, ROWS = ("experts", "fitted"), ("rows", "labels", "row_weights")


@dataclass(frozen=True)
class Stream:
    """Rows in the order of their arrival; classes are numbered by their first learnt row."""

    X: np.ndarray  # (n, n_features), NaN where a value is absent
    y: np.ndarray  # (n,), NaN where a label is missing
    weights: np.ndarray  # (n,), 0 where a label is not to be learnt

    @property
    def learnt(self):
        """Which rows are learnt, (n,)."""
        return ~np.isnan(self.y) & (self.weights > 0)


def kept(params, state):
    """Return what a state remembers: the counters and the arrays in use, by name, as bytes."""
    block, n, t = core.views(params, state), state.n_offline, state.t
    memory = {"counters": state.counters.tobytes()}
    for name in KEPT:
        array = getattr(block, name)
        if name in SLOTS:
            array = array[..., :n]
        elif name in ROWS:
            array = array[:t]
        elif name in ("log_prior", "losses"):
            array = np.append(array[:n], array[-1])
        memory[name] = array.tobytes()
    return memory


def stream(
    rng,
    n=120,
    d=3,
    n_classes=2,
    late=False,
    offset=0.0,
    noise=0.3,
    absent=0.0,
    unlabelled=0.0,
    weighted=False,
    constant_columns=0,
    constant_labels=0,
):
    """Return a stream of two concepts that return; n_classes 0 is regression.

    `late`: a class appears at the earliest at its share of the stream. `constant_labels`: so many
    labels at the beginning are the same.
    """
    X = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-2, 2, d) + offset
    X[:, : min(constant_columns, d)] = offset + 0.1
    concepts = rng.normal(size=(2, max(n_classes, 1), d + 1))
    which = np.arange(n) // max(n // 4, 1) % 2
    unit = (X - X.mean(axis=0)) / (X.std(axis=0) + 1e-9)
    scores = np.einsum("ncd,nd->nc", concepts[which], np.column_stack([unit, np.ones(n)]))
    scores += noise * rng.normal(size=scores.shape)
    weights = rng.choice([0.0, 0.5, 1.0, 2.0], n, p=[0.1, 0.2, 0.6, 0.1]) if weighted else None
    weights = np.ones(n) if weights is None else weights
    missing = rng.random(n) < unlabelled
    X[rng.random((n, d)) < absent] = np.nan
    if n_classes == 0:
        y = 5.0 + 30.0 * np.tanh(scores[:, 0] / 4.0)
        y[:constant_labels] = y[0]
    else:
        if late:
            first = np.arange(n_classes) / n_classes * n
            scores[np.arange(n)[:, None] < first] = -np.inf
        y = scores.argmax(axis=1).astype(float)
    y[missing] = np.nan
    made = Stream(X, y, weights)
    if n_classes == 0:
        return made
    order = list(dict.fromkeys(y[made.learnt]))
    numbers = {label: float(number) for number, label in enumerate(order)}
    return Stream(X, np.array([numbers.get(label, label) for label in y]), weights)


def within(X, bound):
    """Return the inputs shrunk so that the longest row has almost the norm `bound`."""
    longest = np.linalg.norm(np.nan_to_num(X), axis=1).max()
    return X * (0.99 * bound / max(longest, 1e-9))


@st.composite
def paper_settings(draw):
    """Draw Params of paper mode, from one expert to many and from interval 1 on."""
    chosen = {
        "task": draw(st.sampled_from(["classification", "classification", "regression"])),
        "interval": draw(st.one_of(st.integers(1, 4), st.integers(5, 40))),
        "max_experts": draw(st.sampled_from([1, 2, 2, 3, 5, 9, 25])),
        "priority": draw(st.sampled_from(["weight", "queue"])),
        "start": draw(st.sampled_from(["warm", "reset", "random"])),
        "radius": draw(st.sampled_from([0.05, 0.3, 1.0, 4.0, 20.0])),
        "input_bound": draw(st.sampled_from([0.2, 1.0, 3.0])),
        "pull": draw(st.sampled_from([None, None, 0.01, 1.0])),
        "online_rate": draw(st.sampled_from([None, None, 0.1, 2.0])),
        "meta_rate": draw(st.sampled_from([None, None, "anytime", 0.0, 0.3, 3.0])),
        "step": draw(st.sampled_from(["corrected", "printed"])),
        "scale": draw(st.booleans()),
        "intercept": draw(st.booleans()),
        "seed": draw(st.integers(0, 9)),
    }
    if chosen["task"] == "classification":
        chosen["loss"] = draw(st.sampled_from(["squared", "logistic"]))
    elif draw(st.booleans()):
        chosen["target_bounds"] = (-30.0, 40.0)
    return core.Params(**chosen)


@st.composite
def streams_for(draw, params, n=None):
    """Draw a stream that the settings can learn: continuous numbers, so nothing is tied."""
    regression = params.task == "regression"
    made = stream(
        np.random.default_rng(draw(st.integers(0, 2**32 - 1))),
        n=n or draw(st.integers(1, 150)),
        d=draw(st.sampled_from([1, 2, 3, 5, 17, 45])),
        n_classes=0 if regression else draw(st.sampled_from([1, 2, 2, 3, 4, 6])),
        late=draw(st.booleans()),
        offset=draw(st.sampled_from([0.0, 0.0, 1e3])),
        absent=draw(st.sampled_from([0.0, 0.0, 0.2])),
        unlabelled=draw(st.sampled_from([0.0, 0.0, 0.3])),
        weighted=draw(st.booleans()),
        constant_columns=draw(st.sampled_from([0, 0, 1, 2])),
        constant_labels=draw(st.sampled_from([0, 0, 30])) if regression else 0,
    )
    if params.scale:
        return made
    return Stream(within(made.X, params.input_bound), made.y, made.weights)


N = 300


def table(n=300, seed=0):
    """Return an array of rows, their classes and their values."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=n) > 0, "yes", "no")
    return X, y, 3.0 * X[:, 0] + X[:, 1]
