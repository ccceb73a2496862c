"""Speed of the core beside River's logistic regression: one interleaved run, one table, the floors.

python benchmarks/core.py            measure, write results/core.json and docs/benchmarks.md
python benchmarks/core.py --memory   only the memory of a model over ten million samples
"""

# ruff: noqa: E402

import os

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import itertools
import json
import platform
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import core_section
import digest
import numpy as np
import page
from core_section import LARGE, SMALL
from numba import njit
from river import compose, linear_model, preprocessing

from mooe.numerics.lanes import fma, spread, total
from mooe.paper import core
from mooe.paper.params import Params

RESULTS = Path(__file__).parent / "results" / "core.json"
SEED = 0
ROWS = {8: 10_000, 54: 2000, 500: 400}  # per turn of the interleaved run
TURNS = 60  # the quickest counts
SLICES = 20  # of the rows, for what goes row by row: a turn of each is a few milliseconds
MEMORY_ROWS = 10_000_000


def stream(d, n):
    """Return inputs of norm 1 at most and noisy labels of two classes."""
    rng = np.random.default_rng((SEED, d))
    X = rng.normal(size=(n, d))
    X /= np.linalg.norm(X, axis=1).max()
    y = (X @ rng.normal(size=d) + 0.1 * X.std() * rng.normal(size=n) > 0.0).astype(float)
    return X, y


@njit(error_model="numpy")
def multiply_add(n):
    """Return something that takes n times ten independent multiply-adds of four lanes."""
    x, y, z, w, v = spread(1.0), spread(1.1), spread(1.2), spread(1.3), spread(1.4)
    a, b, c, d, e = spread(1.5), spread(1.6), spread(1.7), spread(1.8), spread(1.9)
    for _ in range(n):
        x, y, z = fma(x, 0.9, 0.1), fma(y, 0.9, 0.1), fma(z, 0.9, 0.1)
        w, v, a = fma(w, 0.9, 0.1), fma(v, 0.9, 0.1), fma(a, 0.9, 0.1)
        b, c = fma(b, 0.9, 0.1), fma(c, 0.9, 0.1)
        d, e = fma(d, 0.9, 0.1), fma(e, 0.9, 0.1)
    return total(((x + y) + (z + w)) + ((v + a) + (b + c)) + (d + e))


def flops_of_row(params, d, active):
    """Return the floating-point operations a row needs, its share of the offline fit included.

    A multiply-add counts two, a division or root one; with the ball active two factorisations.
    """
    p, k, b = d + params.intercept, params.max_experts, params.interval
    n, m = min(b, p), max(b, p)
    row = 2 * p * k + 2 * k + 39 * k + 4 * k + 5 * p + (13 * d if params.scale else 0)
    solves = (2 if active else 1) * (n**3 / 3 + 6 * n * n)
    return row + (m * n * (n + 1) + solves + 8 * b * p + k * p) / b


