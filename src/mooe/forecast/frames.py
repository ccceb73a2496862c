"""Many series in one frame, each with a forecaster of its own; and the file of all of them."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
from safetensors import SafetensorError
from safetensors import numpy as safetensors

from mooe import modelfile
from mooe.forecast.forecaster import MOOEForecaster
from mooe.forecast.grid import Grid
from mooe.forecast.series import ID, TIME, Columns, Series, SeriesTable, frame_series
from mooe.modelfile import BROKEN, KEY, ModelFileError, digest, dump, read_header

KIND = "forecasters"
FORMAT = 1  # a version reads all up to its own
SHORT_TAIL, LONG_TAIL = 50, 2_000  # rows that a file keeps: two seasons, within these
MODEL = "MOOE"  # what a column of forecasts is called where one thing is forecast


@dataclass(frozen=True)
class Place:
    """Where a forecaster stands on its series, as its file keeps it.

    Attributes
    ----------
    name : str
        Of the series, '' where there is one.
    grid : Grid
    next : int
        The row of the grid that comes next.
    columns : Columns
        Of the table that the series came from.
    tail : list of list of float or None
        The last rows that were learnt, None where a value was missing: what those know that a
        forecaster is compared with.
    """

    name: str
    grid: Grid
    next: int
    columns: Columns
    tail: list[list[float | None]] = field(default_factory=list)

    @classmethod
    def after(
        cls, series: Series, columns: Columns, forecaster: MOOEForecaster, before: Any = None
    ) -> "Place":
        """Return where a forecaster stands that has learnt a series; `before`: rows before it."""
        known = series.values if before is None else np.concatenate([before, series.values])
        length = min(max(2 * max(forecaster.seasons_, default=0), SHORT_TAIL), LONG_TAIL)
        tail = [[None if v != v else v for v in row] for row in known[-length:].tolist()]
        return cls(series.name, series.grid, series.first + len(series.values), columns, tail)

    @property
    def before(self) -> np.ndarray:
        """The last rows that were learnt, (n, channels)."""
        shape = (len(self.tail), len(self.columns.targets))
        return np.array(self.tail, dtype=np.float64).reshape(shape)

    @classmethod
    def of(cls, forecaster: MOOEForecaster) -> "Place":
        """Return where a forecaster stands; ValueError where it keeps no word of it."""
        match forecaster.notes.get("series"):
            case {
                "name": str(name), "grid": grid, "next": int(row),
                "columns": dict(columns), "tail": list(tail),
            }:  # fmt: skip
                several = {key: tuple(columns.get(key, ())) for key in ("targets", "covariates")}
                known = Columns(**{**columns, **several})
                return cls(name, Grid.of(grid), row, known, tail)
        raise ValueError("forecaster must keep the times of its series, got one that has none")

    def note(self, forecaster: MOOEForecaster) -> None:
        """In place: keep this with a forecaster."""
        columns = {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in asdict(self.columns).items()
        }
        forecaster.notes["series"] = {
            "name": self.name,
            "grid": self.grid.noted(),
            "next": self.next,
            "columns": columns,
            "tail": self.tail,
        }


class FrameForecaster:
    """Forecasts of the series of a frame (`unique_id, ds, y`), each learnt by itself.

    Frames are of pandas, polars or pyarrow, and so are the forecasts.

    Parameters
    ----------
    horizon, season, levels, memory
        As of `MOOEForecaster`.
    time, target, id
        Columns of the frame, as `mooe.forecast.read_series` takes them; by default `ds`, `y` and
        `unique_id` where they are there.

    Attributes
    ----------
    forecasters_ : dict of str to MOOEForecaster
        By the names of the series.
    remarks_ : list of str
        What was done to the times of the latest frame, a line each.

    Examples
    --------
    >>> import pandas
    >>> days = pandas.date_range("2024-01-01", periods=60)
    >>> frame = pandas.DataFrame({"unique_id": "a", "ds": days, "y": np.arange(60.0) % 7})
    >>> model = FrameForecaster(horizon=7, levels=(80,)).update(frame)
    >>> model.predict(h=2).columns.tolist()
    ['unique_id', 'ds', 'MOOE', 'MOOE-lo-80', 'MOOE-hi-80']
    """

    def __init__(
        self,
        horizon: int = 24,
        season: Any = "auto",
        levels: Any = (80, 95),
        memory: bool = True,
        *,
        time: str | None = None,
        target: Sequence[str] = (),
        id: str | None = None,
    ) -> None:
        self.horizon, self.season, self.levels, self.memory = horizon, season, levels, memory
        self.time, self.target, self.id = time, target, id
        self.forecasters_: dict[str, MOOEForecaster] = {}
        self.remarks_: list[str] = []
        self._backend: Any = None

    def fit(self, frame: Any) -> "FrameForecaster":
        """Begin anew and learn a frame."""
        fresh = FrameForecaster(
            self.horizon, self.season, self.levels, self.memory,
            time=self.time, target=self.target, id=self.id,
        )  # fmt: skip
        fresh.update(frame)
        vars(self).update(vars(fresh))
        return self

    def update(self, frame: Any) -> "FrameForecaster":
        """Learn the rows of a frame, the first ones or more; a new series begins where it appears.

        Rows for times that have been learnt already are left out, and `remarks_` says so.
        """
        table = self._read(frame)
        learnt = {}
        for series in table.series:
            held = self.forecasters_.get(series.name)
            copy = self._fresh() if held is None else MOOEForecaster.from_bytes(held.to_bytes())
            if len(series.values):
                copy.update(series.values, at=series.times)
                before = None if held is None else Place.of(held).before
                Place.after(series, table.columns, copy, before).note(copy)
                learnt[series.name] = copy
        self.forecasters_ |= learnt  # all of them or, where one was refused, none
        self.remarks_ = table.remarks
        self._backend = nw.from_native(frame, eager_only=True).implementation
        return self

    def predict(self, h: int | None = None, level: Any = None) -> Any:
        """Return the forecast of the next h steps of every series as a frame, by default all.

        Columns are those of the frame, then `MOOE`, `MOOE-lo-80`, `MOOE-hi-80` and so on; where
        several columns are forecast, their names stand for MOOE. Times that named a zone are in
        UTC.
        """
        if not self.forecasters_:
            raise AttributeError(
                "the forecaster has not seen a frame yet: call update or fit first"
            )
        parts: dict[str, list[Any]] = {}
        for name, forecaster in self.forecasters_.items():
            place, made = Place.of(forecaster), forecaster.predict(h, level)
            rows = place.next + np.arange(len(made.mean))
            names = np.full(len(rows), name, dtype=object)
            column = {place.columns.id or ID: names} if name else {}
            column[place.columns.time or TIME] = _moments(place.grid, rows)
            targets = place.columns.targets
            for at, target in enumerate(targets):
                title = MODEL if len(targets) == 1 else target
                column[title] = made.mean[:, at]
                for one in made.lower:
                    column[f"{title}-lo-{one:g}"] = made.lower[one][:, at]
                    column[f"{title}-hi-{one:g}"] = made.upper[one][:, at]
            for title, values in column.items():
                parts.setdefault(title, []).append(values)
        whole = {title: np.concatenate(values) for title, values in parts.items()}
        return nw.from_dict(whole, backend=self._backend or "pandas").to_native()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all forecasters to a file, whole or not at all."""
        save_all(path, self.forecasters_)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "FrameForecaster":
        """Return the forecasters of a file."""
        held = load_all(path)
        first = next(iter(held.values()))
        columns = Place.of(first).columns
        one = cls(
            first.horizon, first.season, first.levels, first.memory,
            time=columns.time, target=columns.targets, id=columns.id,
        )  # fmt: skip
        one.forecasters_ = held
        return one

    def _fresh(self) -> MOOEForecaster:
        return MOOEForecaster(self.horizon, self.season, self.levels, self.memory)

    def _read(self, frame: Any) -> SeriesTable:
        """Return the series of a frame, those that are known on their grids."""
        return frame_series(frame, self.time, self.target, self.id, known_in(self.forecasters_))


