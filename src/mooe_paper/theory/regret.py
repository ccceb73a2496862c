"""The bounds of the paper's Theorem 2 on the regret within an interval, corrected and as printed.

Losses lie in [0, 1], so no regret over T labels can exceed T: a bound that does not stay below T
says nothing.
"""

import math

__all__ = [
    "max_experts_condition",
    "meta_regret_bound",
    "meta_regret_bound_at",
    "online_regret_bound",
    "printed_max_experts_condition",
    "printed_online_regret_bound",
    "printed_regret_bound",
    "regret_bound",
    "regret_bound_at",
]


def meta_regret_bound(n_experts: int, rounds: int) -> float:
    """Return sqrt(T ln K), the meta expert's regret against the best of K experts (eq. rg:me).

    It holds after all T rounds for the rate 4 sqrt(ln K / T); for fewer see `meta_regret_bound_at`.

    >>> round(meta_regret_bound(25, 50), 2)
    12.69
    """
    return math.sqrt(rounds * math.log(n_experts))


def meta_regret_bound_at(t: int, n_experts: int, rate: float) -> float:
    """Return t nu / 8 + 2 ln K / nu, the meta expert's regret after any t rounds (eq. rg:mee).

    The paper's rate needs the number of rounds in advance; with that of a whole interval, this is
    what holds within it. At the last round of the interval it equals `meta_regret_bound`.

    >>> round(meta_regret_bound_at(10, 25, rate=4 * math.sqrt(math.log(25) / 50)), 2)
    7.61
    """
    if n_experts == 1:
        return 0.0
    return t * rate / 8 + 2 * math.log(n_experts) / rate if rate > 0 else math.inf


def online_regret_bound(radius: float, smoothness: float, rounds: int) -> float:
    """Return 6 R sqrt(T beta), the online expert's regret against the best of the ball (eq. rg:oe).

    Corrected: the step is R / sqrt(beta t), because gradient descent is bounded by the diameter 2R
    of the ball that it moves in. The step needs no horizon, so this holds at every round.

    >>> round(online_regret_bound(1.0, 0.5, 50), 2)
    30.0
    """
    return 6 * radius * math.sqrt(rounds * smoothness)


def printed_online_regret_bound(input_bound: float, smoothness: float, rounds: int) -> float:
    """Return 6 D sqrt(T beta), eq. (rg:oe) as printed, for the step D / sqrt(beta t).

    False where the radius is larger than D: with D = .1, R = 5, the squared loss and T = 50 the
    regret is 40.06 (`mooe reproduce theory`).

    >>> round(printed_online_regret_bound(0.1, 0.02, 50), 2)
    0.6
    """
    return online_regret_bound(input_bound, smoothness, rounds)


def regret_bound(n_experts: int, rounds: int, radius: float, smoothness: float) -> float:
    """Return sqrt(T ln K) + 6 R sqrt(T beta), the regret of MOOE in an interval (Theorem 2).

    Corrected: R for the D of the printed form.

    >>> round(regret_bound(25, 50, radius=1.0, smoothness=0.5), 2)
    42.69
    """
    online = online_regret_bound(radius, smoothness, rounds)
    return meta_regret_bound(n_experts, rounds) + online


def printed_regret_bound(
    n_experts: int, rounds: int, input_bound: float, smoothness: float
) -> float:
    """Return sqrt(T ln K) + 6 D sqrt(T beta), Theorem 2 as printed, for the step D / sqrt(beta t).

    False where the radius is larger than D, see `printed_online_regret_bound`.

    >>> round(printed_regret_bound(25, 50, input_bound=0.1, smoothness=0.02), 2)
    13.29
    """
    online = printed_online_regret_bound(input_bound, smoothness, rounds)
    return meta_regret_bound(n_experts, rounds) + online


def regret_bound_at(t: int, n_experts: int, rate: float, radius: float, smoothness: float) -> float:
    """Return t nu / 8 + 2 ln K / nu + 6 R sqrt(t beta): Theorem 2 after t rounds of an interval.

    >>> round(regret_bound_at(1, 1, rate=0.0, radius=1.0, smoothness=0.5), 2)
    4.24
    """
    online = online_regret_bound(radius, smoothness, t)
    return meta_regret_bound_at(t, n_experts, rate) + online


def max_experts_condition(
    radius: float, smoothness: float, rounds: int, experts_regret: float
) -> float:
    """Return exp(x**2), the K up to which MOOE's bound stays below its online expert's (Theorem 2).

    x = 6 R sqrt(beta) - Regret_KE / sqrt(T), Regret_KE being the regret of the best expert. This is
    what sqrt(T ln K) + Regret_KE <= 6 R sqrt(T beta) gives; for x < 0 no K fulfils it, hence 0. It
    compares with a bound of the online expert's regret, not with that regret.

    >>> round(max_experts_condition(0.5, 0.25, 50, experts_regret=4.0), 2)
    2.39
    """
    x = (online_regret_bound(radius, smoothness, rounds) - experts_regret) / math.sqrt(rounds)
    try:
        return math.exp(x * x) if x >= 0 else 0.0
    except OverflowError:
        return math.inf


def printed_max_experts_condition(
    input_bound: float, smoothness: float, rounds: int, experts_regret: float
) -> float:
    """Return 2 exp(x), x = 6 D sqrt(beta) - Regret_KE / sqrt(T): Theorem 2's condition as printed.

    >>> round(printed_max_experts_condition(0.5, 0.25, 50, experts_regret=4.0), 2)
    5.09
    """
    printed = printed_online_regret_bound(input_bound, smoothness, rounds)
    try:
        return 2 * math.exp((printed - experts_regret) / math.sqrt(rounds))
    except OverflowError:
        return math.inf
