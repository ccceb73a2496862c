"""The page on the paper, docs/paper.md: its tables and figures, rendered from docs/results.

python docs/render.py            fill in the page, and draw the figures
python docs/render.py FOLDER     the same, with the results of `mooe reproduce --out FOLDER`
python docs/render.py --check    only say whether the page is what the results give; exit 1 if not
"""

import hashlib
import shutil
import sys
from pathlib import Path

from mooe.plots.style import themed
from mooe_paper import result_module
from mooe_paper.docs_page import fill
from mooe_paper.store import records_of, results_in

DOCS = Path(__file__).parent
PAGE, RESULTS_HERE, IMAGES = DOCS / "paper.md", DOCS / "results", DOCS / "images"
DPI = 130


def rendered():
    """Return the page as the results have it."""
    return fill(PAGE.read_text(encoding="utf-8"), results_in(RESULTS_HERE))


def take(folder):
    """Copy the results of a full run."""
    for name, result in results_in(folder).items():
        if result["quick"]:
            sys.exit(f"results must be of a full run, got a quick one of {name} in {folder}")
        shutil.copyfile(folder / f"{name}.json", RESULTS_HERE / f"{name}.json")


def draw():
    """Draw all figures; each says from which bytes of its result it was drawn."""
    for name, result in results_in(RESULTS_HERE).items():
        source = hashlib.sha256((RESULTS_HERE / f"{name}.json").read_bytes()).hexdigest()
        metadata = {"Software": None, "Source": f"{name}.json sha256 {source}"}
        for stem, figure in result_module(name).figures(records_of(result)).items():
            with themed("light"):
                figure.savefig(IMAGES / f"{stem}.png", dpi=DPI, metadata=metadata)


if __name__ == "__main__":
    if "--check" in sys.argv:
        if PAGE.read_text(encoding="utf-8") != rendered():
            sys.exit("docs/paper.md must be what the results give: python docs/render.py")
    else:
        for folder in sys.argv[1:]:
            take(Path(folder))
        draw()
        PAGE.write_text(rendered(), encoding="utf-8")
