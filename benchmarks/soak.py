"""Kill a working process a thousand times, cut the disk as often, and let a server run: the soak.

    python benchmarks/soak.py                              # an hour and a half, writes the page
    python benchmarks/soak.py --kills 100 --images 0 --minutes 0

What `tests/platform/test_durability.py` does twenty and two hundred times; it ends with exit code 1
at the first label that was lost or learnt twice. Then a server is asked and told without a pause
for ten minutes, and its memory is looked at: of what it answers and learns nothing may stay in
memory but the model, whose size is told beside, and SQLite's cache of the file. So memory grows
with the store until the cache is full, and is judged from there on (`soak_section`). What was not
asked for stays as it was measured.
"""

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from pathlib import Path

import digest
import page
import pytest
import server
from server_load import CONNECTIONS, PREDICT, connect, inputs, pairs, request_of

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "platform"))

import test_durability as durability
from killed import kill_in_the_middle

from mooe.evaluate.results import origin
from mooe.platform import sqlite
from mooe.platform.learner import numerics_version

RESULTS = Path(__file__).parent / "results" / "soak.json"
EVERY = 15.0  # seconds between two looks at the memory


def kill(n):
    """Kill a process n times in the middle of its work, and look at what it left after each."""
    numerics_version()
    rng, acknowledged, learnt = random.Random(0), {}, 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "store")
        for k in range(n):
            acknowledged |= kill_in_the_middle(path, 1_000_000 * k, rng)
            if k % 50 == 49 or k == n - 1:
                learnt = durability.check_store(path, acknowledged)
                say(f"{k + 1:,} kills: {len(acknowledged):,} acknowledged, {learnt:,} learnt")
    return {"kills": n, "acknowledged": len(acknowledged), "learnt": learnt}


def cut(n):
    """Look at n images of a working store, whose log is noise behind the last sync."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        disk = durability.Disk(Path(folder, "store"))
        images = durability.images_of_a_working_store(Path(folder), patch, disk, n)
        for k, (place, sure) in enumerate(images):
            durability.check_store(place, sure)
            if k % 50 == 49 or k == n - 1:
                found = {"images": k + 1, "logs": disk.n_logs, "acknowledged": len(sure)}
                say(f"{k + 1:,} images, {disk.n_logs:,} logs: {len(sure):,} acknowledged")
    return found


def memory(served):
    """Return the memory of a server in MB: what is its own and in use."""
    lines = Path(f"/proc/{served.process.pid}/smaps_rollup").read_text().splitlines()
    own = [int(line.split()[1]) for line in lines if line.startswith("Private_")]
    return sum(own) / 1024


def run(minutes):
    """Ask and tell a server without a pause; return its memory along the way."""
    looks = []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "store")
        served = server.Served(8261, place)
        served.teach()
        xs = [request_of(PREDICT, json.dumps({"x": x}).encode()) for x in inputs(4000)]

        def look(labels):
            size = len(served.client.file("m")) / 1e6
            sizes = {"memory": memory(served), "model": size, "store": place.stat().st_size / 2**20}
            looks.append({"labels": labels} | {f"{name} MB": each for name, each in sizes.items()})
            told = ", ".join(f"{name} {each:.1f} MB" for name, each in sizes.items())
            say(f"{labels:,} labels, {told}")

        async def work():
            begin, took = time.perf_counter(), []
            until = begin + 60.0 * minutes
            tasks = []
            for k in range(CONNECTIONS):
                requests, told = pairs(xs[k * 100 :])
                tasks.append(connect(served.port, requests, until, took, told))
            clients = asyncio.gather(*tasks)
            while not clients.done():
                await asyncio.wait([clients], timeout=EVERY)
                await asyncio.to_thread(look, len(took) // 2)
            await clients

        try:
            asyncio.run(work())
        finally:
            served.end()
    return {"minutes": minutes, "looks": looks, "cache MB": sqlite.CACHE / 2**20}


def say(words):
    print(words, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Kill processes, cut disks, run a server.")
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--images", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=10)
    asked = parser.parse_args()
    whole = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for name, work, amount in (
        ("kills", kill, asked.kills),
        ("images", cut, asked.images),
        ("run", run, asked.minutes),
    ):
        if amount:
            found = {**work(amount), "digest": digest.of("soak"), "origin": origin()}
            whole = {**(json.loads(RESULTS.read_text()) if RESULTS.exists() else {}), name: found}
            RESULTS.write_text(json.dumps(whole, indent=1, sort_keys=True) + "\n")
    page.write()
