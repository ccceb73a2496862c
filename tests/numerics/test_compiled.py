"""Compilation: said when it happens, and only then; nothing heavy before it is needed."""

import os
import shutil
import subprocess
import sys

import pytest

from mooe.numerics import compiled, sources


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
        "print(repr(c.module_folder('mooe.auto.kernel')))\n"
    )
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "''"


def test_a_copy_of_the_package_with_another_constant_gets_another_folder(tmp_path):
    copy = tmp_path / "mooe"
    shutil.copytree(sources.HERE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    code = (
        "from mooe.numerics import compiled; "
        "kernels = 'mooe.auto.kernel', 'mooe.paper.kernel'; "
        "print(compiled.__file__, *map(compiled.module_folder, kernels))"
    )
    places = {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path)}
    file, default, paper = run(code, **places).stdout.split()
    assert file == str(copy / "numerics" / "compiled.py")
    (changed,) = [
        path for path in (copy / "auto").rglob("*.py") if "\nVISITS = 16" in path.read_text()
    ]
    changed.write_text(changed.read_text().replace("\nVISITS = 16", "\nVISITS = 8"))
    after = run(code, **places).stdout.split()
    assert after[1] != default
    assert after[2] == paper


def state(module, texts):
    return sources.digest([module], texts)


@pytest.mark.parametrize("name", ["mooe.cli.run", "mooe.report.sentences", "mooe.estimators"])
def test_a_change_of_a_text_that_users_read_compiles_nothing_anew(name):
    texts = sources.texts()
    changed = {**texts, name: texts[name] + b"\nHELP = 'Another text.'\n"}
    for module in ("mooe.auto.kernel", "mooe.paper.kernel", "mooe.auto.onerow"):
        assert state(module, changed) == state(module, texts)


@pytest.mark.parametrize("module", ["mooe.auto.kernel", "mooe.paper.kernel"])
def test_no_module_that_compiled_code_was_made_of_is_left_out_of_the_name_of_the_folder(module):
    texts = sources.texts()
    code = f"import sys, {module}; print(*sys.modules)"
    imported = {name for name in run(code).stdout.split() if name in texts}
    assert {"mooe.numerics.lanes", "mooe.numerics.blocks", module} <= imported
    for name in imported:
        changed = {**texts, name: texts[name] + b"\n"}
        assert state(module, changed) != state(module, texts), name


def test_a_module_is_cached_only_if_it_is_that_is_named_in_full(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(compiled, "module_folder", lambda module: str(tmp_path / module))
    folder = tmp_path / "mooe.auto.kernel" / "auto_0123"
    folder.mkdir(parents=True)
    (folder / "kernel.learn-1.py311.nbi").write_bytes(b"")
    with compiled.announced("mooe.auto.kernel", "the default model"):
        pass
    assert capsys.readouterr().err == ""
    with compiled.announced("mooe.paper.kernel", "the kernels"):
        pass
    assert capsys.readouterr().err == "mooe: compiling the kernels, once for this version ...\n"


def test_compiled_code_is_kept_where_it_is_looked_for(tmp_path):
    (tmp_path / "example.py").write_text(
        "from numba import int64\n"
        "from mooe.numerics.compiled import compiled\n"
        "@compiled(int64(int64))\n"
        "def same(n):\n"
        "    return n\n"
    )
    code = (
        "from mooe.numerics.compiled import is_cached; print(is_cached('example'))\n"
        "import example\n"
        "print(is_cached('example'), is_cached('another.example'))"
    )
    path = os.pathsep.join([str(tmp_path), str(sources.HERE.parent)])
    done = run(code, NUMBA_CACHE_DIR=str(tmp_path / "cache"), PYTHONPATH=path)
    assert done.stdout.split() == ["False", "True", "False"]
