"""The page of a report and its files: HTML that needs no network and no script, and figures.

The page is light, dark and in print; the same results give the same bytes.
"""

import html
import io
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.text import Text

from mooe.evaluate.results import put
from mooe.plots import PHONE, THEMES, WIDTH, themed
from mooe.report.tables import Table, as_html, as_latex, as_markdown, html_text
from mooe.words import visible

METADATA: dict[str, dict[str, Any]] = {  # nothing of the day or the machine
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
DPI = 200  # of PNG files, and of the recall map's cells
SIZES = {"page": WIDTH, "phone": PHONE}  # inches; the style shows one of them
FONT = "system-ui, 'DejaVu Sans', sans-serif"  # of the page, and of the figures in it
HINT = '<p class="hint">swipe sideways to see all of it →</p>\n'  # shown on a phone
LINE = 44  # characters of a table that a phone has room for
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
    """Write a file of the report; a link is replaced, not followed.

    In a text all letters are seen, whatever names and cells of the user's table hold.
    """
    with _refusal(path.parent):
        put(path, visible(content).encode() if isinstance(content, str) else content)


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


def cards(name: str, heading: str, told: Sequence[tuple[str, dict[str, str]]], said: str) -> str:
    """Write a section with a card for each thing: what it is called, and facts by name."""
    boxes = ""
    for title, facts in told:
        lines = "".join(
            f"<dt>{html.escape(what)}</dt><dd>{html_text(fact)}</dd>"
            for what, fact in facts.items()
        )
        boxes += f"<div><h3>{html.escape(title)}</h3><dl>{lines}</dl></div>\n"
    return (
        f'<section id="{name}"><h2>{html.escape(heading)}</h2>\n<div class="cards">{boxes}</div>\n'
        f'<p class="note">{html.escape(said)}</p></section>'
    )


def table_block(name: str, heading: str, table: Table, notes: Sequence[str]) -> str:
    """Write a section with a table and what is to be said of it."""
    said = f'<p class="note">{html.escape(" ".join(notes))}</p>' if notes else ""
    return (
        f'<section id="{name}"><h2>{html.escape(heading)}</h2>\n'
        f'{HINT if _width(table) > LINE else ""}<div class="wide" tabindex="0" role="region" '
        f'aria-label="{html.escape(heading)}">{as_html(table)}</div>\n{said}</section>'
    )


def _width(table: Table) -> int:
    """Return about how many characters a line of a table has, long texts broken."""
    columns = zip(table.header, *([cell.text for cell in row] for row in table.rows), strict=True)
    return sum(min(max(map(len, column)), LINE // 2) + 2 for column in columns)


def figure_block(name: str, heading: str, caption: str, drawings: dict[str, str]) -> str:
    """Write a <figure> with SVG drawings by theme and size, of which the style shows one.

    Those of a theme alone are for every size, and scroll where there is no room for them.
    """
    images = "\n".join(
        inline(drawing, f"{name}-{kind.replace(' ', '-')}", kind, f"{heading}. {caption}")
        for kind, drawing in drawings.items()
    )
    if set(drawings) <= set(THEMES):
        images = f'{HINT}<div class="wide" tabindex="0">{images}</div>'
    links = ", ".join(f'<a href="{name}.{form}">{form.upper()}</a>' for form in METADATA)
    return (
        f'<figure id="{name}"><h2>{html.escape(heading)}</h2>\n{images}\n<figcaption>'
        f'{html.escape(caption)} <span class="files">{links}</span></figcaption></figure>'
    )


def inline(drawing: str, prefix: str, classes: str, words: str) -> str:
    """Return an SVG as a part of the page: its ids are its own, its letters are text.

    `words` are for those who do not see it.
    """
    begin = drawing.index("<svg")
    head, body = drawing[begin:].split(">", 1)
    box = re.search(r'viewBox="[^"]*"', head)
    body = re.sub(r"<metadata>.*?</metadata>\s*", "", body, flags=re.DOTALL)
    body = re.sub(r"<style.*?</style>\s*", "", body, flags=re.DOTALL)
    body = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{prefix}-", body)
    body = re.sub(r"(font: [^;\"]*?px) [^;\"]*", rf"\g<1> {FONT}", body)
    return (
        f'<svg class="{classes}" role="img" aria-label="{html.escape(words)}" '
        f"{box[0] if box else ''}>{body.strip()}"
    )


def draw(
    folder: Path, name: str, heading: str, caption: str, plot: Callable[..., Any], *args: Any,
    **kwargs: Any,
) -> str:  # fmt: skip
    """Draw with one of `mooe.plots` in every theme and size; write files, return the <figure>."""
    drawings = {}
    for theme in THEMES:
        for size, width in SIZES.items():
            figure = Figure(figsize=(width, width))
            plot(*args, **kwargs, theme=theme, figure=figure)
            for text in figure.findobj(Text):
                text.set_text(visible(text.get_text()))
            with _any_letters():
                figure.draw_without_rendering()
            figure.set_layout_engine("none")  # laid out once, not for every form
            drawings[f"{theme} {size}"] = keep(folder, name, f"{theme} {size}", figure)
    return figure_block(name, heading, caption, drawings)


def keep(folder: Path, name: str, kind: str, figure: Figure) -> str:
    """Return a figure as SVG for the page; the light one of a page is written in all forms."""
    theme, _, size = kind.partition(" ")
    if theme == "light" and size != "phone":
        for form in METADATA:
            write(folder / f"{name}.{form}", _saved(figure, theme, form))
    return _saved(figure, theme, "svg", {"svg.fonttype": "none"}).decode()


def _saved(figure: Figure, theme: str, form: str, settings: Any = None) -> bytes:
    """Return a figure in a form, by settings of matplotlib beside those of its theme."""
    content = io.BytesIO()
    with themed(theme), rc_context(settings), _any_letters():
        figure.savefig(content, format=form, dpi=DPI, metadata=METADATA[form])
    return content.getvalue()


@contextmanager
def _any_letters() -> Iterator[None]:
    """Draw names in any script without a word: letters that the font lacks are the page's own."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield
