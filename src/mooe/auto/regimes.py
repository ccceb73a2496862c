"""What users are told of a state: its experts and their weights, the regimes it knows."""

import numpy as np

from mooe.auto.params import AutoParams
from mooe.auto.records import (
    BORN,
    EXPERTS,
    IN_CHARGE,
    LAST,
    N_CLOSED,
    N_CONCEPTS,
    N_VISITS,
    NAME,
    RECOGNISED,
    SAMPLES,
    VISITS,
    WORSE,
    Memory,
)
from mooe.auto.state import views
from mooe.explanation import Concept, Expert
from mooe.numerics.blocks import State

__all__ = [
    "Concept",
    "Expert",
    "concepts",
    "experts",
    "n_intervals",
    "recalled",
    "regime",
    "weights",
]


def weights(params: AutoParams, state: State) -> np.ndarray:
    """Return the weights of the experts that take part in the mixture, as in `experts`."""
    block = views(params, state)
    whole = mixed_weights(params, state)
    chosen: np.ndarray = whole[block.shares > 0.0]
    return chosen


def mixed_weights(params: AutoParams, state: State) -> np.ndarray:
    """Return the meta expert's weights of all places in the mixture; they sum to one."""
    block = views(params, state)
    parts = [
        part
        for name, part in (("hedge", block.shares), ("gradient", block.tuned))
        if name not in params.without
    ]
    mean = np.mean(parts, axis=0)
    whole: np.ndarray = mean / mean.sum()
    return whole


def experts(params: AutoParams, state: State) -> list[Expert]:
    """Return the experts that take part in the mixture."""
    names = [*EXPERTS, *["added"] * (len(views(params, state).shares) - len(EXPERTS))]
    on = views(params, state).shares > 0.0
    return [
        Expert(name, kind_of(name), None, None, float(weight))
        for name, weight, there in zip(names, mixed_weights(params, state), on, strict=True)
        if there
    ]


def kind_of(name: str) -> str:
    """Return what kind of expert has a name."""
    return "memory" if name.startswith("memory") else "added" if name == "added" else "online"


def shown_memory(params: AutoParams, state: State) -> Memory:
    """Return the memory whose concepts users see."""
    block = views(params, state)
    return block.rich if state.shown else block.plain


def recalled(params: AutoParams, state: State) -> tuple[list[int], list[float]]:
    """Return the intervals in which the concepts were made, and their weights, the rest's last.

    The weight of the memory's experts is that of the concept in charge.
    """
    memory, members = shown_memory(params, state), experts(params, state)
    made = memory.facts[BORN, : int(memory.status[N_CONCEPTS])] // params.interval
    remembered = sum(one.weight for one in members if one.kind == "memory")
    weights = [0.0] * len(made)
    if weights:
        weights[int(memory.status[IN_CHARGE])] = remembered
    return made.astype(int).tolist(), [*weights, 1.0 - remembered]


def concepts(params: AutoParams, state: State) -> list[Concept]:
    """Return the concepts that were recognised at least three times, by name."""
    memory = shown_memory(params, state)
    found = []
    for k in range(int(memory.status[N_CONCEPTS])):
        fact = memory.facts[:WORSE, k].astype(np.int64).tolist()
        if fact[NAME] == 0:
            continue
        order = range(max(0, fact[N_VISITS] - VISITS), fact[N_VISITS])
        visits = [memory.visits[k, visit % VISITS].astype(int).tolist() for visit in order]
        now = k == int(memory.status[IN_CHARGE])
        if now and visits:
            visits[-1][1] = state.n_labelled - 1
        found.append(
            Concept(
                fact[NAME],
                fact[SAMPLES],
                fact[RECOGNISED],
                fact[BORN],
                visits[-1][1] if visits else fact[LAST],
                tuple((first, last) for first, last in visits if first <= last),
                now,
            )
        )
    return sorted(found, key=lambda concept: concept.name)


def n_intervals(params: AutoParams, state: State) -> int:
    """Return how many intervals have been closed, by the memory that has closed more."""
    block = views(params, state)
    return int(max(block.plain.status[N_CLOSED], block.rich.status[N_CLOSED]))


def regime(params: AutoParams, state: State) -> int | None:
    """Return the name of the concept in charge, None while it has none."""
    return next((one.name for one in concepts(params, state) if one.in_charge), None)
