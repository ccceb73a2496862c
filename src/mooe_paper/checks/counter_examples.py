"""Cases that meet the paper's assumptions, or nearly, and break what it prints."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mooe_paper import theory


def _descend(
    numerator: float,
    label_of: Callable[[float], float],
    x: float,
    radius: float,
    rounds: int,
    loss_range: float = 1.0,
) -> tuple[np.ndarray, np.ndarray]:
    """Return experts and losses of gradient descent on (w x - y)^2 / range.

    One input, from the far end of the ball: it is where an earlier concept may have left the
    expert. Step t is numerator / sqrt(beta t).
    """
    smoothness, w = 2 * x * x / loss_range, -radius
    experts, losses = np.empty(rounds), np.empty(rounds)
    for t in range(rounds):
        error = w * x - label_of(w)
        experts[t], losses[t] = w, error**2 / loss_range
        w -= numerator / math.sqrt(smoothness * (t + 1)) * 2 * error * x / loss_range
        w = min(max(w, -radius), radius)
    return experts, losses


def printed_step(input_bound: float, radius: float, rounds: int) -> dict[str, Any]:
    """Return regrets of the online expert with the printed step and with the corrected one.

    x = D and y = R D always: w = R has no loss. With R D = 1/2 losses lie in [0, 1] undivided.
    """
    beta = 2 * input_bound**2
    known = (lambda w: radius * input_bound, input_bound, radius, rounds)
    return {
        "check": "printed step",
        "printed_regret": float(_descend(input_bound, *known)[1].sum()),
        "printed_bound": theory.printed_online_regret_bound(input_bound, beta, rounds),
        "corrected_regret": float(_descend(radius, *known)[1].sum()),
        "corrected_bound": theory.online_regret_bound(radius, beta, rounds),
    }


def raw_loss(size: float, rounds: int) -> dict[str, Any]:
    """Return regrets with R = D = size where every label opposes the score, y = +1 or -1.

    w = 0 has the loss 1 each time. With the loss as it is the regret passes even the corrected
    bound, because losses reach (R D + 1)^2; divided by that it does not.
    """
    record: dict[str, Any] = {"check": "raw loss"}
    for name, loss_range in (("raw", 1.0), ("divided", (size * size + 1.0) ** 2)):
        known = (lambda w: -math.copysign(1.0, w), size, size, rounds, loss_range)
        _, losses = _descend(size, *known)
        beta = 2 * size**2 / loss_range
        record[f"{name}_regret"] = float(losses.sum()) - rounds / loss_range
        record[f"{name}_bound"] = theory.online_regret_bound(size, beta, rounds)
    return record


def ball_smooth_loss(smoothness: float, rounds: int) -> dict[str, Any]:
    """Return the regret on (1 - y s) / 2, |s| <= 1, where every label opposes the score.

    R = D = 1. The loss lies in [0, 1] and is convex, and it is smooth on the ball with any beta,
    which is all that Assumptions 4 and 5 ask for; its gradient is 1/2.
    """
    w, total, labels = 1.0, 0.0, 0.0
    for t in range(1, rounds + 1):
        label = -math.copysign(1.0, w)
        total, labels = total + (1 - label * w) / 2, labels + label
        w = min(max(w + label / 2 / math.sqrt(smoothness * t), -1.0), 1.0)
    return {
        "check": "ball-smooth loss",
        "regret": total - (rounds - abs(labels)) / 2,
        "bound": theory.online_regret_bound(1.0, smoothness, rounds),
        "gradient": 0.5,
        "gradient_bound": theory.gradient_bound(smoothness),
    }


def ball_smooth_minimiser(
    smoothness: float, rounds: int, chance: float, failure: float
) -> dict[str, Any]:
    """Return Lemma 3 on the loss of `ball_smooth_loss`, where each label is 1 with a chance.

    x = 1 always. The best expert of the ball is w* = 1, the best on the rows w-hat = 1 or -1, after
    the more frequent label; where it is -1 its excess risk is 2 chance - 1. `probability` is how
    likely that is, exactly; Lemma 3 promises less than its bound but with probability `failure`.
    """
    chances = [
        math.comb(rounds, n) * chance**n * (1.0 - chance) ** (rounds - n)
        for n in range((rounds + 1) // 2)  # fewer than half of the labels are 1
    ]
    return {
        "check": "ball-smooth minimiser",
        "rounds": rounds,
        "chance": chance,
        "failure": failure,
        "probability": math.fsum(chances),
        "excess": 2.0 * chance - 1.0,
        "bound": theory.printed_minimiser_risk_bound(rounds, 1.0, smoothness, failure),
    }


def ball_smooth_average(
    smoothness: float, rounds: int, chance: float, n_seeds: int
) -> dict[str, Any]:
    """Return Theorem 3 on the same loss and labels, with the corrected step R / sqrt(beta t).

    K = 1. The gradient is 1/2 whatever beta is, so steps are large, and the expert is sign of the
    last label; the mean of that is far from w* = 1. `excess` is the least over seeds.
    """
    excess = []
    for seed in range(n_seeds):
        labels = np.where(np.random.default_rng(seed).uniform(size=rounds) < chance, 1.0, -1.0)
        w, total = 0.0, 0.0
        for t, label in enumerate(labels, start=1):
            total += w
            w = min(max(w + label / 2 / math.sqrt(smoothness * t), -1.0), 1.0)
        excess.append((2.0 * chance - 1.0) * (1.0 - total / rounds) / 2.0)
    return {
        "check": "ball-smooth average",
        "rounds": rounds,
        "chance": chance,
        "n_seeds": n_seeds,
        "excess": min(excess),
        "bound": theory.printed_excess_risk_bound(1, rounds, 1.0, 1.0, smoothness, [1.0]),
    }


def rademacher(dimension: int, rounds: int, n_samples: int, n_draws: int) -> dict[str, Any]:
    """Return the complexity of the unit ball of experts on the unit sphere, and its bounds."""
    rng, complexities = np.random.default_rng(0), []
    for seed in range(n_samples):
        X = rng.normal(size=(rounds, dimension))
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        complexities.append(theory.observed_rademacher(X, 1.0, n_draws, seed))
    values = [1 / dimension] * dimension
    return {
        "check": "rademacher",
        "observed": float(np.mean(complexities)),
        "error": float(np.std(complexities) / math.sqrt(n_samples)),
        "printed": theory.printed_rademacher_bound(values, rounds, 1.0, 1.0),
        "corrected": theory.rademacher_bound(values, rounds, 1.0, 1.0),
        "direct": theory.trace_rademacher_bound(values, rounds, 1.0),
    }


def printed_risk(input_bound: float, radius: float, rounds: int) -> dict[str, Any]:
    """Return excess risks with the printed step beside Lemma 2 and Theorem 3 as printed.

    As `printed_step`, K = 1: the distribution is a point, and so a risk is a loss.
    """
    beta, target = 2 * input_bound**2, radius * input_bound
    record: dict[str, Any] = {"check": "printed risk"}
    for name, numerator in (("printed", input_bound), ("corrected", radius)):
        experts, losses = _descend(numerator, lambda w: target, input_bound, radius, rounds)
        average = float(theory.averaged_expert(experts))
        record[f"{name}_mixtures"] = float(losses.mean())
        record[f"{name}_averaged"] = (average * input_bound - target) ** 2
    known = (radius, input_bound, beta, [input_bound**2])
    record["lemma_2_printed"] = theory.printed_mixtures_risk_bound(1, rounds, input_bound, beta)
    record["lemma_2_corrected"] = theory.mixtures_risk_bound(1, rounds, radius, beta)
    record["theorem_3_printed"] = theory.printed_excess_risk_bound(1, rounds, *known)
    record["theorem_3_direct"] = theory.excess_risk_bound(1, rounds, radius, beta)
    return record
