"""What figures were measured on: a hash of the sources that they depend on, kept beside them.

A figure whose digest is not the one of now was measured on an earlier state of the code: the page
says so, and the next `make bench` measures it again. Only what is measured counts, with all that it
imports, and of that the code: neither a help text of the command nor a comment makes a kernel's
figure stale.

What figures of accuracy depend on is what the default model answers, not how it is written: there a
hash of its answers stands for its code (`answers.py`). A change that leaves every bit as it was
makes them no older; what is timed is measured again.
"""

import ast
import hashlib
import json
from functools import cache
from pathlib import Path

from mooe.numerics import sources
from mooe_paper.fingerprint import code_tree

HERE = Path(__file__).parent
SOURCE = HERE.parent / "src"
KNOWN = HERE / "answers.json"  # what a state of the code answers

# For each result file: the scripts that measure, and what of ours they measure. A package stands
# for all modules in it; modules that are imported by a name in a text must be listed. How a file is
# read is left out where rows are in memory before anything is measured: they are the same, which
# the checksums of the files and the tests of the readers hold.
STREAMS = ("mooe.datasets.drift", "mooe.datasets.generators", "mooe.datasets.synthetic")
# What only reads streams, whose checksums are held, what only says something of answers, and what
# only names the modules of the package counts where it is what is measured.
READS_OR_SAYS = (
    "mooe.streams",
    *("mooe.datasets.archive", "mooe.datasets.catalogue", "mooe.datasets.sources"),
    *("mooe.explanation", "mooe.words"),
)
PAPER = ("mooe.paper",)
DEFAULT = ("mooe.auto",)
MEASURED = {
    "ablation": (("ablation", "streams"), (*DEFAULT, *STREAMS)),
    "auto": (
        ("auto", "core"),
        (*DEFAULT, "mooe.estimators", "mooe.modelfile", "mooe.river_adapter"),
    ),
    "baselines": (("baselines",), ("mooe.baselines", "mooe.run.registry", *STREAMS)),
    "before": (("before", "streams"), STREAMS),
    "core": (("core",), (*PAPER, "mooe.river_adapter")),
    "evaluate": (("evaluate",), (*PAPER, *STREAMS, "mooe.streams", "mooe.evaluate")),
    "first_use": (
        ("first_use", "first_use_work"),
        (*DEFAULT, *PAPER, "mooe.estimators", "mooe.named_rows"),
    ),
    "forest_pool": (("forest_pool", "ablation", "streams"), (*DEFAULT, *STREAMS)),
    "leak": (("leak", "forecast_protocol"), ("mooe.forecast.naive", "mooe.datasets.series")),
    "forecast": (
        ("forecast", "forecast_kinds", "forecast_protocol", "forecast_peers"),
        ("mooe.forecast.back_test", "mooe.forecast.naive", "mooe.datasets.series"),
    ),
    "keyed": (("keyed", "keyed_streams"), (*DEFAULT, *PAPER, "mooe.keyed")),
    "peers": (("peers_run", "peers_models"), (*DEFAULT, "mooe.model")),
    "probabilities": (("probabilities", "ablation", "streams"), (*DEFAULT, *STREAMS)),
    "rare": (("rare",), (*DEFAULT, "mooe.decision", "mooe.model")),
    "recurrence": (("recurrence", "ablation"), DEFAULT),
    "regimes": (("regimes_streams",), DEFAULT),
    "regression": (("regression",), DEFAULT),
    "reproduce": (
        ("reproduce",),
        (*PAPER, *STREAMS, "mooe.baselines", "mooe_paper"),
    ),
    "spark": (("spark",), (*DEFAULT, *PAPER, "mooe.keyed", "mooe.spark")),
    "shells": (
        ("shells", "core"),
        (*DEFAULT, *PAPER, "mooe.estimators", "mooe.modelfile", "mooe.river_adapter"),
    ),
    "server": (
        ("server", "server_load"),
        (*DEFAULT, "mooe.named_rows", "mooe.platform", "mooe.server"),
    ),
    "soak": (("soak", "server_load"), ("mooe.platform", "mooe.server")),
    "sensitivity": (("sensitivity", "ablation", "streams"), (*DEFAULT, *STREAMS)),
    "texts": (("texts",), (*DEFAULT, "mooe.streams.encoding")),
}
# Where nothing but what is answered counts, unless a part of it is timed.
OF_ANSWERS = (
    *("ablation", "forest_pool", "peers", "probabilities", "rare"),
    *("recurrence", "regimes", "regression", "sensitivity"),
)


def of(result, *settings, timed=False):
    """Return the digest, as of now, of a result that is measured with these settings."""
    return hashed(sources_of(result, timed or result not in OF_ANSWERS), *settings)


def of_peer(library, version):
    """Return the digest of what a library of others answers: it depends on nothing of ours."""
    return hashed(code_of((HERE / f"peers_{library}.py").read_text()), version)


def hashed(*parts):
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


@cache
def sources_of(result, timed):
    """Return a hash of what is behind a result: scripts, modules, and what the model answers."""
    scripts, measured = MEASURED[result]
    absent = [part for part in measured if part not in texts()]
    if absent:
        raise ValueError(f"MEASURED must name modules that are there, got {absent[0]!r}")
    read = [code_of((HERE / f"{script}.py").read_text()) for script in scripts]
    modules, kept = counted(measured)
    if timed:
        return hashed(*read, sources.digest(modules, kept))
    own = sources.needed(*counted(DEFAULT))
    kept.pop("mooe.datasets")  # which only names streams
    others = {name: kept[name].decode() for name in sources.needed(modules, kept) - own}
    return hashed(*read, sorted(others.items()), answers())


def counted(measured):
    """Return the modules that are measured, and the code of all that may count with them."""
    kept = {
        name: text
        for name, text in texts().items()
        if is_in(name, measured) or not (name == "mooe" or is_in(name, READS_OR_SAYS))
    }
    return [name for name in kept if is_in(name, measured)], kept


def answers():
    """Return a hash of what the default model answers; of its code, where that was not asked."""
    known, code = json.loads(KNOWN.read_text()), model_code()
    return known["answers"] if known["code"] == code else code


def model_code():
    """Return a hash of the code of the default model."""
    return sources.digest(*counted(DEFAULT))


def is_in(name, packages):
    """Whether a module is one of some, or in one of them."""
    return any(f"{name}.".startswith(f"{package}.") for package in packages)


@cache
def texts():
    """Return the code of every module of this project by name."""
    packages = sorted(path.parent for path in SOURCE.glob("*/__init__.py"))
    return {
        name: code_of(text.decode()).encode()
        for package in packages
        for name, text in sources.texts(package).items()
    }


def code_of(text):
    """Return a source without comments, docstrings and layout."""
    return ast.unparse(code_tree(text))


def remark(runs):
    """Return a sentence on those that were measured on an earlier state, empty if none was.

    runs: (what it is part of, its digest, what the digest is now) of each.
    """
    runs = list(runs)
    old = [name for name, kept, now in runs if kept != now]
    if not old:
        return ""
    which = f": {len(old)} of {len(runs)} runs ({', '.join(dict.fromkeys(old))})"
    return f"_Measured on an earlier state of the code{which if len(old) < len(runs) else ''}._\n\n"
