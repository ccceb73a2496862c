"""Forecasting: errors by published protocols, bands, memory, short series, walks, speed, others.

python benchmarks/forecast.py           what is missing, or of an earlier state of the code
python benchmarks/forecast.py --again   everything

Other libraries live in .venv-forecast, which is made here, and run in a process of their own
(forecast_peers.py).
"""

import argparse
import json
import subprocess
import sys
import time
import venv
from pathlib import Path

import numpy as np
import page
from forecast_kinds import KINDS, REPORTED, judged
from forecast_kinds import made as made_of
from forecast_protocol import HORIZONS, mean_squared_error, split
from forecast_section import PROTOCOLS, RUNS, digest_of

from mooe.datasets.series import open_series, short_series
from mooe.evaluate.results import origin
from mooe.forecast import MOOEForecaster, backtest
from mooe.forecast.naive import last_value, seasonal_naive

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).parent / "results" / "forecast.json"
VENV = ROOT / ".venv-forecast"
PYTHON = VENV / ("Scripts" if sys.platform == "win32" else "bin") / "python"
WINDOW = 500  # rows over which coverage is looked at
N_WALKS, SOME = 30, (200, 1_000)  # made series of a kind, and their rows
N_PEERS, ORIGINS, AHEAD = 20, 2, 24  # short series, forecasts of each, steps of each


def protocols():
    """Return errors, coverage and time of every published split, with both naive forecasts."""
    found = {}
    for name, protocol in PROTOCOLS:
        part = split(name, protocol)
        began = time.process_time()
        done = backtest(part.values, part.times, 48, warm_up=part.warm_up)
        seconds = time.process_time() - began
        plain = backtest(part.values, part.times, 48, warm_up=part.warm_up, levels=(), memory=False)
        forecasts = {
            "mooe": lambda h, done=done: done.mean[:, h - 1],
            "mooe, no memory": lambda h, plain=plain: plain.mean[:, h - 1],
            "last value": lambda h, part=part: last_value(part.values, h),
            "seasonal naive": lambda h, part=part: seasonal_naive(part.values, h, part.season),
        }
        found[f"{name}, {protocol}"] = {
            "channels": part.values.shape[1],
            "rows": len(part.values),
            "season": list(done.seasons),
            "mse": {
                who: [mean_squared_error(part, ahead, horizon) for horizon in HORIZONS]
                for who, ahead in forecasts.items()
            },
            "bands": bands(part, done),
            "microseconds a row": 1e6 * seconds / len(part.values),
        }
        print(name, protocol, found[f"{name}, {protocol}"]["mse"], flush=True)
    return found


def bands(part, done):
    """Return coverage by level and step, and that of the worst hundredth of windows."""
    found = {}
    for level in (80, 95):
        for h in HORIZONS:
            origins = np.arange(part.test - 1, len(part.values) - h)
            seen = part.values[origins + h]
            lower, upper = done.lower[level][origins, h - 1], done.upper[level][origins, h - 1]
            inside = (seen >= lower) & (seen <= upper)
            sums = np.cumsum(np.vstack([np.zeros((1, inside.shape[1])), inside]), 0)
            windows = (sums[WINDOW:] - sums[:-WINDOW]) / WINDOW
            worst = float(np.quantile(windows, 0.01))
            found[f"{level}, {h}"] = [float(inside.mean()), worst]
    return found


def mean_error(forecast, Y, first, horizon, square=True):
    """Return the mean error over the steps of forecasts (n, horizon, channels) from a row on."""
    errors = []
    for h in range(1, horizon + 1):
        error = forecast[first : len(Y) - h, h - 1] - Y[first + h :]
        errors.append(np.mean(error**2 if square else np.abs(error)))
    return float(np.mean(errors))


def memory():
    """Return errors on made series with four regimes that return, without and with memory."""
    found = []
    for seed in range(5):
        made = open_series("regimes", seed=seed)
        pair = {}
        for name, remembers in (("without", False), ("with", True)):
            done = backtest(made.values, made.times, 24, levels=(), memory=remembers)
            pair[name] = mean_error(done.mean, made.values, 1000, 24)
        found.append({"seed": seed, **pair})
        print("regimes", found[-1], flush=True)
    return found


def short():
    """Return mean MASE and sMAPE of 300 short series, of ours and of seasonal naive."""
    found = {}
    made = short_series()
    for name in ("with times", "season 24", "neither"):
        rows = []
        for one in made:
            Y, times = one.values, one.times if name == "with times" else None
            season = 24 if name == "season 24" else "auto"
            done = backtest(Y, times, 24, season, levels=())
            naive = np.stack([seasonal_naive(Y, h, 24) for h in range(1, 25)], 1)
            unit = np.abs(Y[24:] - Y[:-24]).mean() or 1.0
            errors = [mean_error(f, Y, 47, 24, square=False) / unit for f in (done.mean, naive)]
            rows.append([*errors, *(percent(f, Y, 47) for f in (done.mean, naive))])
        found[name] = np.mean(rows, 0).tolist()
        print("short", name, found[name], flush=True)
    return found


def walks():
    """Return the errors on walks and the like, by that of the better naive forecast of each."""
    made = {f"random walk, {n}": (n, 1, 1.0) for n in (100, 200, 500, 1_000, 5_000)}
    made |= {
        f"pull back of {1 - pull:.2g}, {n}": (n, 1, pull) for pull in (0.99, 0.9) for n in SOME
    }
    made["four walks that go together, 1000"] = (1_000, 4, 1.0)
    found = {}
    for number, (name, (n, n_channels, pull)) in enumerate(made.items()):
        found[name] = []
        for seed in range(N_WALKS if n < 5_000 else 5):
            rng = np.random.default_rng((seed, number))
            Y = rng.normal(size=(n, n_channels)) @ (0.5 * np.eye(n_channels) + 0.5)
            for t in range(1, n):
                Y[t] += pull * Y[t - 1]
            done = backtest(Y, None, 24, levels=())
            naive = [
                np.stack([last_value(Y, h) for h in range(1, 25)], 1),
                np.stack([seasonal_naive(Y, h, 24) for h in range(1, 25)], 1),
            ]
            ours, *others = (mean_error(f, Y, 47, 24) for f in (done.mean, *naive))
            found[name].append(ours / min(others))
        print("walks", name, np.mean(found[name]), np.max(found[name]), flush=True)
    return found


