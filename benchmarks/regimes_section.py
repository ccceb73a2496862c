"""How well the names of regimes hold, as a section of the page."""

import digest
from markdown_table import table
from regimes_streams import LONG, SECOND, SHORT, plan

# What is asked of streams whose regimes last LONG rows: percent of rows, and of streams.
LEAST_RIGHT, LEAST_ONE_NAME = 97, 90
KINDS = {"two classes": 2, "four classes": 4, "regression": 0}


def digest_of():
    """Return the digest, as of now, of all runs."""
    return digest.of("regimes")


def digests(results):
    """Yield what was measured, with its digest and what that is now."""
    yield "all", results.get("digest"), digest_of()


def percent(part, whole):
    return f"{100 * part / whole:.1f}" if whole else ""


def summed(name, runs):
    """Return a line of the table: what came out of some streams, together."""
    rows, n = sum(one["rows"] for one in runs), len(runs)
    return [
        name,
        n,
        f"{sum(one['stream rows'] for one in runs):,}",
        percent(sum(one["right"] for one in runs), rows),
        percent(sum(one["unnamed"] for one in runs), rows),
        percent(sum(one["two names"] == 0 for one in runs), n),
        percent(sum(one["ever two names"] == 0 for one in runs), n),
        percent(sum(one["two regimes"] == 0 for one in runs), n),
    ]


def groups(runs):
    """Yield a name and the runs of some streams."""
    for title, long in (("long", True), ("short", False)):
        here = {k: one for k, one in runs.items() if plan(k).long == long}
        yield f"{title} stretches", list(here.values())
        for kind, n_classes in KINDS.items():
            yield (
                f"{title}, {kind}",
                [one for k, one in here.items() if plan(k).n_classes == n_classes],
            )
    yield "curved", [one for k, one in runs.items() if plan(k).curved]


def rendered(results):
    """Return the section of the page."""
    runs = {int(number): one for number, one in results["runs"].items()}
    head = ["", "streams", "rows", "rows named right, %", "without a name, %"]
    head += ["streams with one name a regime, %", "the same, first visits too, %"]
    head += ["streams with one regime a name, %"]
    parts = []
    for title, held_out in (
        ("Held out: streams that nothing was chosen by.", True),
        ("Looked at while the memory was worked on.", False),
    ):
        chosen = {k: one for k, one in runs.items() if plan(k).held_out == held_out}
        if chosen:
            lines = [summed(name, some) for name, some in groups(chosen) if some]
            parts.append(f"{title}\n\n{table(head, lines)}")
    return (
        "Streams of 2 to 10 regimes, linear and curved, in random order, five visits each, of 2 to "
        "100 columns, with up to a tenth of the labels drawn anew (regression: noise of up to a "
        f"tenth of the deviation). Long stretches have {LONG[0]} to {LONG[1]:,} rows, short ones "
        f"{SHORT[0]} to {SHORT[1]}. A row is named right if its name is that of its regime, by the "
        "best match of names and regimes in hindsight; a row without a name is wrong; the first "
        "visit of each regime is left out. A regime has two names if two names, that both are "
        f"mostly its own, hold more than {100 * SECOND:.0f} % of its rows each; a name has two "
        f"regimes if it holds more than half of both. Asked for: {LEAST_RIGHT} % of the rows where "
        f"stretches are long, and one name a regime in {LEAST_ONE_NAME} % of the streams.\n\n"
        + "\n".join(parts)
    )
