"""A run as one watches it on a terminal: Vowpal Wabbit's doubling table, and a bar."""

import time
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from mooe.evaluate.measures import Measure, main_measure
from mooe.evaluate.results import Results
from mooe.words import visible

PATIENCE = 2.0  # seconds before a bar appears
WIDEST = 14  # characters of a label
HEADER = """{measure:>25}{measure:>12}
         rows  since last      so far  label           prediction"""


class _Speed(ProgressColumn):
    """Rows so far, and rows per second."""

    def render(self, task: Task) -> Text:
        """Return both."""
        return Text(f"{task.completed:,.0f} rows, {task.speed or 0.0:,.0f}/s")


class Watcher:
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


class RunProgress(Watcher):
    """Shows a run on standard error: a line at rows 1, 2, 4, 8, ..., on a terminal a bar as well.

    `count_rows` is asked when a bar appears how many rows there will be, as far as one knows.
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
            self.n = float(results.judged)
            self.measure = self.measure or main_measure(results.task)
            self.total = self.n * results.cumulative.get(self.measure.key, 0.0)
            if results.rows.bit_count() == 1:
                if results.rows == 1:
                    header = HEADER.format(measure=self.measure.name)
                    self.console.print(header, style="bold", markup=False)
                line = self._line(self.measure, results.rows, labels[-1], answers[-1])
                self.console.print(line, markup=False, soft_wrap=True)
                self.last = self.n, self.total
        self.move(results.rows)

    def _line(self, measure: Measure, rows: int, label: Any, answer: Any) -> str:
        """Return a line of the table."""
        n, total = self.n - self.last[0], self.total - self.last[1]
        since = measure.plain_text(total / n) if n else "-"
        so_far = measure.plain_text(self.total / self.n) if self.n else "-"
        cells = f"{rows:>13,}{since:>12}{so_far:>12}  {_cell(label):<{WIDEST}}  {_cell(answer)}"
        return cells.rstrip()

    def move(self, rows: int) -> None:
        """In place: so many rows are done."""
        if self.bar is None and self.show_bar and time.monotonic() - self.began > PATIENCE:
            left = (TimeRemainingColumn(compact=True), TextColumn("left"))
            columns = (TextColumn("{task.description}"), BarColumn(), _Speed(), *left)
            self.bar = Progress(*columns, console=self.console, transient=True)
            self.bar.add_task("", total=self.count_rows())
            self.bar.start()
        if self.bar is not None:
            task = self.bar.tasks[0]
            if task.total is not None and rows > task.total:
                task.total = None  # the guess was too low
            self.bar.update(task.id, completed=rows)


def _cell(label: Any) -> str:
    """Return a label or an answer as its column has room for it, '-' for none."""
    if label is None or label != label:
        return "-"
    text = f"{label:.4g}" if isinstance(label, float) else visible(str(label))
    return text if len(text) <= WIDEST else text[: WIDEST - 3] + "..."
