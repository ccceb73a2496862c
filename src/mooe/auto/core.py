"""The default model: the functions that take AutoParams and State, named as in `paper.core`.

Flow of a sample: its columns are standardised; up to thirteen experts score it, among them the live
copies of the concepts in charge; the meta expert mixes their votes, and neighbours may move the
answer (`predict`). When its label is known, weights, experts and concept memories learn it
(`predict_then_learn`). The loops are in `mooe.auto.kernel`.
"""

import math
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from mooe.auto import calibration, inputs, kernel, meta, roster
from mooe.auto.experts import memory, neighbours
from mooe.auto.experts.linear import BUSY
from mooe.auto.inputs import N_FOURIER, NARROW
from mooe.auto.layout import COUNTERS, LAYOUT, open_desk
from mooe.auto.params import AutoParams
from mooe.auto.roster import EXPERTS, NARROW_ONLY, NEWCOMERS
from mooe.explanation import Concept, Expert, Traits
from mooe.numerics.blocks import State, copy_alike, length, records, values
from mooe.numerics.driver import check_rows, learn_in_order
from mooe.numerics.features import LARGEST_INPUT
from mooe.numerics.scores import n_outputs_of

KEPT = threading.local()
NOTHING = np.zeros(0)
views = LAYOUT.views


def init(
    params: AutoParams, n_features: int, n_classes: int = 0, groups: np.ndarray | None = None
) -> State:
    """Return the state before the first sample, with room for classes known beforehand.

    groups (n_features,): the nominal column that each is an indicator of, counted from 1 on; 0 for
    none.
    """
    groups = np.zeros(n_features) if groups is None else groups
    counters = np.zeros(1, COUNTERS)
    counters["n_features"] = n_features
    counters["n_classes"] = n_classes
    counters["n_outputs"] = n_outputs_of(params, n_classes)
    counters["last"] = np.nan
    counters["target_least"], counters["target_most"] = math.inf, -math.inf
    counters["target_unit"] = counters["error"] = 1.0
    counters["narrow"] = n_features <= NARROW
    places, pairs = inputs.arranged(inputs.UNARRANGED, groups), np.zeros((0, 2))
    if n_features <= NARROW:
        if "products" not in params.without:
            pairs = inputs.first_pairs(places.group)
        counters["n_fourier"] = 0 if "fourier" in params.without else N_FOURIER
        counters["n_pairs"] = len(pairs)
        counters["n_groups"] = max(places.group, default=0)
    for counted in (roster.first_counters, partial(roster.room_for, n=1)):
        for name, value in counted(*records(params, counters)).items():
            counters[name] = value
    state = LAYOUT.empty(params, counters)
    s, c = records(params, state.counters)
    _check_somebody(params, meta.taking_part(s, c))
    block = views(params, state)
    meta.start(s, c, block.mixture)
    roster.start(block.experts)
    calibration.start(block.calibration)
    if state.narrow:
        inputs.start(params.seed, block.inputs, places, pairs)
    return state


def _check_somebody(params: AutoParams, left: np.ndarray) -> None:
    """Raise ValueError unless there is an expert left, which there may not be for wide inputs."""
    if not left.any():
        raise ValueError(f"without must leave an expert for wide inputs, got {params.without}")


def scratch(params: AutoParams, state: State) -> np.ndarray:
    """Return room for what is computed on the way to an answer.

    That of wide inputs is kept for the next call of this thread: to make it anew would take longer
    than a row with few values.
    """
    n = length(open_desk, params, LAYOUT.sizes, LAYOUT.sizes_of(state.counters))
    if state.narrow:
        return np.zeros(n)
    if n > len(getattr(KEPT, "room", NOTHING)):
        KEPT.room = np.zeros(n)
    room: np.ndarray = KEPT.room[:n]
    return room


def check_inputs(params: AutoParams, X: Any) -> None:
    """Raise ValueError for the first value that no expert can take; NaN is an absent value."""
    values = X.data if sparse.issparse(X) else X
    bad = np.abs(values) > LARGEST_INPUT
    if bad.any():
        at = tuple(int(i) for i in np.argwhere(bad)[0])
        where = "" if sparse.issparse(X) else f" in row {at[0]}, column {at[1]}"
        raise ValueError(
            f"X must hold finite numbers of size up to {LARGEST_INPUT:g}, got {values[at]}{where}"
        )