def chunk(params, X, y):
    """Return a function that learns all rows in one call, and whether the ball is active."""
    state = core.init(params, X.shape[1], 2)
    warm = -(-params.max_experts * params.interval // len(X)) + 1
    for _ in range(warm):
        core.predict_then_learn(params, state, X, y)
    multiplier = core.views(params, state).multipliers[0]
    return lambda: core.predict_then_learn(params, state, X, y), bool(multiplier > 0.0)


def row_by_row(model, samples, labels):
    """Return a function that predicts and learns the next slice of samples, from dicts."""
    n = len(samples) // SLICES
    starts = itertools.cycle(range(0, n * SLICES, n))

    def run():
        start = next(starts)
        for x, label in zip(samples[start : start + n], labels[start : start + n], strict=True):
            model.predict_one(x)
            model.learn_one(x, label)

    for _ in range(SLICES):
        run()
    return run


def contenders(d, X, y):
    """Return {name: (function, whether the ball is active or None)} for one dimension."""
    samples = [dict(enumerate(map(float, x))) for x in X]
    labels = [bool(label) for label in y]
    logistic = linear_model.LogisticRegression
    scaled = compose.Pipeline(preprocessing.StandardScaler(), logistic())
    found = {
        "river": (row_by_row(logistic(), samples, labels), None),
        "river scaled": (row_by_row(scaled, samples, labels), None),
    }
    for radius in (SMALL, LARGE):
        for scale in (False, True):
            params = Params(radius=radius, scale=scale)
            run, active = chunk(params, X, y)
            found[f"chunk {'scaled' if scale else 'raw'} {radius}"] = run, active
    try:
        from mooe.river_adapter import PaperMOOEClassifier
    except ImportError:
        print("mooe.river_adapter is missing: no row-by-row figures")
    else:
        model = PaperMOOEClassifier(radius=SMALL)
        found["one row"] = row_by_row(model, samples, labels), None
    return found


def seconds(run):
    """Return the processor time of a call: what else runs on the machine does not count."""
    start = time.process_time()
    run()
    return time.process_time() - start


def measure_speed(peak):
    """Return one record per dimension and setting: samples a second, ratios, share of the peak."""
    tasks = {}
    for d, n in ROWS.items():
        X, y = stream(d, n)
        for name, (run, active) in contenders(d, X, y).items():
            tasks[d, name] = [run, active, np.inf]
    for _ in range(TURNS):
        for (d, name), task in tasks.items():
            n = ROWS[d] if name.startswith("chunk") else ROWS[d] // SLICES
            task[2] = min(task[2], seconds(task[0]) / n)
    records = []
    for (d, name), (_, active, cost) in tasks.items():
        if name.startswith("river"):
            continue
        record = {"d": d, "path": name, "active": active, "samples_per_second": 1.0 / cost}
        record["to_river"] = tasks[d, "river"][2] / cost
        record["to_river_scaled"] = tasks[d, "river scaled"][2] / cost
        if name != "one row":
            params = Params(scale="scaled" in name)
            record["share_of_peak"] = flops_of_row(params, d, active) / cost / peak
        records.append(record)
    return records


def exponent(sizes, costs):
    """Return the exponent of the power law nearest to the costs."""
    return float(np.polyfit(np.log(sizes), np.log(costs), 1)[0])


def measure_growth():
    """Return microseconds a sample against max_experts and against the number of features."""
    experts, features = [5, 10, 25, 50, 100], [8, 16, 54, 128, 500, 1000, 2000]
    X, y = stream(54, 1000)
    runs = {("K", k): chunk(Params(max_experts=k, radius=SMALL), X, y)[0] for k in experts}
    for d in features:
        X, y = stream(d, 1000 if d < 100 else 100)
        runs["d", d] = chunk(Params(radius=SMALL), X, y)[0]
    n = {key: 1000 if key[0] == "K" or key[1] < 100 else 100 for key in runs}
    costs = {key: min(seconds(run) for _ in range(20)) / n[key] * 1e6 for key, run in runs.items()}
    return {
        axis: {
            "sizes": sizes,
            "microseconds": [costs[axis, size] for size in sizes],
            "exponent": exponent(sizes, [costs[axis, size] for size in sizes]),
        }
        for axis, sizes in (("K", experts), ("d", features))
    }


def resident():
    """Return the resident size of this process in megabytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def measure_memory():
    """Return the resident size after the first intervals and after ten million samples."""
    X, y = stream(8, 100_000)
    params = Params()
    state = core.init(params, 8, 2)
    core.predict_then_learn(params, state, X, y)
    grown = resident_grown(lambda: core.predict_then_learn(params, state, X, y), len(X))
    return {"samples": state.n_labelled, **grown}


def resident_grown(learn, n):
    """Return the resident size in megabytes now, and when n rows were learnt to ten million."""
    first = resident()
    for _ in range(MEMORY_ROWS // n - 1):
        learn()
    return {"first_mb": first, "last_mb": resident()}


def measure_start():
    """Return seconds of imports once compiled and of the first compile, of processor and clock.

    They are the same on an idle machine.
    """

    def imported(module, **environment):
        code = (
            f"import time; a, b = time.process_time(), time.perf_counter(); import {module}; "
            "print(time.process_time() - a, time.perf_counter() - b)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            check=True,
            text=True,
        )
        return [float(number) for number in done.stdout.split()]

    with tempfile.TemporaryDirectory() as folder:
        first = imported("mooe.paper.core", NUMBA_CACHE_DIR=folder)
    return {
        "import mooe": min(imported("mooe") for _ in range(3)),
        "import mooe.paper.core": min(imported("mooe.paper.core") for _ in range(3)),
        "import numba": min(imported("numba") for _ in range(3)),
        "first compile": first,
    }


def processor():
    """Return the name of the processor."""
    text = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    names = [line.split(":")[1].strip() for line in text.splitlines() if "model name" in line]
    return names[0] if names else platform.processor()


def measured():
    """Return all results."""
    now = digest.of("core")
    multiply_add(1)
    peak = 80 * 1_000_000 / min(seconds(lambda: multiply_add(1_000_000)) for _ in range(60))
    return {
        "digest": now,
        "seed": SEED,
        "versions": {name: version(name) for name in ("mooe", "numpy", "numba", "river")},
        "machine": processor(),
        "peak_gflops": peak / 1e9,
        "speed": measure_speed(peak),
        "growth": measure_growth(),
        "memory": measure_memory(),
        "start": measure_start(),
    }


if __name__ == "__main__":
    if "--memory" in sys.argv:
        print(measure_memory())
        sys.exit()
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(measured(), indent=1) + "\n")
    page.write()
    print(core_section.rendered(json.loads(RESULTS.read_text())))
