"""The two losses of a score and a target in [-1, 1]: value, slope, curvature, range, smoothness.

The paper asks for losses in [0, 1] (its Assumption 4). Each loss here declares the largest value
it can take over the ball of experts and the inputs, and every use divides by it. Scores may be
floats or lanes.
"""

import math

from mooe.numerics.arithmetic import at_least, exp, softplus_below
from mooe.numerics.compiled import forced
from mooe.numerics.lanes import size

LOSSES = ("squared", "logistic")


@forced
def squared(score, target):
    """Return (score - target)**2."""
    error = score - target
    return error * error


@forced
def squared_slope(score, target):
    """Return the derivative of the squared loss in the score."""
    return 2.0 * (score - target)


@forced
def logistic(score, target):
    """Return log(1 + exp(-target * score)) for a target of +1 or -1."""
    margin = target * score
    return at_least(-1.0 * margin, 0.0) + softplus_below(exp(-1.0 * size(margin)))


@forced
def logistic_slope(score, target):
    """Return the derivative of the logistic loss in the score."""
    margin = target * score
    small = exp(-abs(margin))
    numerator = small if margin > 0.0 else 1.0
    return -target * numerator / (1.0 + small)


@forced
def logistic_curvature(score):
    """Return the second derivative of the logistic loss in the score, the same for both targets."""
    small = exp(-abs(score))
    return small / ((1.0 + small) * (1.0 + small))


def declared_range(loss: str, largest_score: float) -> float:
    """Return the largest loss over scores in [-largest_score, largest_score].

    >>> declared_range("squared", 1.0)
    4.0
    """
    if loss == "squared":
        return (largest_score + 1.0) ** 2
    return largest_score + math.log1p(math.exp(-largest_score))


def smoothness(loss: str, reach: float, radius: float) -> float:
    """Return beta of the paper's Assumption 5 for the loss divided by its declared range.

    reach bounds the norm of the inputs that experts see, radius that of experts.

    >>> smoothness("squared", 1.0, 1.0)
    0.5
    """
    curvature = 2.0 if loss == "squared" else 0.25
    return curvature * reach**2 / declared_range(loss, radius * reach)
