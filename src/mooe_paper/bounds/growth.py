"""Intervals of growing length: regret and excess risk beside their bounds, table and figure."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mooe_paper import theory
from mooe_paper.accuracy.comparing import of
from mooe_paper.bounds.assumed import params_of
from mooe_paper.bounds.shares import risk_bounds
from mooe_paper.cells import Found, Table
from mooe_paper.early.confidence import estimate, word, written

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["exponent", "exponents", "figures", "regret_table", "risk_table"]

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


def exponents(sizes: list[int], values: list[list[float]]) -> list[float] | None:
    """Return the mean exponent over seeds and its 95 % interval, [mean, low, high].

    Values by size, then by seed. None where a seed has no exponent, or there is one seed only.
    """
    each = [exponent(sizes, list(one)) for one in zip(*values, strict=True)]
    known = [one for one in each if one is not None]
    if len(known) < max(len(each), 2):
        return None
    found: list[float] = estimate(np.array(known))
    return found


def regret_table(found: Found) -> Table:
    """Return the exponent of the regret's growth, by kind of labels."""
    records = sorted(of(found, check="growth"), key=lambda one: one["rounds"])
    rows: list[list[Any]] = []
    for labels in dict.fromkeys(one["labels"] for one in records):
        kept = [one for one in records if one["labels"] == labels]
        sizes, last = [one["rounds"] for one in kept], kept[-1]
        means = [float(np.mean(one["mixture"])) for one in kept]
        slope, online = (exponents(sizes, [one[name] for one in kept]) for name in NAMES)
        bound = limit(sizes[-1], last["n_experts"])
        spread = float(np.std(last["mixture"], ddof=1))
        both = [written(one, 3) if one else None for one in (slope, online)]
        rows.append(
            [labels, *both, means[-1], spread, means[-1] / bound, reading(slope, means[-1])]
        )
    columns = [
        "labels",
        "exponent",
        "online expert's",
        "regret at the largest T",
        "spread over seeds",
    ]
    columns += ["share of the bound", "reading"]
    largest, seeds = (records[-1]["rounds"], len(records[-1]["mixture"])) if records else (0, 0)
    note = (
        f"Regret of one interval of T labels, T from {FIT_FROM} to {largest:,}, four experts, mean "
        f"of {seeds} seeds. The exponent is the slope of its logarithm, mean over seeds; behind ± "
        "is half of the 95 % interval of that mean (Student's t). The bound has one half. "
        "Slower or faster than sqrt T: the whole interval lies on that side of it; otherwise like "
        "sqrt T. No exponent: where labels drift the regret turns negative as T grows, because no "
        "fixed expert keeps up."
    )
    return Table("The regret's growth", columns, rows, note, digits=3)


def limit(rounds: int, n_experts: int) -> float:
    """Return the corrected bound of Theorem 2 for the streams of `observed.growth`."""
    p = params_of("squared", rounds, n_experts)
    return theory.regret_bound(n_experts, rounds, p.radius, p.smoothness)


def reading(slope: list[float] | None, last: float) -> str:
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
    side = word([one - ROOT for one in slope])
    return {"lower": "slower than sqrt T", "higher": "faster than sqrt T"}.get(side, "like sqrt T")


