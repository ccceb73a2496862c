"""The page of benchmarks, docs/benchmarks.md, rendered from the result files and nothing else.

python benchmarks/page.py           write the page
python benchmarks/page.py --check   only say whether it is what the results give; exit 1 if not
"""

import json
import sys
from pathlib import Path

import ablation_section
import auto_section
import baselines_section
import core_section
import digest
import evaluate_section
import peers_section
import probabilities_section
import rare_section
import reproduce_section
import sensitivity_section
import shells_section

RESULTS = Path(__file__).parent / "results"
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
SECTIONS = {  # by the name of the result file: a title, and the module that renders it
    "peers": ("Beside other stream learners", peers_section),
    "ablation": ("The default model and its parts", ablation_section),
    "sensitivity": ("How much its constants matter", sensitivity_section),
    "probabilities": ("How true its probabilities are", probabilities_section),
    "rare": ("Rare classes", rare_section),
    "auto": ("The speed of the default model", auto_section),
    "baselines": ("The baselines of the paper", baselines_section),
    "core": ("The core", core_section),
    "evaluate": ("The prequential loop", evaluate_section),
    "shells": ("The shells around a model", shells_section),
    "reproduce": ("The paper, reproduced", reproduce_section),
}


def rendered():
    """Return the page: a section for each result file that is there.

    A section says which of its figures were measured on an earlier state of the code.
    """
    text = "# Benchmarks\n\nRendered from `benchmarks/results` by `python benchmarks/page.py`.\n"
    for name, (title, section) in SECTIONS.items():
        path = RESULTS / f"{name}.json"
        if path.exists():
            results = json.loads(path.read_text())
            stale = digest.remark(section.digests(results))
            text += f"\n## {title}\n\n{stale}{section.rendered(results)}"
    return text


def write():
    """Write the page."""
    PAGE.write_text(rendered())


if __name__ == "__main__":
    if "--check" not in sys.argv:
        write()
    elif PAGE.read_text() != rendered():
        sys.exit(
            "docs/benchmarks.md must be what the results give, and say which of them are of an "
            "earlier state of the code: python benchmarks/page.py"
        )
