"""numba in one place: it is imported to compile, and not where the wheel brought compiled code."""

import ast
import os
import subprocess
import sys

import pytest

from mooe.numerics import native, sources

COMPILER = "mooe.numerics.compiler"
LIBRARIES = {"numba", "llvmlite"}
MODULES = native.modules_of(sources.texts())

# As if all functions were in a wheel: each gives its name.
WITH_NATIVE_CODE = """
import sys
from mooe.numerics import native
class Entries(dict):
    def __missing__(self, name):
        return lambda *args: name
native.ENTRIES = Entries()
"""


def with_native_code(code):
    """Return what code prints where the wheel brought compiled code."""
    command = [sys.executable, "-c", WITH_NATIVE_CODE + code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("name", sorted(sources.texts()))
def test_every_other_module_asks_this_one_for_numba(name):
    for node in ast.walk(ast.parse(sources.texts()[name])):
        found = []
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found = [node.module or ""]
        roots = {one.partition(".")[0] for one in found}
        assert name == COMPILER or not roots & LIBRARIES, (
            f"line {node.lineno} of {name} must import from {COMPILER}: a wheel does without numba"
        )


def test_modules_with_compiled_functions_do_not_import_numba_where_there_is_native_code():
    code = f"import {', '.join(MODULES)}\nprint({LIBRARIES} & set(sys.modules))"
    assert with_native_code(code) == "set()\n"


def test_the_wheels_functions_take_the_place_of_those_that_would_be_compiled():
    code = (
        "from mooe.auto import kernel, onerow\nfrom mooe.paper import kernel as paper\n"
        "print(kernel.learn(), onerow.learn(), paper.check())"
    )
    expected = "mooe.auto.kernel.learn mooe.auto.onerow._take_row mooe.paper.kernel.check\n"
    assert with_native_code(code) == expected


def test_what_python_calls_of_these_modules_works_without_numba():
    code = (
        "from mooe.auto import core\nfrom mooe.auto.params import AutoParams\n"
        "state = core.init(AutoParams(), 3, 2)\n"
        "print(len(state.block) > 0, len(core.scratch(AutoParams(), state)) > 0)"
    )
    assert with_native_code(code) == "True True\n"
