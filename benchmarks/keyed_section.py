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
OURS, GLOBAL = "light beside a shared model", "one global default model"
LEARNERS = (
    OURS,
    GLOBAL,
    "light, one per key",
    "default, one per key",
    "hierarchical logistic regression, rates .1 and .1",
    "hierarchical logistic regression, rates .03 and .1",
    "hierarchical logistic regression, rates .03 and .3",
    "logistic regression of River, one per key",
    "SGDClassifier of scikit-learn, one per key",
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
            by_spread.append([f"{spread:g}", *(f"{figure:.3f}" for figure in figures)])
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
        f"{len(known)} streams of the grid, over the first 20 rows of each key and over all; one "
        "bucket. The default model, River's and scikit-learn's, one per key, are measured on 50 "
        "of the keys. The light setting, the shares and the rates of the corrections were chosen "
        "on streams of this grid, with fewer keys; River's and scikit-learn's learners have their "
        "default rates.\n\n"
        + table(["learner", "first 20 rows", "all rows"], means)
        + "\nBy spread, beside the global model:\n\n"
        + table(["spread", "first 20", "global, first 20", "all", "global, all"], by_spread)
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
            figures = (f"{run[who]:.4f}" for who in ("shared", "global", "alone"))
            rows.append([f"{name}, {words}", str(run["keys"]), *figures])
    head = ["stream", "keys", "light beside a shared model", "one global model", "light alone"]
    return "Real streams, accuracy over all rows, one bucket:\n\n" + table(head, rows)
