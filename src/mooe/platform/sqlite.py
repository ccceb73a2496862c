"""A store in one file: SQLite with a write-ahead log that is brought to disk by a shared fdatasync.

COMMIT writes to the log and waits for nothing (`synchronous=NORMAL`): it survives the death of the
process. `sync` calls fdatasync on the log once for all that was committed so far: then it survives
a loss of power. One log is consistent up to any point, so whatever survives, all before it does.

Never open and close the database file itself or its -shm here: that would drop SQLite's locks on
them. The -wal file has none.
"""

import json
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Any

from mooe.modelfile import keep_name
from mooe.platform.errors import StoreError, StoreInUseError, StoreStoppedError
from mooe.platform.schema import SCHEMA, TABLES, migrate

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PASSIVE_OVER = 4 * 2**20  # bytes by which the log grows until it is copied into the file
COMMITS = 500  # transactions after which it is too: once it begins anew, it is overwritten
RESTART_OVER = 64 * 2**20  # bytes from which writers wait until it is
CACHE = 64 * 2**20  # bytes of the file that a connection keeps in memory at most
AT_ONCE = 50  # rows that one statement inserts
PATIENCE, COPIER_PATIENCE = 5.0, 0.05  # seconds for whoever else has the file open
HEADER = b"SQLite format 3\0"


def data_sync(file: int) -> None:
    """Bring a file's content to disk."""
    getattr(os, "fdatasync", os.fsync)(file)


