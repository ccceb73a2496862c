"""mooe inspect, as its users start it."""

import json

import pytest
from command import inside, words

from mooe import MOOEClassifier
from mooe.auto.roster import EXPERTS


def test_inspect_shows_what_was_learnt(shop, tmp_path):
    model = tmp_path / "model"
    inside("run", shop, "--label", "bought", "--drop", "when", "--save", model, "-q")
    done = inside("inspect", model)
    assert done.exit_code == 0
    for text in ("MOOEClassifier", "2,500", "no, yes", "colour=red", "interval=40", "regime"):
        assert text in done.stdout
    one = json.loads(inside("inspect", model, "--json").stdout)
    assert (one["samples"], one["features"], one["mode"]) == (2500, 6, "auto")
    assert 0 < one["intervals"] <= 2500 // 40
    assert one["label"] == "bought"
    assert one["file_bytes"] == model.stat().st_size
    state = MOOEClassifier.load(model).state_
    assert one["state_bytes"] == state.block.nbytes + state.counters.nbytes
    assert sum(expert["weight"] for expert in one["experts"]) == pytest.approx(1.0)
    assert len(one["experts"]) == len(EXPERTS)
    sizes = one["expert_bytes"]
    assert {"linear", "memory", "least_squares", "forest", "neighbours"} < set(sizes)
    assert 50_000 < sizes["forest"] < sum(sizes.values()) < one["state_bytes"]
    assert sum(concept["in_charge"] for concept in one["concepts"]) <= 1


def test_names_with_line_ends_are_shown_in_one_line(tmp_path):
    text = "note,x,y\n" + '"a\nb",1,0\nplain,2,1\n' * 60
    (tmp_path / "t.csv").write_text(text)
    inside("run", tmp_path / "t.csv", "--label", "y", "--save", tmp_path / "m", "-q")
    assert "note=a b, note=plain" in inside("inspect", tmp_path / "m").stdout


@pytest.fixture
def model(shop, tmp_path):
    path = tmp_path / "model"
    inside("run", shop, "--label", "bought", "--time", "when", "--save", path, "-q")
    return path


def test_a_regime_is_named_in_the_file_and_shown_with_it(model):
    done = inside("inspect", model, "--name", "1=summer", "--name", "2=sale: half price")
    assert done.exit_code == 0, done.stderr
    assert "1 summer" in done.stdout
    assert "regime 2 (sale: half price): " in done.stdout
    one, two = json.loads(inside("inspect", model, "--json").stdout)["concepts"]
    assert (one["title"], two["title"]) == ("summer", "sale: half price")
    assert inside("inspect", model, "--name", "1=").exit_code == 0
    one, two = json.loads(inside("inspect", model, "--json").stdout)["concepts"]
    assert (one["title"], two["title"]) == ("", "sale: half price")


def test_what_is_told_of_regimes_speaks_in_dates(model):
    shown = inside("inspect", model).stdout
    line = next(line for line in shown.splitlines() if line.startswith("regime 1: "))
    assert "2024-01-0" in line
    assert "rows " not in line
    assert "weight " in line  # the input that sets them apart
    assert "yes: " in line
    (one, *_) = json.loads(inside("inspect", model, "--json").stdout)["concepts"]
    assert len(one["dates"]) == len(one["visits"])
    assert all(begin < end for begin, end in one["dates"])


@pytest.mark.parametrize(
    ("pair", "rule"),
    [
        ("9=x", "number must be that of a regime (1, 2), got 9"),
        ("summer", "such as 3=summer, got 'summer'"),
        ("1=" + "x" * 50, "at most 40 characters"),
    ],
)
def test_a_wrong_name_is_usage_and_the_file_stays_as_it_was(model, pair, rule):
    before = model.read_bytes()
    done = inside("inspect", model, "--name", "2=fine", "--name", pair)
    assert (done.exit_code, done.stdout) == (2, "")
    assert rule in words(done.stderr)
    assert model.read_bytes() == before
