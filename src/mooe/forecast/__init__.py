"""Forecasting: a plain time series in, honest forecasts with bands out.

>>> from mooe.forecast import MOOEForecaster
>>> model = MOOEForecaster(horizon=24)
"""

from importlib import import_module
from typing import Any

__all__ = ["Backtest", "Forecast", "FrameForecaster", "MOOEForecaster"]
__all__ += ["backtest", "evaluate", "frame_series", "read_series"]

# Where each public name lives; imported when it is first used, because what is imported is
# compiled.
HOMES = {
    "Backtest": "mooe.forecast.back_test",
    "Forecast": "mooe.forecast.forecaster",
    "FrameForecaster": "mooe.forecast.frames",
    "MOOEForecaster": "mooe.forecast.forecaster",
    "backtest": "mooe.forecast.back_test",
    "evaluate": "mooe.forecast.evaluation",
    "frame_series": "mooe.forecast.series",
    "read_series": "mooe.forecast.series",
}


def __getattr__(name: str) -> Any:
    if name in HOMES:
        return getattr(import_module(HOMES[name]), name)
    raise AttributeError(f"module 'mooe.forecast' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *HOMES])
