"""The layout of the source: rooms and their levels, mirrored tests, names, and no pickle."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
TESTS = ROOT / "tests"
MOST_AT_THE_TOP = 16  # modules of mooe beside its folders

# A room imports only from rooms above it in this list; those of one line know nothing of each
# other. A room is a folder of mooe, one of its modules, or the package mooe_paper.
ROOMS = """
numerics streams labels
paper auto datasets
engine
added_experts modelfile
named_rows shells samples
model edge river_edge
estimators river_adapter
evaluate
baselines plots
report run
demo mooe_paper
cli
__init__ __main__
"""
LEVELS = {room: level for level, line in enumerate(ROOMS.split("\n")) for room in line.split()}

# Modules without a test file of their own, and why.
WITHOUT_TEST_FILE = {
    "__init__": "holds names only; the tests of every module use them",
    "__main__": "one call of cli.main",
    "paper/onerow": "test_samples compares it with the core",
    "auto/onerow": "test_samples compares it with the core",
    "numerics/blocks": "test_layout of both models and every law go through it",
    "numerics/checks": "test_params of every model goes through it",
    "river_edge": "all of test_river_adapter goes through it",
}

NAMES_THAT_SAY_NOTHING = {"utils", "base", "common", "helpers"}
UNSAFE_MODULES = {"pickle", "_pickle", "cloudpickle", "dill", "marshal", "shelve"}
UNSAFE_FUNCTIONS = {"joblib.dump", "joblib.load"}
UNSAFE_METHODS = {"read_pickle", "to_pickle"}
UNSAFE_BUILTINS = {"eval", "exec"}

FILES = sorted(SOURCE.rglob("*.py"))


def room_of(path: Path) -> str:
    """Return the entry of LEVELS that a file belongs to."""
    package, room, *_ = path.relative_to(SOURCE).parts
    return room.removesuffix(".py") if package == "mooe" else package


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


PRESENT = sorted(set(map(room_of, FILES)))
each_file = pytest.mark.parametrize("path", FILES, ids=shown)
each_room = pytest.mark.parametrize("room", PRESENT)


def imported_rooms(source: str, package: str = "mooe") -> set[str]:
    """Return the rooms that a source imports from anywhere; `package` is where it stands."""
    rooms = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")
            start = ".".join(parents[: len(parents) + 1 - node.level]) if node.level else ""
            origin = ".".join(part for part in (start, node.module) if part)
            names = [f"{origin}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            root, _, rest = name.partition(".")
            child = rest.partition(".")[0]
            if root == "mooe":
                rooms.add(child if child in LEVELS or child in PRESENT else "__init__")
            elif root == "mooe_paper":
                rooms.add(root)
    return rooms


def is_dangerous(node: ast.AST) -> bool:
    """Whether a node could load or run code from data."""
    match node:
        case ast.Import(names=names):
            return any(alias.name.partition(".")[0] in UNSAFE_MODULES for alias in names)
        case ast.ImportFrom(module=str(module), names=names):
            return module.partition(".")[0] in UNSAFE_MODULES or any(
                f"{module}.{alias.name}" in UNSAFE_FUNCTIONS for alias in names
            )
        case ast.Attribute(attr=attr):
            return attr in UNSAFE_METHODS or ast.unparse(node) in UNSAFE_FUNCTIONS
        case ast.Name(id=name):
            return name in UNSAFE_BUILTINS
        case ast.keyword(arg="allow_pickle", value=value):
            return not (isinstance(value, ast.Constant) and value.value is False)
    return False


def dangers(source: str) -> list[str]:
    """Return what in a source could load or run code from data, each with its line."""
    nodes = [node for node in ast.walk(ast.parse(source)) if is_dangerous(node)]
    return [f"line {node.lineno}: {ast.unparse(node)}" for node in nodes]


def test_there_is_a_source_to_look_at():
    assert PRESENT, f"no module under {SOURCE}"


@each_room
def test_every_room_has_a_level(room):
    assert room in LEVELS, f"add {room!r} to ROOMS in tests/test_architecture.py, at its level"


def test_the_top_of_the_package_is_short():
    top = sorted(path.name for path in (SOURCE / "mooe").glob("*.py"))
    assert len(top) <= MOST_AT_THE_TOP, f"{len(top)} modules at the top of mooe: {top}"


@each_file
def test_a_module_imports_only_from_rooms_below_its_own(path):
    room = room_of(path)
    package = ".".join(path.relative_to(SOURCE).parts[:-1])
    level = LEVELS.get(room, -1)
    for other in sorted(imported_rooms(path.read_text(encoding="utf-8"), package) - {room}):
        assert LEVELS.get(other, -1) < level, (
            f"{shown(path)} (level {level}) imports {other} (level {LEVELS.get(other)}); "
            "a module imports only from rooms below its own"
        )


@each_room
def test_every_module_has_its_test_file(room):
    test, folder = TESTS / f"test_{room}.py", TESTS / room
    if not folder.is_dir():
        assert test.exists() or room in WITHOUT_TEST_FILE, f"{room} needs {shown(test)}"
        return
    source = SOURCE / room if room == "mooe_paper" else SOURCE / "mooe" / room
    for path in sorted(source.rglob("*.py")):  # a folder is mirrored file by file
        inside = path.relative_to(source)
        test = folder / inside.with_name(f"test_{path.name}")
        name = f"{room}/{inside.with_suffix('').as_posix()}"
        known = path.stem == "__init__" or name in WITHOUT_TEST_FILE
        assert test.exists() or known, f"{shown(path)} needs {shown(test)}"


@each_file
def test_names_say_what_is_inside(path):
    for part in path.relative_to(SOURCE).with_suffix("").parts:
        assert part.strip("_") not in NAMES_THAT_SAY_NOTHING, f"{shown(path)}: name it by its noun"


@each_file
def test_nothing_loads_or_runs_code_from_data(path):
    assert dangers(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("source", "package", "expected"),
    [
        ("import numpy, math\nfrom rich import table", "mooe", set()),
        (
            "import mooe.paper.core\nfrom mooe.numerics.losses import squared",
            "mooe",
            {"paper", "numerics"},
        ),
        ("from mooe import engine", "mooe", {"engine"}),
        ("from mooe import MOOEClassifier", "mooe", {"__init__"}),
        ("import mooe", "mooe", {"__init__"}),
        ("from .engine import Engine\nfrom . import model", "mooe", {"engine", "model"}),
        ("from ..numerics import hedge", "mooe.baselines", {"numerics"}),
        ("from .ader import Ader\nfrom . import ogd", "mooe.baselines", {"baselines"}),
        ("def late():\n    from mooe.cli import main", "mooe", {"cli"}),
        ("from mooe_paper.theory import bounds", "mooe", {"mooe_paper"}),
    ],
)
def test_imports_are_seen_in_every_spelling(source, package, expected):
    assert imported_rooms(source, package) == expected


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from pickle import loads",
        "import dill as d",
        "import joblib\njoblib.load('model')",
        "from joblib import dump",
        "eval('1 + 1')",
        "exec(text)",
        "numpy.load('file', allow_pickle=True)",
        "pandas.read_pickle('file')",
    ],
)
def test_code_from_data_is_seen(source):
    assert len(dangers(source)) == 1


@pytest.mark.parametrize(
    "source",
    [
        "import json\njson.loads('1')",
        "model.eval()",
        "numpy.load('file', allow_pickle=False)",
        "from joblib import Parallel",
        "'pickle is not used here'",
    ],
)
def test_harmless_code_is_left_alone(source):
    assert dangers(source) == []
