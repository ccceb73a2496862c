"""mooe reproduce, as its users start it."""

import json
import os
import signal
import subprocess

import pytest
from command import MOOE, PLAIN, run, words
from typer.testing import CliRunner

from mooe.cli import app
from mooe.experiments import running, table2, table3


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """Make quick runs tiny, and without the streams that may be on the machine."""
    monkeypatch.setattr(table2, "MADE_ROWS", 120)
    monkeypatch.setattr(table3, "MADE_ROWS", 120)
    monkeypatch.setattr(running, "missing", lambda stream: f"{stream} is not here")
    return tmp_path / "out"


def inside(*arguments):
    """Run the command inside this process; its cells have theirs."""
    return CliRunner().invoke(app, ["reproduce", *map(str, arguments)])


def test_tables_report_and_json_come_from_one_run_and_the_second_runs_nothing(tiny):
    done = inside("table3", "table2", "--quick", "--out", tiny, "--jobs", 2)
    assert done.exit_code == 0, done.output
    assert done.stdout.index("Table 2") < done.stdout.index("Table 3"), "in the paper's order"
    assert "cells in 2 processes\n" in done.stderr, "what is missing was not finished before"
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


def test_an_interrupt_keeps_what_is_finished_and_the_same_command_goes_on(tmp_path):
    command = [MOOE, "reproduce", "figure-kmax", "--quick", "--jobs", "1", "--out", tmp_path]
    begun = subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=PLAIN,
        start_new_session=True,
    )  # fmt: skip
    assert "cells in 1 process" in begun.stderr.readline()
    for line in begun.stderr:
        if " of 9 cells" in line:  # one is finished
            break
    os.killpg(begun.pid, signal.SIGINT)
    _, problem = begun.communicate(timeout=120)
    finished = list((tmp_path / "cells").rglob("*.json"))
    assert finished
    if begun.returncode == 0:  # it was quicker than the interrupt
        assert len(finished) == 9
        return
    assert begun.returncode == 1
    assert "the same command goes on" in problem
    assert not (tmp_path / "figure-kmax.json").exists()
    done = run(*command[1:])
    assert done.returncode == 0
    assert f"{len(finished)} finished before" in done.stderr
    fresh = run("reproduce", "figure-kmax", "--quick", "--jobs", 2, "--out", tmp_path / "fresh")
    assert fresh.returncode == 0
    name = "figure-kmax.json"
    assert (tmp_path / name).read_bytes() == (tmp_path / "fresh" / name).read_bytes()
