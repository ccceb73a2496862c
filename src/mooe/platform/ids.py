"""Ids of predictions: clients give their own, or the platform gives one by number."""

from typing import Any

LONGEST_ID = 200  # characters
OURS = "~"  # how ids begin that the platform gives


def server_id(n: int) -> str:
    """Return the id that the platform gives to its n-th prediction.

    >>> server_id(17), number_of("~17"), number_of("order 17")
    ('~17', 17, None)
    """
    return f"{OURS}{n}"


def number_of(name: str) -> int | None:
    """Return the number of an id that the platform gave, None for one of a client."""
    digits = name[len(OURS) :]
    if not name.startswith(OURS):
        return None
    is_ours = digits.isascii() and digits.isdigit() and len(digits) <= 18
    return int(digits) if is_ours and digits == str(int(digits)) else 0


def check_id(name: Any) -> None:
    """Raise ValueError unless a client may give this id to a row."""
    is_text = isinstance(name, str) and 0 < len(name) <= LONGEST_ID and name.isprintable()
    if not is_text or name.startswith(OURS):
        raise ValueError(
            f"id must be a text of 1 to {LONGEST_ID} printable characters that does not begin "
            f"with {OURS!r}, which ids of the platform do; got {name!r:.80}"
        )
