"""The streams and models of benchmarks/peers.py by name; nothing here needs their libraries."""

import streams

# The quickest first. Powersupply: hour below 12 or not. Covertype: 7 classes.
REAL = (
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
MADE = tuple(streams.STREAMS)
STREAMS = (*REAL, *MADE)
SHOWN = ("Spam_full",)  # but not ranked: the ensembles of trees do not come to its first row
SPARSE = ("Spam_full",)  # too wide for a scaler, which fills in every column
# Streams with nominal columns, or columns of nothing but 0 and 1, that MOA's learners get twice:
# these nominal, as in MOA's own files, and all numeric, as CapyMOA reads arrays.
TWO_FORMS = (
    *("Usenet1", "Email", "ijcnn1", "Spam", "Covertype", "covertype shuffled"),
    *("agrawal abrupt", "agrawal other rules", "agrawal recurring"),
    *("led drifting", "stagger", "mixed", "random-tree"),
)
ENOUGH = 20_000  # rows of a longer stream that a slow model must come to, and then may stop
# What is ranked, and how it is called.
ENTRIES = {
    "no-change": "no-change",
    "majority": "majority",
    "mooe": "**mooe**",
    "river-lr": "River LR, default rate",
    "river-lr best": "River LR, best rate in hindsight",
    "river-pa": "River PA, default C",
    "river-pa best": "River PA, best C in hindsight",
    "rcd": "RCD, naive Bayes",
    "rcd-tree": "RCD, Hoeffding trees",
    "adacc": "ADACC, naive Bayes",
    "adacc-tree": "ADACC, Hoeffding trees",
    "knn": "nearest neighbours",
    "hat": "Hoeffding adaptive tree",
    "lb": "Leveraging Bagging",
    "arf-30": "ARF, 30 trees",
    "arf": "ARF, 100 trees",
    "srp-30": "SRP, 30 trees",
    "srp": "SRP, 100 trees",
}
MOA = ("rcd", "rcd-tree", "adacc", "adacc-tree", "knn", "hat")
MOA += ("lb", "arf-30", "arf", "srp-30", "srp")
SEEDED = ("mooe",)  # with several seeds; of a peer's one is run
RATES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)  # of River's logistic regression
LIMITS = (0.001, 0.01, 0.1, 1.0, 10.0)  # C of River's passive-aggressive classifier
GRIDS = {
    family: [f"{family} {value:g} {inputs}" for value in values for inputs in ("scaled", "raw")]
    for family, values in (("river-lr", RATES), ("river-pa", LIMITS))
}
DEFAULTS = {"river-lr": "river-lr 0.01", "river-pa": "river-pa 1"}  # as River has them


def library_of(model):
    """Return whose a model is: "capymoa", "river" or, ours, "mooe"."""
    if model.removesuffix(" numeric") in MOA:
        return "capymoa"
    return "river" if model.startswith("river-") else "mooe"


def points(stream, entry):
    """Return the models whose best is the figure of an entry on a stream."""
    inputs = "raw" if stream in SPARSE else "scaled"
    if entry in GRIDS:
        return [f"{DEFAULTS[entry]} {inputs}"]
    grid = GRIDS.get(entry.removesuffix(" best"))
    if grid is not None:
        return [model for model in grid if stream not in SPARSE or model.endswith(inputs)]
    if entry in MOA and stream in TWO_FORMS:
        return [entry, f"{entry} numeric"]
    return [entry]


# All models in the order in which they are run and stored.
MODELS = list(
    dict.fromkeys(
        model for entry in ENTRIES for stream in STREAMS for model in points(stream, entry)
    )
)
