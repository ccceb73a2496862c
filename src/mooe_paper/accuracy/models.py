"""The models of the tables: their order, their seeds and how long they take."""

from mooe.datasets.catalogue import NAMED

MODELS = ("learnpp-nse", "dtel", "condor", "mooe-paper", "mooe")
PAPER_MODELS = MODELS[:-1]
SEEDS = 3  # of a full run
RANDOM = ("learnpp-nse", "dtel", "mooe")  # models that draw random numbers

SECONDS = {"learnpp-nse": 30.0, "dtel": 45.0, "condor": 6.0, "mooe-paper": 6.0, "mooe": 22.0}
LARGE = 581_012 * 54  # numbers in Covertype, over which these are the seconds, about


def seeds_of(model: str, n: int) -> range:
    """Return the seeds that a model is run with: one where it draws no random numbers."""
    return range(n if model in RANDOM else 1)


def cost_of(stream: str, model: str) -> float:
    """Return about how many seconds a model takes over a stream."""
    data = NAMED[stream][1] if stream in NAMED else None
    size = 100_000 if data is None else data.n_rows * data.n_features
    return 0.5 + SECONDS.get(model, 4.0) * size / LARGE
