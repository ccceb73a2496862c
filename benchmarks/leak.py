"""What is left to forecast where all labels of a window are given right after it: next to nothing.

python benchmarks/leak.py
"""

import functools
import json
from pathlib import Path

import leak_section
import numpy as np
import page
from forecast_protocol import HORIZONS, mean_squared_error, split

from mooe.evaluate.results import origin
from mooe.forecast.naive import last_value, seasonal_naive

PATH = Path(__file__).parent / "results" / "leak.json"


def repeated(Y, horizon, h):
    """Return what repeats leaked labels: of a window only the last step is not known yet."""
    known = np.minimum(np.arange(len(Y)) + min(h, horizon - 1), len(Y) - 1)
    return Y[known]


def measured(name):
    """Return the errors on a series, by forecaster and horizon."""
    part = split(name, "20/5/75")
    Y, out = part.values, {}
    for horizon in HORIZONS:
        makers = {
            "last value": functools.partial(last_value, Y),
            "seasonal naive": lambda h: seasonal_naive(Y, h, part.season),
            "leaked labels, repeated": functools.partial(repeated, Y, horizon),
        }
        for who, ahead in makers.items():
            out.setdefault(who, {})[str(horizon)] = mean_squared_error(part, ahead, horizon)
    return out


if __name__ == "__main__":
    runs = {name: measured(name) for name in leak_section.SERIES}
    digests = {name: leak_section.digest_of(name) for name in runs}
    whole = {"runs": runs, "digests": digests, "origin": origin()}
    PATH.write_text(json.dumps(whole, indent=1, sort_keys=True) + "\n")
    page.write()
