"""What came out of a run, and its files: results.json, windows.csv, predictions.csv."""

import csv
import io
import json
import os
import platform
import secrets
import sys
from collections import Counter
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from mooe.evaluate.measures import MEASURES, main_measure

MOST_INPUTS = 1_000  # whose names are kept


@dataclass(frozen=True)
class Moment:
    """Who weighed how much at a row."""

    row: int  # the row of the stream that came last
    names: tuple[int, ...]  # the intervals of the offline experts
    weights: tuple[float, ...]  # theirs, then that of the online expert
    # First and last row that each offline expert was fitted on; rows from before the stream, of a
    # model that goes on, are counted back from -1.
    spans: tuple[tuple[int, int], ...]


@dataclass(repr=False)
class Results:
    """What came out of a run; `plot`, `report` and `to_frame` show it.

    Attributes
    ----------
    model, stream, task : str
    rows, features : int
    unanswered : int
        Rows that no answer was possible to, because no label had come yet; they are among the
        `rows` and in no measure. In regression all rows without an answer.
    judged : int
        Rows that the measures are over: those with a label, but for the unanswered.
    classes : list
        In the order of appearance.
    label, unit : str
        The name of what is predicted and, in regression, its unit, where they are known.
    inputs : list of str
        The names of the columns that it is predicted from, where they have names; the first 1,000.
    cumulative : dict
        Measures over all rows that are judged.
    windows : list of dict
        The same for each window, with `row`, the number of its last row + 1, and `rows`, how many
        it has: the last one may be short.
    rare : dict
        Of the class that is rare, or was named: `class`, its `rows` among those judged, `share` of
        all labels, `alarms` (answers that name it), `hits` among them, and the precision-recall
        `curve` of its probabilities, points of recall, precision and threshold. {} without any.
    costs : dict
        Where a threshold goes by costs: those of a `false_alarm` and of a `miss`, how many there
        were (`false_alarms`, `misses`), and of which `class`. Their sum is the measure `cost`.
    far : dict
        In regression, of the few rows whose label is far from all others, see
        `mooe.evaluate.error_sizes.ErrorSizes.far`. {} where there are none.
    weight_of_labels : float
        Of classification, the share of the weight that experts had in the end who see no input,
        only the labels before, where that is more than half, and so are the right answers, more
        than by naming the most frequent class; else 0.
    fits : list of int
        Of a model that is fitted anew along the stream, how many labels each fit was on.
    seconds : float
        In the learner; reading the stream and counting are not in it.
    memory : int
        Largest resident size of the process, bytes; 0 where the system does not tell, as Windows.
    moments : list of Moment
        The learner's memory along the stream, where it can be looked at.
    remembers : {"", "intervals", "regimes"}
        What the learner keeps of the past: nothing that can be told, paper mode's intervals, or
        the default model's regimes.
    concepts : list of dict
        The regimes with a name that the learner knew at the end, by name, as in
        `mooe.explanation.Concept`. `first`, `last` and `visits` are rows of the stream, those from
        before it counted back from -1; where labels come out of order, each stands for the newest
        row with a label by then. All visits of a run that was watched, the latest of others.
    regrets : list of dict
        Per interval, on request: `interval`, `rows`, the regrets `meta`, `experts`, `online` and
        `mixture` (the paper's ME, KE, OE and MOOE), and `bound`, the corrected Theorem 2.
    predictions : array or None
        What was answered to each row, on request: labels as the stream has them, None for no
        answer (dtype object); in regression values, NaN for no answer.
    others : list of Results
        Of models that went over the same rows to compare with; not in the file.
    without_memory : Results or None
        Of the same model without its memory, on the same rows, where it was watched; not in the
        file.
    probabilities : array or None
        Of classification, with `predictions`: those of the classes, in the order of `classes`; of a
        class that was not met yet none, so that there may be fewer columns.
    times : list of (int, float)
        Where rows have dates: rows of the stream, ascending, and their times in seconds since 1970;
        among them all rows that windows, moments and regimes speak of. See `mooe.evaluate.dates`.
    interrupted : bool
        Whether the run was ended before the stream was.
    origin : dict
        What the numbers depend on: versions, machine, hash of the data.
    """

    model: str
    stream: str
    task: str
    window: int
    seed: int
    rows: int = 0
    features: int = 0
    classes: list[Any] = field(default_factory=list)
    cumulative: dict[str, float] = field(default_factory=dict)
    windows: list[dict[str, float]] = field(default_factory=list)
    unanswered: int = 0
    judged: int = 0
    label: str = ""
    unit: str = ""
    inputs: list[str] = field(default_factory=list)
    rare: dict[str, Any] = field(default_factory=dict)
    costs: dict[str, Any] = field(default_factory=dict)
    far: dict[str, Any] = field(default_factory=dict)
    weight_of_labels: float = 0.0
    fits: list[int] = field(default_factory=list)
    seconds: float = 0.0
    memory: int = 0
    moments: list[Moment] = field(default_factory=list)
    remembers: str = ""
    concepts: list[dict[str, Any]] = field(default_factory=list)
    regrets: list[dict[str, float]] = field(default_factory=list)
    predictions: np.ndarray | None = None
    others: "list[Results]" = field(default_factory=list)
    without_memory: "Results | None" = None
    probabilities: np.ndarray | None = None
    times: list[tuple[int, float]] = field(default_factory=list)
    interrupted: bool = False
    origin: dict[str, str] = field(default_factory=dict)

    @property
    def unlabelled(self) -> int:
        """Rows that were answered and whose label had not come when the stream ended."""
        return self.rows - self.judged - self.unanswered

    @property
    def rows_per_second(self) -> float:
        return self.rows / self.seconds if self.seconds else 0.0

    def summary(self) -> dict[str, Any]:
        """Return what a user is told first, by the names of the command's JSON."""
        asked = (measure.key for measure in MEASURES.values() if measure.in_every_json)
        return {
            "model": self.model,
            "stream": self.stream,
            "rows": self.rows,
            "unanswered": self.unanswered,
            "features": self.features,
            "classes": len(self.classes),
            **self.cumulative,
            **({"rare_class": self.rare["class"]} if self.rare else {}),
            **({"unit": self.unit} if self.unit else {}),
            **({"far_labels": self.far} if self.far else {}),
            **({"regimes": len(self.concepts)} if self.remembers == "regimes" else {}),
            **({"weight_of_labels": self.weight_of_labels} if self.weight_of_labels else {}),
            **({"fits": len(self.fits)} if self.fits else {}),
            "seconds": self.seconds,
            "rows_per_second": self.rows_per_second,
            "seed": self.seed,
            "version": version("mooe"),
            **{key: None for key in asked if key not in self.cumulative},
            "task": self.task,
            "interrupted": self.interrupted,
        }

    def __repr__(self) -> str:
        task, main = self.task, main_measure(self.task, self.unit)
        value = self.cumulative.get(main.key)
        said = "nothing to judge" if value is None else f"{main.name} {main.plain_text(value)}"
        return f"<Results of {self.model} on {self.stream}, {task} of {self.rows:,} rows: {said}>"

    def plot(self, *others: "Results", measure: str | None = None, **options: Any) -> Any:
        """Draw a measure along the stream, or precision and recall where a class is rare.

        Parameters
        ----------
        others : Results
            Of other models on the same rows, drawn beside; no-change and majority (the mean) are.
        measure : str, optional
            One of `mooe.plots.MEASURES`; it is drawn along the stream.
        options
            Of `mooe.plots.plot_windowed_results` or `plot_precision_recall`, such as theme="dark".

        Returns
        -------
        fig, ax
        """
        from mooe import plots

        everyone = told_apart([self, *others, *self.others])
        if self.rare and measure is None:
            return plots.plot_precision_recall(*everyone, **options)
        if self.far and measure is None:
            measure = "median_error"  # which labels far from all others do not swamp
        return plots.plot_windowed_results(*everyone, measure=measure, **options)

    def report(self, folder: str | Path, *others: "Results", title: str | None = None) -> Path:
        """Write a report, and the results as files, into a folder; return its page.

        Parameters
        ----------
        folder : path
            Made if there is none.
        others : Results
            Of other models on the same rows, to compare with.
        title : str, optional
            By default model and stream.
        """
        from mooe.report import write_report

        save(self, folder)
        everyone = told_apart([self, *others, *self.others])
        return write_report(folder, everyone, self.without_memory, title)

    def to_frame(self) -> Any:
        """Return the measures of the windows as a pandas data frame, a line for each.

        `metrics_per_window` gives the same without pandas.
        """
        import pandas

        return pandas.DataFrame(self.metrics_per_window())

    def metrics_per_window(self) -> dict[str, list[float]]:
        """Return the measures of the windows as columns, ready for a data frame."""
        names = list(dict.fromkeys(name for window in self.windows for name in window))
        return {name: [window.get(name, np.nan) for window in self.windows] for name in names}


