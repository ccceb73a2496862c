"""Compiled code of a wheel: what it takes and refuses, and when numba must compile instead."""

import importlib
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from mooe.numerics import native, sources

ROOT = Path(__file__).parents[2]
EXAMPLE = "example_kernels"
KERNELS = """
import numpy as np

from mooe.numerics.compiled import compiled
from mooe.numerics.compiler import boolean, float32, float64, from_dtype, int64, types, uint64, void

RECORD = np.dtype([("n", "i8"), ("is_on", "?"), ("x", "f8")], align=True)
_record = from_dtype(RECORD)[::1]
_MIXED = types.Tuple((int64, float64, boolean))


@compiled(_MIXED(_record, float32[:, ::1], uint64[::1], boolean[::1], int64, float64, boolean))
def mix(records, X, wholes, flags, n, x, flag):
    record = records[0]
    record.n += n
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            X[i, j] = X[i, j] * x + 10 * i + j
    wholes[1] = 2**63 + 1
    flags[0] = not flags[0]
    return record.n, record.x * x, flag and record.is_on


@compiled(void(float64[:, :, ::1]))
def fill(cube):
    for i in range(cube.shape[0]):
        for j in range(cube.shape[1]):
            for k in range(cube.shape[2]):
                cube[i, j, k] = 100 * i + 10 * j + k


@compiled(float64(float64))
def half(x):
    return x / 2


@compiled(boolean(int64, int64))
def is_below(a, b):
    return a < b


@compiled(int64(int64))
def checked(n):
    if n < 0:
        raise ValueError
    return n
"""
ALIKE = {"names": ["n", "is_on", "x"], "formats": ["i8", "?", "f8"], "offsets": [0, 8, 16]}
FEATURES = ("FMA", "MOVBE", "OSXSAVE", "AVX", "F16C", "BMI", "AVX2", "BMI2", "LZCNT")
TEXTS = sources.texts()
COMPILER = os.environ.get("CC", "cc").split()[0]

pytestmark = pytest.mark.xdist_group("native")
needs_compiler = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which(COMPILER) is None,
    reason=f"code is linked on Linux, with a C compiler; none here is called {COMPILER}",
)


def build(folder, text=KERNELS, **environment):
    """Compile the example ahead of time into a folder."""
    (folder / f"{EXAMPLE}.py").write_text(text)
    path = os.pathsep.join([str(folder), str(ROOT / "src")])
    command = [sys.executable, ROOT / "native/build.py", folder, EXAMPLE]
    env = {**os.environ, "PYTHONPATH": path, **environment}
    return subprocess.run(command, env=env, capture_output=True, text=True)


@pytest.fixture(scope="module")
def extension(tmp_path_factory):
    """Return the example as a wheel would bring it."""
    folder = tmp_path_factory.mktemp("native")
    done = build(folder)
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr
    spec = importlib.util.spec_from_file_location("_native", folder / "_native.abi3.so")
    return importlib.util.module_from_spec(spec)


@pytest.fixture(scope="module")
def jitted(tmp_path_factory):
    """Return the example as numba compiles it."""
    path = tmp_path_factory.mktemp("numba") / f"{EXAMPLE}.py"
    path.write_text(KERNELS)
    spec = importlib.util.spec_from_file_location(EXAMPLE, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(params=["native", "numba"])
def function(request):
    """Return a function that gives one of the example by name: the wheel's, or numba's."""
    if request.param == "numba":
        return lambda name: getattr(request.getfixturevalue("jitted"), name)
    return lambda name: request.getfixturevalue("extension").entries[f"{EXAMPLE}.{name}"]


def arguments(jitted):
    """Return what `mix` takes."""
    records = np.zeros(1, jitted.RECORD)
    records[0] = 40, True, 1.5
    return {
        "records": records,
        "X": np.ones((2, 3), np.float32),
        "wholes": np.zeros(2, np.uint64),
        "flags": np.zeros(3, bool),
        "n": 2,
        "x": 2.0,
        "flag": True,
    }


@needs_compiler
def test_every_kind_of_argument_goes_in_and_every_kind_of_result_comes_out(function, jitted):
    given = arguments(jitted)
    assert function("mix")(*given.values()) == (42, 3.0, True)
    assert given["records"][0].item() == (42, True, 1.5)
    assert given["X"].tolist() == [[2.0, 3.0, 4.0], [12.0, 13.0, 14.0]]
    assert given["wholes"].tolist() == [0, 2**63 + 1]
    assert given["flags"].tolist() == [True, False, False]
    cube = np.zeros((2, 3, 4))
    assert function("fill")(cube) is None
    assert cube[1].tolist() == [[100.0 + 10 * j + k for k in range(4)] for j in range(3)]
    assert function("half")(np.float64(3.0)) == 1.5
    assert [function("is_below")(a, np.int64(2)) for a in (-3, 2)] == [True, False]


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


@needs_compiler
@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("X", lambda X: X.astype(np.float64)),
        ("X", lambda X: X.astype(">f4")),
        ("X", lambda X: X[0]),
        ("X", lambda X: np.asfortranarray(X)),
        ("X", lambda X: np.ones((2, 6), np.float32)[:, ::2]),
        ("X", read_only),
        ("X", lambda X: None),
        ("records", lambda records: records.view("i8,i8,f8")),
        ("records", lambda records: records.view("V24")),
        ("records", read_only),
        ("wholes", lambda wholes: wholes.view(np.int64)),
        ("flags", lambda flags: flags.view(np.uint8)),
        ("n", lambda n: "2"),
        ("x", lambda x: None),
    ],
)
def test_what_compiled_code_cannot_take_is_refused_before_it_runs(function, jitted, name, change):
    given = arguments(jitted)
    given[name] = change(given[name])
    with pytest.raises(TypeError):
        function("mix")(*given.values())
    assert arguments(jitted)["flags"].tolist() == given["flags"].tolist()


