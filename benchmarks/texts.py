"""How columns of many texts are best encoded: columns of their own, shared by a hash, or none.

    python benchmarks/texts.py                        # what is not there yet
    python benchmarks/texts.py --streams flights --again

Made tables of 12,000 rows through the reader and the default model, prequential, every row counted.
"""

# ruff: noqa: E402

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import csv
import io
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np
from result_file import measure_missing
from texts_section import STREAMS, WAYS, digest_of

from mooe.datasets import open_stream
from mooe.evaluate.loop import prequential
from mooe.run.registry import make_learner
from mooe.streams import columns, encoding
from mooe.streams.arrangement import ArrangedStream

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from tables import flights

RESULTS = Path(__file__).parent / "results" / "texts.json"
N_ROWS = 12_000


def named(prefix, numbers):
    return [f"{prefix}{number}" for number in numbers.tolist()]


def with_label(rng, odds, **cells):
    """Return columns with a label of these log-odds behind them."""
    return {**cells, "y": (rng.random(N_ROWS) < 1.0 / (1.0 + np.exp(-odds))).astype(int)}


def made(stream):
    """Return the columns of a made table by name, the label last; `STREAMS` says what they are."""
    rng = np.random.default_rng(1)
    row, a, b = np.arange(N_ROWS), *rng.normal(size=(2, N_ROWS)).round(4)
    effect = rng.normal(0.0, 1.5, 5_000)
    numbers = {"a": a, "b": b}
    if stream in ("flights", "airports"):
        rows = list(csv.DictReader(io.StringIO(flights(n=N_ROWS).decode())))
        names = list(rows[0]) if stream == "flights" else ["origin", "dest", "departure", "late"]
        return {name: [one[name] for one in rows] for name in names}
    if stream == "pairs":
        shop, product = rng.integers(0, 40, N_ROWS), rng.integers(0, 60, N_ROWS)
        odds = 2.0 * np.sign(effect[shop] * effect[100 + product])
        return with_label(rng, odds, shop=named("s", shop), product=named("p", product))
    if stream == "prices":
        share = 1.0 / np.arange(3.0, 203.0)
        town, size = rng.choice(200, N_ROWS, p=share / share.sum()), rng.gamma(4.0, 20.0, N_ROWS)
        price = np.exp(0.27 * effect[town]) * size * 20.0 + rng.normal(0.0, 150.0, N_ROWS)
        return {"town": named("t", town), "size": size.round(1), "y": price.round(1)}
    if stream == "customers":
        share = 1.0 / np.arange(5.0, 5_005.0) ** 1.1
        ids = rng.choice(5_000, N_ROWS, p=share / share.sum())
    elif stream in ("newcomers", "turnover"):
        ids = row // (40 if stream == "newcomers" else 4)
        ids = ids + np.minimum(rng.geometric(1.0 / 30.0, N_ROWS), 200)
    elif stream == "shifting":
        ids = np.maximum(0, (row - 1_000) // 500) * 10 + rng.integers(0, 60, N_ROWS)
    elif stream == "rare":
        is_rare = rng.random(N_ROWS) < 0.05
        ids = np.where(is_rare, 60 + rng.integers(0, 400, N_ROWS), rng.integers(0, 60, N_ROWS))
    else:
        ids = rng.integers(0, {"users": 300, "slopes": 150}[stream], N_ROWS)
    odds = effect[ids] * a * 1.3 if stream == "slopes" else effect[ids] + a
    odds = odds + (2.0 * a * b if stream in ("shifting", "rare") else 0.0)
    return with_label(rng, odds, id=named("u", ids), **numbers)


def run(path, label, way):
    """Return the measures of the default model on a table whose texts are encoded in a way."""
    most_own, n_shared, n_shared_narrow, drop = WAYS[way]
    narrow = columns.NARROW if n_shared_narrow else 0
    with (
        patch.object(encoding, "MOST_OWN", most_own),
        patch.object(encoding, "N_SHARED", n_shared),
        patch.object(encoding, "N_SHARED_NARROW", n_shared_narrow),
        patch.object(columns, "NARROW", narrow),
    ):
        stream = open_stream(path, label=label)
        texts = [name for name, kind in (stream.kinds or {}).items() if kind == "text"]
        if drop:
            if len(texts) == len(stream.feature_names):
                return None  # nothing would be left
            stream = open_stream(path, label=label, drop=texts)
        rows = ArrangedStream(stream)
        began = time.process_time()
        results = prequential(make_learner("mooe", stream.task, 0, {}), rows)
        seconds = time.process_time() - began
    one = {
        name: results.cumulative[name]
        for name in ("accuracy", "log_loss", "r2")
        if name in results.cumulative
    }
    return {**one, "columns": len(rows.columns), "seconds": round(seconds, 1)}


def runs_on(stream):
    """Yield the runs of all ways on a stream."""
    cells = made(stream)

    def told(key, way):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{stream}.csv"
            with path.open("w", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(cells)
                writer.writerows(zip(*cells.values(), strict=True))
            one = run(path, list(cells)[-1], way)
        print(key, one, flush=True)
        return one

    for way in WAYS:
        key = f"{stream} | {way}"
        yield key, partial(told, key, way)


if __name__ == "__main__":
    measure_missing(__doc__.splitlines()[0], RESULTS, STREAMS, runs_on, digest_of)
