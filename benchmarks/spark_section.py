"""Spark's throughput as a section of the page, and the promise it is held to."""

import digest
from markdown_table import table

LEAST_GAIN = 4.0


def digests(results):
    """Yield what was measured, with its digest and what that is now."""
    for setting, found in results["settings"].items():
        yield setting, found["digest"], digest.of("spark")
    if "history" in results:
        yield "history", results["history"]["digest"], digest.of("spark")


def sizes(results):
    """Return the table of what a key takes in Spark's state."""
    head = [f"a key of {results['features']} inputs, two classes", "bytes of its model"]
    rows = [[name, f"{found['bytes']:,}"] for name, found in results["settings"].items()]
    return table(head, rows) + _history(results)


def rendered(results):
    """Return the section of the page."""
    keys, each = results["keys"], results["rows"]
    rows = []
    for setting, found in results["settings"].items():
        ours, naive = found["buckets"], found["naive"]
        gain = ours["warm"] / naive["warm"]
        rows.append([
            setting,
            f"{ours['warm']:,.0f}",
            f"{naive['warm']:,.0f}",
            f"{gain:.1f}",
            "ok" if gain >= LEAST_GAIN else "missed",
            f"{found['back-test']['rows a second']:,.0f}",
        ])  # fmt: skip
    head = [
        "setting",
        "buckets, rows/s",
        "a call per key, rows/s",
        "times",
        f">= {LEAST_GAIN:g}",
        "back-test, rows/s",
    ]
    return (
        f"Spark in one process, `local[{results['cores']}]`: batches of {keys:,} keys with {each} "
        f"rows each of {results['features']} inputs, warm; {results['buckets']} buckets, "
        f"{results['partitions']} partitions. A call per key is `applyInPandasWithState` with the "
        "same models and answers, in the same run; a back-test is over all batches at once.\n\n"
        + table(head, rows)
        + _history(results)
    )


def _history(results):
    """Return what was measured of a million keys whose rows are all there."""
    found = results.get("history")
    if found is None:
        return ""
    return (
        f"\nA history of {found['keys']:,} keys, {found['rows']:,} rows, the light setting, "
        f"`benchmarks/spark_history.py`: {found['seconds']:,.0f} s, "
        f"{found['rows'] / found['seconds']:,.0f} rows/s.\n"
    )
