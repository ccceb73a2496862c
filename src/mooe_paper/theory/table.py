"""All bounds of the paper for given assumptions, and which of them say something."""

import math
from dataclasses import dataclass

from mooe.paper.regret import meta_regret_bound, online_regret_bound, regret_bound
from mooe_paper.theory import generalisation, regret, transfer
from mooe_paper.theory.assumptions import Assumptions


@dataclass(frozen=True)
class Bound:
    """A bound and what it is worth.

    Attributes
    ----------
    source : str
        Where the paper has it.
    form : {"printed", "corrected", "direct"}
        As in the paper, with its slips put right, or by a shorter way than the paper's.
    what : str
        The quantity that is bounded.
    value : float
    trivial : float
        What the quantity can never exceed; infinity where there is no such value.
    """

    source: str
    form: str
    what: str
    value: float
    trivial: float

    @property
    def vacuous(self) -> bool:
        """Whether it says no more than the trivial value."""
        return is_vacuous(self.value, self.trivial)


def is_vacuous(bound: float, trivial: float) -> bool:
    """Whether a bound is no better than the trivial one, which always holds.

    The trivial value of a regret over T rounds is T, of an excess risk 1, of Lemma 1's Omega 4 R^2,
    of Theorem 1's distance 2 R, of a Rademacher complexity R D.

    >>> is_vacuous(regret_bound(25, 50, radius=1.0, smoothness=0.5), 50)
    False
    """
    return not bound < trivial


def bounds(a: Assumptions) -> list[Bound]:
    """Return every bound of the paper for these assumptions, printed ones beside corrected ones.

    >>> rows = bounds(Assumptions(25, 50, radius=1.0, input_bound=1.0, smoothness=0.5))
    >>> for row in rows[-3:]:
    ...     print(row.source, row.form, round(row.value, 2), "vacuous" if row.vacuous else "")
    Theorem 3 printed 37.64 vacuous
    Theorem 3 corrected 3.41 vacuous
    Theorem 3 direct 1.2 vacuous
    """
    return [*_on_experts(a), *_on_regret(a), *_on_complexity(a), *_on_risk(a)]


def _on_experts(a: Assumptions) -> list[Bound]:
    """Return the bounds on gradients and on the new offline expert; Omega(w*) is taken as 0."""
    floor = transfer.pull_floor(a.mean_loss, a.radius)
    pull = floor if a.pull is None else max(a.pull, floor)
    omega = transfer.mixture_distance_bound(a.mean_loss, pull)
    distance = transfer.optimum_distance_bound(0.0, a.mean_loss, pull, a.smoothness)
    triangle = transfer.triangle_distance_bound(0.0, a.mean_loss, pull)
    ball = 2 * a.radius
    what = "squared distance of the new expert to the mixture"
    apart = "distance of the new expert to w*"
    return [
        Bound("eq. func", "corrected", "gradient", regret.gradient_bound(a.smoothness), math.inf),
        Bound("Lemma 1", "corrected", what, omega, ball**2),
        Bound("Theorem 1", "corrected", apart, distance, ball),
        Bound("Theorem 1", "direct", apart, triangle, ball),
    ]


def _on_regret(a: Assumptions) -> list[Bound]:
    """Return the bounds of Theorem 2."""
    k, t, beta = a.n_experts, a.rounds, a.smoothness
    online = "regret of the online expert"
    printed_online = regret.printed_online_regret_bound(a.input_bound, beta, t)
    printed = regret.printed_regret_bound(k, t, a.input_bound, beta)
    corrected_online = online_regret_bound(a.radius, beta, t)
    corrected = regret_bound(k, t, a.radius, beta)
    meta = meta_regret_bound(k, t)
    return [
        Bound("eq. rg:me", "corrected", "regret of the meta expert", meta, t),
        Bound("eq. rg:oe", "printed", online, printed_online, t),
        Bound("eq. rg:oe", "corrected", online, corrected_online, t),
        Bound("Theorem 2", "printed", "regret of MOOE", printed, t),
        Bound("Theorem 2", "corrected", "regret of MOOE", corrected, t),
    ]


def _spectrum(a: Assumptions) -> tuple[float, ...]:
    """Return the eigenvalues; where none are known, three of D^2 / 3: the worst case.

    Their sum is D^2, the largest there can be, and none is above D^2 / e, where the corrected lemma
    would cut it: one of D^2 would make that lemma smaller.
    """
    return a.eigenvalues or (a.input_bound**2 / 3,) * 3


def _on_complexity(a: Assumptions) -> list[Bound]:
    """Return the bounds on the Rademacher generalisation."""
    what, most, values = "Rademacher complexity", a.radius * a.input_bound, _spectrum(a)
    known = (values, a.rounds, a.radius, a.input_bound)
    printed = generalisation.printed_rademacher_bound(*known)
    corrected = generalisation.rademacher_bound(*known)
    trace = generalisation.trace_rademacher_bound(values, a.rounds, a.radius)
    return [
        Bound("Lemma rademacher", "printed", what, printed, most),
        Bound("Lemma rademacher", "corrected", what, corrected, most),
        Bound("Lemma rademacher", "direct", what, trace, most),
    ]


def _on_risk(a: Assumptions) -> list[Bound]:
    """Return Lemmas 2 to 4 and Theorem 3."""
    g, k, t, beta, failure = generalisation, a.n_experts, a.rounds, a.smoothness, a.failure
    ball, reach, in_score = a.radius, a.input_bound, a.smoothness / a.input_bound**2
    known = (k, t, ball, reach, beta, _spectrum(a), failure)
    mixtures = "mean risk of the mixtures less that of w-hat"
    minimiser = "excess risk of w-hat"
    averaged = "excess risk of the averaged expert"
    size = generalisation.rademacher_bound(_spectrum(a), t, ball, reach)
    trace = generalisation.trace_rademacher_bound(_spectrum(a), t, ball)
    rows = [
        ("Lemma 2", "printed", mixtures, g.printed_mixtures_risk_bound(k, t, reach, beta, failure)),
        ("Lemma 2", "corrected", mixtures, g.mixtures_risk_bound(k, t, ball, beta, failure)),
        ("Lemma 3", "printed", minimiser, g.printed_minimiser_risk_bound(t, ball, beta, failure)),
        ("Lemma 3", "direct", minimiser, g.minimiser_risk_bound(t, ball, beta, failure)),
        (
            "Lemma 4",
            "printed",
            minimiser,
            g.printed_complexity_risk_bound(size, t, in_score, failure),
        ),
        ("Lemma 4", "direct", minimiser, g.complexity_risk_bound(trace, t, in_score, failure)),
        ("Theorem 3", "printed", averaged, g.printed_excess_risk_bound(*known)),
        ("Theorem 3", "corrected", averaged, g.lemmas_excess_risk_bound(*known)),
        ("Theorem 3", "direct", averaged, g.excess_risk_bound(k, t, ball, beta, failure)),
    ]
    return [Bound(*row, 1.0) for row in rows]
