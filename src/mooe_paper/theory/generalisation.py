"""The excess risk of an interval's averaged expert: Lemmas 2 to 4, Theorem 3, and Rademacher's.

The T rows of the interval are drawn independently from one distribution; L is the mean loss under
it, w* the best expert of the ball, w-hat the best on the rows. Every bound holds with probability
1 - failure, and the trivial value is 1, the largest loss. The printed ones are the paper's figures:
the proofs of its lemmas do not hold, see docs/paper.md. What stands without the prefix is proved by
other means, named in each docstring.

The paper's Rademacher lemma is in its appendix. R_D(H) is the mean over T samples and random signs
of the largest mean of sign * score that an expert of the ball reaches; at most R D. Its eigenvalues
are those of E[x x'], see `mooe_paper.theory.eigenvalues`.
"""

import math
from collections.abc import Iterable

import numpy as np

from mooe.paper import core
from mooe.paper.core import Params, State
from mooe.paper.regret import regret_bound
from mooe_paper.theory.regret import printed_regret_bound


def mixture(params: Params, state: State) -> np.ndarray:
    """Return sum_k weights[k] expert k, the expert that answers the next row (eq. wf).

    Shape (n_outputs, inputs as the experts see them).

    >>> mixture(Params(), core.init(Params(), n_features=2, n_classes=2)).tolist()
    [[0.0, 0.0, 0.0]]
    """
    block, shares = core.views(params, state), core.weights(params, state)
    offline = block.experts[:, :, : state.n_offline] @ shares[:-1]
    return np.asarray(offline + shares[-1] * block.online)


def averaged_expert(mixtures: np.ndarray) -> np.ndarray:
    """Return w-bar, the mean of the mixtures of an interval, of which Theorem 3 speaks.

    >>> averaged_expert(np.array([[0.0, 1.0], [1.0, 0.0]])).tolist()
    [0.5, 0.5]
    """
    return np.asarray(np.mean(mixtures, axis=0))


def observed_excess_risk_bound(regret: float, rounds: int, failure: float = 0.05) -> float:
    """Return regret / T + sqrt(2 ln(1/failure) / T), which bounds L(w-bar) - L(w*).

    For any learner whose expert at a row depends on earlier rows only: the martingale form of
    Hoeffding's inequality on f_t(w_t) - f_t(w*), which lies in [-1, 1] (Cesa-Bianchi, Conconi,
    Gentile 2004). Not in the paper; with the regret that was observed it is a certificate.

    >>> round(observed_excess_risk_bound(5.0, 500), 3)
    0.119
    """
    return regret / rounds + math.sqrt(2 * math.log(1 / failure) / rounds)


def printed_mixtures_risk_bound(
    n_experts: int, rounds: int, input_bound: float, smoothness: float, failure: float = 0.05
) -> float:
    """Return (sqrt(ln K) + 6 D sqrt(beta) + 4 log(4/failure)) / sqrt(T), Lemma 2 as printed.

    On the mean of L(mixture_t) over the interval less L(w-hat). It inherits the D of Theorem 2, and
    is false where the radius is larger. Its proof uses a concentration of independent terms on
    the mixtures, which depend on each other, and adds two deviations as one. With 4 log(4/failure)
    in it, it is vacuous at failure = .05 until T = 307.

    >>> round(printed_mixtures_risk_bound(25, 50, input_bound=1.0, smoothness=0.5), 2)
    3.33
    """
    regret = printed_regret_bound(n_experts, rounds, input_bound, smoothness)
    return regret / rounds + 4 * math.log(4 / failure) / math.sqrt(rounds)


def mixtures_risk_bound(
    n_experts: int, rounds: int, radius: float, smoothness: float, failure: float = 0.05
) -> float:
    """Return (sqrt(ln K) + 6 R sqrt(beta) + sqrt(2 ln(1/failure))) / sqrt(T), Lemma 2 corrected.

    `observed_excess_risk_bound` with Theorem 2's regret. It is against w*, and so against w-hat.

    >>> round(mixtures_risk_bound(25, 50, radius=1.0, smoothness=0.5), 2)
    1.2
    """
    regret = regret_bound(n_experts, rounds, radius, smoothness)
    return observed_excess_risk_bound(regret, rounds, failure)


