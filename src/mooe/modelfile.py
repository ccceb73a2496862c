"""The model file: safetensors with one JSON header, a format number and a checksum; no pickle.

Equal models give equal bytes: the header is sorted JSON under a single key (safetensors keeps no
order among several), and of the state only what has been learnt is written, no scratch and no empty
slots. A file is read whole and checked whole before anything is built from it.

Formats: 1 the paper's model, 2 the default model, each with the `extras` of the shell that wrote
it; 3 either of them, with its mode, its roster of experts, and what belongs to a Model; 4 the same,
with a forest in the roster of the default model, its calibration, the groups of columns, and how a
model decides; 5 the same, with the labels that each regime was counted by; 6 the same, with the
columns that have been alike so far; 7 with an autoregression of labels, 8 with a pool of forests in
the roster.
"""

import hashlib
import json
import math
import os
import re
import secrets
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors import numpy as safetensors

from mooe.decision import Decision, Tally, of_json
from mooe.engine import AnyParams, engine_of, file_parts, params_of
from mooe.numerics.blocks import State

FORMAT = 8  # a version reads all up to its own
WHOLE = 6  # the first format that holds all arrays that are written now
DECIDES = WITH_GROUPS = 4  # the first format that says how a model decides, and what its groups are
KEY = "mooe"
FORECASTS = ("forecaster", "forecasters")  # what a header calls them, see mooe.forecast
KINDS = {"F64": np.float64, "F32": np.float32, "U8": np.uint8}  # as safetensors names them
OLD_MODES = {1: "paper", 2: "auto"}  # of formats that do not name it
OLD_EXTRAS = ("added", "chosen", "class", "feature_names", "labels")  # all others are notes

SURROGATE = re.compile(r"\\ud[89a-f]")  # half a character, or one of two halves, in JSON
LARGEST_NAME: Any = 2**63  # of numbers, exclusive
DEEPEST = 20  # notes within notes: JSON of any depth is read, but not written

# What a file that was tampered with may run into.
BROKEN = (
    *(ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError),
    *(TypeError, ValueError),
)


class ModelFileError(ValueError):
    """The bytes are not a model of ours, damaged, or from a newer version."""


@dataclass
class Contents:
    """All that a model file holds."""

    params: AnyParams
    state: State
    labels: list[Any] | None = None  # in the order of their numbers; None in regression
    columns: list[Any] | None = None  # names: text, numbers, tuples of them; None: they have none
    added: dict[str, bytes] = field(default_factory=dict)  # the user's experts, as skops wrote them
    notes: dict[str, Any] = field(default_factory=dict)  # JSON values that shells keep
    decision: Decision | None = None
    tally: Tally = field(default_factory=Tally)
    groups: list[Any] = field(default_factory=list)  # names, or None, of columns from the first on


def to_bytes(contents: Contents) -> bytes:
    """Return the file of a model."""
    params, state = contents.params, contents.state
    for name in [*(contents.columns or []), *filter(_is_given, contents.groups)]:
        check_column_name(name)
    parts = file_parts(params.mode)
    header = {
        "format": FORMAT,
        "mode": params.mode,
        "roster": list(parts.ROSTER),
        "params": asdict(params),
        "counters": {name: getattr(state, name) for name in parts.WHOLES},
        "labels": contents.labels,
        "columns": contents.columns,
        "groups": contents.groups if any(map(_is_given, contents.groups)) else [],
        "added": list(contents.added),
        "notes": contents.notes,
        "decision": contents.decision and contents.decision.to_json(contents.tally),
    }
    return _pack(header, parts.learnt(params, state), contents.added)


