"""Records of the checks: the same for the same arguments, and consistent in themselves."""

import json

import pytest

from mooe_paper.checks import observations

WORKS = {
    "priors": (observations.priors, {"numbers": [1, 5]}),
    "regrets": (
        observations.regrets,
        {
            "setting": "squared", "labels": "adversarial", "interval": 60, "max_experts": 3,
            "n_seeds": 1,
        },
    ),
    "gradients": (observations.gradients, {"setting": "logistic", "n_draws": 500, "seed": 0}),
    "transfers": (
        observations.transfers,
        {"setting": "squared", "pull": 3.0, "interval": 30, "n_seeds": 1},
    ),
    "growth": (observations.growth, {"labels": "drifting", "rounds": 50, "n_seeds": 1}),
    "risks": (observations.risks, {"rounds": 50, "n_seeds": 2}),
}  # fmt: skip


@pytest.mark.parametrize("name", WORKS)
def test_a_record_is_json_and_the_same_when_made_again(name):
    work, arguments = WORKS[name]
    record = work(**arguments)
    assert record["check"] == name
    text = json.dumps(record, allow_nan=False)
    assert json.dumps(work(**arguments), allow_nan=False) == text


def test_regrets_of_an_interval_add_up():
    work, arguments = WORKS["regrets"]
    record = work(**arguments)
    assert len(record["intervals"]) == observations.N_INTERVALS - 1
    for n_experts, meta, experts, online, mixture, meta_share, early in record["intervals"]:
        assert 2 <= n_experts <= 3
        assert mixture == pytest.approx(meta + experts)
        assert experts <= online + 1e-9
        assert meta_share <= 1
        assert early <= 1


def test_an_adversary_costs_more_than_a_concept_that_returns():
    costs = {
        labels: observations.growth(labels, 200, 1)["mixture"][0]
        for labels in ("adversarial", "returning")
    }
    assert costs["adversarial"] > costs["returning"] > 0


def test_a_stronger_pull_leaves_the_new_expert_nearer_the_mixture():
    omegas = {}
    for pull in (None, 30.0):
        record = observations.transfers("squared", pull, 50, 1)
        omegas[pull] = sum(row[1] for row in record["intervals"])
    assert omegas[30.0] < 0.01 * omegas[None]


def test_the_averaged_expert_is_no_worse_than_the_mixtures_in_the_mean():
    record = observations.risks(100, 2)
    for averaged, mixtures in zip(record["averaged"], record["mixtures"], strict=True):
        assert 0 <= averaged <= mixtures
