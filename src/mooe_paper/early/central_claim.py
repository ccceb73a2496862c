"""The paper's central claim in tables and one figure, from the records of `early_gain`."""

from typing import Any

from matplotlib.figure import Figure

from mooe.plots import look
from mooe_paper.cells import Found, Table
from mooe_paper.early.confidence import RULE, both, has_gained, written
from mooe_paper.early.early_gain import BINS, DRAWN, FIRST, STREAMS
from mooe_paper.early.panels import band, known, strokes_of

__all__ = ["draw_curves", "tables"]

BASE = "drifting 1000"  # the paper's synthetic stream with the settings of its figures
STARTS = {  # how MOOE and OGD start an interval: the cell, and the other in its record
    ("warm", "restarted"): (BASE, "restarted"),
    ("warm", "warm"): (BASE, "alike"),
    ("restarted", "restarted"): (f"{BASE}, start reset", "alike"),
    ("random", "random"): (f"{BASE}, start random", "alike"),
}
EARLY = 2  # of FIRST: the first 50 rows
UNIT = (
    "MOOE's minus OGD's, so below 0 is a gain. Loss: squared error of answers from 0 to 1; error: "
    "wrong labels, in points. "
)


def tables(found: Found) -> list[Table]:
    """Return the claim part by part, the first rows on the synthetic stream, the conditions."""
    return [parts(found), first_rows(found), counted(found), conditions(found)]


def parts(found: Found) -> Table:
    """Return what the claim says, each with its number and whether it holds."""
    record = known(found, BASE)
    rows: list[list[Any]] = []
    if record:
        warm, restarted, blank = record["alike"], record["restarted"], record["blank"]
        for said, values in (
            ("lower loss than OGD restarted", restarted["loss"][EARLY]),
            ("lower loss than OGD warm", warm["loss"][EARLY]),
            ("fewer errors than OGD restarted", restarted["error"][EARLY]),
            ("fewer errors than OGD warm", warm["error"][EARLY]),
            ("more of it early, OGD restarted", restarted["early"]),
            ("more of it early, OGD warm", warm["early"]),
            ("because of what offline experts know", blank["loss"][EARLY]),
        ):
            errs = "errors" in said
            text = f"{written(values, 1, 100.0)} points" if errs else written(values, 4)
            rows.append([said, text, has_gained(values)])
    n_holding = sum(row[-1] == "holds" for row in rows)
    note = (
        f"{n_holding} of {len(rows)} parts hold. First 50 rows of intervals 2 to 15 of the "
        f"synthetic stream, {count(record)} seeds; intervals of 1,000 rows, 5 experts. More of it "
        "early: the difference in loss over the first 50 rows minus that over all. Because of what "
        f"they know: beside MOOE whose offline experts are zeros. {RULE}"
    )
    columns = ["MOOE has", "difference", "claim"]
    return Table("The central claim, part by part", columns, rows, note)


def first_rows(found: Found) -> Table:
    """Return the gain over the first rows of an interval, for each way to start one."""
    rows: list[list[Any]] = []
    for (ours, theirs), (name, other) in STARTS.items():
        record = known(found, name)
        if record:
            for i, n in enumerate((*FIRST, record["length"])):
                loss, error = record[other]["loss"][i], record[other]["error"][i]
                values = [written(loss, 4), written(error, 1, 100.0), both(loss, error)]
                rows.append([ours, theirs, f"{n:,}", *values])
    columns = ["MOOE starts", "OGD starts", "first rows", "loss", "error", "MOOE is"]
    note = (
        f"{UNIT}Intervals 2 to 15 of the synthetic stream, {count(known(found, BASE))} seeds, "
        f"paired: both have the same rows. Warm: the online expert goes on. {RULE}"
    )
    return Table("What MOOE gains on OGD early in an interval", columns, rows, note)


