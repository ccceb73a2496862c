"""What a cell of a table holds: a number as people write it, a moment, or nothing."""

import math
import re
import unicodedata
from collections import Counter, deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise
from typing import Any

from mooe.words import listed

LARGEST = 1e100  # as mooe.numerics.features has it, which is compiled
# pyarrow takes the same list, so both ways of reading see the same cells.
MISSING = ("", "?", "NA", "N/A", "na", "n/a", "NaN", "nan", "NULL", "Null", "null", "None")
# What else is empty in a column of numbers or of times; as texts and classes they mean themselves.
DASHES = (
    *(
        "-",
        "--",
        "---",
        "–",
        "—",
        ".",
        "k.A.",
        "k. A.",
        "n.a.",
        "N.A.",
        "n.d.",
        "n/d",
        "N/D",
        "NaT",
    ),
    *("missing", "Missing", "unknown", "fehlt", "saknas", "manquant", "manquante", "mangler"),
    *("#N/A", "#NV", "#SAKNAS!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#WERT!"),
)
EMPTY = frozenset((*MISSING, *DASHES))
DECIMALS = (".", ",")
TRUTH = {"true": 1.0, "false": 0.0}
ISO = ""  # the date format of ISO 8601, which strptime cannot spell
CLOCK = "h:mm"  # the unit of times of day and durations, 10:07, which are read as seconds
LONGEST_UNIT = 5  # letters
LEAST_SHORT, LEAST_GROUPED = 5, 10  # values below and above a thousand that show what a sign means
CURRENCIES = ("EUR", "CHF", "USD", "GBP")  # that may stand before a number

_MINUS = "\u2212"  # of typesetters and spreadsheets
_SPACES = " \u00a0\u202f\u2009'\u2019"  # of all widths, and apostrophes
_SIGNS = {".": "," + _SPACES, ",": "." + _SPACES}  # between thousands, by decimal sign
_GROUPED = {
    decimal: re.compile(
        rf"[+-]?[1-9][0-9]{{0,2}}([{re.escape(signs)}])[0-9]{{3}}(?:\1[0-9]{{3}})*"
        rf"(?:{re.escape(decimal)}[0-9]+)?"
    )
    for decimal, signs in _SIGNS.items()
}
# Signs and brackets, which may be minus, a currency before the digits, a unit behind them.
_WITH_UNIT = re.compile(r"[-+(]*([^\d.,()+-]*)[-+]?[\d.,][\d.,' \u00a0\u202f\u2009\u2019]*(\D*)")
_TIME_OF_DAY = re.compile(r"(\d{1,4}):([0-5]\d)(?::([0-5]\d(?:\.\d+)?))?(?: ?([AP])\.?M\.?)?")
_QUARTER = re.compile(r"(?<=[Qq])[1-4](?!\d)")  # %q in a format, which strptime does not know
_MONTH = re.compile(r"(?:0[1-9]|1[0-2])\.(?:19|20)\d\d")
_DAYS = (
    *("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d"),
    *("%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d-%b-%Y", "%d-%b-%y", "%d %b %Y", "%d. %b %Y"),
    *("%d %B %Y", "%d. %B %Y", "%b %d, %Y", "%B %d, %Y"),
    # Months, which come last: a day that can be read is one.
    *("%Y-%m", "%Y/%m", "%m/%Y", "%m.%Y", "%b %Y", "%B %Y", "%b-%Y", "%b-%y", "%b %y"),
    *("%YQ%q", "%Y-Q%q", "%Y Q%q", "Q%q %Y", "Q%q-%Y", "Q%q/%Y"),
)
_CLOCKS = (
    *("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p"),
    *(", %H:%M", ", %H:%M:%S", "T%H:%M", "T%H:%M:%S", " %H.%M", " %Hh%M", " %H%M"),
)


