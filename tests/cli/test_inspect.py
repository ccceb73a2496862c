"""mooe inspect, as its users start it."""

import json

import pytest
from command import inside

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
