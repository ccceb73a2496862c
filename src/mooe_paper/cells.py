"""Cells and tables: what a result of the paper is computed from, and what it is shown as."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:  # workers that draw nothing need not load it
    from matplotlib.figure import Figure

__all__ = ["Cell", "Found", "Result", "Table"]

Found = dict[str, dict[str, Any]]
"""The records of the cells of a result, by the name of the cell."""


@dataclass(frozen=True)
class Cell:
    """A piece of work that is run on its own, in any process and in any order.

    Attributes
    ----------
    name : str
        Unique within its result, such as "Usenet1 condor seed 0".
    work : callable
        A function of a module, called with `arguments`. It returns a record that JSON can hold; the
        same arguments give the same record, bit for bit. So no times in it.
    arguments : dict
        What JSON can hold, seeds among it.
    needs : tuple of str
        Named streams that must be on the machine. Where one is missing the cell is not run, and its
        record is {"missing": why and what to do}.
    cost : float
        About how many seconds it takes, for the order and the time left.
    """

    name: str
    work: Callable[..., dict[str, Any]]
    arguments: dict[str, Any] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    cost: float = 1.0


@dataclass(frozen=True)
class Table:
    """A table as it is shown.

    Attributes
    ----------
    title : str
    columns : list of str
    rows : list of lists
        As long as `columns`. Floats are rounded where they are shown, None is an empty cell, text
        stays as it is.
    note : str
        The protocol, what is random, what the words in the table mean.
    digits : int
        Decimals of floats.
    """

    title: str
    columns: list[str]
    rows: list[list[Any]]
    note: str = ""
    digits: int = 1


class Result(Protocol):
    """What the module of a table or figure of the paper offers."""

    TITLE: str

    def cells(self, quick: bool) -> list[Cell]:
        """Return the work; `quick`: only what needs no download, and little of it."""
        ...

    def tables(self, found: Found) -> list[Table]:
        """Return the tables, from records alone."""
        ...

    def figures(self, found: Found, theme: str = "light") -> "dict[str, Figure]":
        """Return the figures by the stem of their file, from records alone, in a theme."""
        ...
