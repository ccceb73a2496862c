"""numba and llvmlite, for all modules with compiled code; stand-ins where nothing is compiled.

A wheel may bring compiled code (`mooe.numerics.native`). Then numba, which takes a third of a
second and 60 MB, is not imported: signatures mean nothing, decorators leave functions as they are.
"""

from collections.abc import Callable
from typing import Any

from mooe.numerics import native

if native.ENTRIES is None:
    from llvmlite import ir
    from numba import (
        boolean,
        config,
        float32,
        float64,
        from_dtype,
        int64,
        njit,
        types,
        uint64,
        version_info,
        void,
    )
    from numba.core import cgutils
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import Compiler, Flags
    from numba.extending import (
        intrinsic,
        lower_builtin,
        models,
        register_jitable,
        register_model,
        type_callable,
    )
    from numba.np.arrayobj import populate_array

else:

    class _Absent:
        """What stands for a name of numba: whatever is asked of it, it is absent."""

        def __init__(self, *args: Any) -> None:
            pass

        def __getattr__(self, name: str) -> "_Absent":
            return self

        def __getitem__(self, place: Any) -> "_Absent":
            return self

        def __call__(self, *args: Any) -> "_Absent":
            return self

        def __bool__(self) -> bool:
            return False

        def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
            return (_Absent,)  # of a class that is derived from it

    def _unchanged(*args: Any, **options: Any) -> Callable[[Any], Any]:
        """Return a decorator that leaves a function or class as it is."""
        return lambda decorated: decorated

    boolean = float32 = float64 = int64 = uint64 = void = _Absent()
    cgutils = config = from_dtype = ir = models = populate_array = types = version_info = _Absent()
    Compiler = Flags = JITCodeLibrary = _Absent()

    def intrinsic(function: Any = None, **options: Any) -> Any:
        """Return a function as it is, or a decorator that leaves it so."""
        return function or _unchanged()

    njit = lower_builtin = register_jitable = register_model = type_callable = _unchanged

__all__ = [
    "Compiler",
    "Flags",
    "JITCodeLibrary",
    "boolean",
    "cgutils",
    "config",
    "float32",
    "float64",
    "from_dtype",
    "int64",
    "intrinsic",
    "ir",
    "lower_builtin",
    "models",
    "njit",
    "populate_array",
    "register_jitable",
    "register_model",
    "type_callable",
    "types",
    "uint64",
    "version_info",
    "void",
]
