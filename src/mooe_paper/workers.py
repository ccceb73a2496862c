"""Experiments run in processes of their own; each record is kept as soon as it is finished."""

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

from mooe.datasets import StreamError
from mooe.datasets.archive import locate, remembered, verified
from mooe.datasets.catalogue import fetch, published
from mooe_paper import result_module
from mooe_paper.experiment import Experiment, Record, Records
from mooe_paper.fingerprint import fingerprint
from mooe_paper.store import cell_path, read_cell, write_cell, write_result

# Sums are then added in one order, whatever the number of cores, and processes do not disturb
# each other.
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass(frozen=True)
class Job:
    """An experiment, the result it belongs to, and where its record is kept."""

    result: str
    experiment: Experiment
    path: Path
    fingerprint: str  # "" where a stream is missing
    missing: str  # why it cannot be run

    @property
    def name(self) -> str:
        """The experiment with its result, for messages."""
        return f"{self.result}, {self.experiment.name}"

    def record(self) -> Record | None:
        """Return the record of the experiment; None where it is still to be run."""
        return {"missing": self.missing} if self.missing else read_cell(self.path, self.fingerprint)


@dataclass(frozen=True)
class Reproduction:
    """The jobs of some results, and the bytes of the streams they need.

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

    def unfinished(self) -> list[Job]:
        """Return the jobs that are still to be run."""
        return [job for job in self.jobs if job.record() is None]

    def write_result(self, name: str) -> Path | None:
        """Write the file of a result; None where experiments of it are not finished."""
        jobs = [job for job in self.jobs if job.result == name]
        records: Records = {}
        for job in jobs:
            record = job.record()
            if record is None:
                return None
            records[job.experiment.name] = record
        experiments = [job.experiment for job in jobs]
        title = result_module(name).TITLE
        return write_result(
            self.folder, name, title, experiments, records, self.quick, self.digests
        )


def new_reproduction(results: Sequence[str], folder: Path, quick: bool) -> Reproduction:
    """Return the jobs of results by name; streams are looked for, and checked, once."""
    experiments = [
        (name, each) for name in results for each in result_module(name).experiments(quick)
    ]
    needs = dict.fromkeys(need for _, each in experiments for need in each.needs)
    digests, problems = _look_for(needs)
    jobs = []
    for name, each in experiments:
        missing = "; ".join(problems[need] for need in each.needs if need in problems)
        mark = "" if missing else fingerprint(each, quick, digests)
        jobs.append(Job(name, each, cell_path(folder, name, each, quick), mark, missing))
    return Reproduction(folder, quick, jobs, digests)


def _look_for(streams: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the sha256 of the streams that are on the machine, and why the others cannot be had.

    A stream with other bytes than the published ones is as good as missing.
    """
    digests, problems = {}, {}
    for stream in streams:
        if problem := stream_problem(stream):
            problems[stream] = problem
            continue
        try:
            digests[stream] = stream_digest(stream)
        except StreamError as error:
            problems[stream] = str(error)
    return digests, problems


def stream_problem(stream: str) -> str:
    """Return '' where a named stream is on this machine, otherwise what to do about it.

    A stream is there if its file is, or if all of its published files are. Nothing is downloaded.
    """
    data = published(stream)
    if locate(data.file_name) or all(locate(name) for name, _ in data.files):
        return ""
    by_hand = f"put {' and '.join(name for name, _ in data.files)} into MOOE_DATA_HOME"
    if all(address for _, address in data.files):
        return f"{stream} is not on this machine: mooe data fetch {stream}, or {by_hand}"
    return f"{stream} is not on this machine: {by_hand}"


def stream_digest(stream: str) -> str:
    """Return the sha256 of a named stream that is on this machine, made from its files if need be.

    A stream that is not what was published raises `StreamError`.
    """
    path, data = fetch(stream, progress=False), published(stream)
    return data.sha256 or remembered(path) or verified(data).found or ""


def run_jobs(jobs: Sequence[Job], n_processes: int) -> Generator[tuple[Job, str], None, None]:
    """Run jobs, the longest first; yield each when it is done, with what went wrong, or ''.

    Closing the generator, as an interrupt does, ends the processes; what is finished is kept.
    """
    if not jobs:
        return
    before = {child.pid for child in multiprocessing.active_children()}
    surroundings = dict(os.environ)
    os.environ.update(ONE_THREAD)  # which the processes inherit
    pools = [_new_worker() for _ in range(min(n_processes, len(jobs)))]
    try:
        waiting = deque(sorted(jobs, key=lambda job: -job.experiment.cost))
        # A pool has one process and one job at a time, so that one knows which job it died of.
        running: dict[Future[str], tuple[int, Job]] = {}
        for at, pool in enumerate(pools):
            job = waiting.popleft()
            running[pool.submit(_attempt, job)] = at, job
        while running:
            outcomes = []
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                at, job = running.pop(future)
                try:
                    outcomes.append((job, future.result()))
                except BrokenProcessPool:  # such as one that was killed for want of memory
                    outcomes.append((job, f"{job.name}: its process died"))
                    pools[at] = _new_worker()
                if waiting:
                    job = waiting.popleft()
                    running[pools[at].submit(_attempt, job)] = at, job
            yield from outcomes
    finally:
        os.environ.clear()
        os.environ.update(surroundings)
        for pool in pools:
            pool.shutdown(wait=False, cancel_futures=True)
        for child in multiprocessing.active_children():
            if child.pid not in before:
                child.terminate()


def _new_worker() -> ProcessPoolExecutor:
    """Return a process to work in; it is started with its first job."""
    # Not forked: threads of the progress bar and compiled code do not survive a fork.
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(1, context, initializer=_begin_work)


def _begin_work() -> None:
    """In a worker: interrupts are for the process that started it; without that one, it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:

        def leave_with_parent() -> None:
            parent.join()
            os._exit(1)

        threading.Thread(target=leave_with_parent, daemon=True).start()


def _attempt(job: Job) -> str:
    """Run an experiment and keep its record; return '' or what went wrong, in words."""
    try:
        record = job.experiment.function(**job.experiment.arguments)
        write_cell(job.path, job.fingerprint, record)
    except Exception as problem:  # one broken experiment must not end an hour's work
        return f"{job.name}: {type(problem).__name__}: {problem}"
    return ""


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
