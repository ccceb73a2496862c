"""What is set before anything is learnt: prior, rates, and the gradient bound they rest on."""

import math

from mooe.numerics import hedge
from mooe.numerics.hedge import prior
from mooe.paper.params import Params

__all__ = ["gradient_bound", "meta_rate", "online_rate", "prior"]


def meta_rate(n_experts: int, rounds: int) -> float:
    """Return nu = 4 sqrt(ln K / T), the meta expert's rate (eq. rg:v).

    It minimises T nu / 8 + 2 ln K / nu (eq. rg:mee). T must be known in advance: `mooe` takes the
    length of the interval, and `regret_bound_at` is what then holds within it.

    >>> round(meta_rate(25, 50), 3)
    1.015
    """
    return hedge.rate(n_experts, rounds)


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
