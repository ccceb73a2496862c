"""Forecasting, as a section of the page."""

import digest
import numpy as np
from markdown_table import table

PROTOCOLS = (
    *(("ETTh2", "20/5/75"), ("ETTm1", "20/5/75"), ("WTH", "20/5/75")),
    *(("ETTh1", "60/10/30"), ("ETTh2", "60/10/30"), ("ETTm1", "60/10/30")),
)
RUNS = ("protocols", "memory", "short", "walks", "kinds", "speed", "peers")
WHO = ("mooe", "mooe, no memory", "last value", "seasonal naive")
# Mean squared errors that others print for the same split, without a leak: DSOF (ICLR 2025) for
# 20/5/75, of OneNet (NeurIPS 2023) one step alone; ADAPT-Z (ICLR 2026) for 60/10/30.
PRINTED = {
    "ETTh2, 20/5/75": ".365 / 1.694 / 2.988 (DSOF)",
    "ETTm1, 20/5/75": ".096 / .418 / .554 (DSOF)",
    "WTH, 20/5/75": ".156 / - / - (OneNet)",
    "ETTh1, 60/10/30": ".1107 / .2942 / .3431 (ADAPT-Z)",
    "ETTh2, 60/10/30": ".0628 / .1607 / .2103 (ADAPT-Z)",
    "ETTm1, 60/10/30": ".0509 / .2148 / .2865 (ADAPT-Z)",
}


def digest_of():
    """Return the digest, as of now, of every run."""
    return digest.of("forecast")


def digests(results):
    """Yield every run with its digest and what that is now."""
    for name in results["runs"]:
        yield name, results["digests"].get(name), digest_of()


def protocol_tables(results):
    """Return errors and bands by protocol."""
    runs = results["runs"]["protocols"]
    lines, bands = [], []
    for name, one in runs.items():
        errors = [" / ".join(f"{value:.4f}" for value in one["mse"][who]) for who in WHO]
        lines.append([name, *errors, PRINTED.get(name, "")])
        cells = [f"{100 * share:.1f} ({100 * worst:.0f})" for share, worst in one["bands"].values()]
        bands.append([name, *cells, f"{one['microseconds a row']:.0f}"])
    head = ["series, split", *WHO, "printed elsewhere"]
    steps = [name.replace(", ", " %, step ") for name in next(iter(runs.values()))["bands"]]
    return (
        "Mean squared error over channels, windows and steps 1 to 1 / 24 / 48, channels "
        "standardised by the warm-up. Honest: a forecast made at t for t + h is learnt from when "
        "t + h has been seen. One setting for all; seasons are found.\n\n"
        + table(head, lines)
        + "\nCoverage of bands in percent, in brackets that of the worst hundredth of windows of "
        "500 rows; and microseconds of processor time a row, all channels, 48 steps and bands.\n\n"
        + table(["series, split", *steps, "µs a row"], bands)
    )


def memory_table(results):
    """Return what memory takes from the error where regimes return."""
    lines = []
    for one in results["runs"]["memory"]:
        change = 100 * (one["with"] / one["without"] - 1)
        lines.append(
            [one["seed"], f"{one['without']:.2f}", f"{one['with']:.2f}", f"{change:.1f} %"]
        )
    return (
        "\nMade series of four regimes that return (`regimes` by seed), mean squared error over 24 "
        "steps without and with memory; on the series above, the column without memory says what "
        "it costs.\n\n" + table(["seed", "without", "with", "change"], lines)
    )


def short_table(results):
    """Return the errors on 300 short series."""
    lines = []
    for name, (mase, naive, percent, naive_percent) in results["runs"]["short"].items():
        cells = [f"{mase:.3f}", f"{naive:.3f}", f"{100 * (mase / naive - 1):.1f} %"]
        lines.append([name, *cells, f"{percent:.1f}", f"{naive_percent:.1f}"])
    head = ["what it is told", "MASE", "seasonal naive", "change", "sMAPE", "seasonal naive"]
    return (
        "\n300 made hourly series of 100 to 1,000 values, from nothing: 24 steps from the 48th row "
        "on.\n\n" + table(head, lines)
    )


def walks_table(results):
    """Return the errors on series that little or nothing can be known of."""
    lines = []
    for name, ratios in results["runs"]["walks"].items():
        above = f"{100 * np.mean(np.array(ratios) > 1.08):.0f} %"
        lines.append([name, len(ratios), f"{np.mean(ratios):.3f}", f"{max(ratios):.3f}", above])
    return (
        "\nMade series of which little can be known beside the last value, from nothing, no season "
        "told: mean squared error over 24 steps from the 48th row on, by that of the better of "
        "last value and seasonal naive.\n\n"
        + table(["made series, rows", "number", "mean", "worst", "above 1.08"], lines)
    )


def kinds_table(results):
    """Return the errors on made series of the kinds that people have."""
    lines = []
    for name, rows in results["runs"]["kinds"].items():
        ratios, ours, naive, told = np.array(rows).T
        above, told_above = (f"{100 * np.mean(each > 1.08):.0f} %" for each in (ratios, told))
        sizes = [f"{np.mean(ratios):.3f}", f"{np.quantile(ratios, 0.95):.3f}", above, told_above]
        lines.append([name, len(rows), *sizes, f"{ours.mean():.3f}", f"{naive.mean():.3f}"])
    head = [
        "made series",
        "number",
        "mean",
        "95th percentile",
        "above 1.08",
        "season told",
        "MASE",
        "better naive",
    ]
    return (
        "\nMade series of the kinds that people have, short and medium, every other one with its "
        "times, no season told: mean squared error by that of the better of last value and "
        "seasonal naive, whose season is told; how many are above 1.08 where it is told to ours "
        "too; and MASE. Other seeds than constants were chosen on.\n\n" + table(head, lines)
    )


def speed_table(results):
    """Return the time of a row."""
    ways = "in chunks", "season looked for", "one by one"
    lines = [
        [name, *(f"{one[way]:.0f}" for way in ways if way in one)]
        for name, one in results["runs"]["speed"].items()
    ]
    return (
        "\nMicroseconds of processor time a row, bands included: of 4,000 rows in chunks, their "
        "season told; of 4,000 rows of days, whose season is looked for; and of rows one by one.\n"
        "\n" + table(["channels x steps", *ways], lines)
    )


def peers_table(results):
    """Return error and time of others."""
    runs = sorted(results["runs"]["peers"].items(), key=lambda one: one[1]["mase"])
    lines = [[name, f"{one['mase']:.3f}", f"{1e3 * one['seconds']:.1f}"] for name, one in runs]
    return (
        "\nOthers on the ends of 20 of the short series of 300 values and more, season 24 told to "
        "all: two forecasts of 24 steps each. statsforecast is fitted anew for each forecast, "
        "River and mooe learn row by row; time is that of all rows, by forecast.\n\n"
        + table(["", "MASE", "ms a forecast"], lines)
    )


TABLES = dict(
    zip(
        RUNS,
        (
            protocol_tables,
            memory_table,
            short_table,
            walks_table,
            kinds_table,
            speed_table,
            peers_table,
        ),
        strict=True,
    )
)


def rendered(results):
    """Return the section of the page: a table for each run that is there."""
    return "".join(part(results) for name, part in TABLES.items() if name in results["runs"])
