"""The answers to rows as a csv file: what was said, how likely each class is, in which regime."""

import csv
import os
import secrets
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, Any

import numpy as np

from mooe.evaluate.results import Results

TINY = 1e-12  # a probability below it is written as 0


class AnswerLog:
    """Answers on their way to a file, which is written once all classes and regimes are known.

    Until then they wait in a temporary file, however many they are, and what is at the path stays.
    `keep` names the columns of the source that are carried along.
    """

    def __init__(self, path: Path, keep: Sequence[str] = ()) -> None:
        self.path, self.keep = path, keep

    def __enter__(self) -> "AnswerLog":
        self.waiting = tempfile.TemporaryFile("w+", newline="", encoding="utf-8")
        return self

    def __exit__(self, *_: object) -> None:
        self.waiting.close()

    def add(self, results: Results, labels: np.ndarray, kept: np.ndarray | None) -> None:
        """In place: the answers to some rows, as `mooe.evaluate.loop.Pass.go` tells of them.

        kept : their cells of the columns that are carried along.
        """
        n, answers, chances = len(labels), results.predictions, results.probabilities
        if answers is not None:
            rows = answer_rows(results.rows - n, kept, [labels, answers], chances)
            csv.writer(self.waiting).writerows(rows)

    def write(self, results: Results) -> None:
        """Write the file: the run is over."""
        self.waiting.seek(0)
        waiting = csv.reader(self.waiting)
        first = next(waiting, None)
        head = ["row", *self.keep, "label", "prediction"]
        n = len(head)
        order: list[int] = []
        if results.task == "classification" and first is not None and len(first) > n:
            order = class_order(results.classes)
        regimes = RegimeOfRow(results)
        head += chance_names(results.classes) if order else []
        with replaced(self.path) as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(head + ["regime"] * regimes.are_known)
            for row in () if first is None else chain([first], waiting):
                likely = row[n:]
                absent = "0" if likely and likely[0] else ""  # a class not met yet, or no answer
                cells = [likely[at] if at < len(likely) else absent for at in order]
                writer.writerow([*row[:n], *cells, *regimes.cells(int(row[0]))])


def answer_rows(
    first: int, kept: np.ndarray | None, columns: Sequence[Any], chances: np.ndarray | None
) -> Iterator[list[Any]]:
    """Yield lines of the table: row, kept columns, labels and answers, probabilities."""
    said = list(zip(*(map(_cell, column) for column in map(_listed, columns)), strict=True))
    beside = [()] * len(said) if kept is None else kept.tolist()
    likely = [()] * len(said) if chances is None else chances.tolist()
    for row, (left, middle, right) in enumerate(zip(beside, said, likely, strict=True), first):
        yield [
            row,
            *left,
            *middle,
            *("" if p != p else f"{p if p > TINY else 0.0:.6g}" for p in right),
        ]


def class_order(classes: Sequence[Any]) -> list[int]:
    """Return the numbers of classes in the order of their columns, that of their labels."""
    return sorted(range(len(classes)), key=classes.__getitem__)


def chance_names(classes: Sequence[Any]) -> list[str]:
    """Return the names of the columns of probabilities.

    >>> chance_names(["yes", "no"])
    ['p_no', 'p_yes']
    """
    return [f"p_{classes[at]}" for at in class_order(classes)]


class RegimeOfRow:
    """Which regime was in charge of a row, by what is known at the end of a run."""

    def __init__(self, results: Results) -> None:
        self.are_known = results.remembers == "regimes"
        self.visits = sorted(
            (first, last, regime["name"])
            for regime in results.concepts
            for first, last in regime["visits"]
        )
        self.at = 0

    def cells(self, row: int) -> list[Any]:
        """In place: return the cell of a row, of which each is asked for after those before it."""
        while self.at < len(self.visits) and self.visits[self.at][1] < row:
            self.at += 1
        if not self.are_known:
            return []
        inside = self.at < len(self.visits) and self.visits[self.at][0] <= row
        return [self.visits[self.at][2] if inside else ""]


def _listed(column: Any) -> list[Any]:
    """Return a column as Python's own values."""
    values: list[Any] = column.tolist() if isinstance(column, np.ndarray) else list(column)
    return values


def _cell(value: Any) -> Any:
    """Return a label or an answer as it is written; nothing where there is none."""
    return "" if value is None or value != value else value


@contextmanager
def replaced(path: Path) -> Iterator[IO[str]]:
    """Open a file that takes the place of another when it is complete; a pipe is just written."""
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        with target.open("w", newline="", encoding="utf-8") as file:
            yield file
        return
    beside = target.with_name(f".mooe-{os.getpid()}-{secrets.token_hex(4)}")
    try:
        with beside.open("x", newline="", encoding="utf-8") as file:
            yield file
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)
