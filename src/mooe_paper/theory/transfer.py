"""Where the pull takes a new offline expert: Lemma 1, Theorem 1, and when they say something.

The mean loss of the mixture's members is sum_k weights[k] L(expert k) over the full interval, with
weights and experts as they predicted its last sample, the loss divided by its range. Omega is the
squared distance to the mixture of that moment.
"""

import math


def pull_floor(mean_loss: float, radius: float) -> float:
    """Return sum_k weights[k] L(expert k) / (4 R^2), the least pull gamma (Lemma 1).

    It is where Lemma 1 says Omega <= 4 R^2, which holds for any two experts of the ball. So at the
    floor, the default of `mooe`, the lemma says nothing yet; it begins to above.

    >>> pull_floor(0.25, radius=1.0)
    0.0625
    """
    return mean_loss / (4 * radius * radius)


def mixture_distance_bound(mean_loss: float, pull: float) -> float:
    """Return sum_k weights[k] L(expert k) / gamma, which bounds Omega(new expert) (Lemma 1).

    True as printed, but for alpha_T where the interval is full: alpha_B. Trivial value: 4 R^2.

    >>> mixture_distance_bound(0.25, pull=0.0625)
    4.0
    """
    return mean_loss / pull if pull > 0 else math.inf


def optimum_distance_bound(
    optimum_omega: float, mean_loss: float, pull: float, smoothness: float
) -> float:
    """Return the bound of Theorem 1 on the distance of the new offline expert to w*.

    sqrt(2 Omega(w*) + 32 beta / gamma^2 + 6 sum_k weights[k] L(expert k) / gamma), w* being the
    best expert of the ball for the interval's distribution. True as printed; its proof says 32 L
    for 32 beta. Trivial value: 2 R. See `useful_pull`; `triangle_distance_bound` is always below.

    >>> round(optimum_distance_bound(0.1, mean_loss=0.2, pull=4.0, smoothness=0.5), 2)
    1.22
    """
    if pull <= 0:
        return math.inf
    return math.sqrt(2 * optimum_omega + 32 * smoothness / pull**2 + 6 * mean_loss / pull)


def triangle_distance_bound(optimum_omega: float, mean_loss: float, pull: float) -> float:
    """Return sqrt(Omega(w*)) + sqrt(sum_k weights[k] L(expert k) / gamma), Theorem 1 the short way.

    The distance of the new expert to w* is at most the sum of the distances of both to the mixture
    (triangle inequality), and Lemma 1 bounds that of the new expert. Its square is at most
    2 Omega(w*) + 2 sum_k weights[k] L(expert k) / gamma, so it is below Theorem 1, without eq. func
    and without beta; and w* may be any expert, not the best alone. Trivial value: 2 R.

    >>> round(triangle_distance_bound(0.1, mean_loss=0.2, pull=4.0), 2)
    0.54
    """
    return math.sqrt(optimum_omega) + math.sqrt(mixture_distance_bound(mean_loss, pull))


def useful_pull(mean_loss: float, radius: float, smoothness: float) -> float:
    """Return the pull below which Theorem 1 is above 2 R whatever w* is.

    The gamma with 32 beta / gamma^2 + 6 sum_k weights[k] L(expert k) / gamma = 4 R^2. It is at
    least sqrt(8 beta) / R, and at least six times `pull_floor`: at the floor that the paper sets,
    its Theorem 1 never says anything.

    >>> useful_pull(0.0, radius=1.0, smoothness=0.5), round(useful_pull(0.2, 1.0, 0.5), 3)
    (2.0, 2.156)
    """
    root = math.sqrt(9 * mean_loss**2 + 128 * radius**2 * smoothness)
    return (3 * mean_loss + root) / (4 * radius**2)
