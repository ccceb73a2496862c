"""Writes the files of this folder: models of every format and what they answer.

They are kept for ever and loaded by tests/test_modelfile.py; files that are there stay as they are.
"""

import json
from pathlib import Path

import numpy as np
from sklearn.naive_bayes import GaussianNB

from mooe import MOOEClassifier, MOOERegressor, PaperMOOEClassifier, PaperMOOERegressor

HERE = Path(__file__).parent


def main() -> None:
    format_1()
    format_2()


def format_1() -> None:
    """Paper mode."""
    rng = np.random.default_rng(20261115)
    X = rng.normal(size=(173, 3))
    number = (X @ rng.normal(size=(3, 3))).argmax(axis=1)
    models = {
        "classifier": PaperMOOEClassifier(interval=20, max_experts=5, priority="queue").fit(
            X, np.array(["rain", "snow", "sun"])[number]
        ),
        "binary": PaperMOOEClassifier(
            interval=30, loss="logistic", start="random", random_state=7
        ).fit(X, number > 0),
        "regressor": PaperMOOERegressor(interval=20, target_bounds=(-9.0, 9.0)).fit(
            X, X[:, 0] - X[:, 1]
        ),
    }
    asked = rng.normal(size=(5, 3))
    for name, model in models.items():
        keep(f"format1-{name}", model, asked)


def format_2() -> None:
    """The default model: narrow, wide, with an expert that was added, and in regression."""
    rng = np.random.default_rng(20261116)
    X = rng.normal(size=(213, 3))
    X[rng.random((213, 3)) < 0.02] = np.nan
    seen = np.nan_to_num(X)
    number = (seen @ rng.normal(size=(3, 3))).argmax(axis=1)
    number[60:130] = (number[60:130] + 1) % 3  # another concept
    words = np.where(rng.random((213, 150)) < 0.05, rng.integers(1, 4, (213, 150)), 0.0)
    words[:, 0] = rng.normal(size=213)
    spam = words[:, 1:20].sum(axis=1) > words[:, 20:39].sum(axis=1)
    bayes = GaussianNB().fit(seen, number > 0)
    narrow, asked = rng.normal(size=(5, 3)), words[:5]
    keep(
        "format2-classifier",
        MOOEClassifier(interval=20).fit(X, np.array(["rain", "snow", "sun"])[number]),
        narrow,
    )
    keep("format2-binary", MOOEClassifier(random_state=7).fit(X, number > 0), narrow)
    keep("format2-wide", MOOEClassifier(max_concepts=4).fit(words, spam), asked)
    keep(
        "format2-added",
        MOOEClassifier(without=("memory_rich",)).add_expert(bayes, "bayes").fit(seen, number > 0),
        narrow,
    )
    keep("format2-regressor", MOOERegressor().fit(X, seen[:, 0] - seen[:, 1]), narrow)


def keep(name: str, model: MOOEClassifier | MOOERegressor, asked: np.ndarray) -> None:
    """Write a model and its answers, unless they are there."""
    path = HERE / f"{name}.mooe"
    if path.exists():
        print(f"{path} is there already, and is kept for ever")
        return
    model.save(path)
    answers = (
        model.predict(asked) if isinstance(model, MOOERegressor) else model.predict_proba(asked)
    )
    known = {"asked": asked.tolist(), "answers": answers.tolist()}
    path.with_suffix(".json").write_text(json.dumps(known, indent=1) + "\n")


if __name__ == "__main__":
    main()
