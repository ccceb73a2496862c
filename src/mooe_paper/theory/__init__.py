"""The paper's results as functions: one per lemma and theorem, corrected, and as printed.

Losses are divided by their declared range, so they lie in [0, 1] (Assumption 4). Where the paper's
form does not hold or does not follow, both are here, and `printed_` marks the paper's. The names
follow `mooe.paper.params`: K experts, T rounds, radius R, smoothness beta, input bound D. A bound
says something only below its trivial value: `is_vacuous`. `bounds` gives them all at once, for the
assumptions of a stream (`stream_assumptions`) or of a model (`model_assumptions`).
"""

from mooe.numerics.hedge import prior
from mooe.paper.regret import meta_regret_bound, online_regret_bound, regret_bound
from mooe_paper.theory.assumptions import (
    Assumptions,
    eigenvalues,
    input_bound,
    kernel_eigenvalues,
    least_radius,
    model_assumptions,
    observed_rademacher,
    stream_assumptions,
)
from mooe_paper.theory.generalisation import (
    averaged_expert,
    complexity_risk_bound,
    excess_risk_bound,
    lemmas_excess_risk_bound,
    minimiser_risk_bound,
    mixture,
    mixtures_risk_bound,
    observed_excess_risk_bound,
    printed_complexity_risk_bound,
    printed_excess_risk_bound,
    printed_minimiser_risk_bound,
    printed_mixtures_risk_bound,
    printed_rademacher_bound,
    rademacher_bound,
    trace_rademacher_bound,
)
from mooe_paper.theory.regret import (
    gradient_bound,
    max_experts_condition,
    meta_rate,
    meta_regret_bound_at,
    online_rate,
    printed_max_experts_condition,
    printed_online_regret_bound,
    printed_regret_bound,
    regret_bound_at,
)
from mooe_paper.theory.table import Bound, bounds, is_vacuous
from mooe_paper.theory.transfer import (
    mixture_distance_bound,
    optimum_distance_bound,
    pull_floor,
    triangle_distance_bound,
    useful_pull,
)

__all__ = [
    "Assumptions",
    "Bound",
    "averaged_expert",
    "bounds",
    "complexity_risk_bound",
    "eigenvalues",
    "excess_risk_bound",
    "gradient_bound",
    "input_bound",
    "is_vacuous",
    "kernel_eigenvalues",
    "least_radius",
    "lemmas_excess_risk_bound",
    "max_experts_condition",
    "meta_rate",
    "meta_regret_bound",
    "meta_regret_bound_at",
    "minimiser_risk_bound",
    "mixture",
    "mixture_distance_bound",
    "mixtures_risk_bound",
    "model_assumptions",
    "observed_excess_risk_bound",
    "observed_rademacher",
    "online_rate",
    "online_regret_bound",
    "optimum_distance_bound",
    "printed_complexity_risk_bound",
    "printed_excess_risk_bound",
    "printed_max_experts_condition",
    "printed_minimiser_risk_bound",
    "printed_mixtures_risk_bound",
    "printed_online_regret_bound",
    "printed_rademacher_bound",
    "printed_regret_bound",
    "prior",
    "pull_floor",
    "rademacher_bound",
    "regret_bound",
    "regret_bound_at",
    "stream_assumptions",
    "trace_rademacher_bound",
    "triangle_distance_bound",
    "useful_pull",
]
