"""The server as a section of the page, and the promises it is held to."""

import digest
from markdown_table import table

ECHO, PLAIN = "FastAPI echo", "plain ASGI echo"


def digests(results):
    """Yield what was measured, with its digest and what that is now."""
    yield "server", results.get("digest"), digest.of("server")


def rendered(results):
    """Return the section of the page."""
    load, inside = results["load"], results["in process, us a row"]
    rows = [
        [name, kind, *(f"{value:,.3g}" for value in figures.values())]
        for name, kinds in load.items()
        for kind, figures in kinds.items()
    ]
    names = list(load["mooe"]["predict"])
    shown = [[what, f"{x:.3g}", bound, _verdict(x, bound)] for what, x, bound in _checks(results)]
    return (
        "32 connections that send the next request when they have the answer to the last; every "
        "prediction is stored, every label is on disk before it is acknowledged. An echo only "
        "checks a body of 8 numbers and sends it back.\n\n"
        + table(["server", "asked for", *names], rows)
        + "\n"
        + table(["in process", "us a row"], [[k, f"{v:.3g}"] for k, v in inside.items()])
        + "\n"
        + table(["promise", "measured", "bound", ""], shown)
    )


def _checks(results):
    """Yield promises: words, what was measured, and its bound."""
    load, inside = results["load"], results["in process, us a row"]
    ours, echo = load["mooe"], load[ECHO]["predict"]

    def ratio(kind, what):
        return ours[kind][what] / echo[what]

    yield (
        "predict, requests a second of the echo's",
        ratio("predict", "requests a second"),
        ">= 1.7",
    )
    yield (
        "predict, processor time of the echo's",
        ratio("predict", "processor us a request"),
        "<= 0.5",
    )
    yield "predict, p99 of the echo's", ratio("predict", "p99 ms"), "<= 1"
    yield "predict beside feedback, p99 of the echo's", ratio("beside feedback", "p99 ms"), "<= 0.6"
    yield (
        "feedback, requests a second of the echo's",
        ratio("feedback", "requests a second"),
        ">= 1.5",
    )
    batch = inside["predict, batches of 1,000"]
    yield "predict in process, batches of 1,000, rows a second", 1e6 / batch, ">= 80000"
    over = results["HTTP batches of 1,000, us a row"] - inside["model alone"]
    yield "batches of 1,000 over HTTP, us a row beyond the model's", over, "<= 25"
    replay = inside["replay"] - inside["learning in chunks of 1,000"]
    yield "replay, us a row beyond learning in chunks", replay, "<= 5"


def _verdict(value, bound):
    """Return whether a promise is kept."""
    sign, limit = bound.split()
    kept = value <= float(limit) if sign == "<=" else value >= float(limit)
    return "ok" if kept else "missed"
