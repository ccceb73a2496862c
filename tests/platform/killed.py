"""Processes that serve clients of a store and are killed in the middle of it."""

import os
import random
import signal
import threading
import time
from contextlib import suppress

from mooe.platform import Platform, StoreError, StoreInUseError


def ask_and_tell(platform, client, first, acknowledge):
    """Work as a client would, as long as the platform lasts."""
    rng = random.Random(f"{client} {first}")
    with suppress(StoreError):
        for i in range(first, first + 100_000):
            x = {"a": rng.random(), "b": rng.random(), "c": float(i % 3)}
            name, label = f"{client}-{i}", "yes" if x["a"] > x["b"] else "no"
            platform.predict("m", x, name)
            if rng.random() < 0.9:
                platform.feedback("m", name, label)
                acknowledge(name, label)


def opened(place):
    """Return the platform of a store, once whoever had it before has let go of it."""
    while True:
        with suppress(StoreInUseError):
            return Platform(place)


def work_until_killed(place, first, pipe, clients):
    """Be a process that serves clients, and tells the pipe what was acknowledged."""
    platform = opened(place)
    platform.create("m")
    os.write(pipe, b"ready\n")

    def acknowledge(name, label):
        os.write(pipe, f"{name} {label}\n".encode())

    for client in range(1, clients):
        work = (platform, client, first, acknowledge)
        threading.Thread(target=ask_and_tell, args=work, daemon=True).start()
    ask_and_tell(platform, 0, first, acknowledge)


def kill_in_the_middle(place, first, rng, clients=6, most=20):
    """Start such a process, kill it after some of its first labels; return what it told."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(ours)
            work_until_killed(place, first, theirs, clients)
        finally:
            os._exit(1)
    os.close(theirs)
    with os.fdopen(ours) as lines:
        assert lines.readline() == "ready\n"
        told = [lines.readline().split() for _ in range(rng.randint(1, most))]
        time.sleep(0.01 * rng.random())  # anywhere between two labels
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        told += [line.split() for line in lines if line.endswith("\n")]
    return dict(told)
