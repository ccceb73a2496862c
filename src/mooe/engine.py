"""The two engines of MOOE: "auto", the default model, and "paper", the algorithm as published.

An engine is a module of functions that take Params and a State. `Engine` says what each must offer;
both are imported when they are first used, because what is imported is compiled.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from mooe.auto.params import AutoParams
from mooe.explanation import Concept, Expert, Traits
from mooe.numerics.blocks import State
from mooe.numerics.checks import check_choice, plain
from mooe.paper.params import Params

AnyParams = Params | AutoParams
PARAMS: dict[str, type[Params] | type[AutoParams]] = {"auto": AutoParams, "paper": Params}
MODEL_NAMES = {"auto": "mooe", "paper": "mooe-paper"}  # what their models are called


class Engine(Protocol):
    """What the module of an engine offers; X is (n, n_features), `params` its own Params."""

    def init(
        self, params: Any, n_features: int, n_classes: int = 0, groups: np.ndarray | None = None
    ) -> State:
        """Return the state before the first sample.

        groups (n_features,): the nominal column that each is an indicator of, counted from 1 on; 0
        for none.
        """

    def check_inputs(self, params: Any, X: Any) -> None:
        """Raise ValueError for the first value that no expert can take; NaN is an absent one."""

    def predict(
        self, params: Any, state: State, X: Any, added: np.ndarray | None = None
    ) -> np.ndarray:
        """Return the mixture's scores (n, n_outputs); `added` are those of added experts."""

    def predict_then_learn(
        self,
        params: Any,
        state: State,
        X: Any,
        y: np.ndarray,
        row_weights: np.ndarray | None = None,
        known: np.ndarray | None = None,
        added: np.ndarray | None = None,
    ) -> np.ndarray:
        """In place: learn rows in order; return the scores that were given before each label."""

    def explain(
        self, params: Any, state: State, x: Any, added: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the weights and every expert's scores (n_experts, n_outputs) of one row."""

    def weights(self, params: Any, state: State) -> np.ndarray:
        """Return the weights of the experts, which sum to one."""

    def experts(self, params: Any, state: State) -> list[Expert]:
        """Return the experts of the mixture."""

    def concepts(self, params: Any, state: State) -> list[Concept]:
        """Return the regimes that have a name; none where no memory of regimes is kept."""

    def regime_reader(self, params: Any, state: State) -> Callable[[], int | None]:
        """Return a function that tells the number of the regime in charge, None for none.

        It holds as long as the state keeps its block: until classes or inputs grow.
        """

    def samples_spoken_of(self, params: Any, state: State) -> set[int]:
        """Return the samples at which regimes begin or end, or may turn out to."""

    def traits(self, params: Any, state: State) -> list[Traits]:
        """Return what tells these regimes from each other."""

    def recalled(self, params: Any, state: State) -> tuple[list[int], list[float]]:
        """Return the intervals that are remembered and their weights, then that of the rest."""

    def n_intervals(self, params: Any, state: State) -> int:
        """Return how many intervals have been closed."""

    def grow_classes(self, params: Any, state: State, n_classes: int) -> None:
        """In place: make room for more classes."""

    def grow_inputs(
        self, params: Any, state: State, n_features: int, groups: np.ndarray | None = None
    ) -> None:
        """In place: make room for more columns, behind the others; groups: those of the new."""

    def add_expert(self, params: Any, state: State) -> None:
        """In place: one more expert in the mixture, whose scores are given with the rows."""

    def upgraded(self, params: Any, state: State) -> tuple[Any, State]:
        """Return parameters and state with what came after the model was saved."""

    def make_room(self, params: Any, state: State, n: int) -> None:
        """In place: room for all that n rows may teach, at least one."""

    def scratch(self, params: Any, state: State) -> np.ndarray:
        """Return room for what is computed on the way to an answer."""

    def sizes(self, params: Any, state: State) -> dict[str, int]:
        """Return how many bytes each kind of expert takes in memory, by name."""

    def column_means(self, params: Any, state: State) -> np.ndarray:
        """Return the mean of each column so far."""

    def column_statistics(self, params: Any, state: State) -> np.ndarray:
        """Return count, mean and sum of squared deviations of each column, (3, n_features)."""

    def column_groups(self, params: Any, state: State) -> np.ndarray:
        """Return the groups of the columns, as `init` takes them; 0 where they do not matter."""


def engine_of(params: AnyParams) -> Engine:
    """Return the engine that takes these parameters."""
    return _engine(params.mode)


def row_kernels(params: AnyParams) -> Any:
    """Return the module with the engine's compiled functions for single rows, predict and learn.

    They take settings, counters, block and desk (x, label, weight, the last known label, scores,
    scratch in one array), and return the number of the winning class, UNKNOWN or REFUSED.
    """
    return import_module(f"mooe.{params.mode}.onerow")


@cache
def file_parts(mode: str) -> Any:
    """Return the module that says what a model file holds of an engine."""
    return import_module(f"mooe.{mode}.file")


@cache
def _engine(mode: str) -> Engine:
    """Return an engine; kept, for every row of a caller asks."""
    engine: Engine = import_module(f"mooe.{mode}.core")
    return engine


def params_of(mode: str, values: dict[str, Any]) -> AnyParams:
    """Return the Params of an engine from a model file, where JSON has lists for tuples."""
    check_choice("mode", mode, tuple(PARAMS))
    return PARAMS[mode](**plain(values))


if TYPE_CHECKING:  # both modules are engines, or mypy says which function is missing or differs
    from mooe.auto import core as auto_core
    from mooe.paper import core as paper_core

    ENGINES: tuple[Engine, Engine] = (auto_core, paper_core)
