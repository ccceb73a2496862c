"""Writes files of the newest format into this folder: models of every kind and what they answer.

They are kept for ever and loaded by tests/test_modelfile.py; files that are there stay as they are.
Those of formats 1 to 7 were written by the versions that wrote these formats.
"""

import json
from pathlib import Path

import numpy as np
from sklearn.naive_bayes import GaussianNB

from mooe import MOOEClassifier, MOOERegressor, PaperMOOEClassifier, PaperMOOERegressor
from mooe.estimators import StreamEstimator

HERE = Path(__file__).parent


def main() -> None:
    rng = np.random.default_rng(20261117)
    X = rng.normal(size=(213, 3))
    gaps = np.where(rng.random((213, 3)) < 0.02, np.nan, X)
    number = (X @ rng.normal(size=(3, 3))).argmax(axis=1)
    number[60:130] = (number[60:130] + 1) % 3  # another concept
    weather, value = np.array(["rain", "snow", "sun"])[number], X[:, 0] - X[:, 1]
    words = np.where(rng.random((213, 150)) < 0.05, rng.integers(1, 4, (213, 150)), 0.0)
    words[:, 0] = rng.normal(size=213)
    spam = words[:, 1:20].sum(axis=1) > words[:, 20:39].sum(axis=1)
    bayes = GaussianNB().fit(X, number > 0)
    asked = rng.normal(size=(5, 3))
    models: dict[str, StreamEstimator] = {
        "classifier": MOOEClassifier(interval=20).fit(gaps, weather),
        "binary": MOOEClassifier(random_state=7).fit(gaps, number > 0),
        "added": MOOEClassifier(without=("memory_rich",))
        .add_expert(bayes, "bayes")
        .fit(X, number > 0),
        "regressor": MOOERegressor().fit(gaps, value),
        "paper-classifier": PaperMOOEClassifier(interval=20, max_experts=5).fit(X, weather),
        "paper-regressor": PaperMOOERegressor(interval=20, target_bounds=(-9.0, 9.0)).fit(X, value),
    }
    for name, model in models.items():
        keep(f"format8-{name}", model, asked)
    keep("format8-wide", MOOEClassifier(max_concepts=4).fit(words, spam), words[:5])
    fields = rng.uniform(0, 3, (1200, 3))
    label = np.floor(fields[:, 0]) + np.floor(fields[:, 1]) + (np.arange(1200) // 700)
    keep("format8-returning", MOOEClassifier().fit(fields, label % 2), fields[:5])


def keep(name: str, model: StreamEstimator, asked: np.ndarray) -> None:
    """Write a model and its answers, unless they are there."""
    path = HERE / f"{name}.mooe"
    if path.exists():
        print(f"{path} is there already, and is kept for ever")
        return
    model.save(path)
    ask = getattr(model, "predict_proba", model.predict)
    answers = ask(asked)
    known = {"asked": asked.tolist(), "answers": answers.tolist()}
    path.with_suffix(".json").write_text(json.dumps(known, indent=1) + "\n")


if __name__ == "__main__":
    main()
