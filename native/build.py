"""Compile ahead of time: all functions that `compiled` decorates, as one extension of Python.

    python native/build.py FOLDER             # puts _native.abi3.so there
    python native/build.py FOLDER MODULE ...  # the functions of these modules only

Each function becomes `void f(int64_t *slots)`, which native.c calls. There is an object file for
each module, kept in build/native under a digest of its sources: it is made once for each state.
Those of named modules lie in FOLDER: what one builds on trial takes nothing from another.
"""

# ruff: noqa: E402

import os
import platform

# What code is made for: of any x86-64 since 2013 or 2015, of others what all of them have.
LEVEL = {"x86_64": "x86-64-v3", "AMD64": "x86-64-v3"}.get(platform.machine(), "generic")
os.environ |= {"NUMBA_CPU_NAME": LEVEL, "NUMBA_CPU_FEATURES": "", "NUMBA_DISABLE_JIT": "0"}

import hashlib
import importlib
import importlib.util
import json
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from itertools import count
from pathlib import Path

import llvmlite
import llvmlite.binding as llvm
import numba
import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.np.arrayobj import populate_array
from numba.np.numpy_support import as_dtype

HERE = Path(__file__).parent
KEPT = HERE.parent / "build" / "native"
sys.path.insert(0, str(HERE.parent / "src"))

from mooe.numerics import compiled, native, sources

EXTENSION = "_native.abi3.so"
LONG = ir.IntType(64)
LETTERS = {types.int64: "q", types.float64: "d", types.boolean: "?"}  # of numbers


def build(folder, modules=None):
    """Make the extension of these modules, or of all, in a folder; return where it is."""
    kept = Path(folder) if modules else KEPT
    texts = sources.texts()
    for name in modules or ():
        texts.setdefault(name, Path(importlib.util.find_spec(name).origin).read_bytes())
    modules = modules or native.modules_of(texts)
    kept.mkdir(parents=True, exist_ok=True)
    objects = {name: kept / f"{name}-{state_of(name, texts)}.o" for name in modules}
    emit({name: path for name, path in objects.items() if not path.exists()})
    entries = [one for path in objects.values() for one in json.loads(read(path))]
    table = table_of(entries, sources.digest(modules, texts))
    return link(table, [path for path in objects.values() if path.stat().st_size], folder)


def read(path):
    """Return the text on the functions of an object file, which lies beside it."""
    return path.with_suffix(".json").read_text()


def state_of(module, texts):
    """Return a short hash of all that the object file of a module depends on."""
    versions = [numba.__version__, llvmlite.__version__, LEVEL, platform.machine(), sys.platform]
    state = [*versions, sources.digest([module], texts), Path(__file__).read_text()]
    return hashlib.sha256(json.dumps(state).encode()).hexdigest()[:16]


def emit(objects):
    """Write the object files of modules, by name, and what they hold; an empty one for nothing."""
    found = []
    if objects:
        print("compiling ahead of time, a minute for all ...", file=sys.stderr, flush=True)

    def recorded(signature):
        def decorate(function):
            found.append(njit(signature, **compiled.OPTIONS)(function))
            return found[-1]

        return decorate

    compiled.compiled = recorded
    compiled.is_cached = lambda module: True  # what is compiled is said here
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(
        cpu=LEVEL, opt=3, reloc="pic", codemodel="default"
    )
    for name, path in objects.items():
        importlib.import_module(name)
        code, about = llvm.parse_assembly(""), []
        for function in found:
            if function.py_func.__module__ == name:
                module, entry = exported(function)
                code.link_in(module)
                about.append(entry)
        for earlier in path.parent.glob(f"{name}-*"):
            earlier.unlink(missing_ok=True)
        path.with_suffix(".json").write_text(json.dumps(about, indent=1))
        whole = path.with_name(f"part-{os.getpid()}")  # it counts once it is complete
        whole.write_bytes(machine.emit_object(trimmed(code, about, machine)) if about else b"")
        whole.replace(path)


def exported(function):
    """Return an LLVM module with a compiled function behind a symbol of C, and what to know of it.

    `void symbol(int64_t *slots)`: a number is a slot; an array is its address, then its shape.
    Status and results take their place.
    """
    (made,) = function.overloads.values()
    context, signature = made.target_context, made.signature
    name = f"{function.py_func.__module__}.{function.__name__}"
    if made.library.has_dynamic_globals:  # as an array of more than a megabyte outside of it is
        raise TypeError(f"{name} must hold no address of this process, such as a large array's")
    module = context.create_module("exported")
    kind = context.call_conv.get_function_type(signature.return_type, signature.args)
    callee = ir.Function(module, kind, made.fndesc.llvm_func_name)
    symbol = "mooe_" + name.replace(".", "_")
    wrapper = ir.Function(module, ir.FunctionType(ir.VoidType(), [LONG.as_pointer()]), symbol)
    builder = ir.IRBuilder(wrapper.append_basic_block())
    slots = count(1)

    def load():
        return builder.load(builder.gep(wrapper.args[0], [LONG(next(slots))]))

    def store(value, at):
        builder.store(value, builder.gep(wrapper.args[0], [LONG(at)]))

    args = [_argument(context, builder, kind, load) for kind in signature.args]
    n_slots = next(slots)
    call = context.call_conv.call_function
    status, result = call(builder, callee, signature.return_type, signature.args, args)
    store(builder.zext(status.is_error, LONG), 0)
    results, letters = _results(builder, signature.return_type, result)
    for i, value in enumerate(results):
        store(value, 1 + i)
    builder.ret_void()
    code = llvm.parse_assembly(str(module))
    code.link_in(made.library._final_module.clone())
    return code, {
        "name": name,
        "symbol": symbol,
        "slots": max(n_slots, 1 + len(results)),
        "arguments": [_described(kind) for kind in signature.args],
        "results": letters,
    }


