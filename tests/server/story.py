"""A store with a past: regimes that took turns for weeks, a shadow, labels that never came."""

import time

from mooe.datasets import recurring
from mooe.platform import Platform, Settings

VISIT = 500  # rows of a visit
CONCEPTS = 3
COLUMNS = ("size", "hour", "age", "basket", "visits", "discount")
NO_MEMORY = ("memory_plain", "memory_rich")
BATCH = 20


def rows(n, columns=COLUMNS, labels=("no", "yes"), seed=3):
    """Return inputs and labels of a stream with returning regimes."""
    stream = recurring(n, len(columns), CONCEPTS, VISIT, seed=seed)
    X = [dict(zip(columns, map(float, row), strict=True)) for row in stream.X]
    return X, [labels[int(y)] for y in stream.y]


def tell(place, n, days, name="clicks", shadow="no-memory", ago=60.0, **kinds):
    """Fill a store with n rows over so many days, the last of them so many seconds ago."""
    X, labels = rows(n, **kinds)
    now = time.time() - ago
    clock = Clock(now - 86400.0 * days)
    with Platform(place, clock=clock) as platform:
        platform.create(name, settings=Settings(expire_after=86400.0))
        if shadow:
            platform.create(shadow, shadow_of=name, params={"without": list(NO_MEMORY)})
        for first in range(0, n, BATCH):
            clock.now = now - 86400.0 * days * (1.0 - (first + BATCH) / n)
            answers = platform.predict_many(name, X[first : first + BATCH])
            pairs = [
                (answer.id, label)
                for k, (answer, label) in enumerate(
                    zip(answers, labels[first : first + BATCH], strict=True)
                )
                if (first // BATCH * 7 + k) % 50  # now and then nobody sends a label
            ]
            platform.feedback_many(name, *zip(*pairs, strict=True))
        platform.maintain()


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self, now):
        self.now = now

    def __call__(self):
        return self.now
