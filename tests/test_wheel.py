"""The wheel with compiled code: built, installed, quick at once, and the same bits as numba."""

import importlib
import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
COMPILER = os.environ.get("CC", "cc").split()[0]
MOST_FIT, MOST_TOGETHER = 0.5, 3.0  # seconds of processor time
IS_NATIVE = "from mooe.numerics import native; print(native.ENTRIES is not None)"

pytestmark = [
    pytest.mark.xdist_group("native"),  # the tests that compile ahead of time share what they make
    pytest.mark.skipif(
        sys.platform != "linux" or shutil.which(COMPILER) is None,
        reason=f"code is linked on Linux, with a C compiler; none here is called {COMPILER}",
    ),
]


def imported(name):
    """Return a module of the folder that builds."""
    sys.path.insert(0, str(ROOT / "native"))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(ROOT / "native"))


@pytest.fixture(scope="module")
def wheels():
    return imported("wheels")


@pytest.fixture(scope="module")
def wheel(wheels, tmp_path_factory):
    return wheels.built(tmp_path_factory.mktemp("dist"), has_native=True)


@pytest.fixture(scope="module")
def python(wheels, wheel, tmp_path_factory):
    """Return the interpreter of an environment with the wheel."""
    return wheels.installed(wheel, tmp_path_factory.mktemp("environment"))


@pytest.fixture
def package(python):
    """Return the installed package as it is, and make it so again."""
    (folder,) = python.parents[1].glob("lib/python*/site-packages/mooe")
    kept = {path: path.read_bytes() for path in folder.rglob("*.py")}
    yield folder
    for path, text in kept.items():
        path.write_bytes(text)


def test_a_wheel_says_which_pythons_and_systems_it_is_for(wheel):
    python, abi, system = wheel.stem.split("-")[2:]
    assert (python, abi) == ("cp311", "abi3")
    assert system.startswith(("manylinux_2_", "musllinux_", "linux_"))


@pytest.mark.parametrize(
    ("symbols", "tag"),
    [
        (b"GLIBC_2.2.5 GLIBC_2.29 GLIBC_2.4", "manylinux_2_29"),
        (b"GLIBC_2.2.5", "manylinux_2_17"),
    ],
)
def test_the_tag_is_that_of_the_newest_c_library_that_is_needed(symbols, tag):
    assert imported("hatch_build").platform_of(symbols) == f"{tag}_{platform.machine()}"


def test_the_wheel_learns_the_same_bits_as_what_is_compiled_on_the_spot(wheels, python):
    done = subprocess.run([sys.executable, ROOT / "native/learnt.py"], stdout=-1, check=True)
    of_numba = json.loads(done.stdout)
    assert len(of_numba["hashes"]) > 20
    wheels.check(wheels.learnt(python), of_numba)


def test_the_first_fit_is_quick_silent_and_does_without_numba(python, tmp_path):
    nowhere = {"NUMBA_CACHE_DIR": str(tmp_path / "file" / "cache"), "HOME": str(tmp_path / "file")}
    (tmp_path / "file").write_text("no folder can be made here")
    command = [python, "-I", ROOT / "benchmarks/first_use_work.py", "start"]
    env = {**os.environ, **nowhere, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    found = json.loads(done.stdout)
    assert not found["numba"]
    assert found["fit"] <= MOST_FIT
    assert found["import"] + found["fit"] <= MOST_TOGETHER


def test_other_sources_than_those_of_the_compiled_code_are_compiled_by_numba(
    wheels, python, package
):
    assert wheels.printed(python, "-c", IS_NATIVE) == "True\n"
    assert wheels.printed(python, "-c", IS_NATIVE, NUMBA_DISABLE_JIT="1") == "False\n"
    expert = package / "auto" / "experts" / "linear.py"
    expert.write_text(expert.read_text() + "# another\n")
    assert wheels.printed(python, "-c", IS_NATIVE) == "False\n"
    modules = wheels.printed(python, "-c", "import sys, mooe.auto.meta; print(*sys.modules)")
    assert "numba" in modules.split()


def test_the_check_of_the_wheels_says_what_differs(wheels):
    native = {"native": True, "numba": False, "hashes": {"binary": "1"}}
    pure = {"native": False, "numba": True, "hashes": {"binary": "1"}}
    wheels.check(native, pure)
    for changed in (
        ({**native, "native": False}, pure),
        ({**native, "numba": True}, pure),
        (native, {**pure, "native": True}),
        ({**native, "hashes": {"binary": "2"}}, pure),
    ):
        with pytest.raises(RuntimeError):
            wheels.check(*changed)
