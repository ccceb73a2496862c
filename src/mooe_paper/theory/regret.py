"""Theorem 2: the rates it sets, its bounds as printed, and its condition on the number of experts.

The corrected bounds, which paper mode measures itself by, are in `mooe.paper.regret`.
"""

import math

from mooe.paper.params import Params
from mooe.paper.regret import meta_regret_bound, online_regret_bound


def meta_rate(n_experts: int, rounds: int) -> float:
    """Return nu = 4 sqrt(ln K / T), the meta expert's rate (eq. rg:v).

    It minimises T nu / 8 + 2 ln K / nu (eq. rg:mee). T must be known in advance: `mooe` takes the
    length of the interval, and `regret_bound_at` is what then holds within it.

    >>> round(meta_rate(25, 50), 3)
    1.015
    """
    return 4.0 * math.sqrt(math.log(n_experts) / rounds)


def online_rate(params: Params, t: int) -> float:
    """Return the step of the online expert at label t of an interval, from 1.

    Corrected: R / sqrt(beta t). Printed (Section "Online Expert", step="printed"): D / sqrt(beta t)
    with D the bound on inputs; but the theorem cited there needs the size of the set that the
    expert moves in, and that is the ball. A constant `online_rate` is returned as it is.

    >>> known = {"radius": 5.0, "input_bound": 0.1, "intercept": False}
    >>> steps = [online_rate(Params(step=step, **known), 4) for step in ("corrected", "printed")]
    >>> [round(step, 3) for step in steps]
    [26.517, 0.53]
    """
    if params.online_rate is not None:
        return params.online_rate
    return float(params.settings["first_step"][0]) / math.sqrt(t)


def gradient_bound(smoothness: float, loss: float = 1.0) -> float:
    """Return 2 sqrt(beta loss), the largest gradient where the loss has this value (eq. func).

    True for losses that are smooth and not negative on the whole line, as the squared and the
    logistic loss are, and then with sqrt(2 beta loss) too, which the squared loss attains. The
    paper asks for both on the ball only (Assumptions 4 and 5), which is not enough: (1 - s) / 2 on
    scores of at most 1 is smooth with beta = 0 and has the slope 1/2.

    >>> gradient_bound(0.25), gradient_bound(0.25, loss=0.25)
    (1.0, 0.5)
    """
    return 2 * math.sqrt(smoothness * loss)


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


def regret_bound_at(t: int, n_experts: int, rate: float, radius: float, smoothness: float) -> float:
    """Return t nu / 8 + 2 ln K / nu + 6 R sqrt(t beta): Theorem 2 after t rounds of an interval.

    >>> round(regret_bound_at(1, 1, rate=0.0, radius=1.0, smoothness=0.5), 2)
    4.24
    """
    online = online_regret_bound(radius, smoothness, t)
    return meta_regret_bound_at(t, n_experts, rate) + online


def printed_online_regret_bound(input_bound: float, smoothness: float, rounds: int) -> float:
    """Return 6 D sqrt(T beta), eq. (rg:oe) as printed, for the step D / sqrt(beta t).

    False where the radius is larger than D: with D = .1, R = 5, the squared loss and T = 50 the
    regret is 40.06 (`mooe reproduce theory`).

    >>> round(printed_online_regret_bound(0.1, 0.02, 50), 2)
    0.6
    """
    return online_regret_bound(input_bound, smoothness, rounds)


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
