"""The lock of a platform, which long work takes piece by piece without keeping it from others."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class TurnLock:
    """A lock that its owner may take again, and that a thread can take behind those who wait.

    Whoever finds it taken waits at a gate, one after the other; the first of them keeps the gate
    shut until the lock is theirs. Long work comes through that gate too before each of its pieces,
    so that it cannot have the lock again before someone who came during the piece.

    Examples
    --------
    >>> lock = TurnLock()
    >>> with lock.behind_others(), lock:
    ...     print("a piece")
    a piece
    """

    def __init__(self) -> None:
        self._lock, self._gate = threading.RLock(), threading.Lock()

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):  # which its owner always gets
            with self._gate:
                self._lock.acquire()

    def __exit__(self, *problem: object) -> None:
        self._lock.release()

    @contextmanager
    def behind_others(self) -> Iterator[None]:
        """Hold the lock for a piece of long work, after who waits for it; not for its owner."""
        with self._gate:
            self._lock.acquire()
        try:
            yield
        finally:
            self._lock.release()

    def condition(self) -> threading.Condition:
        """Return a condition that its owner can wait for."""
        return threading.Condition(self._lock)
