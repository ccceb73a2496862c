"""How mooe compiles: one decorator, strict IEEE arithmetic, one cache per version of the source.

Where the wheel has brought compiled code that can be used here, that is taken instead.

Compiled code must give the same bits whatever function calls it, or rows one by one would differ
from a chunk. So there is no fastmath: sums are written in the order they are added, and fused
multiply-adds are asked for by name (`mooe.numerics.lanes.fma`).
"""

import gc
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from mooe.numerics import native, sources
from mooe.numerics.compiler import (
    Compiler,
    Flags,
    JITCodeLibrary,
    config,
    njit,
    register_jitable,
    types,
    version_info,
)

_texts = cache(sources.texts)


@cache
def _cache_root() -> str:
    """Where compiled code is kept: a folder that can be written to, or nothing."""
    if config.CACHE_DIR:
        return str(config.CACHE_DIR)
    for root in (lambda: sources.HERE / "__pycache__", lambda: Path.home() / ".cache" / "mooe"):
        try:
            root().mkdir(parents=True, exist_ok=True)
        except (OSError, RuntimeError):  # not to be written to; no home
            continue
        if os.access(root(), os.W_OK):
            return str(root())
    return ""


@cache
def module_folder(module: str) -> str:
    """Where the compiled code of a module is kept: a folder for each state of its sources.

    numba looks at the changed file alone, but a function lives on in the callers it was inlined
    into, and so does a number that it was compiled with: so the folder is named after the text of
    the module and of all that it imports, and never gives code that is out of date. numba's own
    names leave out the packages of a module, so there is one folder for each.
    """
    texts = _texts()
    state = sources.digest([module if module in texts else __name__], texts)
    return _cache_root() and str(Path(_cache_root(), f"mooe-{state[:16]}", module))


def is_cached(module: str) -> bool:
    """Whether compiled code of a module, named in full, is in the cache."""
    return module_folder(module) != "" and any(Path(module_folder(module)).rglob("*.nbi"))


