"""What the store needs of a database: the small interface that SQLite and PostgreSQL stand behind.

SQL is written once, in `mooe.platform.store`, with ? for values; here is what differs.
"""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol


class Database(Protocol):
    """A database with one writer; every method may raise StoreError."""

    where: str  # for messages

    def select(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""

    def transaction(self, lasting: bool = True) -> AbstractContextManager[None]:
        """Make all that is written inside one change, or none.

        lasting: it is to survive a loss of power, once `sync` has returned. Before anything is
        written it is checked that nobody else has opened the store since.
        """

    def execute(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Write; return how many rows changed."""

    def insert(self, table: str, columns: str, rows: Sequence[Sequence[Any]]) -> None:
        """Add rows; columns are named with commas between."""

    def update(self, table: str, columns: str, keys: str, rows: Sequence[Sequence[Any]]) -> int:
        """Set columns where the keys, which follow in every row, are met; return how many were."""

    def among(self, column: str, values: Iterable[Any]) -> tuple[str, Any]:
        """Return the condition that a column is one of some values, and what its ? stands for."""

    @property
    def commits(self) -> int:
        """How many transactions were committed: a ticket for `sync`."""

    def sync(self, ticket: int) -> None:
        """Return when all up to a commit survives a loss of power; callers share the work."""

    def begin(self, numerics: str) -> None:
        """Take the store for this process: tables are made or migrated, the epoch goes up."""

    def scrub(self) -> None:
        """Let what was deleted be gone from disk too."""

    def backup(self, path: Path) -> None:
        """Write a copy of the whole store into a file, while it is in use."""

    def integrity(self) -> list[str]:
        """Return what the database itself finds wrong with its files."""

    def close(self) -> None:
        """Let go of the store."""
