"""The Rademacher complexity of a ball of experts, from eigenvalues of the inputs.

The paper's lemma is in its appendix, under the label rademacher. R_D(H) is the mean over T samples
and random signs of the largest mean of sign * score that an expert of the ball reaches; at most
R D. The eigenvalues are those of E[x x'], see `mooe_paper.theory.eigenvalues`.
"""

import math
from collections.abc import Iterable

__all__ = ["printed_rademacher_bound", "rademacher_bound", "trace_rademacher_bound"]


def printed_rademacher_bound(
    eigenvalues: Iterable[float], rounds: int, radius: float, input_bound: float
) -> float:
    """Return R sqrt(sum_i min(D^2, e lambda_i / T) / T) + D R sqrt(e) / T, as the paper prints it.

    False: on the unit sphere with d = 5 and T = 1000 the complexity is .0301. There is a 1/T too
    many, from eq. (u3:3), and the sqrt 2 of the last step is lost.

    >>> round(printed_rademacher_bound([0.2] * 5, 1000, radius=1.0, input_bound=1.0), 4)
    0.0033
    """
    cut = sum(min(input_bound**2, math.e * value / rounds) for value in eigenvalues)
    return radius * math.sqrt(cut / rounds) + input_bound * radius * math.sqrt(math.e) / rounds


def rademacher_bound(
    eigenvalues: Iterable[float], rounds: int, radius: float, input_bound: float
) -> float:
    """Return R sqrt(2 sum_i min(D^2, e lambda_i) / T) + D R sqrt(e) / T.

    This is what the paper's proof gives once its slips are out. It is true, and never better than
    `trace_rademacher_bound`, because lambda_i <= D^2. Trivial value: R D.

    >>> round(rademacher_bound([0.2] * 5, 1000, radius=1.0, input_bound=1.0), 4)
    0.0754
    """
    cut = sum(min(input_bound**2, math.e * value) for value in eigenvalues)
    return radius * math.sqrt(2 * cut / rounds) + input_bound * radius * math.sqrt(math.e) / rounds


def trace_rademacher_bound(eigenvalues: Iterable[float], rounds: int, radius: float) -> float:
    """Return R sqrt(sum_i lambda_i / T), the textbook's bound: Cauchy-Schwarz, then Jensen.

    Not in the paper; at most R D / sqrt(T).

    >>> round(trace_rademacher_bound([0.2] * 5, 1000, radius=1.0), 4)
    0.0316
    """
    return radius * math.sqrt(sum(eigenvalues) / rounds)
