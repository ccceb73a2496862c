"""What the default model has learnt: its beginning, its named arrays, and its growth."""

import math
import threading
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from mooe.auto import inputs, meta, roster
from mooe.auto.inputs import N_FOURIER, NARROW
from mooe.auto.layout import COUNTERS, Block, open_block, open_desk
from mooe.auto.params import AutoParams
from mooe.auto.roster import EXPERTS, NARROW_ONLY
from mooe.numerics.blocks import State, copy_alike, zeros
from mooe.numerics.checks import check_size
from mooe.numerics.scores import n_outputs_of

SHAPE = ("n_features", "n_outputs", "n_fourier", "n_pairs", "n_added", "narrow")
KEPT, NOTHING = threading.local(), np.zeros(0)
ANYWHERE = np.broadcast_to(0.0, 2**46)  # as long as any block, and takes no room


def init(params: AutoParams, n_features: int, n_classes: int = 0) -> State:
    """Return the state before the first sample, with room for classes known beforehand."""
    counters = np.zeros(1, COUNTERS)
    counters["n_features"] = n_features
    counters["n_classes"] = n_classes
    counters["n_outputs"] = n_outputs_of(params, n_classes)
    counters["last"] = np.nan
    counters["target_least"], counters["target_most"] = math.inf, -math.inf
    counters["target_unit"] = counters["error"] = 1.0
    counters["narrow"] = n_features <= NARROW
    pairs = np.zeros((0, 2))
    if n_features <= NARROW:
        if "products" not in params.without:
            pairs = inputs.drawn_pairs(params.seed, n_features)
        counters["n_fourier"] = 0 if "fourier" in params.without else N_FOURIER
        counters["n_pairs"] = len(pairs)
    state = empty_state(params, counters)
    s, c = records(params, state.counters)
    if not meta.taking_part(s, c).any():
        raise _nobody_left(params)
    block = views(params, state)
    meta.start(s, c, block.mixture)
    roster.start(block.experts)
    if state.narrow:
        block.inputs.pairs[:] = pairs
        inputs.draw_waves(params.seed, block.inputs)
    return state


def empty_state(params: AutoParams, counters: np.ndarray) -> State:
    """Return a state of these counters whose arrays are all 0."""
    return State(counters, zeros(_block_size(params, counters)))


def _block_size(params: AutoParams, counters: np.ndarray) -> int:
    """Return how many floats `open_block` cuts into arrays."""
    n_features, n_outputs = (int(counters[name][0]) for name in ("n_features", "n_outputs"))
    least = (params.interval + n_outputs * params.max_concepts) * (n_features + 1)
    check_size(params, least, "max_concepts")  # before numbers that compiled code cannot count with
    n_floats = _block_length(params, *(int(counters[name][0]) for name in SHAPE))
    check_size(params, n_floats, "max_concepts")
    return n_floats


@lru_cache
def _block_length(params: AutoParams, *shape: int) -> int:
    """Return the size of the block of states of this shape; kept, for many models are alike."""
    sizes = SimpleNamespace(**dict(zip(SHAPE, shape, strict=True)))
    return int(open_block(_values(params.settings), sizes, ANYWHERE)[1])


def records(params: AutoParams, counters: np.ndarray) -> tuple[Any, Any]:
    """Return settings and counters by name, as compiled code reads and writes them."""
    return params.settings.view(np.recarray)[0], counters.view(np.recarray)[0]


def views(params: AutoParams, state: State) -> Block:
    """Return the named arrays of a state; they are views, not copies."""
    settings, counters = _values(params.settings), _values(state.counters)
    block: Block = open_block(settings, counters, state.block)[0]
    return block


def _values(record: np.ndarray) -> SimpleNamespace:
    """Return the values of a record by name, to be read: several times as quick as numpy's own."""
    return SimpleNamespace(**dict(zip(record.dtype.names or (), record[0].item(), strict=True)))


def desk_of(params: AutoParams, state: State) -> np.ndarray:
    """Return scratch of the size that `open_desk` cuts into arrays.

    That of wide inputs is kept for the next call of this thread: to make it anew would take longer
    than a row with few values.
    """
    n = _desk_length(params, *(getattr(state, name) for name in SHAPE))
    if state.narrow:
        return np.zeros(n)
    if n > len(getattr(KEPT, "desk", NOTHING)):
        KEPT.desk = np.zeros(n)
    kept: np.ndarray = KEPT.desk[:n]
    return kept


