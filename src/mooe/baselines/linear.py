"""Linear baselines: the state, the mixture of scorers and the learner that they share.

OGD, Ader and Condor are pools of linear scorers that are weighed and mixed; they differ in how a
label is learnt. Rows are seen, mixed, targeted and descended by the functions of paper mode.
"""

from dataclasses import fields
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mooe.baselines.checks import numeric_labels, numeric_rows
from mooe.evaluate.learners import Answers
from mooe.numerics.arithmetic import dot, matrix, vector
from mooe.numerics.blocks import State, copy_alike, cut, zeros
from mooe.numerics.compiled import compiled, forced, shared
from mooe.numerics.compiler import from_dtype, int64, void
from mooe.numerics.driver import learn_in_order
from mooe.numerics.hedge import weigh
from mooe.numerics.lanes import fma
from mooe.numerics.scores import answers, n_outputs_of, probabilities
from mooe.paper import layout
from mooe.paper.offline import n_scratch
from mooe.paper.params import Params
from mooe.paper.row import answer, see, target_of


def _extended(record: np.dtype[Any], own: list[tuple[str, str]]) -> np.dtype[Any]:
    """Return a record of paper mode with fields of the baselines before its own.

    Behind them, numba would take the one for a kind of the other and run code of paper mode on it.
    """
    return np.dtype([*own, *((name, record[name]) for name in record.names or ())], align=True)


SETTINGS = _extended(
    layout.SETTINGS,  # interval: labels between restarts, of an epoch, or until bounds are frozen
    [
        ("restart", "?"),  # OGD
        ("improved", "?"),  # Ader: linear losses at the played point
        ("horizon", "i8"),  # Ader: 0 where it is not known
        ("gradient_bound", "f8"),  # OGD, Ader: of the loss divided by its range
        ("keeps_rows", "?"),  # Condor: the rows of the open epoch
    ],
)
COUNTERS = _extended(
    layout.COUNTERS,  # t: labels since the last beginning
    [
        ("n_experts", "i8"),  # scorers there are
        ("horizon", "i8"),  # Ader: labels until the next beginning
    ],
)
_settings, _counters = from_dtype(SETTINGS)[::1], from_dtype(COUNTERS)[::1]
LEARN = int64(_settings, _counters, vector, vector, matrix, vector, int64, matrix)  # of a method


class Arrays(NamedTuple):
    """Names and shapes of what is remembered; from `seen` on, of what a call forgets."""

    experts: np.ndarray  # (n_outputs, n_slots, n_inputs)
    counts: np.ndarray  # (n_features,)
    mean: np.ndarray  # (n_features,)
    squares: np.ndarray  # (n_features,)
    log_prior: np.ndarray  # (n_slots,)
    losses: np.ndarray  # (n_slots,) since the last beginning
    steps: np.ndarray  # (n_slots,)
    rows: np.ndarray  # (interval or 0, n_inputs)
    labels: np.ndarray  # (interval or 0,)
    seen: np.ndarray  # (n_inputs,) the row as the experts see it
    weights: np.ndarray  # (n_slots,) not normalised
    scores: np.ndarray  # (n_outputs, n_slots)
    played: np.ndarray  # (n_outputs,) scores of the mixture
    rest: np.ndarray  # of a fit


@shared
def open_arrays(s, c, block, scratch):
    """Return the views of what is remembered, and of scratch."""
    d, o, k = c.n_features, c.n_outputs, s.n_slots
    p = d + 1 if s.intercept else d
    b = s.interval if s.keeps_rows else 0
    at = o * k * p
    ends = at + 3 * d + 3 * k
    rest = p + k + o * k + o
    return Arrays(
        cut(block, 0, (o, k, p)),
        cut(block, at, (d,)),
        cut(block, at + d, (d,)),
        cut(block, at + 2 * d, (d,)),
        cut(block, at + 3 * d, (k,)),
        cut(block, at + 3 * d + k, (k,)),
        cut(block, at + 3 * d + 2 * k, (k,)),
        cut(block, ends, (b, p)),
        cut(block, ends + b * p, (b,)),
        cut(scratch, 0, (p,)),
        cut(scratch, p, (k,)),
        cut(scratch, p + k, (o, k)),
        cut(scratch, p + k + o * k, (o,)),
        cut(scratch, rest, (scratch.shape[0] - rest,)),
    )


