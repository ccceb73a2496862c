"""The layout of the source: rooms and their levels, mirrored tests, names, and no pickle."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
TESTS = ROOT / "tests"
MOST_AT_THE_TOP = 17  # modules of mooe beside its folders

# A room imports only from rooms above it in this list; those of one line know nothing of each
# other. A room is a folder of mooe, one of its modules, or the package mooe_paper.
ROOMS = """
words
numerics streams labels explanation
paper auto datasets
engine decision
modelfile
user_experts
model validation
named_rows tables keyed
forecast
estimators platform client spark
river_adapter evaluate sources
server
baselines plots
report run
demo mooe_paper
cli
__init__ __main__
"""
LEVELS = {room: level for level, line in enumerate(ROOMS.split("\n")) for room in line.split()}

# What a module imports from a room below its own, when it is asked to and not before, and why.
LOOKS_DOWN = {
    "src/mooe/evaluate/results.py": {"plots", "report"},  # results draw and report themselves
}

# Modules without a test file of their own, and why.
WITHOUT_TEST_FILE = {
    "__init__": "holds names only; the tests of every module use them",
    "__main__": "one call of cli.main",
    "paper/onerow": "test_named_rows compares it with the core",
    "auto/onerow": "test_named_rows compares it with the core",
    "numerics/blocks": "test_layout of both models and every law go through it",
    "keyed/batch": "test_models learns batches with every setting, in threads and chunks",
    "keyed/default_rows": "test_models compares it with a Model for each key",
    "keyed/paper_rows": "test_models compares it with a Model for each key",
    "numerics/checks": "test_params of every model goes through it",
    "platform/errors": "holds names only; the tests of all that raises them use them",
    "platform/database": "a protocol; test_sqlite and test_postgres show both that follow it",
    "server/demo": "test_serve starts it",
    "server/messages": "types only; test_openapi converts to them, test_app sends them",
    "platform/store": "test_store_tables: tests/mooe_paper has a test_store",
    "platform/turn": "test_platform and test_stateful take its turns, on both stores",
    "platform/requests": "holds names only; test_platform sends and receives them",
}

NAMES_THAT_SAY_NOTHING = {"utils", "base", "common", "helpers"}
# What Windows or macOS lack of Python's own modules, and of its os, signal and time.
MODULES_OF_SOME_SYSTEMS = {
    *("crypt", "curses", "fcntl", "grp", "nis", "ossaudiodev", "posix", "pty", "pwd", "readline"),
    *("resource", "spwd", "syslog", "termios", "tty", "msvcrt", "winreg", "winsound", "_winapi"),
}
NAMES_OF_SOME_SYSTEMS = {
    *(
        "os.chown",
        "os.fork",
        "os.forkpty",
        "os.getegid",
        "os.geteuid",
        "os.getgid",
        "os.getloadavg",
    ),
    *("os.getpgid", "os.getuid", "os.killpg", "os.mkfifo", "os.nice", "os.posix_fadvise"),
    *("os.sched_getaffinity", "os.sched_setaffinity", "os.sendfile", "os.setsid", "os.startfile"),
    *("os.sysconf", "os.uname", "os.wait4", "os.WNOHANG", "signal.SIGALRM", "signal.SIGHUP"),
    *("signal.SIGKILL", "signal.SIGQUIT", "signal.SIGUSR1", "signal.SIGUSR2", "signal.alarm"),
    *("signal.pause", "signal.pthread_kill", "signal.setitimer", "signal.sigwait", "time.tzset"),
}
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


def at_once(source: str) -> str:
    """Return a source without what stands in functions: what is imported with the module."""

    class Bare(ast.NodeTransformer):
        def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.Pass:
            return ast.Pass()

    return ast.unparse(Bare().visit(ast.parse(source)))


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


def is_guard(node: ast.AST) -> bool:
    """Whether what stands in a statement is used only where the system has it."""
    match node:
        case ast.Try(handlers=handlers):
            caught = [ast.unparse(one.type) for one in handlers if one.type is not None]
            return any(
                name in text
                for name in ("ImportError", "ModuleNotFoundError", "AttributeError")
                for text in caught
            )
        case ast.If(test=test):
            asked = ast.unparse(test)
            return any(word in asked for word in ("hasattr", "sys.platform", "os.name"))
    return False


def system_bound(source: str) -> list[str]:
    """Return what in a source only some systems have and nothing guards, each with its line."""
    found = []

    def look(node: ast.AST) -> None:
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Attribute):
            names = [ast.unparse(node)]
        is_import = not isinstance(node, ast.Attribute)
        for name in names:
            root = name.partition(".")[0]
            if name in NAMES_OF_SOME_SYSTEMS or (is_import and root in MODULES_OF_SOME_SYSTEMS):
                found.append(f"line {node.lineno}: {name}")
                break
        if not is_guard(node):
            for child in ast.iter_child_nodes(node):
                look(child)

    look(ast.parse(source))
    return found


def test_there_is_a_source_to_look_at():
    assert PRESENT, f"no module under {SOURCE}"


@each_room
def test_every_room_has_a_level(room):
    assert room in LEVELS, f"add {room!r} to ROOMS in tests/test_architecture.py, at its level"


def test_the_top_of_the_package_is_short():
    top = sorted(path.name for path in (SOURCE / "mooe").glob("*.py"))
    assert len(top) <= MOST_AT_THE_TOP, f"{len(top)} modules at the top of mooe: {top}"


@each_file
def test_a_module_imports_only_from_rooms_above_its_own(path):
    room = room_of(path)
    package = ".".join(path.relative_to(SOURCE).parts[:-1])
    level = LEVELS.get(room, -1)
    source = path.read_text(encoding="utf-8")
    later = LOOKS_DOWN.get(shown(path), set())
    assert not later & imported_rooms(at_once(source), package), f"{shown(path)}: when asked to"
    for other in sorted(imported_rooms(source, package) - {room} - later):
        assert LEVELS.get(other, -1) < level, (
            f"{shown(path)} (level {level}) imports {other} (level {LEVELS.get(other)}); "
            "a module imports only from rooms above its own in ROOMS"
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


def rooms_in_table(page: Path) -> dict[str, set[str]]:
    """Return the files that a page's table of rooms names, by room."""
    text = page.read_text(encoding="utf-8")
    table = text.partition("<!-- rooms -->")[2].partition("<!-- end of rooms -->")[0]
    rooms = {}
    for line in table.strip().splitlines()[2:]:
        room, _, files = (cell.strip() for cell in line.strip("|").split("|"))
        rooms[room.strip("`").removesuffix("/").removesuffix(".py")] = set(files.split(", ")) - {""}
    return {room: {name.strip("`") for name in files} for room, files in rooms.items()}


