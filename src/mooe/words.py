"""How counts, lists, dates and odd letters are said, wherever people read them."""

import re
from collections.abc import Sequence

DATE_FORMS = ("%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S")
# Letters that steer a terminal, turn the direction of a line or are none; lines and tabs stay.
UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
DAYS_ALONE, MINUTES_ALONE = 60 * 86_400.0, 20 * 60.0  # seconds from which on they suffice


def counted(n: int, what: str) -> str:
    """Return how many there are.

    >>> counted(1, "regime"), counted(2, "regime"), counted(1_000, "class")
    ('1 regime', '2 regimes', '1,000 classes')
    """
    ending = "" if n == 1 else "es" if what.endswith("s") else "s"
    return f"{n:,} {what}{ending}"


def times(n: int) -> str:
    """Return how often.

    >>> [times(n) for n in (1, 2, 1200)]
    ['once', 'twice', '1,200 times']
    """
    return {1: "once", 2: "twice"}.get(n, f"{n:,} times")


def listed(texts: Sequence[str]) -> str:
    """Return all of some texts.

    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def some_of(names: Sequence[object], most: int = 20) -> str:
    """Return the first of many names; one with a comma in it is quoted.

    >>> some_of(["price", "town, country", "day", "hour"], most=3)
    "price, 'town, country', day and 1 more"
    """
    texts = [" ".join(str(name).split()) for name in names[:most]]
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(repr(text) if "," in text else text for text in texts) + more


def date_form(length: float, are_days: bool) -> str:
    """Return the form of dates that lie within a length of time in seconds: as short as it allows.

    are_days: whether all of them are at midnight.

    >>> date_form(100 * 86_400.0, False), date_form(3_600.0, False), date_form(3_600.0, True)
    ('%Y-%m-%d', '%Y-%m-%d %H:%M', '%Y-%m-%d')
    """
    if length >= DAYS_ALONE or are_days:
        return DATE_FORMS[0]
    return DATE_FORMS[1] if length >= MINUTES_ALONE else DATE_FORMS[2]


def four_digits(value: float) -> str:
    """Return a number in about four digits.

    >>> [four_digits(x) for x in (0.12345, -1234.5, 99.996, 12.345, 5.2e12, 0.0)]
    ['0.1235', '-1,234', '100.0', '12.35', '5.2e+12', '0.000']
    """
    size = abs(float(f"{value:.4g}"))
    if size >= 1e9 or 0.0 < size < 1e-4:
        return f"{value:.3g}"
    if 0.0 < size < 1.0:
        return f"{value:.4f}"
    return f"{value:,.{0 if size >= 1_000 else 1 if size >= 100 else 2 if size >= 10 else 3}f}"


def visible(text: str) -> str:
    r"""Return a text in which letters that nobody sees are written as Python writes them.

    >>> print(visible("a\x1b[31mb\u202e"))
    a\x1b[31mb\u202e
    """
    return UNSEEN.sub(lambda letter: ascii(letter[0])[1:-1], text)
