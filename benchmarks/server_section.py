"""The server as a section of the page, and the promises it is held to."""

import statistics

import digest
from markdown_table import table

OURS, POSTGRES, ECHO = "mooe", "mooe on PostgreSQL", "FastAPI echo"


def digests(results):
    """Yield what was measured, with its digest and what that is now."""
    yield "server", results.get("digest"), digest.of("server")


def rendered(results):
    """Return the section of the page."""
    load = results["load"]
    names = list(load[OURS]["predict"][0])
    rows = [
        [name, kind, *(_figure(_median(rounds, what)) for what in names)]
        for name, kinds in load.items()
        for kind, rounds in kinds.items()
    ]
    inside, over = results["in process, us a row"], results["HTTP batches of 1,000, us a row"]
    others = [
        [what, *(f"{inside[name][what]:.3g}" for name in inside)] for what in inside[OURS]
    ] + [
        [f"batches of 1,000 over HTTP, {what}", *(f"{over[name][what]:.3g}" for name in over)]
        for what in over[OURS]
    ]
    shown = [[what, _figure(x), bound, _verdict(x, bound)] for what, x, bound in _checks(results)]
    return (
        "32 connections that send the next request when they have the answer to the last; every "
        "prediction is stored, every label is on disk before it is acknowledged. Beside feedback "
        "32 more ask and tell in turns, so that there are 64; the times are those of the 32 that "
        "only ask. Labels follow from the input; those of noise, which cost a model more, stand "
        "beside them. An echo only checks a body of 8 numbers and sends it back. All are asked in "
        "turns of two seconds: "
        f"medians of {len(load[OURS]['predict'])} rounds.\n\n"
        + table(["server", "asked for", *names], rows)
        + "\n"
        + table(["processor time, us a row", *inside], others)
        + "\n"
        + table(["promise", "measured", "bound", ""], shown)
    )


def _figure(x):
    """Return a number with three digits or more."""
    return f"{x:,.0f}" if x >= 1000 else f"{x:.3g}"


def _median(rounds, what):
    """Return the median of a figure over rounds."""
    return statistics.median(each[what] for each in rounds)


def _checks(results):
    """Yield promises: words, what was measured, and its bound."""
    load, inside = results["load"], results["in process, us a row"]

    def ratio(kind, what, name=OURS, beside=load[ECHO]["predict"]):
        pairs = zip(load[name][kind], beside, strict=True)
        return statistics.median(ours[what] / theirs[what] for ours, theirs in pairs)

    often, used = "requests a second", "processor us a request"
    yield "predict, requests a second of the echo's", ratio("predict", often), ">= 1.7"
    yield "predict, processor time of the echo's", ratio("predict", used), "<= 0.5"
    yield "predict, p99 of the echo's", ratio("predict", "p99 ms"), "<= 1"
    words, p99 = "predict beside feedback, p99 of the echo's", "p99 ms"
    few, many = "beside feedback, 32 connections in all", "predict, 64 connections"
    if few in load[OURS]:
        yield f"{words}: 32 connections each", ratio(few, p99), "<= 0.6"
        each = ratio("beside feedback", p99, beside=load[ECHO][many])
        yield f"{words}: 64 connections each", each, "<= 0.6"
    yield f"{words}: 64 connections, the echo half as many", ratio("beside feedback", p99), ""
    yield "feedback, requests a second of the echo's", ratio("feedback", often), ">= 1.5"
    if POSTGRES in load:
        share = ratio("feedback", often, POSTGRES, load[OURS]["feedback"])
        yield "feedback on PostgreSQL, requests a second of SQLite's", share, ">= 0.3"
    batch, own = (
        inside[OURS]["predict, batches of 1,000"],
        inside[OURS]["the model's own share of it"],
    )
    yield "predict in process, batches of 1,000, rows a second", 1e6 / batch, ">= 80000"
    for kind, us in results["HTTP batches of 1,000, us a row"][OURS].items():
        yield f"batches of 1,000 over HTTP {kind}, us a row beyond the model's", us - own, "<= 25"
    replay = inside[OURS]["replay"] - inside[OURS]["learning in chunks of 1,000"]
    yield "replay, us a row beyond learning in chunks", replay, "<= 5"
    large = results["beside a large model"]
    words = f"p50 in ms of a small model while one of {large['large model, MB']:.0f} MB learns"
    yield f"{words} {large['chunks it learnt meanwhile']} chunks", large["p50 ms"], "<= 5"
    many = results["many models"]
    for how in ("stop", "kill"):
        words = f"processor seconds to open {many['models']:,} models after a {how}"
        yield words, many[f"processor seconds after a {how}"], "<= 2"


def _verdict(value, bound):
    """Return whether a promise is kept; what has no bound is there to be seen."""
    if not bound:
        return ""
    sign, limit = bound.split()
    kept = value <= float(limit) if sign == "<=" else value >= float(limit)
    return "ok" if kept else "missed"
