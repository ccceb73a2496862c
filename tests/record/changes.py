"""What changed on purpose since the record was written, each with its words in CHANGELOG.md.

`record.differences` leaves these out. A record that is renewed knows them: then the list is to be
emptied, and a test says so.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Change:
    """A change on purpose.

    Attributes
    ----------
    changelog : str
        What CHANGELOG.md says of it, word by word but for the ends of lines.
    paths : str
        A pattern of the texts that it concerns, such as shop/01/files/report/table.md.
    before : str
        A pattern of what the record says and later code does not.
    now : str or callable
        What stands for `before` in later texts; or a function that takes both texts, the record's
        and the later one, and returns both without the change.
    """

    changelog: str
    paths: str
    before: str
    now: str | Callable[[str, str], tuple[str, str]]

    def left_out(self, path: str, before: str, now: str) -> tuple[str, str]:
        """Return the texts of a path without this change: what still differs is not on purpose."""
        if not re.fullmatch(self.paths, path):
            return before, now
        if isinstance(self.now, str):
            return re.sub(self.before, self.now, before), now
        return self.now(before, now)


def without(pattern: str) -> Callable[[str, str], tuple[str, str]]:
    """Return a function that leaves out of both texts what fits a pattern."""
    return lambda before, now: (re.sub(pattern, "", before), re.sub(pattern, "", now))


CHANGES: list[Change] = []
