"""The streams and models of benchmarks/peers.py by name; nothing here needs their libraries."""

from dataclasses import dataclass

# The quickest first. Powersupply: hour below 12 or not. Covertype: 7 classes.
STREAMS = (
    "Usenet1",
    "WESAD",
    "Weather",
    "Powersupply",
    "recurring",
    "Electricity",
    "Email",
    "GasSensor",
    "ijcnn1",
    "Spam",
    "Covertype",
    "Spam_full",
)
RATES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)  # of River's logistic regression
LIMITS = (0.001, 0.01, 0.1, 1.0, 10.0)  # C of River's passive-aggressive classifier


@dataclass(frozen=True)
class Model:
    """What is said of a model, and whether it draws random numbers."""

    title: str
    seeded: bool = False


def grid(family, values):
    """Return the names of all points of a grid: each value, with inputs scaled and raw."""
    return [
        f"river-{family} {value:g} {inputs}" for value in values for inputs in ("scaled", "raw")
    ]


GRIDS = {"river-lr": grid("lr", RATES), "river-pa": grid("pa", LIMITS)}
DEFAULTS = {"river-lr": "river-lr 0.01", "river-pa": "river-pa 1"}  # as River has them
MODELS = {
    "no-change": Model("no-change"),
    "majority": Model("majority"),
    "mooe": Model("**mooe**", seeded=True),
    **{name: Model(name) for points in GRIDS.values() for name in points},
    "rcd": Model("RCD, naive Bayes (MOA's default)"),
    "rcd-tree": Model("RCD, Hoeffding trees"),
    "adacc": Model("ADACC, naive Bayes (MOA's default)", seeded=True),
    "adacc-tree": Model("ADACC, Hoeffding trees", seeded=True),
    "lb": Model("Leveraging Bagging, 100 trees", seeded=True),
    "arf": Model("ARF, 100 trees", seeded=True),
    "srp": Model("SRP, 100 trees", seeded=True),
}
