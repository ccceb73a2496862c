"""Intervals of growing length: regret and excess risk beside their bounds, table and figure."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mooe_paper import theory
from mooe_paper.checks.shares import risk_bounds
from mooe_paper.checks.streams import params_of
from mooe_paper.confidence import estimate_text, word
from mooe_paper.estimate import Estimate, estimate
from mooe_paper.experiment import Record, Records, ResultTable, matching, unique

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIT_FROM = 100  # labels: shorter intervals are not in the fit
ROOT = 0.5  # the exponent of the bounds on regrets
BOUND = "Theorem 2, corrected"
NAMES = ("mixture", "online")  # in records: MOOE and its online expert
Lines = dict[str, tuple[Sequence[float], Sequence[float]]]


def exponent(sizes: list[int], values: list[float]) -> float | None:
    """Return the slope of log value against log size, from `FIT_FROM` on.

    None where one of the values is not above 0, or there are fewer than two sizes.

    >>> exponent([100, 400, 1600], [1.0, 2.0, 4.0])
    0.5
    """
    kept = [(s, v) for s, v in zip(sizes, values, strict=True) if s >= FIT_FROM]
    if len(kept) < 2 or min(v for _, v in kept) <= 0:
        return None
    x, y = np.log(np.array(kept)).T
    x, y = x - x.mean(), y - y.mean()
    return round(float(x @ y / (x @ x)), 6)


def _exponents(sizes: list[int], values: list[list[float]]) -> Estimate | None:
    """Return the mean exponent over seeds and its 95 % interval, [mean, low, high].

    Values by size, then by seed. None where a seed has no exponent, or there is one seed only.
    """
    each = [exponent(sizes, list(of_seed)) for of_seed in zip(*values, strict=True)]
    known = [slope for slope in each if slope is not None]
    if len(known) < max(len(each), 2):
        return None
    mean: Estimate = estimate(np.array(known))
    return mean


def regret_table(records: Records) -> ResultTable:
    """Return the exponent of the regret's growth, by kind of labels."""
    runs = _by_length(matching(records, check="growth"))
    rows: list[list[Any]] = []
    for labels in unique(run["labels"] for run in runs):
        kept = [run for run in runs if run["labels"] == labels]
        sizes, last = [run["rounds"] for run in kept], kept[-1]
        slope, online = (_exponents(sizes, [run[name] for run in kept]) for name in NAMES)
        mean, spread = float(np.mean(last["mixture"])), float(np.std(last["mixture"], ddof=1))
        share = mean / _limit(sizes[-1], last["n_experts"])
        texts = [estimate_text(value, 3) if value else None for value in (slope, online)]
        rows.append([labels, *texts, mean, spread, share, reading(slope, mean)])
    columns = [
        "labels",
        "exponent",
        "online expert's",
        "regret at the largest T",
        "spread over seeds",
    ]
    columns += ["share of the bound", "reading"]
    largest, seeds = (runs[-1]["rounds"], len(runs[-1]["mixture"])) if runs else (0, 0)
    note = (
        f"Regret of one interval of T labels, T from {FIT_FROM} to {largest:,}, four experts, mean "
        f"of {seeds} seeds. The exponent is the slope of its logarithm, mean over seeds; behind ± "
        "is half of the 95 % interval of that mean (Student's t). The bound has one half. "
        "Slower or faster than sqrt T: the whole interval lies on that side of it; otherwise like "
        "sqrt T. No exponent: where labels drift the regret turns negative as T grows, because no "
        "fixed expert keeps up."
    )
    return ResultTable("The regret's growth", columns, rows, note, digits=3)


def _limit(rounds: int, n_experts: int) -> float:
    """Return the corrected bound of Theorem 2 for the streams of `observations.growth`."""
    p = params_of("squared", rounds, n_experts)
    return theory.regret_bound(n_experts, rounds, p.radius, p.smoothness)


def reading(slope: Estimate | None, last: float) -> str:
    """Return an exponent [mean, low, high] in words, '' where it is not known.

    Parameters
    ----------
    last : float
        The mean regret of the longest interval.

    >>> reading([0.47, 0.46, 0.48], 9.0), reading([0.47, 0.43, 0.51], 9.0), reading(None, -1.0)
    ('slower than sqrt T', 'like sqrt T', 'negative')
    """
    if slope is None:
        return "negative" if last < 0 else ""
    side = word([end - ROOT for end in slope])
    return {"lower": "slower than sqrt T", "higher": "faster than sqrt T"}.get(side, "like sqrt T")


