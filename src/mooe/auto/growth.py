"""A state that grows: more classes, more features, more experts; what was learnt goes along."""

from typing import Any

import numpy as np

from mooe.auto.layout import sizes
from mooe.auto.params import AutoParams
from mooe.auto.records import (
    ADAGRAD,
    BUSY,
    EXPERTS,
    N_CONCEPTS,
    PASSIVE,
    Block,
    Memory,
    Scorers,
    Squares,
    T,
)
from mooe.auto.scorers import SMALLEST_SUM
from mooe.auto.state import (
    MOST_PAIRS,
    NARROW,
    NARROW_ONLY,
    draw_waves,
    n_outputs_of,
    records,
    resized,
    start_learners,
    views,
)
from mooe.numerics.blocks import State

__all__ = ["add_expert", "grow_classes", "grow_inputs"]

COLUMNS = ("counts", "mean", "squares", "zeros", "touched", "dense", "place")


def replace(state: State, larger: State) -> None:
    """In place: the state becomes the larger one."""
    state.counters, state.block = larger.counters, larger.block


def copy_alike(a: Any, b: Any) -> None:
    """In place: arrays that have the same shape in both."""
    for source, target in zip(a, b, strict=True):
        if isinstance(source, tuple):
            copy_alike(source, target)
        elif source.shape == target.shape:
            target[:] = source


def in_use(memory: Memory) -> np.ndarray:
    """Return the lanes of a memory that hold a concept or a learner."""
    lanes = len(memory.gains)
    concepts = np.arange(int(memory.status[N_CONCEPTS]))
    return np.concatenate([concepts, np.arange(lanes - BUSY, lanes)])


def scorers_of(a: Memory, b: Memory) -> list[tuple[Scorers, Scorers, int]]:
    """Return the frozen and the busy scorers of two memories, with how many there are in a."""
    return [(a.frozen, b.frozen, int(a.status[N_CONCEPTS])), (a.busy, b.busy, BUSY)]


def begin(a: Memory, b: Memory) -> None:
    """In place: the scorers that a has begin in b, as if they had learnt nothing."""
    for _, scorers, k in scorers_of(a, b):
        scorers.sums[:, :, :k] = SMALLEST_SUM
    b.busy.sums[:, :, PASSIVE] = 1.0


def grow_classes(params: AutoParams, state: State, n_classes: int) -> None:
    """In place: room for more classes.

    Experts are given the scores that they would have learnt: of two classes the single score w
    becomes (-w, w), and a class that an expert never met has the score -1, its target all along,
    from the constant input.
    """
    after = n_outputs_of(params, n_classes)
    if after == state.n_outputs:
        state.counters["n_classes"] = n_classes
        return
    larger = resized(params, state, n_outputs=after, n_classes=n_classes)
    old, new = views(params, state), views(params, larger)
    copy_alike(old, new)
    for a, b in ((old.plain, new.plain), (old.rich, new.rich)):
        begin(a, b)
        for of_a, of_b, k in scorers_of(a, b):
            of_b.weights[:, state.n_features : state.n_features + 1, :k] = -1.0
            of_b.weights[: max(2, len(of_a.weights))] = two_sided(of_a.weights, -1.0)
            of_b.sums[: max(2, len(of_a.sums))] = two_sided(of_a.sums, 1.0)
    new.usual[:] = -1.0
    new.usual[: max(2, len(old.usual))] = two_sided(old.usual, -1.0)
    for before, now in ((old.fast, new.fast), (old.slow, new.slow)):
        now.weights[:, state.n_features : state.n_features + 1] = -1.0
        now.weights[: max(2, len(before.weights))] = two_sided(before.weights, -1.0)
    replace(state, larger)


def two_sided(values: np.ndarray, sign: float) -> np.ndarray:
    """Return the values of every class, from those of a single score if there is one."""
    return np.concatenate([sign * values, values]) if len(values) == 1 else values


def grow_inputs(params: AutoParams, state: State, n_features: int) -> None:
    """In place: room for more features, behind the ones there are; no expert knows them yet.

    With more than NARROW features the experts on rich inputs leave.
    """
    d, narrow = state.n_features, bool(state.narrow and n_features <= NARROW)
    old = views(params, state)
    if state.narrow and not narrow:
        check_plain(params, old)
    pairs = more_pairs(params, old.inputs.pairs, d, n_features) if narrow else np.zeros((0, 2))
    larger = resized(
        params,
        state,
        n_features=n_features,
        narrow=narrow,
        n_fourier=state.n_fourier if narrow else 0,
        n_pairs=len(pairs),
    )
    new = views(params, larger)
    start_learners(new)
    for name in COLUMNS:
        before = getattr(old.inputs, name)
        getattr(new.inputs, name)[: len(before)] = before
    new.shares[:], new.tuned[:], new.usual[:] = old.shares, old.tuned, old.usual
    plain = np.append(np.arange(d), n_features)
    move_memory(old.plain, new.plain, plain)
    if narrow:
        draw_waves(params, new)
        new.inputs.frequencies[:d], new.inputs.phases[:], new.inputs.pairs[:] = (
            old.inputs.frequencies,
            old.inputs.phases,
            pairs,
        )
        short = np.append(plain, n_features + 1 + np.arange(state.n_fourier))
        rich = np.append(short, n_features + 1 + state.n_fourier + np.arange(state.n_pairs))
        move_memory(old.rich, new.rich, rich)
        move_squares(old.fast, new.fast, plain)
        move_squares(old.slow, new.slow, short)
    elif state.narrow:
        become_wide(params, state, larger, plain)
    replace(state, larger)


