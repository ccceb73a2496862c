"""What the columns of a table hold and how it is written, decided from its first 1,000 rows."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mooe.streams.cells import (
    CLOCK,
    DASHES,
    DECIMALS,
    MISSING,
    Spelling,
    are_codes,
    are_months,
    are_plain,
    begins_with_zero,
    date_format_of,
    is_whole,
    listed_cells,
    number_spellings,
    sets_thousands_apart,
    unit_of,
)
from mooe.streams.layout import Kind, Layout, Options
from mooe.streams.stream import InputKind, StreamError, nearest
from mooe.streams.values import numbers_of
from mooe.words import some_of

MOST_TEXTS = 50  # values of a label that is a class
LEAST_ROWS = 100  # in which a text that is another in every row is an identifier
LEAST_TIMES = 0.9  # share of the cells that are moments in a column of times, unless it is named
NARROW = 128  # columns of a model with all its experts, as mooe.auto.inputs has it
LABEL_HINT = "name the column to predict with --label (label=)"
EPOCHS = {"seconds": 1.0, "milliseconds": 1e3, "microseconds": 1e6, "nanoseconds": 1e9}
EARLIEST, LATEST = 631_152_000.0, 4_102_444_800.0  # seconds since 1970: 1990 and 2100
COMPACT = "%Y%m%d"
SHEET_DAYS = 32_874.0, 73_050.0  # the same as days of a spreadsheet
_IN_WORDS = re.compile(r"\d{1,2}\.? (?:de )?[^\W\d_]{3,10}\.? (?:de )?\d{4}\b.*")  # 1. März 2022
WIDTHS = {"number": 1, "time": 12}  # columns that an input has in a model


def unnamed(at: int) -> str:
    """Return what the column at a place is called where several have no name."""
    return f"column {at + 1}"


def layout_of(
    bare: Layout, rows: Sequence[Sequence[str]], texts: Iterable[str] = (), about: str = ""
) -> Layout:
    """Return the whole layout of a table that has its names and options, from its first rows.

    texts: columns that hold texts whatever their cells look like. about: what is to be said of how
    the table was opened.
    """
    source, names, options = bare.source, bare.names, bare.options
    _check_names(source, names, options)
    if not rows:
        raise StreamError(source, "have rows below its column names", 0)
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    label = options.label if options.labelled else None
    look = _Look(bare, columns, frozenset(texts))
    clock = look.clock()
    inputs = look.inputs(clock)
    about_label = label_facts(source, label, columns.get(label or "", ()), options, look.spellings)
    places = {name: at for at, name in enumerate(names)}
    of_kind = {
        kind: tuple(places[name] for name, its in inputs.items() if its == kind)
        for kind in ("number", "text", "time")
    }
    known = options.is_narrow
    time_kind: Kind = "time" if clock is None or look.dates.get(clock) is None else "date"
    moments = np.zeros(0) if clock is None else look.moments(clock)
    per_second = 0.0 if clock is None else EPOCHS.get(look.epoch(clock), 0.0)
    return replace(
        bare,
        numbers=of_kind["number"],
        texts=of_kind["text"],
        moments=of_kind["time"],
        label=None if label is None else places[label],
        time=None if clock is None else places[clock],
        time_kind=time_kind,
        first_time=float(moments[0]) / (per_second or 1.0) if len(moments) else 0.0,
        per_second=per_second,
        is_narrow=look.n_columns(inputs) <= NARROW if known is None else known,
        spellings=tuple(look.spelling(name) for name in names),
        remarks=tuple(look.remarks(inputs, clock, about)),
        has_thousands=look.has_thousands,
        kept=tuple(places[name] for name in options.keep),
        **about_label,
    )


class _Look:
    """A look at the first rows of a table: what its columns hold, and how it is written."""

    def __init__(
        self, bare: Layout, columns: dict[str, tuple[str, ...]], texts: frozenset[str]
    ) -> None:
        self.source, self.options, self.columns = bare.source, bare.options, columns
        self.is_european = bare.delimiter in ";\t"
        options, like = bare.options, bare.options.plain_spelling
        self.known = None if options.inputs is None else dict(options.inputs)
        label = options.label if options.labelled else None
        unread = {*options.drop, *(() if options.labelled else (options.label,))}
        if self.known is not None and not options.labelled:
            unread |= {name for name in columns if name not in (*self.known, options.time)}
        if self.known is None:  # what stands behind the last sign of each line
            nothing = frozenset(MISSING)
            unread |= {
                name
                for at, (name, cells) in enumerate(columns.items())
                if name in ("", unnamed(at)) and nothing.issuperset(cells)
            }
        self.read = [name for name in columns if name not in unread]
        # How a column could be read as numbers; a column that is a text by its type, not at all.
        self.cells = {name: set(columns[name]) for name in self.read}
        self.ways: dict[str, list[Spelling]] = {}
        self.has_thousands = False  # which one of the columns shows by itself
        units = options.usual.units
        self.bases = {
            name: replace(like, has_truth=name != label, unit=units.get(name, ""))
            for name in self.read
        }
        if label is not None:  # of a model that goes on, 01 and 1 may be one class
            has_zeros = options.label_kind == "number"
            self.bases[label] = replace(self.bases[label], has_zeros=has_zeros)
        named = (label, options.time)
        self.codes = {
            name
            for name in self.read
            if self.known is None and name not in (*named, *texts) and are_codes(self.cells[name])
        }
        self.are_texts = texts = texts | self.codes  # that are not to be warned of
        for name, own in self.bases.items():
            is_text = name in texts or self._is_noted(name, "text")
            is_time = name == options.time and options.date_format is not None
            is_time = is_time or self._is_noted(name, "time") or are_months(self.cells[name])
            is_none = is_text or is_time
            ways = [] if is_none else number_spellings(self.cells[name], own)
            decimal = options.decimal
            is_open = decimal is None and self.known is None and len(ways) == len(DECIMALS)
            if is_open:
                shown = [way for way in ways if sets_thousands_apart(self.cells[name], way)]
                self.has_thousands |= bool(shown)
                decimal = shown[0].decimal if shown else None
            elif decimal is None and len(ways) == len(DECIMALS):
                decimal = options.usual.decimals.get(name)
            self.ways[name] = [way for way in ways if decimal in (None, way.decimal)]
        self.decimal = options.decimal or self._decimal()
        self.spellings = {name: self._number_spelling(name) for name in self.read}
        self.dates = {
            name: self._date_format(name, like)
            for name in self.read
            if not self.ways[name] and name not in texts and name != label
        }

    def _is_noted(self, name: str, kind: InputKind) -> bool:
        return self.known is not None and self.known.get(name) == kind

    def _is_dated(self, name: str) -> bool:
        return self.dates.get(name) is not None

    def _decimal(self) -> str:
        """Return the decimal sign of columns that could have either."""
        sure = [ways[0].decimal for ways in self.ways.values() if len(ways) == 1]
        n_points, n_commas = (sure.count(decimal) for decimal in DECIMALS)
        if n_points != n_commas:
            return "." if n_points > n_commas else ","
        loose = [name for name, ways in self.ways.items() if len(ways) == len(DECIMALS)]
        has_comma = any("," in cell for name in loose for cell in self.cells[name])
        return "," if self.is_european and (has_comma or n_commas) else self.options.usual.decimal

    def _number_spelling(self, name: str) -> Spelling:
        """Return how a column's numbers are written; as far as is known where it holds none."""
        ways = self.ways[name] or [replace(self.bases[name], decimal=self.decimal)]
        own = next((way for way in ways if way.decimal == self.decimal), ways[0])
        return replace(own, is_plain=are_plain(self.cells[name], own.decimal))

    def _date_format(self, name: str, like: Spelling) -> str | None:
        """Return how a column's times are written, None where it holds none."""
        options, is_named = self.options, name == self.options.time
        if self._is_noted(name, "text"):
            return None
        least = 0.0 if is_named or self._is_noted(name, "time") else LEAST_TIMES
        if options.date_format is not None:
            own = replace(like, date_format=options.date_format)
            cells = [cell for cell in self.columns[name] if not like.is_missing(cell)]
            good = sum(_reads(own, cell) for cell in cells)
            return options.date_format if good and good >= least * len(cells) else None
        return date_format_of(self.columns[name], least, like, options.usual.date_format)

    def spelling(self, name: str) -> Spelling:
        """Return how a column is written, one that is not read too."""
        own = self.spellings.get(name, self.options.plain_spelling)
        return replace(own, date_format=self.dates.get(name))

    def clock(self) -> str | None:
        """Return the column of times: that which is named, or else the first that holds dates."""
        named = self.options.time
        if named is not None:
            is_clock = bool(self.ways[named]) or self.dates.get(named) is not None
            return named if is_clock else None
        if not self.options.labelled:
            return None
        dated = list(filter(self._is_dated, self.dates))
        if self.known is not None:  # a model goes on, with the clock that it had
            dated = [name for name in dated if name == self.options.usual.clock]
        return next(iter(dated), None)

    def moments(self, clock: str) -> np.ndarray:
        """Return the times that can be read."""
        kind: Kind = "time" if self.dates.get(clock) is None else "date"
        times = numbers_of(self.columns[clock], kind, self.spelling(clock))[0]
        known: np.ndarray = times[~np.isnan(times)]
        return known

    def epoch(self, name: str) -> str:
        """Return what the numbers of a column count since 1970, '' where they may be others."""
        if not self.ways.get(name):
            return ""
        numbers = self.moments(name)
        for unit, per_second in EPOCHS.items():
            seconds = numbers / per_second
            if len(numbers) and seconds.min() >= EARLIEST and seconds.max() < LATEST:
                return unit
        return ""

    def inputs(self, clock: str | None) -> dict[str, InputKind]:
        """Return the input columns and what they hold; times are left out, or become a calendar."""
        if self.known is not None:
            absent = [name for name in self.known if name not in self.columns]
            if absent:
                hint = nearest(absent[0], self.columns)
                hint = hint or f"the columns are: {some_of(list(self.columns))}"
                raise StreamError(self.source, f"have the column {absent[0]!r}", None, hint)
            return {name: self.known[name] for name in self.columns if name in self.known}
        inputs: dict[str, InputKind] = {}
        for name in self.read:
            if name == self.options.label or name in self.options.keep:
                continue
            if self._is_dated(name):
                if self.options.calendar:
                    inputs[name] = "time"
            elif name not in (clock, self.options.time):
                if self.ways[name]:
                    inputs[name] = "number"
                elif not self.is_identifier(name):
                    inputs[name] = "text"
        if not inputs:
            rule = "have an input column beside label, time and dropped ones"
            has_dates = any(map(self._is_dated, self.dates))
            hint = "times become inputs with --calendar (calendar=True)" if has_dates else ""
            raise StreamError(self.source, rule, 0, hint)
        return inputs

    def n_columns(self, inputs: Mapping[str, InputKind]) -> int:
        """Return how many columns of numbers the first rows need."""
        values = {name: self.cells[name] for name, kind in inputs.items() if kind == "text"}
        of_texts = sum(map(len, values.values())) + len(values)
        return of_texts + sum(WIDTHS.get(kind, 0) for kind in inputs.values())

    def is_identifier(self, name: str) -> bool:
        """Whether a column of texts has another one in every row, which tells nothing."""
        return len(self.cells[name]) == len(self.columns[name]) >= LEAST_ROWS

    # What a user should know

    def remarks(
        self, inputs: Mapping[str, InputKind], clock: str | None, about: str
    ) -> Iterator[str]:
        """Yield what was decided that a user may not expect, a line each."""
        used = {*inputs, self.options.label, clock}
        numeric = [name for name in self.read if self.ways[name] and name in used]
        ways = [about] if about else []
        ways += self._number_forms(numeric)
        for name, way in self.dates.items():
            if way and name in used and self.options.date_format is None:
                cell = next(c for c in self.columns[name] if not self.spelling(name).is_missing(c))
                ways.append(f"times as {cell.strip()!r} ({way})")
        dashes = {
            cell.strip() for name in numeric for cell in self.cells[name] if cell.strip() in DASHES
        }
        if dashes:
            ways.append(f"{listed_cells(sorted(dashes))} as no value")
        if ways:
            yield f"{self.source} is read with {', '.join(ways)}"
        label = self.options.label
        if label in self.read and self.ways[label] and not self.spellings[label].has_zeros:
            codes = sorted(filter(begins_with_zero, self.cells[label]))
            if codes and self.options.task != "regression":
                yield f"{label!r} is taken as texts, not as numbers: {codes[0].strip()!r} is a code"
        for name in (name for name in inputs if name in self.codes):
            code = min(self.cells[name])
            yield f"{name!r} is taken as texts, not as numbers: {code.strip()!r} is a code"
        yield from self._left_out(inputs, clock)
        for name, kind in inputs.items():
            if kind == "text" and self.known is None:
                yield from self._looks_numeric(name)
                yield from self._looks_dated(name)

    def _number_forms(self, numeric: Sequence[str]) -> Iterator[str]:
        """Yield how the numbers of some columns are written, as far as it is unusual."""
        ways = [
            (way, cell)
            for name in numeric
            if not (way := self.spellings[name]).is_plain or way.decimal == ","
            for cell in self.columns[name]
            if not way.is_missing(cell)
        ]
        commas = [cell for way, cell in ways if way.decimal == "," and "," in cell]
        if commas and self.options.decimal is None:
            yield f"decimal commas as in {listed_cells(commas, 1)}"
        odd = {pair for pair in ways if not (pair[0].is_plain or pair[0].unit == CLOCK)}
        grouped = [cell for way, cell in odd if way.has_thousands(cell)]
        if grouped:
            yield f"thousands as in {listed_cells([min(grouped)], 1)}"
        minus = [cell for way, cell in odd if cell.strip()[-1:] in ("-", ")")]
        if minus:
            yield f"{listed_cells([min(minus)], 1)} as minus"
        units = {way.unit for way, _ in ways if way.unit}
        if units - {CLOCK}:
            yield f"{listed_cells(sorted(units - {CLOCK}))} left away from numbers"
        if CLOCK in units:
            cell = next(cell for way, cell in ways if way.unit == CLOCK)
            yield f"{listed_cells([cell])} in seconds"

    def _left_out(self, inputs: Mapping[str, InputKind], clock: str | None) -> Iterator[str]:
        """Yield which columns are no inputs that the user did not name."""
        named = self.options.time
        if named is not None and clock is None:
            cell = self.columns[named][0][:80]
            yield (
                f"{named!r} holds no times that can be read, such as {cell!r}: there is no clock; "
                "--date-format (date_format=) says how they are written"
            )
        if clock is not None and named is None:
            words = ", and no input; --calendar makes hour, weekday and season of times inputs"
            yield f"{clock!r} is the clock{'' if self.options.calendar else words}"
        if clock is not None and clock == named and self.ways[clock]:
            yield from self._numbers_as_times(clock)
        if self.known is not None:
            return
        form = self.options.date_format
        if form is not None and named is None and not any(map(self._is_dated, self.dates)):
            yield f"warning: no column holds times written as --date-format {form!r} says"
        dated = [name for name in self.dates if self._is_dated(name) and name != clock]
        if dated and not self.options.calendar:
            how = "calendar=True" if self.options.is_frame else "--calendar (calendar=True)"
            words = f"{how} makes their hour, weekday and season inputs"
            yield f"{some_of(dated)}: times are no inputs and are left out; {words}"
        same = [
            name
            for name in self.read
            if name not in inputs and name not in (clock, named, self.options.label)
        ]
        same = [name for name in same if name not in (*dated, *self.options.keep)]
        odd = {name: line for name in same for line in self._looks_numeric(name, is_left_out=True)}
        same = [name for name in same if name not in odd]
        if same:
            yield f"{some_of(same)}: another text in every row, left out"
        yield from odd.values()

    def _numbers_as_times(self, clock: str) -> Iterator[str]:
        """Yield how the numbers of the clock are taken where they may be dates."""
        unit, numbers = self.epoch(clock), self.moments(clock)
        if unit:
            yield f"{clock!r} is read as {unit} since 1970"
            return
        cell = next(
            cell for cell in self.columns[clock] if not self.spelling(clock).is_missing(cell)
        )
        taken = f"{clock!r} is taken as numbers, though {cell.strip()!r} could be a"
        given = {cell.strip() for cell in self.cells[clock]}.difference(MISSING)
        days = Spelling(date_format=COMPACT)
        if all(len(text) == 8 and _reads(days, text) for text in given):
            yield f"{taken} date; --date-format {COMPACT} (date_format=) reads it so"
        elif len(numbers) and SHEET_DAYS[0] <= numbers.min() and numbers.max() < SHEET_DAYS[1]:
            yield f"{taken} spreadsheet's date; saved as texts such as 2024-01-31 they are dates"

    def _looks_numeric(self, name: str, is_left_out: bool = False) -> Iterator[str]:
        """Yield a warning of a column that is taken for texts and looks like numbers."""
        if name in self.are_texts:
            return
        spelling = self.spellings[name]
        texts = [cell for cell in self.cells[name] if not spelling.is_missing(cell, is_text=True)]
        like = replace(spelling, unit=unit_of(texts))
        odd = sorted(cell for cell in texts if not number_spellings([cell], like))
        numeric = sorted(set(texts) - set(odd))
        if numeric and 2 * len(numeric) >= len(texts):
            is_frame = self.options.is_frame
            why = "some with a decimal point and some with a comma"
            how = "replace the commas" if is_frame else "--decimal says which"
            if len({unit_of([cell]) for cell in texts}) > 1:
                why, how = (
                    f"some with {like.unit!r} and some without",
                    "beside all of them it is read",
                )
            if odd:
                why, cell = f"but {listed_cells(odd, 2)}", repr(odd[0].strip())
                how = f"--na {cell} takes that as no value"
                if is_frame:
                    how = f"frame[{name!r}].replace({cell}, None) makes that no value"
            fate = "left out, another text in every row" if is_left_out else "taken as texts"
            yield (
                f"{'' if is_frame else 'warning: '}{name!r} is {fate}, though "
                f"{len(numeric):,} of its {len(texts):,} values look like numbers, such as "
                f"{numeric[0].strip()!r}, {why}; {how}"
            )

    def _looks_dated(self, name: str) -> Iterator[str]:
        """Yield a warning of a column that is taken for texts and looks like dates."""
        texts = sorted(self.cells[name].difference(MISSING))
        are_dates = bool(texts) and all(_IN_WORDS.fullmatch(text.strip()) for text in texts)
        if self.options.is_frame or not are_dates:
            return
        yield (
            f"warning: {name!r} is taken as texts, though {texts[0].strip()!r} looks like a date; "
            "months in digits, as 2024-01-31, are read"
        )


