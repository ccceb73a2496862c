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
import before_section
import core_section
import digest
import evaluate_section
import first_use_section
import forecast_section
import forest_pool_section
import keyed_section
import leak_section
import peers_section
import probabilities_section
import rare_section
import recurrence_section
import regimes_section
import regression_section
import reproduce_section
import sensitivity_section
import server_section
import shells_section
import soak_section
import spark_section
import texts_section

RESULTS = Path(__file__).parent / "results"
DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "benchmarks.md"
SECTIONS = {  # by the name of the result file: a title, and the module that renders it
    "peers": ("Beside other stream learners", peers_section),
    "ablation": ("The default model and its parts", ablation_section),
    "before": ("Beside the default model of before", before_section),
    "sensitivity": ("How much its constants matter", sensitivity_section),
    "regimes": ("The names of regimes", regimes_section),
    "recurrence": ("What recall could gain on real streams", recurrence_section),
    "forest_pool": ("Forests that come back", forest_pool_section),
    "probabilities": ("How true its probabilities are", probabilities_section),
    "rare": ("Rare classes", rare_section),
    "regression": ("Numbers as labels", regression_section),
    "texts": ("Columns of many texts", texts_section),
    "forecast": ("Forecasting", forecast_section),
    "leak": ("The leak of published protocols of forecasting", leak_section),
    "auto": ("The speed of the default model", auto_section),
    "baselines": ("The baselines of the paper", baselines_section),
    "core": ("The core", core_section),
    "evaluate": ("The prequential loop", evaluate_section),
    "shells": ("The shells around a model", shells_section),
    "server": ("The server", server_section),
    "soak": ("The server, killed a thousand times", soak_section),
    "spark": ("One model per key on Spark", spark_section),
    "keyed": ("One model per key", keyed_section),
    "first_use": ("The first use", first_use_section),
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


# Tables that stand on another page, between two marks: the page, the result file, what renders it.
ELSEWHERE = {
    "rare classes": ("default-model.md", "rare", rare_section.means),
    "leak": ("forecasting.md", "leak", leak_section.rendered),
    "forecast": ("forecasting.md", "forecast", forecast_section.rendered),
    "sizes": ("scale.md", "spark", spark_section.sizes),
}


def pages():
    """Return the text of every page that shows figures, by path."""
    texts = {PAGE: rendered()}
    for mark, (name, result, table_of) in ELSEWHERE.items():
        path = DOCS / name
        if not (RESULTS / f"{result}.json").exists():
            continue
        text = texts[path] if path in texts else path.read_text()
        before, _, rest = text.partition(f"<!-- {mark} -->\n")
        _, _, after = rest.partition(f"<!-- end of {mark} -->")
        table = table_of(json.loads((RESULTS / f"{result}.json").read_text()))
        texts[path] = f"{before}<!-- {mark} -->\n{table}<!-- end of {mark} -->{after}"
    return texts


def write():
    """Write the page, and the tables that stand elsewhere."""
    for path, text in pages().items():
        path.write_text(text)


def check():
    """End with an error unless the pages are what the results give."""
    for path, text in pages().items():
        if path.read_text() != text:
            sys.exit(
                f"docs/{path.name} must be what the results give, and say which of them are of an "
                "earlier state of the code: python benchmarks/page.py"
            )


if __name__ == "__main__":
    check() if "--check" in sys.argv else write()
