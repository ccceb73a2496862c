"""The quantities that the paper bounds, observed on streams that meet its assumptions.

The functions of the experiments of the theory.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from mooe.evaluate.learners import MooeLearner
from mooe.evaluate.regret import RegretMeter
from mooe.paper import core
from mooe.paper.core import Params
from mooe.paper.regret import best_in_ball, loss, slope
from mooe_paper import theory
from mooe_paper.checks.streams import (
    concepts_of,
    draw_labels,
    excess_risk,
    inputs_of,
    learner_of,
    opposing_label,
    params_of,
    rotation,
    state_of,
)

EARLIER = (10, 25, 50)  # labels within an interval after which the regret is looked at too
N_INTERVALS = 6
N_BEFORE = 3  # intervals of earlier concepts, before the one that is looked at


def priors(numbers: list[int]) -> dict[str, Any]:
    """Return the properties of the prior, for each number of experts K, in `columns`.

    The least weight times K^2, the sum less 1, the share of the online expert, and the least
    difference of neighbours, which is above 0 where the prior ascends; 0 for one expert.
    """
    rows = []
    for n in numbers:
        weights = theory.prior(n)
        step = float(np.diff(weights).min()) if n > 1 else 0.0
        rows.append(
            [n, float(weights[0]) * n**2, weights.sum().item() - 1, weights[-1].item(), step]
        )
    columns = ["K", "least weight times K^2", "sum less 1", "online share", "least step"]
    return {"check": "priors", "columns": columns, "rows": rows}


def _learners(
    params: Params, n_seeds: int, n_before: int = 0
) -> Iterator[tuple[np.random.Generator, np.ndarray, MooeLearner]]:
    """Yield for each seed its draws, two concepts, and a learner that met them in turn before."""
    for seed in range(n_seeds):
        rng = np.random.default_rng((seed, params.interval))
        concepts, learner = concepts_of(params, rng), learner_of(params)
        for number in range(n_before):
            X = inputs_of(params, rng, params.interval)
            learner.predict_then_learn(X, draw_labels(params, rng, X @ concepts[number % 2]))
        yield rng, concepts, learner


def regrets(
    setting: str, labels: str, interval: int, max_experts: int, n_seeds: int
) -> dict[str, Any]:
    """Return for each interval the number of experts and the paper's regrets.

    `intervals` has the columns of `columns`; `meta_share` and `early_share` are the largest regret
    of the meta expert at any label, and of MOOE at `EARLIER`, each as a share of the bound of that
    label.
    """
    params, rows = params_of(setting, interval, max_experts), []
    for rng, concepts, learner in _learners(params, n_seeds):
        meter = RegretMeter(learner)
        for number in range(N_INTERVALS):
            X = inputs_of(params, rng, interval)
            y = _labels(params, rng, labels, X, concepts[number % 2])
            losses = meter.losses
            for i in range(interval):
                x = X[i : i + 1]
                if labels == "adversarial":
                    y[i] = opposing_label(params, learner, x)[0]
                meter.step(x, y[i : i + 1])
            if number == 0:  # its first label is not in the meter's losses
                continue
            parts = [meter.regrets[-1][name] for name in ("meta", "experts", "online", "mixture")]
            shares = _shares(params, X, 2 * y - 1, np.array(losses))
            rows.append([len(losses[0]) - 1, *map(_rounded, (*parts, *shares))])
    columns = ["n_experts", "meta", "experts", "online", "mixture", "meta_share", "early_share"]
    known = {"check": "regrets", "setting": setting, "labels": labels, "interval": interval}
    return {**known, "max_experts": max_experts, "columns": columns, "intervals": rows}


def _rounded(value: float) -> float:
    """Return a number with seven digits, which is what a record keeps of each interval.

    >>> _rounded(12.345678901)
    12.34568
    """
    return float(f"{value:.7g}")


def _labels(
    params: Params, rng: np.random.Generator, labels: str, X: np.ndarray, concept: np.ndarray
) -> np.ndarray:
    """Return the labels of an interval; an adversary gives his own later."""
    if labels == "returning":
        return draw_labels(params, rng, X @ concept)
    return rng.integers(0, 2, len(X)).astype(float)


def _shares(params: Params, X: np.ndarray, targets: np.ndarray, losses: np.ndarray) -> list[float]:
    """Return the largest shares of the bounds that hold within an interval.

    Of the meta expert's regret at any label, and of MOOE's at `EARLIER`; losses are those of the
    mixture and of every expert, (T, 1 + K).
    """
    totals = losses.cumsum(axis=0)
    n_experts = losses.shape[1] - 1
    rate = theory.meta_rate(n_experts, params.interval)
    meta = totals[:, 0] - totals[:, 1:].min(axis=1)
    limits = [theory.meta_regret_bound_at(t + 1, n_experts, rate) for t in range(len(losses))]
    early = []
    for t in EARLIER:
        best = best_in_ball(params, X[:t], targets[:t])[1]
        bound = theory.regret_bound_at(t, n_experts, rate, params.radius, params.smoothness)
        early.append((totals[t - 1, 0] - best) / bound)
    return [float(np.max(meta / np.maximum(limits, 1e-300))), float(max(early))]


def gradients(setting: str, n_draws: int, seed: int) -> dict[str, Any]:
    """Return the largest gradient as a share of its bound, over random experts, rows and labels."""
    params, rng = params_of(setting, 50, 2), np.random.default_rng(seed)
    X = inputs_of(params, rng, n_draws)
    experts = rng.normal(size=X.shape)
    experts *= params.radius / np.linalg.norm(experts, axis=1, keepdims=True)
    experts[: n_draws // 2] *= rng.uniform(size=(n_draws // 2, 1))
    scores, targets = (X * experts).sum(axis=1), rng.choice([-1.0, 1.0], n_draws)
    sizes = np.abs(slope(params.loss, scores, targets)) * params.input_bound / params.loss_range
    values = loss(params, scores, targets)
    limits = [theory.gradient_bound(params.smoothness, value) for value in values]
    share = float(np.max(sizes / np.array(limits)))
    return {"check": "gradients", "share": share, "largest_loss": float(values.max())}


def transfers(setting: str, pull: float | None, interval: int, n_seeds: int) -> dict[str, Any]:
    """Return for each closed interval the quantities of Lemma 1 and Theorem 1, in `columns`.

    `omega` is the new expert's squared distance to the mixture, `optimum_omega` that of w*.
    """
    params, rows = params_of(setting, interval, max_experts=4, pull=pull), []
    for rng, concepts, learner in _learners(params, n_seeds):
        state = state_of(learner)
        for number in range(N_INTERVALS):
            X = inputs_of(params, rng, interval)
            y = draw_labels(params, rng, X @ concepts[number % 2])
            learner.predict_then_learn(X[:-1], y[:-1])
            mixed = theory.mixture(params, state)[0]
            mean_loss = _mean_loss(params, learner, X, 2 * y - 1)
            learner.predict_then_learn(X[-1:], y[-1:])
            newest = core.views(params, state).experts[0, :, state.n_offline - 1]
            optimum = concepts[number % 2]
            omegas = [float(np.sum((w - mixed) ** 2)) for w in (newest, optimum)]
            distance = float(np.linalg.norm(newest - optimum))
            rows.append([_rounded(value) for value in (mean_loss, *omegas, distance)])
    known = {"check": "transfers", "setting": setting, "pull": pull, "interval": interval}
    columns = ["mean_loss", "omega", "optimum_omega", "distance"]
    return {**known, "columns": columns, "intervals": rows}


def _mean_loss(params: Params, learner: MooeLearner, X: np.ndarray, targets: np.ndarray) -> float:
    """Return sum_k weights[k] L(expert k) on rows, with weights and experts as they are."""
    state = state_of(learner)
    block, weights = core.views(params, state), core.weights(params, state)
    experts = np.vstack([block.experts[0, :, : state.n_offline].T, block.online])
    return float(weights @ loss(params, experts @ X.T, targets).mean(axis=1))


def growth(labels: str, rounds: int, n_seeds: int) -> dict[str, Any]:
    """Return the regrets of one interval of so many labels, by seed, after three of two concepts.

    Labels: "adversarial" against the mixture, "random", "returning" and "noiseless" of a concept
    that was there before, "drifting" from a concept to its opposite.
    """
    params = params_of("squared", rounds, max_experts=4)
    regrets: dict[str, list[float]] = {"mixture": [], "online": [], "meta": []}
    for rng, concepts, learner in _learners(params, n_seeds, N_BEFORE):
        X, meter = inputs_of(params, rng, rounds), RegretMeter(learner)
        if labels == "noiseless":
            y = (X @ concepts[1] > 0).astype(float)
        elif labels == "drifting":
            moving = rotation(concepts[0], concepts[1], rounds)
            y = draw_labels(params, rng, (X * moving).sum(axis=1))
        else:
            y = _labels(params, rng, labels, X, concepts[1])
        for i in range(rounds):
            x = X[i : i + 1]
            if labels == "adversarial":
                y[i] = opposing_label(params, learner, x)[0]
            meter.step(x, y[i : i + 1])
        for name, values in regrets.items():
            values.append(float(meter.regrets[-1][name]))
    known = {"check": "growth", "labels": labels, "rounds": rounds}
    return {**known, "n_experts": N_BEFORE + 1, **regrets}


def risks(rounds: int, n_seeds: int) -> dict[str, Any]:
    """Return excess risks after one interval of so many labels, by seed, after three others.

    Of the averaged expert, of the mixtures in the mean, and of w-hat, the best on the interval's
    rows; and the observed regret.
    """
    params = params_of("squared", rounds, max_experts=4)
    names = ("averaged", "mixtures", "minimiser", "regret")
    by_seed: dict[str, list[float]] = {name: [] for name in names}
    for rng, concepts, learner in _learners(params, n_seeds, N_BEFORE):
        X, optimum = inputs_of(params, rng, rounds), concepts[1]
        y = draw_labels(params, rng, X @ optimum)
        mixtures = np.empty((rounds, X.shape[1]))
        for i in range(rounds):
            mixtures[i] = theory.mixture(params, state_of(learner))[0]
            learner.predict_then_learn(X[i : i + 1], y[i : i + 1])
        best, least = best_in_ball(params, X, 2 * y - 1)
        given = float(loss(params, (mixtures * X).sum(axis=1), 2 * y - 1).sum())
        average = theory.averaged_expert(mixtures)
        each = [excess_risk(params, mixture, optimum) for mixture in mixtures]
        values = [excess_risk(params, average, optimum), float(np.mean(each))]
        values += [excess_risk(params, best, optimum), given - least]
        for name, value in zip(names, values, strict=True):
            by_seed[name].append(float(value))
    return {"check": "risks", "rounds": rounds, "n_experts": N_BEFORE + 1, **by_seed}
