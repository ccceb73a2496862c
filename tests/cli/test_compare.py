"""mooe compare, as its users start it."""

import json
import signal
import subprocess

import pytest
from command import MOOE, PLAIN, inside, run, words

from mooe.datasets import recurring
from mooe.evaluate import results
from mooe.evaluate.measures import TRIVIAL


@pytest.fixture
def tables(tmp_path):
    paths = []
    for seed in (1, 2):
        stream = recurring(300, n_features=2, n_concepts=2, length=50, seed=seed)
        lines = [f"{a},{b},{y}" for (a, b), y in zip(stream.X, stream.y, strict=True)]
        paths.append(tmp_path / f"table{seed}.csv")
        paths[-1].write_text("\n".join(["a,b,kind", *lines]) + "\n")
    return paths


def test_two_processes_compare_two_streams(tables, tmp_path):
    chosen = ("--models", "mooe,ogd", "--label", "kind", "--window", "100")
    done = run("compare", *tables, *chosen, "--jobs", 2, "--report", tmp_path / "report", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [(one["stream"], one["model"]) for one in found] == [
        (path.name, model) for path in tables for model in ("mooe", "ogd", *TRIVIAL)
    ]
    assert all(one["rows"] == 300 for one in found)
    assert "critical" in (tmp_path / "report" / "index.html").read_text().lower()
    kept = results.load(tmp_path / "report" / "runs" / "table1.csv" / "mooe-0")
    assert kept.cumulative["accuracy"] == found[0]["accuracy"]
    alone = json.loads(inside("compare", *tables, *chosen, "--json").stdout)
    assert [one["accuracy"] for one in alone] == [one["accuracy"] for one in found]


def test_the_table_has_a_row_per_stream_and_the_trivial_models(tables):
    done = inside("compare", tables[0], "recurring", "--label", "kind", "--max-rows", 300)
    assert done.exit_code == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[0] == ["stream", "mooe", "ogd", "no-change", "majority"]
    assert [line[0] for line in lines[2:]] == ["table1.csv", "recurring"]


def test_the_trivial_model_of_values_is_the_mean(tables):
    chosen = ("--label", "a", "--models", "ogd", "--max-rows", 200)
    for asked, shown in (("ogd", ["ogd", "no-change", "mean"]), ("mean,ogd", None)):
        done = inside("compare", tables[0], *chosen[:3], asked, *chosen[4:])
        models = [line.split()[0] for line in done.stdout.splitlines()[2:5]]
        assert models == (shown or ["mean", "ogd", "no-change"])


def test_on_one_stream_there_is_a_row_per_model_with_its_time(tables, tmp_path):
    chosen = ("--label", "kind", "--models", "mooe,ogd,mooe-paper", "--report", tmp_path / "r")
    done = inside("compare", tables[0], *chosen)
    assert done.exit_code == 0, done.stderr
    lines = done.stdout.splitlines()
    assert max(map(len, lines[:7])) <= 80
    assert lines[0].split()[:2] == ["table1.csv", "accuracy"]
    assert lines[0].split()[-2:] == ["seconds", "rows/s"]
    assert [line.split()[0] for line in lines[2:7]] == ["mooe", "ogd", "mooe-paper", *TRIVIAL]
    page = (tmp_path / "r" / "index.html").read_text()
    assert "has the best accuracy" in page
    assert 'id="windows"' in page
    assert "ritical-difference" not in page
    assert not (tmp_path / "r" / "ranks.svg").exists()


def test_models_that_do_not_fit_into_80_columns_are_in_further_tables(tables):
    names = "mooe,mooe-paper,ogd,condor,learnpp-nse,ogd-classic"
    done = inside("compare", *tables, "--label", "kind", "--models", names, "--max-rows", 60)
    assert done.exit_code == 0, done.stderr
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    heads = [line.split()[1:] for line in lines if line.startswith("stream")]
    assert len(heads) == 2
    assert [*heads[0], *heads[1]] == [*names.split(","), *TRIVIAL]


def test_repeats_count_up_the_seeds():
    chosen = ("--models", "mooe", "--repeats", 3, "--seed", 5, "--max-rows", 300, "--json")
    found = json.loads(inside("compare", "recurring", *chosen).stdout)
    mooe = [one for one in found if one["model"] == "mooe"]
    assert [one["seed"] for one in mooe] == [5, 6, 7]
    assert len({one["accuracy"] for one in mooe}) > 1


def test_a_stream_that_fails_does_not_take_the_others_along(tables):
    done = inside("compare", tables[0], "nothing.csv", "--label", "kind")
    assert done.exit_code == 1
    assert "table1.csv" in done.stdout
    assert done.stderr == "mooe: nothing.csv: file must exist, got 'nothing.csv'\n"


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["recurring", "--models", "mooe,odg"], ["'odg'", "nearest: ogd"]),
        (["recurring", "--models", ","], ["at least one model"]),
        (["-"], ["standard input"]),
        (["recurring", "--jobs", "0"], ["--jobs"]),
        (["recurring", "--repeats", "0"], ["--repeats"]),
        (["recurring", "--keep", "id"], ["No such option: --keep"]),
        ([], ["Missing argument"]),
    ],
)
def test_wrong_usage_is_exit_code_2(arguments, parts):
    done = inside("compare", *arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    for part in parts:
        assert part in words(done.stderr)


def test_a_report_that_cannot_be_written_is_told_before_the_first_run(tmp_path):
    (tmp_path / "file").write_text("")
    done = inside("compare", "recurring", "--report", tmp_path / "file" / "report")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "the report must be in a folder one can write to" in done.stderr


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_ends_all_processes_and_prints_what_is_done(tmp_path, jobs):
    pipe = tmp_path / "endless.csv"
    subprocess.run(["mkfifo", pipe], check=True)
    chosen = ["--models", "mooe", "--max-rows", "200", "--label", "b", "--jobs", str(jobs)]
    process = subprocess.Popen(
        [MOOE, "compare", "recurring", pipe, *chosen],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=PLAIN,
        text=True,
    )
    with pipe.open("w"):  # opens when the second stream is waited for
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "Traceback" not in said
    assert "interrupted after" in said
    assert ("recurring" in out) or jobs == 2


def test_compare_says_once_how_a_table_is_read(tmp_path):
    rows = [f"{row % 9},5;{row % 2}" for row in range(60)]
    (tmp_path / "t.csv").write_text("x;y\n" + "\n".join(rows))
    done = inside("compare", tmp_path / "t.csv", "--label", "y", "--models", "ogd", "-q")
    assert done.exit_code == 0
    assert done.stderr.count("decimal commas as in '0,5'") == 1


def test_the_class_that_is_named_is_told_of_in_table_json_and_report(tables, tmp_path):
    chosen = ("--label", "kind", "--models", "ogd", "--positive", "1")
    done = inside("compare", tables[0], *chosen, "--report", tmp_path / "r")
    assert done.exit_code == 0, done.stderr
    assert "AP" in done.stdout.splitlines()[0]
    page = (tmp_path / "r" / "index.html").read_text()
    assert "Of class 1" in page
    assert 'id="precision_recall"' in page
    assert 'id="windows"' in page, "which is no rare one"
    assert "majority took" not in page
    found = json.loads(inside("compare", tables[0], *chosen, "--json").stdout)
    assert all("average_precision" in run for run in found)
    several = inside("compare", *tables, "recurring", *chosen, "--max-rows", 60, "--json")
    named = {run["stream"]: "rare_class" in run for run in json.loads(several.stdout)}
    assert named == {"table1.csv": True, "table2.csv": True, "recurring": False}