def known_in(forecasters: Mapping[str, MOOEForecaster]) -> Any:
    """Return the function that tells where series go on, as `read_series` takes it."""

    def known(name: str) -> tuple[Grid, int] | None:
        if name not in forecasters:
            return None
        place = Place.of(forecasters[name])
        return place.grid, place.next

    return known


def save_all(path: str | os.PathLike[str], forecasters: Mapping[str, MOOEForecaster]) -> None:
    """Write forecasters to a file; one alone is written as `MOOEForecaster.save` does."""
    if not forecasters:
        raise ValueError(f"forecasters must have seen a row to be saved, got none for {path}")
    if list(forecasters) == [""]:
        forecasters[""].save(path)
        return
    blobs = [forecaster.to_bytes() for forecaster in forecasters.values()]
    tensors = {str(at): np.frombuffer(blob, np.uint8) for at, blob in enumerate(blobs)}
    text = dump({"format": FORMAT, "kind": KIND, "names": list(forecasters)})
    whole = dump({"header": text, "sha256": digest(text, tensors)})
    modelfile.write(path, bytes(safetensors.save(tensors, {KEY: whole})))


def load_all(path: str | os.PathLike[str]) -> dict[str, MOOEForecaster]:
    """Return the forecasters of a file by the names of their series; errors name the file."""
    try:
        return _all_of(Path(path).read_bytes())
    except ModelFileError as problem:
        raise ModelFileError(f"{os.fspath(path)}: {problem}") from problem


def _all_of(blob: bytes) -> dict[str, MOOEForecaster]:
    """Return the forecasters of a file's bytes, or raise ModelFileError."""
    text, promised = read_header(blob)
    try:
        header = json.loads(text)
        if header.get("kind") != KIND:
            return {"": MOOEForecaster.from_bytes(blob)}
        if header["format"] != FORMAT:
            rule = f"this mooe reads formats up to {FORMAT}: upgrade mooe"
            raise ModelFileError(f"the forecasters have format {header['format']!r}; {rule}")
        tensors = safetensors.load(blob)
        if digest(text, tensors) != promised:
            raise ModelFileError("its checksum does not match its content")
        names = header["names"]
        if sorted(tensors, key=int) != [str(at) for at in range(len(names))] or not names:
            raise ModelFileError("its names are not those of its forecasters")
        return {
            str(name): MOOEForecaster.from_bytes(tensors[str(at)].tobytes())
            for at, name in enumerate(names)
        }
    except ModelFileError:
        raise
    except (SafetensorError, *BROKEN) as problem:
        raise ModelFileError(f"the model file is damaged or cut short: {problem}") from problem


def _moments(grid: Grid, rows: np.ndarray) -> np.ndarray:
    """Return the times of rows as a column of a frame."""
    times = grid.times(rows)
    if not grid.has_dates:
        whole = times.astype(np.int64)
        return whole if (whole == times).all() else times
    return np.round(times * 1e6).astype(np.int64).astype("datetime64[us]")