def told_apart(results: list[Results]) -> list[Results]:
    """Return results of models that have different names: a second "mooe" is "mooe (2)"."""
    seen, out = Counter[str](), []
    for run in results:
        seen[run.model] += 1
        n = seen[run.model]
        out.append(run if n == 1 else replace(run, model=f"{run.model} ({n})"))
    return out


@cache  # to look versions up takes as long as to learn 10,000 rows
def _surroundings() -> dict[str, str]:
    """Return versions and machine."""
    return {
        **{name: version(name) for name in ("mooe", "numpy", "numba", "scikit-learn")},
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
    }


def origin(**more: str) -> dict[str, str]:
    """Return what results depend on beside the seed: versions, machine, and `more`."""
    return {**_surroundings(), **more}


def peak_memory() -> int:
    """Return the largest resident size of this process in bytes, 0 where the system has no word."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def save(results: Results, folder: str | Path) -> Path:
    """Write the files of a run into a folder, and return it."""
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        rule = f"folder must be one that can be written, got {str(folder)!r}: {error.strerror}"
        raise type(error)(rule) from error
    kept = {f.name: getattr(results, f.name) for f in fields(results)}
    predictions = kept.pop("predictions")
    for name in ("others", "without_memory", "probabilities"):
        del kept[name]
    for name in ("fits", "weight_of_labels"):  # which few runs have
        if not kept[name]:
            del kept[name]
    kept["moments"] = [asdict(moment) for moment in results.moments]
    text = json.dumps(kept, sort_keys=True, indent=1, default=lambda value: value.item())
    put(folder / "results.json", f"{text}\n".encode())
    columns: dict[str, list[Any]] = dict(results.metrics_per_window())
    if results.times:
        dates = {row: datetime.fromtimestamp(time, UTC) for row, time in results.times}
        ends = [dates[int(window["row"]) - 1] for window in results.windows]
        columns["date"] = [f"{date:%Y-%m-%dT%H:%M:%S}" for date in ends]
    _write_table(folder / "windows.csv", list(columns), zip(*columns.values(), strict=True))
    if predictions is not None:
        answers = enumerate(predictions.tolist())
        _write_table(folder / "predictions.csv", ["row", "prediction"], answers)
    return folder


def _write_table(path: Path, header: list[str], rows: Any) -> None:
    """Write a CSV file."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows([header, *rows])
    put(path, text.getvalue().encode())


def put(path: Path, content: bytes) -> None:
    """Put a file in its place, whole or not at all; a link there is replaced, not followed."""
    beside = path.with_name(f".mooe-{os.getpid()}-{secrets.token_hex(4)}")
    try:
        beside.write_bytes(content)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def load(folder: str | Path) -> Results:
    """Return the results that were saved in a folder, without the predictions."""
    kept = json.loads((Path(folder) / "results.json").read_text())
    for moment in kept["moments"]:
        moment["spans"] = map(tuple, moment["spans"])
        moment.update((name, tuple(moment[name])) for name in ("names", "weights", "spans"))
    kept["times"] = [(row, time) for row, time in kept.get("times", ())]
    return Results(**{**kept, "moments": [Moment(**moment) for moment in kept["moments"]]})
