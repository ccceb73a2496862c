"""What was chosen for the cold start of new keys, and on what: the streams of development.

    python benchmarks/keyed_choices.py rates     # of the baselines, a minute or two
    python benchmarks/keyed_choices.py shares    # of a shared model's votes, some twenty minutes
    python benchmarks/keyed_choices.py buckets   # how many shared models, some eight minutes

It prints a table and writes nothing: what it leads to stands in `keyed_section.py` (rates)
and in `mooe.keyed.models` (VOTE_SHARES, BUCKETS). No stream of the reported grid is among them.
"""

# ruff: noqa: E402

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import sys
import time
from functools import partial
from itertools import product

import keyed
import numpy as np
from keyed_streams import DEVELOPMENT, SPREADS, Cell, stream

from mooe.keyed import KeyedMOOE, models

N_KEYS, N_ROWS, FIRST, FEW = 1_000, 200, 20, 5
COMMON = (0.01, 0.03, 0.1, 0.3)
OWN = (0.03, 0.1, 0.3, 1.0)
ALONE = (0.01, 0.03, 0.1, 0.3, 1.0)
SHARES = (
    (0.5, 0.25, 0.2),
    (0.6, 0.2, 0.15),
    (0.6, 0.25, 0.1),
    (0.65, 0.2, 0.1),
    (0.7, 0.15, 0.1),
    (0.8, 0.1, 0.07),
)
BUCKETS = (1, 2, 4, 8, 64)
GRID = [Cell(spread, *condition) for condition in DEVELOPMENT for spread in SPREADS]


def rates():
    """Print the mean accuracies of what stands beside, by rate."""
    found = {}
    for cell in GRID:
        keys, X, y, age = stream(cell, N_KEYS, N_ROWS, DEVELOPMENT)
        few = keys < FEW
        alone = keys[few], np.ascontiguousarray(X[few]), y[few]
        ways = {
            f"hierarchical {both}": (partial(keyed.hierarchical, *both, keys, X, y), age)
            for both in product(COMMON, OWN)
        }
        for rate in ALONE:
            ways[f"River {rate:g}"] = partial(keyed.of_river, rate, *alone), age[few]
            ways[f"scikit-learn {rate:g}"] = partial(keyed.of_sklearn, rate, *alone), age[few]
        for name, (way, ages) in ways.items():
            right = np.asarray(way(), np.float64)
            found.setdefault(name, []).append((right[ages < FIRST].mean(), right.mean()))
        print(cell.name, f"{cell.spread:g}", file=sys.stderr, flush=True)
    for name, figures in found.items():
        first, whole = np.mean(figures, axis=0)
        print(f"{name}: first {FIRST} rows {first:.4f}, all {whole:.4f}")


def shares():
    """Print how far keys are ahead of the global model by the shares of its votes."""
    ahead = {one: {spread: [] for spread in SPREADS} for one in SHARES}
    for cell in GRID:
        keys, X, y, age = stream(cell, N_KEYS, N_ROWS, DEVELOPMENT)
        votes = []
        for one in SHARES:
            models.VOTE_SHARES = one
            model = KeyedMOOE(shared="learning", buckets=1)
            heard = iter(votes) if votes else None
            model.shared.votes = partial(_heard, model.shared.votes, model.shared, votes, heard)
            right = model.predict_then_learn(keys, X, y) == y
            said = np.concatenate([part for part, *_ in votes])
            said = np.array(model.labels.names)[np.nan_to_num(said).argmax(axis=1)] == y
            both = [(side[age < FIRST].mean(), side.mean()) for side in (right, said)]
            ahead[one][cell.spread].append(np.subtract(*both))
        print(cell.name, f"{cell.spread:g}", file=sys.stderr, flush=True)
    for one, by_spread in ahead.items():
        print(one)
        for spread, figures in by_spread.items():
            (first, whole), least = np.mean(figures, axis=0), np.min(figures, axis=0)[1]
            print(f"  {spread:g}: first {first:+.4f}, all {whole:+.4f}, least {least:+.4f}")


def buckets():
    """Print accuracies and rows per second, two threads, by the number of shared models."""
    found = {one: [] for one in BUCKETS}
    for cell in GRID:
        keys, X, y, age = stream(cell, N_KEYS, N_ROWS, DEVELOPMENT)
        for one in BUCKETS:
            model = KeyedMOOE(shared="learning", buckets=one, threads=2)
            began, used = time.perf_counter(), time.process_time()
            right = model.predict_then_learn(keys, X, y) == y
            times = time.perf_counter() - began, time.process_time() - used
            figures = right[age < FIRST].mean(), right.mean(), *(len(y) / t for t in times)
            found[one].append((cell.spread, *figures))
        print(cell.name, f"{cell.spread:g}", file=sys.stderr, flush=True)
    for one, figures in found.items():
        for spread in (None, *SPREADS):
            own = [line[1:] for line in figures if spread in (None, line[0])]
            first, whole, by_clock, by_processor = np.mean(own, axis=0)
            print(
                f"{one} buckets, spread {'any' if spread is None else f'{spread:g}'}: first "
                f"{FIRST} rows {first:.4f}, all {whole:.4f}; {by_clock:,.0f} rows/s, "
                f"{by_processor:,.0f} a second of processor time"
            )


def _heard(ask, shared, votes, heard, *about):
    """In place: return the votes of a shared model, which learns the rows once for all shares.

    heard: those of before, in their order; None the first time, when they are kept.
    """
    if heard is None:
        said, known = ask(*about)
        votes.append((said, known, list(shared.orders[0])))
    else:
        said, known, shared.orders[0][:] = next(heard)
    return said.copy(), known.copy()


if __name__ == "__main__":
    {"rates": rates, "shares": shares, "buckets": buckets}[sys.argv[1]]()
