"""The paper's central claim: MOOE gains on OGD early in an interval. Conditions and outcome."""

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from mooe.plots import style
from mooe_paper.confidence import RULE, both, claim_of_gain, estimate_text, word
from mooe_paper.experiment import Experiment, Record, Records, ResultTable
from mooe_paper.intervals.early_gain import BINS, FIRST, early_gain
from mooe_paper.intervals.panels import band, known, strokes_of
from mooe_paper.intervals.sizes import errors_by_size

STREAMS = {
    "drifting": "the paper's synthetic stream: means that wander off",
    "returning": "four of its regimes in turn",
    "changing": "a new linear concept each time",
    "recurring": "four linear concepts in turn",
}
PAPER = {"max_experts": 5}  # the settings of the paper's figures
# The conditions whose curves are drawn, and what they are called.
DRAWN = {
    "drifting 1000": "synthetic: regimes drift",
    "recurring 1000": "recurring: regimes return",
    "recurring 1000, max_experts 25, meta_rate 5.0": "recurring, K 25, rate 5",
}
SETTINGS: list[dict[str, Any]] = [
    {"start": "reset"},
    {"start": "random"},
    {"max_experts": 2},
    {"max_experts": 25},
    {"priority": "queue"},
    {"pull": 1.0},
    {"pull": 10.0},
    {"radius": 3.0},
    {"radius": 5.0},
    {"radius": 10.0},
    {"radius": 30.0},
    {"scale": False},
    {"loss": "logistic"},
    {"meta_rate": "anytime"},
    {"meta_rate": 0.5},  # the squared loss, at most 1, is exp-concave up to here
    {"meta_rate": 1.0},
    {"meta_rate": 5.0},
    {"max_experts": 25, "meta_rate": 5.0},  # more are kept, and the one that fits is found
]
BASE = "drifting 1000"  # the paper's synthetic stream with the settings of its figures
STARTS = {  # how MOOE and OGD start an interval: the cell, and the other in its record
    ("warm", "restarted"): (BASE, "restarted"),
    ("warm", "warm"): (BASE, "alike"),
    ("restarted", "restarted"): (f"{BASE}, start reset", "alike"),
    ("random", "random"): (f"{BASE}, start random", "alike"),
}
EARLY = 2  # of FIRST: the first 50 rows
REGIME = 200  # rows, where sizes vary
SIZES = {  # parameter: its values, the one that others are set beside, and the other parameters
    "interval": ([25, 50, 100, 200, 400, 800], REGIME, {"max_experts": 5}),
    "max_experts": ([2, 3, 5, 10, 25, 50], 5, {"interval": 50}),
}
UNIT = (
    "MOOE's minus OGD's, so below 0 is a gain. Loss: squared error of answers from 0 to 1; error: "
    "wrong labels, in points. "
)


def experiments(quick: bool) -> list[Experiment]:
    """Return the conditions: streams and lengths, settings, and intervals shorter than regimes."""
    n_seeds = 5 if quick else 30
    lengths = (1_000,) if quick else (50, 200, 1_000)
    planned = [_condition(n_seeds, name, length) for name in STREAMS for length in lengths]
    chosen = [SETTINGS[0], SETTINGS[-1]] if quick else SETTINGS
    for name in ("drifting", "recurring"):
        planned += [_condition(n_seeds, name, 1_000, settings=settings) for settings in chosen]
    planned += [
        Experiment(
            f"{name} {REGIME}, by {parameter}",
            errors_by_size,
            {
                "stream": name,
                "length": REGIME,
                "parameter": parameter,
                "sizes": sizes,
                "usual": usual,
                "settings": settings,
                "n_seeds": n_seeds,
            },
            cost=0.1 * n_seeds,
        )
        for name in STREAMS
        for parameter, (sizes, usual, settings) in SIZES.items()
    ]
    if not quick:
        planned += [
            _condition(n_seeds, name, 1_000, settings=SETTINGS[-1])
            for name in ("returning", "changing")
        ]
        planned += [
            _condition(n_seeds, "recurring", length, 50, settings)
            for settings in ({"max_experts": 25}, SETTINGS[-1])
            for length in (50, 200, 300, 1_000)
        ]
    return planned


