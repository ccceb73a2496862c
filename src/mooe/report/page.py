"""The page of a report and its files: HTML that needs no network and no script, and figures.

The page is light, dark and in print; the same results give the same bytes.
"""

import base64
import html
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from matplotlib.figure import Figure

from mooe.evaluate.results import put
from mooe.plots import THEMES, themed
from mooe.report.tables import Table, as_html, as_latex, as_markdown, html_text

METADATA: dict[str, dict[str, Any]] = {  # nothing of the day or the machine
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
DPI = 200  # of PNG files, and of the recall map's cells
PARTS = files(__package__)  # beside this module: style.css, page.html


def open_report(folder: str | Path, table: Table) -> Path:
    """Make the folder of a report if there is none, and write its table into it."""
    path = Path(folder)
    with _refusal(path):
        path.mkdir(parents=True, exist_ok=True)
    write(path / "table.md", as_markdown(table))
    write(path / "table.tex", as_latex(table))
    return path


def write(path: Path, content: str | bytes) -> None:
    """Write a file of the report; a link is replaced, not followed."""
    with _refusal(path.parent):
        put(path, content.encode() if isinstance(content, str) else content)


@contextmanager
def _refusal(folder: Path) -> Iterator[None]:
    """Turn an error of the file system into one of the same kind that names folder and rule."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        rule = f"folder must be one that can be written, got {str(folder)!r}: {reason}"
        raise type(error)(rule) from error


def write_page(
    folder: Path, title: str, under: str, blocks: Sequence[str], foot: dict[str, str]
) -> Path:
    """Write index.html and return its path; `blocks` are HTML, everything else is text."""
    facts = "".join(
        f"<dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd>" for name, value in foot.items()
    )
    filled = Template((PARTS / "page.html").read_text("utf-8")).substitute(
        title=html.escape(title),
        style=(PARTS / "style.css").read_text("utf-8"),
        under=html.escape(under),
        body="\n".join(blocks),
        facts=facts,
    )
    write(folder / "index.html", filled)
    return folder / "index.html"


def answer(question: str, sentences: Sequence[str]) -> str:
    """Write a question and its answer, the first sentence large."""
    first, rest = html_text(sentences[0]), html_text(" ".join(sentences[1:]))
    more = f"<p>{rest}</p>" if rest else ""
    return (
        f'<div class="answer"><h2>{html.escape(question)}</h2><p class="first">{first}</p>'
        f"{more}</div>"
    )


def tiles(facts: Sequence[tuple[str, str, str]]) -> str:
    """Write key figures: (what, number, unit) each."""
    boxes = "".join(
        f"<div><dt>{html.escape(what)}</dt><dd>{html.escape(number)} "
        f"<small>{html.escape(unit)}</small></dd></div>"
        for what, number, unit in facts
    )
    return f'<dl class="tiles">{boxes}</dl>'


def table_block(name: str, heading: str, table: Table, notes: Sequence[str]) -> str:
    """Write a section with a table and what is to be said of it."""
    said = f'<p class="note">{html.escape(" ".join(notes))}</p>' if notes else ""
    return (
        f'<section id="{name}"><h2>{html.escape(heading)}</h2>\n'
        f'<div class="wide">{as_html(table)}</div>\n{said}</section>'
    )


def figure_block(name: str, heading: str, caption: str, drawings: dict[str, bytes]) -> str:
    """Write a <figure> with an SVG for each theme, of which the style shows one."""
    images = "\n".join(
        f'<img class="{theme}" alt="{html.escape(f"{heading}. {caption}")}" '
        f'src="data:image/svg+xml;base64,{base64.b64encode(drawing).decode()}">'
        for theme, drawing in drawings.items()
    )
    links = ", ".join(f'<a href="{name}.{form}">{form.upper()}</a>' for form in METADATA)
    return (
        f'<figure id="{name}"><h2>{html.escape(heading)}</h2>\n{images}\n<figcaption>'
        f'{html.escape(caption)} <span class="files">{links}</span></figcaption></figure>'
    )


def draw(
    folder: Path, name: str, heading: str, caption: str, plot: Callable[..., Any], *args: Any,
    **kwargs: Any,
) -> str:  # fmt: skip
    """Draw with one of `mooe.plots` in every theme, write the files, return the <figure>."""
    drawings = {}
    for theme in THEMES:
        figure = Figure()
        plot(*args, **kwargs, theme=theme, figure=figure)
        figure.draw_without_rendering()
        figure.set_layout_engine("none")  # laid out once, not for every form
        drawings[theme] = keep(folder, name, theme, figure)
    return figure_block(name, heading, caption, drawings)


def keep(folder: Path, name: str, theme: str, figure: Figure) -> bytes:
    """Return a figure as SVG; the light one is written as PNG, SVG and PDF."""
    for form in METADATA if theme == "light" else ("svg",):
        content = io.BytesIO()
        with themed(theme):
            figure.savefig(content, format=form, dpi=DPI, metadata=METADATA[form])
        if theme == "light":
            write(folder / f"{name}.{form}", content.getvalue())
        if form == "svg":
            drawing = content.getvalue()
    return drawing