def more_pairs(params: AutoParams, pairs: np.ndarray, before: int, after: int) -> np.ndarray:
    """Return the pairs of columns with those of new columns behind, as many as there is room."""
    if "products" in params.without:
        return pairs
    new = [(i, j) for j in range(before, after) for i in range(j + 1)]
    return np.concatenate([pairs, np.array(new[: max(0, MOST_PAIRS - len(pairs))]).reshape(-1, 2)])


def move_memory(a: Memory, b: Memory, inputs: np.ndarray) -> None:
    """In place: a memory whose inputs are now in other places."""
    copy_alike(a, b)
    begin(a, b)
    for of_a, of_b, _ in scorers_of(a, b):
        of_b.weights[:, inputs] = of_a.weights
        of_b.sums[:, inputs] = of_a.sums
    n = a.rows.shape[1]
    if b.places.shape[1] == 0:
        b.rows[:, inputs] = a.rows
        b.lengths[: int(a.status[T])] = b.rows.shape[1]
    elif a.places.shape[1]:
        b.rows[:, :n] = a.rows
        b.places[:, :n] = inputs[a.places.astype(np.int64)]
    else:
        b.rows[:, :n], b.places[:, :n] = a.rows, inputs


def move_squares(a: Squares, b: Squares, inputs: np.ndarray) -> None:
    """In place: least squares whose inputs are now in other places."""
    whole = a.inverse + np.tril(a.inverse, -1).T
    b.inverse[np.ix_(inputs, inputs)] = whole
    b.inverse[:] = np.tril(b.inverse)
    b.weights[:, inputs] = a.weights
    b.gain[inputs] = a.gain
    b.pending[:] = a.pending


def become_wide(params: AutoParams, state: State, larger: State, plain: np.ndarray) -> None:
    """In place: the rich experts leave; AdaGrad stays, with what it knows of the plain inputs."""
    old, new = views(params, state), views(params, larger)
    d, z = state.n_features, sizes(records(params, state.counters)[1])[0]
    before, after = old.rich.busy, new.plain.busy
    after.weights[:, plain, ADAGRAD] = before.weights[:, :z, ADAGRAD]
    after.sums[:, plain, ADAGRAD] = before.sums[:, :z, ADAGRAD]
    new.inputs.touched[:d] = state.n_seen
    share = params.settings["sparse_share"][0]
    dense = np.flatnonzero(old.inputs.zeros <= share * old.inputs.counts)
    new.inputs.dense[: len(dense)] = dense
    new.inputs.place[dense] = np.arange(1, len(dense) + 1)
    larger.counters["n_dense"], larger.counters["shown"] = len(dense), 0
    leave(new, [EXPERTS.index(name) for name in NARROW_ONLY])


def check_plain(params: AutoParams, block: Block) -> None:
    """Raise ValueError unless an expert is left where the rich ones leave."""
    left = block.shares > 0.0
    left[[EXPERTS.index(name) for name in NARROW_ONLY]] = False
    if not left.any():
        raise ValueError(f"without must leave an expert for wide inputs, got {params.without}")


def leave(block: Block, experts: list[int]) -> None:
    """In place: experts leave the mixture."""
    for weights in (block.shares, block.tuned):
        weights[experts] = 0.0
        weights /= weights.sum()


def add_expert(params: AutoParams, state: State) -> None:
    """In place: one more expert in the mixture, whose scores are given with the rows."""
    larger = resized(params, state, n_added=state.n_added + 1)
    old, new = views(params, state), views(params, larger)
    copy_alike(old, new)
    at = len(EXPERTS) + state.n_added
    n_on = int(np.count_nonzero(old.shares))
    for a, b in ((old.shares, new.shares), (old.tuned, new.tuned)):
        b[:] = 0.0
        b[:at] = a[:at] * n_on / (n_on + 1.0)
        b[at] = 1.0 / (n_on + 1.0)
    replace(state, larger)
