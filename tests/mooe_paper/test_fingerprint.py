"""An experiment is run again when its code, arguments, data or versions change, and only then."""

import shutil
import subprocess
import sys

import pytest
from works import doubled, failing

from mooe_paper import RESULTS, fingerprint, result_module
from mooe_paper.experiment import Experiment
from mooe_paper.fingerprint import SOURCE, code_digest, import_closure

EXPERIMENT = Experiment("two", doubled, {"number": 2}, ("Usenet1",))
DIGESTS = {"Usenet1": "abc"}
MODULES = sorted(
    {
        experiment.function.__module__
        for name in RESULTS
        for experiment in result_module(name).experiments(quick=False)
    }
)
RUNS, GAINS = "mooe_paper.accuracy.runs", "mooe_paper.intervals.early_gain"


def mark(experiment=EXPERIMENT, quick=True, digests=DIGESTS):
    return fingerprint.fingerprint(experiment, quick, digests)


@pytest.mark.parametrize(
    ("experiment", "quick", "digests"),
    [
        (Experiment("three", doubled, {"number": 2}, ("Usenet1",)), True, DIGESTS),
        (Experiment("two", failing, {"number": 2}, ("Usenet1",)), True, DIGESTS),
        (Experiment("two", doubled, {"number": 3}, ("Usenet1",)), True, DIGESTS),
        (EXPERIMENT, False, DIGESTS),
        (EXPERIMENT, True, {"Usenet1": "abd"}),
    ],
    ids=["name", "function", "arguments", "size", "data"],
)
def test_whatever_a_record_depends_on_changes_the_fingerprint(experiment, quick, digests):
    assert mark(experiment, quick, digests) != mark()


def test_cost_does_not_change_the_fingerprint():
    assert mark(Experiment("two", doubled, {"number": 2}, ("Usenet1",), cost=100.0)) == mark()


def test_another_version_or_other_code_changes_the_fingerprint(monkeypatch):
    before = mark()
    monkeypatch.setattr(fingerprint, "code_digest", lambda module: "other")
    other_code = mark()
    monkeypatch.undo()
    monkeypatch.setattr(fingerprint, "origin", lambda **more: {"mooe": "0.0.0"})
    assert len({before, other_code, mark()}) == 3


def edited(folder, module, path, old, new):
    """Return the digest of a module in a copy of the source, a text replaced or a line added."""
    for package in fingerprint.PACKAGES:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(SOURCE / package, folder / package, ignore=ignored)
    text = (folder / path).read_text()
    assert old in text, f"{path} no longer has {old!r}"
    (folder / path).write_text(text.replace(old, new) if old else f"{text}{new}\n")
    return code_digest(module, folder)


@pytest.mark.parametrize(
    ("module", "path", "old", "new"),
    [
        (RUNS, "mooe/cli/reproduce.py", "Only what needs no download", "Nothing to download"),
        (RUNS, "mooe/plots/style.py", "", "ADDED = 1"),
        (RUNS, "mooe_paper/table1.py", "Accuracy in %", "Accuracy, in %"),
        (RUNS, "mooe_paper/accuracy/comparison.py", "TOLERANCE = 2.0", "TOLERANCE = 3.0"),
        (RUNS, "mooe_paper/accuracy/runs.py", "Return the record of a run.", "The record."),
        (RUNS, "mooe_paper/accuracy/runs.py", "# The paper's B and K_max", "# B and K_max"),
        (GAINS, "mooe_paper/intervals/central_claim.py", "wander off", "wander away"),
        (GAINS, "mooe_paper/confidence.py", "Behind ±", "After ±"),
        (GAINS, "mooe/auto/kernel.py", "", "ADDED = 1"),
    ],
    ids=["help", "plot", "note", "rule", "docstring", "comment", "words", "unit", "other model"],
)
def test_texts_plots_and_code_that_is_never_imported_leave_the_code(
    tmp_path, module, path, old, new
):
    assert edited(tmp_path, module, path, old, new) == code_digest(module)


