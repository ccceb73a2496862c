"""The sources of the package: what a module leans on is found, and a hash tells states apart."""

import ast
import shutil

import pytest

from mooe.numerics import sources

TEXTS = sources.texts()


def is_for_types(node):
    """Whether a statement is never run: what is imported there, nobody leans on."""
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def imported(text):
    """Return the names that a source imports anywhere, by its syntax tree: slow and literal."""
    names = set()
    tree = ast.parse(text)
    tree.body = [node for node in tree.body if not is_for_types(node)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "relative imports are not looked for"
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names & TEXTS.keys()


@pytest.mark.parametrize("name", TEXTS)
def test_the_imports_of_a_module_are_those_of_its_syntax_tree(name):
    assert set(sources.imports(TEXTS[name])) & TEXTS.keys() >= imported(TEXTS[name])


def test_imports_are_found_however_they_are_written():
    text = b"""
import mooe.a, mooe.b as other
from mooe import c, d as another
from mooe.e import (  # a list (of two)
    f,  # and (a remark) in it
    g,
)
def later():
    from mooe.h import i
"""
    expected = {"mooe.a", "mooe.b", "mooe.c", "mooe.d", "mooe.e.f", "mooe.e.g", "mooe.h"}
    assert expected <= set(sources.imports(text))


def test_a_module_leans_on_what_its_imports_import_and_on_its_packages():
    texts = {
        "mooe": b"",
        "mooe.a": b"from mooe.b import c\n",
        "mooe.b": b"import mooe.d\n",
        "mooe.b.c": b"",
        "mooe.d": b"from mooe import a\n",
        "mooe.e": b"import mooe.a\n",
    }
    assert sources.needed(["mooe.a"], texts) == {"mooe", "mooe.a", "mooe.b", "mooe.b.c", "mooe.d"}


def test_a_name_that_is_no_module_is_refused():
    with pytest.raises(ValueError, match=r"must be ones that are there, got 'mooe\.nothing'"):
        sources.needed(["mooe.nothing"], TEXTS)


def test_the_digest_changes_with_a_text_or_a_name_that_is_needed_and_with_no_other():
    texts = {"mooe": b"", "mooe.a": b"import mooe.b\n", "mooe.b": b"1\n", "mooe.c": b"2\n"}
    before = sources.digest(["mooe.a"], texts)
    assert sources.digest(["mooe.a"], {**texts, "mooe.c": b"3\n"}) == before
    assert sources.digest(["mooe.a"], {**texts, "mooe.b": b"3\n"}) != before
    moved = {**texts, "mooe.a": b"import mooe.d\n", "mooe.d": b"1\n"}
    assert sources.digest(["mooe.a"], moved) != before


def test_all_modules_of_a_folder_are_read(tmp_path):
    shutil.copytree(sources.HERE, tmp_path / "mooe", ignore=shutil.ignore_patterns("__pycache__"))
    assert sources.texts(tmp_path / "mooe") == TEXTS
    assert {"mooe", "mooe.auto", "mooe.auto.roster", "mooe.cli.app"} <= TEXTS.keys()
