"""The cost of the shells as a section of the page, and the promises they are held to."""

import digest
from markdown_table import table

MOST_OVER_CHUNK, MOST_A_ROW, MOST_TO_LOAD = 5.0, 150.0, 1000.0
LEAST_BESIDE = {"Electricity": 0.4, "Covertype": 0.65}  # by the default model; the paper's: as fast
AS_FAST = 0.98


def digests(results):
    """Yield what was measured, with its digest and what that is now."""
    now = digest.of("shells")
    yield "shells", results.get("digest"), now
    if "beside" in results:
        yield "beside an earlier commit", results["beside"]["digest"], now


def rendered(results):
    """Return the section of the page."""
    rows, small, large = results["rows"], results["rows"]["8"], results["rows"]["500"]
    over = small["River adapter"] - small["chunk"]
    gain = large["River's logistic regression"] / large["River adapter"]
    checks = [
        ("a dict of 8, us more than in a chunk", over, f"<= {MOST_OVER_CHUNK:g}"),
        ("a dict of 500, times as fast as River's logistic regression", gain, ">= 1"),
        ("a row of 8 through scikit-learn, us", small["scikit-learn"], f"<= {MOST_A_ROW:g}"),
        ("to load trusted bytes, us", results["bytes"]["load, trusted"], f"<= {MOST_TO_LOAD:g}"),
    ]
    for path, ratio in results.get("beside", {}).get("times as fast", {}).items():
        commit = results["beside"]["commit"]
        least = LEAST_BESIDE.get(path, AS_FAST)
        checks.append((f"times as fast in a chunk as at {commit}: {path}", ratio, f">= {least:g}"))
    shown = [[what, f"{x:.3g}", bound, _verdict(x, bound)] for what, x, bound in checks]
    names = list(small)
    return (
        "Microseconds of processor time to answer and learn a row: in a chunk, from dicts, and row "
        "by row through scikit-learn's dialect.\n\n"
        + table(["d", *names], [[d, *(f"{rows[d][name]:.2f}" for name in names)] for d in rows])
        + "\n"
        + table(["promise", "measured", "bound", ""], shown)
    )


def _verdict(value, bound):
    """Return whether a promise is kept."""
    sign, limit = bound.split()
    kept = value <= float(limit) if sign == "<=" else value >= float(limit)
    return "ok" if kept else "missed"