def _condition(
    n_seeds: int,
    stream: str,
    length: int,
    interval: int | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Experiment:
    """Return the experiment of a condition, named by what differs from the paper's figures."""
    words = [f"interval {interval}"] if interval else []
    words += [f"{name} {value}" for name, value in (settings or {}).items()]
    name = ", ".join([f"{stream} {length}", *words])
    arguments = {
        "stream": stream,
        "length": length,
        "interval": interval or length,
        "settings": PAPER | dict(settings or {}),
        "n_seeds": n_seeds,
        "curve": name in DRAWN,
    }
    return Experiment(name, early_gain, arguments, cost=0.1 * n_seeds)


def tables(records: Records) -> list[ResultTable]:
    """Return the claim part by part, the first rows on the synthetic stream, the conditions."""
    return [
        part_table(records),
        _first_rows_table(records),
        count_table(records),
        condition_table(records),
        size_table(records),
    ]


def part_table(records: Records) -> ResultTable:
    """Return the parts of the claim, each with its number and whether it holds."""
    record = known(records, BASE)
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
            if "errors" in said:
                text = f"{estimate_text(values, 1, 100.0)} points"
            else:
                text = estimate_text(values, 4)
            rows.append([said, text, claim_of_gain(values)])
    n_holding = sum(row[-1] == "holds" for row in rows)
    note = (
        f"{n_holding} of {len(rows)} parts hold. First 50 rows of intervals 2 to 15 of the "
        f"synthetic stream, {_n_seeds(record)} seeds; intervals of 1,000 rows, 5 experts. "
        "More of it early: the difference in loss over the first 50 rows minus that over all. "
        f"Because of what they know: beside MOOE whose offline experts are zeros. {RULE}"
    )
    columns = ["MOOE has", "difference", "claim"]
    return ResultTable("The central claim, part by part", columns, rows, note)


def _first_rows_table(records: Records) -> ResultTable:
    """Return the gain over the first rows of an interval, for each way to start one."""
    rows: list[list[Any]] = []
    for (ours, theirs), (name, other) in STARTS.items():
        record = known(records, name)
        if record:
            for i, n in enumerate((*FIRST, record["length"])):
                loss, error = record[other]["loss"][i], record[other]["error"][i]
                values = [estimate_text(loss, 4), estimate_text(error, 1, 100.0), both(loss, error)]
                rows.append([ours, theirs, f"{n:,}", *values])
    columns = ["MOOE starts", "OGD starts", "first rows", "loss", "error", "MOOE is"]
    note = (
        f"{UNIT}Intervals 2 to 15 of the synthetic stream, {_n_seeds(known(records, BASE))} seeds, "
        f"paired: both have the same rows. Warm: the online expert goes on. {RULE}"
    )
    return ResultTable("What MOOE gains on OGD early in an interval", columns, rows, note)


def count_table(records: Records) -> ResultTable:
    """Return under how many conditions MOOE gains, by stream and by the rate of the weights."""
    compared = [record for record in records.values() if "alike" in record]
    rows: list[list[Any]] = []
    for stream in STREAMS:
        for rate in ("the paper's", "larger"):
            words = [
                both(record["alike"]["loss"][EARLY], record["alike"]["error"][EARLY])
                for record in compared
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
    return ResultTable("Where MOOE gains, counted", columns, rows, note)


def condition_table(records: Records) -> ResultTable:
    """Return the gain over the first 50 rows of a regime under every condition."""
    rows: list[list[Any]] = []
    for name, record in records.items():
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
                estimate_text(alike["loss"][0], 4),
                estimate_text(loss, 4),
                estimate_text(blank["loss"][EARLY], 4),
                estimate_text(error, 1, 100.0),
                both(loss, error),
            ]
        )
    columns = ["stream", "setting", "loss, first 10", "loss, first 50", "beside blank"]
    columns += ["error, first 50", "MOOE is"]
    streams = "; ".join(f"{name}: {text}" for name, text in STREAMS.items())
    note = (
        f"{UNIT}OGD starts as MOOE's online expert does, here warm unless said, so the offline "
        f"experts make the difference. Streams, with the rows of a regime: {streams}. Where they "
        "return, rows count once all have been there. Settings not named are paper mode's with 5 "
        "experts and intervals as long as regimes. Beside blank: MOOE's loss minus that of MOOE "
        f"with offline experts of zeros, first 50 rows. {RULE} Of so many rows, a few differ by "
        "chance."
    )
    return ResultTable("When MOOE gains on OGD early in a regime", columns, rows, note)