@dataclass(frozen=True)
class Spelling:
    """How the cells of a column are written."""

    decimal: str = "."
    date_format: str | None = None  # of strptime, ISO, or None in a column without times
    na: frozenset[str] = frozenset()  # what the user calls empty
    has_truth: bool = True  # whether true and false count as 1 and 0
    has_zeros: bool = True  # whether a whole number may begin with a zero, as 01
    is_plain: bool = True  # whether the first rows are, see `are_plain`
    unit: str = ""  # that stands beside every number, as € or %; CLOCK where they are 10:07

    def is_missing(self, cell: str, is_text: bool = False) -> bool:
        """Whether a cell holds nothing."""
        cell = cell.strip()
        return cell in (MISSING if is_text else EMPTY) or cell in self.na

    def number(self, cell: str) -> float:
        """Return the number a cell holds, NaN where it is empty; ValueError where it is none.

        Thousands may be set apart, and only thousands: a comma among decimal points is followed by
        three digits, or the cell is no number.

        >>> Spelling().number(" 1.5 "), Spelling().number("1,234.50"), Spelling().number("-2e3")
        (1.5, 1234.5, -2000.0)
        >>> Spelling(",").number("1.234,50"), Spelling(",").number("1.234")
        (1234.5, 1234.0)
        >>> Spelling(unit="$").number("($1,234.50)"), Spelling(unit=CLOCK).number("0:10")
        (-1234.5, 600.0)
        """
        cell = cell.strip()
        if cell in EMPTY or cell in self.na:
            return math.nan
        if self.has_truth and cell.lower() in TRUTH:
            return TRUTH[cell.lower()]
        if self.unit == CLOCK:
            return _seconds_of_day(cell)
        sign, digits = self._sign_and_digits(cell)
        if self.unit and digits in EMPTY:  # beside the unit
            return math.nan
        grouped = _GROUPED[self.decimal].fullmatch(digits)
        if grouped is not None:
            digits = digits.replace(grouped[1], "")
        if self.decimal == ",":
            if "." in digits:
                raise ValueError(cell)
            digits = digits.replace(",", ".", 1)
        if "_" in digits or not digits.isascii():  # Python's own numbers, not those of a table
            raise ValueError(cell)
        return float(sign + digits)

    def has_thousands(self, cell: str) -> bool:
        """Whether the thousands of a number are set apart."""
        return _GROUPED[self.decimal].fullmatch(self._sign_and_digits(cell.strip())[1]) is not None

    def _sign_and_digits(self, cell: str) -> tuple[str, str]:
        """Return the sign of a cell, '-', '+' or '', and the rest without sign and unit."""
        sign, digits = _signed(cell)
        if self.unit:
            bare = digits.removeprefix(self.unit)
            bare = digits.removesuffix(self.unit) if bare == digits else bare
            if bare == digits:
                raise ValueError(cell)
            digits = bare.strip()
            if not sign and digits not in EMPTY:
                sign, digits = _signed(digits)
        return sign, digits

    def seconds(self, cell: str) -> float:
        """Return a moment in seconds since 1970, UTC unless it names a zone; ValueError for none.

        >>> Spelling(date_format=ISO).seconds("1970-01-01T01:00:00+01:00")
        0.0
        >>> Spelling(date_format="%d.%m.%Y %H:%M").seconds("02.01.1970")
        86400.0
        """
        cell = cell.strip()
        if not self.date_format:
            moment = datetime.fromisoformat(cell)
        else:
            moment = _read(cell, self.date_format)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()

    def reads(self, cells: Collection[str]) -> bool:
        """Whether every cell is a number or empty."""
        quick = self.decimal == "." and not self.unit and are_plain(cells, self.decimal)
        return quick or all(_succeeds(self.number, cell) for cell in cells)


def cells_of(values: Iterable[Any]) -> list[str]:
    """Return values of a frame as the cells that a csv file would have.

    >>> cells_of([1, None, float("nan"), datetime(2022, 6, 1)])
    ['1', '', '', '2022-06-01T00:00:00']
    """
    return [
        ""
        if value is None or value != value
        else value.isoformat()
        if hasattr(value, "isoformat")
        else str(value)
        for value in values
    ]


def is_whole(cell: str) -> bool:
    """Whether a cell is a whole number, written without a point."""
    return cell.strip().lstrip("+-").isdigit()


def begins_with_zero(cell: str) -> bool:
    """Whether a cell is a whole number with a zero before it, which a code has and a count has not.

    >>> [begins_with_zero(cell) for cell in ("01", "-007", "0", "10", "0.5")]
    [True, True, False, False, False]
    """
    digits = cell.strip().lstrip("+-")
    return len(digits) > 1 and digits[0] == "0" and digits.isdigit()


def are_codes(cells: Iterable[str]) -> bool:
    """Whether cells are digits, equally many in each, some with a zero before: 01067, 80331.

    >>> are_codes(["01067", "80331", ""]), are_codes(["007", "12"]), are_codes(["10", "20"])
    (True, False, False)
    """
    texts = {cell.strip() for cell in cells}.difference(MISSING)
    same = len({len(text) for text in texts}) == 1 and all(map(str.isdigit, texts))
    return same and any(map(begins_with_zero, texts))


