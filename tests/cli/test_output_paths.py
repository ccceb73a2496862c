"""No output of a command takes the place of what it reads, or of another output."""

import os
import re
import subprocess

import pytest
from command import MOOE, PLAIN, inside, words


def everything_in(folder):
    """Return what lies in a folder: the bytes of files, where links lead to."""
    return {
        path.relative_to(folder): os.readlink(path) if path.is_symlink() else path.read_bytes()
        for path in folder.rglob("*")
        if path.is_symlink() or path.is_file()
    }


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """Return a folder to work in, with a table, links to it, and a model."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src.csv").write_text("a,y\n" + "".join(f"{i % 7},{i % 2}\n" for i in range(60)))
    done = inside("run", "src.csv", "--label", "y", "--save", "m", "-q")
    assert done.exit_code == 0, done.stderr
    (tmp_path / "sub").mkdir()
    (tmp_path / "windows.csv").write_bytes((tmp_path / "src.csv").read_bytes())
    (tmp_path / "soft.csv").symlink_to("src.csv")
    (tmp_path / "hard.csv").hardlink_to("src.csv")
    (tmp_path / "dangling").symlink_to("new")
    return tmp_path


@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("run src.csv --label y --predictions src.csv", "--predictions"),
        ("run src.csv --label y --predictions ./sub/../src.csv", "--predictions"),
        ("run src.csv --label y --predictions soft.csv", "--predictions"),
        ("run src.csv --label y --predictions hard.csv", "--predictions"),
        ("run soft.csv --label y --predictions src.csv", "--predictions"),
        ("run src.csv --label y --save src.csv", "--save"),
        ("run src.csv --label y --save soft.csv", "--save"),
        ("run src.csv --label y --save hard.csv", "--save"),
        ("run src.csv --label y --report src.csv", "--report"),
        ("run windows.csv --label y --report .", "--report"),
        ("run src.csv --label y --save new --predictions ./new", "--predictions"),
        ("run src.csv --label y --save new --predictions dangling", "--predictions"),
        ("run src.csv --label y --save new --report new", "--report"),
        ("run src.csv --label y --save out/index.html --report out", "--report"),
        ("run src.csv --label y --predictions out/windows.csv --report out", "--report"),
        ("run src.csv --resume m --predictions m", "--predictions"),
        ("run src.csv --resume m --save src.csv", "--save"),
        ("run src.csv --resume m --report m", "--report"),
        ("predict m src.csv --out src.csv", "--out"),
        ("predict m src.csv --out soft.csv", "--out"),
        ("predict m src.csv --out hard.csv", "--out"),
        ("predict m src.csv --out m", "--out"),
        ("compare src.csv --label y --report src.csv", "--report"),
        ("compare runs/x/mooe-0/windows.csv --label y --report .", "--report"),
    ],
)
def test_nothing_that_is_read_or_written_too_is_written_over(desk, command, option):
    (desk / "runs" / "x" / "mooe-0").mkdir(parents=True)
    (desk / "runs" / "x" / "mooe-0" / "windows.csv").write_text("a,y\n1,0\n2,1\n")
    before = everything_in(desk)
    done = inside(*command.split())
    assert (done.exit_code, done.stdout) == (2, "")
    said = words(done.stderr)
    assert f"Invalid value for {option}: must not write over" in said
    assert re.search(r"which would be lost, got '\S+'", said)
    assert everything_in(desk) == before
    assert not (desk / "out").exists()


def test_standard_input_from_a_file_is_not_written_over(desk):
    before = everything_in(desk)
    with (desk / "src.csv").open() as text:
        done = subprocess.run(
            [MOOE, "run", "-", "--label", "y", "--predictions", "src.csv"],
            stdin=text, capture_output=True, text=True, env=PLAIN, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert "Invalid value for --predictions: must" in words(done.stderr)
    assert everything_in(desk) == before


def test_a_published_stream_is_not_written_over(tmp_path, monkeypatch):
    data = tmp_path / "Usenet1.csv.xz"
    data.write_bytes(b"as published")
    monkeypatch.setenv("MOOE_DATA_HOME", str(tmp_path))
    for arguments in (["run", "Usenet1", "--save", data], ["reproduce", "theory", "--out", data]):
        assert inside(*arguments).exit_code == 2
    assert data.read_bytes() == b"as published"


@pytest.mark.parametrize(
    "command",
    [
        "run src.csv --resume m --save m -q",
        "run src.csv --label y --save out/m --predictions out/answers.csv --report out -q",
        "run src.csv --label y --save /dev/null --predictions /dev/null -q",
        "run src.csv --label y --report . -q",
    ],
)
def test_outputs_that_disturb_nobody_are_written(desk, command):
    before = (desk / "src.csv").read_bytes()
    done = inside(*command.split())
    assert done.exit_code == 0, done.stderr
    assert (desk / "src.csv").read_bytes() == before


@pytest.mark.parametrize(
    "command",
    [
        "run src.csv --label y --report",
        "run src.csv --label y --save",
        "run src.csv --label y --predictions",
        "predict m src.csv --out",
        "compare src.csv --label y --report",
        "reproduce theory --out",
        "demo --report",
    ],
)
def test_an_output_without_a_name_is_refused(desk, command):
    before = everything_in(desk)
    done = inside(*command.split(), "")
    assert (done.exit_code, done.stdout) == (2, "")
    option = command.split()[-1]
    assert f"Invalid value for {option}: must name a file or folder, got ''" in words(done.stderr)
    assert everything_in(desk) == before


def test_a_link_in_the_folder_of_a_report_is_replaced_and_what_it_leads_to_stays(desk):
    mine = desk / "mine.txt"
    mine.write_text("mine")
    (desk / "out").mkdir()
    names = ("index.html", "results.json", "windows.csv", "table.md", "windows.png", "windows.pdf")
    for name in names:
        (desk / "out" / name).symlink_to(mine)
    (desk / "out" / "table.tex").hardlink_to(mine)
    assert inside("run", "src.csv", "--label", "y", "-q", "--report", "out").exit_code == 0
    assert mine.read_text() == "mine"
    for name in (*names, "table.tex"):
        assert not (desk / "out" / name).is_symlink()
        assert (desk / "out" / name).stat().st_size > 10


def test_a_link_in_the_folder_of_a_comparison_is_replaced_too(desk):
    (desk / "mine").mkdir()
    (desk / "out").mkdir()
    (desk / "out" / "runs").symlink_to(desk / "mine")
    (desk / "out" / "table.md").symlink_to("../src.csv")
    before = (desk / "src.csv").read_bytes()
    chosen = ("--label", "y", "--models", "ogd", "-q")
    assert inside("compare", "src.csv", *chosen, "--report", "out").exit_code == 0
    assert (desk / "src.csv").read_bytes() == before
    assert list((desk / "mine").iterdir()) == []
    assert (desk / "out" / "runs" / "src.csv" / "ogd-0" / "results.json").exists()


@pytest.mark.parametrize(
    "command",
    [
        "run src.csv --label y --save",
        "run src.csv --label y --predictions",
        "predict m src.csv --out",
    ],
)
def test_an_output_is_checked_where_it_will_lie_before_the_first_row(desk, command):
    (desk / "led").symlink_to("gone/further/out")
    assert inside(*command.split(), "led").exit_code == 0
    assert (desk / "gone/further/out").is_file()
    (desk / "stuck").symlink_to("src.csv/out")
    (desk / "round").symlink_to("round")
    for name, why in (
        ("stuck", "folder"),
        ("x" * 300, "name"),
        ("round", "name"),
        ("sub", "folder"),
    ):
        done = inside(*command.split(), name)
        assert (done.exit_code, done.stdout) == (1, "")
        assert done.stderr.count("\n") == 1, (name, done.exception)
        assert " must " in done.stderr
        assert why in done.stderr
    assert inside(*command.split(), "/dev/null").exit_code == 0