class _PartLibrary(JITCodeLibrary):
    """Code that is only linked into a kernel, which optimises it and makes machine code of it.

    numba would link, check and optimise what is linked at every level of nesting, which doubles the
    time of the first start. What a function does alone is made plain before: kernels are smaller
    to optimise, and quicker.
    """

    def finalize(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def own_module(self) -> Any:
        """Return its code alone, to be linked."""
        return super()._get_module_for_linking()

    def _get_module_for_linking(self) -> Any:
        """Return its code with that of its parts: for a function that numba compiles as usual."""
        whole = self.own_module().clone()
        for library in _all_of(self._linking_libraries):
            is_part = isinstance(library, _PartLibrary)
            code = library.own_module() if is_part else library._get_module_for_linking()
            whole.link_in(code, preserve=True)
        return whole

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0  # numba's null: there is nothing to call from Python

    @property
    def codegen(self) -> Any:
        return self

    def set_env(self, name: str, env: Any) -> None:
        """Python objects that compiled code refers to: parts have none."""


class _PartCompiler(Compiler):
    """The usual compiler, into a `_PartLibrary`."""

    def compile_extra(self, function: Callable[..., Any]) -> Any:
        self.state.flags = _Asked(self.state.flags)
        self.state.library = _PartLibrary(self.state.targetctx.codegen(), function.__qualname__)
        return super().compile_extra(function)


class _Asked(Flags):
    """What is asked of the compiler, whose copy is looked things up by, some 60,000 times."""

    def copy(self) -> "_LookedUp":
        return _LOOKED_UP.setdefault(repr(self), _LookedUp(self))


class _LookedUp(Flags):
    """Flags that do not change, one object for all that are alike: numba compares 40 values."""

    def __hash__(self) -> int:
        return id(self)

    def copy(self) -> Any:
        return Flags(self)


_LOOKED_UP: dict[str, _LookedUp] = {}


def _all_of(libraries: Any) -> list[Any]:
    """Return libraries and all that those which are parts are made of, each once."""
    found: dict[Any, None] = {}
    waiting = list(libraries)
    while waiting:
        library = waiting.pop()
        if library not in found:
            found[library] = None
            if isinstance(library, _PartLibrary):
                waiting += library._linking_libraries
    return list(found)


class _KernelLibrary(JITCodeLibrary):
    """Code that Python calls, with its parts; lanes are written by hand, none are looked for."""

    def finalize(self) -> None:
        libraries = _all_of(self._linking_libraries)
        parts = [library for library in libraries if isinstance(library, _PartLibrary)]
        for part_library in parts:
            self._final_module.link_in(part_library.own_module(), preserve=True)
        self._linking_libraries[:] = [library for library in libraries if library not in parts]
        super().finalize()

    def _optimize_final_module(self) -> None:
        passes, builder = self._codegen._module_pass_manager(
            loop_vectorize=False, slp_vectorize=False
        )
        passes.run(self._final_module, builder)


class _KernelCompiler(Compiler):
    """The usual compiler, into a `_KernelLibrary`."""

    def compile_extra(self, function: Callable[..., Any]) -> Any:
        self.state.flags = _Asked(self.state.flags)
        self.state.library = _KernelLibrary(self.state.targetctx.codegen(), function.__qualname__)
        self.state.library.enable_object_caching()
        return super().compile_extra(function)


# No allocation, so no reference counts; other threads go on meanwhile.
OPTIONS = {"error_model": "numpy", "_nrt": False, "nogil": True}
KERNEL: dict[str, Any] = {**OPTIONS}
PART: dict[str, Any] = {**OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
if version_info.short in {(0, 68)}:  # `_PartLibrary` leans on what is inside these
    PART["pipeline_class"] = _PartCompiler
    KERNEL["pipeline_class"] = _KernelCompiler


def compiled(signature: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function for one signature when its module is imported, and cache the result."""

    def decorate(function: Callable[..., Any]) -> Any:
        if native.ENTRIES is not None:
            return native.ENTRIES[f"{function.__module__}.{function.__name__}"]
        before = config.CACHE_DIR
        config.CACHE_DIR = module_folder(function.__module__)
        try:
            return njit(signature, cache=True, **KERNEL)(function)
        except RuntimeError as problem:  # no writable folder anywhere: compile at every start
            if "cannot cache" not in str(problem):
                raise
            return njit(signature, **KERNEL)(function)
        finally:
            config.CACHE_DIR = before

    return decorate


def _by_types(dispatcher: Any) -> Any:
    """Let a function be compiled for types alone; numba would for every number a caller writes."""
    if native.ENTRIES is None:
        look_up = dispatcher.get_call_template

        def get_call_template(args: Any, named: dict[str, Any]) -> Any:
            plain = {name: types.unliteral(one) for name, one in named.items()}
            return look_up(tuple(map(types.unliteral, args)), plain)

        dispatcher.get_call_template = get_call_template
    return dispatcher


def part(function: Callable[..., Any]) -> Any:
    """Make a function callable from compiled code; it is compiled with its callers.

    It says whether it is inlined; numba would take that from whoever calls it first.
    """
    return _by_types(njit(**PART, forceinline=False)(function))


def forced(function: Callable[..., Any]) -> Any:
    """Like `part`, for what is smaller than the passing of its arguments."""
    return _by_types(njit(**PART, forceinline=True)(function))


def shared(function: Callable[..., Any]) -> Any:
    """Like `forced`, for what Python calls too: there it stays as it is written."""
    return register_jitable(**PART, forceinline=True)(function)


def direct(function: Any) -> Any:
    """Return a compiled function without numba's look at the types of its arguments.

    For callers whose arguments have the right types by construction.
    """
    overloads = getattr(function, "overloads", None)  # none of the wheel's, nor of plain Python
    return next(iter(overloads.values())).entry_point if overloads else function


@contextmanager
def announced(module: str, what: str) -> Iterator[None]:
    """Tell the user on standard error that a module's functions are compiled, if they must be.

    Garbage is left lying meanwhile: looking for it takes a tenth of the time.
    """
    if native.ENTRIES is None and not is_cached(module):
        print(f"mooe: compiling {what}, once for this version ...", file=sys.stderr, flush=True)
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
