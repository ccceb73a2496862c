"""The layout of the source: import levels, mirrored tests, names, and no pickle."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "mooe"

# A module imports only from smaller levels. A folder is one entry; its files may import each other.
LEVELS = {
    "compiled": 0,
    "lanes": 5,
    "arithmetic": 10,
    "cholesky": 10,
    "losses": 20,
    "hedge": 20,
    "features": 20,
    "datasets": 20,
    "offline": 30,
    "layout": 20,
    "rows": 35,
    "closing": 37,
    "params": 25,
    "kernel": 40,
    "onerow": 45,
    "state": 47,
    "scores": 20,
    "auto": 48,
    "core": 50,
    "baselines": 66,
    "stored": 55,
    "theory": 55,
    "modes": 55,
    "modelfile": 60,
    "shells": 62,
    "samples": 63,
    "store": 60,
    "added": 64,
    "edge": 65,
    "river_edge": 65,
    "estimators": 70,
    "river_adapter": 70,
    "capymoa_adapter": 70,
    "counting": 15,
    "metrics": 20,
    "schedule": 20,
    "results": 20,
    "learners": 60,
    "models": 68,
    "regret": 65,
    "watch": 65,
    "evaluate": 70,
    "feed": 75,
    "saved": 75,
    "runs": 78,
    "keyed": 70,
    "platform": 75,
    "spark": 75,
    "plots": 80,
    "report": 85,
    "demo": 80,
    "experiments": 90,
    "progress": 90,
    "server": 90,
    "cli": 100,
    "__init__": 110,  # gathers the public names: nothing inside imports from it
    "__main__": 110,
}

# Modules without a test file of their own, and why.
WITHOUT_TEST_FILE = {
    "__init__": "holds names only; the tests of every module use them",
    "__main__": "one call of cli.main",
    "onerow": "test_samples compares it with the core",
    "river_edge": "all of test_river_adapter goes through it",
    "auto/records": "names and numbers that test_layout and all of tests/auto use",
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

FILES = sorted(PACKAGE.rglob("*.py"))


def module_of(path: Path) -> str:
    """Return the entry of LEVELS that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


MODULES = sorted(set(map(module_of, FILES)))
each_file = pytest.mark.parametrize("path", FILES, ids=shown)
each_module = pytest.mark.parametrize("module", MODULES)


def imported_modules(source: str, package: str = "mooe") -> set[str]:
    """Return the modules of mooe that a source imports anywhere; `package` is where it stands."""
    found = set()
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
            if root == "mooe":
                child = rest.partition(".")[0]
                found.add(child if child in LEVELS or child in MODULES else "__init__")
    return found


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
    assert MODULES, f"no module under {PACKAGE}"


@each_module
def test_every_module_has_a_level(module):
    assert module in LEVELS, (
        f"add {module!r} to LEVELS in tests/test_architecture.py, with its level"
    )


@each_file
def test_a_module_imports_only_from_smaller_levels(path):
    module = module_of(path)
    package = ".".join(("mooe", *path.relative_to(PACKAGE).parts[:-1]))
    level = LEVELS.get(module, -1)
    for other in sorted(imported_modules(path.read_text(encoding="utf-8"), package) - {module}):
        assert LEVELS.get(other, -1) < level, (
            f"{shown(path)} (level {level}) imports mooe.{other} (level {LEVELS.get(other)}); "
            "a module imports only from smaller levels"
        )


@each_module
def test_every_module_has_its_test_file(module):
    test, folder = ROOT / "tests" / f"test_{module}.py", ROOT / "tests" / module
    if not folder.is_dir():
        assert test.exists() or module in WITHOUT_TEST_FILE, f"mooe.{module} needs {shown(test)}"
        return
    for path in sorted((PACKAGE / module).rglob("*.py")):  # a folder is mirrored file by file
        inside = path.relative_to(PACKAGE / module)
        test = folder / inside.with_name(f"test_{path.name}")
        name = f"{module}/{inside.with_suffix('').as_posix()}"
        known = path.stem == "__init__" or name in WITHOUT_TEST_FILE
        assert test.exists() or known, f"{shown(path)} needs {shown(test)}"


@each_file
def test_names_say_what_is_inside(path):
    for part in path.relative_to(PACKAGE).with_suffix("").parts:
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
        ("import mooe.core\nfrom mooe.losses import squared", "mooe", {"core", "losses"}),
        ("from mooe import hedge", "mooe", {"hedge"}),
        ("from mooe import MOOEClassifier", "mooe", {"__init__"}),
        ("import mooe", "mooe", {"__init__"}),
        ("from .core import Params\nfrom . import kernel", "mooe", {"core", "kernel"}),
        ("from ..hedge import prior", "mooe.baselines", {"hedge"}),
        ("from .ader import Ader\nfrom . import ogd", "mooe.baselines", {"baselines"}),
        ("def late():\n    from mooe.cli import main", "mooe", {"cli"}),
        ("from mooe.server.app import app", "mooe", {"server"}),
    ],
)
def test_imports_are_seen_in_every_spelling(source, package, expected):
    assert imported_modules(source, package) == expected


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