def from_bytes(blob: bytes, *, verify: bool = True) -> Contents:
    """Return what is in a file's bytes, or raise ModelFileError.

    Without `verify` neither checksum nor content is checked: for bytes that nobody else touched.
    """
    blob = bytes(blob)
    text, promised, header, places = _read(blob)
    try:
        if _kind(header):
            raise ModelFileError("not a model of rows but a forecaster: mooe.forecast opens it")
        check_format(header["format"])
        _check_depth(header)
        tensors = safetensors.load(blob) if verify else _views(blob, places)
        if verify and digest(text, tensors) != promised:
            raise ModelFileError("its checksum does not match its content")
        contents, again = _contents(header, tensors, verify)
    except ModelFileError:
        raise
    except (SafetensorError, *BROKEN) as problem:
        raise ModelFileError(f"the model file is damaged or cut short: {problem}") from problem
    if verify and again != blob:  # such as another order, other types, or more than belongs into it
        raise ModelFileError("the model file is damaged: writing it again gives other bytes")
    return contents


def _contents(
    header: dict[str, Any], tensors: dict[str, np.ndarray], verify: bool
) -> tuple[Contents, bytes]:
    """Return what a header and its tensors stand for, and, to verify, the file that it makes."""
    old = header["format"] in OLD_MODES
    mode = OLD_MODES[header["format"]] if old else header["mode"]
    rest = header["extras"] if old else header
    if not isinstance(rest, dict):
        raise ValueError(f"extras must be a dict, got {rest!r}")
    names = rest.get("added", []) if old else rest["added"]
    added = {name: tensors.pop(f"added.{k}").tobytes() for k, name in enumerate(names)}
    written = params_of(mode, header["params"])  # which checks the mode
    parts = file_parts(mode)
    roster = parts.OLD_ROSTER if old else tuple(header["roster"])
    params = parts.without_newcomers(written, roster)
    state = parts.restored(written, header["counters"], tensors, roster, verify)
    if len(added) != getattr(state, "n_added", 0):
        raise ValueError(f"added must hold {getattr(state, 'n_added', 0)} experts")
    if old:
        notes = {name: value for name, value in rest.items() if name not in OLD_EXTRAS}
    else:
        notes = rest["notes"]
    columns = rest["feature_names" if old else "columns"]
    groups = rest["groups"] if header["format"] >= WITH_GROUPS else []
    columns, groups = _with_tuples(columns), _with_tuples(groups)
    decided = header["decision"] if header["format"] >= DECIDES else None
    decision, tally = (None, Tally()) if decided is None else of_json(decided)
    contents = Contents(
        params, state, rest["labels"], columns, added, notes, decision, tally, groups
    )
    if not verify:
        return contents, b""
    _check_labels(params, state, contents.labels)
    _check_columns(state, contents.columns)
    _check_decision(params, state, decision, tally)
    _check_groups(params, state, groups)
    if not isinstance(notes, dict):
        raise ValueError(f"notes must be a dict, got {notes!r}")
    counters = {name: getattr(state, name) for name in header["counters"]}
    again = {**header, "params": asdict(written), "counters": counters}
    if decision is not None:
        again["decision"] = decision.to_json(tally)
    arrays = parts.learnt(params, state, roster)
    if header["format"] < WHOLE:
        arrays = {name: array for name, array in arrays.items() if name in tensors}
    arrays |= {name: tensors[name] for name in parts.unread(params, state)}
    return contents, _pack(again, arrays, added)


def _with_tuples(names: Any) -> Any:
    """Return names as they were written: JSON has no tuples."""
    if not isinstance(names, list):
        return names
    return [tuple(name) if isinstance(name, list) else name for name in names]


def _pack(header: dict[str, Any], tensors: dict[str, np.ndarray], added: dict[str, bytes]) -> bytes:
    """Return the bytes of a header and its arrays."""
    for k, blob in enumerate(added.values()):
        tensors[f"added.{k}"] = np.frombuffer(blob, np.uint8)
    text = dump(header)
    _check_texts(header, text)
    whole = dump({"header": text, "sha256": digest(text, tensors)})
    return safetensors.save(tensors, {KEY: whole})


def _check_texts(header: dict[str, Any], text: str) -> None:
    """Raise ValueError for half a character in a header, which nothing could print or send."""
    if SURROGATE.search(text) is None:
        return
    try:
        json.dumps(header, ensure_ascii=False, default=plain).encode()
    except UnicodeEncodeError as problem:
        place = slice(max(problem.start - 10, 0), problem.end + 10)
        found = f"got half of one in {problem.object[place]!r}"
        raise ValueError(f"texts of a model must be of whole characters, {found}") from None


