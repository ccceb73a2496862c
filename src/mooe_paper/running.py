"""Cells run in processes of their own; each is kept as soon as it is finished."""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mooe.datasets import StreamError
from mooe_paper import result_of
from mooe_paper.cells import Cell, Found
from mooe_paper.needs import digest_of, missing
from mooe_paper.stored import (
    cell_path,
    code_digest,
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
    digests, lacks = look_for(needs)
    code = code_digest()
    jobs = []
    for name, cell in cells:
        why = "; ".join(lacks[need] for need in cell.needs if need in lacks)
        mark = "" if why else fingerprint(cell, quick, digests, code)
        jobs.append(Job(name, cell, cell_path(folder, name, cell, quick), mark, why))
    return Plan(folder, quick, jobs, digests)


def look_for(streams: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the sha256 of the streams that are on the machine, and why the others cannot be had.

    A stream with other bytes than the published ones is as good as missing.
    """
    digests, lacks = {}, {}
    for stream in streams:
        if why := missing(stream):
            lacks[stream] = why
            continue
        try:
            digests[stream] = digest_of(stream)
        except StreamError as problem:
            lacks[stream] = str(problem)
    return digests, lacks


def carry_out(jobs: Sequence[Job], n_processes: int) -> Generator[tuple[Job, str], None, None]:
    """Run jobs, the longest first; yield each when it is done, with what went wrong, or ''.

    Closing the generator, as an interrupt does, ends the processes; what is finished is kept.
    """
    if not jobs:
        return
    before = {child.pid for child in multiprocessing.active_children()}
    surroundings = dict(os.environ)
    os.environ.update(ONE_THREAD)  # which the processes inherit
    pools = [one_worker() for _ in range(min(n_processes, len(jobs)))]
    try:
        waiting = deque(sorted(jobs, key=lambda job: -job.cell.cost))
        # A pool has one process and one job at a time, so that one knows which job it died of.
        running: dict[Future[str], tuple[int, Job]] = {}
        for at, pool in enumerate(pools):
            job = waiting.popleft()
            running[pool.submit(attempt, job)] = at, job
        while running:
            outcomes = []
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                at, job = running.pop(future)
                try:
                    outcomes.append((job, future.result()))
                except BrokenProcessPool:  # such as one that was killed for want of memory
                    outcomes.append((job, f"{job.result}, {job.cell.name}: its process died"))
                    pools[at] = one_worker()
                if waiting:
                    job = waiting.popleft()
                    running[pools[at].submit(attempt, job)] = at, job
            yield from outcomes
    finally:
        os.environ.clear()
        os.environ.update(surroundings)
        for pool in pools:
            pool.shutdown(wait=False, cancel_futures=True)
        for child in multiprocessing.active_children():
            if child.pid not in before:
                child.terminate()


def one_worker() -> ProcessPoolExecutor:
    """Return a process to work in; it is started with its first job."""
    # Not forked: threads of the progress bar and compiled code do not survive a fork.
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(1, context, initializer=be_worker)


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
