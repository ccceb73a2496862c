"""The fingerprint of an experiment: a hash of all that its record depends on.

That is its code, arguments, data, versions and machine. Its code is the module of its function and
every module of ours which that one imports, directly or not. Comments, docstrings and layout do not
count, nor do modules that it never imports: the command, the report, the plots.
"""

import ast
import hashlib
import json
import re
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from mooe.evaluate.results import origin
from mooe.numerics.sources import LATER
from mooe_paper.experiment import Experiment

SOURCE = Path(__file__).parents[1]
PACKAGES = ("mooe", "mooe_paper")


def fingerprint(experiment: Experiment, quick: bool, digests: dict[str, str]) -> str:
    """Return the fingerprint of an experiment.

    Parameters
    ----------
    quick : bool
        Whether it is one of a quick run.
    digests : dict of str to str
        sha256 of the streams that it needs, by name.
    """
    module = experiment.function.__module__
    known = {
        "name": experiment.name,
        "work": f"{module}.{experiment.function.__name__}",
        "arguments": experiment.arguments,
        "quick": quick,
        "code": code_digest(module),
        "origin": versions(),
        "data": {need: digests[need] for need in experiment.needs},
    }
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()


def versions() -> dict[str, str]:
    """Return versions and machine; batch learners and the theory lean on scipy as well."""
    return origin(scipy=version("scipy"))


@cache
def code_digest(module: str, source: Path = SOURCE) -> str:
    """Return a hash of the code of a module and of every module of ours that it imports."""
    closure = sorted(import_closure(module, source))
    lines = [f"{name} {_module_code(name, source)[0]}\n" for name in closure]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def import_closure(module: str, source: Path = SOURCE) -> set[str]:
    """Return a module and every module of ours that it imports, directly or not.

    Imports within functions count, those for type checkers do not, nor do the packages around a
    module, which only name it.
    """
    closure: set[str] = set()
    waiting = {module}
    while waiting:
        name = waiting.pop()
        closure.add(name)
        waiting |= _module_code(name, source)[1] - closure - set(LATER.get(name, ()))
    return closure


@cache
def _module_code(module: str, source: Path) -> tuple[str, frozenset[str]]:
    """Return the hash of a module's own code, and the names of our modules that it imports."""
    path = _modules(source).get(module)
    if path is None:  # such as the module of a test
        spec = find_spec(module)
        if spec is None or spec.origin is None:
            raise ValueError(f"module must be one that has a file, got {module!r}")
        path = Path(spec.origin)
    tree = code_tree(path.read_text(encoding="utf-8"))
    package = module if path.stem == "__init__" else module.rpartition(".")[0]
    nodes = list(ast.walk(tree))
    imports = _static_imports(nodes, package, source) | _dynamic_imports(nodes, source)
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest(), frozenset(imports)


def code_tree(text: str) -> ast.Module:
    """Return the syntax tree of a source without what is not run, see `_Code`."""
    tree: ast.Module = _Code().visit(ast.parse(text))
    return tree


class _Code(ast.NodeTransformer):
    """Take out of a tree what is not run: docstrings, and imports for type checkers."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        value = node.value
        return None if isinstance(value, ast.Constant) and isinstance(value.value, str) else node

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        for_types = ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")
        return node.orelse if for_types else node


def _static_imports(nodes: list[ast.AST], package: str, source: Path) -> set[str]:
    """Return our modules in the import statements of a module; `package` is where it stands."""
    names = []
    for node in nodes:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")
            start = parents[: len(parents) + 1 - node.level] if node.level else []
            origin = ".".join([*start, *([node.module] if node.module else [])])
            for alias in node.names:  # a module of a package, or a name in a module
                inner = f"{origin}.{alias.name}"
                names.append(inner if inner in _modules(source) else origin)
    return {name for name in names if name in _modules(source)}


def _dynamic_imports(nodes: list[ast.AST], source: Path) -> set[str]:
    """Return our modules that a module may give to `import_module`.

    A part of the name that is computed stands for any; where all of it is looked up, such as in a
    dict, every string of the module may be the name.
    """
    calls = [node for node in nodes if isinstance(node, ast.Call) and node.args]
    given = [call.args[0] for call in calls if ast.unparse(call.func).endswith("import_module")]
    patterns = set()
    for name in given:
        if isinstance(name, ast.JoinedStr):
            parts = [getattr(part, "value", None) for part in name.values]
            fixed = [re.escape(part) if isinstance(part, str) else r"[\w.]+" for part in parts]
            patterns.add("".join(fixed))
        else:
            strings = [node.value for node in nodes if isinstance(node, ast.Constant)]
            patterns |= {re.escape(text) for text in strings if isinstance(text, str)}
    possible = re.compile("|".join(patterns) or "(?!)")
    return {name for name in _modules(source) if "." in name and possible.fullmatch(name)}


@cache
def _modules(source: Path) -> dict[str, Path]:
    """Return the files of our modules by name."""
    files = [path for package in PACKAGES for path in (source / package).rglob("*.py")]
    names = [".".join(path.relative_to(source).with_suffix("").parts) for path in files]
    return dict(zip([name.removesuffix(".__init__") for name in names], files, strict=True))
