"""The speed of the core as a section of the page, and the promises it is held to."""

import math

import digest
from markdown_table import table

SMALL, LARGE = 1.0, 30.0  # radius: the default, where the ball is active, and one where it is not
CHUNK_FLOORS = {(8, True): 30, (54, True): 10, (500, True): 15, (54, False): 15}
ONE_ROW_FLOORS = {8: 2, 54: 2}
BALL = {True: "active", False: "not active", None: ""}


def digests(results):
    """Yield what was measured, with its digest and what that is now."""
    yield "all", results.get("digest"), digest.of("core")


def rendered(results):
    """Return the section of the page."""
    speed = [
        [
            r["d"],
            r["path"],
            BALL[r["active"]],
            f"{r['samples_per_second']:,.0f}",
            f"{r['to_river']:.1f}",
            f"{r['to_river_scaled']:.1f}",
            f"{r['share_of_peak']:.0%}" if "share_of_peak" in r else "",
        ]
        for r in results["speed"]
    ]
    checks = [
        [what, f"{value:.3g}", bound, "ok" if holds else "missed"]
        for what, value, bound, holds in floors(results)
    ]
    growth = "".join(
        f"Microseconds a sample against {axis} (exponent {g['exponent']:.2f}):\n\n"
        + table([axis, *g["sizes"]], [["us", *(f"{cost:.2f}" for cost in g["microseconds"])]])
        + "\n"
        for axis, g in results["growth"].items()
    )
    start = table(
        ["seconds", "processor", "clock"],
        [[name, *(f"{s:.2f}" for s in pair)] for name, pair in results["start"].items()],
    )
    return (
        f"One thread, {results['machine']}, measured peak {results['peak_gflops']:.1f} GFlop/s; "
        f"K = 25, interval 50; radius {SMALL} (ball active) and {LARGE}. Raw inputs stand beside "
        "River's LogisticRegression, scaled ones also beside StandardScaler | LogisticRegression "
        "(to River scaled), which does the same work.\n\n"
        + table(["d", "path", "ball", "samples/s", "to River", "to River scaled", "of peak"], speed)
        + f"\n{growth}{start}\n"
        + table(["promise", "measured", "bound", ""], checks)
    )


def floors(results):
    """Return (what, value, bound, whether it holds) for every promise."""
    found = []

    def promise(what, value, least=-math.inf, most=math.inf):
        bound = f">= {least}" if least > -math.inf else f"<= {most}"
        found.append((what, value, bound, least <= value <= most))

    for record in results["speed"]:
        d, active, path = record["d"], record["active"], record["path"]
        one_row = path == "one row"
        floor = ONE_ROW_FLOORS.get(d) if one_row else CHUNK_FLOORS.get((d, active))
        if floor:
            what = f"{path}, d = {d}" + ("" if one_row else f", ball {BALL[active]}")
            promise(f"{what}, to River", record["to_river"], least=floor)
            if "scaled" in path:
                promise(f"{what}, to River scaled", record["to_river_scaled"], least=floor)
    for axis, growth in results["growth"].items():
        promise(f"exponent of the cost in {axis}", growth["exponent"], most=1.1)
    memory, start = results["memory"], results["start"]
    engine = next(name for name in start if name.startswith("import mooe."))
    grown = memory["last_mb"] - memory["first_mb"]
    promise(f"MB grown over {memory['samples']} samples", grown, most=1)
    promise("processor seconds to import the engine", start[engine][0], most=1)
    promise("processor seconds of the first compile", start["first compile"][0], most=15)
    return found