def check_column_name(name: Any) -> None:
    """Raise ValueError for a name that a file cannot give back."""
    for word in name if isinstance(name, tuple) else (name,):
        is_number = isinstance(word, (int, float, np.integer)) and abs(word) < LARGEST_NAME
        if not (isinstance(word, str) or is_number):
            raise ValueError(
                "names of features must be text, finite numbers or tuples of them, "
                f"got {name!r:.80}"
            )


def check_format(number: Any, latest: int = FORMAT, what: str = "model") -> None:
    """Raise ModelFileError unless this version reads the format, up to the latest."""
    if type(number) is not int or number < 1:
        raise ModelFileError(f"the model file is damaged: its format is {number!r}")
    if number > latest:
        raise ModelFileError(
            f"the {what} was written by a newer mooe (format {number}); this one reads "
            f"formats up to {latest}: upgrade mooe"
        )


def write(path: str | os.PathLike[str], blob: bytes) -> None:
    """Put the bytes in place of the file at once and for good: it is the old or the new one."""
    path = Path(os.path.realpath(path))  # what a link points to is replaced, not the link
    if path.exists() and not path.is_file():
        path.write_bytes(blob)  # a pipe or a device has no other bytes to keep; a folder refuses
        return
    beside = path.with_name(f".mooe-{os.getpid()}-{secrets.token_hex(4)}")
    try:
        with beside.open("xb") as file:
            file.write(blob)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            beside.chmod(path.stat().st_mode & 0o777)
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    keep_name(path.parent)


def keep_name(folder: Path) -> None:
    """Bring a folder's new names to disk too, where the system lets us."""
    try:
        opened = os.open(folder, os.O_RDONLY)
    except OSError:  # not to be read, or not a thing to open on this system
        return
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _check_depth(header: Any) -> None:
    """Raise ValueError unless a header is no deeper than what is written."""
    level: list[Any] = [header]
    for _ in range(DEEPEST):
        level = [
            value
            for part in level
            if isinstance(part, (dict, list))
            for value in (part.values() if isinstance(part, dict) else part)
        ]
    if level:
        raise ValueError(f"the header must not be more than {DEEPEST} deep")


def _check_labels(params: AnyParams, state: State, labels: list[Any] | None) -> None:
    """Raise ValueError unless there is one label for each class, or none in regression."""
    if params.task == "regression":
        if labels is not None:
            raise ValueError(f"labels must be none in regression, got {labels!r}")
        return
    if not (isinstance(labels, list) and state.n_classes == len(labels) == len(set(labels))):
        raise ValueError(f"labels must be {state.n_classes} different ones, got {labels!r}")
    texts = [isinstance(label, str) for label in labels]
    if not (all(texts) or (not any(texts) and all(abs(label) < math.inf for label in labels))):
        raise ValueError(f"labels must be text, or finite numbers, got {labels!r}")


def _check_decision(
    params: AnyParams, state: State, decision: Decision | None, tally: Tally
) -> None:
    """Raise ValueError unless a decision is one of classes, and counts those that there are."""
    if decision is None:
        return
    if params.task == "regression" or not decision.is_needed:
        raise ValueError(f"decision must be none of regression, and of use, got {decision!r}")
    if len(tally.counts) > state.n_classes:
        raise ValueError(f"counts must be those of {state.n_classes} classes, got {tally.counts}")


def _check_columns(state: State, columns: Any) -> None:
    """Raise ValueError unless the columns have different names, text or numbers, or none."""
    if columns is None:
        return
    least = state.n_features if getattr(state, "narrow", True) else 0  # wide ones have room ahead
    if not isinstance(columns, list) or not least <= len(columns) <= state.n_features:
        raise ValueError(f"columns must be a list of {state.n_features} names")
    for name in columns:
        check_column_name(name)
    if len(columns) != len(set(columns)):
        raise ValueError("columns must have different names")


