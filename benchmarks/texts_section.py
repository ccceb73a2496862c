"""How columns of many texts are best encoded, as a section of the page."""

import digest
from markdown_table import table

STREAMS = {
    "flights": "12 carriers, 3,900 flights, 100 airports twice, 676 planes",
    "airports": "the airports and the hour alone",
    "customers": "5,000, some far more often than others",
    "newcomers": "500, of which 30 are about at a time, for some 1,200 rows",
    "turnover": "3,200, of which 30 are about at a time, for some 120 rows",
    "shifting": "60 at first, ten of them replaced every 500 rows",
    "rare": "60, and one row in twenty has one of 400 others",
    "pairs": "40 shops, 60 products; only the pair matters",
    "slopes": "150, each with a slope of its own",
    "users": "300, all alike",
    "prices": "200 towns, each with a price per size (R2, not accuracy)",
}
# Columns for the first texts of a column, those shared by all later ones, those shared where the
# first 1,000 rows are narrow and are to stay so (0: they need not), and whether texts are left out.
WAYS = {
    "as it is": (1_000, 128, 4, False),
    "16 shared where narrow": (1_000, 128, 16, False),
    "not kept narrow": (1_000, 128, 0, False),
    "not kept narrow, one shared": (1_000, 1, 0, False),
    "100 of their own, 16 shared": (100, 16, 0, False),
    "50 of their own, 16 shared": (50, 16, 0, False),
    "all share 32": (0, 32, 0, False),
    "all share 120": (0, 120, 0, False),
    "left out": (0, 1, 0, True),
}


def digest_of(key):
    """Return the digest, as of now, of a run."""
    return digest.of("texts", key)


def digests(results):
    """Yield the stream of every run, with its digest and what that is now."""
    for key in results["runs"]:
        yield key.split(" | ")[0], results["digests"].get(key), digest_of(key)


def shown(run):
    """Return the measure of a run in percent, accuracy or R2; empty where there is none."""
    if run is None:
        return ""
    return f"{100 * run.get('accuracy', run.get('r2', 0.0)):.1f}"


def rendered(results):
    """Return the section of the page."""
    runs, rows = results["runs"], []
    for way in WAYS:
        own = {stream: runs.get(f"{stream} | {way}") for stream in STREAMS}
        known = [float(shown(run)) for run in own.values() if run is not None]
        mean = f"{sum(known) / len(known):.1f}" if len(known) == len(STREAMS) else ""
        most = max((run["columns"] for run in own.values() if run), default=0)
        seconds = sum(run["seconds"] for run in own.values() if run)
        rows.append([way, *map(shown, own.values()), mean, f"{most:,}", f"{seconds:.0f}"])
    what = "\n".join(f"- {stream}: {words}" for stream, words in STREAMS.items())
    return (
        "Made tables of 12,000 rows (`benchmarks/texts.py`), accuracy in percent, every row "
        "counted; the columns of numbers that there are at most, and the seconds of processor time "
        "of all runs together. The first texts of a column that come have a column of their own, "
        "all later ones share some by a hash. A table whose first 1,000 rows need at most 128 "
        "columns is kept to them, for above that the forest and the experts on rich inputs have to "
        "leave; any other gives 1,000 texts of a column their own, and 128 columns to the rest. "
        "Above 128 columns nothing is learnt of what a text and a number say together (slopes): "
        "what each text says by itself mattered more.\n\n"
        + table(["texts", *STREAMS, "mean", "columns", "seconds"], rows)
        + f"\n{what}\n"
    )
