"""Cells run in processes of their own; each is kept as soon as it is finished."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Generator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mooe.experiments import result_of
from mooe.experiments.cells import Cell, Found
from mooe.experiments.needs import digest_of, missing
from mooe.experiments.stored import (
    cell_path,
    fingerprint,
    read_cell,
    write_cell,
    write_result,
)

__all__ = ["Job", "Plan", "carry_out", "conclude", "make_plan", "usable_cores"]

# Sums are then added in one order, whatever the number of cores, and processes do not disturb
# each other.
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass(frozen=True)
class Job:
    """A cell, the result it belongs to, and where its record is kept."""

    result: str
    cell: Cell
    path: Path
    mark: str  # the fingerprint; "" where a stream is missing
    lacks: str  # why it cannot be run

    def record(self) -> dict[str, Any] | None:
        """Return what is known of the cell; None where it is still to be run."""
        return {"missing": self.lacks} if self.lacks else read_cell(self.path, self.mark)


@dataclass(frozen=True)
class Plan:
    """The cells of some results, and the bytes of the streams they need.

    Attributes
    ----------
    folder : path
    quick : bool
    jobs : list of Job
        In the order of the results.
    digests : dict of str to str
        sha256 of the streams that are on the machine.
    """

    folder: Path
    quick: bool
    jobs: list[Job]
    digests: dict[str, str]

    def of(self, result: str) -> list[Job]:
        """Return the jobs of a result."""
        return [job for job in self.jobs if job.result == result]

    def waiting(self) -> list[Job]:
        """Return the jobs that are still to be run."""
        return [job for job in self.jobs if job.record() is None]


def make_plan(results: Sequence[str], folder: Path, quick: bool) -> Plan:
    """Return the cells of results by name; streams are looked for, and checked, once."""
    cells = [(name, cell) for name in results for cell in result_of(name).cells(quick)]
    needs = dict.fromkeys(need for _, cell in cells for need in cell.needs)
    lacks = {need: missing(need) for need in needs}
    digests = {need: digest_of(need) for need, why in lacks.items() if not why}
    jobs = []
    for name, cell in cells:
        why = "; ".join(lacks[need] for need in cell.needs if lacks[need])
        mark = "" if why else fingerprint(cell, quick, digests)
        jobs.append(Job(name, cell, cell_path(folder, name, cell, quick), mark, why))
    return Plan(folder, quick, jobs, digests)


def carry_out(jobs: Sequence[Job], n_processes: int) -> Generator[tuple[Job, str], None, None]:
    """Run jobs, the longest first; yield each when it is done, with what went wrong, or ''.

    Closing the generator, as an interrupt does, ends the processes; what is finished is kept.
    """
    if not jobs:
        return
    before = {child.pid for child in multiprocessing.active_children()}
    surroundings = dict(os.environ)
    os.environ.update(ONE_THREAD)  # which the processes inherit
    # Not forked: threads of the progress bar and compiled code do not survive a fork.
    pool = ProcessPoolExecutor(
        min(n_processes, len(jobs)), multiprocessing.get_context("spawn"), initializer=be_worker
    )
    try:
        ordered = sorted(jobs, key=lambda job: -job.cell.cost)
        running: dict[Future[str], Job] = {pool.submit(attempt, job): job for job in ordered}
        for future in as_completed(running):
            try:
                problem = future.result()
            except BrokenProcessPool:  # such as one that was killed for want of memory
                problem = f"{running[future].result}, {running[future].cell.name}: its process died"
            yield running[future], problem
    finally:
        os.environ.clear()
        os.environ.update(surroundings)
        pool.shutdown(wait=False, cancel_futures=True)
        for child in multiprocessing.active_children():
            if child.pid not in before:
                child.terminate()


def be_worker() -> None:
    """In a worker: interrupts are for the process that started it; without that one, it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:

        def leave_with_parent() -> None:
            parent.join()
            os._exit(1)

        threading.Thread(target=leave_with_parent, daemon=True).start()


def attempt(job: Job) -> str:
    """Run a cell and keep its record; return '' or what went wrong, in words."""
    try:
        write_cell(job.path, job.mark, job.cell.work(**job.cell.arguments))
    except Exception as problem:  # one broken cell must not end an hour's work
        return f"{job.result}, {job.cell.name}: {type(problem).__name__}: {problem}"
    return ""


def conclude(plan: Plan, result: str) -> Path | None:
    """Write the file of a result; None where cells of it are not finished."""
    jobs = plan.of(result)
    found: Found = {}
    for job in jobs:
        record = job.record()
        if record is None:
            return None
        found[job.cell.name] = record
    cells = [job.cell for job in jobs]
    title = result_of(result).TITLE
    return write_result(plan.folder, result, title, cells, found, plan.quick, plan.digests)


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
