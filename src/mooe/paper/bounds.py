"""Theorem 2, corrected: upper bounds on the regret of paper mode within an interval.

K experts, T labels, R the radius of the ball, beta the smoothness of the loss divided by its range.
Such losses lie in [0, 1], so no regret over T labels exceeds T: a bound above T says nothing.
"""

import math


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


def regret_bound(n_experts: int, rounds: int, radius: float, smoothness: float) -> float:
    """Return sqrt(T ln K) + 6 R sqrt(T beta), the regret of MOOE in an interval (Theorem 2).

    Corrected: R for the D of the printed form.

    >>> round(regret_bound(25, 50, radius=1.0, smoothness=0.5), 2)
    42.69
    """
    online = online_regret_bound(radius, smoothness, rounds)
    return meta_regret_bound(n_experts, rounds) + online


def regret_bound_at(t: int, n_experts: int, rate: float, radius: float, smoothness: float) -> float:
    """Return t nu / 8 + 2 ln K / nu + 6 R sqrt(t beta): Theorem 2 after t rounds of an interval.

    >>> round(regret_bound_at(1, 1, rate=0.0, radius=1.0, smoothness=0.5), 2)
    4.24
    """
    online = online_regret_bound(radius, smoothness, t)
    return meta_regret_bound_at(t, n_experts, rate) + online
