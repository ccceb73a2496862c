"""Kill a working process a thousand times, and cut the disk as often: nothing may be lost.

    python benchmarks/soak.py                 # an hour
    python benchmarks/soak.py --kills 100 --images 100

What `tests/platform/test_durability.py` does twenty and two hundred times; it ends with exit code 1
at the first label that was lost or learnt twice.
"""

import argparse
import random
import sys
import tempfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "platform"))

import test_durability as durability
from killed import kill_in_the_middle

from mooe.platform.learner import numerics_version


def kill(n):
    """Kill a process n times in the middle of its work, and look at what it left after each."""
    numerics_version()
    rng, acknowledged = random.Random(0), {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "store")
        for k in range(n):
            acknowledged |= kill_in_the_middle(path, 1_000_000 * k, rng)
            if k % 50 == 49 or k == n - 1:
                learnt = durability.check_store(path, acknowledged)
                print(f"{k + 1:,} kills: {len(acknowledged):,} acknowledged, {learnt:,} learnt")


def cut(n):
    """Look at n images of a working store, whose log is noise behind the last sync."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        disk = durability.Disk(Path(folder, "store"))
        images = durability.images_of_a_working_store(Path(folder), patch, disk, n)
        for k, (place, sure) in enumerate(images):
            durability.check_store(place, sure)
            if k % 50 == 49 or k == n - 1:
                print(
                    f"{k + 1:,} images, {disk.n_logs:,} logs: {len(sure):,} acknowledged, all there"
                )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Kill processes and cut disks.")
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--images", type=int, default=1000)
    asked = parser.parse_args()
    kill(asked.kills)
    cut(asked.images)