@lru_cache
def _desk_length(params: AutoParams, *shape: int) -> int:
    """Return the size of the scratch of states of this shape; kept, for chunks may be tiny."""
    counters = np.zeros(1, COUNTERS)
    for name, value in zip(SHAPE, shape, strict=True):
        counters[name] = value
    length: int = open_desk(*records(params, counters), ANYWHERE)[1]
    return length


def _nobody_left(params: AutoParams) -> ValueError:
    """Return the error of a model none of whose experts is for wide inputs."""
    return ValueError(f"without must leave an expert for wide inputs, got {params.without}")


def as_if_sorted(params: AutoParams, state: State, order: list[int]) -> None:
    """In place: the random draws that the columns would have got in the order `order`.

    So that it does not matter in which order the features of a sample are named.
    """
    if state.narrow:
        inputs.move_columns(views(params, state).inputs, order)


def _resized(params: AutoParams, state: State, **changes: int) -> State:
    """Return an empty state of other sizes, with the counters of this one."""
    counters = state.counters.copy()
    for name, value in changes.items():
        counters[name] = value
    return empty_state(params, counters)


def replace(state: State, larger: State) -> None:
    """In place: the state becomes the larger one."""
    state.counters, state.block = larger.counters, larger.block


def grow_classes(params: AutoParams, state: State, n_classes: int) -> None:
    """In place: room for more classes, see `roster.grow_classes`."""
    after = n_outputs_of(params, n_classes)
    if after == state.n_outputs:
        state.counters["n_classes"] = n_classes
        return
    larger = _resized(params, state, n_outputs=after, n_classes=n_classes)
    old, new = views(params, state), views(params, larger)
    copy_alike(old.inputs, new.inputs)
    copy_alike(old.mixture, new.mixture)
    roster.grow_classes(records(params, larger.counters)[1], old.experts, new.experts)
    replace(state, larger)


def grow_inputs(params: AutoParams, state: State, n_features: int) -> None:
    """In place: room for more features, behind the ones there are; no expert knows them yet.

    With more than NARROW features the experts on rich inputs leave.
    """
    narrow = bool(state.narrow and n_features <= NARROW)
    old, leaves = views(params, state), bool(state.narrow) and not narrow
    if leaves:
        _check_plain(params, old)
    pairs = old.inputs.pairs if narrow else np.zeros((0, 2))
    if narrow and "products" not in params.without:
        pairs = inputs.more_pairs(pairs, state.n_features, n_features)
    larger = _resized(
        params,
        state,
        n_features=n_features,
        narrow=narrow,
        n_fourier=state.n_fourier if narrow else 0,
        n_pairs=len(pairs),
    )
    new, (s, c) = views(params, larger), records(params, larger.counters)
    moved = inputs.moved_inputs(records(params, state.counters)[1], n_features)
    inputs.grow_inputs(s, c, params.seed, old.inputs, new.inputs, pairs)
    copy_alike(old.mixture, new.mixture)
    roster.start(new.experts)
    roster.grow_inputs(c, old.experts, new.experts, moved)
    if leaves:
        meta.leave(new.mixture, NARROW_ONLY)
    replace(state, larger)


def _check_plain(params: AutoParams, block: Block) -> None:
    """Raise ValueError unless an expert is left where the rich ones leave."""
    left = block.mixture.shares > 0.0
    left[[EXPERTS.index(name) for name in NARROW_ONLY]] = False
    if not left.any():
        raise _nobody_left(params)


def add_expert(params: AutoParams, state: State) -> None:
    """In place: one more expert in the mixture, whose scores are given with the rows."""
    larger = _resized(params, state, n_added=state.n_added + 1)
    old, new = views(params, state), views(params, larger)
    copy_alike(old.inputs, new.inputs)
    copy_alike(old.experts, new.experts)
    meta.add_expert(old.mixture, new.mixture, state.n_added)
    replace(state, larger)
