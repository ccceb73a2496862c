"""How much the default model's constants matter: each changed alone, on every stream.

    python benchmarks/sensitivity.py            # what is not there, or of an earlier state
    python benchmarks/sensitivity.py --again

Prequential, every row counted; Usenet1 and Email are the mean over four starts. The constants are
compiled in, so every change is a process of its own that compiles the model anew, in a folder that
is thrown away.
"""

# ruff: noqa: E402

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import argparse
import importlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from ablation_section import STARTS
from sensitivity_section import CHANGES, STREAMS, digest_of

RESULTS = Path(__file__).parent / "results" / "sensitivity.json"


def change(setting):
    """In place: set constants before anything is compiled; return the fields of AutoParams."""
    if "mooe.auto.kernel" in sys.modules:
        raise RuntimeError("the default model is compiled already, with the constants it has")
    fields = {}
    for place, value in setting.items():
        module, _, constant = place.rpartition(".")
        if not module:
            fields[constant] = value
            continue
        found = importlib.import_module(f"mooe.auto.{module}")
        if not hasattr(found, constant):
            raise AttributeError(f"mooe.auto.{module} has no {constant}")
        setattr(found, constant, value)
    return fields


def accuracies(setting):
    """Return the accuracy on each stream, in percent, and the regimes shown."""
    fields = change(setting)
    seed = fields.pop("seed", 0)
    import ablation

    found = {}
    for stream in STREAMS:
        runs = [
            ablation.measured(stream, (), seed, start, **fields)
            for start in STARTS.get(stream, (0,))
        ]
        found[stream] = [
            sum(100 * one["right"] / one["rows"] for one in runs) / len(runs),
            sum(one["shown"] for one in runs) / len(runs),
        ]
    return found


def measured(name):
    """Return what a process of its own finds."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, __file__, "--one", name],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            env={**os.environ, "NUMBA_CACHE_DIR": folder},
        )
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--again", action="store_true", help="also what is there already")
    parser.add_argument("--one", choices=CHANGES, help="only this change, as JSON")
    asked = parser.parse_args()
    if asked.one is not None:
        print(json.dumps(accuracies(CHANGES[asked.one])))
        return
    import page  # it may compile the default model

    from mooe.evaluate.results import origin

    whole = {"runs": {}, "digests": {}}
    if RESULTS.exists() and not asked.again:
        whole |= json.loads(RESULTS.read_text())
    for name in CHANGES:
        now = digest_of(name)
        if whole["digests"].get(name) == now:
            continue
        one = whole["runs"][name] = measured(name)
        print(name, *(f"{stream} {found[0]:.2f}" for stream, found in one.items()))
        whole["digests"][name] = now
        whole["origin"] = origin()
        RESULTS.write_text(json.dumps(whole, indent=1, sort_keys=True) + "\n")
        page.write()


if __name__ == "__main__":
    main()
