"""The command, as its users start it."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
from dataclasses import dataclass, fields
from importlib.metadata import version
from inspect import signature
from pathlib import Path

import pytest
import typer
from command import MOOE, PLAIN, run
from typer.testing import CliRunner

from mooe.cli import COMMANDS, app, main
from mooe.cli.options import (
    EvaluationOptions,
    ReadingOptions,
    StreamOptions,
    with_options,
)
from mooe.datasets import open_stream
from mooe.demo import LEAST_ROWS
from mooe.run.plan import Plan

KEYS = {
    "model",
    "stream",
    "rows",
    "features",
    "classes",
    "accuracy",
    "seconds",
    "rows_per_second",
    "seed",
    "version",
}


def has_control_characters(text):
    return any(ord(character) < 32 and character != "\n" for character in text)


def test_the_version_is_that_of_the_package():
    done = run("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"mooe {version('mooe')}\n", "")


def test_python_m_mooe_is_the_command():
    command = [sys.executable, "-m", "mooe", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, env=PLAIN, check=True)
    assert done.stdout == f"mooe {version('mooe')}\n"


def test_help_names_the_commands():
    done = run("--help")
    assert done.returncode == 0
    for name in COMMANDS:
        assert f" {name} " in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself_at_once(name):
    done = CliRunner().invoke(app, [name, "--help"])
    assert done.exit_code == 0
    assert "Usage" in done.stdout


@pytest.mark.parametrize("flag", ["--version", "--help"])
def test_help_and_version_load_nothing_heavy(flag):
    program = (
        "import sys\nfrom mooe.cli import app\n"
        f"try:\n    app([{flag!r}])\nexcept SystemExit:\n    pass\n"
        "heavy = {'numba', 'numpy', 'sklearn', 'matplotlib', 'safetensors'} & set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, env=PLAIN)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["demp"], "No such command 'demp'"),
        (["--no-such-option"], "No such option"),
        (["demo", "--rows", "many"], "--rows"),
        (["demo", "--rows", str(LEAST_ROWS - 1)], "--rows"),
        (["demo", "--seed", "-1"], "--seed"),
        (["demo", "more"], "unexpected extra argument"),
    ],
)
def test_wrong_usage_is_exit_code_2_and_words_on_standard_error(arguments, message):
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_json_is_all_that_comes_to_standard_output():
    done = run("demo", "--rows", "20000", "--seed", "1", "--json")
    assert done.returncode == 0
    found = {row["model"]: row for row in json.loads(done.stdout)}
    for row in found.values():
        assert row.keys() >= KEYS
        assert (row["rows"], row["seed"], row["version"]) == (20_000, 1, version("mooe"))
        assert 0.0 <= row["accuracy"] <= 1.0
    assert found.keys() == {"mooe", "mooe, no memory", "no-change", "majority"}
    after_return = {name: row["accuracy_after_return"] for name, row in found.items()}
    assert after_return["mooe"] > after_return["mooe, no memory"] + 0.05


def test_a_pipe_gets_the_final_table_and_the_name_of_the_report(tmp_path):
    done = run("demo", "--rows", LEAST_ROWS, TMPDIR=str(tmp_path))  # the fewest rows are enough
    assert done.returncode == 0
    assert not has_control_characters(done.stdout)
    assert "mooe, no memory" in done.stdout
    assert "is in charge" not in done.stdout
    *lines, last = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    page = Path(last.removeprefix("Report: "))
    assert page.parent.parent == tmp_path
    assert "Concepts that return" in page.read_text()


def test_an_old_terminal_gets_plain_letters_and_the_report_where_it_is_wanted(tmp_path):
    plain = {"PYTHONIOENCODING": "ascii", "TERM": "dumb"}
    done = run("demo", "--rows", LEAST_ROWS, "--report", tmp_path / "mine", **plain)
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert not has_control_characters(done.stdout)
    assert done.stdout.endswith(f"Report: {tmp_path / 'mine' / 'index.html'}\n")
    assert (tmp_path / "mine" / "index.html").exists()


def test_a_reader_that_leaves_early_sees_no_traceback():
    command = f"'{MOOE}' demo --rows {LEAST_ROWS} --json | true"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, env=PLAIN)
    assert "Traceback" not in done.stderr


def on_a_terminal(*arguments, interrupt_at=None, **environment):
    """Run the command on a terminal of its own; return its exit code and all that it wrote."""
    master, terminal = pty.openpty()
    process = subprocess.Popen(
        [MOOE, *arguments],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=PLAIN | {"TERM": "xterm-256color", "COLUMNS": "80"} | environment,
    )
    os.close(terminal)
    written = b""
    try:
        while chunk := os.read(master, 65_536):
            written += chunk
            if interrupt_at and interrupt_at in written:
                process.send_signal(signal.SIGINT)
                interrupt_at = None
    except OSError:  # Linux says so when the last writer has left
        pass
    os.close(master)
    return process.wait(), written.decode()


def test_a_terminal_sees_who_is_in_charge_in_colour():
    code, written = on_a_terminal("demo", "--rows", "5000")
    assert code == 0
    assert written.count("is in charge") >= 10 - 1  # visits but for the first rows
    assert written.count("recognised after") >= 6
    assert "\x1b[36m" in written


def test_no_color_is_respected():
    code, written = on_a_terminal("demo", interrupt_at=b"is in charge", NO_COLOR="1")
    assert code == 1
    assert "\x1b[36m" not in written


def test_an_interrupt_prints_the_result_so_far():
    code, written = on_a_terminal("demo", "--rows", "1000000", interrupt_at=b"  3,000 C")
    assert code == 1
    assert "Memory adds" in written
    assert "mooe: interrupted after" in written
    assert "of 1,000,000 rows" in written
    assert "Traceback" not in written
    assert written.rindex("\x1b[?25h") > written.rindex("\x1b[?25l")  # the cursor is back


def test_an_interrupt_before_the_first_row_is_one_line(monkeypatch):
    def interrupted(rows, seed):
        raise KeyboardInterrupt

    monkeypatch.setattr("mooe.demo.begin", interrupted)
    done = CliRunner().invoke(app, ["demo"])
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == "mooe: interrupted before the first row\n"


def interrupted_at(moment, *arguments, **environment):
    """Press Ctrl-C when standard error says so; return exit code and what the command said.

    Python tells every import when it is done, so a moment can be that of a module.
    """
    process = subprocess.Popen(
        [MOOE, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=PLAIN | {"PYTHONPROFILEIMPORTTIME": "1"} | environment,
        text=True,
    )
    said = []
    for line in process.stderr:
        said.append(line)
        if re.search(moment, line):
            break
    else:
        pytest.fail(f"{moment} never came: {said[-3:]}")
    process.send_signal(signal.SIGINT)
    said += process.communicate(timeout=120)[1].splitlines(keepends=True)
    return process.returncode, [line for line in said if not line.startswith("import time:")]


def an_import(name):
    return rf"\| +{re.escape(name)}"


@pytest.fixture
def letters(tmp_path):
    path = tmp_path / "letters.csv"
    path.write_text("a,b\n" + "".join(f"{i % 7},{'xy'[i % 2]}\n" for i in range(300)))
    return path


@pytest.mark.parametrize(
    "module",
    ["typer.", "numpy._core", "scipy.sparse", "numba.core", "mooe.datasets", "matplotlib."],
)
def test_ctrl_c_during_imports_is_one_line_and_exit_code_1(letters, tmp_path, module):
    chosen = ("--label", "b", "--report", tmp_path / "report", "-q")
    code, said = interrupted_at(an_import(module), "run", letters, *chosen)
    assert (code, len(said)) == (1, 1)
    assert said[0].startswith("mooe: interrupted")


@pytest.mark.parametrize(
    "arguments",
    [["predict", "m", "-"], ["inspect", "m"], ["compare", "recurring"], ["reproduce", "theory"]],
    ids=lambda arguments: arguments[0],
)
def test_ctrl_c_ends_every_command_with_exit_code_1(tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    assert interrupted_at(an_import("numpy._core"), *arguments) == (1, ["mooe: interrupted\n"])


def test_ctrl_c_during_compilation_is_exit_code_1(letters, tmp_path):
    fresh = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    code, said = interrupted_at("^mooe: compiling", "run", letters, "--label", "b", "-q", **fresh)
    assert code == 1
    assert said[-1].startswith("mooe: interrupted")
    assert "Traceback" not in "".join(said)


@pytest.mark.parametrize("command", ["run", "predict", "compare"])
def test_ctrl_c_while_rows_are_awaited_is_exit_code_1(letters, tmp_path, command):
    model, pipe = tmp_path / "m", tmp_path / "endless.csv"
    if command == "predict":
        assert run("run", letters, "--label", "b", "--save", model, "-q").returncode == 0
    os.mkfifo(pipe)
    chosen = [model, pipe] if command == "predict" else [pipe, "--label", "b"]
    process = subprocess.Popen(
        [MOOE, command, *chosen], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, env=PLAIN
    )
    with pipe.open("w"):  # opens when the command reads
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=120)
    assert process.returncode == 1
    assert said.startswith(b"mooe: interrupted")
    assert said.count(b"\n") == 1


@pytest.mark.parametrize(
    ("problem", "line"),
    [
        (OSError("no space left"), "no space left"),
        (ValueError("rows must be whole"), "rows must be whole"),
        (MemoryError(), "MemoryError"),
    ],
)
def test_a_failure_is_one_line_on_standard_error(monkeypatch, capsys, problem, line):
    def failing(rows, seed):
        raise problem

    monkeypatch.setattr("mooe.demo.begin", failing)
    monkeypatch.setattr(sys, "argv", ["mooe", "demo"])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 1
    assert capsys.readouterr() == ("", f"mooe: {line}\n")


def test_options_are_handed_on_by_their_names():
    """So that one more is declared, carried by the plan, and used where it acts."""
    arguments = set(signature(open_stream).parameters)
    assert set(StreamOptions().values()) | set(ReadingOptions().values()) <= arguments
    assert set(EvaluationOptions().values()) <= {field.name for field in fields(Plan)}


@dataclass(frozen=True)
class Two:
    left: int = 1
    right: str = "b"


def test_a_group_of_options_is_one_parameter_of_a_command():
    seen, small = [], typer.Typer()

    @small.command()
    @with_options
    def command(first: str, two: Two, last: bool = False) -> None:
        seen.append((first, two, last))

    assert CliRunner().invoke(small, ["x", "--left", "7", "--last"]).exit_code == 0
    assert seen == [("x", Two(7, "b"), True)]
    assert CliRunner().invoke(small, ["x", "--left", "seven"]).exit_code == 2
    assert len(seen) == 1