@forced
def is_new_class(s, c, label):
    """Whether a label is of a class that there is no room for yet."""
    return s.classify and label >= c.n_classes


@forced
def weigh_pool(c, m):
    """In place: the weights of the scorers there are; return their sum."""
    n = c.n_experts
    if n == 0:
        return 1.0
    log_prior, losses = cut(m.log_prior, 0, (n,)), cut(m.losses, 0, (n,))
    return weigh(log_prior, losses, n - 1, c.meta_rate, cut(m.weights, 0, (n,)))


@forced
def answer_row(s, c, m, mass, x, learnt, out):
    """In place: x as seen, every scorer's scores of it, the mixture's in m.played, the answer.

    Where there is no scorer yet, a score is the mean of the targets so far.
    """
    see(s, x, m.counts, m.mean, m.squares, learnt, m.seen)
    for o in range(c.n_outputs):
        mixed = 0.0
        for k in range(c.n_experts):
            m.scores[o, k] = dot(m.experts[o, k], m.seen, m.seen.shape[0])
            mixed = fma(m.weights[k], m.scores[o, k], mixed)
        if c.n_experts == 0 and c.t > 0:
            for i in range(c.t):
                mixed += target_of(s, c, m.labels[i], o)
            mixed /= c.t
        m.played[o] = mixed / mass
        out[o] = m.played[o]
    answer(s, c, out)


@forced
def mix_scorers(c, m, mass, o, out):
    """In place: out = the weighted mean of the scorers of output o."""
    for j in range(out.shape[0]):
        mixed = 0.0
        for k in range(c.n_experts):
            mixed = fma(m.weights[k], m.experts[o, k, j], mixed)
        out[j] = mixed / mass


@compiled(void(_settings, _counters, vector, vector, matrix, matrix))
def _score(settings, counters, block, scratch, X, out):
    """In place: out = the mixture's scores of X; the state is only read."""
    s, c = settings[0], counters[0]
    m = open_arrays(s, c, block, scratch)
    mass = weigh_pool(c, m)
    for i in range(X.shape[0]):
        answer_row(s, c, m, mass, X[i], False, out[i])


class LinearParams:
    """Base of the parameters of a linear baseline; `core` and `settings` are computed from them."""

    def __post_init__(self) -> None:
        _ = self.core

    @cached_property
    def core(self) -> Params:
        """The parameters that paper mode has too, checked."""
        names = {field.name for field in fields(Params)} & vars(self).keys()
        return Params(max_experts=1, **{name: getattr(self, name) for name in names})

    @cached_property
    def settings(self) -> np.ndarray:
        """The record that compiled code reads: what paper mode has too, and the method's own."""
        record, paper = np.zeros(1, SETTINGS), self.core.settings
        for name in paper.dtype.names or ():
            record[name] = paper[name]
        for name, value in self._own_settings().items():
            record[name] = value
        return record

    def _own_settings(self) -> dict[str, Any]:
        """Return the settings that are the method's own."""
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        """Return the parameters alone, to be pickled."""
        computed = ("core", "settings")
        return {name: value for name, value in vars(self).items() if name not in computed}


def empty_state(params: Any, n_features: int, n_outputs: int = 1) -> State:
    """Return the state before the first row."""
    core, s = params.core, params.settings[0]
    counters = np.zeros(1, COUNTERS)
    counters["n_features"], counters["n_outputs"] = n_features, n_outputs
    counters["low"], counters["high"] = core.target_bounds or (np.inf, -np.inf)
    counters["bounds_frozen"] = core.target_bounds is not None
    p, k = n_features + core.intercept, int(s["n_slots"])
    b = core.interval if s["keeps_rows"] else 0
    return State(counters, zeros(n_outputs * k * p + 3 * n_features + 3 * k + b * (p + 1)))


def _arrays(params: Any, state: State) -> tuple[np.ndarray, ...]:
    """Return settings, counters and block for one call of compiled code, and its scratch."""
    core, s = params.core, params.settings[0]
    p, k, o = state.n_features + core.intercept, int(s["n_slots"]), state.n_outputs
    b = core.interval if s["keeps_rows"] else 0
    fit = 2 * o * p + o * b + o + b + n_scratch(b, p) if b else 0
    return params.settings, state.counters, state.block, zeros(p + k + o * k + o + fit)


