"""How well the names of regimes hold, on streams whose regimes are known.

    python benchmarks/regimes.py            # what is not there, or of an earlier state
    python benchmarks/regimes.py --again
    python benchmarks/regimes.py --looked-at    # those that were looked at; keep nothing

What a row is named is the regime in charge as users see it after that row was learnt, asked for
every ten rows. See regimes_streams.py.
"""

# ruff: noqa: E402

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import argparse
import json
from pathlib import Path

import page
import regimes_section
from regimes_streams import STREAMS, measured, plan

from mooe.evaluate.results import origin

RESULTS = Path(__file__).parent / "results" / "regimes.json"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--again", action="store_true", help="also what is there already")
    parser.add_argument("--looked-at", action="store_true", help="no held-out stream, keep nothing")
    asked = parser.parse_args()
    whole = {"runs": {}, "digest": None}
    if RESULTS.exists():
        whole |= json.loads(RESULTS.read_text())
    if asked.again or asked.looked_at or whole["digest"] != regimes_section.digest_of():
        whole["runs"] = {}
    for number in range(STREAMS):
        if str(number) in whole["runs"] or (asked.looked_at and plan(number).held_out):
            continue
        one = whole["runs"][str(number)] = measured(number)
        print(*plan(number), f"{100 * one['right'] / one['rows']:.2f} %", flush=True)
    print(regimes_section.rendered(whole))
    if not asked.looked_at:
        whole |= {"digest": regimes_section.digest_of(), "origin": origin()}
        RESULTS.write_text(json.dumps(whole, indent=1, sort_keys=True) + "\n")
        page.write()


if __name__ == "__main__":
    main()
