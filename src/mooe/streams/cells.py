"""The cells of a table: numbers, texts, times, or nothing."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal

import numpy as np

FIRST_ROWS = 1_000  # that decide what a column holds
# pyarrow takes the same list, so both ways of reading see the same cells.
MISSING = ("", "?", "NA", "N/A", "na", "n/a", "NaN", "nan", "NULL", "Null", "null", "None")
LARGEST = 1e100  # as mooe.numerics.features has it, which is compiled
GIVEN = "hold a value (missing='error')"
FINITE = f"be finite and of size up to {LARGEST:g}"

# Of a cell: a whole number, any number, a text, a time as a number or as an ISO timestamp.
Kind = Literal["whole", "real", "text", "time", "iso"]


def is_missing(cell: str) -> bool:
    return cell.strip() in MISSING


def number(cell: str) -> float:
    """Return the number a cell holds, NaN where it is missing; ValueError where it is none.

    >>> number(" 1.5 "), number("-2e3")
    (1.5, -2000.0)
    """
    cell = cell.strip()
    if cell in MISSING:
        return math.nan
    if "_" in cell or not cell.isascii():  # Python's own numbers, not those of a table
        raise ValueError(cell)
    return float(cell)


def seconds(cell: str) -> float:
    """Return an ISO timestamp in seconds since 1970, UTC unless it names another zone.

    >>> seconds("1970-01-02"), seconds("1970-01-01T01:00:00+01:00")
    (86400.0, 0.0)
    """
    moment = datetime.fromisoformat(cell.strip())
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def is_number(cell: str) -> bool:
    try:
        number(cell)
    except ValueError:
        return False
    return True


def are_numbers(cells: Sequence[str]) -> bool:
    """Whether every cell holds a number or nothing."""
    return all(map(is_number, set(cells)))


def texts_of(cells: Sequence[str]) -> list[str | None]:
    """Return a column as texts, None where there is none."""
    return [None if is_missing(cell) else cell.strip() for cell in cells]


def numbers_of(
    cells: Sequence[str], kind: Kind, plain: bool = False
) -> tuple[np.ndarray, list[tuple[int, str]]]:
    """Return a column as numbers, and which cells are none, each with the rule it broke.

    `plain` says that no cell has an underscore or a letter beyond ASCII.
    """
    if plain and kind in ("real", "time"):
        try:
            values = np.fromiter(map(float, cells), np.float64, len(cells))
        except ValueError:
            pass
        else:
            if (np.abs(values) <= LARGEST).all():
                return values, []
    values = np.full(len(cells), math.nan)
    wrong = []
    convert = seconds if kind == "iso" else number
    for i, cell in enumerate(cells):
        try:
            values[i] = convert(cell)
        except ValueError:
            what = "an ISO timestamp" if kind == "iso" else "a number"
            wrong.append((i, f"be {what}, as in the first {FIRST_ROWS:,} rows"))
        else:
            if abs(values[i]) > LARGEST:
                wrong.append((i, FINITE))
            elif kind == "time" and math.isnan(values[i]):
                wrong.append((i, "be given in every row"))
            elif kind == "whole" and not (math.isnan(values[i]) or values[i].is_integer()):
                wrong.append((i, f"be a whole number, as in the first {FIRST_ROWS:,} rows"))
    return values, wrong
