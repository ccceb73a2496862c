"""The page of benchmarks is what the committed results give; ranks are taken over the same rows."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PART, PARTS = 10, 4  # of the made stream


@pytest.fixture
def module(monkeypatch):
    """Return a function that imports a module of the folder of benchmarks."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module


@pytest.fixture
def section(module, monkeypatch):
    found = module("peers_section")
    monkeypatch.setattr(found, "LEAST", 2 * PART)
    return found


def made(section, shares, stream="Usenet1"):
    """Return results where each entry has its share of right answers in every part, or .5."""
    models = {model for entry in section.ENTRIES for model in section.points(stream, entry)}
    runs = [run(stream, model, [round(PART * shares.get(model, 0.5))] * PARTS) for model in models]
    about = {stream: {"rows": PART * PARTS}}
    return {"origins": [{}], "streams": about, "speed": [], "runs": runs}


def run(stream, model, correct, ended=None):
    """Return the record of a run."""
    return {
        "stream": stream,
        "model": model,
        "seed": 0,
        "rows": PART * len(correct),
        "part": PART,
        "correct": correct,
        "seconds": 1.0,
        "ended": ended,
        "budget": 1.0,
        "origin": 0,
    }


def replaced(results, new):
    """Return results with one run in the place of that of the same model."""
    kept = [one for one in results["runs"] if one["model"] != new["model"]]
    return {**results, "runs": [*kept, new]}


def test_the_page_is_rendered_from_the_result_files():
    command = [sys.executable, "benchmarks/page.py", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_best_ranks_first_and_equals_share_a_rank(section):
    runs = section.by_model(made(section, {"mooe": 0.9, "arf": 0.8, "srp": 0.8}))
    ranks = section.ranks_of(runs, "Usenet1", PART * PARTS)
    assert (ranks["mooe"], ranks["arf"], ranks["srp"]) == (1.0, 2.5, 2.5)
    assert sum(ranks.values()) == sum(range(1, len(ranks) + 1))


def test_a_stream_that_someone_did_not_finish_is_ranked_over_the_rows_that_all_came_to(section):
    results = made(section, {"mooe": 0.8})
    results = replaced(results, run("Usenet1", "arf", [9, 9], ended="budget of 1 s"))
    results = replaced(results, run("Usenet1", "srp", [10, 10, 0, 0]))
    runs = section.by_model(results)
    rows = section.ranked_rows(runs, "Usenet1")
    assert rows == 2 * PART
    ranks = section.ranks_of(runs, "Usenet1", rows)
    assert (ranks["srp"], ranks["arf"], ranks["mooe"]) == (1.0, 2.0, 3.0)
    table = section.cut_table(results, runs, {"Usenet1": rows})
    assert "| Usenet1 | ARF | budget of 1 s | 20 of 40 | 90.00 | 80.00 | 20 |" in table


def test_who_came_to_no_row_ranks_last(section):
    results = replaced(made(section, {}), run("Usenet1", "lb", [], ended="budget of 1 s"))
    runs = section.by_model(results)
    rows = section.ranked_rows(runs, "Usenet1")
    assert rows == PART * PARTS
    assert section.ranks_of(runs, "Usenet1", rows)["lb"] == len(section.ENTRIES)
    table = section.cut_table(results, runs, {"Usenet1": rows})
    assert "| Usenet1 | Leveraging Bagging | budget of 1 s | 0 of 40 |  |  | 40 |" in table


def test_a_stream_is_not_ranked_over_a_few_rows(section):
    results = replaced(made(section, {}), run("Usenet1", "arf", [9], ended="budget of 1 s"))
    assert section.ranked_rows(section.by_model(results), "Usenet1") == 0


def test_a_stream_is_not_ranked_before_every_model_was_run(section):
    results = made(section, {})
    results["runs"] = [one for one in results["runs"] if one["model"] != "srp"]
    assert section.ranked_rows(section.by_model(results), "Usenet1") == 0


def test_the_default_and_the_best_in_hindsight_of_a_grid_are_two_entries(section):
    shares = {"river-lr 0.01 scaled": 0.6, "river-lr 1 raw": 0.7, "river-lr 0.1 scaled": 0.65}
    runs = section.by_model(made(section, shares))
    default, best = (
        section.accuracy(runs, "Usenet1", entry, PART * PARTS)
        for entry in ("river-lr", "river-lr best")
    )
    assert (default, best) == (0.6, 0.7)


def test_a_record_takes_the_place_of_an_older_one(module, monkeypatch, tmp_path):
    peers = module("peers")
    monkeypatch.setattr(peers, "RESULTS", tmp_path / "peers.json")
    monkeypatch.setattr(peers, "VENV", tmp_path)
    monkeypatch.setattr(peers, "PAGE", tmp_path / "page.py")
    (tmp_path / "page.py").write_text("")
    origin = {"mooe": "1"}
    for model, correct in (("mooe", [1]), ("no-change", [2]), ("mooe", [3])):
        peers.keep({**run("Usenet1", model, correct, ended="budget of 1 s"), "origin": origin})
    for rate in (10.0, 20.0):
        rates = {"rows_per_second": {"mooe": rate, "arf": 1.0}}
        peers.keep({"stream": "Usenet1", "rows": 10, "turns": 1, **rates, "origin": origin})
    results = json.loads((tmp_path / "peers.json").read_text())
    assert [one["rows_per_second"]["mooe"] for one in results["speed"]] == [20.0]
    assert [(one["model"], one["correct"]) for one in results["runs"]] == [
        ("no-change", [2]),
        ("mooe", [3]),
    ]
    assert results["origins"] == [origin]
    task = ("Usenet1", "mooe", 0)
    assert peers.is_done(task, budget=1.0)
    assert not peers.is_done(task, budget=2.0)
    assert not peers.is_done(("Usenet1", "arf", 0), budget=1.0)


def timed(**more):
    """Return the record of a run of `mooe reproduce all`."""
    counts = {"cells": 90, "cells without their stream": 12, "cores": 2}
    loads = {"load before": 0.1, "load at the end": 2.2}
    return {"seconds": 100.0, **counts, **loads, "origin": {"mooe": "1"}, **more}


def test_the_runs_of_the_paper_are_told_with_their_time_and_versions(module):
    section = module("reproduce_section")
    text = section.rendered({"full": timed(seconds=6_000.0, cells=400), "quick": timed()})
    assert "no stream there | 100 s | 90 | 12 | 2 | 0.1, 2.2 |" in text
    assert "the streams on the machine | 100 min | 400 |" in text
    assert text.index("--quick") < text.index("100 min")
    assert text.endswith("\nmooe 1.\n"), "versions are told once where they are the same"


def test_the_quick_run_finds_nothing_cached_and_counts_its_cells(module, monkeypatch, tmp_path):
    reproduce = module("reproduce")

    def fake(command, env, **_):
        assert command[-1] == "--quick"
        assert all(not list(Path(env[name]).iterdir()) for name in reproduce.HOMES)
        out = Path(command[command.index("--out") + 1])
        out.mkdir()
        cells = [{"record": {"missing": "not here"}}, {"record": {"rows": 1}}]
        for name in reproduce.NAMES:
            (out / f"{name}.json").write_text(json.dumps({"cells": cells}))

    monkeypatch.setattr(reproduce.subprocess, "run", fake)
    found = reproduce.measured(quick=True)
    n = len(reproduce.NAMES)
    assert (found["cells"], found["cells without their stream"]) == (n, n)
    assert found["seconds"] >= 0.0
    assert "scipy" in found["origin"]
