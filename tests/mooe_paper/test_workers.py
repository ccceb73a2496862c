"""Experiments in processes: kept when finished, not run again, always the same bytes."""

import lzma
import os
from pathlib import Path

import pytest
import works

from mooe.datasets import StreamError
from mooe_paper import table2, table3, workers
from mooe_paper.experiment import Experiment
from mooe_paper.workers import (
    Job,
    new_reproduction,
    run_jobs,
    stream_digest,
    stream_problem,
)

SIZE = 300  # rows of the streams of a tiny run


@pytest.fixture
def tiny(monkeypatch):
    """Make quick runs tiny, and without the streams that may be on the machine."""
    monkeypatch.setattr(table2, "MADE_ROWS", SIZE)
    monkeypatch.setattr(table3, "MADE_ROWS", SIZE)
    monkeypatch.setattr(workers, "stream_problem", lambda stream: f"{stream} is not here")


def job(tmp_path, name, function, **arguments):
    return Job("made", Experiment(name, function, arguments), tmp_path / f"{name}.json", "mark", "")


def run_all(folder, names=("table2", "table3"), jobs=2):
    """Run what is not finished; return how many experiments, and the bytes of the results."""
    work = new_reproduction(names, folder, quick=True)
    outcomes = list(run_jobs(work.unfinished(), jobs))
    assert [problem for _, problem in outcomes if problem] == []
    return len(outcomes), [work.write_result(name).read_bytes() for name in names]


def test_runs_give_the_same_bytes_also_resumed_and_interrupted(tiny, tmp_path):
    n_experiments, first = run_all(tmp_path / "first")
    assert n_experiments > 20

    files = sorted((tmp_path / "first" / "cells").rglob("*.json"))
    files[0].unlink()
    n_again, resumed = run_all(tmp_path / "first")
    assert (n_again, resumed) == (1, first)
    assert run_all(tmp_path / "first") == (0, first)

    work = new_reproduction(["table2", "table3"], tmp_path / "second", quick=True)
    outcomes = run_jobs(work.unfinished(), 1)
    for _ in range(3):
        next(outcomes)
    outcomes.close()  # as an interrupt does
    assert work.write_result("table2") is None, "a result that is not complete has no file"
    n_left, interrupted = run_all(tmp_path / "second", jobs=1)
    assert n_left <= n_experiments - 3
    assert interrupted == first


def test_a_missing_stream_is_said_and_costs_no_more(tiny, tmp_path):
    work = new_reproduction(["table2"], tmp_path, quick=True)
    lacking = [job for job in work.jobs if job.missing]
    assert {need for job in lacking for need in job.experiment.needs} == {"Email"}
    assert lacking[0].record() == {"missing": "Email is not here"}
    assert all(not job.missing for job in work.unfinished())


def test_an_experiment_that_fails_is_told_and_the_others_go_on(tmp_path):
    jobs = [
        job(tmp_path, "good", works.doubled, number=2),
        job(tmp_path, "bad", works.failing, number=3),
        job(tmp_path, "strange", works.not_a_number),
    ]
    outcomes = {done.experiment.name: problem for done, problem in run_jobs(jobs, 2)}
    assert outcomes["good"] == ""
    assert outcomes["bad"] == "made, bad: ValueError: number must be even, got 3"
    assert "JSON" in outcomes["strange"]
    assert jobs[0].record() == {"number": 4, "third": 2 / 3}
    assert jobs[1].record() is None
    assert jobs[2].record() is None


