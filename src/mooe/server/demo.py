"""mooe serve --demo: a client of the server's own, with a stream whose regimes come back."""

import logging
import threading
from collections.abc import Iterator
from http.client import HTTPException
from itertools import count

from mooe.client import Client, ServerError
from mooe.datasets import recurring

LOG = logging.getLogger("mooe.server")
MODEL = "demo"
ROWS, EVERY = 20, 0.1  # so many rows, every so many seconds
LENGTH, CONCEPTS, FEATURES = 1_000, 3, 5  # rows of a regime, how many there are, inputs


def batches() -> Iterator[tuple[list[dict[str, float]], list[str]]]:
    """Yield rows and their labels, without end."""
    names = [f"x{j}" for j in range(1, FEATURES + 1)]
    for seed in count():
        n = 4 * CONCEPTS * LENGTH
        stream = recurring(
            n=n, n_features=FEATURES, n_concepts=CONCEPTS, length=LENGTH, seed=seed // 8
        )
        for first in range(0, n, ROWS):
            part = slice(first, first + ROWS)
            rows = [dict(zip(names, row, strict=True)) for row in stream.X[part].tolist()]
            yield rows, ["yes" if label else "no" for label in stream.y[part].tolist()]


class Demo:
    """Asks and tells in a thread of its own, until it is stopped."""

    def __init__(self, url: str, token: str | None = None) -> None:
        self._client, self._end = Client(url, token), threading.Event()
        self._thread = threading.Thread(target=self._work, name="mooe-demo", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        """Predict rows; tell the labels of the rows before, which come a moment late."""
        late: tuple[list[str], list[str]] = [], []
        try:
            while not self._end.is_set() and not self._is_ready():
                self._end.wait(EVERY)
            self._client.create(MODEL)
            for rows, labels in batches():
                answers = self._client.predict_many(MODEL, rows)
                self._client.feedback_many(MODEL, *late)
                late = [answer.id for answer in answers], labels
                if self._end.wait(EVERY):
                    return
        except (OSError, HTTPException, ServerError) as problem:
            if not self._end.is_set():
                LOG.warning("the demo has stopped: %s", problem)
        finally:
            self._client.close()

    def _is_ready(self) -> bool:
        """Whether the server can answer."""
        try:
            self._client.request("GET", "/v2/health/ready")
        except ServerError:
            return False
        return True

    def stop(self) -> None:
        """Let it end; what it has asked for is answered first."""
        self._end.set()
        self._thread.join(10.0)
