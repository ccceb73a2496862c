"""Runs as one watches them on a terminal: Vowpal Wabbit's doubling table, and bars."""

import time
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from mooe.evaluate.measures import Measure, main_measure
from mooe.evaluate.results import Results

PATIENCE = 2.0  # seconds before a bar appears
LINE = 0.05  # share of the work after which a line is written where there is no terminal
MINUTES = 3  # from which the time left is given in minutes
WIDEST = 14  # characters of a label


class _Speed(ProgressColumn):
    """Rows so far, and rows per second."""

    def render(self, task: Task) -> Text:
        """Return both."""
        return Text(f"{task.completed:,.0f} rows, {task.speed or 0.0:,.0f}/s")


class _Watcher:
    """Shows work on standard error; at its end the bar leaves the screen."""

    def __init__(self, console: Console | None) -> None:
        self.console = console or Console(stderr=True, highlight=False)
        self.began = time.monotonic()
        self.bar: Progress | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()


class RunProgress(_Watcher):
    """Shows a run on standard error: a line at rows 1, 2, 4, 8, ..., on a terminal a bar as well.

    Parameters
    ----------
    count_rows : callable
        Says how many rows there will be, as far as one knows; asked when a bar appears.
    show_lines, show_bar : bool
    """

    def __init__(
        self,
        count_rows: Callable[[], int | None] = lambda: None,
        show_lines: bool = True,
        show_bar: bool = True,
        console: Console | None = None,
    ) -> None:
        super().__init__(console)
        self.show_lines, self.count_rows = show_lines, count_rows
        self.show_bar = show_bar and self.console.is_terminal
        self.measure: Measure | None = None
        self.n = self.total = 0.0  # rows judged so far, and the sum of their measure
        self.last = (0.0, 0.0)  # the same at the line before

    def see(self, results: Results, labels: np.ndarray) -> None:
        """In place: a chunk is done; `labels` are those of its rows."""
        answers = results.predictions
        if self.show_lines and answers is not None:
            self.n += _count_judged(results.task, labels, answers)
            self.measure = self.measure or main_measure(results.task)
            self.total = self.n * results.cumulative.get(self.measure.key, 0.0)
            if results.rows.bit_count() == 1:
                if results.rows == 1:
                    self.console.print(_header(self.measure.name), style="bold", markup=False)
                line = self._line(self.measure, results.rows, labels[-1], answers[-1])
                self.console.print(line, markup=False, soft_wrap=True)
                self.last = self.n, self.total
        self.move(results.rows)

    def _line(self, measure: Measure, rows: int, label: Any, answer: Any) -> str:
        """Return a line of the table."""
        n, total = self.n - self.last[0], self.total - self.last[1]
        text = measure.plain_text
        cells = [
            f"{rows:>13,}",
            f"{text(total / n) if n else '-':>12}",
            f"{text(self.total / self.n) if self.n else '-':>12}",
            f"  {_cell(label):<{WIDEST}}",
            f"  {_cell(answer)}",
        ]
        return "".join(cells).rstrip()

    def move(self, rows: int) -> None:
        """In place: so many rows are done."""
        if self.bar is None and self.show_bar and time.monotonic() - self.began > PATIENCE:
            self.bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                _Speed(),
                TimeRemainingColumn(compact=True),
                TextColumn("left"),
                console=self.console,
                transient=True,
            )
            self.bar.add_task("", total=self.count_rows())
            self.bar.start()
        if self.bar is not None:
            task = self.bar.tasks[0]
            if task.total is not None and rows > task.total:
                task.total = None  # the guess was too low
            self.bar.update(task.id, completed=rows)


class CellProgress(_Watcher):
    """Shows how far the cells of an experiment are: a bar on a terminal, otherwise a few lines.

    Parameters
    ----------
    n_before : int
        Cells that were finished earlier.
    costs : sequence of float
        About how many seconds each of the others takes.
    n_processes : int
        That work at the same time.
    show : bool
    """

    def __init__(
        self,
        n_before: int,
        costs: Sequence[float],
        n_processes: int,
        show: bool = True,
        console: Console | None = None,
    ) -> None:
        super().__init__(console)
        self.n_before, self.n, self.total = n_before, len(costs), sum(costs)
        self.show, self.n_done, self.cost, self.said = show and self.n > 0, 0, 0.0, 0.0
        self.n_processes = n_processes
        self.guess = max(self.total / n_processes, *costs, 0.0)  # seconds, before one is done

    def __enter__(self) -> Self:
        if not self.show:
            return self
        kept = f", {self.n_before:,} finished before" if self.n_before else ""
        processes = f"{self.n_processes} process{'es' if self.n_processes > 1 else ''}"
        line = f"{self.n:,} cells in {processes}{kept}; about {self.left(0.0)}"
        self.console.print(line, markup=False)
        if self.console.is_terminal:
            self.bar = Progress(
                BarColumn(), TextColumn("{task.description}", markup=False),
                console=self.console, transient=True,
            )  # fmt: skip
            words = f"0 of {self.n:,} cells, about {self.left(0.0)} left"
            self.bar.add_task(words, total=self.total)
            self.bar.start()
        return self

    def see(self, name: str, cost: float) -> None:
        """In place: a cell is done."""
        self.n_done, self.cost = self.n_done + 1, self.cost + cost
        share = self.cost / self.total
        words = f"{self.n_done:,} of {self.n:,} cells, {self.left(share)} left: {name}"
        if self.bar is not None:
            self.bar.update(self.bar.tasks[0].id, completed=self.cost, description=words)
        elif self.show and (share - self.said >= LINE or self.n_done == self.n):
            self.said = share
            self.console.print(words, markup=False, soft_wrap=True)

    def left(self, share: float) -> str:
        """Return about how much time is left once a share is done, by the time that it took."""
        passed = time.monotonic() - self.began
        seconds = passed * (1.0 - share) / share if share else self.guess
        return f"{seconds:,.0f} s" if seconds < MINUTES * 60 else f"{seconds / 60:,.0f} min"


def _header(measure: str) -> str:
    """Return the header of the doubling table."""
    columns = f"{'rows':>13}{'since last':>12}{'so far':>12}  {'label':<{WIDEST}}  prediction"
    return f"{'':>13}{measure:>12}{measure:>12}\n{columns}"


def _count_judged(task: str, labels: np.ndarray, answers: np.ndarray) -> int:
    """Return how many rows of a chunk were judged: those with a label, in regression an answer."""
    if labels.dtype == object:
        return sum(label is not None for label in labels.tolist())
    known = labels == labels
    return int((known & (answers == answers)).sum() if task == "regression" else known.sum())


def _cell(label: Any) -> str:
    """Return a label or an answer as its column has room for it, '-' for none."""
    if label is None or label != label:
        return "-"
    text = f"{label:.4g}" if isinstance(label, float) else str(label)
    return text if len(text) <= WIDEST else text[: WIDEST - 3] + "..."
