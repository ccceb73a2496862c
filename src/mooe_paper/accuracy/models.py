"""The models of the tables: their order, their seeds, and an experiment for each."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from mooe.datasets.catalogue import NAMED
from mooe.evaluate.measures import TRIVIAL
from mooe_paper.experiment import Experiment, Record

MODELS = ("learnpp-nse", "dtel", "condor", "mooe-paper", "mooe")
PAPER_MODELS = MODELS[:-1]
SEEDS = 3  # of a full run
RANDOM = ("learnpp-nse", "dtel", "mooe")  # models that draw random numbers

SECONDS = {"learnpp-nse": 30.0, "dtel": 45.0, "condor": 6.0, "mooe-paper": 6.0, "mooe": 22.0}
LARGE = 581_012 * 54  # numbers in Covertype, over which these are the seconds, about


def model_experiments(
    function: Callable[..., Record],
    stream: str,
    needs: tuple[str, ...],
    n_seeds: int,
    more: Mapping[str, Any] | None = None,
    random: Collection[str] = RANDOM,
    slowness: float = 1.0,
) -> list[Experiment]:
    """Return every model, and the trivial ones, on a stream, each with its seeds.

    Parameters
    ----------
    function : callable
        Takes `stream`, `model`, `seed`, and `more` arguments.
    random : collection of str
        Models that are run with `n_seeds` seeds; the others are run with one.
    slowness : float
        How many times as long it takes as on the stream as it is.
    """
    return [
        Experiment(
            f"{stream} {model} seed {seed}",
            function,
            {"stream": stream, "model": model, "seed": seed, **(more or {})},
            needs,
            slowness * cost_of(stream, model),
        )
        for model in (*MODELS, *TRIVIAL)
        for seed in range(n_seeds if model in random else 1)
    ]


def cost_of(stream: str, model: str) -> float:
    """Return about how many seconds a model takes over a stream."""
    n_rows, n_features, _ = NAMED[stream][1].size if stream in NAMED else (10_000, 10, 2)
    size = n_rows * n_features
    return 0.5 + SECONDS.get(model, 4.0) * size / LARGE
