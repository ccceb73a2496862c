"""The soak as a section of the page: what was killed, cut and let run, and what was lost."""

import digest
from markdown_table import table

FLAT = 1.1  # of the memory of the second quarter, less what the model has grown


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
    looks = found["looks"]
    early, late = looks[len(looks) // 4], looks[-1]
    grown = late["memory MB"] - early["memory MB"] - 3 * (late["model MB"] - early["model MB"])
    verdict = "ok" if grown <= (FLAT - 1.0) * early["memory MB"] else "missed"
    return [
        f"{found['minutes']:g} minutes of 32 clients that ask and tell",
        f"{late['labels']:,} labels; memory {early['memory MB']:.0f} MB after a quarter, "
        f"{late['memory MB']:.0f} MB at the end, the model {early['model MB']:.1f} and "
        f"{late['model MB']:.1f} MB: {verdict}",
    ]
