"""The default model beside the one of an earlier commit, as a section of the page."""

import json
from pathlib import Path

import digest
from ablation_section import FLOORS, SMALL, accuracy, of
from markdown_table import table

ABLATION = Path(__file__).parent / "results" / "ablation.json"  # the runs of now
MOST_BELOW = 0.2  # points


def digests(results):
    """Yield the digest of the earlier runs, whose model does not change, and what it is now."""
    yield results["commit"], results["digest"], digest.of("before")


def rendered(results):
    """Return the section of the page."""
    runs, commit = json.loads(ABLATION.read_text())["runs"], results["commit"]
    rows, ahead = [], []
    for stream in FLOORS:
        then = accuracy(results["runs"], stream, "before", range(5))
        now, unordered = (
            accuracy(runs, stream, variant, range(5)) for variant in ("default", "autoregression")
        )
        if then is None:
            continue
        enough = ""
        if of(runs, stream, "default")[0]["rows"] >= SMALL:
            enough = "ok" if now >= then - MOST_BELOW else "missed"
            ahead.append((now - then, stream))
        points = f"{now - then:+.2f}", f"{unordered - then:+.2f}"
        rows.append([stream, f"{then:.2f}", f"{now:.2f}", *points, enough])
    least, stream = min(ahead)
    head = ["stream", f"at {commit}", "mooe", "points", "points without autoregression", ""]
    return (
        f"Commit {commit} is the last one before the forest. Accuracy in percent, prequential, "
        "every row counted, mean over seeds 0 to 4, as above. Ok: at most "
        f"{MOST_BELOW} points below, on streams of {SMALL:,} rows or more; least ahead is "
        f"{stream}, by {least:+.2f}. Spam_full, of sparse rows, is left out.\n\n"
        + table(head, rows)
    )
