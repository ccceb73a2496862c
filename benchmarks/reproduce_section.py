"""How long the paper takes to reproduce, as a section of the page."""

import digest
from markdown_table import table

RUNS = {  # by the name of the run in the result file
    "quick": ("`mooe reproduce all --quick`", "nothing compiled before, no stream there"),
    "full": ("`mooe reproduce all`", "the streams on the machine"),
}


def digests(results):
    """Yield every run with its digest and what that is now."""
    for name, one in results.items():
        yield RUNS[name][0], one.get("digest"), digest.of("reproduce")


def rendered(results):
    """Return the section of the page."""
    lines = []
    for name, (command, how) in RUNS.items():
        if name in results:
            run = results[name]
            load = f"{run['load before']:.1f}, {run['load at the end']:.1f}"
            counts = run["cells"], run["cells without their stream"], run["cores"]
            lines.append([command, how, duration(run["seconds"]), *counts, load])
    head = ["command", "", "time", "cells", "without their stream", "cores", "load before, after"]
    versions = dict.fromkeys(map(origin_of, results.values()))
    return (
        "On the clock, from the start of the command to its report, in as many processes as there "
        "are cores. A load above the number of cores at the end means that others worked there "
        "too.\n\n" + table(head, lines) + f"\n{' '.join(versions)}\n"
    )


def duration(seconds):
    """Return a time in words."""
    return f"{seconds:,.0f} s" if seconds < 180 else f"{seconds / 60:,.0f} min"


def origin_of(run):
    """Return versions and machine of a run, in a sentence."""
    return ", ".join(f"{name} {value}" for name, value in run["origin"].items()) + "."
