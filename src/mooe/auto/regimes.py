"""What users are told of a state: its experts and their weights, the regimes it knows."""

import numpy as np

from mooe.auto.experts import memory
from mooe.auto.experts.memory import (
    BORN,
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
from mooe.auto.params import AutoParams
from mooe.auto.roster import EXPERTS
from mooe.auto.state import views
from mooe.explanation import Concept, Expert
from mooe.numerics.blocks import State


def weights(params: AutoParams, state: State) -> np.ndarray:
    """Return the weights of the experts that take part in the mixture, as in `experts`."""
    chosen: np.ndarray = _all_weights(params, state)[is_in(params, state)]
    return chosen


def is_in(params: AutoParams, state: State) -> np.ndarray:
    """Return which places of the mixture are taken, (n_places,) bools."""
    taken: np.ndarray = views(params, state).mixture.shares > 0.0
    return taken


def _all_weights(params: AutoParams, state: State) -> np.ndarray:
    """Return the meta expert's weights of all places in the mixture; they sum to one."""
    mixture = views(params, state).mixture
    halves = [
        half
        for name, half in (("hedge", mixture.shares), ("gradient", mixture.tuned))
        if name not in params.without
    ]
    mean = np.mean(halves, axis=0)
    whole: np.ndarray = mean / mean.sum()
    return whole


def experts(params: AutoParams, state: State) -> list[Expert]:
    """Return the experts that take part in the mixture."""
    taken = is_in(params, state)
    names = [*EXPERTS, *["added"] * (len(taken) - len(EXPERTS))]
    return [
        Expert(name, _kind_of(name), None, None, float(weight))
        for name, weight, there in zip(names, _all_weights(params, state), taken, strict=True)
        if there
    ]


def _kind_of(name: str) -> str:
    """Return what kind of expert has a name."""
    return "memory" if name in memory.NAMES else "added" if name == "added" else "online"


def _shown_memory(params: AutoParams, state: State) -> Memory:
    """Return the memory whose concepts users see."""
    memories = views(params, state).experts.memory
    return memories.rich if state.shown else memories.plain


def recalled(params: AutoParams, state: State) -> tuple[list[int], list[float]]:
    """Return the intervals in which the concepts were made, and their weights, the rest's last.

    The weight of the memory's experts is that of the concept in charge.
    """
    shown, members = _shown_memory(params, state), experts(params, state)
    made = shown.facts[BORN, : int(shown.status[N_CONCEPTS])] // params.interval
    remembered = sum(member.weight for member in members if member.kind == "memory")
    weights = [0.0] * len(made)
    if weights:
        weights[int(shown.status[IN_CHARGE])] = remembered
    return made.astype(int).tolist(), [*weights, 1.0 - remembered]


def concepts(params: AutoParams, state: State) -> list[Concept]:
    """Return the concepts that were recognised at least three times, by name."""
    shown = _shown_memory(params, state)
    named = []
    for k in range(int(shown.status[N_CONCEPTS])):
        fact = shown.facts[:WORSE, k].astype(np.int64).tolist()
        if fact[NAME] == 0:
            continue
        order = range(max(0, fact[N_VISITS] - VISITS), fact[N_VISITS])
        visits = [shown.visits[k, visit % VISITS].astype(int).tolist() for visit in order]
        now = k == int(shown.status[IN_CHARGE])
        if now and visits:
            visits[-1][1] = state.n_labelled - 1
        named.append(
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
    return sorted(named, key=lambda concept: concept.name)


def n_intervals(params: AutoParams, state: State) -> int:
    """Return how many intervals have been closed, by the memory that has closed more."""
    memories = views(params, state).experts.memory
    return int(max(memory.status[N_CLOSED] for memory in memories))


def regime(params: AutoParams, state: State) -> int | None:
    """Return the name of the concept in charge, None while it has none."""
    named = concepts(params, state)
    return next((concept.name for concept in named if concept.in_charge), None)
