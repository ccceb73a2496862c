"""What the pool of forests is worth, as a section of the page."""

import digest
from markdown_table import table

LONG = ", 60,000 rows"
RETURN = ("mixed", "agrawal recurring", "River's agrawal recurring", "stagger")
LONGER = tuple(f"{name}{LONG}" for name in ("mixed", "sine", "agrawal recurring", "sea recurring"))
NEVER = ("sine", "agrawal abrupt", "sea recurring", "led drifting", "rbf drifting")
REAL = ("recurring", "Electricity", "Weather", "ijcnn1", "Covertype")
STREAMS = (*RETURN, *NEVER, *REAL, *LONGER)
WITHOUT, WITH, KNOWN = KINDS = ("without", "with", "changes known")


def seeds_of(stream):
    """Return the seeds of a stream's runs."""
    return range(5) if stream in (*RETURN, *NEVER) else range(2)


def digest_of(name):
    """Return the digest, as of now, of a run by its name."""
    return digest.of("forest_pool")


def digests(results):
    """Yield the stream of every run, with its digest and what that is now."""
    for name in results["runs"]:
        yield name.split(" | ")[0], results["digests"].get(name), digest_of(name)


def differences(runs, stream, kind):
    """Return what a kind of pool changes in points, for each seed."""
    found = []
    for seed in seeds_of(stream):
        one, plain = (runs.get(f"{stream} | {name} | {seed}") for name in (kind, WITHOUT))
        if one and plain:
            found.append(100 * (one["right"] - plain["right"]) / one["rows"])
    return found


def shown(found):
    """Return the mean of differences and the least of them, as text."""
    return f"{sum(found) / len(found):+.2f} ({min(found):+.2f})" if found else ""


def mean(runs, stream, kind, value):
    """Return the mean over seeds of a value of each run."""
    found = [runs.get(f"{stream} | {kind} | {seed}") for seed in seeds_of(stream)]
    found = [value(one) for one in found if one]
    return sum(found) / len(found)


def rendered(results):
    """Return the section of the page."""
    runs, lines = results["runs"], []
    for stream in STREAMS:
        if f"{stream} | {WITH} | 0" in runs:
            cells = [
                f"{mean(runs, stream, kind, lambda one: 100 * one['right'] / one['rows']):.2f}"
                for kind in (WITHOUT, WITH)
            ]
            cells += [shown(differences(runs, stream, kind)) for kind in (WITH, KNOWN)]
            room = mean(runs, stream, WITH, lambda one: one["bytes"] / 1e6)
            lines.append([stream, *cells, f"{room:.1f}"])
    head = ["", "without the pool", "default", "change", "changes known", "MB"]
    return (
        "What the pool of forests is worth: accuracy in percent of the default model without it "
        "and with it, and the change in points: the mean over seeds, and in brackets the worst "
        "seed (0 to 4, on real and on longer streams 0 and 1; the first 60,000 rows). Changes "
        "known: a model that is told every change of regime, which no model is; there its forest "
        "is parked, and that of the next regime put back; only where a regime returns. Last the "
        "room that the pool takes at the end. In the first four streams regimes return, in the "
        "next five none does; in those of 60,000 rows all do.\n\n" + table(head, lines)
    )
