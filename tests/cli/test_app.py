"""The command itself: its help, how it fails, how it is interrupted."""

import os
import re
import signal
import subprocess
import sys
from importlib.metadata import version

import pytest
from command import MOOE, PLAIN, run
from typer.testing import CliRunner

from mooe.cli import COMMANDS, app, main
from mooe.demo import LEAST_ROWS


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


def test_a_reader_that_leaves_early_sees_no_traceback():
    command = f"'{MOOE}' demo --rows {LEAST_ROWS} --json | true"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, env=PLAIN)
    assert "Traceback" not in done.stderr


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
