"""The theory: every corrected inequality observed, and what breaks the printed ones."""

from typing import TYPE_CHECKING

from mooe_paper.bounds import counter_examples, errata, observed
from mooe_paper.bounds import growth as theory_growth
from mooe_paper.bounds import tables as theory_tables
from mooe_paper.bounds.assumed import LABELS, SETTINGS
from mooe_paper.cells import Cell, Found, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["TITLE", "cells", "figures", "tables"]

TITLE = "The theory: bounds, observed and broken"
INTERVAL = 100
EXPERTS = 3
PULLS = (None, 3.0, 30.0)
GROWING = ("adversarial", "random", "returning", "noiseless", "drifting")
SECONDS = 2e-4  # about, for a row that is looked at


def cells(quick: bool) -> list[Cell]:
    """Return the counter-examples, the inequalities in every setting, and longer intervals."""
    seeds = 1 if quick else 10
    return [
        Cell("prior", observed.priors, {"numbers": [1, 2, 3, 5, 10, 25, 100]}, cost=0.1),
        *broken(quick),
        *inequalities(seeds),
        *longer(quick),
    ]


def broken(quick: bool) -> list[Cell]:
    """Return the counter-examples, which `theory_tables.broken` tells of."""
    c = counter_examples
    point = {"input_bound": 0.01, "radius": 50.0, "rounds": 10_000}
    draws = {"n_samples": 100 if quick else 400, "n_draws": 100}
    sphere = {"dimension": 5, "rounds": 1000, **draws}
    short = {"input_bound": 0.1, "radius": 5.0, "rounds": 50}
    return [
        Cell("printed step", c.printed_step, short, cost=0.1),
        Cell("raw loss", c.raw_loss, {"size": 5.0, "rounds": 50}, cost=0.1),
        Cell("ball-smooth loss", c.ball_smooth_loss, {"smoothness": 1e-6, "rounds": 50}, cost=0.1),
        Cell("printed risk", c.printed_risk, point, cost=0.1),
        Cell("rademacher", c.rademacher, sphere, cost=0.005 * draws["n_samples"]),
    ]


def inequalities(n_seeds: int) -> list[Cell]:
    """Return the checks on intervals of a fixed length, in every setting."""
    out = []
    for setting in SETTINGS:
        draws = {"setting": setting, "n_draws": 10_000, "seed": 0}
        out.append(Cell(f"gradients, {setting}", observed.gradients, draws, cost=0.1))
        for labels in LABELS:
            known = {"setting": setting, "labels": labels, "interval": INTERVAL}
            arguments = {**known, "max_experts": EXPERTS, "n_seeds": n_seeds}
            name = f"regrets, {setting}, {labels}"
            out.append(Cell(name, observed.regrets, arguments, cost=0.3 * n_seeds))
        for pull in PULLS:
            arguments = {"setting": setting, "pull": pull, "interval": INTERVAL, "n_seeds": n_seeds}
            name = f"transfer, {setting}, pull {pull or 'at the floor'}"
            out.append(Cell(name, observed.transfers, arguments, cost=0.02 * n_seeds))
    return out


def longer(quick: bool) -> list[Cell]:
    """Return the checks on intervals of growing length."""
    n_seeds, largest = (3, 800) if quick else (10, 6400)
    sizes = [50 * 2**n for n in range(8) if 50 * 2**n <= largest]
    out = []
    for rounds in sizes:
        cost = SECONDS * rounds * n_seeds
        for labels in GROWING:
            arguments = {"labels": labels, "rounds": rounds, "n_seeds": n_seeds}
            name = f"growth, {labels}, T {rounds}"
            out.append(Cell(name, observed.growth, arguments, cost=cost))
        arguments = {"rounds": rounds, "n_seeds": n_seeds}
        out.append(Cell(f"risk, T {rounds}", observed.risks, arguments, cost=cost))
    return out


def tables(found: Found) -> list[Table]:
    """Return the tables of the theory."""
    t = theory_tables
    return [
        errata.errata(found),
        t.inequalities(found),
        t.broken(found),
        *t.conditions(found),
        theory_growth.regret_table(found),
        theory_growth.risk_table(found),
        t.at_the_papers_settings(),
        t.priors(found),
    ]


def figures(found: Found, theme: str = "light") -> "dict[str, Figure]":
    """Return regret and excess risk against the length of the interval."""
    return theory_growth.figures(found, theme)
