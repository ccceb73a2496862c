"""Keys as texts and back, for a file: whole numbers, texts, and what JSON has no word for."""

import json
from collections.abc import Callable, Hashable
from datetime import date, datetime
from typing import Any

# A key that JSON would change is a list of its kind and a text.
KINDS: dict[str, tuple[type, Callable[[Any], Any], Callable[[Any], Any]]] = {
    "datetime": (datetime, datetime.isoformat, datetime.fromisoformat),
    "date": (date, date.isoformat, date.fromisoformat),
    "bytes": (bytes, bytes.hex, bytes.fromhex),
}


def dump_key(key: Hashable) -> str:
    """Return a key as a text, or raise ValueError for one that a file cannot give back.

    >>> dump_key(("a", 7)), load_key(dump_key(("a", 7)))
    ('["tuple","a",7]', ('a', 7))
    """
    return json.dumps(_plain(key), separators=(",", ":"))


def load_key(text: str) -> Hashable:
    """Return the key that `dump_key` was called on."""
    return _key(json.loads(text))


def _plain(key: Hashable) -> Any:
    if type(key) in (str, int, float):
        return key
    if isinstance(key, tuple):
        return ["tuple", *map(_plain, key)]
    for name, (kind, dump, _) in KINDS.items():
        if type(key) is kind:
            return [name, dump(key)]
    raise ValueError(
        f"keys of a file must be text, numbers, bytes, dates or tuples of them, got {key!r:.80}"
    )


def _key(value: Any) -> Hashable:
    if not isinstance(value, list):
        return value  # type: ignore[no-any-return]
    kind, *parts = value
    if kind == "tuple":
        return tuple(map(_key, parts))
    return KINDS[kind][2](parts[0])  # type: ignore[no-any-return]
