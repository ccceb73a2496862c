"""The first use of the package, from the wheel with compiled code and from a checkout.

    python benchmarks/first_use.py   # writes results/first_use.json and docs/benchmarks.md

Then both learn rows in turns: code compiled ahead of time, and numba's for this very processor.
"""

# ruff: noqa: E402

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import first_use_section
import page
from core import processor

from mooe.evaluate.results import origin

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "first_use.json"
STARTS = {"wheel": 9, "checkout, nothing compiled": 2, "checkout, compiled": 9}
TURNS = 40

sys.path.insert(0, str(HERE.parent / "native"))
import wheels


def started(python, **environment):
    """Return what the first steps take with an interpreter."""
    env = {**os.environ, **environment}
    command = [*python, HERE / "first_use_work.py", "start"]
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout)


def measure_starts(pythons):
    """Return the quickest of several first steps, of each kind of environment."""
    found = {}
    for name, times in STARTS.items():
        runs = []
        for _ in range(times):
            with tempfile.TemporaryDirectory() as folder:
                nothing = {"NUMBA_CACHE_DIR": folder} if name.endswith("nothing compiled") else {}
                runs.append(started(pythons[name.partition(",")[0]], **nothing))
        found[name] = min(runs, key=lambda run: run["import"] + run["fit"])
    return found


def measure_speed(pythons):
    """Return the least microseconds a row on each path, of environments that take turns."""
    workers = {
        name: subprocess.Popen(
            [*python, HERE / "first_use_work.py", "speed"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name, python in pythons.items()
    }
    best = {name: {} for name in workers}
    for _ in range(TURNS):
        for name, worker in workers.items():
            worker.stdin.write("\n")
            worker.stdin.flush()
            for path, cost in json.loads(worker.stdout.readline()).items():
                best[name][path] = min(cost, best[name].get(path, cost))
    for worker in workers.values():
        worker.communicate()
    return best


def main():
    with tempfile.TemporaryDirectory() as folder:
        found = {}
        for kind, has_native in (("native", True), ("pure", False)):
            found[kind] = wheels.built(Path(folder, kind), has_native)
        python = wheels.installed(found["native"], Path(folder, "environment"))
        pythons = {"wheel": [python, "-I"], "checkout": [sys.executable]}
        results = {
            "digest": first_use_section.digest_now(),
            "origin": origin(),
            "machine": processor(),
            "wheel": found["native"].name,
            "kilobytes": {kind: wheel.stat().st_size / 1e3 for kind, wheel in found.items()},
            "starts": measure_starts(pythons),
            "microseconds": measure_speed(pythons),
        }
    RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")
    page.write()
    print(first_use_section.rendered(results))


if __name__ == "__main__":
    main()