def printed_minimiser_risk_bound(
    rounds: int, radius: float, smoothness: float, failure: float = 0.05
) -> float:
    """Return Lemma 3's bound on L(w-hat) - L(w*), as printed.

    (12 beta R^2 + 4 R sqrt(beta)) log(4/failure) / T + 4 R sqrt(2 beta log(4/failure) / T). The
    proof does not hold (a gradient at w-hat for one at w* makes a right side negative, and w-hat,
    which depends on the rows, is treated as fixed); the statement does, because it is above
    `minimiser_risk_bound`, where losses are smooth on the whole line. Where they are so on the ball
    alone, which is what the paper assumes, it is false.

    >>> round(printed_minimiser_risk_bound(50, radius=1.0, smoothness=0.5), 2)
    1.96
    """
    log = math.log(4 / failure)
    root = radius * math.sqrt(smoothness)
    return (12 * root**2 + 4 * root) * log / rounds + 4 * root * math.sqrt(2 * log / rounds)


def minimiser_risk_bound(
    rounds: int, radius: float, smoothness: float, failure: float = 0.05
) -> float:
    """Return 2 R sqrt(2 beta / T) + c sqrt(ln(1/failure) / T), c = min(sqrt 2, 4 R sqrt(beta)).

    On L(w-hat) - L(w*), for losses of a score that are smooth and not negative on the whole line:
    symmetrisation, contraction with slopes of at most sqrt(2 beta) / ||x||, and McDiarmid's
    inequality on the largest deviation of loss differences, which lie within 2 R sqrt(2 beta) and
    within 1.

    >>> round(minimiser_risk_bound(50, radius=1.0, smoothness=0.5), 2)
    0.63
    """
    root = radius * math.sqrt(smoothness)
    return 2 * root * math.sqrt(2 / rounds) + deviation(rounds, root, failure)


def deviation(rounds: int, root: float, failure: float) -> float:
    """Return how far the largest deviation may be above its mean; root is R sqrt(beta)."""
    return min(math.sqrt(2), 4 * root) * math.sqrt(math.log(1 / failure) / rounds)


def printed_complexity_risk_bound(
    complexity: float, rounds: int, smoothness: float, failure: float = 0.05
) -> float:
    """Return 42 sqrt(6 beta) log^1.5(64 T) R_D(H) + 3 sqrt(log(4/failure) / T), Lemma 4 as printed.

    On L(w-hat) - L(w*). Here beta must be the smoothness in the score, beta / D^2 of the one in w
    that the rest of the paper uses. The lemma of Srebro et al. that it cites is on the worst case
    over samples, not on R_D(H); the statement is above `complexity_risk_bound` all the same.
    Vacuous for any T that is met: the first factor is 2,359 sqrt(beta) at T = 50.

    >>> round(printed_complexity_risk_bound(0.1, 50, smoothness=0.5))
    168
    """
    factor = 42 * math.sqrt(6 * smoothness) * math.pow(math.log(64 * rounds), 1.5)
    return factor * complexity + 3 * math.sqrt(math.log(4 / failure) / rounds)


def complexity_risk_bound(
    complexity: float, rounds: int, score_smoothness: float, failure: float = 0.05
) -> float:
    """Return 2 sqrt(2 beta') R_D(H) + sqrt(2 ln(1/failure) / T), Lemma 4 by plain contraction.

    On L(w-hat) - L(w*); beta' is the smoothness in the score. A loss in [0, 1] that is smooth and
    not negative on the whole line has slopes of at most sqrt(2 beta'), and no logarithm is needed.

    >>> round(complexity_risk_bound(0.1, 50, score_smoothness=0.5), 2)
    0.55
    """
    slope = math.sqrt(2 * score_smoothness)
    return 2 * slope * complexity + math.sqrt(2 * math.log(1 / failure) / rounds)


