"""The speed of the default model as a section of the page, and the promises it is held to."""

import digest
from markdown_table import table

LEAST = {"Electricity": 80_000, "Covertype": 30_000}  # rows a second
MOST_OVER_CHUNK, MOST_GROWN, MOST_EXPONENT = 5, 1, 1.1
MOST_SECONDS = {"import mooe": 1, "the same, compiling": 25}


def digests(results):
    """Yield what was measured, with its digest and what that is now."""
    yield "all", results.get("digest"), digest.of("auto")


def promises(results):
    """Return (what, value, bound, whether it holds) for every promise."""
    found = []
    for one in results["streams"]:
        least = LEAST.get(one["stream"])
        if least:
            speed = one["rows_per_second"]
            found.append((f"rows/s, {one['stream']}", speed, f">= {least:,}", speed >= least))
    costs, memory, start = results["one row"], results["memory"], results["start"]
    most = {
        "us that a row from a dict costs more than in a chunk": (
            costs["dict"] - costs["chunk"],
            MOST_OVER_CHUNK,
        ),
        "exponent of the cost in the rows": (results["growth"]["exponent"], MOST_EXPONENT),
        f"MB grown over {memory['rows']:,} rows": (
            memory["last_mb"] - memory["first_mb"],
            MOST_GROWN,
        ),
        **{
            f"processor seconds, {name}": (start[name][0], MOST_SECONDS[name])
            for name in MOST_SECONDS
        },
    }
    found += [(what, value, f"<= {bound}", value <= bound) for what, (value, bound) in most.items()]
    return found


def rendered(results):
    """Return the section of the page."""
    streams = [
        [
            one["stream"],
            f"{one['rows']:,}",
            f"{one['inputs']:,}",
            one["classes"],
            f"{one['rows_per_second']:,.0f}",
            f"{one['yardstick']:,.0f}" if one["yardstick"] else "",
            f"{one['state_bytes'] / 1e6:.1f}",
            f"{one['file_bytes'] / 1e6:.1f}",
        ]
        for one in results["streams"]
    ]
    growth, start, costs = results["growth"], results["start"], results["one row"]
    times = [[name, *(f"{s:.2f}" for s in start[name])] for name in start if name != "compiled"]
    shown = [
        [
            what,
            f"{value:,.3g}" if value < 1000 else f"{value:,.0f}",
            bound,
            "ok" if ok else "missed",
        ]
        for what, value, bound, ok in promises(results)
    ]
    return (
        f"One thread, {results['machine']}, processor time. The yardstick is a loop of the same "
        "recipe in one file, measured in turns with ours; it takes no sparse rows.\n\n"
        + table(
            ["stream", "rows", "inputs", "classes", "rows/s", "yardstick", "state MB", "file MB"],
            streams,
        )
        + f"\nA row of eight inputs costs {costs['chunk']:.1f} us in a chunk, and "
        f"{costs['dict']:.1f} us when it comes as a dict and is answered first, then learnt.\n"
        f"The second half of {growth['rows'][-1]:,} rows takes "
        f"{growth['halves'][1] / growth['halves'][0]:.2f} times as long as the first.\n\n"
        + table(
            ["rows", *(f"{n:,}" for n in growth["rows"])],
            [["seconds", *(f"{s:.2f}" for s in growth["seconds"])]],
        )
        + f"\nCompiled at the first fit: {', '.join(start['compiled'])}.\n\n"
        + table(["seconds", "processor", "clock"], times)
        + "\n"
        + table(["promise", "measured", "bound", ""], shown)
    )
