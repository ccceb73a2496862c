"""The cost of the prequential loop as a section of the page, and the promises it is held to."""

import digest
from markdown_table import table

MOST_OVER_BARE, LEAST_UNDER_RIVER, MOST_GROWN = 1.3, 10, 50


def digests(results):
    """Yield what was measured, with its digest and what that is now."""
    yield "all", results.get("digest"), digest.of("evaluate")


def rendered(results):
    """Return the section of the page."""
    costs, checks = [], []
    for d, us in sorted(results["rows"].items(), key=lambda pair: int(pair[0])):
        over, under = us["loop"] / us["bare"], us["river"] / us["loop"]
        costs.append([d, *(f"{us[name]:.2f}" for name in ("bare", "loop", "river"))])
        most, least = MOST_OVER_BARE, LEAST_UNDER_RIVER
        checks += [
            (f"loop / bare path, d = {d}", over, f"<= {most}", over <= most),
            (f"River's loop / loop, d = {d}", under, f">= {least}", under >= least),
        ]
    if "MB grown" in results:
        grown, most = results["MB grown"], MOST_GROWN
        checks.append(("MB grown while reading a long CSV", grown, f"<= {most}", grown <= most))
    shown = [[what, f"{x:.3g}", bound, "ok" if ok else "missed"] for what, x, bound, ok in checks]
    return (
        "Microseconds a row of processor time: the bare chunk path of the paper's model, the same "
        "in `evaluate.prequential`, and River's own loop with its logistic regression.\n\n"
        + table(["d", "bare path", "loop", "River's loop"], costs)
        + "\n"
        + table(["promise", "measured", "bound", ""], shown)
    )