def _reads(spelling: Spelling, cell: str) -> bool:
    try:
        spelling.seconds(cell)
    except ValueError:
        return False
    return True


def label_facts(
    source: str,
    label: str | None,
    cells: Sequence[str],
    options: Options,
    spellings: Mapping[str, Spelling] | None = None,
) -> dict[str, Any]:
    """Return what a layout says of its labels, from the cells of the first rows.

    They are whole numbers (written without a point), numbers, or texts; texts may be asked for, and
    numbers where the cells are all empty. Codes such as 01 are texts. `open_stream` says what makes
    the task.
    """
    spelling = (spellings or {}).get(label or "") or replace(
        options.plain_spelling, has_truth=False
    )
    cells = [cell for cell in cells if not spelling.is_missing(cell, is_text=True)]
    asked, task = options.label_kind, options.task
    kind: Kind = "real"
    if asked == "text" or not spelling.reads(set(cells)) or not (cells or asked):
        kind = "text"
    elif cells and all(map(is_whole, cells)):
        are_codes = not spelling.has_zeros and any(map(begins_with_zero, set(cells)))
        kind = "text" if are_codes and task != "regression" else "whole"
    if task == "regression":
        odd = next((cell for cell in cells if not spelling.reads([cell])), None)
        if odd is not None:
            name = f"label {label!r} of {source}"
            raise StreamError(name, "be a number for regression", odd[:80])
    elif task == "auto":
        values = set() if kind == "text" else set(map(spelling.number, set(cells)))
        values = {value for value in values if value == value}
        few = len(values) <= MOST_TEXTS and all(value.is_integer() for value in values)
        task = "classification" if few else "regression"
    elif task != "classification":
        raise StreamError("task", "be 'auto', 'classification' or 'regression'", task)
    if kind == "real" and asked is None and task == "classification":
        has_dashes = any(cell.strip() in DASHES for cell in cells)
        kind = (
            "text" if has_dashes or spelling.unit else kind
        )  # which among classes mean themselves
    return {
        "task": task,
        "label_kind": "real" if task == "regression" else kind,
        "has_labels": label is not None and bool(asked or cells),
    }


