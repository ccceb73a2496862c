"""The page of benchmarks is what the committed results give, and tells which of them are stale.

Ranks are taken over the same rows; what was measured on an earlier state is measured again.
"""

import importlib
import importlib.util
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from mooe.auto.params import AutoParams
from mooe.datasets import open_stream

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
    monkeypatch.setattr(found, "ENOUGH", 2 * PART)
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


@pytest.fixture
def digest(module, monkeypatch):
    """The module of digests, over sources that a test may change."""
    made = module("digest")
    texts = dict(made.texts())
    made.sources_of.cache_clear()
    monkeypatch.setattr(made, "texts", lambda: texts)
    yield made
    made.sources_of.cache_clear()


def changed(digest, name):
    """In place: other code of a module."""
    digest.texts()[name] += b"\nchanged = True\n"
    digest.sources_of.cache_clear()


def now(digest):
    return {result: digest.of(result) for result in digest.MEASURED}


def test_every_result_file_has_a_digest_and_its_section(module, digest):
    page = module("page")
    assert page.SECTIONS.keys() == digest.MEASURED.keys() == now(digest).keys()
    assert {path.stem for path in page.RESULTS.glob("*.json")} <= page.SECTIONS.keys()
    assert len(set(now(digest).values())) == len(digest.MEASURED)


@pytest.mark.parametrize(
    ("name", "stale"),
    [
        ("mooe.cli.run", set()),
        ("mooe.demo", set()),
        ("mooe.plots.style", {"reproduce"}),
        (
            "mooe.paper.kernel",
            {"core", "evaluate", "reproduce", "baselines", "shells", "first_use", "keyed", "spark"},
        ),
        ("mooe_paper.table1", {"reproduce"}),
        ("mooe.baselines.ader", {"baselines", "reproduce"}),
        ("mooe.river_adapter", {"core", "auto", "shells"}),
    ],
)
def test_a_change_of_a_module_makes_stale_what_leans_on_it_and_no_more(digest, name, stale):
    before = now(digest)
    changed(digest, name)
    assert {result for result in before if digest.of(result) != before[result]} == stale


def test_a_change_of_the_default_models_kernel_leaves_paper_modes_figures_alone(digest):
    before = now(digest)
    changed(digest, "mooe.auto.kernel")
    stale = {result for result in before if digest.of(result) != before[result]}
    assert {"ablation", "sensitivity", "auto", "peers"} <= stale
    assert stale.isdisjoint({"core", "evaluate"})


def test_what_is_kept_of_the_answers_is_what_the_model_answers(module):
    kept, answers = module("digest"), module("answers")
    known = json.loads(kept.KNOWN.read_text())
    if platform.machine() != "x86_64":
        pytest.skip("the answers that are kept are those of an x86-64 processor")
    if known["code"] != kept.model_code():
        pytest.skip("the answers of this state of the code were not asked: the page calls it newer")
    assert answers.asked() == known["answers"]


def test_code_that_answers_the_same_makes_only_what_is_timed_stale(digest, monkeypatch, tmp_path):
    monkeypatch.setattr(digest, "KNOWN", tmp_path / "answers.json")

    def found(answers):
        digest.KNOWN.write_text(json.dumps({"answers": answers, "code": digest.model_code()}))
        digest.sources_of.cache_clear()
        return now(digest)

    before = found("as they are")
    timed = digest.of("ablation", timed=True)
    changed(digest, "mooe.auto.experts.memory")
    unknown = now(digest)
    assert all(unknown[result] != before[result] for result in digest.OF_ANSWERS)
    same = found("as they are")
    assert all(same[result] == before[result] for result in digest.OF_ANSWERS)
    assert same["auto"] != before["auto"]
    assert timed != digest.of("ablation", timed=True)
    other = found("others")
    assert all(other[result] != before[result] for result in digest.OF_ANSWERS)


def test_a_script_and_a_setting_are_part_of_a_digest(digest, monkeypatch, tmp_path):
    assert digest.of("ablation", ["merge"]) != digest.of("ablation", ["hedge"])
    before = digest.of("core")
    (tmp_path / "core.py").write_text("another = 'way to measure'")
    monkeypatch.setattr(digest, "HERE", tmp_path)
    digest.sources_of.cache_clear()
    assert digest.of("core") != before