def _open(settings: np.ndarray, counters: np.ndarray, *floats: np.ndarray) -> Arrays:
    """Return `open_arrays` outside of compiled code."""
    s, c = (record.view(np.recarray)[0] for record in (settings, counters))
    arrays: Arrays = open_arrays(s, c, *floats)
    return arrays


def views(params: Any, state: State) -> Arrays:
    """Return the named arrays of a state."""
    return _open(*_arrays(params, state))


def grow_classes(params: Any, state: State, n_classes: int) -> None:
    """In place: room for more classes; a new one has no scorer but a constant that speaks against.

    Two classes share one score, three and more have one each.
    """
    before, after = state.n_outputs, n_outputs_of(params.core, n_classes)
    state.counters["n_classes"] = n_classes
    if before == after:
        return
    larger = empty_state(params, state.n_features, after)
    larger.counters[:] = state.counters
    larger.counters["n_outputs"] = after
    old, new = views(params, state), views(params, larger)
    copy_alike(old, new)  # all but the experts
    if params.core.intercept:
        new.experts[:, : state.n_experts, -1] = -min(1.0, params.core.radius)
    known = np.stack([-old.experts[0], old.experts[0]]) if before == 1 else old.experts
    new.experts[: len(known)] = known
    state.counters, state.block = larger.counters, larger.block


class LinearLearner:
    """A learner that mixes a pool of linear scorers; the method says how a label is learnt."""

    # In place: (settings, counters, block, scratch, X, labels, first, out) answers each row from
    # `first` on, then learns it if it has a label. It stops before a class not met yet, with
    # -1 - its row; 0 means that all rows are done.
    _learn: ClassVar[Any]
    takes_sparse: ClassVar = False

    def __init__(self, params: Any) -> None:
        self.params = params
        self.state: State | None = None  # before the first row

    def predict(self, X: Any) -> Answers:
        """Return the answers to rows; the learner is only read."""
        return self._answers(self.scores(self._rows(X)))

    def predict_then_learn(self, X: Any, y: Any, known: Any = None) -> Answers:
        """In place: answer each row, then learn it if it has a label (not NaN).

        `known`, the labels that were known meanwhile, is of no account.
        """
        X = self._rows(X)
        y = numeric_labels(X, y)
        params, state = self.params, self.state
        if state is None:
            state = self.state = empty_state(params, X.shape[1])

        def learn(first: int, out: np.ndarray) -> int:
            return int(self._learn(*_arrays(params, state), X, y, first, out))

        scores = learn_in_order(
            params.core,
            state,
            y,
            learn,
            answer=lambda row: self.scores(X[row : row + 1])[0],
            grow=lambda n_classes: grow_classes(params, state, n_classes),
        )
        return self._answers(scores)

    def scores(self, X: np.ndarray) -> np.ndarray:
        """Return the mixture's scores (n, n_outputs) of rows as numbers; it is only read."""
        params = self.params
        state = self.state or empty_state(params, X.shape[1])
        out = np.empty((len(X), state.n_outputs))
        _score(*_arrays(params, state), X, out)
        return out

    @property
    def weights(self) -> np.ndarray:
        """The share of each scorer in the mixture now, (n_experts,)."""
        params = self.params
        state = self.state or empty_state(params, 0)
        arrays, no_rows = _arrays(params, state), np.zeros((0, state.n_features))
        _score(*arrays, no_rows, no_rows)
        weights = _open(*arrays).weights[: state.n_experts]
        return np.asarray(weights / weights.sum())

    def _rows(self, X: Any) -> np.ndarray:
        """Return rows as compiled code takes them."""
        state = self.state
        return numeric_rows(self.params.core, X, None if state is None else state.n_features)

    def _answers(self, scores: np.ndarray) -> Answers:
        """Return what scores stand for."""
        core = self.params.core
        if core.task == "regression":
            return Answers(answers(core, scores))
        return Answers(answers(core, scores), probabilities(core, scores))
