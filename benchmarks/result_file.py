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
    for stream in asked.streams.split(",") if asked.streams else streams:
        for name, measure in runs(stream):
            if not asked.again and _whole(path)["digests"].get(name) == digest_of(name):
                continue
            found = measure()
            whole = _whole(path)  # as it is now: another part may be measured at the same time
            whole["runs"][name], whole["digests"][name] = found, digest_of(name)
            whole["origin"] = origin()
            path.write_text(json.dumps(whole, indent=1, sort_keys=True) + "\n")
    page.write()


def _whole(path):
    """Return what a result file holds."""
    whole = {"runs": {}, "digests": {}}
    return whole | (json.loads(path.read_text()) if path.exists() else {})
