"""Rows with their labels as a model learns them, for the first time or again."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Any

from mooe.platform.rows import Row

NOTHING, LAST = -math.inf, math.nan  # no label was known; the last one that was learnt


@dataclass
class Lesson:
    """Rows of feedback that were stored, in their order.

    Attributes
    ----------
    seqs : list of int
        Their numbers.
    rows : list of Row
        Of those that are read from a store, None for an x that was deleted.
    labels : list
    known : list
        The last label that was known when each was answered, see `known_of`.
    """

    seqs: list[int] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    labels: list[Any] = field(default_factory=list)
    known: list[Any] = field(default_factory=list)

    def add(self, seq: int, row: Row, label: Any, known: Any) -> None:
        """In place: one more row."""
        self.seqs.append(seq)
        self.rows.append(row)
        self.labels.append(label)
        self.known.append(known)

    def extend(self, other: "Lesson") -> None:
        """In place: the rows of another lesson too."""
        self.seqs += other.seqs
        self.rows += other.rows
        self.labels += other.labels
        self.known += other.known

    def those(self, chosen: Sequence[bool]) -> "Lesson":
        """Return the rows that are chosen.

        >>> Lesson([1, 2], [Row(None, b""), Row(None, b"")], ["a", "b"], [LAST, "a"]).those([0, 1])
        Lesson(seqs=[2], rows=[Row(names=None, values=b'')], labels=['b'], known=['a'])
        """
        columns = (self.seqs, self.rows, self.labels, self.known)
        return Lesson(*(list(compress(column, chosen)) for column in columns))

    def one_by_one(self) -> Iterator["Lesson"]:
        """Yield every row as a lesson of its own."""
        for seq, row, label, known in zip(
            self.seqs, self.rows, self.labels, self.known, strict=True
        ):
            yield Lesson([seq], [row], [label], [known])


def known_of(seq: int, version: int | None, known: Any) -> Any:
    """Return the last label that was known when a row was answered, as a learner takes it.

    LAST where nobody had asked, or nothing has been learnt since: then all labels were known.

    Parameters
    ----------
    version : int or None
        The last row that its answer had seen; None where nobody had asked about it.
    known : label or None
        The last label of then; None: none was known.

    >>> known_of(5, 4, "yes"), known_of(5, 2, "yes"), known_of(5, 2, None)
    (nan, 'yes', -inf)
    """
    if version is None or version == seq - 1:
        return LAST
    return NOTHING if known is None else known
