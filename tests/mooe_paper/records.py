"""Records of the figures with two seeds, made once, for the tests of what is drawn from them."""

from functools import cache

from mooe_paper.cells import Found
from mooe_paper.early import early_gain, last_interval
from mooe_paper.early.last_interval import SOURCES


@cache
def losses() -> Found:
    """The records of the loss figure; the real streams have those of the synthetic one."""
    one = last_interval.lost("synthetic", 2)
    found = {name: like(name, one) for name in SOURCES}
    for cell in early_gain.cells(quick=True):
        small = cell.arguments | {"length": 200, "interval": 200, "n_seeds": 2}
        found[cell.name] = cell.work(**small)
    return found


@cache
def regrets() -> Found:
    """The records of the regret figure, the same way."""
    one = last_interval.regretted("synthetic", 2)
    return {name: like(name, one) for name in SOURCES}


def like(name: str, record: dict) -> dict:
    """A record of another stream: without authors' models where their code does not run."""
    if SOURCES[name].rate:
        return record | {"stream": name}
    kept = {}
    for key, value in record.items():
        if isinstance(value, dict):
            value = {model: one for model, one in value.items() if "authors" not in model}
        kept[key] = value
    return kept | {"stream": name}
