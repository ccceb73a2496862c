"""Records of the figures with two seeds, made once, for the tests of what is drawn from them."""

from functools import cache

from mooe_paper.experiment import Records
from mooe_paper.intervals import by_setting, central_claim, last_interval
from mooe_paper.intervals.last_interval import SOURCES


@cache
def losses() -> Records:
    """The records of the loss figure; the real streams have those of the synthetic one."""
    record = last_interval.losses("synthetic", 2)
    records = {name: like(name, record) for name in SOURCES}
    records["synthetic with R 3"] = by_setting.losses("synthetic", "R 3", 2)
    for experiment in central_claim.experiments(quick=True):
        small = {"interval": 200, "length": 200} if "interval" in experiment.arguments else {}
        arguments = experiment.arguments | small | {"n_seeds": 2}
        records[experiment.name] = experiment.function(**arguments)
    return records


@cache
def regrets() -> Records:
    """The records of the regret figure, the same way."""
    record = last_interval.regrets("synthetic", 2)
    swept = {"synthetic with R 3": by_setting.regrets("synthetic", "R 3", 2)}
    return {name: like(name, record) for name in SOURCES} | swept


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