def _check_names(source: str, names: tuple[str, ...], options: Options) -> None:
    """Raise unless the column names are distinct and hold those that the options speak of."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            hint = "rename one of them in its first line"
            raise StreamError(f"columns of {source}", "have different names", name, hint)
        seen.add(name)
    if options.label is None and options.labelled:
        hint = f"{LABEL_HINT}; the columns are: {some_of(names)}"
        raise StreamError("label", f"be a column of {source}", None, hint)
    asked = [("time", options.time), *(("drop", name) for name in options.drop)]
    asked += [("keep", name) for name in options.keep]
    if options.labelled:
        asked.insert(0, ("label", options.label))
    for what, column in asked:
        if column is not None and column not in seen:
            hint = nearest(column, names) or f"the columns are: {some_of(names)}"
            parts = [part.strip() for part in column.split(",")]
            if what == "drop" and len(parts) > 1 and set(parts) <= seen:
                hint = f"one column each: {' '.join(f'--drop {part!r}' for part in parts)}"
            elif any(map(_is_number, names)):
                hint += "; has the first row no names?"
            raise StreamError(what, f"be a column of {source}", column, hint)
    asked = [(what, column) for what, column in asked if what != "keep"]
    taken = [column for _, column in asked if column is not None]
    for column in taken:
        if taken.count(column) > 1:
            raise StreamError("label, time and drop", "be different columns", column)


def _is_number(cell: str) -> bool:
    return Spelling().reads([cell])
