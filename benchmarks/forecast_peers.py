"""Forecasts of other libraries, in their environment: series in as JSON, forecasts out.

statsforecast's models are fitted anew for every forecast; River's learn row by row.
"""

import json
import os
import sys
import time

os.environ["NIXTLA_ID_AS_COL"] = "1"

import numpy as np
from river import time_series
from statsforecast.models import MSTL, AutoETS, DynamicOptimizedTheta

SEASON = 24
FITTED = {
    "statsforecast AutoETS": lambda: AutoETS(season_length=SEASON),
    "statsforecast MSTL": lambda: MSTL(season_length=SEASON),
    "statsforecast DynamicOptimizedTheta": lambda: DynamicOptimizedTheta(season_length=SEASON),
}
ONLINE = {
    "river SNARIMAX": lambda: time_series.SNARIMAX(p=2, d=0, q=1, m=SEASON, sp=2, sd=1, sq=0),
    "river HoltWinters": lambda: time_series.HoltWinters(
        alpha=0.1, beta=0.01, gamma=0.1, seasonality=SEASON
    ),
}


def fitted(make, y, first, ahead):
    """Return forecasts from several rows of a model that is fitted anew at each."""
    found = []
    for t in range(first, len(y), ahead):
        model = make()
        found.append(np.asarray(model.forecast(y[:t], h=ahead)["mean"]).tolist())
    return found


def online(make, y, first, ahead):
    """Return forecasts from several rows of a model that learns row by row."""
    model, found = make(), []
    for t, value in enumerate(y.tolist()):
        if t >= first and (t - first) % ahead == 0:
            found.append([float(one) for one in model.forecast(horizon=ahead)])
        model.learn_one(value)
    return found


def main():
    asked = json.load(sys.stdin)
    series = [np.array(one) for one in asked["series"]]
    answers = {}
    for kinds, run in ((FITTED, fitted), (ONLINE, online)):
        for name, make in kinds.items():
            run(make, series[0], len(series[0]) - asked["ahead"], asked["ahead"])  # compiles
            began = time.process_time()
            forecasts = [
                run(make, y, len(y) - asked["origins"] * asked["ahead"], asked["ahead"])
                for y in series
            ]
            answers[name] = {"forecasts": forecasts, "seconds": time.process_time() - began}
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