def risk_table(records: Records) -> ResultTable:
    """Return the averaged expert's excess risk beside the forms of Theorem 3."""
    rows: list[list[Any]] = []
    runs = _by_length(matching(records, check="risks"))
    for run in runs:
        limits = risk_bounds(run["rounds"], run["n_experts"])
        forms = [limits["Theorem 3", form] for form in ("printed", "corrected", "direct")]
        bounds = [_bound_text(value) for value in (*forms, _certificate(run))]
        rows.append([run["rounds"], float(np.mean(run["averaged"])), max(run["averaged"]), *bounds])
    slope = _exponents([run["rounds"] for run in runs], [run["averaged"] for run in runs])
    columns = ["T", "excess risk", "largest", "printed", "corrected", "direct", "certificate"]
    falls = (
        f" It falls with exponent {estimate_text(slope, 2)} (95 %, over seeds)." if slope else ""
    )
    note = (
        "Excess risk of the averaged expert, exact, mean and largest over "
        f"{len(runs[0]['averaged']) if runs else 0} seeds, squared loss, R = D = 1, four "
        f"experts.{falls} Bounds hold with probability .95; above 1 they are vacuous. Printed: "
        "Theorem 3. Corrected: the paper's way, corrected Lemma 2 and the smaller of Lemmas 3 and "
        "4. Direct: Theorem 2 and a martingale, without Lemmas 3 and 4. Certificate: the same with "
        "the regret that was observed."
    )
    return ResultTable("Excess risk of the averaged expert", columns, rows, note, digits=4)


def _bound_text(value: float, trivial: float = 1.0) -> str:
    """Return a bound, marked where it is vacuous.

    >>> _bound_text(0.25), _bound_text(37.64)
    ('0.250', '37.6 (vacuous)')
    """
    return f"{value:,.1f} (vacuous)" if theory.is_vacuous(value, trivial) else f"{value:.3f}"


def figures(records: Records, theme: str = "light") -> "dict[str, Figure]":
    """Return both figures, those of which there are records."""
    figures: dict[str, Figure] = {}
    growing, risky = matching(records, check="growth"), matching(records, check="risks")
    if growing:
        caption = (
            "Regret of MOOE in one interval, mean over seeds, by kind of labels, and its bound; "
            "both axes are logarithmic, so labels that drift, with negative regrets, are left out."
        )
        figures["theory-regret"] = _draw(_regret_lines(growing), "regret", theme, caption)
    if risky:
        caption = (
            "Excess risk of the averaged expert, mean over seeds, and bounds that hold with "
            "probability .95; above the dotted line, the largest loss, they are vacuous."
        )
        lines = _risk_lines(risky)
        figures["theory-risk"] = _draw(lines, "excess risk", theme, caption, trivial=1.0)
    return figures


def _regret_lines(runs: list[Record]) -> Lines:
    """Return the mean regret by kind of labels, and the bound."""
    runs = _by_length(runs)
    lines: Lines = {}
    for labels in unique(run["labels"] for run in runs):
        kept = [run for run in runs if run["labels"] == labels]
        means = [float(np.mean(run["mixture"])) for run in kept]
        if min(means) > 0:
            lines[labels] = ([run["rounds"] for run in kept], means)
    sizes = unique(run["rounds"] for run in runs)
    limits = [_limit(t, runs[0]["n_experts"]) for t in sizes]
    return {**lines, BOUND: (sizes, limits)}


def _risk_lines(runs: list[Record]) -> Lines:
    """Return the mean excess risk of the averaged expert, and the forms of Theorem 3."""
    runs = _by_length(runs)
    sizes = [run["rounds"] for run in runs]
    limits = [risk_bounds(run["rounds"], run["n_experts"]) for run in runs]
    lines: Lines = {
        "averaged expert": (sizes, [float(np.mean(run["averaged"])) for run in runs]),
        "certificate": (sizes, [_certificate(run) for run in runs]),
    }
    for form in ("direct", "printed", "corrected"):
        lines[f"Theorem 3, {form}"] = (sizes, [bounds["Theorem 3", form] for bounds in limits])
    return lines


def _by_length(runs: list[Record]) -> list[Record]:
    """Return records in the order of their interval's length."""
    return sorted(runs, key=lambda run: int(run["rounds"]))


def _certificate(run: Record) -> float:
    """Return the bound on the excess risk with the mean regret that was observed."""
    return theory.observed_excess_risk_bound(float(np.mean(run["regret"])), run["rounds"])


def _draw(
    lines: Lines, quantity: str, theme: str, caption: str, trivial: float | None = None
) -> "Figure":
    """Return lines on logarithmic axes, and a dotted one at the trivial value."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, NullFormatter

    from mooe.plots.style import count, sheet, strokes, themed

    with themed(theme) as colours:
        figure = sheet(Figure(), 3.6)
        ax = figure.subplots()
        for (name, (x, y)), style in zip(lines.items(), strokes(colours, list(lines)), strict=True):
            ax.plot(x, y, label=name, **style)
        if trivial is not None:
            ax.axhline(trivial, color=colours.soft, linestyle=(0, (1, 1.5)), linewidth=1.0)
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.set_xticks(max((x for x, _ in lines.values()), key=len))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: count(value)))
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.minorticks_off()
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
        ax.set_xlabel("labels of the interval, T")
        ax.set_ylabel(quantity)
        ax.grid(axis="y")
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    figure.set_label(caption)
    return figure
