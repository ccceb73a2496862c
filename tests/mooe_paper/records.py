"""Records of the figures with two seeds, made once, for the tests of what is drawn from them."""

from functools import cache

from mooe_paper.experiment import Records
from mooe_paper.intervals import central_claim, last_interval
from mooe_paper.intervals.last_interval import SOURCES


@cache
def losses() -> Records:
    """The records of the loss figure; the real streams have those of the synthetic one."""
    record = last_interval.losses("synthetic", 2)
    records = {name: like(name, record) for name in SOURCES}
    for experiment in central_claim.experiments(quick=True):
        small = experiment.arguments | {"length": 200, "interval": 200, "n_seeds": 2}
        records[experiment.name] = experiment.function(**small)
    return records


@cache
def regrets() -> Records:
    """The records of the regret figure, the same way."""
    record = last_interval.regrets("synthetic", 2)
    return {name: like(name, record) for name in SOURCES}


def like(name: str, record: dict) -> dict:
    """A record of another stream: without authors' models where their code does not run."""
    if SOURCES[name].rate:
        return record | {"stream": name}
    kept = {}
    for key, value in record.items():
        if isinstance(value, dict):
            value = {model: of for model, of in value.items() if "authors" not in model}
        kept[key] = value
    return kept | {"stream": name}
