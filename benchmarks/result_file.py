"""What is measured run by run is kept in its result file as soon as it is there."""

import argparse
import json

import page

from mooe.evaluate.results import origin


def measure_missing(about, path, streams, runs, digest_of):
    """Measure what a result file does not hold, or of an earlier state of the code; then the page.

    about: a line for --help. runs: a function of a stream that yields the name of each run with a
    function that measures it. digest_of: a function of such a name, see `digest`.
    """
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--streams", help="some of them, with commas between")
    parser.add_argument("--again", action="store_true", help="also what is there already")
    asked = parser.parse_args()
    whole = {"runs": {}, "digests": {}}
    if path.exists():
        whole |= json.loads(path.read_text())
    for stream in asked.streams.split(",") if asked.streams else streams:
        for name, measure in runs(stream):
            if not asked.again and whole["digests"].get(name) == digest_of(name):
                continue
            whole["runs"][name], whole["digests"][name] = measure(), digest_of(name)
            whole["origin"] = origin()
            path.write_text(json.dumps(whole, indent=1, sort_keys=True) + "\n")
    page.write()
