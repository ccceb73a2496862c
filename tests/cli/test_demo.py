"""mooe demo, as its users start it."""

import json
import os
import pty
import signal
import subprocess
from importlib.metadata import version
from pathlib import Path

from command import MOOE, PLAIN, run
from typer.testing import CliRunner

from mooe.cli import app
from mooe.demo import LEAST_ROWS

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
