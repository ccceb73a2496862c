"""Is there recurrence in real streams that the memory misses? How much could recall gain at best?

    python benchmarks/recurrence.py            # what is not there, or of an earlier state
    python benchmarks/recurrence.py --again

A stream is cut into stretches. On each two models are fitted and frozen, a logistic regression and
a forest, so that recall is not limited to what the memory can learn. For every later stretch the
past model that does best on its first half is recalled and judged on its second half, beside the
models of the stretch just before, beside the default model without memory, and as an expert that is
heard only where it did clearly better than the default model on the first half. Recall is given
much that a memory has not: all stretches are kept, a whole half is there to choose by, columns are
standardised by the whole stream.
"""

# ruff: noqa: E402

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
import page
from ablation import loaded
from recurrence_section import STREAMS, digest_of
from scipy import sparse
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from mooe.auto import core
from mooe.auto.params import AutoParams
from mooe.evaluate.results import origin
from mooe.labels import Labels
from mooe.numerics.scores import answers

RESULTS = Path(__file__).parent / "results" / "recurrence.json"
MOST_ROWS, MOST_STRETCHES, SHORTEST = 60_000, 60, 100
NO_MEMORY = ("memory_plain", "memory_rich")


def rows_of(stream):
    """Return the first rows of a stream, dense, and the numbers of its labels."""
    X, y = loaded(stream)
    X, y = X[:MOST_ROWS], Labels().encode(y[:MOST_ROWS].astype(np.int64))
    return (X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=float)), y


def right_of(X, y, without):
    """Return whether the default model answers each row right."""
    params = AutoParams(without=without)
    scores = core.predict_then_learn(params, core.init(params, X.shape[1]), X, y)
    return answers(params, scores) == y


def fitted(X, y):
    """Return the frozen models of a stretch."""
    if len(np.unique(y)) < 2:
        return [DummyClassifier().fit(X, y)]
    linear = LogisticRegression(C=1.0, max_iter=60).fit(X, y)
    return [linear, RandomForestClassifier(30, max_depth=12, random_state=0).fit(X, y)]


def measured(stream):
    """Return how many rows of the second halves each way answers right, summed over stretches."""
    X, y = rows_of(stream)
    plain, whole = right_of(X, y, NO_MEMORY), right_of(X, y, ())
    Z = (X - np.nanmean(X, axis=0)) / np.maximum(np.nanstd(X, axis=0), 1e-9)
    Z = np.nan_to_num(Z)
    length = max(SHORTEST, len(y) // MOST_STRETCHES)
    cuts = range(0, len(y) - length + 1, length)
    right = []  # of each past stretch: (models, n) whether its models answer the rows right
    found = dict.fromkeys(("rows", "no memory", "memory", "just before", "recalled"), 0)
    found |= dict.fromkeys(("heard where better", "hindsight", "stretches", "older is better"), 0)
    for first in cuts:
        half, end = first + length // 2, first + length
        if len(right) >= 2:
            _judge(found, plain, whole, right, first, half, end)
        models = fitted(Z[first:end], y[first:end])
        later = [model.predict(Z[end:]) == y[end:] for model in models if len(y) > end]
        right.append([np.append(np.zeros(end, dtype=bool), one) for one in later])
    return {**found, "stretch": length}


def _judge(found, plain, whole, right, first, half, end):
    """In place: what the second half of a stretch adds to what was found."""
    a, b = slice(first, half), slice(half, end)
    older = [one for models in right[:-1] for one in models]
    latest = max(right[-1], key=lambda one: one[a].sum())
    recalled = max(older, key=lambda one: one[a].sum())
    n = end - half
    found["rows"] += n
    found["no memory"] += int(plain[b].sum())
    found["memory"] += int(whole[b].sum())
    found["just before"] += int(latest[b].sum())
    found["recalled"] += int(recalled[b].sum())
    heard = recalled if _is_better(recalled[a], plain[a]) else plain
    found["heard where better"] += int(heard[b].sum())
    found["hindsight"] += int(max(plain[b].sum(), max(one[b].sum() for one in older)))
    found["stretches"] += 1
    found["older is better"] += _is_better(recalled[b], latest[b])


def _is_better(one, other):
    """Whether one is right more often than the other, by two standard errors."""
    differ = one.astype(int) - other
    return bool(differ.sum() > 2.0 * np.sqrt((differ**2).sum()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--again", action="store_true", help="also what is there already")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")  # regressions that have not converged are good enough here
    whole = {"runs": {}, "digests": {}}
    if RESULTS.exists():
        whole |= json.loads(RESULTS.read_text())
    for stream in STREAMS:
        if not asked.again and whole["digests"].get(stream) == digest_of():
            continue
        one = whole["runs"][stream] = measured(stream)
        whole["digests"][stream] = digest_of()
        whole["origin"] = origin()
        shares = {k: round(100 * v / one["rows"], 2) for k, v in one.items() if k != "rows"}
        print(stream, one["rows"], shares, flush=True)
        RESULTS.write_text(json.dumps(whole, indent=1, sort_keys=True) + "\n")
    page.write()


if __name__ == "__main__":
    main()