def counted(found: Found) -> Table:
    """Return under how many conditions MOOE gains, by stream and by the rate of the weights."""
    records = [record for record in found.values() if "alike" in record]
    rows: list[list[Any]] = []
    for stream in STREAMS:
        for rate in ("the paper's", "larger"):
            words = [
                both(record["alike"]["loss"][EARLY], record["alike"]["error"][EARLY])
                for record in records
                if record["stream"] == stream
                and ("meta_rate" in record["settings"]) == (rate == "larger")
            ]
            if words:
                lower, higher = words.count("both lower"), words.count("both higher")
                rest = len(words) - lower - higher
                rows.append([stream, rate, len(words), lower, rest, higher])
    columns = ["stream", "rate", "conditions", "both lower", "neither", "both higher"]
    note = (
        "How often MOOE's loss and error over the first 50 rows of a regime both lie below those "
        "of OGD with the same start, both above, or neither: the next table, counted."
    )
    return Table("Where MOOE gains, counted", columns, rows, note)


def conditions(found: Found) -> Table:
    """Return the gain over the first 50 rows of a regime under every condition."""
    rows: list[list[Any]] = []
    for name, record in found.items():
        if "alike" not in record:
            continue
        alike, blank = record["alike"], record["blank"]
        loss, error = alike["loss"][EARLY], alike["error"][EARLY]
        interval = f"interval {record['interval']}"
        setting = name.partition(", ")[2].removeprefix(f"{interval}, ")
        if record["interval"] != record["length"]:
            setting = f"{interval}, {setting}"
        rows.append(
            [
                f"{record['stream']} {record['length']:,}",
                setting,
                written(alike["loss"][0], 4),
                written(loss, 4),
                written(blank["loss"][EARLY], 4),
                written(error, 1, 100.0),
                both(loss, error),
            ]
        )
    columns = ["stream", "setting", "loss, first 10", "loss, first 50", "beside blank"]
    columns += ["error, first 50", "MOOE is"]
    streams = "; ".join(f"{name}: {text}" for name, (text, _) in STREAMS.items())
    note = (
        f"{UNIT}OGD starts as MOOE's online expert does, here warm unless said, so the offline "
        f"experts make the difference. Streams, with the rows of a regime: {streams}. Where they "
        "return, rows count once all have been there. Settings not named are paper mode's with 5 "
        "experts and intervals as long as regimes. Beside blank: MOOE's loss minus that of MOOE "
        f"with offline experts of zeros, first 50 rows. {RULE} Of so many rows, a few differ by "
        "chance."
    )
    return Table("When MOOE gains on OGD early in a regime", columns, rows, note)


def count(record: dict[str, Any] | None) -> str:
    """Return the number of seeds in words."""
    return str(record["n_seeds"]) if record else "no"


def draw_curves(found: Found, theme: str) -> Figure | None:
    """Return the curves of the mean difference against the row of a regime, with their bands."""
    shown = {name: record for name in DRAWN if (record := known(found, name))}
    if not shown:
        return None
    middles = [start + (1 + BINS.step) / 2 for start in BINS]
    others = {"restarted": "OGD restarted", "alike": "OGD warm"}
    with look.themed(theme) as colours:
        figure = look.sheet(Figure(), 4.6)
        axes = figure.subplots(2, len(shown), sharex=True, sharey="row", squeeze=False)
        strokes = strokes_of(colours)
        for column, (name, record) in enumerate(shown.items()):
            for row, (measure, scale) in enumerate((("loss", 1.0), ("error", 100.0))):
                ax = axes[row, column]
                for other, model in others.items():
                    values = record[other][f"{measure} curve"]
                    scaled = [[scale * one for one in triple] for triple in values]
                    stroke = strokes[model] | {"label": f"MOOE minus {model}"}
                    band(ax, middles, scaled, stroke, 8)
                ax.axhline(0.0, color=colours.ink, linewidth=0.8)
                ax.grid(axis="y")
                look.number_ticks(ax.yaxis, signed=True, most=5)
                look.count_ticks(ax.xaxis, most=4)
            axes[0, column].set_title(DRAWN[name])
            axes[1, column].set_xlabel("row in the regime")
        axes[0, 0].set_ylabel("difference in loss")
        axes[1, 0].set_ylabel("in error, points")
        axes[0, 0].set_xlim(0, BINS.stop)
        handles, labels = axes[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2)
        figure.set_label(
            "What MOOE has more than OGD against the row in a regime, mean over seeds and regimes "
            "with its 95 % band; below 0 is a gain."
        )
    return figure
