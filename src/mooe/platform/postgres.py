"""A store in PostgreSQL, by its URL: rows in bulk, an epoch checked in every transaction.

A lock alone could split: the server may drop a session whose process lives on. So whoever opens the
store raises its epoch, and a transaction of anybody else fails. COMMIT waits for the disk where
labels are in it; predictions alone need not.
"""

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from mooe.platform.errors import StoreError, StoreInUseError, StoreStoppedError
from mooe.platform.schema import SCHEMA, TABLES, migrate

try:
    import psycopg
except ImportError as problem:
    raise ImportError(
        "a store in PostgreSQL needs psycopg: pip install 'mooe[postgres]'"
    ) from problem

LOCK = 0x6D6F6F65  # of the advisory lock: "mooe"
TYPES = {"INTEGER": "BIGINT", "REAL": "DOUBLE PRECISION", "BLOB": "BYTEA", " WITHOUT ROWID": ""}
ARRAYS = {int: "bigint[]", float: "double precision[]", str: "text[]", bytes: "bytea[]"}
COPIED = 50  # rows from which COPY is quicker than unnest


class Postgres:
    """A `Database` on a server.

    Parameters
    ----------
    url : str
        postgresql://user:password@host/database; the tables lie in its first schema.
    read_only : bool
        Only look, also while another process has the store.
    """

    def __init__(self, url: str, read_only: bool = False) -> None:
        self.read_only, self.commits = read_only, 0
        self._epoch: int | None = None
        self._stopped = ""
        self._lock = threading.RLock()
        try:
            self._connection = psycopg.connect(url, autocommit=True, connect_timeout=10)
        except psycopg.Error as problem:
            raise StoreError(f"the store cannot be reached: {str(problem).strip()}") from problem
        about = self._connection.info
        self.where = f"postgresql://{about.host}:{about.port}/{about.dbname}"  # without password
        self._connection.execute("SET synchronous_commit TO on")
        if not read_only:
            self._take_lock()

    def _take_lock(self) -> None:
        """Take the store for this session, or raise StoreInUseError."""
        ((is_ours,),) = self.select(
            "SELECT pg_try_advisory_lock(?::int, hashtext(current_schema()))", (LOCK,)
        )
        if not is_ours:
            self._connection.close()
            raise StoreInUseError(
                f"{self.where} is in use: one process writes a store; stop that one, or ask it"
            )

    def select(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        try:
            with self._lock:
                rows = self._connection.execute(_written(sql), values, binary=True).fetchall()
                return list(rows)
        except psycopg.Error as problem:
            raise self._error("read", problem) from problem

    @contextmanager
    def transaction(self, lasting: bool = True) -> Iterator[None]:
        if self._stopped:
            raise StoreStoppedError(self._stopped)
        with self._lock:
            try:
                self._connection.execute("BEGIN")
                if not lasting:
                    self._connection.execute("SET LOCAL synchronous_commit TO off")
                self._check_epoch()
                yield
            except BaseException as problem:
                with suppress(psycopg.Error):
                    self._connection.execute("ROLLBACK")
                if isinstance(problem, psycopg.Error):
                    raise self._error("written, and nothing was", problem) from problem
                raise
            try:
                self._connection.execute("COMMIT")
            except psycopg.Error as problem:  # whether it was carried out nobody can tell
                self._stop(f"lost in the middle of a COMMIT ({str(problem).strip()})")
                raise StoreStoppedError(self._stopped) from problem
            self.commits += 1

    def _check_epoch(self) -> None:
        """Stop where another process has opened the store; whoever opens it waits for us."""
        if self._epoch is None:
            return
        sql = "SELECT epoch FROM store WHERE epoch = %s FOR SHARE"
        if self._connection.execute(sql, (self._epoch,)).fetchone() is None:
            self._stop("opened by another process")
            raise StoreStoppedError(self._stopped)

    def _stop(self, why: str) -> None:
        """In place: nothing more is written."""
        self._stopped = f"{self.where} was {why}: this process has stopped; open the store again"

    def _error(self, what: str, problem: Exception) -> StoreError:
        """Return the error of a query; without a connection nothing more is written."""
        if self._connection.closed:
            self._stop(f"lost ({str(problem).strip()})")
            return StoreStoppedError(self._stopped)
        return StoreError(f"{self.where} cannot be {what}: {str(problem).strip()}")

    def execute(self, sql: str, values: Sequence[Any] = ()) -> int:
        return int(self._connection.execute(_written(sql), values).rowcount)

    def insert(self, table: str, columns: str, rows: Sequence[Sequence[Any]]) -> None:
        if len(rows) < COPIED:
            marks = ", ".join(["%s"] * len(columns.split(",")))
            many = ", ".join([f"({marks})"] * len(rows))
            values = [value for row in rows for value in row]
            if values:
                self._connection.execute(f"INSERT INTO {table} ({columns}) VALUES {many}", values)
            return
        with self._connection.cursor().copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)

    def update(self, table: str, columns: str, keys: str, rows: Sequence[Sequence[Any]]) -> int:
        if not rows:
            return 0
        names = [name.strip() for name in f"{columns}, {keys}".split(",")]
        n_set = len(columns.split(","))
        lists = [list(values) for values in zip(*rows, strict=True)]
        arrays = ", ".join(f"%s::{_array_type(values)}" for values in lists)
        given = [f"given.v{at}" for at in range(len(names))]  # a column may be set and asked for
        pairs = list(zip(names, given, strict=True))
        sets = ", ".join(f"{name} = {value}" for name, value in pairs[:n_set])
        met = " AND ".join(f"{table}.{name} = {value}" for name, value in pairs[n_set:])
        aliases = ", ".join(value.removeprefix("given.") for value in given)
        sql = f"UPDATE {table} SET {sets} FROM unnest({arrays}) AS given ({aliases}) WHERE {met}"
        return int(self._connection.execute(sql, lists).rowcount)

    def among(self, column: str, values: Iterable[Any]) -> tuple[str, Any]:
        return f"{column} = ANY(?)", list(values)

    def sync(self, ticket: int) -> None:
        if self._stopped:
            raise StoreStoppedError(self._stopped)

    def begin(self, numerics: str) -> None:
        with self.transaction():
            ((there,),) = self.select("SELECT to_regclass('store') IS NOT NULL")
            if not there:
                for sql in TABLES:
                    self.execute(_typed(sql))
                sql = "INSERT INTO store (schema, epoch, numerics) VALUES (?, 0, ?)"
                self.execute(sql, (SCHEMA, numerics))
            migrate(self)
            self.execute("UPDATE store SET epoch = epoch + 1")
            ((epoch,),) = self.select("SELECT epoch FROM store")
        self._epoch = epoch

    def scrub(self) -> None:
        with self._lock:
            for table in ("prediction", "shadow_answer"):
                self._connection.execute(f"VACUUM {table}")

    def backup(self, path: Path) -> None:
        raise StoreError(f"{self.where} is copied by the server's own tools: pg_dump --format=c")

    def integrity(self) -> list[str]:
        return []

    def close(self) -> None:
        self._connection.close()


def _typed(sql: str) -> str:
    """Return the definition of a table in PostgreSQL's words."""
    for word, other in TYPES.items():
        sql = sql.replace(word, other)
    return sql


def _written(sql: str) -> Any:
    """Return SQL with the marks for values that psycopg knows."""
    return sql.replace("?", "%s")


def _array_type(values: list[Any]) -> str:
    """Return what an array of values is to the server."""
    kinds = {type(value) for value in values if value is not None} or {int}
    if kinds <= {int, bool} or all(issubclass(kind, int) for kind in kinds):
        return ARRAYS[int]
    (kind,) = kinds
    return ARRAYS[kind]
