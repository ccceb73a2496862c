"""All streams that have a name, and the one call that opens any stream."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from numbers import Integral
from pathlib import Path
from typing import Any, Literal, get_type_hints

from mooe.datasets import drift, generators, sources, synthetic
from mooe.datasets.archive import Published, Verified, fetch_published, locate, verified
from mooe.datasets.series import MADE_SERIES, SERIES
from mooe.numerics.checks import is_number
from mooe.streams.files import file_stream, is_file_name, stdin_stream
from mooe.streams.layout import NOTHING_USUAL, Options, Usual
from mooe.streams.stream import InputKind, LabelKind, Stream, StreamError, Task, nearest

# Streams that are read, each with the data set that it needs.
NAMED: dict[str, tuple[Callable[..., Stream], Published]] = {
    "Usenet1": (sources.usenet1, sources.USENET1),
    "Email": (sources.email, sources.EMAIL),
    "Spam": (sources.spam, sources.SPAM),
    "Spam_full": (sources.spam_full, sources.SPAM_FULL),
    "Weather": (sources.weather, sources.WEATHER),
    "Electricity": (sources.electricity, sources.ELECTRICITY),
    "Powersupply": (sources.powersupply, sources.POWERSUPPLY),
    "Powersupply24": (sources.powersupply24, sources.POWERSUPPLY),
    "Covertype": (sources.covertype, sources.COVERTYPE),
    "GasSensor": (sources.gas_sensor, sources.GAS_SENSOR),
    "GasSensor10": (sources.gas_sensor_10, sources.GAS_SENSOR_10),
    "WESAD": (sources.wesad, sources.WESAD),
    "Kitsune": (sources.kitsune, sources.KITSUNE),
    "ijcnn1": (sources.ijcnn1, sources.IJCNN1),
    "cod-rna": (sources.cod_rna, sources.COD_RNA),
}
# Streams that are made from a seed.
MADE: dict[str, Callable[..., Stream]] = {
    "synthetic": synthetic.moving_gaussians,
    "recurring": synthetic.recurring,
    "abrupt": synthetic.abrupt,
    "gradual": synthetic.gradual,
    "noise": drift.noise,
    "ijcnn-drift": drift.ijcnn_drift,
    "ijcnn-drift-leaking": partial(drift.ijcnn_drift, leaking=True),
    "cod-rna-drift": drift.cod_rna_drift,
    "cod-rna-drift-leaking": partial(drift.cod_rna_drift, leaking=True),
    "agrawal": generators.agrawal,
    "random-tree": generators.random_tree,
    "rbf": generators.rbf,
    "led": generators.led,
    "sea": generators.sea,
    "stagger": generators.stagger,
    "mixed": generators.mixed,
    "sine": generators.sine,
    "waveform": generators.waveform,
    "hyperplane": generators.hyperplane,
}
N_CLASSES = {"random-tree": 4, "rbf": 5, "led": 10, "waveform": 3}  # of those made; the others: 2


@dataclass(frozen=True)
class Entry:
    """A line of the list of streams."""

    name: str
    n_rows: int | None
    n_features: int | None
    n_classes: int | None  # None: a series to forecast
    path: Path | None  # where it lies; None: not on this machine, or made
    is_made: bool
    source: str
    citation: str
    licence: str
    note: str


def open_stream(
    source: str | Path,
    label: str | None = None,
    task: Task | Literal["auto"] = "auto",
    time: str | None = None,
    drop: Sequence[str] = (),
    missing: Literal["mean", "error"] = "mean",
    skip_bad_rows: bool = False,
    max_rows: int | None = None,
    seed: int = 0,
    labelled: bool = True,
    inputs: Mapping[str, InputKind] | None = None,
    label_kind: LabelKind | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    date_format: str | None = None,
    na: Sequence[str] = (),
    calendar: bool = False,
    texts: Mapping[str, Sequence[str]] | None = None,
    is_narrow: bool | None = None,
    usual: Usual = NOTHING_USUAL,
    keep: Sequence[str] = (),
    made: Mapping[str, Any] | None = None,
) -> Stream:
    """Return the stream of a name, of a file, or, for '-', of csv text on standard input.

    The first 1,000 rows decide what a column holds and how it is written, and `remarks` of the
    stream says what may not be expected. A column that is a number there must stay one; true and
    false are 1 and 0. Text columns become indicators, appended as the texts appear: a column of X
    for each of the first texts, a few that all later ones share by a hash; a missing text is 0 in
    all of them. Texts that are others in each of the first rows, 100 at least, are left out. What
    is wrong raises `StreamError`.

    Parameters
    ----------
    source : str or path
        A name (see `describe`), or a file: .csv, .tsv, .txt, .arff, .svm, .libsvm, each also with
        .gz, .xz or .bz2 behind, or .parquet. A csv file has the names of its columns in its first
        row; commas, semicolons, tabs or bars stand between its cells.
    label : str, optional
        The column to predict. A row where it is empty has no label. Named streams and LIBSVM text
        need none.
    task : {"auto", "classification", "regression"}
        "auto": texts, and whole numbers of which there are up to 50 in the first 1,000 rows, are
        classes; any other numbers are a regression.
    time : str, optional
        A column of dates or of numbers, which is then no input; by default the first that holds
        dates. A time that cannot be read counts as the one before; rows stay in their order.
    drop : sequence of str
        Columns to leave out.
    missing : {"mean", "error"}
        Missing numbers are NaN in X, for the learner's side to replace by the mean so far, or an
        error. Infinities always are an error.
    skip_bad_rows : bool
        Whether rows with too few or too many cells, or with a text in a column of numbers, are
        left out and counted instead of being an error.
    max_rows : int, optional
        Stop after so many rows, 1 or more.
    seed : int
        For streams that are made.
    labelled : bool
        False for rows that wait for a prediction: the label's column may then be absent, and is no
        input where it is there.
    inputs : mapping of str to {"number", "text"}, optional
        The input columns and what they hold, where a model knows them already: other columns are
        left out, and nothing is decided from the first rows.
    label_kind : {"text", "number"}, optional
        What labels are, where a model knows it already: "text" keeps '01' and '+1' as they are
        written. By default the first 1,000 rows decide: whole numbers of which one begins with a
        zero are codes, and texts.
    decimal : {".", ","}, optional
        The decimal sign; the other one, a space or an apostrophe may set thousands apart. By
        default that of the first 1,000 rows; where both are possible, a comma between semicolons or
        tabs is a decimal one.
    encoding : str, optional
        Of delimited text; by default UTF-8, UTF-16 by its mark, and cp1252 where it is neither.
    date_format : str, optional
        How dates are written, as Python's strptime has it: '%d.%m.%Y %H:%M'. By default ISO 8601 or
        one of the usual forms; where day and month could be either, times run on in the right one.
    na : sequence of str
        Cells without a value, beside empty ones, '?', 'NA', 'N/A', 'NaN', 'null' and 'None'; in
        columns of numbers and dates also beside 'k.A.', 'n.a.', '#N/A' and dashes.
    calendar : bool
        Whether hour, weekday and season of every column of dates are inputs.
    texts : mapping of str to texts, optional
        The texts that have columns of their own in a model that goes on.
    is_narrow : bool, optional
        Whether a model that goes on is to keep to 128 columns; by default, whether the first 1,000
        rows do.
    usual : Usual
        Of a model that goes on: decimal sign and date format, where the rows leave it open, and its
        clock, a column of dates, where the source has it.
    keep : sequence of str
        Columns that are carried along as they are written (`Chunk.kept`), such as ids; they are no
        inputs, unless `inputs` names them.
    made : mapping of str to value, optional
        Parameters of a stream that is made, by name, those of its function in this package; a text
        is taken for what it says: "2,6,4" for (2, 6, 4).

    Examples
    --------
    >>> open_stream("recurring", max_rows=500).y.shape
    (500,)
    >>> open_stream("agrawal", made={"concepts": (2, 6), "length": 2}, max_rows=5).concept.tolist()
    [2, 2, 6, 6, 2]
    """
    options = Options(
        label=label,
        task=task,
        time=time,
        drop=tuple(drop),
        missing=missing,
        skip_bad_rows=skip_bad_rows,
        max_rows=max_rows,
        labelled=labelled,
        inputs=None if inputs is None else tuple(inputs.items()),
        label_kind=label_kind,
        decimal=decimal,
        encoding=encoding,
        date_format=date_format,
        na=tuple(na),
        calendar=calendar,
        texts=tuple((name, tuple(values)) for name, values in (texts or {}).items()),
        is_narrow=is_narrow,
        usual=usual,
        keep=tuple(keep),
    )
    name = str(source)
    if name in MADE:
        return _made_stream(name, seed, options, made or {})
    if made:
        raise StreamError("made", f"not be given for {name}, which is read, not made", dict(made))
    if name in NAMED:
        return NAMED[name][0](**vars(options))
    if name == "-":
        return stdin_stream(options)
    if not is_file_name(name) and not Path(name).exists():
        raise unknown_name(name, "be a file or the name of a stream")
    return file_stream(Path(name).expanduser(), options)


def describe() -> list[Entry]:
    """Return a line for each stream and series that has a name; streams first, made ones last."""
    return [*_streams(), *_series()]


def _series() -> list[Entry]:
    """Return a line for each series to forecast."""
    entries = []
    for name, data in SERIES.items():
        about = (data.page, data.citation, data.licence, data.note)
        path = locate(data.file_name)
        entries.append(Entry(name, data.size[0], data.size[1], None, path, False, *about))
    for name, function in MADE_SERIES.items():
        first = (function.__doc__ or "").strip().partition("\n")[0]
        entries.append(Entry(name, None, 1, None, None, True, first, "", "", ""))
    return entries


def _streams() -> list[Entry]:
    """Return a line for each stream, those that are made last."""
    entries = []
    for name, (_, data) in NAMED.items():
        path = locate(data.file_name)
        n_rows, n_features, n_classes = data.size
        n_classes = 2 if name == "Powersupply" else n_classes
        about = (data.page, data.citation, data.licence, data.note)
        entries.append(Entry(name, n_rows, n_features, n_classes, path, False, *about))
    for name, function in MADE.items():
        doc = getattr(function, "func", function).__doc__ or ""
        first = doc.strip().partition("\n")[0]
        note = drift.LEAK if name.endswith("-leaking") else ""
        about = (first, generators.CITATIONS.get(name, ""), "", note)
        n_classes = N_CLASSES.get(name, 2)
        entries.append(Entry(name, None, None, n_classes, None, True, *about))
    return entries


def fetch(name: str, progress: bool | None = None) -> Path:
    """Return where a named stream or series lies, fetched where it is not on this machine."""
    return fetch_published(published(name), progress)


def verify(name: str) -> Verified:
    """Compare a named stream or series on this machine with its checksum."""
    return verified(published(name))


def published(name: str) -> Published:
    """Return the data set that a named stream or series needs."""
    if name in MADE or name in MADE_SERIES:
        raise StreamError("stream", "be read from a file, not made", name)
    if name in SERIES:
        return SERIES[name]
    if name not in NAMED:
        raise unknown_name(name, "be the name of a published stream")
    return NAMED[name][1]


def unknown_name(name: str, rule: str) -> StreamError:
    """Return the error for a name that nothing has."""
    known = [*NAMED, *MADE]
    hint = nearest(name, known) or f"names: {', '.join(known)}"
    if name in SERIES or name in MADE_SERIES:
        hint = f"it is a series, to be forecast: mooe forecast {name}"
    return StreamError("stream", rule, name, hint)


def _made_stream(name: str, seed: int, options: Options, made: Mapping[str, Any]) -> Stream:
    """Return a stream made from a seed, or its first rows."""
    columns = {"label": options.label, "time": options.time, "drop": list(options.drop)}
    columns["keep"] = list(options.keep)
    for what, value in columns.items():
        if value:
            raise StreamError(what, f"not be given for {name}, which is made, not read", value)
    stream, n = MADE[name](seed=seed, **_parameters(name, made)), options.max_rows
    if n is None:
        return stream
    concept = None if stream.concept is None else stream.concept[:n]
    return replace(stream, X=stream.X[:n], y=stream.y[:n], concept=concept, n_rows=None)


def _parameters(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a stream that is made; the function itself checks their range."""
    function = MADE[name]
    hints = get_type_hints(getattr(function, "func", function))
    kinds = {key: hints[key] for key in signature(function).parameters if key != "seed"}
    kinds = {key: kind for key, kind in kinds.items() if kind is not bool}  # which the name says
    for key in given:
        if key not in kinds:
            known = ", ".join(kinds) or "it has none"
            raise StreamError("made", f"be a parameter of {name} ({known})", key)
    return {key: _parameter(key, kinds[key], value) for key, value in given.items()}


def _parameter(key: str, kind: Any, value: Any) -> Any:
    """Return a parameter of this kind, int, float or several int, or raise StreamError."""
    number, is_one = float if kind is float else int, kind in (int, float)
    values: list[Any] = [None]
    rule = "a number" if kind is float else "a whole number" if is_one else "whole numbers"
    with suppress(TypeError, ValueError):
        if isinstance(value, str):
            values = [number(value)] if is_one else [number(part) for part in value.split(",")]
        else:
            values = [value] if is_one else list(value)
    for one in values:
        if not (is_number(one) and (kind is float or isinstance(one, Integral))):
            raise StreamError(key, f"be {rule}", value)
    return number(values[0]) if is_one else tuple(map(int, values))