def test_a_stream_with_other_bytes_is_told_and_the_others_go_on(tmp_path, monkeypatch):
    monkeypatch.setattr(table2, "MADE_ROWS", SIZE)
    monkeypatch.setenv("MOOE_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("MOOE_CACHE_HOME", str(tmp_path / "cache"))
    with lzma.open(tmp_path / "Email.csv.xz", "wt") as file:
        file.write("a,class\n1,0\n")
    work = new_reproduction(["table2"], tmp_path / "out", quick=True)
    (problem,) = {job.missing for job in work.jobs if job.experiment.needs}
    assert "sha256 of Email" in problem
    assert work.unfinished()
    assert work.digests == {}


def test_only_the_experiment_whose_process_dies_is_told_and_the_others_go_on(tmp_path):
    good = [job(tmp_path, f"good {at}", works.doubled, number=at) for at in range(4)]
    jobs = [job(tmp_path, "dead", works.dying), *good, job(tmp_path, "dead too", works.dying)]
    outcomes = {done.experiment.name: problem for done, problem in run_jobs(jobs, 2)}
    assert outcomes == {
        **{done.experiment.name: "" for done in good},
        "dead": "made, dead: its process died",
        "dead too": "made, dead too: its process died",
    }
    assert all(done.record() for done in good)


def test_the_longest_is_begun_first(tmp_path):
    trace = tmp_path / "trace"
    jobs = []
    for cost in (1.0, 3.0, 2.0):
        arguments = {"path": str(trace), "number": cost}
        experiment = Experiment(str(cost), works.noted, arguments, cost=cost)
        jobs.append(Job("made", experiment, tmp_path / f"{cost}.json", "mark", ""))
    assert len(list(run_jobs(jobs, 1))) == 3
    assert trace.read_text().split() == ["3.0", "2.0", "1.0"]


def test_closing_ends_what_is_running_and_keeps_what_is_finished(tmp_path):
    begun = tmp_path / "begun"
    jobs = [
        job(tmp_path, "finished", works.doubled, number=1),
        job(tmp_path, "endless", works.waiting, path=str(begun)),
    ]
    outcomes = run_jobs(jobs, 1)
    done, _ = next(outcomes)
    assert done.experiment.name == "finished"
    children = workers.multiprocessing.active_children()
    outcomes.close()
    for child in children:
        child.join(20)
        assert not child.is_alive()
    assert jobs[0].record() == {"number": 2, "third": 1 / 3}
    assert jobs[1].record() is None


def test_workers_have_one_thread_and_the_surroundings_stay(tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    outcomes = run_jobs([job(tmp_path, "one", works.doubled, number=1)], 1)
    next(outcomes)
    assert os.environ["OMP_NUM_THREADS"] == "1"
    assert list(outcomes) == []
    assert os.environ["OMP_NUM_THREADS"] == "7"


def test_nothing_to_do_starts_no_process(monkeypatch):
    monkeypatch.delattr(workers, "_new_worker")
    assert list(run_jobs([], 2)) == []
    with pytest.raises(NameError):
        list(run_jobs([job(Path(), "one", works.doubled, number=1)], 1))


def test_there_is_a_core_to_work_on():
    assert 1 <= workers.usable_cores() <= (os.cpu_count() or 1)


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("MOOE_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MOOE_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def test_a_stream_that_can_be_fetched_says_how(home):
    assert stream_problem("Covertype") == (
        "Covertype is not on this machine: mooe data fetch Covertype, "
        "or put covertype.zip into MOOE_DATA_HOME"
    )


def test_a_stream_that_cannot_be_fetched_says_what_to_put_where(home):
    assert stream_problem("Usenet1") == (
        "Usenet1 is not on this machine: put usenet1.arff into MOOE_DATA_HOME"
    )


def test_published_files_given_by_hand_are_enough(home):
    (home / "Mirai_dataset.csv.gz").touch()
    assert stream_problem("Kitsune")
    (home / "Mirai_labels.csv.gz").touch()
    assert stream_problem("Kitsune") == ""


def test_a_stream_with_other_bytes_than_published_is_refused(home):
    with lzma.open(home / "Usenet1.csv.xz", "wt") as file:
        file.write("a,class\n1,0\n")
    assert stream_problem("Usenet1") == ""
    with pytest.raises(StreamError, match="sha256 of Usenet1"):
        stream_digest("Usenet1")


def test_a_stream_without_a_known_checksum_has_that_of_its_text(home):
    with lzma.open(home / "Kitsune.csv.xz", "wt") as file:
        file.write("a,class\n1,0\n")
    assert len(stream_digest("Kitsune")) == 64
