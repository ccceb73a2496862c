"""One model per key, as a section of the page: speed, sizes, and how new keys start."""

import digest
from keyed_streams import CONDITIONS, GRID, SPREADS, Cell
from markdown_table import table

SPEED = {
    "paper": "the paper's, 8 experts",
    "light": "light",
}
COLUMNS = ("two", "one", "two_by_processor", "texts")
REAL = {
    "Electricity": "by half-hour",
    "Covertype": "by soil type, the first 40,000 rows",
}
OURS, GLOBAL = "light beside a shared model, one bucket, the default", "one global default model"
BY_BUCKET = "light beside shared models, 64 buckets"
MANY = 64  # buckets
# Rates that were best on the streams of development, see `keyed_choices.py`; of the hierarchical
# ones a lower rate beside, for the best is the lowest that was tried.
RATES = ((0.01, 0.1), (0.003, 0.1))
RIVER_RATE, SKLEARN_RATE = 0.1, 0.1
LEARNERS = (
    OURS,
    BY_BUCKET,
    GLOBAL,
    "light, one per key",
    "default, one per key",
    *(f"hierarchical logistic regression, rates {one:g} and {own:g}" for one, own in RATES),
    f"logistic regression of River, rate {RIVER_RATE:g}, one per key",
    f"SGDClassifier of scikit-learn, rate {SKLEARN_RATE:g}, one per key",
)


def name_of(cell):
    """Return the name of a cell's run."""
    return f"cold | {cell.name} | {cell.spread:g}"


def digest_of(key):
    """Return the digest, as of now, of a run."""
    return digest.of("keyed", key)


def digests(results):
    """Yield what every run is of, with its digest and what that is now."""
    for key in results["runs"]:
        yield key.split(" | ")[0], results["digests"].get(key), digest_of(key)


def rendered(results):
    """Return the section of the page."""
    runs = results["runs"]
    return "\n".join((_speed(runs), _cold(runs), _real(runs)))


def _speed(runs):
    """Return the table of speed and sizes."""
    rows = []
    for name, words in SPEED.items():
        run = runs.get(f"speed | {name}")
        if run is not None:
            rows.append(
                [
                    words,
                    f"{run['keys']:,}",
                    f"{run['bytes_per_key']:,.0f}",
                    *(f"{run.get(column, 0):,.0f}" for column in COLUMNS),
                    f"{run['peak'] / 1e9:.1f}",
                    "the same bits" if run["spill_is_exact"] else "other bits",
                ]
            )
    head = ["setting", "keys", "bytes a key", "rows/s, two threads", "one thread"]
    head += ["a second of processor time, two threads"]
    return (
        "`mooe.keyed.KeyedMOOE`, 8 inputs, two classes, rows of random keys in calls of "
        "1,000,000, each answered and learnt; the best of five calls (`benchmarks/keyed.py`), by "
        "the clock and, for a machine with other work, by processor time. Keys "
        "are whole numbers, beside them 200,000 texts of 14 letters, two threads. Spilled: "
        "the same rows with a limit of memory, so that keys wait in a file and come back.\n\n"
        + table([*head, "texts", "GB at most", "spilled"], rows)
    )


def _cold(runs):
    """Return the tables of the cold start."""
    known = {cell: runs[name_of(cell)] for cell in GRID if name_of(cell) in runs}
    means = [
        [
            learner,
            *(f"{_mean(known.values(), learner, part):.3f}" for part in ("first", "all")),
        ]
        for learner in LEARNERS
    ]
    by_spread = []
    for spread in SPREADS:
        own = [run for cell, run in known.items() if cell.spread == spread]
        if own:
            figures = [_mean(own, who, part) for part in ("first", "all") for who in (OURS, GLOBAL)]
            least = [min(run[OURS][p] - run[GLOBAL][p] for run in own) for p in ("first", "all")]
            allowed = (-0.015, -0.01) if spread == 0.0 else (-1.0, 0.0)
            holds = all(one >= most for one, most in zip(least, allowed, strict=True))
            row = [f"{spread:g}", *(f"{figure:.3f}" for figure in figures), f"{least[1]:+.4f}"]
            by_spread.append([*row, "ok" if holds else "missed"])
    cells = []
    for condition in CONDITIONS:
        row = [Cell(0.0, *condition).name]
        for spread in SPREADS:
            run = known.get(Cell(spread, *condition))
            row.append(f"{run[OURS]['all']:.3f} / {run[GLOBAL]['all']:.3f}" if run else "")
        cells.append(row)
    return (
        "How new keys start: 2,000 keys with 200 rows each, who take turns; the weights of a key "
        "are those of all plus a spread times its own. Noise: a tenth of the labels is wrong. "
        "Switches: every key goes back and forth between two truths. Accuracy, mean over the "
        f"{len(known)} streams of the grid that were measured, of {len(GRID)}, over the first 20 "
        "rows of each key and over all. The default model, River's and scikit-learn's, one per "
        "key, are measured on 50 of the keys. Shares of votes and all rates, those of the "
        "baselines too, were chosen on streams of development with other seeds and conditions "
        "(`benchmarks/keyed_choices.py`); on these streams nothing was chosen.\n\n"
        + table(["learner", "first 20 rows", "all rows"], means)
        + "\nBy spread, one bucket, beside the global model; promised are at spread 0 at most .015 "
        "and .01 below it, from .15 on at least as much over all rows:\n\n"
        + table(
            ["spread", "first 20", "global, first 20", "all", "global, all", "least ahead", ""],
            by_spread,
        )
        + "\nStream by stream, all rows, beside the global model:\n\n"
        + table(["stream", *(f"spread {spread:g}" for spread in SPREADS)], cells)
    )


def _mean(runs, learner, part):
    """Return the mean of a learner's accuracies."""
    found = [run[learner][part] for run in runs]
    return sum(found) / len(found) if found else float("nan")


def _real(runs):
    """Return the table of real streams."""
    rows = []
    for name, words in REAL.items():
        run = runs.get(f"real | {name}")
        if run is not None:
            ways = ("shared", "by bucket", "global", "alone")
            figures = (f"{run[who]:.4f}" if who in run else "" for who in ways)
            rows.append([f"{name}, {words}", str(run["keys"]), *figures])
    head = ["stream", "keys", "light beside a shared model, one bucket", "64 buckets"]
    head += ["one global model", "light alone"]
    return "Real streams, accuracy over all rows:\n\n" + table(head, rows)