def size_table(records: Records) -> ResultTable:
    """Return errors by the length of intervals and by the number of experts."""
    rows: list[list[Any]] = []
    for record in records.values():
        if "sizes" not in record:
            continue
        name = {"interval": "B", "max_experts": "K_max"}[record["parameter"]]
        for at, size in enumerate(record["sizes"]):
            more, usual = record["more"][at], size == record["usual"]
            beside = "" if usual else estimate_text(more, 1, 100.0)
            words = "" if usual else word(more).replace("no difference", "no difference shown")
            levels = [100.0 * record[kind][at][0] for kind in ("error", "online")]
            rows.append([record["stream"], name, size, *levels, beside, words])
    columns = ["stream", "size", "is", "error", "OGD's error", "beside the usual", "error is"]
    long, usual, _ = SIZES["interval"]
    note = (
        f"Errors in %, regimes of {REGIME} rows, streams as above. B: labels of an interval, from "
        f"{long[0]} to {long[-1]}, so that an interval has an eighth of a regime up to four of "
        f"them; 5 experts, beside B = {usual}, the length of a regime. K_max: experts with "
        "intervals of 50, beside 5. OGD is the online expert alone with the same intervals. "
        f"Means over {_n_seeds(next((r for r in records.values() if 'sizes' in r), None))} seeds, "
        f"rows count once an offline expert is there, or all regimes that return. {RULE}"
    )
    return ResultTable("Too long intervals, too many experts", columns, rows, note)


def _n_seeds(record: Record | None) -> str:
    """Return the number of seeds in words."""
    return str(record["n_seeds"]) if record else "no"


def draw_curves(records: Records, theme: str) -> Figure | None:
    """Return the curves of the mean difference against the row of a regime, with their bands."""
    drawn = {name: record for name in DRAWN if (record := known(records, name))}
    if not drawn:
        return None
    middles = [start + (1 + BINS.step) / 2 for start in BINS]
    others = {"restarted": "OGD restarted", "alike": "OGD warm"}
    with style.themed(theme) as colours:
        figure = style.sheet(Figure(), 4.6)
        axes = figure.subplots(2, len(drawn), sharex=True, sharey="row", squeeze=False)
        strokes = strokes_of(colours)
        for column, (name, record) in enumerate(drawn.items()):
            for row, (measure, scale) in enumerate((("loss", 1.0), ("error", 100.0))):
                ax = axes[row, column]
                for other, model in others.items():
                    values = record[other][f"{measure} curve"]
                    scaled = [[scale * end for end in triple] for triple in values]
                    stroke = strokes[model] | {"label": f"MOOE minus {model}"}
                    band(ax, middles, scaled, stroke, 8)
                ax.axhline(0.0, color=colours.ink, linewidth=0.8)
                ax.grid(axis="y")
                style.number_ticks(ax.yaxis, signed=True, most=5)
                style.count_ticks(ax.xaxis, most=4)
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
