"""The streams of the paper's two figures, and their panels: a column per stream."""

from collections.abc import Callable, Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mooe.plots import style
from mooe_paper.estimate import Estimate
from mooe_paper.experiment import Experiment, Record, Records, ResultTable, unique
from mooe_paper.intervals.last_interval import AUTHORS, SOURCES
from mooe_paper.unknowns import SWEEPS, WORDS

OURS = ("MOOE", "OGD restarted", "OGD warm")
LABELS = {  # of a model in a record: what its line is called
    "MOOE": "MOOE",
    "OGD restarted": "OGD restarted (authors' code: at random)",
    "OGD warm": "OGD warm (goes on)",
    "blank, authors": "MOOE with offline experts that are zeros",
}
LINES = {AUTHORS[0]: "MOOE", AUTHORS[1]: "OGD restarted"}  # whose stroke the authors' models take
COLUMNS = (
    ("synthetic", "synthetic"),
    ("ijcnn-drift", "ijcnn-drift-leaking"),
    ("cod-rna-drift", "cod-rna-drift-leaking"),
)
Draw = Callable[[Axes, Record, tuple[str, ...], dict[str, dict[str, Any]]], None]


def stream_experiments(function: Callable[..., Record], quick: bool) -> list[Experiment]:
    """Return an experiment per stream; quick: the synthetic one alone, with few seeds."""
    if quick:
        return [Experiment("synthetic", function, {"stream": "synthetic", "n_seeds": 5}, cost=4.0)]
    return [
        Experiment(
            name,
            function,
            {"stream": name, "n_seeds": 10 if source.needs else 30},
            source.needs,
            20.0,
        )
        for name, source in SOURCES.items()
    ]


def setting_experiments(function: Callable[..., Record], quick: bool) -> list[Experiment]:
    """Return an experiment per stream and setting other than our default, with fewer seeds.

    quick: the second setting on the synthetic stream alone.
    """
    streams = ["synthetic"] if quick else list(SOURCES)
    settings = list(SWEEPS["mooe-paper"])[1 : 2 if quick else None]
    return [
        Experiment(
            f"{name} with {setting}",
            function,
            {
                "stream": name,
                "setting": setting,
                "n_seeds": 2 if quick else 5 if SOURCES[name].needs else 10,
            },
            SOURCES[name].needs,
            4.0,
        )
        for name in streams
        for setting in settings
    ]


def setting_table(
    records: Records, title: str, cells: Mapping[str, Callable[[Record], str]], note: str
) -> ResultTable:
    """Return a line for each stream and kind of cell, a column for each setting.

    `cells` turn a record, of our default or of a setting, into text, by what the line is called.
    """
    settings = list(SWEEPS["mooe-paper"])
    names = {settings[0]: "{}"} | {setting: f"{{}} with {setting}" for setting in settings[1:]}
    tried = [
        setting
        for setting, name in names.items()
        if any(known(records, name.format(stream)) for stream in SOURCES)
    ]
    rows: list[list[Any]] = []
    for stream in stream_records(records):
        for label, cell in cells.items():
            found = [known(records, names[setting].format(stream)) for setting in tried]
            texts = ["" if record is None else cell(record) for record in found]
            rows.append([SOURCES[stream].title, label, *texts])
    seeds = unique(
        record["n_seeds"]
        for stream in SOURCES
        for setting in settings[1:]
        if (record := known(records, names[setting].format(stream)))
    )
    few = " or ".join(str(n) for n in seeds) or "no"
    text = (
        f"{note} Both have the setting, OGD is MOOE's online expert in the same ball. Unknown, and "
        f"swept: {WORDS['mooe-paper']}. Other settings than {settings[0]} have {few} seeds."
    )
    return ResultTable(title, ["stream", "against", *tried], rows, text)


def stream_records(records: Records) -> Records:
    """Return the records of the streams that are not missing."""
    return {name: record for name in SOURCES if (record := known(records, name))}


def seeds_text(records: Records) -> str:
    """Return how many seeds each stream has, in words."""
    return ", ".join(
        f"{SOURCES[name].title} {record['n_seeds']}" for name, record in records.items()
    )


def known(records: Records, name: str) -> Record | None:
    """Return a record, None where there is none or its stream is missing."""
    record = records.get(name)
    return None if record is None or "missing" in record else record


def draw_grid(
    records: Records,
    theme: str,
    draw: Draw,
    authors: tuple[str, ...],
    labels: tuple[str, str],
    caption: str,
) -> Figure | None:
    """Return the figure: the paper's algorithm, the same where the stream leaks, authors' code.

    `draw(axes, record, models, strokes)` fills a panel; `authors` are the models of the last row;
    `labels` are those of the upward axes, of ours and of the authors' row.
    """
    columns = [pair for pair in COLUMNS if known(records, pair[0]) or known(records, pair[1])]
    if not columns:
        return None
    rows = ["paper", "leaking", "authors"] if len(columns) > 1 else ["paper", "authors"]
    with style.themed(theme) as colours:
        figure = style.sheet(Figure(), 2.35 * len(rows) + 0.35)
        axes = figure.subplots(len(rows), len(columns), squeeze=False)
        strokes = strokes_of(colours)
        for row, line in zip(rows, axes, strict=True):
            label = labels[row == "authors"]
            for ax, (clean, leaking) in zip(line, columns, strict=True):
                name = clean if row == "paper" else leaking
                record = known(records, name)
                if (row == "leaking" and name == clean) or record is None:
                    ax.axis("off")
                    continue
                draw(ax, record, authors if row == "authors" else OURS, strokes)
                ax.grid(axis="y")
                ax.set_title(_panel_title(row, clean))
                ax.set_ylabel(label)
                label = ""  # once in a row
                if row == "authors" or (row == "paper" and name == leaking):
                    ax.set_xlabel("row in the last interval")
        handles: dict[str, Any] = {}
        for ax in axes.flat:
            lines, names = ax.get_legend_handles_labels()
            handles |= dict(zip(names, lines, strict=True))
        figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=2)
        figure.set_label(caption)
    return figure


def strokes_of(theme: style.Theme) -> dict[str, dict[str, Any]]:
    """Return how each model's line is drawn and what it is called."""
    made = style.strokes(theme, list(LABELS))
    strokes = dict(zip(LABELS, made, strict=True))
    strokes |= {name: strokes[like] for name, like in LINES.items()}
    for name, stroke in strokes.items():
        stroke["label"] = LABELS[LINES.get(name, name)]
    return strokes


def _panel_title(row: str, clean: str) -> str:
    """Return the title of a panel."""
    stream = clean.removesuffix("-drift")
    return {
        "paper": stream,
        "leaking": f"{stream}, leaking",
        "authors": f"{stream}, authors' code",
    }[row]


def band(ax: Axes, x: Any, curve: list[Estimate], stroke: dict[str, Any], every: int) -> None:
    """In place: a line of means and the band of their 95 % intervals."""
    mean, low, high = zip(*curve, strict=True)
    ax.plot(x, mean, markevery=every, **stroke)
    ax.fill_between(x, low, high, color=stroke["color"], alpha=0.14, linewidth=0)
