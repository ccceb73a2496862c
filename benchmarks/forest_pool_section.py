"""Whether a pool of parked forests would pay, as a section of the page."""

import digest
from markdown_table import table

LONG = ", 60,000 rows"
RETURN = ("mixed", "agrawal recurring", "River's agrawal recurring", "stagger")
LONGER = tuple(f"{name}{LONG}" for name in ("mixed", "sine", "agrawal recurring", "sea recurring"))
NEVER = ("sine", "agrawal abrupt", "sea recurring", "led drifting", "rbf drifting")
REAL = ("recurring", "Electricity", "Weather", "ijcnn1", "Covertype")
STREAMS = (*RETURN, *NEVER, *REAL, *LONGER)
POOLS = {
    "one forest": None,
    "changes known": None,
    "steady": {"need": 12.0, "trial": 200, "steady": True, "empty": True},
    "trial, 12": {"need": 12.0, "trial": 200},
    "trial, 20": {"need": 20.0, "trial": 200},
    "trial, 30": {"need": 30.0, "trial": 200},
}
SHOWN = tuple(POOLS)[1:]


def seeds_of(stream):
    """Return the seeds of a stream's runs."""
    return range(5) if stream in (*RETURN, *NEVER) else range(2)


def digest_of(name):
    """Return the digest, as of now, of a run by its name."""
    return digest.of("forest_pool", POOLS[name.split(" | ")[1]])


def digests(results):
    """Yield the stream of every run, with its digest and what that is now."""
    for name in results["runs"]:
        yield name.split(" | ")[0], results["digests"].get(name), digest_of(name)


def differences(runs, stream, pool):
    """Return what a pool changes in points, for each seed."""
    found = []
    for seed in seeds_of(stream):
        one, plain = (runs.get(f"{stream} | {name} | {seed}") for name in (pool, "one forest"))
        if one and plain:
            found.append(100 * (one["right"] - plain["right"]) / one["rows"])
    return found


def shown(found):
    """Return the mean of differences and the least of them, as text."""
    return f"{sum(found) / len(found):+.2f} ({min(found):+.2f})" if found else ""


def mean(runs, stream, pool, value):
    """Return the mean over seeds of a value of each run."""
    found = [runs.get(f"{stream} | {pool} | {seed}") for seed in seeds_of(stream)]
    found = [value(one) for one in found if one]
    return sum(found) / len(found)


def rendered(results):
    """Return the section of the page."""
    runs, lines, last = results["runs"], [], SHOWN[-1]
    for stream in STREAMS:
        if f"{stream} | {last} | 0" in runs:
            plain = mean(runs, stream, "one forest", lambda one: 100 * one["right"] / one["rows"])
            cells = [shown(differences(runs, stream, pool)) for pool in SHOWN]
            scored = mean(runs, stream, last, lambda one: one["scored"] / one["rows"])
            recalls = mean(runs, stream, last, lambda one: one["recalls"])
            room = mean(runs, stream, last, lambda one: one["bytes"] / 1e6)
            costs = [f"{recalls:.1f}", f"{scored:.2f}", f"{room:.1f}"]
            lines.append([stream, f"{plain:.2f}", *cells, *costs])
    head = ["", "one forest", *SHOWN, "recalls", "scored a row", "MB parked"]
    return (
        "Would it pay to park forests and to bring one back with its regime? The default model "
        "learns row by row, and between rows its forest is copied, scored and replaced; the rest "
        "of the model is as it is. Accuracy in percent with its one forest, and what a pool "
        "changes, in points: the mean over seeds, and in brackets the worst seed (0 to 4, on real "
        "and on longer streams 0 and 1; the first 60,000 rows). Changes known: at every change of "
        "regime, which no model is told, the forest is parked and that of the next regime put "
        "back; only where a regime returns. Steady: up to three parked ones are scored on every "
        "row; when the leaves' errors rise by the rule of a tree, the forest is parked and an "
        "empty one learns; a parked one takes over when it has saved 12 nats. Trial: a copy is "
        "parked at such an alarm, the forest goes on, and parked ones are scored for the 200 rows "
        "behind it alone; one takes over at 12, 20 or 30 nats. Of the last: how often one took "
        "over, parked forests scored a row, and the room that they take with all their tests. In "
        "the first four streams regimes return, in the next five none does; in those of 60,000 "
        "rows all do.\n\n" + table(head, lines)
    )
