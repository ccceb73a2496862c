"""Observed values as shares of their bounds, inequality by inequality, from the records."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from mooe.paper.core import Params
from mooe_paper import theory
from mooe_paper.checks.observations import EARLIER
from mooe_paper.checks.streams import params_of, spectrum_of
from mooe_paper.experiment import Record, Records, matching

ROUNDING = 1e-6  # of records: a bound that equals the trivial value may seem to be below it


@dataclass
class Shares:
    """One inequality: how much of its bound was observed, and how often it said nothing.

    Attributes
    ----------
    source, form, what : str
        As in `mooe_paper.theory.Bound`.
    values : list of float
        Observed / bound; the largest of these where a record keeps that alone.
    bounds, vacuous : int
        How many bounds there were, and how many of them no better than the trivial value; 0 bounds
        where there is no trivial value.
    """

    source: str
    form: str
    what: str
    values: list[float] = field(default_factory=list)
    bounds: int = 0
    vacuous: int = 0

    def add(self, observed: float, bound: float, trivial: float) -> None:
        """In place: one more observation."""
        self.values.append(observed / bound)
        self.count(bound, trivial)

    def count(self, bound: float, trivial: float) -> None:
        """In place: one more bound."""
        self.bounds += 1
        self.vacuous += theory.is_vacuous(bound * (1 + ROUNDING), trivial)

    def says(self) -> str | None:
        """Return how many of the bounds say something; None where there is no trivial value."""
        return f"{self.bounds - self.vacuous:,} of {self.bounds:,}" if self.bounds else None


def all_shares(records: Records) -> list[Shares]:
    """Return the shares of every inequality of which there is a record."""
    every = [
        _gradients(records),
        *_regrets(records),
        *transfers(records),
        *_complexity(records),
        *_risks(records),
    ]
    return [shares for shares in every if shares.values]


def _gradients(records: Records) -> Shares:
    """Return the shares of the gradient bound, the largest of each setting."""
    shares = Shares("eq. func", "corrected", "gradient")
    shares.values += [record["share"] for record in matching(records, check="gradients")]
    return shares


def intervals_of(record: Record) -> Iterator[dict[str, float]]:
    """Yield the intervals of a record with the names of their columns."""
    for row in record["intervals"]:
        yield dict(zip(record["columns"], row, strict=True))


def params_in(record: Record) -> Params:
    """Return the parameters that a record was made with."""
    return params_of(record["setting"], record["interval"], record.get("max_experts", 4))


def _regrets(records: Records) -> list[Shares]:
    """Return the shares of Theorem 2 and its parts."""
    meta = Shares("eq. rg:me", "corrected", "regret of the meta expert")
    always = Shares("eq. rg:mee", "corrected", "regret of the meta expert at any label")
    online = Shares("eq. rg:oe", "corrected", "regret of the online expert")
    whole = Shares("Theorem 2", "corrected", "regret of MOOE")
    early = Shares("Theorem 2", "corrected", "regret of MOOE after 10, 25 and 50 labels")
    for record in matching(records, check="regrets"):
        p, t = params_in(record), record["interval"]
        for interval in intervals_of(record):
            k = int(interval["n_experts"])
            meta.add(interval["meta"], theory.meta_regret_bound(k, t), t)
            online.add(interval["online"], theory.online_regret_bound(p.radius, p.smoothness, t), t)
            whole.add(interval["mixture"], theory.regret_bound(k, t, p.radius, p.smoothness), t)
            always.values.append(interval["meta_share"])
            early.values.append(interval["early_share"])
            rate = theory.meta_rate(k, t)
            for label in range(1, t + 1):
                always.count(theory.meta_regret_bound_at(label, k, rate), label)
            for label in EARLIER:
                bound = theory.regret_bound_at(label, k, rate, p.radius, p.smoothness)
                early.count(bound, label)
    return [meta, always, online, whole, early]


def transfers(records: Records) -> list[Shares]:
    """Return the shares of Lemma 1 and Theorem 1."""
    lemma = Shares("Lemma 1", "corrected", "squared distance of the new expert to the mixture")
    theorem = Shares("Theorem 1", "corrected", "distance of the new expert to w*")
    triangle = Shares("Theorem 1", "direct", "distance of the new expert to w*")
    for record in matching(records, check="transfers"):
        p = params_in(record)
        for interval in intervals_of(record):
            loss, ball = interval["mean_loss"], 2 * p.radius
            pull = max(record["pull"] or 0.0, theory.pull_floor(loss, p.radius))
            near = theory.mixture_distance_bound(loss, pull)
            lemma.add(interval["omega"], near, ball**2)
            known = (interval["optimum_omega"], loss, pull)
            printed = theory.optimum_distance_bound(*known, p.smoothness)
            theorem.add(interval["distance"], printed, ball)
            triangle.add(interval["distance"], theory.triangle_distance_bound(*known), ball)
    return [lemma, theorem, triangle]


def _complexity(records: Records) -> list[Shares]:
    """Return the shares of the Rademacher bounds."""
    forms = {
        form: Shares("Lemma rademacher", form, "Rademacher complexity")
        for form in ("corrected", "direct")
    }
    for record in matching(records, check="rademacher"):
        for form, shares in forms.items():
            shares.add(record["observed"], record[form], 1.0)
    return list(forms.values())


def risk_bounds(rounds: int, n_experts: int) -> dict[tuple[str, str], float]:
    """Return the bounds on risks, by source and form, for the streams of `observations.risks`."""
    p = params_of("squared", rounds, n_experts)
    known = theory.Assumptions(
        n_experts=n_experts,
        rounds=rounds,
        radius=p.radius,
        input_bound=p.reach,
        smoothness=p.smoothness,
        eigenvalues=tuple(spectrum_of(p)),
    )
    return {(bound.source, bound.form): bound.value for bound in theory.bounds(known)}


def _risks(records: Records) -> list[Shares]:
    """Return the shares of Lemmas 2 to 4, of Theorem 3, and of the certificate."""
    words = {
        "mixtures": "mean risk of the mixtures less that of w-hat",
        "minimiser": "excess risk of w-hat",
        "averaged": "excess risk of the averaged expert",
    }
    checked = [
        ("Lemma 2", "corrected", "mixtures"),
        ("Lemma 3", "printed", "minimiser"),
        ("Lemma 3", "direct", "minimiser"),
        ("Lemma 4", "printed", "minimiser"),
        ("Lemma 4", "direct", "minimiser"),
        ("Theorem 3", "corrected", "averaged"),
        ("Theorem 3", "direct", "averaged"),
    ]
    lemmas = {(a, b): Shares(a, b, words[name]) for a, b, name in checked}
    certificate = Shares("not in the paper", "certificate", words["averaged"])
    for record in matching(records, check="risks"):
        t = record["rounds"]
        limits = risk_bounds(t, record["n_experts"])
        for n, regret in enumerate(record["regret"]):
            seen = {name: record[name][n] for name in words}
            seen["mixtures"] -= seen["minimiser"]
            for source, form, name in checked:
                lemmas[source, form].add(seen[name], limits[source, form], 1.0)
            bound = theory.observed_excess_risk_bound(regret, t)
            certificate.add(seen["averaged"], bound, 1.0)
    return [*lemmas.values(), certificate]
