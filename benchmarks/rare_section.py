"""How a rare class is found, as a section of the page."""

import math

import digest
from markdown_table import table

POSITIVES, TOP = 0.005, 0.01  # shares of the rows
STREAMS = {  # kind, columns, whether it drifts
    "linear 10": ("linear", 10, False),
    "linear 30, drifting": ("linear", 30, True),
    "products 10": ("products", 10, False),
    "products 10, drifting": ("products", 10, True),
    "products 30": ("products", 30, False),
    "clusters 10": ("clusters", 10, False),
    "clusters 10, drifting": ("clusters", 10, True),
    "clusters 30": ("clusters", 30, False),
}
MODELS = {  # the parameters of ours
    "default": {},
    "default, threshold .05": {"threshold": 0.05},
    "default, alarm rate .01": {"threshold": {"alarm_rate": TOP}},
    "weights as once advised": {},
    "class_weight balanced": {"class_weight": "balanced"},
    "weights of at most 10": {},
    "weights of at most 3": {},
    "scikit-learn, logistic": {},
    "River, logistic": {},
}
CAPS = {"weights as once advised": math.inf, "weights of at most 10": 10.0}
CAPS["weights of at most 3"] = 3.0


def digest_of(key):
    """Return the digest, as of now, of a run."""
    return digest.of("rare", key)


def digests(results):
    """Yield the stream of every run, with its digest and what that is now."""
    for key in results["runs"]:
        yield key.split(" | ")[0], results["digests"].get(key), digest_of(key)


def of(results, model, measure):
    """Return a measure of a model on every stream."""
    return [results["runs"].get(f"{stream} | {model}", {}).get(measure) for stream in STREAMS]


def mean(values):
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else math.nan


def rendered(results):
    """Return the section of the page."""
    known = [model for model in MODELS if any(of(results, model, "precision"))]
    wide = []
    for model in known:
        values = of(results, model, "precision")
        shown = ["" if value is None else f"{value:.3f}" for value in values]
        wide.append([model, *shown, f"{mean(values):.3f}"])
    return (
        f"Made streams of 40,000 rows, {100 * POSITIVES:g} % of them positive; the number is that "
        "of the columns. Prequential, every row counted. Average precision, which no threshold "
        "changes:\n\n"
        + table(["", *STREAMS, "mean"], wide)
        + f"\nThe same models, mean over the streams; recall in the {100 * TOP:g} % of the rows "
        "that are likeliest in hindsight, and recall and share of what was answered positive "
        "before each label, in percent.\n\n" + means(results)
    )


def means(results):
    """Return the table of the means over all streams, which another page shows too."""
    known = [model for model in MODELS if any(of(results, model, "precision"))]
    rows = [
        [
            model,
            f"{mean(of(results, model, 'precision')):.3f}",
            f"{100 * mean(of(results, model, 'top_recall')):.1f}",
            f"{mean(of(results, model, 'log_loss')):.4f}",
            f"{100 * mean(of(results, model, 'recall')):.1f}",
            f"{100 * mean(of(results, model, 'alarms')):.2f}",
        ]
        for model in known
    ]
    head = ["mean", "average precision", f"recall in the top {100 * TOP:g} %", "log-loss"]
    head += ["recall of the answers", "alarms"]
    return table(head, rows)