def kernel_rows(state: State, X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the rows as the kernel takes them: dense, or values, columns and where rows begin."""
    check_rows(state, X)
    n = X.shape[0]
    if state.narrow:
        dense = X.toarray() if sparse.issparse(X) else X
        return np.ascontiguousarray(dense), NOTHING, NOTHING, np.zeros(n + 1)
    rows = sparse.csr_array(X)
    if not rows.has_canonical_format or not rows.data.all():
        rows = rows.copy()  # what follows is in place, and the arrays are the user's
        rows.sum_duplicates()
        rows.eliminate_zeros()
    values = np.require(rows.data, np.float64, ["C", "W"])  # compiled code takes no other
    places, begins = rows.indices.astype(np.float64), rows.indptr.astype(np.float64)
    return np.zeros((n, 0)), values, places, begins


def _added_scores(params: AutoParams, state: State, added: np.ndarray | None, n: int) -> np.ndarray:
    """Return the added experts' scores, (n, n_added * n_outputs), from theirs of every class.

    The single score of two classes is half the difference of theirs: it does not matter which of
    them was met first. While one class has been met there is nothing to tell apart, even where the
    experts know the next one.
    """
    if state.n_added == 0:
        return np.zeros((n, 0))
    if added is None or added.shape[:2] != (n, state.n_added):
        raise ValueError(f"added must hold the scores of {state.n_added} experts for {n} rows")
    if params.task == "classification" and state.n_classes < 2:
        return np.zeros((n, state.n_added * state.n_outputs))
    scores = added[:, :, : state.n_outputs]
    if state.n_outputs == 1 and added.shape[2] > 1:
        scores = 0.5 * (added[:, :, 1] - added[:, :, 0])
    return np.ascontiguousarray(scores.reshape(n, -1))


def predict(
    params: AutoParams, state: State, X: Any, added: np.ndarray | None = None
) -> np.ndarray:
    """Return the scores of the answers, (n, n_outputs); the state is only read.

    Classification: those of true probabilities, see `mooe.auto.calibration`. A positive single
    score means the second class met; with three classes or more the largest wins. NaN before any
    label, -inf while there is one class. Regression: the label.
    """
    return _score(params, state, X, added)[0]


def _score(
    params: AutoParams,
    state: State,
    X: Any,
    added: np.ndarray | None = None,
    known: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the mixture's scores, and the scratch, which holds the votes on the last row."""
    n = X.shape[0]
    out, room = np.empty((n, state.n_outputs)), scratch(params, state)
    others, unknown = _added_scores(params, state, added, n), np.full(n, np.nan)
    arrays = params.settings, state.counters, state.block, room, *kernel_rows(state, X), others
    kernel.learn(*arrays, unknown, np.ones(n), unknown if known is None else known, 0, out)
    return out, room


def predict_then_learn(
    params: AutoParams,
    state: State,
    X: Any,
    y: np.ndarray,
    row_weights: np.ndarray | None = None,
    known: np.ndarray | None = None,
    added: np.ndarray | None = None,
) -> np.ndarray:
    """In place: learn the rows in order and return the scores given before each label.

    Parameters
    ----------
    X : array (n, n_features), or a sparse one
        NaN means that a feature is absent, and counts as its mean so far.
    y : array (n,)
        Classification: numbers of classes in order of appearance. NaN means no label: the row is
        predicted and changes nothing.
    row_weights : array (n,), optional
        Scale losses and gradients; a row of weight 0 counts as one without label.
    known : array (n,), optional
        For labels that come late: the last label that was known when each row was answered; -inf
        for none, NaN for the last one learnt.
    added : array (n, n_added, n_classes), optional
        The scores in [-1, 1] of the experts that the user added, one per class; in regression
        (n, n_added, 1), labels as they expect them.

    Returns
    -------
    array (n, n_outputs after the last row), as from `predict`; a class that was not met yet when
    the row came has the score -inf.

    Examples
    --------
    >>> from mooe.datasets import recurring
    >>> from mooe.numerics.scores import answers
    >>> stream = recurring(n=8000, length=2000)
    >>> params = AutoParams()
    >>> state = init(params, n_features=10, n_classes=2)
    >>> scores = predict_then_learn(params, state, stream.X, stream.y.astype(float))
    >>> round(float((answers(params, scores) == stream.y).mean()), 3)
    0.898
    >>> [concept.name for concept in concepts(params, state)]
    [1, 2, 3, 4]
    """
    n = X.shape[0]
    row_weights = np.ones(n) if row_weights is None else row_weights
    known = np.full(n, np.nan) if known is None else known
    check_rows(state, X, y=y, row_weights=row_weights, known=known)
    rows = kernel_rows(state, X)

    def learn(first: int, out: np.ndarray) -> int:
        others = _added_scores(params, state, added, n)
        while True:
            arrays = params.settings, state.counters, state.block, scratch(params, state)
            stop = int(kernel.learn(*arrays, *rows, others, y, row_weights, known, first, out))
            first = -1 - stop
            if stop == 0 or (params.task == "classification" and labels[first] >= state.n_classes):
                return stop
            make_room(params, state, n - first)

    def answer(row: int) -> np.ndarray:
        this = slice(row, row + 1)
        others = None if added is None else added[this]
        return np.asarray(_score(params, state, X[this], others, known[this])[0][0])

    labels, grow = np.where(row_weights > 0.0, y, np.nan), partial(grow_classes, params, state)
    scores = learn_in_order(params, state, labels, learn, answer, grow)
    make_room(params, state, 1)
    return scores


def make_room(params: AutoParams, state: State, n: int) -> None:
    """In place: room for all that n rows may teach, so that one compiled call can learn them.

    Between calls there is room for one row, so that equal states take equal room.
    """
    sizes = roster.room_for(values(params.settings), values(state.counters), n)
    if all(getattr(state, name) == size for name, size in sizes.items()):
        return
    other = LAYOUT.resized(params, state, **sizes)
    old, new = views(params, state), views(params, other)
    for before, after in zip(old[:-1], new[:-1], strict=True):  # all but the experts
        copy_alike(before, after)
    roster.copy_used(records(params, state.counters)[1], old.experts, new.experts)
    state.become(other)


def explain(
    params: AutoParams, state: State, x: Any, added: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights (n_experts,) and every expert's votes (n_experts, n_outputs) of a row.

    Votes are clipped scores; in regression they are in the unit of the labels.
    """
    _, room = _score(params, state, x, added)
    desk = open_desk(*records(params, state.counters), room)[0]
    taken, shares = _mixture(params, state)
    votes = desk.mixture.votes[:, taken].T
    if len(shares) > len(votes):
        own = desk.experts.neighbours.scores[:, neighbours.OWN]
        votes = np.concatenate([votes, own[None]])
    if params.task == "regression":
        votes = state.target_mean + state.target_unit * votes
    return shares, votes


def column_means(params: AutoParams, state: State) -> np.ndarray:
    """Return the mean of each column so far."""
    means: np.ndarray = column_statistics(params, state)[1]
    return means


def column_statistics(params: AutoParams, state: State) -> np.ndarray:
    """Return count, mean and sum of squared deviations of each column so far, (3, n_features)."""
    seen = views(params, state).inputs
    found = np.stack([seen.counts, seen.mean, seen.squares])
    found[:, seen.order.astype(np.int64)] = found[:, : len(seen.order)].copy()
    return found


def column_groups(params: AutoParams, state: State) -> np.ndarray:
    """Return the groups of the columns, as `init` takes them; wide inputs have none."""
    seen, groups = views(params, state).inputs, np.zeros(int(state.n_features))
    nominal = np.append(0.0, seen.nominal)
    groups[seen.order.astype(np.int64)] = nominal[seen.group.astype(np.int64)]
    return groups


def _mixture(params: AutoParams, state: State) -> tuple[np.ndarray, np.ndarray]:
    """Return which places of the mixture are taken, (n_places,) bools, and the weights of those.

    Where neighbours are heard their weight is the last, and the mixture has the rest.
    """
    block = views(params, state)
    mixture = block.mixture
    halves = {"hedge": mixture.shares, "gradient": mixture.tuned}
    mean = np.mean([halves[name] for name in halves if name not in params.without], axis=0)
    taken = mixture.shares > 0.0
    shares, own = mean[taken] / mean[taken].sum(), neighbours.share(block.experts.neighbours)
    return taken, np.append((1.0 - own) * shares, own) if own > 0.0 else shares


def weights(params: AutoParams, state: State) -> np.ndarray:
    """Return the weights of the experts that have a say, as in `experts`; their sum is one."""
    return _mixture(params, state)[1]


def experts(params: AutoParams, state: State) -> list[Expert]:
    """Return the experts that have a say: those of the mixture, neighbours while they are heard."""
    taken, shares = _mixture(params, state)
    names = np.array([*EXPERTS, *["added"] * (len(taken) - len(EXPERTS))])[taken].tolist()
    names += neighbours.NAMES[: len(shares) - len(names)]
    kinds = {"added": "added", **dict.fromkeys(memory.NAMES, "memory")}
    return [
        Expert(name, kinds.get(name, "online"), None, None, share)
        for name, share in zip(names, shares.tolist(), strict=True)
    ]


def _shown_memory(params: AutoParams, state: State) -> Any:
    """Return the memory whose concepts users see."""
    memories = views(params, state).experts.memory
    return memories.rich if state.shown else memories.plain


def regime_reader(params: AutoParams, state: State) -> Callable[[], int | None]:
    """Return a function that tells the number of the regime in charge, None while it has none.

    It holds as long as the state keeps its block: until classes or inputs grow.
    """
    memories = views(params, state).experts.memory

    def in_charge() -> int | None:
        shown = memories.rich if state.shown else memories.plain
        k = int(shown.status[memory.IN_CHARGE])
        return int(shown.facts[memory.NAME, k]) or None if k >= 0 else None

    return in_charge


def recalled(params: AutoParams, state: State) -> tuple[list[int], list[float]]:
    """Return the intervals in which the concepts were made, and their weights, the rest's last.

    The weight of the memory's experts is that of the concept in charge.
    """
    shown, members = _shown_memory(params, state), experts(params, state)
    made = shown.facts[memory.BORN, : int(shown.status[memory.N_CONCEPTS])] // params.interval
    remembered = sum(member.weight for member in members if member.kind == "memory")
    weights = [0.0] * len(made)
    if weights:
        weights[int(shown.status[memory.IN_CHARGE])] = remembered
    return made.astype(int).tolist(), [*weights, 1.0 - remembered]


def concepts(params: AutoParams, state: State) -> list[Concept]:
    """Return the concepts that were recognised at least three times, by name."""
    shown = _shown_memory(params, state)
    named = []
    for k in range(int(shown.status[memory.N_CONCEPTS])):
        fact = shown.facts[: memory.WORSE, k].astype(np.int64).tolist()
        if fact[memory.NAME] == 0:
            continue
        order = range(max(0, fact[memory.N_VISITS] - memory.VISITS), fact[memory.N_VISITS])
        visits = [shown.visits[k, visit % memory.VISITS].astype(int).tolist() for visit in order]
        now = k == int(shown.status[memory.IN_CHARGE])
        if now and visits:
            visits[-1][1] = state.n_labelled - 1
        last = visits[-1][1] if visits else fact[memory.LAST]
        spans = tuple((first, last) for first, last in visits if first <= last)
        name, samples, recognised = fact[memory.NAME], fact[memory.SAMPLES], fact[memory.RECOGNISED]
        named.append(Concept(name, samples, recognised, fact[memory.BORN], last, spans, now))
    return sorted(named, key=lambda concept: concept.name)


def samples_spoken_of(params: AutoParams, state: State) -> set[int]:
    """Return the samples at which visits begin and end, or may turn out to, of all concepts."""
    n = int(state.n_labelled)
    samples = set(range(max(0, n - params.interval - 1), n))  # back to where the interval began
    for kept in views(params, state).experts.memory:
        for k in range(int(kept.status[memory.N_CONCEPTS])):
            n_visits = min(int(kept.facts[memory.N_VISITS, k]), memory.VISITS)
            samples.update(kept.visits[k, :n_visits].ravel().astype(int).tolist())
    return samples


def traits(params: AutoParams, state: State) -> list[Traits]:
    """Return what tells the concepts with a name from each other, by name.

    In regression weights are in the unit of the labels.
    """
    shown, seen = _shown_memory(params, state), views(params, state).inputs
    lanes = views(params, state).experts.linear
    kept = (lanes.rich if state.shown else lanes.plain).frozen.weights
    d, at = int(state.n_features), shown.gains.shape[0] - BUSY + memory.UNIT
    order = seen.order.astype(np.int64) if state.narrow else np.arange(d)
    unit = 1.0
    if params.task == "regression":
        unit = float(shown.gains[at]) or float(state.target_unit)
    found = []
    for k in range(int(shown.status[memory.N_CONCEPTS])):
        name = int(shown.facts[memory.NAME, k])
        if name:
            weights = np.empty((kept.shape[0], d))
            weights[:, order] = unit * kept[:, :d, k]
            found.append(Traits(name, weights, shown.outcomes[:, k].copy()))
    return sorted(found, key=lambda trait: trait.name)


def n_intervals(params: AutoParams, state: State) -> int:
    """Return how many intervals have been closed, by the memory that has closed more."""
    memories = views(params, state).experts.memory
    return int(max(kept.status[memory.N_CLOSED] for kept in memories))


def grow_classes(params: AutoParams, state: State, n_classes: int) -> None:
    """In place: room for more classes, see `roster.grow_classes`."""
    n_outputs = n_outputs_of(params, n_classes)
    if n_outputs == state.n_outputs:
        state.counters["n_classes"] = n_classes
        return
    larger = LAYOUT.resized(params, state, n_outputs=n_outputs, n_classes=n_classes)
    old, new = views(params, state), views(params, larger)
    copy_alike(old.inputs, new.inputs)
    copy_alike(old.calibration, new.calibration)
    copy_alike(old.mixture, new.mixture)
    s, before = records(params, state.counters)
    after = records(params, larger.counters)[1]
    roster.grow_classes(s, before, after, old.experts, new.experts)
    state.become(larger)


def grow_inputs(
    params: AutoParams, state: State, n_features: int, groups: np.ndarray | None = None
) -> None:
    """In place: room for more features, behind the ones there are; no expert knows them yet.

    With more than NARROW features the experts on rich inputs leave. groups: those of the new
    features, as in `init`.
    """
    narrow = bool(state.narrow and n_features <= NARROW)
    old, leaves = views(params, state), bool(state.narrow) and not narrow
    if leaves:
        left = old.mixture.shares > 0.0
        left[[EXPERTS.index(name) for name in NARROW_ONLY]] = False
        _check_somebody(params, left)
    new_groups = np.zeros(n_features - state.n_features) if groups is None else groups
    places, pairs = inputs.UNARRANGED, np.zeros((0, 2))
    if narrow and state.n_seen == 0:
        places = inputs.arranged(places, np.append(column_groups(params, state), new_groups))
        pairs = inputs.first_pairs(places.group)
    elif narrow:
        places = inputs.arranged(inputs.arrangement(old.inputs), new_groups)
        pairs = inputs.more_pairs(old.inputs.pairs, places.group, state.n_features, state.n_seen)
    if "products" in params.without:
        pairs = pairs[:0]
    n_fourier = state.n_fourier if narrow else 0
    sizes = {"n_features": n_features, "n_fourier": n_fourier, "n_pairs": len(pairs)}
    sizes["n_groups"] = int(max(places.group, default=0))
    s, before = records(params, state.counters)
    rooms = roster.room_with(s, before, n_features) if narrow else dict.fromkeys(roster.ROOMS, 0)
    larger = LAYOUT.resized(params, state, narrow=narrow, **sizes, **rooms)
    new, c = views(params, larger), records(params, larger.counters)[1]
    moved = inputs.moved_inputs(before, n_features)
    inputs.grow_inputs(s, c, params.seed, old.inputs, new.inputs, places, pairs)
    copy_alike(old.targets, new.targets)
    copy_alike(old.mixture, new.mixture)
    copy_alike(old.calibration, new.calibration)
    roster.start(new.experts)
    roster.grow_inputs(s, before, c, old.experts, new.experts, moved)
    if leaves:
        meta.leave(new.mixture, NARROW_ONLY)
    state.become(larger)
    make_room(params, state, 1)


def sizes(params: AutoParams, state: State) -> dict[str, int]:
    """Return how many bytes each kind of expert takes in memory, by name."""
    kinds = views(params, state).experts._asdict()
    return {name: sum(array.nbytes for array in _arrays(kind)) for name, kind in kinds.items()}


def _arrays(views: Any) -> Iterator[np.ndarray]:
    """Yield the arrays of views, those inside others too, each once."""
    begun = set()
    for view in views:
        if isinstance(view, tuple):
            yield from _arrays(view)
        elif view.size and view.ctypes.data not in begun:
            begun.add(view.ctypes.data)
            yield view


def upgraded(params: AutoParams, state: State) -> tuple[AutoParams, State]:
    """Return parameters and state with the parts that models of before lack; they know nothing yet.

    An expert that joins the mixture weighs as most do, as one that is added does.
    """
    after = replace(params, without=tuple(set(params.without) - set(NEWCOMERS)))
    counters = state.counters.copy()
    s, c = records(after, counters)
    for name, value in roster.first_counters(s, c).items():
        counters[name] = counters[name].item() or value
    for name, value in roster.room_for(s, c, 1).items():
        counters[name] = value
    other = LAYOUT.empty(after, counters)
    old, new = views(params, state), views(after, other)
    roster.start(new.experts)
    calibration.start(new.calibration)
    copy_alike(old, new)
    meta.join(s, c, old.mixture, new.mixture)
    return after, other


def add_expert(params: AutoParams, state: State) -> None:
    """In place: one more expert in the mixture, whose scores are given with the rows."""
    larger = LAYOUT.resized(params, state, n_added=state.n_added + 1)
    old, new = views(params, state), views(params, larger)
    copy_alike(old.inputs, new.inputs)
    copy_alike(old.targets, new.targets)
    copy_alike(old.calibration, new.calibration)
    copy_alike(old.experts, new.experts)
    meta.add_expert(old.mixture, new.mixture, state.n_added)
    state.become(larger)