def rooms_there_are() -> dict[str, set[str]]:
    """Return the files of each room; the folder of the experts is a room of its own."""
    rooms: dict[str, set[str]] = {}
    for path in FILES:
        room, inside = room_of(path), path.relative_to(SOURCE).with_suffix("").parts[1:]
        if room in ("__init__", "__main__"):
            continue
        files = rooms.setdefault(room, set())
        if room != "mooe_paper":
            inside = inside[1:]
        if inside[:1] == ("experts",) and room in ("auto", "forecast"):
            files, inside = rooms.setdefault(f"{room}/experts", set()), inside[1:]
        if inside and inside[-1] != "__init__":
            files.add("/".join(inside))
    return rooms


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/design.md"])
def test_the_tables_of_rooms_name_every_folder_and_file(page):
    assert rooms_in_table(ROOT / page) == rooms_there_are()


@each_file
def test_names_say_what_is_inside(path):
    for part in path.relative_to(SOURCE).with_suffix("").parts:
        assert part.strip("_") not in NAMES_THAT_SAY_NOTHING, f"{shown(path)}: name it by its noun"


@each_file
def test_nothing_loads_or_runs_code_from_data(path):
    assert dangers(path.read_text(encoding="utf-8")) == []


@each_file
def test_nothing_is_used_unguarded_that_windows_or_macos_lack(path):
    assert system_bound(path.read_text(encoding="utf-8")) == []


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


@pytest.mark.parametrize(
    "source",
    [
        "import resource",
        "def peak():\n    import resource",
        "from fcntl import flock",
        "import os\nos.fork()",
        "from os import getuid",
        "try:\n    import pwd\nexcept ValueError:\n    pass",
        "if fast:\n    import termios",
    ],
)
def test_what_some_systems_lack_is_seen(source):
    assert len(system_bound(source)) == 1


@pytest.mark.parametrize(
    "source",
    [
        "import os, signal\nos.replace(a, b)\nsignal.SIGINT",
        "try:\n    import resource\nexcept ImportError:\n    resource = None",
        "if hasattr(os, 'sched_getaffinity'):\n    n = len(os.sched_getaffinity(0))",
        "if sys.platform != 'win32':\n    import resource",
        "results.resource",
        "from mooe import resource",
    ],
)
def test_what_all_systems_have_or_is_guarded_is_left_alone(source):
    assert system_bound(source) == []


def test_what_is_imported_when_asked_for_is_told_from_what_is_imported_at_once():
    late = "def late():\n    from mooe import plots"
    assert imported_rooms(at_once(late)) == set()
    assert imported_rooms(at_once(f"from mooe import plots\n{late}")) == {"plots"}