def test_comments_docstrings_and_layout_make_nothing_stale(digest):
    first = digest.code_of('"""Add."""\ndef add(a, b):\n    """Add."""\n    return a + b\n')
    second = digest.code_of("def add(a,\n        b):\n    # as it is\n    return a + b\n")
    assert first == second != digest.code_of("def add(a, b):\n    return b + a\n")


def test_a_module_that_is_not_there_is_told(digest, monkeypatch):
    monkeypatch.setitem(digest.MEASURED, "core", (("core",), ("mooe.nothing",)))
    with pytest.raises(ValueError, match=r"modules that are there, got 'mooe\.nothing'"):
        digest.of("core")


def test_a_change_that_was_measured_on_fewer_streams_is_not_on_the_page(module):
    whole, part = {"Usenet1": [80.0, 3], "Email": [90.0, 2]}, {"Usenet1": [81.0, 3]}
    runs = {"default": whole, "interval 25": part, "interval 75": whole}
    page = module("sensitivity_section").rendered({"runs": runs})
    assert "interval 75" in page
    assert "interval 25" not in page


def test_every_constant_that_is_changed_for_the_sensitivity_is_there(module):
    for setting in module("sensitivity_section").CHANGES.values():
        for place in setting:
            home, _, constant = place.rpartition(".")
            assert hasattr(
                importlib.import_module(f"mooe.auto.{home}") if home else AutoParams(), constant
            )


def test_the_remark_tells_all_some_or_none(digest):
    fresh, old = ("Usenet1", "1", "1"), ("Email", None, "1")
    assert digest.remark([fresh, fresh]) == ""
    assert digest.remark([old]) == "_Measured on an earlier state of the code._\n\n"
    told = digest.remark([fresh, old, ("Email", "0", "1"), fresh])
    assert told == "_Measured on an earlier state of the code: 2 of 4 runs (Email)._\n\n"


def as_of_now(name, section, results):
    """Return results as if they had been measured now: every digest is the present one."""
    if name in {"ablation", "sensitivity"}:
        names = (*results["runs"], *results.get("times", ()))
        return {**results, "digests": {one: section.digest_of(one) for one in names}}
    states = [state for _, _, state in section.digests(results)]
    if name == "baselines":
        return {**results, "digests": dict(zip(results["runs"], states, strict=True))}
    if name == "peers":
        records = [*results["runs"], *results["speed"]]
    elif name == "reproduce":
        records = [*results.values()]
    else:
        records = [results]
    for one, state in zip(records, states, strict=True):
        one["digest"] = state
    return results


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("ablation", "mooe.auto.experts.memory"),
        ("auto", "mooe.estimators"),
        ("baselines", "mooe.baselines.condor"),
        ("core", "mooe.numerics.lanes"),
        ("evaluate", "mooe.evaluate"),
        ("first_use", "mooe.named_rows"),
        ("peers", "mooe.auto.experts.memory"),
        ("reproduce", "mooe_paper.theory.regret"),
        ("sensitivity", "mooe.auto.experts.memory"),
    ],
)
def test_a_section_says_whether_its_figures_are_of_the_present_code(
    module, digest, monkeypatch, tmp_path, name, source
):
    page = module("page")
    _, section = page.SECTIONS[name]
    results = as_of_now(name, section, json.loads((page.RESULTS / f"{name}.json").read_text()))
    monkeypatch.setattr(page, "RESULTS", tmp_path)
    (tmp_path / f"{name}.json").write_text(json.dumps(results))
    assert "earlier state" not in page.rendered()
    changed(digest, "mooe.cli.run")
    assert "earlier state" not in page.rendered()
    changed(digest, source)
    assert page.rendered().count("_Measured on an earlier state of the code") == 1


