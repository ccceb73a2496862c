"""The soak as a section of the page: what was killed, cut and let run, and what was lost."""

import digest
from markdown_table import table

FLAT = 1.05  # of the memory when SQLite's cache was full, less what the model has grown since


def digests(results):
    """Yield what was measured, with its digest and what that is now."""
    for name, found in results.items():
        yield name, found["digest"], digest.of("soak")


def rendered(results):
    """Return the section of the page."""
    rows = []
    if "kills" in results:
        found = results["kills"]
        told = f"{found['acknowledged']:,} labels acknowledged, none lost, none learnt twice"
        rows.append([f"{found['kills']:,} times killed in the middle of its work", told])
    if "images" in results:
        found = results["images"]
        told = f"{found['acknowledged']:,} labels acknowledged, none lost, none learnt twice"
        rows.append([f"{found['images']:,} disks cut behind the last sync", told])
    if "run" in results:
        rows.append(_run(results["run"]))
    return (
        "After each kill and cut the store is opened, and its model must equal, bit for bit, one "
        "that has learnt the same rows without a platform.\n\n" + table(["what", "outcome"], rows)
    )


def _run(found):
    """Return the row of the server that was asked and told without a pause."""
    looks, what = found["looks"], f"{found['minutes']:g} minutes of 32 clients that ask and tell"
    late = looks[-1]
    full = [each for each in looks if each.get("store MB", 0.0) > found.get("cache MB", 64.0)]
    if 4 * len(full) < len(looks):
        told = f"{late['labels']:,} labels: too short, SQLite's cache was not full for a quarter"
        return [what, f"{told} of it"]
    early = full[0]
    grown = late["memory MB"] - early["memory MB"] - 3 * (late["model MB"] - early["model MB"])
    verdict = "ok" if grown <= (FLAT - 1.0) * early["memory MB"] else "missed"
    return [
        what,
        f"{late['labels']:,} labels; memory {looks[0]['memory MB']:.0f} MB at first, "
        f"{early['memory MB']:.0f} MB when SQLite's cache of {found['cache MB']:.0f} MiB was full "
        f"({early['labels']:,} labels), {late['memory MB']:.0f} MB at the end, the model "
        f"{early['model MB']:.1f} and {late['model MB']:.1f} MB: {verdict}",
    ]