def group_numbers(groups: list[Any], n_columns: int) -> np.ndarray:
    """Return the groups of the first columns by number, in the order of appearance; 0 for none.

    >>> group_numbers([None, "colour", "size", "colour"], 6)
    array([0., 1., 2., 1., 0., 0.])
    """
    numbers: dict[Any, int] = {None: 0}
    found = [numbers.setdefault(name, len(numbers)) for name in groups[:n_columns]]
    return np.array([*found, *[0] * (n_columns - len(found))], np.float64)


def _is_given(name: Any) -> bool:
    """Whether a group is one."""
    return name is not None


def _check_groups(params: AnyParams, state: State, groups: Any) -> None:
    """Raise ValueError unless the groups of columns have names, and are those of the state."""
    if not isinstance(groups, list) or len(groups) > state.n_features:
        raise ValueError(f"groups must be a list of at most {state.n_features} names")
    for name in filter(_is_given, groups):
        check_column_name(name)
    if getattr(state, "narrow", False):
        own = engine_of(params).column_groups(params, state)
        if own.tolist() != group_numbers(groups, state.n_features).tolist():
            raise ValueError("groups must be those that the inputs are arranged by")


def read(path: str | os.PathLike[str]) -> Contents:
    """Return what is in a file; errors name it."""
    try:
        return from_bytes(Path(path).read_bytes())
    except ModelFileError as problem:
        raise ModelFileError(f"{os.fspath(path)}: {problem}") from problem


def dump(value: Any) -> str:
    """Return JSON that is the same for the same value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=plain)


def plain(value: Any) -> Any:
    """Return a numpy scalar as a Python one, for JSON."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a model file cannot hold {value!r} of type {type(value).__name__}")


def kind_of(blob: bytes) -> str:
    """Return what a file's bytes hold: '' for a model of rows, else one of FORECASTS."""
    return _kind(_read(blob)[2])


def _kind(header: dict[str, Any]) -> str:
    """Return the kind that a header names, '' for a model of rows."""
    kind = header.get("kind", "")
    return kind if kind in FORECASTS else ""


def read_header(blob: bytes) -> tuple[str, str]:
    """Return the header's text and the checksum it promises."""
    return _read(blob)[:2]


def _read(blob: bytes) -> tuple[str, str, dict[str, Any], dict[str, Any]]:
    """Return the header's text, the checksum it promises, the header, and where arrays lie."""
    size = int.from_bytes(blob[:8], "little")
    try:
        places = json.loads(blob[8 : 8 + size])
    except (ValueError, RecursionError) as problem:
        raise ModelFileError("not a model file, or one that is cut short") from problem
    metadata = places.pop("__metadata__", None) if isinstance(places, dict) else None
    if not isinstance(metadata, dict) or KEY not in metadata:
        raise ModelFileError("not a mooe model: a safetensors file of something else")
    try:
        whole = json.loads(metadata[KEY])
        text, promised = whole["header"], whole["sha256"]
        text.encode()
        header = json.loads(text)
        header["format"]  # which only a dict has
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise ModelFileError("the model file is damaged: its header cannot be read") from problem
    return text, promised, header, places


def _views(blob: bytes, places: dict[str, Any]) -> dict[str, np.ndarray]:
    """Return the arrays of trusted bytes where they lie in them: the library would copy each."""
    begin, found = 8 + int.from_bytes(blob[:8], "little"), {}
    for name, about in places.items():
        kind, shape = KINDS[about["dtype"]], about["shape"]
        flat = np.frombuffer(blob, kind, math.prod(shape), begin + about["data_offsets"][0])
        found[name] = flat.reshape(shape)
    return found


def digest(text: str, tensors: dict[str, np.ndarray]) -> str:
    """Return the checksum of header and arrays."""
    total = hashlib.sha256(text.encode())
    for name in sorted(tensors):
        array = np.ascontiguousarray(tensors[name])
        total.update(f"{name} {array.dtype.str} {array.shape}".encode())
        total.update(array.tobytes())
    return total.hexdigest()
