"""How far the cells of an experiment are, as one watches them on a terminal."""

import time
from collections.abc import Sequence
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from mooe.evaluate.progress import Watcher

LINE = 0.05  # share of the work after which a line is written where there is no terminal
MINUTES = 3  # from which the time left is given in minutes


class CellProgress(Watcher):
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