def are_months(cells: Iterable[str]) -> bool:
    """Whether cells are months as 01.2014, some with a zero before, which numbers have not.

    >>> are_months(["09.2014", "10.2014", ""]), are_months(["9.2014"]), are_months(["11.2014"])
    (True, False, False)
    """
    texts = {cell.strip() for cell in cells}.difference(MISSING)
    return all(map(_MONTH.fullmatch, texts)) and any(text[0] == "0" for text in texts)


def are_plain(cells: Collection[str], decimal: str) -> bool:
    """Whether cells are numbers of digits and this decimal sign alone; pyarrow then reads them."""
    rest = set(cells).difference(MISSING)
    text = "".join(rest)
    if "_" in text or not text.isascii() or (decimal == "," and "." in text):
        return False
    try:
        deque(map(float, rest if decimal == "." else (cell.replace(",", ".") for cell in rest)), 0)
    except ValueError:
        return False
    return True


def number_spellings(cells: Collection[str], like: Spelling) -> list[Spelling]:
    """Return the ways to read all of these cells as numbers: by decimal point, comma, or both.

    Where they are none without a unit, the unit that most of them have is tried.
    """
    units = [like.unit] if like.unit else []
    for unit in (*units, "", unit_of(cells)):
        ways = [replace(like, decimal=decimal, unit=unit) for decimal in DECIMALS]
        found = [spelling for spelling in ways if spelling.reads(cells)]
        if found or (like.unit and not unit):  # of a model that goes on the unit is known
            return found[:1] if unit == CLOCK else found
    return []


def sets_thousands_apart(cells: Iterable[str], way: Spelling) -> bool:
    """Whether signs that could be decimal ones stand between thousands, as in 5, 812 and 1.096.

    `way` reads the cells so. Decimals would now and then have other than three digits, or have them
    in every cell but those that stand for no value.

    >>> some = [f"{n:,}" for n in range(500, 10_000, 99)]
    >>> sets_thousands_apart(some, Spelling()), sets_thousands_apart(some[6:], Spelling())
    (True, False)
    """
    sign = "," if way.decimal == "." else "."
    given = (cell.strip() for cell in cells if not way.is_missing(cell))
    digits = {way._sign_and_digits(cell)[1] for cell in given} - EMPTY
    short = {text for text in digits if sign not in text}
    are_short = all(text.isdigit() and len(text) <= 3 for text in short)
    return are_short and len(short) >= LEAST_SHORT and len(digits) - len(short) >= LEAST_GROUPED


def unit_of(cells: Iterable[str]) -> str:
    """Return what stands beside the number in most cells: a currency, a unit, or CLOCK; '' if none.

    A unit is a sign, as in 12.5%, or a short word behind a space, as in 70 kg: a letter right
    behind its digits, as in 12a, belongs to a code.

    >>> unit_of(["$5", "-$6.50"]), unit_of(["1,5 %"]), unit_of(["10:07"]), unit_of(["K17", "12a"])
    ('$', '%', 'h:mm', '')
    """
    units = Counter(_unit(cell.strip()) for cell in cells if cell.strip() not in EMPTY)
    return max(units, key=lambda unit: (units[unit], unit), default="")


def _unit(cell: str) -> str:
    """Return what stands beside the number in a cell, CLOCK in a time of day, '' if nothing."""
    if _TIME_OF_DAY.fullmatch(cell.upper()):
        return CLOCK
    text = cell.replace(_MINUS, "-").removesuffix(")").removesuffix("-")
    found = _WITH_UNIT.fullmatch(text)
    if found is None:
        return ""
    before, behind = (part.strip() for part in found.groups())
    if before:
        is_unit = not behind and (before in CURRENCIES or any(map(_is_currency, before)))
    else:
        digits = text[: found.start(2)]
        is_unit = digits.strip()[-1:].isdigit() and (
            digits[-1:].isspace() or not behind[:1].isalpha()
        )
    unit = before or behind
    return unit if is_unit and len(unit) <= LONGEST_UNIT else ""


def _is_currency(sign: str) -> bool:
    return unicodedata.category(sign) == "Sc"


