"""The cells of a column as numbers, texts or labels, and which of them break its rule."""

import math
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from mooe.streams.cells import CLOCK, LARGEST, Spelling, begins_with_zero, is_whole
from mooe.streams.layout import FIRST_ROWS, Kind

GIVEN = "hold a value (missing='error')"
FINITE = f"be finite and of size up to {LARGEST:g}"


def numbers_of(
    cells: Sequence[str], kind: Kind, spelling: Spelling, plain: bool = False
) -> tuple[np.ndarray, list[tuple[int, str]]]:
    """Return a column as numbers, and which cells are none, each with the rule it broke.

    `plain` says that no cell has an underscore or a letter beyond ASCII. Times that cannot be read
    are NaN and break no rule.
    """
    if plain and not (spelling.na or spelling.unit) and kind in ("real", "time"):
        with suppress(ValueError):
            pointed = cells if spelling.decimal == "." else map(_with_point, cells)
            values = np.fromiter(map(float, pointed), np.float64, len(cells))
            if (np.abs(values) <= LARGEST).all():
                return values, []
    values = np.full(len(cells), math.nan)
    wrong = []
    is_time = kind in ("time", "date")
    convert = spelling.seconds if kind == "date" else spelling.number
    form = " with a decimal comma" if spelling.decimal == "," else ""
    if spelling.unit:
        form += f"{' and' if form else ' with'} {spelling.unit!r}"
    form = " of hours and minutes" if spelling.unit == CLOCK else form
    for i, cell in enumerate(cells):
        try:
            values[i] = convert(cell)
        except (ValueError, OverflowError):
            if not is_time:
                wrong.append((i, f"be a number{form}, as in the first {FIRST_ROWS:,} rows"))
        else:
            if is_time:
                values[i] = values[i] if abs(values[i]) <= LARGEST else math.nan
            elif abs(values[i]) > LARGEST:
                wrong.append((i, FINITE))
            elif kind == "whole" and not (math.isnan(values[i]) or values[i].is_integer()):
                wrong.append((i, f"be a whole number, as in the first {FIRST_ROWS:,} rows"))
    return values, wrong


def values_of(
    cells: Sequence[str], kind: Kind, spelling: Spelling
) -> tuple[list[Any], list[tuple[int, str]]]:
    """Return texts or the labels of classes as they are, None for none, and wrong cells as above.

    A label written as a whole number is an int, any other number a float, cell by cell: no two
    become one, and none depends on the rows that are read with it.
    """
    distinct = list(set(cells))
    if kind == "text":
        known = {
            cell: None if spelling.is_missing(cell, is_text=True) else cell.strip()
            for cell in distinct
        }
        return [known[cell] for cell in cells], []
    numbers, wrong = numbers_of(distinct, kind, spelling)
    rules = {distinct[i]: rule for i, rule in wrong}
    if not spelling.has_zeros:
        rule = f"begin with no zero, as in the first {FIRST_ROWS:,} rows"
        rules |= {cell: rule for cell in distinct if begins_with_zero(cell)}
    exact = {
        cell: None if cell in rules or value != value else int(cell) if is_whole(cell) else value
        for cell, value in zip(distinct, numbers.tolist(), strict=True)
    }
    wrong = [(i, rules[cell]) for i, cell in enumerate(cells) if cell in rules] if rules else []
    return [exact[cell] for cell in cells], wrong


def _with_point(cell: str) -> str:
    """Return a cell with a decimal comma as `float` takes it; ValueError where it has a point."""
    if "." in cell:
        raise ValueError(cell)
    return cell.replace(",", ".")
