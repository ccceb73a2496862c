"""Whether recall could gain more on real streams, as a section of the page."""

import digest
from markdown_table import table

CONTROLS = ("recurring", "Usenet1")  # streams whose regimes are known to come back
STREAMS = (
    *("Electricity", "Weather", "Covertype", "ijcnn1", "GasSensor", "Powersupply", "Spam"),
    *CONTROLS,
)
SHARES = (
    "no memory",
    "memory",
    "just before",
    "recalled",
    "heard where better",
    "hindsight",
)


def digest_of():
    """Return the digest, as of now, of every run."""
    return digest.of("recurrence")


def digests(results):
    """Yield every stream with its digest and what that is now."""
    for name in results["runs"]:
        yield name, results.get("digests", {}).get(name), digest_of()


def rendered(results):
    """Return the section of the page."""
    lines = []
    for stream in STREAMS:
        if stream in results["runs"]:
            one = results["runs"][stream]
            shares = [f"{100 * one[share] / one['rows']:.2f}" for share in SHARES]
            older = f"{100 * one['older is better'] / one['stretches']:.0f} %"
            lines.append([stream, one["stretch"], one["stretches"], *shares, older])
    head = ["", "rows a stretch", "stretches", "mooe, no memory", "mooe", "model of just before"]
    head += ["recalled", "recalled where better", "best in hindsight", "older beats just before"]
    return (
        "Does the memory gain nothing on most real streams because it misses what comes back? A "
        "stream is cut into stretches, a logistic regression and a forest are fitted on each and "
        "frozen. In every later stretch the older model, not that of the stretch just before, that "
        "does best on the first half is recalled and judged on the second. Accuracy in percent "
        "over the second halves: mooe, prequential; the better model of the stretch just before, "
        "by the first half; the recalled one; the recalled one where it beat mooe without memory "
        "on the first half by two standard errors, and mooe elsewhere; and the best of mooe and "
        "all older models chosen on the second half itself, which no memory can. Last, the share "
        "of stretches in which the recalled model beats that of just before by two standard "
        f"errors. In {' and '.join(CONTROLS)} regimes do come back.\n\n" + table(head, lines)
    )