@pytest.mark.parametrize(
    ("module", "path", "old", "new"),
    [
        (RUNS, "mooe_paper/accuracy/runs.py", '"chunk": "50"', '"chunk": "60"'),
        (RUNS, "mooe/numerics/losses.py", "2.0 * (score - target)", "3.0 * (score - target)"),
        (RUNS, "mooe/baselines/condor.py", "", "ADDED = 1"),
        (GAINS, "mooe/numerics/hedge.py", "", "ADDED = 1"),
        (GAINS, "mooe/paper/kernel.py", "", "ADDED = 1"),
        (GAINS, "mooe_paper/estimate.py", "0.975", "0.95"),
        (GAINS, "mooe/datasets/synthetic.py", "", "ADDED = 1"),
    ],
    ids=["setting", "formula", "by name", "weights", "kernel", "constant", "stream"],
)
def test_a_formula_a_setting_or_a_constant_changes_the_code(tmp_path, module, path, old, new):
    assert edited(tmp_path, module, path, old, new) != code_digest(module)


@pytest.mark.parametrize("module", MODULES)
def test_experiments_import_nothing_that_is_to_be_looked_at(module):
    looks = ("mooe.cli", "mooe.report", "mooe.plots", "mooe.demo")
    tables = {f"mooe_paper.{name}" for name in ("experiment", "formats", "paper_report")}
    closure = import_closure(module)
    assert not [name for name in closure if name.startswith(looks)]
    assert not closure & {*tables, *RESULTS.values()}


LOADED = """
import sys
from mooe_paper.accuracy.runs import SETTINGS, run_model
from mooe_paper.fingerprint import import_closure

for model in SETTINGS:
    run_model("recurring", model, max_rows=60)
loaded = {name for name in sys.modules if name.partition(".")[0] in ("mooe", "mooe_paper")}
packages = {name.rpartition(".")[0] for name in loaded}
fingerprint = {"mooe_paper.fingerprint", "mooe_paper.experiment"}
print(sorted(loaded - packages - fingerprint - import_closure("mooe_paper.accuracy.runs")))
"""


def test_every_module_that_an_experiment_loads_is_among_its_code():
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


def source(folder, **texts):
    """Write modules of a package named mooe; __init__ files are empty unless given."""
    for name, text in texts.items():
        path = folder.joinpath("mooe", *name.split("__", 1)).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for path in [folder / "mooe", *(folder / "mooe").iterdir()]:
        if path.is_dir() and not (path / "__init__.py").exists():
            (path / "__init__.py").write_text("")
    return folder


@pytest.mark.parametrize(
    ("text", "imports"),
    [
        ("import mooe.b, numpy", {"mooe.b"}),
        ("from mooe import b", {"mooe.b"}),
        ("from mooe.deep import c", {"mooe.deep.c"}),
        ("from mooe.deep.c import name", {"mooe.deep.c"}),
        ("from mooe.deep import name", {"mooe.deep"}),
        ("from .deep import c", {"mooe.deep.c"}),
        ("from . import b", {"mooe.b"}),
        ("def late():\n    from mooe import b", {"mooe.b"}),
        ("if TYPE_CHECKING:\n    from mooe import b", set()),
        ("if not TYPE_CHECKING:\n    from mooe import b", {"mooe.b"}),
        ("import_module('mooe.b')", {"mooe.b"}),
        ("importlib.import_module(f'mooe.deep.{name}')", {"mooe.deep.c", "mooe.deep.d"}),
        ("import_module(f'mooe.{mode}.d')", {"mooe.deep.d"}),
        ("import_module({'b': 'mooe.b', 'name': 'mooe'}[name])", {"mooe.b"}),
        ("'mooe.b'; text = 'mooe.b'", set()),
    ],
)
def test_imports_are_seen_in_every_spelling(tmp_path, text, imports):
    folder = source(tmp_path, a=text, b="", deep__c="", deep__d="")
    assert import_closure("mooe.a", folder) == {"mooe.a", *imports}


def test_imports_of_imports_are_followed_and_circles_end(tmp_path):
    folder = source(
        tmp_path, a="import mooe.b", b="from mooe.deep import c", deep__c="import mooe.a"
    )
    assert import_closure("mooe.a", folder) == {"mooe.a", "mooe.b", "mooe.deep.c"}


def test_a_module_without_a_file_is_refused():
    with pytest.raises(ValueError, match="module must be one that has a file, got 'no_such'"):
        code_digest("no_such")
