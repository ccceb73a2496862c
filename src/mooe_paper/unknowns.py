"""What the paper leaves open of each method: as many settings for each, the first is our default.

The paper gives the length of an interval and how many experts, models or trees are kept, and
nothing else of any method. Every method is swept over what is unknown of it, on every table and
figure it is in, and all of them have the same number of settings: none gets more attempts at a
printed number than another.
"""

from typing import Any

Settings = dict[str, dict[str, Any]]
"""Parameters of a method by the name of the setting."""

RADII: Settings = {f"R {radius}": {"radius": float(radius)} for radius in (1, 3, 10, 30)}
LEAVES: Settings = {f"leaf {rows}": {"min_samples_leaf": rows} for rows in (1, 2, 5, 10)}

SWEEPS: dict[str, Settings] = {
    "learnpp-nse": {
        **LEAVES,
        "by error": {"pruning": "error"},
        "bayes": {"base": "bayes"},
        "b 5": {"crossing": 5.0},
        "b 20": {"crossing": 20.0},
    },
    "dtel": {
        **LEAVES,
        **{f"{name}, fixed": {**values, "grow": False} for name, values in LEAVES.items()},
    },
    "condor": {f"mu {mu:g}": {"mu": mu} for mu in (0.1, 0.0001, 0.001, 0.01, 0.03, 0.3, 1.0, 10.0)},
    "mooe-paper": {
        **RADII,
        "R 3, logistic": {"radius": 3.0, "loss": "logistic"},
        "R 3, printed step": {"radius": 3.0, "step": "printed"},
        "R 3, reset": {"radius": 3.0, "start": "reset"},
        "R 3, queue": {"radius": 3.0, "priority": "queue"},
    },
}
N_SETTINGS = 8  # of every method
WORDS = {  # what the settings are, for readers
    "learnpp-nse": "rows that a leaf of its trees must have; the member with the largest error "
    "leaves, not the oldest; naive Bayes for trees; the age b, in chunks, at which an error counts "
    "half",
    "dtel": "rows that a leaf of its trees must have, with old trees that grow to fit a chunk or "
    "are fixed and only counted anew",
    "condor": "the strength mu of its pull",
    "mooe-paper": "the radius R of the ball; and in the ball of radius 3 the logistic loss, the "
    "step as printed, an online expert that starts anew in each interval, the oldest expert "
    "leaving",
}


def default_setting(model: str) -> str:
    """Return the name of the setting that is our default.

    >>> default_setting("mooe-paper"), default_setting("condor")
    ('R 1', 'mu 0.1')
    """
    return next(iter(SWEEPS[model]))
