"""The theory: every corrected inequality observed, and the cases that break printed ones."""

from typing import TYPE_CHECKING

from mooe_paper.checks import counter_examples, growth, observations
from mooe_paper.checks import tables as check_tables
from mooe_paper.checks.errata import errata_table
from mooe_paper.checks.streams import LABELS, SETTINGS
from mooe_paper.experiment import Experiment, Records, ResultTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "The theory: bounds, observed and broken"
INTERVAL = 100
EXPERTS = 3
PULLS = (None, 3.0, 30.0)
GROWING = ("adversarial", "random", "returning", "noiseless", "drifting")
SECONDS = 2e-4  # about, for a row that is looked at


def experiments(quick: bool) -> list[Experiment]:
    """Return the counter-examples, the inequalities in every setting, and longer intervals."""
    seeds = 1 if quick else 10
    return [
        Experiment("prior", observations.priors, {"numbers": [1, 2, 3, 5, 10, 25, 100]}, cost=0.1),
        *counter_example_experiments(quick),
        *_inequality_experiments(seeds),
        *_growth_experiments(quick),
    ]


def counter_example_experiments(quick: bool) -> list[Experiment]:
    """Return the counter-examples to printed bounds."""
    c = counter_examples
    point = {"input_bound": 0.01, "radius": 50.0, "rounds": 10_000}
    draws = {"n_samples": 100 if quick else 400, "n_draws": 100}
    sphere = {"dimension": 5, "rounds": 1000, **draws}
    minimiser = {"smoothness": 1e-6, "rounds": 50, "chance": 0.55, "failure": 0.05}
    average = {"smoothness": 1e-9, "rounds": 60_000, "chance": 0.75, "n_seeds": 1 if quick else 10}
    short = {"input_bound": 0.1, "radius": 5.0, "rounds": 50}
    return [
        Experiment("printed step", c.printed_step, short, cost=0.1),
        Experiment("raw loss", c.raw_loss, {"size": 5.0, "rounds": 50}, cost=0.1),
        Experiment(
            "ball-smooth loss", c.ball_smooth_loss, {"smoothness": 1e-6, "rounds": 50}, cost=0.1
        ),
        Experiment("ball-smooth minimiser", c.ball_smooth_minimiser, minimiser, cost=0.1),
        Experiment("ball-smooth average", c.ball_smooth_average, average, cost=0.2),
        Experiment("printed risk", c.printed_risk, point, cost=0.1),
        Experiment("rademacher", c.rademacher, sphere, cost=0.005 * draws["n_samples"]),
    ]


def _inequality_experiments(n_seeds: int) -> list[Experiment]:
    """Return the checks on intervals of a fixed length, in every setting."""
    planned = []
    for setting in SETTINGS:
        draws = {"setting": setting, "n_draws": 10_000, "seed": 0}
        planned.append(Experiment(f"gradients, {setting}", observations.gradients, draws, cost=0.1))
        for labels in LABELS:
            known = {"setting": setting, "labels": labels, "interval": INTERVAL}
            arguments = {**known, "max_experts": EXPERTS, "n_seeds": n_seeds}
            name = f"regrets, {setting}, {labels}"
            planned.append(Experiment(name, observations.regrets, arguments, cost=0.3 * n_seeds))
        for pull in PULLS:
            arguments = {"setting": setting, "pull": pull, "interval": INTERVAL, "n_seeds": n_seeds}
            name = f"transfer, {setting}, pull {pull or 'at the floor'}"
            planned.append(Experiment(name, observations.transfers, arguments, cost=0.02 * n_seeds))
    return planned


def _growth_experiments(quick: bool) -> list[Experiment]:
    """Return the checks on intervals of growing length."""
    n_seeds, largest = (3, 800) if quick else (10, 6400)
    sizes = [50 * 2**n for n in range(8) if 50 * 2**n <= largest]
    planned = []
    for rounds in sizes:
        cost = SECONDS * rounds * n_seeds
        for labels in GROWING:
            arguments = {"labels": labels, "rounds": rounds, "n_seeds": n_seeds}
            name = f"growth, {labels}, T {rounds}"
            planned.append(Experiment(name, observations.growth, arguments, cost=cost))
        arguments = {"rounds": rounds, "n_seeds": n_seeds}
        planned.append(Experiment(f"risk, T {rounds}", observations.risks, arguments, cost=cost))
    return planned


def tables(records: Records) -> list[ResultTable]:
    """Return the tables of the theory."""
    t = check_tables
    return [
        errata_table(records),
        t.inequality_table(records),
        t.counter_example_table(records),
        t.undivided_loss_table(records),
        *t.condition_tables(records),
        growth.regret_table(records),
        growth.risk_table(records),
        t.samples_table(),
        t.paper_settings_table(),
        t.prior_table(records),
    ]


def figures(records: Records, theme: str = "light") -> "dict[str, Figure]":
    """Return regret and excess risk against the length of the interval."""
    return growth.figures(records, theme)
