"""mooe reproduce, as its users start it."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from command import PLAIN, run, words
from typer.testing import CliRunner

import mooe
from mooe.cli import app
from mooe_paper import RESULTS, result_module, table1, table2, table3, workers

# The command with two experiments: one of the result, and one that ends only by an interrupt.
ENDLESS = """
import sys
import works
from mooe.cli import app
from mooe_paper import figure_kmax
from mooe_paper.experiment import Experiment

first = figure_kmax.experiments(True)[0]
endless = Experiment("endless", works.waiting, {"path": sys.argv[1]}, cost=first.cost / 2)
figure_kmax.experiments = lambda quick: [first, endless]
app(["reproduce", "figure-kmax", "--quick", "--jobs", "1", "--out", sys.argv[2]])
"""


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """Make quick runs tiny, and without the streams that may be on the machine."""
    monkeypatch.setattr(table2, "MADE_ROWS", 120)
    monkeypatch.setattr(table3, "MADE_ROWS", 120)
    monkeypatch.setattr(workers, "stream_problem", lambda stream: f"{stream} is not here")
    return tmp_path / "out"


def test_the_reproduction_is_imported_by_its_command_alone_and_when_it_is_asked_for():
    source = Path(mooe.__file__).parent
    users = [path for path in source.rglob("*.py") if "mooe_paper" in path.read_text()]
    assert [path.relative_to(source).as_posix() for path in users] == ["cli/reproduce.py"]
    loads = "import sys, mooe.cli; print('mooe_paper' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", loads], capture_output=True, text=True, env=PLAIN)
    assert done.stdout == "False\n", done.stderr


def inside(*arguments):
    """Run the command inside this process; its cells have theirs."""
    return CliRunner().invoke(app, ["reproduce", *map(str, arguments)])


def test_tables_report_and_json_come_from_one_run_and_the_second_runs_nothing(tiny):
    done = inside("table3", "table2", "--quick", "--out", tiny, "--jobs", 2)
    assert done.exit_code == 0, done.output
    assert done.stdout.index("Table 2") < done.stdout.index("Table 3"), "in the order of the list"
    assert "cells in 2 processes; about" in done.stderr, "what is missing was not finished before"
    assert words(done.stdout).count("Verdict: holds where ours is within 2 points") == 2
    assert done.stderr.count("mooe: Email is not here\n") == 1
    page = (tiny / "index.html").read_bytes()

    again = inside("table2", "table3", "--quick", "--out", tiny, "--json")
    assert again.exit_code == 0, again.output
    assert "cells" not in again.stderr
    told = json.loads(again.stdout)
    assert list(told["tables"]) == ["table2", "table3"]
    assert told["tables"]["table3"][0]["columns"][:3] == ["model", "paper", "ours"]
    assert (tiny / "index.html").read_bytes() == page


def test_quiet_shows_no_progress(tiny):
    done = inside("table3", "--quick", "--out", tiny, "-q", "--jobs", 1)
    assert done.exit_code == 0
    assert "cells" not in done.stderr


def test_a_cell_that_fails_ends_with_one_and_leaves_no_result(tiny, monkeypatch):
    monkeypatch.setattr(table3, "MADE", "no-such-stream")
    done = inside("table3", "--quick", "--out", tiny, "-q", "--jobs", 1)
    assert done.exit_code == 1
    assert "mooe: table3, no-such-stream dtel seed 0: StreamError: stream must be" in done.stderr
    assert not (tiny / "table3.json").exists()


def test_a_wrong_name_is_wrong_usage_and_the_nearest_is_named():
    done = run("reproduce", "tabel1")
    assert done.returncode == 2
    assert "got 'tabel1'; nearest: table1" in words(done.stderr)
    assert run("reproduce").returncode == 2


def test_a_folder_that_cannot_be_written_is_told_at_once(tmp_path):
    (tmp_path / "file").touch()
    done = run("reproduce", "table3", "--quick", "--out", tmp_path / "file" / "deep")
    assert done.returncode == 1
    assert "the results must be in a folder one can write to" in done.stderr


@pytest.fixture
def first_experiments(tiny, monkeypatch):
    """Leave of every result the first experiment that needs no stream, small, with two seeds."""
    monkeypatch.setattr(table1, "MADE_ROWS", 120)

    def first_of(experiments):
        def first(quick):
            planned = experiments(quick)
            chosen = next((each for each in planned if not each.needs), planned[0])
            few = {"n_seeds": 2} if "n_seeds" in chosen.arguments else {}
            return [replace(chosen, arguments=chosen.arguments | few)]

        return first

    for name in RESULTS:
        module = result_module(name)
        monkeypatch.setattr(module, "experiments", first_of(module.experiments))
    return tiny


def test_all_results_have_their_files_and_their_place_in_the_report(first_experiments):
    done = inside("all", "--quick", "--out", first_experiments, "--jobs", 2, "-q")
    assert done.exit_code == 0, done.output
    page = (first_experiments / "index.html").read_text()
    for name in RESULTS:
        result = json.loads((first_experiments / f"{name}.json").read_text())
        assert len(result["cells"]) == 1
        assert f'id="{name}-1"' in page
        for form in ("md", "tex"):
            assert (first_experiments / f"{name}.{form}").stat().st_size > 100
        assert result_module(name).TITLE in done.stdout
    told = words(done.stdout)
    assert f"of text, in {first_experiments / 'theory.md'}" in told, "errata are counted"
    assert "Says something: bounds below their trivial value" in told, "notes are printed"
    assert "inequalities" in page


def test_an_interrupt_keeps_what_is_finished_and_the_same_command_goes_on(tmp_path):
    waits, out = tmp_path / "waits", tmp_path / "out"
    tests = str(Path(__file__).parents[1] / "mooe_paper")
    path = os.pathsep.join(one for one in (tests, PLAIN.get("PYTHONPATH")) if one)
    begun = subprocess.Popen(
        [sys.executable, "-c", ENDLESS, waits, out], stderr=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True, env=PLAIN | {"PYTHONPATH": path}, start_new_session=True,
    )  # fmt: skip
    assert "2 cells in 1 process" in begun.stderr.readline()
    assert "1 of 2 cells" in begun.stderr.readline()
    os.killpg(begun.pid, signal.SIGINT)
    _, problem = begun.communicate(timeout=120)
    assert begun.returncode == 1
    assert "1 of 2 cells are left, the same command goes on" in words(problem)
    assert len(list((out / "cells").rglob("*.json"))) == 1
    assert not (out / "figure-kmax.json").exists()
    done = run("reproduce", "figure-kmax", "--quick", "--jobs", 1, "--out", out)
    assert done.returncode == 0, done.stderr
    assert "16 cells in 1 process, 1 finished before" in done.stderr
    fresh = run("reproduce", "figure-kmax", "--quick", "--jobs", 2, "--out", tmp_path / "fresh")
    assert fresh.returncode == 0, fresh.stderr
    name = "figure-kmax.json"
    assert (out / name).read_bytes() == (tmp_path / "fresh" / name).read_bytes()
