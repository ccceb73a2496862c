"""How much every key keeps: the light setting of the default model, the whole of it, the paper's.

What the light ones leave out is in docs/scale.md, with what that costs and saves.
"""

from dataclasses import replace
from typing import Any

from mooe.auto.params import AutoParams
from mooe.engine import AnyParams
from mooe.paper.params import Params

# Parts of the default model that no light setting has: those that grow, or take more than they
# bring in a few hundred rows.
HEAVY = ("autoregression", "calibration", "forest", "leaves", "neighbours", "fourier")
OF_RICH = ("memory_rich", "passive_rich", "squares_slow")
LIGHT = AutoParams(interval=16, max_concepts=4, without=HEAVY + OF_RICH)
# Where a shared model votes, corrections of it take the place of what learns fast from all inputs.
OF_CORRECTIONS = ("adagrad", "products", "squares_fast")
LIGHT_BESIDE_SHARED = replace(LIGHT, without=LIGHT.without + OF_CORRECTIONS)
PAPER = Params(max_experts=8)
FULL = AutoParams()
NAMES = ("light", "full", "paper")


def params_of(setting: Any, task: str, shared: bool, seed: int) -> AnyParams:
    """Return the parameters that a setting stands for, or raise ValueError."""
    if isinstance(setting, (AutoParams, Params)):
        return setting
    known: dict[Any, AnyParams] = {
        "light": LIGHT_BESIDE_SHARED if shared else LIGHT,
        "full": FULL,
        "paper": PAPER,
    }
    if not isinstance(setting, str) or setting not in known:
        raise ValueError(
            f"setting must be one of {', '.join(map(repr, NAMES))}, AutoParams or Params, "
            f"got {setting!r}"
        )
    return replace(known[setting], task=task, seed=seed)
