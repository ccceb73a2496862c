"""The tables of docs/baselines.md, rendered from the results and nothing else.

python benchmarks/baselines_page.py           fill in the page
python benchmarks/baselines_page.py --check   only say whether it is what the results give
"""

import json
import sys
from pathlib import Path

from baselines_section import CHECKED, LABELS, MORE_MUS, accuracy
from markdown_table import table

from mooe_paper.docs_page import between_marks
from mooe_paper.printed_numbers import ACCURACY

RESULTS = Path(__file__).parent / "results" / "baselines.json"
PAGE = Path(__file__).parents[1] / "docs" / "baselines.md"

# Other readings of a stream: its name, then how it is read.
SWEPT_READINGS = {
    "Electricity; weekday as seven columns": "seven columns of 0 and 1",
    "Electricity; weekday left out": "left out",
}
TRIED = {  # on Electricity, with the weekday as a number
    "intercept=false": "a number, without intercept",
    "epoch=25": "a number, epochs of 25",
    "epoch=100": "a number, epochs of 100",
}
READINGS = {
    "Covertype": "7 classes, all rows",
    "Covertype; first 100,000 rows": "7 classes, the first 100,000 rows",
    "Covertype; class 2 or not": "class 2 or not, all rows",
    "Covertype; class 2 or not; first 100,000 rows": "class 2 or not, the first 100,000 rows",
}
READ_BY = (
    "learnpp-nse",
    "dtel",
    "condor",
    "learnpp-nse max_members=1",
    "no-change",
    "majority",
)
LAST_TREE = {"learnpp-nse max_members=1": "the last tree alone"}


def weekdays(runs):
    """Return the sweep over mu on Electricity by how the weekday is taken."""
    taken = {("Electricity", ""): "a number from 0 to 1"}
    taken |= {("Electricity", f"{option} "): how for option, how in TRIED.items()}
    taken |= {(stream, ""): how for stream, how in SWEPT_READINGS.items()}
    lines = []
    for (stream, option), how in taken.items():
        found = [accuracy(runs, stream, f"condor in hindsight {option}mu={mu}") for mu in MORE_MUS]
        values = [float(one) for one in found if one]
        if values:
            lines.append([how, f"{min(values):.1f}", f"{max(values):.1f}"])
    low, high = CHECKED["Electricity"]
    return table(["weekday", "lowest", "highest"], [*lines, ["to be covered", f"{low}", f"{high}"]])


def readings(runs):
    """Return the accuracies on Covertype in every reading; what is nearest to the printed, bold."""
    lines = []
    for model in READ_BY:
        printed = ACCURACY["Covertype"].get(model)
        found = [accuracy(runs, stream, model) for stream in READINGS]
        if printed is not None and all(found):
            nearest = min(found, key=lambda one: abs(float(one) - printed))
            found = [f"**{one}**" if one == nearest else one for one in found]
        name = {**LABELS, **LAST_TREE}[model]
        lines.append([name, *found, "" if printed is None else f"{printed:.1f}"])
    return table(["", *READINGS.values(), "printed"], lines)


TABLES = {"weekdays": weekdays, "readings of covertype": readings}


def rendered():
    """Return the page with what stands between its marks as the results have it."""
    runs = json.loads(RESULTS.read_text())["runs"]
    return between_marks(PAGE.read_text(), lambda name, _: TABLES[name](runs))


def write():
    """Write the page."""
    PAGE.write_text(rendered())


if __name__ == "__main__":
    if "--check" not in sys.argv:
        write()
    elif PAGE.read_text() != rendered():
        sys.exit("docs/baselines.md must be what the results give: benchmarks/baselines_page.py")
