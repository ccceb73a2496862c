"""The roster: every expert has its kind, and an eleventh needs its own file and lines there alone.

Files of before it came load in the copy that has it, and go on bit for bit as they do here.
"""

import filecmp
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from auto.going_on import going_on
from mooe.auto import roster
from mooe.auto.roster import EXPERTS, KINDS, NARROW_ONLY, OLD_ROSTER

TESTS = Path(__file__).parents[1]
SOURCE = TESTS.parent / "src" / "mooe"
NAMES = ("classifier", "binary", "regressor", "wide", "added")
FILES = [TESTS / "golden" / f"format{k}-{name}.mooe" for k in (2, 3, 4) for name in NAMES]

# What is written into the roster for a newcomer: each line behind one that is there.
LINES = {
    "from mooe.numerics.compiled import forced, shared": "from mooe.auto.experts import newcomer",
    '    "autoregression",': '    "mean_row",',
    "KINDS = (linear, memory, least_squares, simple, forest, autoregression)": (
        "KINDS = (*KINDS, newcomer)"
    ),
    "FOREST = places(forest)": "NEWCOMER = places(newcomer)",
    "    forest: forest.Forest": "    newcomer: newcomer.MeanRow",
    "    forest: forest.Scratch": "    newcomer: newcomer.Scratch",
    "    of_forest, at = forest.open_arrays(s, c, block, at)": (
        "    of_newcomer, at = newcomer.open_arrays(s, c, block, at)"
    ),
    "    of_forest, at = forest.open_scratch(s, c, block, at)": (
        "    of_newcomer, at = newcomer.open_scratch(s, c, block, at)"
    ),
    "    least_squares.start(m.least_squares)": "    newcomer.start(m.newcomer)",
    "    simple.vote(s, c, m.simple, last, votes, SIMPLE)": (
        "    newcomer.vote(s, c, m.newcomer, w.newcomer, seen, r, votes, NEWCOMER)"
    ),
    "    simple.learn(s, c, m.simple, targets, label, weight)": (
        "    newcomer.learn(s, c, m.newcomer, w.newcomer, seen, r, targets, weight)"
    ),
    "    simple.grow_classes(old.simple, new.simple)": (
        "    newcomer.grow_classes(c, old.newcomer, new.newcomer)"
    ),
    "    simple.grow_inputs(old.simple, new.simple)": (
        "    newcomer.grow_inputs(old.newcomer, new.newcomer, moved)"
    ),
    "        simple: simple.save(m.simple),": "        newcomer: newcomer.save(m.newcomer),",
    "        simple: lambda: simple.restore(m.simple, tensors),": (
        "        newcomer: lambda: newcomer.restore(m.newcomer, tensors),"
    ),
}
# And what is returned with the rest.
RETURNED = {
    "of_all = of_linear, of_memory, of_squares, of_simple, of_forest, of": "of_forest",
    "of_all = of_linear, of_memory, of_squares, of_forest, of_labels": "of_forest",
}


def test_every_expert_belongs_to_one_kind():
    named = [name for kind in KINDS for name in kind.NAMES]
    assert sorted(named) == sorted(EXPERTS)
    assert set(NARROW_ONLY) < set(EXPERTS)
    assert {name for kind in KINDS for name in kind.NARROW_ONLY} == set(NARROW_ONLY)


def test_the_experts_of_old_files_stay_as_they_were():
    assert EXPERTS[: len(OLD_ROSTER)] == OLD_ROSTER
    assert len(OLD_ROSTER) == 10


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__.rpartition(".")[2])
def test_the_votes_of_a_kind_have_its_places(kind):
    assert [EXPERTS[place] for place in roster.places(kind)] == list(kind.NAMES)


@pytest.fixture(scope="module")
def grown(tmp_path_factory):
    """Return a copy of the package that has one expert more, in a folder for PYTHONPATH."""
    folder = tmp_path_factory.mktemp("grown")
    package = folder / "mooe"
    shutil.copytree(SOURCE, package, ignore=shutil.ignore_patterns("__pycache__"))
    text = (package / "auto" / "roster.py").read_text()
    for line, new in LINES.items():
        assert text.count(f"{line}\n") == 1, line
        text = text.replace(f"{line}\n", f"{line}\n{new}\n")
    for line, last in RETURNED.items():
        assert text.count(line) == 1, line
        text = text.replace(line, line.replace(last, f"{last}, of_newcomer"))
    (package / "auto" / "roster.py").write_text(text)
    shutil.copy(TESTS / "auto" / "newcomer.py", package / "auto" / "experts" / "newcomer.py")
    return folder


def changed(one, other, inside=""):
    """Return the files that are not the same in two folders, with the folders they are in."""
    found = filecmp.dircmp(one, other, ignore=["__pycache__"])
    names = [*found.left_only, *found.right_only, *found.diff_files, *found.funny_files]
    deeper = [changed(one / name, other / name, f"{inside}{name}/") for name in found.common_dirs]
    return sorted([*(inside + name for name in names), *(name for part in deeper for name in part)])


def test_an_eleventh_expert_is_one_file_and_lines_in_the_roster(grown):
    assert changed(SOURCE, grown / "mooe") == ["auto/experts/newcomer.py", "auto/roster.py"]


def test_files_of_before_go_on_without_it_bit_for_bit_and_a_fresh_model_has_it(grown, tmp_path):
    out = tmp_path / "known.npz"
    environment = {
        **os.environ,
        "PYTHONPATH": str(grown),
        "NUMBA_CACHE_DIR": str(grown / "compiled"),
    }
    program = TESTS / "auto" / "going_on.py"
    done = subprocess.run(
        [sys.executable, program, out, *FILES], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    known = dict(np.load(out))
    fresh = [known.pop(f"fresh.{task}") for task in ("classification", "regression")]
    assert all(weight > 0.0 and any(votes) for weight, *votes in fresh)
    here = {
        f"{k}.{name}": array
        for k, path in enumerate(FILES)
        for name, array in going_on(path).items()
    }
    assert set(known) == set(here)
    for name, array in here.items():
        np.testing.assert_array_equal(known[name], array, err_msg=name)
    assert len(here) > 300
