"""Experiments and what they give: the records, tables and figures of a result of the paper."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:  # workers that draw nothing need not load it
    from matplotlib.figure import Figure

Record = dict[str, Any]
Records = dict[str, Record]
"""The records of a result by the name of their experiment."""


@dataclass(frozen=True)
class Experiment:
    """A function and its arguments, run on its own in any process and in any order.

    In files and in what the command prints, an experiment is a cell of its result.

    Attributes
    ----------
    name : str
        Unique within its result, such as "Usenet1 condor seed 0".
    function : callable
        Of a module. It returns a record that JSON can hold; the same arguments give the same
        record, bit for bit. So no times in it.
    arguments : dict
        JSON can hold them; seeds are among them.
    needs : tuple of str
        Named streams that must be on the machine. Where one is missing the experiment is not run,
        and its record is {"missing": why and what to do}.
    cost : float
        About how many seconds it takes, for the order and the time left.
    """

    name: str
    function: Callable[..., Record]
    arguments: dict[str, Any] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    cost: float = 1.0


@dataclass(frozen=True)
class ResultTable:
    """A table of a result, in values; `mooe_paper.formats` writes it as text.

    Attributes
    ----------
    title : str
    columns : list of str
    rows : list of lists
        As long as `columns`. Floats are rounded in `cell_text`, None is an empty cell, text stays
        as it is.
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


class ResultModule(Protocol):
    """The module of a table or figure of the paper."""

    TITLE: str

    def experiments(self, quick: bool) -> list[Experiment]:
        """Return the experiments; `quick`: only those that need no download, and few of them."""
        ...

    def tables(self, records: Records) -> list[ResultTable]:
        """Return the tables, from records alone."""
        ...

    def figures(self, records: Records, theme: str = "light") -> "dict[str, Figure]":
        """Return the figures by the stem of their file, from records alone, in a theme."""
        ...


def no_figures(records: Records, theme: str = "light") -> "dict[str, Figure]":
    """Return no figures: those of a result that has tables alone."""
    return {}


def matching(records: Records, **values: Any) -> list[Record]:
    """Return the records that have these values."""
    return [
        record
        for record in records.values()
        if all(record.get(name) == value for name, value in values.items())
    ]


def unique(values: Iterable[Any]) -> list[Any]:
    """Return values in the order of their first appearance, once each."""
    return list(dict.fromkeys(values))


def cell_text(value: Any, digits: int) -> str:
    """Return a value of a table as text.

    >>> [cell_text(value, 1) for value in (-0.04, 1234.56, None, "holds", 3)]
    ['0.0', '1,234.6', '', 'holds', '3']
    """
    if value is None:
        return ""
    if isinstance(value, float):
        text = f"{value:,.{digits}f}"
        return text.replace("-", "−" if text.strip("-0.,") else "")
    return str(value)
