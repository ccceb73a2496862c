"""What compiled code reads and writes: settings, counters, and one block cut into arrays."""

from typing import Any, NamedTuple

import numpy as np

from mooe.forecast import bands, inputs, mixture, roster, trust
from mooe.forecast.experts import memory
from mooe.numerics.blocks import ANYWHERE, State, copy_alike, length, take, values, zeros
from mooe.numerics.compiled import shared
from mooe.numerics.compiler import from_dtype
from mooe.numerics.tensors import check_whole

SETTINGS = np.dtype(
    [
        ("horizon", "i8"),
        ("n_quantiles", "i8"),
        ("remembers", "?"),
    ],
    align=True,
)
COUNTERS = np.dtype(
    [
        ("n_channels", "i8"),
        ("n_covariates", "i8"),
        ("n_cycles", "i8"),  # of the calendar, or of seasons
        ("season", "i8"),  # rows; 1 for none
        ("other_season", "i8"),  # a second one; 1 for none
        ("warm_up", "i8"),  # rows after which the offline expert is fitted; 0 for never
        ("n_rows", "i8"),  # seen so far
        ("n_concepts", "i8"),
        ("in_charge", "i8"),  # concept
        ("changed", "i8"),  # row at which it took charge
        ("n_changes", "i8"),
        ("n_named", "i8"),  # concepts that were in charge for long enough to have a number
        ("has_newcomers", "i8"),  # 0 where a file of the first format goes on without some experts
    ],
    align=True,
)
FIRST_PLACES = 16  # votes side by side in files of the first format
LARGEST, MODEST = 2**27, 200  # floats that wait for values, 1 GiB; a horizon that is never too long
SIZES = ("n_channels", "n_covariates", "n_cycles", "season", "other_season", "warm_up")


class Block(NamedTuple):
    """All that has been learnt."""

    seen: Any
    experts: Any
    mixture: Any
    trust: Any
    bands: Any


@shared
def open_block(s, c, block):
    """Return the views of a block, and its length."""
    seen, at = inputs.open_arrays(s, c, block, 0)
    experts, at = roster.open_arrays(s, c, block, at)
    of_mixture, at = mixture.open_arrays(s, c, block, at)
    of_trust, at = trust.open_arrays(s, c, block, at)
    of_bands, at = bands.open_arrays(s, c, block, at)
    return Block(seen, experts, of_mixture, of_trust, of_bands), at


@shared
def open_desk(s, c, scratch):
    """Return the views of scratch, and its length."""
    return roster.open_scratch(s, c, scratch, 0)


def _open_first_format(s: Any, c: Any, block: np.ndarray) -> tuple[Block, int]:
    """Return the views of a block of the first format: no trends, no mean reversion, 16 places."""
    seen, at = inputs.open_arrays(s, c, block, 0)
    experts, at = roster.open_first(s, c, block, at)
    of_mixture, at = take(mixture.Mixture, block, at, mixture.shapes(s, c, FIRST_PLACES))
    of_trust, at = trust.open_arrays(s, c, block, at)
    of_bands, at = bands.open_arrays(s, c, block, at)
    return Block(seen, experts, of_mixture, of_trust, of_bands), at


def first_length(params: Any, counters: np.ndarray) -> int:
    """Return how many floats a state of the first format has."""
    return _open_first_format(values(params.settings), values(counters), ANYWHERE)[1]


def from_first_format(params: Any, counters: np.ndarray, block: np.ndarray) -> State:
    """Return the state of a block of the first format; experts that came later know nothing."""
    old, _ = _open_first_format(values(params.settings), values(counters), block)
    state = empty(params, counters)
    new, n = views(params, state), roster.TREND
    copy_alike(old.experts, new.experts[: len(old.experts)])
    copy_alike((old.seen, old.mixture, old.trust, old.bands), (new.seen, new.mixture, *new[3:]))
    for before, after in zip(old.mixture[:3], new.mixture[:3], strict=True):
        after[..., :n] = before[..., :n]
    places = np.full(mixture.PLACES, FIRST_PLACES - 2)  # who sleeps has the mixture's votes
    places[:n], places[mixture.GIVEN] = np.arange(n), FIRST_PLACES - 1
    new.mixture.votes[:] = old.mixture.votes[..., places]
    return state


def views(params: Any, state: State) -> Block:
    """Return the named arrays of a state; they are views, not copies."""
    found: Block = open_block(values(params.settings), values(state.counters), state.block)[0]
    return found


def empty(params: Any, counters: np.ndarray) -> State:
    """Return a state of these counters whose arrays are all 0."""
    return State(counters, zeros(block_length(params, counters)))


def block_length(params: Any, counters: np.ndarray) -> int:
    """Return how many floats a state of these counters has."""
    return _length(open_block, params, counters)


def check_horizon(params: Any, n_channels: int) -> None:
    """Raise ValueError if forecasts of so many steps and channels would need too much memory.

    What was voted from every origin waits for its value, so the room grows with horizon squared.
    """
    of_bands = len(params.probabilities) + len(bands.DECAYS) if params.levels else 0
    waiting = n_channels * params.horizon**2 * (mixture.PLACES + of_bands)
    if waiting > LARGEST and params.horizon > MODEST:
        raise ValueError(
            f"horizon must be at most {MODEST} where more than {LARGEST} numbers would wait for "
            f"their values, here {waiting} of {n_channels} channels, got {params.horizon}"
        )


def check(params: Any, state: State) -> None:
    """Raise ValueError unless what compiled code counts with is what rows lead to."""
    found = views(params, state)
    if not np.isin(found.mixture.awake, (0.0, 1.0)).all():
        raise ValueError("awake must hold 0 and 1")
    of_regimes = found.experts.memory
    check_whole("N_VISITS", of_regimes.facts[memory.N_VISITS : memory.N_VISITS + 1], 2.0**53)


def scratch(params: Any, state: State) -> np.ndarray:
    """Return room for what is computed on the way."""
    return zeros(_length(open_desk, params, state.counters))


def _length(opened: Any, params: Any, counters: np.ndarray) -> int:
    """Return how many floats are cut into arrays."""
    return length(opened, params, SIZES, tuple(int(counters[name][0]) for name in SIZES))


settings_type = from_dtype(SETTINGS)[::1]
counters_type = from_dtype(COUNTERS)[::1]
