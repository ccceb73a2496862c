"""Writes the files of this folder: models of format 1 and what they answer. Run once per format.

They are kept for ever and loaded by tests/test_modelfile.py; never write them again.
"""

import json
from pathlib import Path

import numpy as np

from mooe import MOOEClassifier, MOOERegressor

HERE = Path(__file__).parent


def main() -> None:
    rng = np.random.default_rng(20261115)
    X = rng.normal(size=(173, 3))
    number = (X @ rng.normal(size=(3, 3))).argmax(axis=1)
    models = {
        "classifier": MOOEClassifier(
            mode="paper", interval=20, max_experts=5, priority="queue"
        ).fit(X, np.array(["rain", "snow", "sun"])[number]),
        "binary": MOOEClassifier(
            mode="paper", interval=30, loss="logistic", start="random", random_state=7
        ).fit(X, number > 0),
        "regressor": MOOERegressor(mode="paper", interval=20, target_bounds=(-9.0, 9.0)).fit(
            X, X[:, 0] - X[:, 1]
        ),
    }
    asked = rng.normal(size=(5, 3))
    for name, model in models.items():
        path = HERE / f"format1-{name}.mooe"
        if path.exists():
            raise SystemExit(f"{path} is there already, and is kept for ever")
        model.save(path)
        if isinstance(model, MOOERegressor):
            answers = model.predict(asked)
        else:
            answers = model.predict_proba(asked)
        known = {"asked": asked.tolist(), "answers": answers.tolist()}
        path.with_suffix(".json").write_text(json.dumps(known, indent=1) + "\n")


if __name__ == "__main__":
    main()
