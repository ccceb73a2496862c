"""What has been learnt: its beginning, its named arrays, and its growth."""

import math

import numpy as np

from mooe.numerics.blocks import State, zeros
from mooe.numerics.checks import check_size
from mooe.numerics.scores import n_outputs_of
from mooe.paper import kernel
from mooe.paper.layout import COUNTERS, SPARE, Block, open_block
from mooe.paper.offline import n_scratch
from mooe.paper.params import Params


def init(params: Params, n_features: int, n_classes: int = 0) -> State:
    """Return the state before the first sample, with room for classes known beforehand."""
    counters = np.zeros(1, COUNTERS)
    counters["n_features"] = n_features
    counters["n_classes"] = n_classes
    counters["n_outputs"] = n_outputs_of(params, n_classes)
    counters["low"], counters["high"] = params.target_bounds or (math.inf, -math.inf)
    counters["bounds_frozen"] = params.target_bounds is not None
    state = State(counters, _empty_block(params, n_features, counters["n_outputs"].item()))
    kernel.start(params.settings, state.counters, state.block)
    return state


def _empty_block(params: Params, n_features: int, n_outputs: int) -> np.ndarray:
    """Return zeros of the size that `mooe.paper.layout.open_block` cuts into arrays."""
    b, k, d, o = params.interval, params.max_experts - 1, n_features, n_outputs
    p = d + params.intercept
    kept = 3 * d + o * p * (k + 1) + k + o + 2 * (k + 1) + b * (p + 2)
    scratch = (k + 1) + o * k + SPARE + o + o * b + 3 * o * p + max(n_scratch(b, p), 2 * k)
    check_size(params, kept + scratch, "max_experts")
    return zeros(kept + scratch)


def views(params: Params, state: State) -> Block:
    """Return the named arrays of a state; they are views, not copies."""
    settings, counters = (r.view(np.recarray)[0] for r in (params.settings, state.counters))
    block: Block = open_block.py_func(settings, counters, state.block)
    return block


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
    larger = _resized(params, state, state.n_features, after)
    larger.counters["n_classes"] = n_classes
    old, new = views(params, state), views(params, larger)
    absent = np.zeros(old.online.shape[1])
    if params.intercept:
        absent[-1] = -min(1.0, params.radius)
    known = np.stack([-old.online[0], old.online[0]]) if before == 1 else old.online
    taught = np.stack([-old.experts[0], old.experts[0]]) if before == 1 else old.experts
    new.online[:] = absent
    new.online[: len(known)] = known
    new.experts[:, :, : state.n_offline] = absent[:, None]
    new.experts[: len(taught)] = taught
    new.multipliers[:before] = old.multipliers
    kernel.recharge(params.settings, larger.counters, larger.block)
    state.counters, state.block = larger.counters, larger.block


def grow_inputs(params: Params, state: State, n_features: int) -> None:
    """In place: room for more features, behind the ones there are; no expert knows them yet."""
    larger, d = _resized(params, state, n_features, state.n_outputs), state.n_features
    old, new = views(params, state), views(params, larger)
    for name in ("counts", "mean", "squares"):
        getattr(new, name)[:d] = getattr(old, name)
    places = np.append(np.arange(d), n_features) if params.intercept else np.arange(d)
    new.rows[:, places] = old.rows
    new.online[:, places] = old.online
    new.experts[:, places] = old.experts
    new.multipliers[:] = old.multipliers
    state.counters, state.block = larger.counters, larger.block


def _resized(params: Params, state: State, n_features: int, n_outputs: int) -> State:
    """Return a state for these numbers of features and outputs, with all that has no such side."""
    larger = State(state.counters.copy(), _empty_block(params, n_features, n_outputs))
    larger.counters["n_features"], larger.counters["n_outputs"] = n_features, n_outputs
    old, new = views(params, state), views(params, larger)
    for name in ("fitted", "log_prior", "losses", "labels", "row_weights"):
        getattr(new, name)[:] = getattr(old, name)
    if n_features == state.n_features:
        for name in ("counts", "mean", "squares", "rows"):
            getattr(new, name)[:] = getattr(old, name)
    return larger