def kinds():
    """Return errors by the better naive one's, MASE and that of the better naive, by kind.

    And, last, the first where the season is told to ours too, as it is to seasonal naive.
    """
    found = {}
    for kind in KINDS:
        found[kind] = []
        for number in range(N_WALKS):
            one = made_of(kind, REPORTED, number)
            asked = one.values, one.times, one.horizon
            means = [backtest(*asked, season=s, levels=()).mean for s in ("auto", one.season)]
            sizes = *judged(one, means[0]), judged(one, means[1])[0]
            found[kind].append([float(value) for value in sizes])
        print("kinds", kind, np.mean(found[kind], 0), flush=True)
    return found


def percent(forecast, Y, first):
    """Return the symmetric mean absolute percentage error from a row on."""
    errors = []
    for h in range(1, 25):
        one, seen = forecast[first : len(Y) - h, h - 1], Y[first + h :]
        size = np.abs(one) + np.abs(seen)
        errors.append(np.mean(200.0 * np.abs(one - seen) / np.where(size > 0.0, size, 1.0)))
    return float(np.mean(errors))


def speed():
    """Return microseconds of processor time a row."""
    rng, found = np.random.default_rng(0), {}
    for n_channels, horizon in ((7, 48), (1, 24)):
        Y = np.cumsum(rng.normal(size=(4000, n_channels)), 0)
        days = np.sin(np.arange(len(Y)) * 2.0 * np.pi / 24.0)[:, None]
        days = days + rng.normal(0.0, 0.3, Y.shape)
        model = MOOEForecaster(horizon, season=24).update(Y[:1000])
        began = time.process_time()
        for row in Y[1000:2000]:
            model.update(row[None])
        one = 1e3 * (time.process_time() - began)
        found[f"{n_channels} x {horizon}"] = {
            "in chunks": of_a_row(Y, horizon, 24),
            "season looked for": of_a_row(days, horizon, "auto"),
            "one by one": one,
        }
    return found


def of_a_row(Y, horizon, season):
    """Return the processor time of a row in microseconds, the best of three."""
    took = []
    for _ in range(3):
        began = time.process_time()
        backtest(Y, None, horizon, season=season)
        took.append(1e6 * (time.process_time() - began) / len(Y))
    return min(took)


def peers():
    """Return MASE and seconds of others and of ours on the ends of some short series."""
    made = [one for one in short_series() if len(one.values) >= 300][:N_PEERS]
    if not PYTHON.exists():
        venv.create(VENV, with_pip=True)
        pip = [PYTHON, "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
        subprocess.run([*pip, "statsforecast>=2", "river>=0.22"], check=True)
    script = Path(__file__).with_name("forecast_peers.py")
    asked = {"series": [one.values[:, 0].tolist() for one in made]}
    asked |= {"origins": ORIGINS, "ahead": AHEAD}
    run = subprocess.run(
        [PYTHON, script], input=json.dumps(asked), text=True, check=True, capture_output=True
    )
    answers = json.loads(run.stdout)
    ours, began = [], time.process_time()
    for one in made:
        model, Y = MOOEForecaster(AHEAD, season=24), one.values
        first, forecasts = len(Y) - ORIGINS * AHEAD, []
        model.update(Y[:first])
        for t in range(first, len(Y), AHEAD):
            forecasts.append(model.predict().mean[:, 0].tolist())
            model.update(Y[t : t + AHEAD])
        ours.append(forecasts)
    answers["mooe"] = {"forecasts": ours, "seconds": time.process_time() - began}
    naive = [
        [
            one.values[t - 24 : t, 0].tolist()
            for t in range(len(one.values) - 48, len(one.values), 24)
        ]
        for one in made
    ]
    answers["seasonal naive"] = {"forecasts": naive, "seconds": 0.0}
    found = {}
    for name, answer in answers.items():
        errors = []
        for one, forecasts in zip(made, answer["forecasts"], strict=True):
            y = one.values[:, 0]
            unit, seen = np.abs(y[24:] - y[:-24]).mean(), y[-ORIGINS * AHEAD :]
            errors.append(np.abs(np.concatenate(forecasts) - seen).mean() / unit)
        seconds = answer["seconds"] / (len(made) * ORIGINS)
        found[name] = {"mase": float(np.mean(errors)), "seconds": seconds}
        print(name, found[name], flush=True)
    return found


MEASURES = dict(zip(RUNS, (protocols, memory, short, walks, kinds, speed, peers), strict=True))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--again", action="store_true", help="also what is there already")
    parser.add_argument("--runs", help=f"some of {', '.join(RUNS)}, with commas between")
    asked = parser.parse_args()
    whole = {"runs": {}, "digests": {}}
    if RESULTS.exists():
        whole |= json.loads(RESULTS.read_text())
    for name in asked.runs.split(",") if asked.runs else RUNS:
        if asked.again or whole["digests"].get(name) != digest_of():
            whole["runs"][name], whole["digests"][name] = MEASURES[name](), digest_of()
            whole["origin"] = origin()
            RESULTS.write_text(json.dumps(whole, indent=1, sort_keys=True) + "\n")
    page.write()


if __name__ == "__main__":
    main()
