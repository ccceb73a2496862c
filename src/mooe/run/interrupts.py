"""Ctrl-C, which waits while rows are learnt, so that no model is left between two steps."""

import signal
from collections.abc import Iterable, Iterator

from mooe.streams.stream import Chunk


class Interrupts:
    """Ctrl-C during a run, from `with` to its end; while it is held, an interrupt waits."""

    def __init__(self) -> None:
        self.is_held = self.is_asked = False

    def __enter__(self) -> "Interrupts":
        self.before = signal.signal(signal.SIGINT, self._take)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self.before)

    def between(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        """Yield chunks; an interrupt comes while the next one is awaited, never while one is used.

        After the last it waits for good: late labels are learnt then.
        """
        for chunk in chunks:
            self.is_held = True
            yield chunk
            if self.is_asked:
                raise KeyboardInterrupt
            self.is_held = False
        self.is_held = True

    def _take(self, *_: object) -> None:
        """In place: the user has pressed Ctrl-C."""
        self.is_asked = True
        if not self.is_held:
            self.is_held = True
            raise KeyboardInterrupt
