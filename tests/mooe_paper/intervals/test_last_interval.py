"""The last interval: its records repeat themselves and are made of what they say."""

import json
from pathlib import Path

import numpy as np
import pytest

from mooe.datasets import moving_gaussians
from mooe.datasets.catalogue import MADE, NAMED
from mooe.paper.core import Params
from mooe_paper.confidence import word
from mooe_paper.intervals import last_interval
from mooe_paper.intervals import scores as paper
from mooe_paper.intervals.last_interval import AUTHORS, EDGES, FIRST, GRID, SOURCES
from mooe_paper.store import load_result, records_of

RESULTS = Path(__file__).parents[3] / "docs" / "results"


@pytest.fixture(scope="module")
def lost():
    return last_interval.losses("synthetic", 2)


@pytest.fixture(scope="module")
def regretted():
    return last_interval.regrets("synthetic", 2)


def test_records_are_the_same_bytes_again(lost, regretted):
    assert json.dumps(last_interval.losses("synthetic", 2)) == json.dumps(lost)
    assert json.dumps(last_interval.regrets("synthetic", 2)) == json.dumps(regretted)


def test_losses_are_those_of_the_last_interval_over_seeds(lost):
    first_50 = []
    for seed in range(2):
        stream = moving_gaussians(seed=seed)
        y = stream.y.astype(float)
        scores = paper.scores(Params(interval=1_000, max_experts=5), stream.X, y)
        first_50.append(paper.losses(scores, y)[-1_000:-950].mean())
    assert lost["loss"]["MOOE"][FIRST.index(50)][0] == pytest.approx(np.mean(first_50), abs=1e-6)


def test_a_difference_is_that_of_the_means(lost):
    for pair, more in lost["more"].items():
        model, other = pair.split(" - ")
        for kind in ("loss", "error"):
            for i in range(len(FIRST)):
                expected = lost[kind][model][i][0] - lost[kind][other][i][0]
                assert more[kind][i][0] == pytest.approx(expected, abs=2e-6 * (1 + abs(expected)))


def test_the_curve_has_a_point_between_each_two_edges(lost):
    sizes = np.diff(EDGES)
    for model, curve in lost["curve"].items():
        assert len(curve) == len(sizes)
        whole = np.average([mean for mean, _, _ in curve], weights=sizes)
        assert whole == pytest.approx(lost["loss"][model][-1][0], rel=1e-5, abs=1e-5)


def committed(stream):
    """Return the record of a stream in the committed results."""
    return records_of(load_result(RESULTS / "figure-loss.json"))[stream]


@pytest.mark.parametrize("stream", [name for name, source in SOURCES.items() if source.rate])
def test_what_the_page_says_of_the_authors_code_holds_on_each_of_their_streams(stream):
    record = committed(stream)
    mooe, ogd, blank = ([mean for mean, _, _ in record["loss"][name]] for name in AUTHORS)
    assert mooe[0] / ogd[0] == pytest.approx(0.36, abs=0.025)  # of the first ten rows
    for first in (0, -1):
        more = record["more"][f"{AUTHORS[0]} - {AUTHORS[2]}"]["loss"][first]
        assert word(more) == "higher", "zeros do better: averaging, not knowledge"
    assert min(*mooe, *ogd, *blank) > 10 * 0.25
    assert record["error"][AUTHORS[0]][0] == record["error"][AUTHORS[1]][0]
    left = np.exp(-1_000 * SOURCES[stream].rate * ogd[-1])  # the page says that weights follow
    moved = 0.6 - 0.6 * left / (0.4 + 0.6 * left)
    assert record["moved"][0] == pytest.approx(moved, abs=0.04)


def test_the_committed_record_of_the_authors_code_is_what_it_gives(lost):
    more = lost["more"][f"{AUTHORS[0]} - {AUTHORS[2]}"]["loss"][0]
    assert more[0] > 0
    ratio = lost["loss"][AUTHORS[0]][0][0] / lost["loss"][AUTHORS[1]][0][0]
    assert ratio == pytest.approx(0.36, abs=0.02)


def test_regret_within_the_last_interval_ends_in_that_of_the_interval(regretted):
    assert len(regretted["intervals"]["mixture"]) == 15
    end = regretted["intervals"]["mixture"][-1]
    assert regretted["whole"]["MOOE"] == pytest.approx(end, abs=1e-6)
    assert regretted["curve"]["MOOE"][-1] == pytest.approx(end, abs=1e-6)
    assert len(regretted["curve"]["OGD warm"]) == len(GRID)
    online = regretted["intervals"]["online"][-1]
    assert regretted["whole"]["OGD warm"] == pytest.approx(online, abs=1e-6)


def test_streams_are_in_the_catalogue_and_need_what_they_are_made_from():
    for name, source in SOURCES.items():
        assert name in MADE
        assert all(need in NAMED for need in source.needs)
        assert bool(source.rate) == (name == "synthetic" or name.endswith("-leaking"))
