"""Cells in processes: kept when finished, not run again, the same bytes however they came about."""

import lzma
import os
from pathlib import Path

import pytest
import works

from mooe_paper import running, table2, table3
from mooe_paper.cells import Cell
from mooe_paper.running import Job, carry_out, conclude, make_plan

SIZE = 300  # rows of the streams of a tiny run


@pytest.fixture
def tiny(monkeypatch):
    """Make quick runs tiny, and without the streams that may be on the machine."""
    monkeypatch.setattr(table2, "MADE_ROWS", SIZE)
    monkeypatch.setattr(table3, "MADE_ROWS", SIZE)
    monkeypatch.setattr(running, "missing", lambda stream: f"{stream} is not here")
    monkeypatch.setattr(running, "code_digest", lambda: "code")  # which may be edited meanwhile


def job(tmp_path, name, work, **arguments):
    return Job("made", Cell(name, work, arguments), tmp_path / f"{name}.json", "mark", "")


def run_all(folder, names=("table2", "table3"), jobs=2):
    """Run what is not finished; return how many cells that were, and the bytes of the results."""
    plan = make_plan(names, folder, quick=True)
    outcomes = list(carry_out(plan.waiting(), jobs))
    assert [problem for _, problem in outcomes if problem] == []
    return len(outcomes), [conclude(plan, name).read_bytes() for name in names]


def test_runs_give_the_same_bytes_also_resumed_and_interrupted(tiny, tmp_path):
    n_cells, first = run_all(tmp_path / "first")
    assert n_cells > 20

    files = sorted((tmp_path / "first" / "cells").rglob("*.json"))
    files[0].unlink()
    n_again, resumed = run_all(tmp_path / "first")
    assert (n_again, resumed) == (1, first)
    assert run_all(tmp_path / "first") == (0, first)

    plan = make_plan(["table2", "table3"], tmp_path / "second", quick=True)
    work = carry_out(plan.waiting(), 1)
    for _ in range(3):
        next(work)
    work.close()  # as an interrupt does
    assert conclude(plan, "table2") is None, "a result that is not complete has no file"
    n_left, interrupted = run_all(tmp_path / "second", jobs=1)
    assert n_left <= n_cells - 3
    assert interrupted == first


def test_a_missing_stream_is_said_and_costs_no_more(tiny, tmp_path):
    plan = make_plan(["table2"], tmp_path, quick=True)
    lacking = [job for job in plan.jobs if job.lacks]
    assert {need for job in lacking for need in job.cell.needs} == {"Email"}
    assert lacking[0].record() == {"missing": "Email is not here"}
    assert all(not job.lacks for job in plan.waiting())


def test_a_cell_that_fails_is_told_and_the_others_go_on(tmp_path):
    jobs = [
        job(tmp_path, "good", works.doubled, number=2),
        job(tmp_path, "bad", works.failing, number=3),
        job(tmp_path, "strange", works.not_a_number),
    ]
    outcomes = {one.cell.name: problem for one, problem in carry_out(jobs, 2)}
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
    plan = make_plan(["table2"], tmp_path / "out", quick=True)
    lacking = {job.lacks for job in plan.jobs if job.cell.needs}
    (why,) = lacking
    assert "sha256 of Email" in why
    assert plan.waiting()
    assert plan.digests == {}


def test_only_the_cell_whose_process_dies_is_told_and_the_others_go_on(tmp_path):
    good = [job(tmp_path, f"good {at}", works.doubled, number=at) for at in range(4)]
    jobs = [job(tmp_path, "dead", works.dying), *good, job(tmp_path, "dead too", works.dying)]
    outcomes = {one.cell.name: problem for one, problem in carry_out(jobs, 2)}
    assert outcomes == {
        **{one.cell.name: "" for one in good},
        "dead": "made, dead: its process died",
        "dead too": "made, dead too: its process died",
    }
    assert all(one.record() for one in good)


def test_the_longest_is_begun_first(tmp_path):
    trace = tmp_path / "trace"
    jobs = [
        Job("made", Cell(str(cost), works.noted, {"path": str(trace), "number": cost}, (), cost),
            tmp_path / f"{cost}.json", "mark", "")
        for cost in (1.0, 3.0, 2.0)
    ]  # fmt: skip
    assert len(list(carry_out(jobs, 1))) == 3
    assert trace.read_text().split() == ["3.0", "2.0", "1.0"]


def test_closing_ends_what_is_running_and_keeps_what_is_finished(tmp_path):
    begun = tmp_path / "begun"
    jobs = [
        job(tmp_path, "finished", works.doubled, number=1),
        job(tmp_path, "endless", works.waiting, path=str(begun)),
    ]
    work = carry_out(jobs, 1)
    done, _ = next(work)
    assert done.cell.name == "finished"
    children = running.multiprocessing.active_children()
    work.close()
    for child in children:
        child.join(20)
        assert not child.is_alive()
    assert jobs[0].record() == {"number": 2, "third": 1 / 3}
    assert jobs[1].record() is None


def test_workers_have_one_thread_and_the_surroundings_stay(tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    work = carry_out([job(tmp_path, "one", works.doubled, number=1)], 1)
    next(work)
    assert os.environ["OMP_NUM_THREADS"] == "1"
    assert list(work) == []
    assert os.environ["OMP_NUM_THREADS"] == "7"


def test_nothing_to_do_starts_no_process(monkeypatch):
    monkeypatch.delattr(running, "one_worker")
    assert list(carry_out([], 2)) == []
    with pytest.raises(NameError):
        list(carry_out([job(Path(), "one", works.doubled, number=1)], 1))


def test_there_is_a_core_to_work_on():
    assert 1 <= running.usable_cores() <= (os.cpu_count() or 1)
