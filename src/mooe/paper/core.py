"""The algorithm: the functions that take Params and State.

Flow of a sample: its scores are the weighted scores of all experts (`predict`); when its label is
known, every expert is charged its loss and the online expert takes a gradient step
(`predict_then_learn`); a full interval leaves an offline expert behind and a new one begins.
Params never change, State changes in place, and nothing else remembers. The loops over samples and
experts are in `paper.kernel`. Paper: Zhao, Cao, Wan, "Mixture of Online and Offline Experts for
Non-Stationary Time Series", AAAI 2025.
"""

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from mooe.explanation import Concept, Expert, Traits
from mooe.numerics.blocks import State as State
from mooe.numerics.blocks import copy_alike, length, values
from mooe.numerics.driver import check_rows, learn_in_order
from mooe.numerics.features import LARGEST_INPUT
from mooe.numerics.scores import n_outputs_of, two_sided
from mooe.paper import kernel
from mooe.paper.layout import COUNTERS, LAYOUT, Desk, open_desk
from mooe.paper.params import Params as Params

views = LAYOUT.views


def init(
    params: Params, n_features: int, n_classes: int = 0, groups: np.ndarray | None = None
) -> State:
    """Return the state before the first sample, with room for classes known beforehand.

    Which columns belong together does not matter here.
    """
    counters = np.zeros(1, COUNTERS)
    counters["n_features"] = n_features
    counters["n_classes"] = n_classes
    counters["n_outputs"] = n_outputs_of(params, n_classes)
    counters["low"], counters["high"] = params.target_bounds or (math.inf, -math.inf)
    counters["bounds_frozen"] = params.target_bounds is not None
    state = LAYOUT.empty(params, counters)
    kernel.start(params.settings, state.counters, state.block)
    return state


def check_inputs(params: Params, X: np.ndarray) -> None:
    """Raise ValueError for the first value or row that no expert can take; NaN is absent."""
    row, column = kernel.check(params.settings, X)
    if column >= 0:
        raise ValueError(
            f"X must hold finite numbers of size up to {LARGEST_INPUT:g}, "
            f"got {X[row, column]} in row {row}, column {column}"
        )
    if row >= 0:
        raise ValueError(
            f"with scale=False every input must have a norm of at most input_bound = "
            f"{params.input_bound:g}, got {np.linalg.norm(X[row]):g} in row {row}"
        )


def predict(
    params: Params, state: State, X: np.ndarray, added: np.ndarray | None = None
) -> np.ndarray:
    """Return the mixture's scores, as `mooe.auto.core.predict` does; the state is only read."""
    return score(params, state, X)[0]


