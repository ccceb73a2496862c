"""Writes files of the newest format into this folder: forecasters and what they answer.

They are kept for ever and loaded by tests/forecast/test_file.py; files that are there stay as they
are. `format1` was written by the version that wrote this format, `format2` by the first that wrote
format 2, from the same rows.
"""

import json
from pathlib import Path

import numpy as np

from mooe.forecast import MOOEForecaster

HERE = Path(__file__).parent
HOUR = np.timedelta64(3600, "s")


def main() -> None:
    rows = np.array(json.loads((HERE / "format1.json").read_text())["rows"])
    keep("format2", MOOEForecaster(3, season=6, levels=(80,)).update(rows), rows)
    at = np.datetime64("2026-03-28T00", "s") + np.arange(len(rows)) * HOUR
    gaps = np.where(np.arange(rows.size).reshape(rows.shape) % 37 == 5, np.nan, rows)
    warm = np.sin(np.arange(len(rows)))[:, None]
    model = MOOEForecaster(2, levels=(80, 95)).fit(gaps[:40], warm[:40], at[:40])
    model.notes["channels"] = ["Last", "Öl"]
    keep("format2-times", model.update(gaps[40:], warm[40:], at[40:]), rows)


def keep(name: str, model: MOOEForecaster, rows: np.ndarray) -> None:
    """Write a forecaster and its answers, unless they are there."""
    path = HERE / f"{name}.mooe"
    if path.exists():
        print(f"{path} is there already, and is kept for ever")
        return
    model.save(path)
    ahead = model.predict()
    known = {"rows": rows, "mean": ahead.mean, "lower": ahead.lower[80], "upper": ahead.upper[80]}
    text = json.dumps({key: value.tolist() for key, value in known.items()})
    path.with_suffix(".json").write_text(text + "\n")


if __name__ == "__main__":
    main()
