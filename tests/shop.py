"""A made table for tests: a time, a text, missing cells, a label whose concepts return."""

import csv
import io

import numpy as np

from mooe.datasets import recurring

COLOURS = ["red", "blue", "dark, blue", "green"]


def made_rows(n=2500, seed=0):
    """Return rows with a time, a text, missing cells, and a label of two concepts that return."""
    stream = recurring(n, n_features=2, n_concepts=2, length=250, seed=seed)
    rng = np.random.default_rng(seed)
    for i, ((a, b), y) in enumerate(zip(stream.X.tolist(), stream.y.tolist(), strict=True)):
        colour = COLOURS[rng.integers(3 if i < 1300 else 4)]  # green comes late
        yield {
            "when": f"2024-01-{1 + i // 1440:02}T{i // 60 % 24:02}:{i % 60:02}",
            "size": "" if rng.random() < 0.02 else f"{a:.4f}",
            "colour": colour,
            "weight": f"{b + (colour == 'red'):.4f}",
            "bought": ["no", "yes"][y],
        }


def as_csv(rows):
    rows = list(rows)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