class SQLite:
    """A `Database` in a file.

    Parameters
    ----------
    path : Path
    read_only : bool
        Only look, also while another process has the store.
    """

    def __init__(self, path: Path, read_only: bool = False) -> None:
        self.path, self.where, self.read_only = path, str(path), read_only
        self.commits = self._synced = 0
        self._epoch: int | None = None
        self._stopped = ""
        self._sync_lock, self._write_lock = threading.Lock(), threading.RLock()
        self._lock_file: int | None = None
        self._log: int | None = None
        self._copy_over, self._copied = PASSIVE_OVER, 0
        if path.is_dir() or not path.parent.is_dir():
            raise StoreError(f"store must be a file in a folder that exists, got {path}")
        if read_only and not path.exists():
            raise StoreError(f"store must exist, got {path}")
        if not read_only:
            self._lock_file = _locked(path)
        try:
            self._check_header()
            self._writer = self._connected()
            self._copier = None if read_only else self._connected(COPIER_PATIENCE)
        except sqlite3.Error as problem:
            self._unlock()
            raise StoreError(f"{self.where} cannot be opened: {problem}") from problem

    def _check_header(self) -> None:
        """Raise StoreError for a file of something else; only before this process has it open."""
        if self._lock_file is None or not self.path.exists():
            return
        with self.path.open("rb") as file:
            begin = file.read(len(HEADER))
        if begin not in (b"", HEADER):
            self._unlock()
            raise StoreError(f"store must be a SQLite file, got {self.path}")

    def _connected(self, patience: float = PATIENCE) -> sqlite3.Connection:
        """Return a connection of our settings; patience: seconds to wait for others."""
        connection = sqlite3.connect(
            f"{self.path.absolute().as_uri()}?mode={'ro' if self.read_only else 'rwc'}",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            timeout=patience,
            cached_statements=256,
        )
        if not self.read_only:
            (mode,) = connection.execute("PRAGMA journal_mode=WAL").fetchone()
            if mode != "wal":
                raise sqlite3.OperationalError(f"journal_mode must be wal, got {mode}")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute("PRAGMA wal_autocheckpoint=0")
            connection.execute(f"PRAGMA cache_size=-{CACHE // 1024}")
            connection.execute("PRAGMA secure_delete=ON")  # what is deleted is overwritten
        return connection

    # Reading and writing

    def select(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        try:
            return self._writer.execute(sql, values).fetchall()
        except sqlite3.Error as problem:
            raise StoreError(f"{self.where} cannot be read: {problem}") from problem

    @contextmanager
    def transaction(self, lasting: bool = True) -> Iterator[None]:
        if self._stopped:
            raise StoreStoppedError(self._stopped)
        with self._write_lock:
            try:
                self._writer.execute("BEGIN IMMEDIATE")
                self._check_epoch()
                yield
                self._writer.execute("COMMIT")
            except BaseException as problem:
                if self._writer.in_transaction:
                    with suppress(sqlite3.Error):
                        self._writer.execute("ROLLBACK")
                if isinstance(problem, sqlite3.Error):
                    raise StoreError(
                        f"{self.where} cannot be written, and nothing was: {problem}"
                    ) from problem
                raise
            self.commits += 1

    def _check_epoch(self) -> None:
        """Stop where another process has opened the store since this one did."""
        if self._epoch is None:
            return
        (epoch,) = self._writer.execute("SELECT epoch FROM store").fetchone()
        if epoch != self._epoch:
            self._stopped = f"{self.where} was opened by another process: this one has stopped"
            raise StoreStoppedError(self._stopped)

    def execute(self, sql: str, values: Sequence[Any] = ()) -> int:
        return self._writer.execute(sql, values).rowcount

    def insert(self, table: str, columns: str, rows: Sequence[Sequence[Any]]) -> None:
        marks = f"({', '.join('?' * len(columns.split(',')))})"
        for first in range(0, len(rows), AT_ONCE):  # a quarter less time than one by one
            part = rows[first : first + AT_ONCE]
            many = ", ".join([marks] * len(part))
            values = list(chain.from_iterable(part))
            self._writer.execute(f"INSERT INTO {table} ({columns}) VALUES {many}", values)

    def update(self, table: str, columns: str, keys: str, rows: Sequence[Sequence[Any]]) -> int:
        sets = ", ".join(f"{name.strip()} = ?" for name in columns.split(","))
        met = " AND ".join(f"{name.strip()} = ?" for name in keys.split(","))
        return self._writer.executemany(f"UPDATE {table} SET {sets} WHERE {met}", rows).rowcount

    def among(self, column: str, values: Iterable[Any]) -> tuple[str, Any]:
        return f"{column} IN (SELECT value FROM json_each(?))", json.dumps(list(values))

    # Durability

    def sync(self, ticket: int) -> None:
        if self._synced >= ticket:
            return
        with self._sync_lock:
            if self._stopped:
                raise StoreStoppedError(self._stopped)
            if self._synced >= ticket:
                return
            upto = self.commits
            try:
                if self._log is None:
                    self._log = os.open(f"{self.path}-wal", os.O_RDWR | getattr(os, "O_BINARY", 0))
                    keep_name(self.path.parent)
                data_sync(self._log)
                self._synced = upto
                self._checkpoint()
            except (OSError, sqlite3.Error) as problem:
                # The system may have thrown away what it could not write, and would not say so
                # a second time.
                self._stopped = (
                    f"{self.where} could not be brought to disk ({problem}): this process has "
                    "stopped; what was acknowledged is safe; look at the disk, then start again"
                )
                raise StoreStoppedError(self._stopped) from problem

    def _checkpoint(self) -> None:
        """Copy the log into the file now and then, beside writers as long as it can.

        Then the log begins anew and is overwritten, which reaches the disk in half the time that
        it takes to grow. Where readers or writers are in the way, it is tried again later.
        """
        assert self._log is not None
        assert self._copier is not None
        size = os.fstat(self._log).st_size
        if size <= self._copy_over and self.commits < self._copied + COMMITS:
            return
        if size > RESTART_OVER:
            with self._write_lock:
                _restart(self._copier, "TRUNCATE")
        else:
            _, in_log, copied = self._copier.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            if in_log == copied and self._write_lock.acquire(blocking=False):
                try:  # nothing is left to copy: it takes no time
                    _restart(self._copier, "RESTART")
                finally:
                    self._write_lock.release()
        self._copy_over = os.fstat(self._log).st_size + PASSIVE_OVER
        self._copied = self.commits

    # The store as a whole

    def begin(self, numerics: str) -> None:
        with self.transaction():
            tables = self.select("SELECT 1 FROM sqlite_master WHERE name = 'store'")
            if not tables:
                for sql in TABLES:
                    self.execute(sql)
                sql = "INSERT INTO store (schema, epoch, numerics) VALUES (?, 0, ?)"
                self.execute(sql, (SCHEMA, numerics))
            migrate(self)
            self.execute("UPDATE store SET epoch = epoch + 1")
            ((epoch,),) = self.select("SELECT epoch FROM store")
        self._epoch = epoch
        self.sync(self.commits)

    def scrub(self) -> None:
        with self._write_lock:
            try:
                _restart(
                    self._writer, "TRUNCATE"
                )  # the file is overwritten, the log holds what was
            except sqlite3.Error as problem:
                raise StoreError(f"{self.where} could not be scrubbed: {problem}") from problem

    def backup(self, path: Path) -> None:
        if path.exists():
            raise StoreError(f"backup must go to a new file, got {path}")
        beside = path.with_name(f".{path.name}.part")
        try:
            # A reader of its own sees one state of the store, and keeps nobody from writing.
            with closing(self._connected()) as reader, closing(sqlite3.connect(beside)) as copy:
                copy.execute("PRAGMA journal_mode=OFF")
                reader.backup(copy)
            file = os.open(beside, os.O_RDWR)
            try:
                os.fsync(file)
            finally:
                os.close(file)
            os.replace(beside, path)
            keep_name(path.parent)
        except (OSError, sqlite3.Error) as problem:
            with suppress(OSError):
                beside.unlink(missing_ok=True)
            raise StoreError(f"{self.where} cannot be copied to {path}: {problem}") from problem

    def integrity(self) -> list[str]:
        lines = [line for (line,) in self.select("PRAGMA integrity_check")]
        return [] if lines == ["ok"] else lines

    def close(self) -> None:
        if self._log is not None:
            os.close(self._log)
            self._log = None
        for connection in (self._copier, self._writer):
            if connection is not None:
                connection.close()
        self._unlock()

    def _unlock(self) -> None:
        """Let another process have the store."""
        if self._lock_file is not None:
            os.close(self._lock_file)
            self._lock_file = None


def _restart(connection: sqlite3.Connection, how: str) -> None:
    """Copy all of the log and let it begin anew, unless a reader prevents it."""
    connection.execute(f"PRAGMA wal_checkpoint({how})").fetchone()


def _locked(path: Path) -> int:
    """Return a file that only one process can hold, or raise StoreInUseError."""
    beside = path.with_name(f"{path.name}.lock")
    try:
        file = os.open(beside, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as problem:
        raise StoreError(f"{path} cannot be opened: {problem.strerror}: {beside}") from problem
    try:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.ftruncate(file, 0)
        os.write(file, f"{os.getpid()}\n".encode())
    except OSError as problem:
        holder = os.pread(file, 20, 0).decode(errors="replace").strip() if fcntl else "unknown"
        os.close(file)
        raise StoreInUseError(
            f"{path} is in use by process {holder or 'unknown'}: one process writes a store; stop "
            "that one, or ask it"
        ) from problem
    return file
