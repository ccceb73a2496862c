"""Compilation: said when it happens, and only then; nothing heavy before it is needed."""

import os
import shutil
import subprocess
import sys

import pytest

from mooe import compiled, sources


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )


def test_the_first_compilation_is_said_and_a_start_from_the_cache_is_silent(tmp_path):
    first, second = (run("import mooe.core", NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2))
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
        "import pathlib, mooe.compiled as c\n"
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


def test_a_copy_of_the_package_with_another_constant_gets_another_folder(tmp_path):
    copy = tmp_path / "mooe"
    shutil.copytree(sources.HERE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    code = "from mooe import compiled; print(compiled.__file__, compiled.cache_folder())"
    places = {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path)}
    before = run(code, **places).stdout.split()
    assert before == [str(copy / "compiled.py"), compiled_folder(sources.texts(), tmp_path)]
    text = (copy / "auto" / "records.py").read_text()
    (copy / "auto" / "records.py").write_text(text.replace("VISITS = 16", "VISITS = 8"))
    assert run(code, **places).stdout.split()[1] != before[1]


def compiled_folder(texts, cache):
    return str(cache / f"mooe-{compiled.state_of_source(texts)[:16]}")


@pytest.mark.parametrize("name", ["mooe.cli.run", "mooe.report.words", "mooe.experiments.table1"])
def test_a_change_of_a_text_that_users_read_compiles_nothing_anew(name):
    texts = sources.texts()
    changed = {**texts, name: texts[name] + b"\nHELP = 'Another text.'\n"}
    assert compiled.state_of_source(changed) == compiled.state_of_source(texts)


def test_no_module_that_compiled_code_was_made_of_is_left_out_of_the_name_of_the_folder():
    texts = sources.texts()
    modules = [name for name, text in texts.items() if b"@compiled" in text]
    code = f"import sys, {', '.join(modules)}; print(*sys.modules)"
    imported = {name for name in run(code).stdout.split() if name in texts}
    assert {"mooe.lanes", "mooe.auto.records"} <= imported
    for name in imported:
        changed = {**texts, name: texts[name] + b"\n"}
        assert compiled.state_of_source(changed) != compiled.state_of_source(texts), name


def test_a_module_is_cached_only_if_it_is_that_is_named_in_full(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(compiled, "cache_folder", lambda: str(tmp_path))
    folder = tmp_path / "mooe.auto.kernel" / "auto_0123"
    folder.mkdir(parents=True)
    (folder / "kernel.learn-1.py311.nbi").write_bytes(b"")
    with compiled.announced("mooe.auto.kernel", "the default model"):
        pass
    assert capsys.readouterr().err == ""
    with compiled.announced("mooe.kernel", "the kernels"):
        pass
    assert capsys.readouterr().err == "mooe: compiling the kernels, once for this version ...\n"


def test_compiled_code_is_kept_where_it_is_looked_for(tmp_path):
    (tmp_path / "example.py").write_text(
        "from numba import int64\n"
        "from mooe.compiled import compiled\n"
        "@compiled(int64(int64))\n"
        "def same(n):\n"
        "    return n\n"
    )
    code = (
        "from mooe.compiled import is_cached; print(is_cached('example')); import example\n"
        "print(is_cached('example'), is_cached('another.example'))"
    )
    path = os.pathsep.join([str(tmp_path), str(sources.HERE.parent)])
    done = run(code, NUMBA_CACHE_DIR=str(tmp_path / "cache"), PYTHONPATH=path)
    assert done.stdout.split() == ["False", "True", "False"]