def risk_table(found: Found) -> Table:
    """Return the averaged expert's excess risk beside the forms of Theorem 3."""
    rows: list[list[Any]] = []
    records = sorted(of(found, check="risks"), key=lambda one: one["rounds"])
    for one in records:
        t, limits = one["rounds"], risk_bounds(one["rounds"], one["n_experts"])
        regret = float(np.mean(one["regret"]))
        forms = [limits["Theorem 3", form] for form in ("printed", "corrected", "direct")]
        bounds = [said(value) for value in (*forms, theory.observed_excess_risk_bound(regret, t))]
        rows.append([t, float(np.mean(one["averaged"])), max(one["averaged"]), *bounds])
    slope = exponents([one["rounds"] for one in records], [one["averaged"] for one in records])
    columns = ["T", "excess risk", "largest", "printed", "corrected", "direct", "certificate"]
    falls = f" It falls with exponent {written(slope, 2)} (95 %, over seeds)." if slope else ""
    note = (
        "Excess risk of the averaged expert, exact, mean and largest over "
        f"{len(records[0]['averaged']) if records else 0} seeds, squared loss, R = D = 1, four "
        f"experts.{falls} Bounds hold with probability .95; above 1 they are vacuous. Printed: "
        "Theorem 3. Corrected: the paper's way, corrected Lemma 2 and the smaller of Lemmas 3 and "
        "4. Direct: Theorem 2 and a martingale, without Lemmas 3 and 4. Certificate: the same with "
        "the regret that was observed."
    )
    return Table("Excess risk of the averaged expert", columns, rows, note, digits=4)


def said(value: float, trivial: float = 1.0) -> str:
    """Return a bound, marked where it is vacuous.

    >>> said(0.25), said(37.64)
    ('0.250', '37.6 (vacuous)')
    """
    return f"{value:,.1f} (vacuous)" if theory.is_vacuous(value, trivial) else f"{value:.3f}"


def figures(found: Found, theme: str = "light") -> "dict[str, Figure]":
    """Return both figures, those of which there are records."""
    out: dict[str, Figure] = {}
    growing, risky = of(found, check="growth"), of(found, check="risks")
    if growing:
        caption = (
            "Regret of MOOE in one interval, mean over seeds, by kind of labels, and its bound; "
            "both axes are logarithmic, so labels that drift, with negative regrets, are left out."
        )
        out["theory-regret"] = drawn(regret_lines(growing), "regret", theme, caption)
    if risky:
        caption = (
            "Excess risk of the averaged expert, mean over seeds, and bounds that hold with "
            "probability .95; above the dotted line, the largest loss, they are vacuous."
        )
        lines = risk_lines(risky)
        out["theory-risk"] = drawn(lines, "excess risk", theme, caption, trivial=1.0)
    return out


def regret_lines(records: list[dict[str, Any]]) -> Lines:
    """Return the mean regret by kind of labels, and the bound."""
    records = sorted(records, key=lambda one: one["rounds"])
    lines: Lines = {}
    for labels in dict.fromkeys(one["labels"] for one in records):
        kept = [one for one in records if one["labels"] == labels]
        means = [float(np.mean(one["mixture"])) for one in kept]
        if min(means) > 0:
            lines[labels] = ([one["rounds"] for one in kept], means)
    sizes = sorted({one["rounds"] for one in records})
    limits = [limit(t, records[0]["n_experts"]) for t in sizes]
    return {**lines, BOUND: (sizes, limits)}


def risk_lines(records: list[dict[str, Any]]) -> Lines:
    """Return the mean excess risk of the averaged expert, and the forms of Theorem 3."""
    records = sorted(records, key=lambda one: one["rounds"])
    sizes = [one["rounds"] for one in records]
    limits = [risk_bounds(one["rounds"], one["n_experts"]) for one in records]
    certified = [
        theory.observed_excess_risk_bound(float(np.mean(one["regret"])), one["rounds"])
        for one in records
    ]
    lines: Lines = {
        "averaged expert": (sizes, [float(np.mean(one["averaged"])) for one in records]),
        "certificate": (sizes, certified),
    }
    for form in ("direct", "printed", "corrected"):
        lines[f"Theorem 3, {form}"] = (sizes, [one["Theorem 3", form] for one in limits])
    return lines


def drawn(
    lines: Lines, quantity: str, theme: str, caption: str, trivial: float | None = None
) -> "Figure":
    """Return lines on logarithmic axes, and a dotted one at the trivial value."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, NullFormatter

    from mooe.plots.look import count, sheet, strokes, themed

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
