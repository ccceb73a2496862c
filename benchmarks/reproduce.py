"""How long the paper takes to reproduce: the quick run on a bare machine, and the full one.

python benchmarks/reproduce.py           what was not measured on this state of the code
python benchmarks/reproduce.py --quick   the quick run alone: nothing compiled, no stream there
python benchmarks/reproduce.py --full    the full run alone; streams as they are found here

Seconds on the clock, in as many processes as there are cores. Nothing is taken from earlier runs.
The full run's results go into docs/results, and docs/paper.md is filled in with them.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import digest
import page

from mooe_paper import RESULTS as NAMES
from mooe_paper.fingerprint import versions
from mooe_paper.workers import usable_cores

RESULTS = Path(__file__).parent / "results" / "reproduce.json"
RENDER = Path(__file__).parents[1] / "docs" / "render.py"
HOMES = ("MOOE_DATA_HOME", "MOOE_CACHE_HOME", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME")


def bare(folder):
    """Return surroundings in which nothing is cached and no stream is there."""
    homes = {}
    for name in HOMES:
        path = folder / name.lower()
        path.mkdir()
        homes[name] = str(path)
    return {**os.environ, **homes}


def measured(quick):
    """Return how long `mooe reproduce all` takes, and what it ran."""
    now = digest.of("reproduce")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        surroundings = bare(folder) if quick else dict(os.environ)
        command = [sys.executable, "-m", "mooe", "reproduce", "all", "--out", str(folder / "out")]
        before, start = os.getloadavg()[0], time.monotonic()
        subprocess.run(
            [*command, *(["--quick"] if quick else [])],
            env=surroundings,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        seconds = time.monotonic() - start
        if not quick:
            subprocess.run([sys.executable, RENDER, folder / "out"], check=True)
        results = [json.loads((folder / "out" / f"{n}.json").read_text()) for n in NAMES]
    records = [cell["record"] for result in results for cell in result["cells"]]
    missing = sum("missing" in record for record in records)
    return {
        "digest": now,
        "seconds": round(seconds, 1),
        "cells": len(records) - missing,
        "cells without their stream": missing,
        "load before": round(before, 2),  # of others, in runnable processes
        "load at the end": round(os.getloadavg()[0], 2),
        "cores": usable_cores(),
        "origin": versions(),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="the quick run alone")
    parser.add_argument("--full", action="store_true", help="the full run alone")
    asked = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for name, is_asked in (("quick", asked.quick), ("full", asked.full)):
        is_fresh = results.get(name, {}).get("digest") == digest.of("reproduce")
        if is_asked or not (asked.quick or asked.full or is_fresh):
            results[name] = measured(quick=name == "quick")
            RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")
            page.write()
            print(f"{name}: {results[name]['seconds']:,.0f} s")


if __name__ == "__main__":
    main()