@needs_compiler
def test_numbers_off_their_alignment_are_refused(extension, jitted):  # by numba not always
    given = arguments(jitted)
    given["X"] = np.zeros(25, np.uint8)[1:].view(np.float32).reshape(2, 3)
    with pytest.raises(TypeError):
        extension.entries[f"{EXAMPLE}.mix"](*given.values())


@needs_compiler
def test_too_few_or_many_arguments_are_refused(function):
    for given in ((), (1.0, 2.0)):
        with pytest.raises(TypeError):
            function("half")(*given)


@needs_compiler
def test_an_error_names_function_argument_value_and_rule(extension, jitted):
    given = arguments(jitted)
    given["X"] = [1.0]
    rule = (
        r"argument 1 of example_kernels\.mix must be a writable, C-contiguous array of 2 dim.* \["
    )
    with pytest.raises(TypeError, match=rule):
        extension.entries["example_kernels.mix"](*given.values())


@needs_compiler
def test_a_number_that_is_not_whole_is_no_integer_and_a_large_one_does_not_wrap(extension):
    for value in (2.5, np.float64(2.0), "2"):
        with pytest.raises(TypeError):
            extension.entries["example_kernels.is_below"](value, 2)
    with pytest.raises(OverflowError):
        extension.entries["example_kernels.is_below"](2**63, 2)


@needs_compiler
def test_an_exception_of_compiled_code_is_one_of_python(extension):
    assert extension.entries["example_kernels.checked"](3) == 3
    with pytest.raises(RuntimeError, match=r"example_kernels\.checked raised"):
        extension.entries["example_kernels.checked"](-1)


@needs_compiler
def test_records_that_come_from_elsewhere_are_taken_if_they_are_alike(extension, jitted):
    for _ in range(3):
        given = arguments(jitted)
        given["records"] = given["records"].astype(np.dtype(ALIKE))
        assert extension.entries["example_kernels.mix"](*given.values())[0] == 42


@needs_compiler
def test_a_processor_that_lacks_something_is_told_when_the_extension_is_loaded(tmp_path):
    header = "".join(f"#define bit_{name} 1\n" for name in FEATURES)
    header += "#define __get_cpuid(...) 0\n#define __get_cpuid_count(...) 0\n"
    (tmp_path / "cpuid.h").write_text(header)
    done = build(tmp_path, CC=f"{COMPILER} -w -I{tmp_path}")
    assert "ImportError: the processor must be of level x86-64-v3" in done.stderr
    assert (tmp_path / "_native.abi3.so").exists()
    code = "from mooe.numerics import native; print(native.usable_entries('_native'))"
    path = os.pathsep.join([str(tmp_path), str(ROOT / "src")])
    env = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.stdout == "None\n"


@needs_compiler
@pytest.mark.parametrize(
    ("signature", "body", "rule"),
    [
        ("float64(int64)", "TABLE[n]", "must hold no address of this process"),
        ("float64(int64)", "np.random.standard_normal()", "undefined symbol"),
        ("float64(int64[:])", "n[0]", "arrays must be aligned, writable and C-contiguous"),
        ("complex128(int64)", "n * 1j", "numbers must be int64, float64, bool, got complex128"),
    ],
)
def test_what_would_not_run_in_another_process_is_not_built(tmp_path, signature, body, rule):
    text = (
        "import numpy as np\nfrom numba import complex128, float64, int64\n"
        "from mooe.numerics.compiled import compiled\nTABLE = np.ones(200_000)\n"
        f"@compiled({signature})\ndef give(n):\n    return {body}\n"
    )
    done = build(tmp_path, text)
    assert done.returncode != 0
    assert rule in done.stderr


@pytest.fixture
def made(monkeypatch):
    """Return a module that stands for the wheel's extension."""
    module = ModuleType("made_native")
    module.digest, module.entries = native.digest_of(TEXTS), {"mooe.auto.kernel.learn": max}
    monkeypatch.setitem(sys.modules, "made_native", module)
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    return module


def test_code_of_these_very_sources_is_used(made):
    assert native.usable_entries("made_native") == made.entries


def test_code_of_other_sources_is_left_alone(made):
    made.digest = "0" * 64
    assert native.usable_entries("made_native") is None


def test_a_platform_without_compiled_code_compiles():
    assert native.usable_entries("mooe.numerics.nothing") is None


@pytest.mark.parametrize(("value", "is_used"), [("1", False), ("0", True), ("", True)])
def test_whoever_asks_for_plain_python_gets_no_compiled_code(made, monkeypatch, value, is_used):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", value)
    assert (native.usable_entries("made_native") is not None) == is_used


def test_a_checkout_has_no_compiled_code():
    assert native.ENTRIES is None


@pytest.mark.parametrize("name", ["mooe.auto.experts.linear", "mooe.numerics.lanes", "mooe.paper"])
def test_any_source_that_reaches_compiled_code_counts(name):
    changed = {**TEXTS, name: TEXTS[name] + b"\n"}
    assert native.digest_of(changed) != native.digest_of(TEXTS)


def test_a_new_module_with_compiled_functions_counts_and_another_does_not():
    new = {**TEXTS, "mooe.new": b"@compiled(void())\ndef f():\n    pass\n"}
    assert native.digest_of(new) != native.digest_of(TEXTS)
    assert native.digest_of({**TEXTS, "mooe.new": b"n = 1\n"}) == native.digest_of(TEXTS)
    assert native.digest_of({**TEXTS, "mooe.cli.run": b"n = 1\n"}) == native.digest_of(TEXTS)