def _signed(cell: str) -> tuple[str, str]:
    """Return the sign of a number and the rest: minus may stand behind, or be brackets.

    >>> _signed("-5"), _signed("5,00-"), _signed("(5.00)"), _signed("5")
    (('-', '5'), ('-', '5,00'), ('-', '5.00'), ('', '5'))
    """
    cell = cell.replace(_MINUS, "-")
    if cell[:1] == "(" and cell[-1:] == ")":
        return "-", cell[1:-1].strip()
    if cell[-1:] == "-":
        return "-", cell[:-1].strip()
    return (cell[0], cell[1:].lstrip()) if cell[:1] in ("-", "+") else ("", cell)


def _seconds_of_day(cell: str) -> float:
    """Return a time of day or a duration in seconds; ValueError for none.

    >>> _seconds_of_day("10:07"), _seconds_of_day("1:05:30 pm")
    (36420.0, 47130.0)
    """
    found = _TIME_OF_DAY.fullmatch(cell.upper())
    if found is None:
        raise ValueError(cell)
    hours, minutes, seconds, half = found.groups()
    if half is not None and not 1 <= int(hours) <= 12:
        raise ValueError(cell)
    hour = int(hours) if half is None else int(hours) % 12 + 12 * (half == "P")
    return 3600.0 * hour + 60.0 * int(minutes) + float(seconds or 0.0)


def date_format_of(
    cells: Sequence[str], least: float, like: Spelling, usual: str | None = None
) -> str | None:
    """Return how moments are written in the cells, which are in rows' order; None for no moments.

    `least` is the share of the cells that must be readable. Where day and month could be either,
    that order is taken in which times run back least, then the one in which they lie closest
    together, then the usual one.
    """
    cells = [cell for cell in cells if not like.is_missing(cell)]
    ways = [] if usual is None else [usual]
    ways += [ISO, *(day + clock for day in _DAYS for clock in _CLOCKS)]
    some = [cell for cell in cells[:: max(1, len(cells) // 20)] if any(map(str.isdigit, cell))]
    found: list[tuple[Any, ...]] = []
    for way in ways:
        exact = sum(_is_exact(cell, way) for cell in some)
        if not exact:
            continue
        spelling = replace(like, date_format=way)
        times = [seconds_or_nan(spelling, cell) for cell in cells]
        good = [time for time in times if time == time]
        back = sum(after < before for before, after in pairwise(good))
        span = max(good, default=0.0) - min(good, default=0.0)
        if good and len(good) >= least * len(cells):
            found.append((-len(good), -exact, back, span, len(found), way))
    return min(found)[-1] if found else None


def seconds_or_nan(spelling: Spelling, cell: str) -> float:
    """Return a moment in seconds since 1970, NaN where a cell is none."""
    try:
        return spelling.seconds(cell)
    except ValueError:
        return math.nan


@cache
def _date_formats(date_format: str) -> tuple[str, ...]:
    """Return a format of moments, and those that write the same day with another time of day."""
    days = [day for day in _DAYS if date_format.startswith(day)]
    others = (f"{day}{clock}" for day in days[:1] for clock in _CLOCKS)
    return tuple(dict.fromkeys([date_format, *others]))


def _read(cell: str, date_format: str) -> datetime:
    """Return the moment of a cell, whose time of day may be left out; ValueError for none."""
    for way in _date_formats(date_format):
        try:
            return _moment(cell, way)
        except ValueError:
            continue
    raise ValueError(cell)


def _is_exact(cell: str, date_format: str) -> bool:
    """Whether a cell is written in this very format, its time of day included."""
    if not date_format:
        return _succeeds(datetime.fromisoformat, cell.strip())
    return _succeeds(lambda text: _moment(text, date_format), cell.strip())


def _moment(cell: str, date_format: str) -> datetime:
    """Return the moment of a cell in this very format, of a quarter (%q) its first day.

    >>> _moment("2024-Q3", "%Y-Q%q").isoformat()
    '2024-07-01T00:00:00'
    """
    if "%q" in date_format:
        cell, n = _QUARTER.subn(lambda found: f"{3 * int(found[0]) - 2:02}", cell, count=1)
        if not n:
            raise ValueError(cell)
    return datetime.strptime(cell, date_format.replace("%q", "%m"))


def _succeeds(read: object, cell: str) -> bool:
    try:
        read(cell)  # type: ignore[operator]
    except (ValueError, OverflowError):
        return False
    return True


def listed_cells(cells: Iterable[str], most: int = 3) -> str:
    """Return some cells for people: 'a', 'b' and 'c'."""
    plain = (re.sub("[\u00a0\u202f\u2009]", " ", cell.strip()) for cell in dict.fromkeys(cells))
    return listed([repr(cell) for cell in [*plain][:most]])