def score(params: Params, state: State, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the mixture's scores, and the scratch: it holds those of experts on the last row."""
    check_rows(state, X)
    out, room = np.empty((len(X), state.n_outputs)), scratch(params, state)
    kernel.predict(params.settings, state.counters, state.block, X, room, out)
    return out, room


def scratch(params: Params, state: State) -> np.ndarray:
    """Return room for what is computed on the way to an answer."""
    sizes = state.n_features, state.n_outputs
    return np.zeros(length(open_desk, params, LAYOUT.sizes, sizes))


def grow_classes(params: Params, state: State, n_classes: int) -> None:
    """In place: room for more classes.

    Experts are given the scores that they would have learnt: of two classes the single score w
    becomes (-w, w), which has the same loss; a class that an expert never met has the score -1, its
    target all along, from the constant input (0 without one).
    """
    before, after = state.n_outputs, n_outputs_of(params, n_classes)
    if after == before:
        state.counters["n_classes"] = n_classes
        return
    larger = LAYOUT.resized(params, state, n_outputs=after, n_classes=n_classes)
    old, new = views(params, state), views(params, larger)
    copy_alike(old, new)
    absent = np.zeros(old.online.shape[1])
    if params.intercept:
        absent[-1] = -min(1.0, params.radius)
    new.online[:] = absent
    new.online[: max(2, before)] = two_sided(old.online)
    new.experts[:, :, : state.n_offline] = absent[:, None]
    new.experts[: max(2, before)] = two_sided(old.experts)
    new.multipliers[:before] = old.multipliers
    kernel.recharge(params.settings, larger.counters, larger.block)
    state.become(larger)


def grow_inputs(
    params: Params, state: State, n_features: int, groups: np.ndarray | None = None
) -> None:
    """In place: room for more features, behind the ones there are; no expert knows them yet."""
    larger, d = LAYOUT.resized(params, state, n_features=n_features), state.n_features
    old, new = views(params, state), views(params, larger)
    copy_alike(old, new)
    for name in ("counts", "mean", "squares"):
        getattr(new, name)[:d] = getattr(old, name)
    places = np.append(np.arange(d), n_features) if params.intercept else np.arange(d)
    new.rows[:, places] = old.rows
    new.online[:, places] = old.online
    new.experts[:, places] = old.experts
    state.become(larger)


def weights(params: Params, state: State) -> np.ndarray:
    """Return the meta expert's weights, lowest priority first, the online expert last."""
    return explain(params, state, np.zeros((0, state.n_features)))[0]


def experts(params: Params, state: State) -> list[Expert]:
    """Return the experts, lowest priority first, the online expert last."""
    b, now = params.interval, state.n_intervals
    shares = weights(params, state).tolist()
    fitted, _ = recalled(params, state)
    offline = [
        Expert(None, "offline", g, (g * b, (g + 1) * b - 1), share)
        for g, share in zip(fitted, shares, strict=False)
    ]
    return [*offline, Expert(None, "online", now, (now * b, state.n_labelled - 1), shares[-1])]


def n_intervals(params: Params, state: State) -> int:
    """Return how many intervals have been closed."""
    return int(state.n_intervals)


def recalled(params: Params, state: State) -> tuple[list[int], list[float]]:
    """Return the intervals of the offline experts, and all weights, the online one's last."""
    fitted = views(params, state).fitted[: state.n_offline]
    return fitted.astype(int).tolist(), weights(params, state).tolist()


def concepts(params: Params, state: State) -> list[Concept]:
    """Return no concepts: paper mode remembers intervals, not regimes."""
    return []


def regime_reader(params: Params, state: State) -> Callable[[], int | None]:
    """Return a function that tells of no regime: paper mode remembers intervals."""
    return lambda: None


def samples_spoken_of(params: Params, state: State) -> set[int]:
    """Return none: there are no regimes to speak of."""
    return set()


def traits(params: Params, state: State) -> list[Traits]:
    """Return none: there are no regimes to tell apart."""
    return []


def sizes(params: Params, state: State) -> dict[str, int]:
    """Return how many bytes the experts take in memory: they are of one kind."""
    return {"experts": views(params, state).experts.nbytes}


def upgraded(params: Params, state: State) -> tuple[Params, State]:
    """Return the same: the published algorithm is as it was."""
    return params, state


def make_room(params: Params, state: State, n: int) -> None:
    """In place: nothing, for a state is as large as it will be."""


def add_expert(params: Params, state: State) -> None:
    """Raise ValueError: the paper's mixture has no place for an expert of the user's."""
    raise ValueError("experts can be added to the default model only, not to the paper's")


def column_means(params: Params, state: State) -> np.ndarray:
    """Return the mean of each column so far."""
    return np.asarray(views(params, state).mean)


def column_statistics(params: Params, state: State) -> np.ndarray:
    """Return count, mean and sum of squared deviations of each column so far, (3, n_features)."""
    seen = views(params, state)
    return np.stack([seen.counts, seen.mean, seen.squares])


def column_groups(params: Params, state: State) -> np.ndarray:
    """Return the groups of the columns: none that matters."""
    return np.zeros(state.n_features)


def explain(
    params: Params, state: State, x: np.ndarray, added: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights (n_experts,) and every expert's scores (n_experts, n_outputs) of a row.

    The online expert is last; regression scores are in the unit of the labels.
    """
    n, (_, room) = state.n_offline, score(params, state, x)
    desk: Desk = open_desk(values(params.settings), values(state.counters), room)[0]
    chosen = np.append(desk.weights[:n], desk.weights[-1])
    scores = np.vstack([desk.scores[:, :n].T, desk.online_scores])
    if params.task == "regression":
        half = (state.high - state.low) / 2 if state.high > state.low else 1.0
        scores = (state.low + state.high) / 2 + half * scores
    return chosen / chosen.sum(), scores


def predict_then_learn(
    params: Params,
    state: State,
    X: np.ndarray,
    y: np.ndarray,
    row_weights: np.ndarray | None = None,
    known: np.ndarray | None = None,
    added: np.ndarray | None = None,
) -> np.ndarray:
    """In place: learn the rows in order and return the scores given before each label.

    X, y, row_weights and the scores are as in `mooe.auto.core.predict_then_learn`, X C-contiguous.
    known and added are of no account: no expert here repeats the last label, none can be added.
    """
    row_weights = np.ones(len(X)) if row_weights is None else row_weights
    check_rows(state, X, y=y, row_weights=row_weights)

    def learn(first: int, out: np.ndarray) -> int:
        arrays = params.settings, state.counters, state.block
        return int(kernel.learn(*arrays, X, y, row_weights, first, out))

    def answer(row: int) -> np.ndarray:
        return np.asarray(predict(params, state, X[row : row + 1])[0])

    labels, grow = np.where(row_weights > 0.0, y, np.nan), partial(grow_classes, params, state)
    return learn_in_order(params, state, labels, learn, answer, grow)