def _argument(context, builder, kind, load):
    """Return the LLVM value of an argument that is read from slots."""
    if not isinstance(kind, types.Array):
        value = load()
        if kind == types.boolean:
            return builder.icmp_signed("!=", value, LONG(0))
        return builder.bitcast(value, ir.DoubleType()) if kind == types.float64 else value
    array = context.make_array(kind)(context, builder)
    size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    data, shape = load(), [load() for _ in range(kind.ndim)]
    strides = [LONG(size)]
    for length in shape[:0:-1]:
        strides.insert(0, builder.mul(strides[0], length))
    populate_array(
        array,
        data=builder.inttoptr(data, array.data.type),
        shape=cgutils.pack_array(builder, shape),
        strides=cgutils.pack_array(builder, strides),
        itemsize=LONG(size),
        meminfo=None,
    )
    return array._getvalue()


def _results(builder, kind, value):
    """Return results as LLVM values of 64 bits, and their letters."""
    if kind == types.none:
        return [], ""
    if isinstance(kind, types.BaseTuple):
        parts = [builder.extract_value(value, i) for i in range(len(kind))]
        pairs = [_results(builder, *pair) for pair in zip(kind, parts, strict=True)]
        return [part for (part,), _ in pairs], f"({''.join(letter for _, letter in pairs)})"
    if kind == types.boolean:
        value = builder.zext(value, LONG)
    elif kind == types.float64:
        value = builder.bitcast(value, LONG)
    return [value], _letter(kind)


def _letter(kind):
    """Return the letter of a number's type, or raise TypeError."""
    if kind not in LETTERS:
        raise TypeError(f"numbers must be {', '.join(map(str, LETTERS))}, got {kind}")
    return LETTERS[kind]


def _described(kind):
    """Return letter, dimensions and dtype of an argument; raise TypeError if C cannot pass it."""
    if not isinstance(kind, types.Array):
        return [_letter(kind), 0, _dtype(as_dtype(kind))]
    if kind.layout != "C" or not kind.mutable or not kind.aligned:
        raise TypeError(f"arrays must be aligned, writable and C-contiguous, got {kind}")
    return ["a", kind.ndim, _dtype(as_dtype(kind.dtype))]


def _dtype(dtype):
    """Return the description of a dtype that makes it again, of lists, dicts and texts."""
    if dtype.names is None:
        return dtype.str
    fields = [dtype.fields[name] for name in dtype.names]
    return {
        "names": list(dtype.names),
        "formats": [_dtype(field[0]) for field in fields],
        "offsets": [field[1] for field in fields],
        "itemsize": dtype.itemsize,
        "aligned": dtype.isalignedstruct,
    }


def trimmed(code, about, machine):
    """Return an LLVM module without all that the exported functions do not need."""
    exported_names = {entry["symbol"] for entry in about}
    for value in (*code.functions, *code.global_variables):
        if value.name in exported_names:
            value.visibility = "hidden"  # seen by native.c, but not from outside
        elif not value.is_declaration:
            value.linkage = "internal"
    builder = llvm.create_pass_builder(machine, llvm.PipelineTuningOptions())
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(code, builder)
    return code


def table_of(entries, digest):
    """Return what native.c includes: which functions there are, and what they take and give."""
    dtypes = {}  # JSON of each, and its place
    lines = [f"void {entry['symbol']}(int64_t *);" for entry in entries]
    for i, entry in enumerate(entries):
        rows = [
            f"{{'{letter}', {n_dims}, {dtypes.setdefault(json.dumps(dtype), len(dtypes))}}}"
            for letter, n_dims, dtype in entry["arguments"]
        ]
        lines.append(f"static const struct argument arguments_{i}[] = {{{', '.join(rows)}}};")
    rows = [
        f'{{"{entry["name"]}", {entry["symbol"]}, arguments_{i}, {len(entry["arguments"])}, '
        f'"{entry["results"]}"}}'
        for i, entry in enumerate(entries)
    ]
    return "\n".join(
        [
            f"enum {{ N_SLOTS = {max(entry['slots'] for entry in entries)} }};",
            f'#define DIGEST "{digest}"',
            f"static const char *const dtype_texts[] = {{{', '.join(map(json.dumps, dtypes))}}};",
            *lines,
            f"static const struct entry entries[] = {{{', '.join(rows)}}};\n",
        ]
    )


def link(table, objects, folder):
    """Make the extension of object files in a folder, and load it once; return where it is."""
    if sys.platform != "linux":
        raise RuntimeError(f"code is linked ahead of time on Linux only so far, not {sys.platform}")
    compiler = shlex.split(os.environ.get("CC", "cc"))
    if shutil.which(compiler[0]) is None:
        raise RuntimeError(f"CC must name a C compiler that is there, got {compiler[0]!r}")
    extension = Path(folder, EXTENSION)
    with tempfile.TemporaryDirectory() as headers:
        Path(headers, "table.h").write_text(table)
        includes = [headers, sysconfig.get_path("include"), np.get_include()]
        command = [
            *compiler,
            *("-O2", "-Wall", "-Wextra", "-fPIC", "-shared", "-fvisibility=hidden"),
            *(f"-I{path}" for path in includes),
            *("-o", extension, HERE / "native.c", *objects, "-lm"),
            *("-Wl,-z,now", "-s"),  # whatever is missing is missed when it is loaded
        ]
        subprocess.run(command, check=True)
    code = f"import sys; sys.path.insert(0, {str(folder)!r}); import _native"
    subprocess.run([sys.executable, "-c", code], check=True)
    return extension


if __name__ == "__main__":
    out, *names = sys.argv[1:]
    print(build(out, names))
