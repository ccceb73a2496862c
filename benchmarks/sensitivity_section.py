"""How much the default model's constants matter, as a section of the page."""

import digest
from ablation_section import FLOORS, REGIMES
from markdown_table import table

SLOW = ("Spam_full", "Covertype", "covertype shuffled")
STREAMS = tuple(stream for stream in (*FLOORS, *REGIMES) if stream not in SLOW)
# Constants of mooe.auto by module, and fields of AutoParams; each about a third to a half either
# way, and further where a user may set it.
CHANGES = {
    "default": {},
    "interval 25": {"interval": 25},
    "interval 50": {"interval": 50},
    "interval 75": {"interval": 75},
    "4 concepts": {"max_concepts": 4},
    "24 concepts": {"max_concepts": 24},
    "another seed": {"seed": 1},
    "concepts' rate 0.2": {"experts.linear.CONCEPT_RATE": 0.2},
    "concepts' rate 0.4": {"experts.linear.CONCEPT_RATE": 0.4},
    "evidence 2": {"experts.memory.EVIDENCE": 2.0},
    "evidence 4": {"experts.memory.EVIDENCE": 4.0},
    "outdone by 1": {"experts.memory.OUTDONE": 1.0},
    "outdone by 2": {"experts.memory.OUTDONE": 2.0},
    "a change of 2": {"experts.memory.CHANGED": 2.0},
    "a change of 4": {"experts.memory.CHANGED": 4.0},
    "AdaGrad's rate 1": {"experts.linear.ONLINE_RATE": 1.0},
    "AdaGrad's rate 3": {"experts.linear.ONLINE_RATE": 3.0},
    "aggression 0.5": {"experts.linear.AGGRESSION": 0.5},
    "steady rate 0.05": {"experts.linear.STEADY_RATE": 0.05},
    "steady rate 0.2": {"experts.linear.STEADY_RATE": 0.2},
    "Hedge's rate 0.5": {"meta.HEDGE_RATE": 0.5},
    "Hedge's rate 1.5": {"meta.HEDGE_RATE": 1.5},
    "share 0.001": {"meta.FIXED_SHARE": 0.001},
    "share 0.005": {"meta.FIXED_SHARE": 0.005},
    "gradient's rate 0.25": {"meta.GRADIENT_RATE": 0.25},
    "gradient's rate 1": {"meta.GRADIENT_RATE": 1.0},
    "slow 0.9995": {"experts.least_squares.SLOW": 0.9995},
    "fast 0.99": {"experts.least_squares.FAST": 0.99},
    "152 waves": {"inputs.N_FOURIER": 152},
    "bandwidth 0.5": {"inputs.BANDWIDTH": 0.5},
    "bandwidth 1": {"inputs.BANDWIDTH": 1.0},
    "sparse from 0.9": {"params.SPARSE_SHARE": 0.9},
    "10 trees": {"experts.forest.TREES": 10},
    "40 trees": {"experts.forest.TREES": 40},
    "8 tests a leaf": {"experts.forest.TESTS": 8, "experts.forest.KEPT": 4},
    "32 tests a leaf": {"experts.forest.TESTS": 32, "experts.forest.KEPT": 16},
    "grace 50": {"experts.forest.GRACE": 50.0},
    "grace 200": {"experts.forest.GRACE": 200.0},
    "price 2": {"experts.forest.PRICE": 2.0},
    "price 8": {"experts.forest.PRICE": 8.0},
    "leaves hold 500": {"experts.forest.HOLD": 1.0 - 1.0 / 500.0},
    "leaves hold 2,000": {"experts.forest.HOLD": 1.0 - 1.0 / 2000.0},
    "leaves' rate 0.1": {"experts.forest.RATE": 0.1},
    "leaves' rate 0.4": {"experts.forest.RATE": 0.4},
    "alarm 3": {"experts.forest.ALARM": 3.0},
    "alarm 6": {"experts.forest.ALARM": 6.0},
    "128 leaves a tree": {"experts.forest.MOST_LEAVES": 128},
    "copies every 250 rows": {"experts.forest_pool.EVERY": 250},
    "copies every 1,000 rows": {"experts.forest_pool.EVERY": 1000},
    "a trial of 200 rows": {"experts.forest_pool.TRIAL": 200},
    "back at 30 nats": {"experts.forest_pool.NEED": 30.0},
    "back at 80 nats": {"experts.forest_pool.NEED": 80.0},
    "16 lags": {"experts.autoregression.LAGS": 16},
    "48 lags": {"experts.autoregression.LAGS": 48},
    "labels' rate 0.1": {"experts.autoregression.RATE": 0.1},
    "labels' rate 0.4": {"experts.autoregression.RATE": 0.4},
    "5 nearest": {"experts.neighbours.NEAREST": 5, "experts.neighbours.LAST": 4},
    "ring of 2,048": {"experts.neighbours.MOST_BLOCKS": 32},
    "gate opens at 2": {"experts.neighbours.OPENS": 2.0, "experts.neighbours.CLOSES": 1.0},
    "gate opens at 0.5": {"experts.neighbours.OPENS": 0.5, "experts.neighbours.CLOSES": 0.25},
}


def digest_of(name):
    """Return the digest, as of now, of the run with a change."""
    return digest.of("sensitivity", CHANGES.get(name), STREAMS)


def digests(results):
    """Yield every change with its digest and what that is now."""
    for name in results["runs"]:
        yield name, results.get("digests", {}).get(name), digest_of(name)


def rendered(results):
    """Return the section of the page."""
    default = {stream: found[0] for stream, found in results["runs"]["default"].items()}
    streams = [stream for stream in STREAMS if stream in default]
    rows = [["default", *(f"{default[stream]:.2f}" for stream in streams), ""]]
    for name, found in results["runs"].items():
        if name == "default" or not found.keys() >= default.keys():  # of before there were these
            continue
        moved = [found[stream][0] - default[stream] for stream in streams]
        rows.append([name, *(f"{one:+.2f}" for one in moved), f"{sum(moved) / len(moved):+.2f}"])
    rows[1:] = sorted(rows[1:], key=lambda row: list(CHANGES).index(row[0]))
    return (
        "One constant changed at a time, seed 0: the difference in points, and its mean over the "
        "streams. Nothing is chosen by this table; it says how much hangs on each choice.\n\n"
        + table(["", *streams, "mean"], rows)
    )