def test_a_change_of_our_model_makes_no_figure_of_others_stale(module, digest):
    section = module("peers_section")
    results = json.loads((ROOT / "benchmarks" / "results" / "peers.json").read_text())
    results = as_of_now("peers", section, results)
    changed(digest, "mooe.auto.experts.memory")
    stale = {name for name, kept, state in section.digests(results) if kept != state}
    assert stale == {"mooe", "no-change", "majority", "rows a second in turns"}
    for origin in results["origins"]:
        origin["river"] = "another"
    stale = {name for name, kept, state in section.digests(results) if kept != state}
    assert {name for name in stale if section.library_of(name) == "river"} == {
        one["model"] for one in results["runs"] if one["model"].startswith("river")
    }
    assert "arf" not in stale


def loaded(name):
    """Return a script of the folder of benchmarks whose name a folder of tests has, too."""
    spec = importlib.util.spec_from_file_location(f"{name}_script", ROOT / f"benchmarks/{name}.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def started(script, monkeypatch, tmp_path, measured, *arguments):
    """Run a script that measures by a function of ours, and return its results."""
    monkeypatch.setattr(script, "RESULTS", tmp_path / "results.json")
    monkeypatch.setattr(script, "measured", measured)
    for page in ("page", "baselines_page"):
        monkeypatch.setattr(importlib.import_module(page), "write", lambda: None)
    monkeypatch.setattr(sys, "argv", ["script", *arguments])
    script.main()
    return json.loads((tmp_path / "results.json").read_text())


@pytest.mark.parametrize(
    ("name", "source", "arguments"),
    [
        ("ablation", "mooe.auto.experts.memory", ("--streams", "Usenet1,nothing")),
        ("baselines", "mooe.baselines.condor", ("--streams", "recurring")),
        ("sensitivity", "mooe.auto.experts.memory", ()),
    ],
)
def test_what_is_of_an_earlier_state_is_measured_again_and_the_rest_is_kept(
    module, digest, monkeypatch, tmp_path, name, source, arguments
):
    script, runs = loaded(name), []

    def measured(*given, **_):
        runs.append(given)
        return {"rows": 1, "right": 1, "seconds": 1.0} if name != "sensitivity" else {"a": [1, 1]}

    if name == "baselines":
        monkeypatch.setattr(script, "STREAMS", ("recurring",))
    start = (script, monkeypatch, tmp_path, measured, *arguments)
    results = started(*start)
    first = len(runs)
    assert first == len(results["runs"]) == len(results["digests"]) > 1
    started(*start)
    assert len(runs) == first
    results["digests"].pop(next(iter(results["digests"])))
    (tmp_path / "results.json").write_text(json.dumps(results))
    started(*start)
    assert len(runs) == first + 1
    changed(digest, source)
    started(*start)
    assert len(runs) == 2 * first + 1


def test_the_times_of_parts_are_measured_again_when_they_are_stale(
    module, digest, monkeypatch, tmp_path
):
    script, streams = module("ablation"), []
    monkeypatch.setattr(script, "timed", lambda stream: streams.append(stream) or {"default": 1.0})
    start = (script, monkeypatch, tmp_path, None, "--times", "--streams", "Usenet1,Email,linear")
    for _ in range(2):
        started(*start)
    assert streams == ["Usenet1", "linear"]
    changed(digest, "mooe.auto.experts.memory")
    started(*start)
    assert streams == ["Usenet1", "linear"] * 2


def test_the_paper_is_run_again_when_its_code_is_another(module, digest, monkeypatch, tmp_path):
    script, runs = module("reproduce"), []

    def measured(quick):
        runs.append(quick)
        return {"digest": digest.of("reproduce"), "seconds": 1.0}

    for expected, arguments in (([True, False], ()), ([], ()), ([True], ("--quick",))):
        started(script, monkeypatch, tmp_path, measured, *arguments)
        assert runs == expected
        runs.clear()
    changed(digest, "mooe_paper.theory.regret")
    started(script, monkeypatch, tmp_path, measured, "--full")
    assert runs == [False]
    started(script, monkeypatch, tmp_path, measured)
    assert runs == [False, True]


def test_the_row_by_row_figures_of_the_core_are_those_of_paper_mode(module, monkeypatch):
    core = module("core")
    monkeypatch.setattr(core, "row_by_row", lambda model, *_: model)
    monkeypatch.setattr(core, "chunk", lambda *_: (None, None))
    X, y = core.stream(3, 10)
    model, _ = core.contenders(3, X, y)["one row"]
    assert (type(model).__name__, model.radius) == ("PaperMOOEClassifier", core.SMALL)


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
    rows = section.ranked_rows(results, runs, "Usenet1")
    assert rows == 2 * PART
    ranks = section.ranks_of(runs, "Usenet1", rows)
    assert (ranks["srp"], ranks["arf"], ranks["mooe"]) == (1.0, 2.0, 3.0)
    table = section.cut_table(results, runs, {"Usenet1": rows})
    assert "| Usenet1 | ARF, 100 trees | budget of 1 s | 20 of 40 | 90.00 | 80.00 | 20 |" in table


def test_who_came_to_no_row_ranks_last(section):
    results = replaced(made(section, {}), run("Usenet1", "lb", [], ended="budget of 1 s"))
    runs = section.by_model(results)
    rows = section.ranked_rows(results, runs, "Usenet1")
    assert rows == PART * PARTS
    assert section.ranks_of(runs, "Usenet1", rows)["lb"] == len(section.ENTRIES)
    table = section.cut_table(results, runs, {"Usenet1": rows})
    assert "| Usenet1 | Leveraging Bagging | budget of 1 s | 0 of 40 |  |  | 40 |" in table


def test_a_stream_is_not_ranked_over_a_few_rows(section):
    results = replaced(made(section, {}), run("Usenet1", "arf", [9], ended="budget of 1 s"))
    assert section.ranked_rows(results, section.by_model(results), "Usenet1") == 0


def test_a_stream_is_not_ranked_before_every_model_was_run(section):
    results = made(section, {})
    results["runs"] = [one for one in results["runs"] if one["model"] != "srp"]
    assert section.ranked_rows(results, section.by_model(results), "Usenet1") == 0


def test_the_default_and_the_best_in_hindsight_of_a_grid_are_two_entries(section):
    shares = {"river-lr 0.01 scaled": 0.6, "river-lr 1 raw": 0.7, "river-lr 0.1 scaled": 0.65}
    runs = section.by_model(made(section, shares))
    default, best = (
        section.accuracy(runs, "Usenet1", entry, PART * PARTS)
        for entry in ("river-lr", "river-lr best")
    )
    assert (default, best) == (0.6, 0.7)


def test_a_record_takes_the_place_of_an_older_one(module, digest, monkeypatch, tmp_path):
    peers = module("peers")
    monkeypatch.setattr(peers, "RESULTS", tmp_path / "peers.json")
    monkeypatch.setattr(peers, "VENV", tmp_path)
    monkeypatch.setattr(peers, "PAGE", tmp_path / "page.py")
    monkeypatch.setattr(peers, "installed", lambda: origin)
    (tmp_path / "page.py").write_text("")
    origin = {"mooe": "1", "capymoa": "1", "river": "1"}
    for model, correct in (("mooe", [1]), ("no-change", [2]), ("mooe", [3]), ("arf", [4])):
        one = {**run("Usenet1", model, correct, ended="budget of 1 s"), "origin": origin}
        monkeypatch.setattr(peers, "work", lambda _, one=one: one)
        asked = SimpleNamespace(again=["mooe"], budget=1.0, max_rows=None)
        peers.measure(("Usenet1", model, 0), asked)
    for rate in (10.0, 20.0):
        rates = {"rows_per_second": {"mooe": rate, "arf": 1.0}}
        peers.keep({"stream": "Usenet1", "rows": 10, "turns": 1, **rates, "origin": origin})
    results = json.loads((tmp_path / "peers.json").read_text())
    assert [one["rows_per_second"]["mooe"] for one in results["speed"]] == [20.0]
    assert [(one["model"], one["correct"]) for one in results["runs"]] == [
        ("no-change", [2]),
        ("mooe", [3]),
        ("arf", [4]),
    ]
    assert results["origins"] == [origin]
    ours, theirs = ("Usenet1", "mooe", 0), ("Usenet1", "arf", 0)
    assert not peers.is_done(ours)  # it stopped before it had done enough rows
    monkeypatch.setattr(peers, "ENOUGH", PART)
    assert peers.is_done(ours)
    assert not peers.is_done(("Usenet1", "srp", 0))
    changed(digest, "mooe.auto.experts.memory")
    assert not peers.is_done(ours)
    assert peers.is_done(theirs)
    monkeypatch.setattr(peers, "installed", lambda: {**origin, "capymoa": "2"})
    assert not peers.is_done(theirs)


def test_speeds_in_turns_are_measured_again_when_ours_or_theirs_is_another(
    module, digest, monkeypatch, tmp_path
):
    peers, streams = module("peers"), []
    monkeypatch.setattr(peers, "RESULTS", tmp_path / "peers.json")
    monkeypatch.setattr(peers, "VENV", tmp_path)
    monkeypatch.setattr(peers, "PAGE", tmp_path / "page.py")
    (tmp_path / "page.py").write_text("")
    versions = {"capymoa": "1", "river": "1"}
    monkeypatch.setattr(peers, "installed", lambda: versions)

    def work(arguments):
        streams.append(arguments[0])
        rates = dict.fromkeys(arguments[1:-1], 1.0)
        return {"stream": arguments[0], "rows_per_second": rates, "origin": dict(versions)}

    monkeypatch.setattr(peers, "work", work)
    asked = SimpleNamespace(models=["mooe", "arf"], streams=["Usenet1", "Email"])
    for _ in range(2):
        peers.measure_speed(asked)
    assert streams == ["Usenet1", "Email"]
    changed(digest, "mooe.auto.experts.memory")
    peers.measure_speed(asked)
    assert streams == ["Usenet1", "Email"] * 2
    versions["capymoa"] = "2"
    peers.measure_speed(asked)
    assert streams == ["Usenet1", "Email"] * 3


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


# What is written of the made streams: inputs, classes, concepts in turn and rows of a visit.
MADE = {
    "agrawal abrupt": (9, 2, [0, 1, 2, 3], 5_000),
    "agrawal other rules": (9, 2, [4, 6, 8, 9], 5_000),
    "agrawal recurring": (9, 2, [2, 6, 4, 2], 5_000),
    "led drifting": (24, 10, [0, 3], 10_000),
    "sea recurring": (3, 2, [0, 1, 2, 3], 5_000),
    "rbf": (10, 5, [0], 20_000),
    "rbf drifting": (10, 5, [0], 20_000),
    "hyperplane": (10, 2, [0], 20_000),
    "stagger": (3, 2, [0, 1, 2, 0, 1, 2, 0, 1], 2_500),
    "mixed": (4, 2, [0, 1, 0, 1], 5_000),
    "sine": (4, 2, [0, 1, 2, 3], 5_000),
    "random-tree": (10, 4, [0], 20_000),
}


def test_made_streams_have_the_settings_that_are_written_of_them(module):
    streams = module("streams").STREAMS
    assert streams.keys() == {*MADE, "covertype shuffled"}
    for name, (inputs, classes, concepts, length) in MADE.items():
        stream = streams[name](seed=1)
        assert stream.X.shape == (20_000, inputs)
        assert set(stream.y.tolist()) == set(range(classes))
        assert stream.concept.tolist() == [one for one in concepts for _ in range(length)]
        assert streams[name](seed=1, n=7).digest() != streams[name](seed=2, n=7).digest()


@pytest.mark.skipif("MOOE_DATA_HOME" not in os.environ, reason="MOOE_DATA_HOME is not set")
def test_covertype_is_shuffled_as_it_always_was(module):
    shuffled = module("streams").STREAMS["covertype shuffled"]()
    stream = open_stream("Covertype", max_rows=200_000).load()
    order = np.random.RandomState(0).permutation(200_000)
    assert shuffled.n_rows == len(shuffled.y) == 60_000
    np.testing.assert_array_equal(shuffled.X, stream.X[order[:60_000]])
    np.testing.assert_array_equal(shuffled.y, stream.y[order[:60_000]])
