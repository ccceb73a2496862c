"""Models over many streams: mean ranks, and which differences are more than chance."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

LEVEL = 0.05  # a difference with a smaller p-value is called significant


@dataclass(frozen=True)
class Ranks:
    """Models compared over streams."""

    models: tuple[str, ...]  # best mean rank first
    mean_ranks: np.ndarray  # (n_models,); 1 is best, equal scores share their ranks
    # (n_models, n_models): Wilcoxon's signed-rank test, two-sided, after Holm; 1 on the diagonal.
    p_values: np.ndarray
    groups: tuple[tuple[int, int], ...]  # largest runs (first, last) without significant difference
    n_streams: int


def compare_ranks(table: Mapping[str, Mapping[str, float]], higher_is_better: bool = True) -> Ranks:
    """Rank models on every stream and test all pairs (Wilcoxon signed-rank, Holm's correction).

    Zero differences count half for either side, as Demšar (JMLR 7, 2006) does. The table has, by
    stream, the scores of models; streams on which a model has no score are left out for all.

    >>> table = {f"s{k}": {"a": 0.9 - k / 100, "b": 0.8 - k / 50} for k in range(6)}
    >>> ranks = compare_ranks(table)
    >>> ranks.models, ranks.mean_ranks.tolist(), ranks.p_values[0, 1].round(4).item()
    (('a', 'b'), [1.0, 2.0], 0.0312)
    """
    names = list(dict.fromkeys(model for row in table.values() for model in row))
    whole = [row for row in table.values() if all(np.isfinite(row.get(m, np.nan)) for m in names)]
    if len(names) < 2 or not whole:
        raise ValueError(
            "table must have two models and a stream on which every model has a score, got "
            f"{len(names)} models, {len(table)} streams and {len(whole)} on which all have one"
        )
    from scipy.stats import rankdata

    scores = np.array([[row[model] for model in names] for row in whole])
    better = scores if higher_is_better else -scores
    means = rankdata(-better, axis=1).mean(axis=0)
    order = np.argsort(means, kind="stable")
    p_values = _paired_tests(better[:, order])
    return Ranks(
        tuple(names[k] for k in order), means[order], p_values, _neighbours(p_values), len(whole)
    )


def _paired_tests(scores: np.ndarray) -> np.ndarray:
    """Return (n_models, n_models): Wilcoxon's p-values of all pairs of columns, after Holm."""
    from scipy.stats import wilcoxon

    n = scores.shape[1]
    pairs = list(combinations(range(n), 2))
    values = []
    for a, b in pairs:
        # Rounded, for equal differences of scores that differ in the last bit are ties.
        difference = np.round(scores[:, a] - scores[:, b], 12)
        same = not difference.any()
        values.append(1.0 if same else float(wilcoxon(difference, zero_method="zsplit").pvalue))
    table = np.ones((n, n))
    for (a, b), p in zip(pairs, holm(np.array(values)), strict=True):
        table[a, b] = table[b, a] = p
    return table


def holm(p_values: np.ndarray) -> np.ndarray:
    """Return p-values corrected for their number (Holm, 1979).

    >>> holm(np.array([0.01, 0.04, 0.03])).round(2).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(np.maximum.accumulate(factors * p_values[order]), 1.0)
    return corrected


def _neighbours(p_values: np.ndarray) -> tuple[tuple[int, int], ...]:
    """Return the largest runs (first, last) of models of which no two differ significantly."""
    runs: list[tuple[int, int]] = []
    for first in range(len(p_values)):
        last = first
        while last + 1 < len(p_values) and (p_values[last + 1, first : last + 1] >= LEVEL).all():
            last += 1
        if last > first and (not runs or last > runs[-1][1]):
            runs.append((first, last))
    return tuple(runs)
