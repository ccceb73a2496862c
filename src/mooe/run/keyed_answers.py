"""The answers to rows of many keys as a csv file."""

import csv
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mooe.run.answers import TINY, answer_rows, chance_names, class_order, replaced
from mooe.run.keyed import Part


class KeyedAnswers:
    """Answers on their way to a file, which is written once all classes are known.

    Until then they wait in a temporary file, and what is at the path stays. `columns` are the key
    and the columns of the source that are carried along.
    """

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        self.path, self.columns, self.n = path, list(columns), 0
        self.classes: list[Any] = []
        self.has_regimes = False

    def __enter__(self) -> "KeyedAnswers":
        self.waiting = tempfile.TemporaryFile("w+", newline="", encoding="utf-8")
        return self

    def __exit__(self, *_: object) -> None:
        self.waiting.close()

    def add(self, part: Part) -> None:
        """In place: the answers to some rows."""
        shares = part.probabilities
        self.classes += [name for name in part.classes if name not in self.classes]
        if shares is not None:  # classes keep their places, whoever has met them
            places = [
                part.classes.index(name) if name in part.classes else -1 for name in self.classes
            ]
            wide = [[row[at] if at >= 0 else 0.0 for at in places] for row in shares.tolist()]
        lines = answer_rows(self.n, part.kept, [part.labels, part.answers], None)
        writer, regimes = csv.writer(self.waiting), part.regimes
        self.has_regimes = self.has_regimes or regimes is not None
        for at, line in enumerate(lines):
            regime = "" if regimes is None or regimes[at] is None else regimes[at]
            likely = [] if shares is None else _chances(wide[at])
            writer.writerow([*line, regime, *likely])
        self.n += len(part.labels)

    def write(self) -> None:
        """Write the file: the run is over."""
        self.waiting.seek(0)
        head = ["row", *self.columns, "label", "prediction"]
        order, n = class_order(self.classes), len(head)
        with replaced(self.path) as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([*head, *chance_names(self.classes), *["regime"] * self.has_regimes])
            for row in csv.reader(self.waiting):
                likely = row[n + 1 :]
                absent = "0" if likely and likely[0] else ""  # a class not met yet, or no answer
                cells = [likely[at] if at < len(likely) else absent for at in order]
                writer.writerow([*row[:n], *cells, *[row[n]] * self.has_regimes])


def _chances(row: list[float]) -> list[str]:
    """Return probabilities as they are written; nothing where there is no answer."""
    return ["" if p != p else f"{p if p > TINY else 0.0:.6g}" for p in row]
