"""The default model in regression, as a section of the page."""

import statistics

import digest
from markdown_table import table

REAL = "the next demand"
STREAMS = {  # and what they are
    "friedman": "Friedman's function of five of ten inputs, all rows alike",
    "friedman recurring": "three such functions, of other inputs each, take turns",
    "friedman abrupt": "eight of them, none returns",
    "steps recurring": "sums of eight steps, each along one input, three take turns",
    "steps abrupt": "eight such sums, none returns",
    "board recurring": "the fields of a board of two inputs, 4 x 4, three take turns",
    "linear recurring": "three linear functions take turns",
    REAL: "of Electricity, half an hour ahead from the columns of now; all rows, seed 0",
}
SEEDS = range(3)
OURS = {  # what is left out
    "mooe": (),
    "without the pool": ("forest_pool",),
    "without forest and leaves": ("forest", "leaves", "forest_pool"),
    "without neighbours": ("neighbours",),
    "without memories": ("memory_plain", "memory_rich"),
}
PEERS = ("River's ARF", "River's Hoeffding adaptive tree", "River's linear regression")
NAIVE = ("last value", "mean")
LEARNERS = (*OURS, *PEERS, *NAIVE)


def seeds_of(stream):
    """Return the seeds of a stream: there is one of real rows."""
    return SEEDS[:1] if stream == REAL else SEEDS


def digest_of(key):
    """Return the digest, as of now, of a run."""
    return digest.of("regression", key)


def digests(results):
    """Yield the stream of every run, with its digest and what that is now."""
    for key in results["runs"]:
        yield key.split(" | ")[0], results["digests"].get(key), digest_of(key)


def error(runs, stream, learner):
    """Return the mean over seeds of the root mean squared error; None where a run is missing."""
    found = [runs.get(f"{stream} | {learner} | {seed}") for seed in seeds_of(stream)]
    return None if None in found else statistics.mean(found)


def shown(value):
    """Return an error in four digits; empty where there is none."""
    return "" if value is None else f"{value:.4g}"


def rendered(results):
    """Return the section of the page."""
    runs = results["runs"]
    errors = {learner: [error(runs, stream, learner) for stream in STREAMS] for learner in LEARNERS}
    lines = [
        [f"**{learner}**" if learner == "mooe" else learner, *map(shown, of_learner)]
        for learner, of_learner in errors.items()
    ]
    what = "\n".join(f"- {stream}: {words}" for stream, words in STREAMS.items())
    return (
        "Root mean squared error, prequential, every row counted, nothing tuned; mean over seeds "
        f"{SEEDS[0]} to {SEEDS[-1]}, each with another stream. Made streams have 20,000 rows, ten "
        "inputs and noise; regimes last 2,500 rows. ARF has its ten trees, the linear regression "
        "a StandardScaler in front; an error of many digits is one that diverged.\n\n"
        + table(["", *STREAMS], lines)
        + f"\n{what}\n"
    )