def printed_excess_risk_bound(
    n_experts: int,
    rounds: int,
    radius: float,
    input_bound: float,
    smoothness: float,
    eigenvalues: Iterable[float],
    failure: float = 0.05,
) -> float:
    """Return Theorem 3's bound on L(w-bar) - L(w*), as printed.

    (12 beta R^2 + 4 R sqrt(beta)) log(16/failure) / T
    + 28 R sqrt(beta) log^1.5(64 T) / T (sqrt(sum_i min(T D^2, e lambda_i)) + D sqrt(e))
    + ((6 (R + D) sqrt(beta) + 2) sqrt(log(16/failure)) + 4 log(8/failure) + sqrt(ln K)) / sqrt(T).
    28 and 2 do not follow from the 42 sqrt 6 and 3 of Lemma 4, the middle term has the error of
    the printed Rademacher lemma, and the D of Theorem 2 makes it false where the radius is larger.
    Only through the step: with R / sqrt(beta t), and losses that are smooth on the whole line, it
    stands, because it is never below `excess_risk_bound`.

    >>> round(printed_excess_risk_bound(25, 50, 1.0, 1.0, 0.5, [1.0]), 1)
    37.6
    """
    root, log = math.sqrt(smoothness), math.log(16 / failure)
    cut = printed_rademacher_bound(eigenvalues, rounds, radius, input_bound)
    first = (12 * smoothness * radius**2 + 4 * radius * root) * log / rounds
    second = 28 * root * math.pow(math.log(64 * rounds), 1.5) * cut
    third = (6 * (radius + input_bound) * root + 2) * math.sqrt(log)
    third += 4 * math.log(8 / failure) + math.sqrt(math.log(n_experts))
    return first + second + third / math.sqrt(rounds)


def lemmas_excess_risk_bound(
    n_experts: int,
    rounds: int,
    radius: float,
    input_bound: float,
    smoothness: float,
    eigenvalues: Iterable[float],
    failure: float = 0.05,
) -> float:
    """Return what follows on the paper's way to Theorem 3, from the corrected lemmas.

    Lemma 2 and the smaller of Lemma 3 and Lemma 4, with failure/2 each: both of these bound the
    excess risk of w-hat, and the paper adds them. R for D in Lemma 2, the constants of Lemma 4, its
    beta in the score, and the corrected Rademacher bound. `excess_risk_bound` is always below.

    >>> round(lemmas_excess_risk_bound(25, 50, 1.0, 1.0, 0.5, [1.0]), 2)
    3.41
    """
    complexity = rademacher_bound(eigenvalues, rounds, radius, input_bound)
    in_score = smoothness / input_bound**2
    minimiser = min(
        printed_minimiser_risk_bound(rounds, radius, smoothness, failure / 2),
        printed_complexity_risk_bound(complexity, rounds, in_score, failure / 2),
    )
    return mixtures_risk_bound(n_experts, rounds, radius, smoothness, failure / 2) + minimiser


def excess_risk_bound(
    n_experts: int, rounds: int, radius: float, smoothness: float, failure: float = 0.05
) -> float:
    """Return the bound on L(w-bar) - L(w*) that Theorem 2 gives without Lemmas 3 and 4.

    (sqrt(ln K) + 6 R sqrt(beta) + sqrt(2 ln(1/failure))) / sqrt(T): the corrected Lemma 2 is
    against w* already, and the loss is convex, so the way over w-hat, with the complexity of the
    ball and the eigenvalues of the inputs, is not needed. Below 1 from T = 72 with these figures.

    >>> [round(excess_risk_bound(25, t, radius=1.0, smoothness=0.5), 2) for t in (50, 500)]
    [1.2, 0.38]
    """
    return mixtures_risk_bound(n_experts, rounds, radius, smoothness, failure)


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
