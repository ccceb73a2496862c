"""The first use of the package as a section of the page, and the promises it is held to."""

from pathlib import Path

import digest
from markdown_table import table

NATIVE = Path(__file__).parents[1] / "native"
MOST_FIT, MOST_TOGETHER, MOST_COMPILED, LEAST_SPEED = 0.5, 3.0, 25.0, 0.95
COLUMNS = ("import", "fit", "together", "clock", "peak MB")


def digest_now():
    """Return the digest of what is measured: the package, and how its code is compiled."""
    builds = [(NATIVE / name).read_text() for name in ("build.py", "native.c")]
    return digest.of("first_use", *builds)


def digests(results):
    """Yield what was measured, with its digest and what that is now."""
    yield "first use", results.get("digest"), digest_now()


def promises(results):
    """Return (what, value, bound, whether it holds) for every promise."""
    start, costs = results["starts"]["wheel"], results["microseconds"]
    compiled = results["starts"]["checkout, nothing compiled"]["fit"]
    together = start["import"] + start["fit"]
    found = [
        ("processor seconds of the first fit", start["fit"], "<=", MOST_FIT),
        ("processor seconds of import and fit", together, "<=", MOST_TOGETHER),
        ("the same of the first fit of a checkout, which compiles", compiled, "<=", MOST_COMPILED),
    ]
    for path, cost in costs["wheel"].items():
        speed = costs["checkout"][path] / cost
        found.append((f"times as fast as numba's, {path}", speed, ">=", LEAST_SPEED))
    return [
        (what, x, f"{sign} {bound:g}", x <= bound if sign == "<=" else x >= bound)
        for what, x, sign, bound in found
    ]


def rendered(results):
    """Return the section of the page."""
    starts, costs, sizes = results["starts"], results["microseconds"], results["kilobytes"]
    times = [
        [
            name,
            *(f"{one[part]:.2f}" for part in ("import", "fit")),
            f"{one['import'] + one['fit']:.2f}",
            f"{one['clock']:.2f}",
            f"{one['megabytes']:.0f}" if one["megabytes"] else "",
        ]
        for name, one in starts.items()
    ]
    return (
        f"Seconds of processor time, {results['machine']}: `from mooe.estimators import "
        "MOOEClassifier`, then its first fit. The wheel brings compiled code "
        f"(`{results['wheel']}`, {sizes['native']:,.0f} kB; the one for all platforms "
        f"{sizes['pure']:,.0f} kB), a checkout compiles once.\n\n"
        + table(["from", *COLUMNS], times)
        + "\nMicroseconds to learn a row of eight inputs, in turns; single rows are answered "
        "first.\n\n"
        + table(
            ["path", *costs],
            [[path, *(f"{costs[name][path]:.2f}" for name in costs)] for path in costs["wheel"]],
        )
        + "\n"
        + table(
            ["promise", "measured", "bound", ""],
            [[w, f"{x:.3g}", b, "ok" if ok else "missed"] for w, x, b, ok in promises(results)],
        )
    )
