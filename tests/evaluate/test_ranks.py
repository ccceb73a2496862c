"""Models over many streams are ranked and tested as scipy does."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from mooe.evaluate.ranks import compare_ranks, holm

SCORES = {f"s{k}": {"a": 0.9 + k / 100, "b": 0.8 + k / 90, "c": 0.7 - k / 80} for k in range(8)}


def random_table(n_streams, n_models, seed):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(n_streams, n_models)) + np.linspace(2, 0, n_models)
    return scores, {
        f"s{i}": {f"m{j}": float(scores[i, j]) for j in range(n_models)} for i in range(n_streams)
    }


@pytest.mark.parametrize(("n_streams", "n_models", "seed"), [(6, 3, 0), (13, 5, 1), (40, 4, 2)])
def test_ranks_and_tests_are_those_of_scipy(n_streams, n_models, seed):
    scores, table = random_table(n_streams, n_models, seed)
    ranks = compare_ranks(table)
    means = stats.rankdata(-scores, axis=1).mean(axis=0)
    order = [int(model[1:]) for model in ranks.models]
    np.testing.assert_allclose(ranks.mean_ranks, means[order])
    assert (np.diff(ranks.mean_ranks) >= 0).all()
    pairs = list(combinations(range(n_models), 2))
    plain = [stats.wilcoxon(scores[:, order[a]], scores[:, order[b]]).pvalue for a, b in pairs]
    for (a, b), p in zip(pairs, holm(np.array(plain)), strict=True):
        assert ranks.p_values[a, b] == ranks.p_values[b, a] == pytest.approx(p)


def test_holm_is_its_definition():
    p = np.array([0.04, 0.01, 0.5, 0.02, 0.02])
    ordered = np.sort(p)
    steps = [min(1.0, max((5 - j) * ordered[j] for j in range(k + 1))) for k in range(5)]
    np.testing.assert_allclose(np.sort(holm(p)), steps)


def test_less_is_better_turns_the_ranks_round():
    _, table = random_table(10, 4, 0)
    turned = {s: {m: -v for m, v in row.items()} for s, row in table.items()}
    a, b = compare_ranks(table), compare_ranks(turned, higher_is_better=False)
    assert a.models == b.models
    np.testing.assert_allclose(a.p_values, b.p_values)


def test_models_with_equal_scores_share_their_rank_and_do_not_differ():
    ranks = compare_ranks({f"s{k}": {"a": 0.5, "b": 0.5, "c": 0.1} for k in range(12)})
    assert ranks.mean_ranks.tolist() == [1.5, 1.5, 3.0]
    assert ranks.p_values[0, 1] == 1.0
    assert ranks.p_values[0, 2] < 0.05
    assert ranks.groups == ((0, 1),)


def test_groups_are_the_largest_runs_without_a_difference():
    _, table = random_table(14, 8, 3)
    ranks = compare_ranks(table)
    for first, last in ranks.groups:
        inside = ranks.p_values[first : last + 1, first : last + 1]
        assert (inside >= 0.05).all()
        for a, b in ((first - 1, last), (first, last + 1)):
            if a >= 0 and b < 8:
                assert (ranks.p_values[a : b + 1, a : b + 1] < 0.05).any()


def test_streams_on_which_a_model_is_missing_are_left_out():
    table = {**SCORES, "short": {"a": 0.1}}
    assert compare_ranks(table).n_streams == len(SCORES)
    with pytest.raises(ValueError, match=r"table must have two models .* got 1 models"):
        compare_ranks({"s": {"a": 1.0}})
