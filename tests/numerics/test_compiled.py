"""Compilation: said when it happens, and only then; nothing heavy before it is needed."""

import os
import subprocess
import sys


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )


def test_the_first_compilation_is_said_and_a_start_from_the_cache_is_silent(tmp_path):
    first, second = (run("import mooe.paper.core", NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2))
    assert first.stderr.startswith("mooe: compiling the kernels")
    assert second.stderr == ""
    assert first.stdout == second.stdout == ""
    (folder,) = tmp_path.iterdir()
    assert folder.name.startswith("mooe-")


def test_importing_the_package_imports_nothing_heavy():
    heavy = {"numba", "numpy", "sklearn", "river", "matplotlib", "scipy", "pandas"}
    found = run("import sys, mooe; print(*sys.modules)").stdout.split()
    assert heavy.isdisjoint(found)


def test_a_machine_without_home_or_cache_folder_still_starts(tmp_path):
    code = (
        "import pathlib, mooe.numerics.compiled as c\n"
        "def nobody(): raise RuntimeError('no home')\n"
        "pathlib.Path.home = staticmethod(nobody)\n"
        "c.Path.mkdir = lambda *a, **k: (_ for _ in ()).throw(OSError('read only'))\n"
        "print(repr(c.cache_folder()))\n"
    )
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "''"
