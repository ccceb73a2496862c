"""The page of a report and its files: HTML that needs no network and no script, and figures.

The page is light, dark and in print; the same results give the same bytes.
"""

import base64
import html
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
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
STYLE = """
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1b1f24; --soft: #5c6670;
  --line: #dfe3e8; --tile: #f4f6f8; --accent: #0072b2; }
.dark { display: none; }
@media screen and (prefers-color-scheme: dark) {
  :root { --paper: #171a20; --ink: #e8eaed; --soft: #a3acb6; --line: #323841; --tile: #20252d;
    --accent: #56b4e9; }
  .light { display: none; }
  .dark { display: block; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, "DejaVu Sans", sans-serif; }
main { max-width: 880px; margin: 0 auto; padding: 2.5rem 1.25rem 3rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .2rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 0 0 .6rem; }
.under { color: var(--soft); margin: 0 0 1.8rem; overflow-wrap: anywhere; }
.answer { border-left: 4px solid var(--accent); padding: .1rem 0 .1rem 1.1rem; margin: 0 0 1.6rem; }
.answer h2 { color: var(--accent); font-size: .95rem; margin: 0 0 .3rem; }
.answer p { margin: 0; overflow-wrap: anywhere; }
.answer p.first { font-size: 1.3rem; line-height: 1.35; font-weight: 600; margin-bottom: .35rem; }
.tiles { display: flex; flex-wrap: wrap; gap: .8rem; margin: 0 0 1.8rem; padding: 0; }
.tiles div { flex: 1 1 10rem; background: var(--tile); border-radius: .6rem; padding: .8rem 1rem; }
.tiles dt { color: var(--soft); font-size: .85rem; }
.tiles dd { margin: 0; font-size: 1.55rem; font-weight: 650; font-variant-numeric: tabular-nums; }
.tiles small { font-size: .85rem; font-weight: 400; color: var(--soft); }
section, figure { margin: 2.6rem 0 0; }
figcaption { text-wrap: pretty; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem;
  font-variant-numeric: tabular-nums; }
th, td { padding: .38rem .6rem; text-align: right; border-bottom: 1px solid var(--line); }
th.text, td.text { text-align: left; }
td { white-space: nowrap; }
td, tbody th { vertical-align: top; }
th:first-child { text-align: left; padding-left: 0; overflow-wrap: anywhere; }
thead th { color: var(--soft); font-weight: 600; vertical-align: bottom; }
tbody th { font-weight: 500; white-space: nowrap; }
td.long, tbody th.long { white-space: normal; overflow-wrap: anywhere; min-width: 7rem; }
#returns td:last-child, #returns th:last-child { text-align: left; white-space: normal; }
td strong { color: var(--accent); }
figure img { width: 100%; height: auto; }
figcaption, .note { color: var(--soft); font-size: .9rem; margin: .5rem 0 0; }
.files { white-space: nowrap; }
a { color: var(--accent); }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line);
  color: var(--soft); font-size: .85rem; }
footer dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0; }
footer dd { margin: 0; overflow-wrap: anywhere; }
@media print {
  @page { margin: 15mm; }
  body { font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
  figure, section, footer, .answer, .tiles, tr { break-inside: avoid; }
  section, figure { margin-top: 1.4rem; }
  figure img { width: 90%; }
  .tiles { flex-wrap: nowrap; }
  .tiles div { border: 1px solid var(--line); flex-basis: 0; padding: .5rem .7rem; }
  .tiles dd { font-size: 1.25rem; white-space: nowrap; }
  .wide { overflow: visible; }
  table { font-size: .8rem; }
  th, td { padding: .3rem .35rem; }
  .files { display: none; }
}
"""
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


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
    body = "\n".join(blocks)
    text = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<title>{html.escape(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<h1>{html.escape(title)}</h1>
<p class="under">{html.escape(under)}</p>
{body}
<footer><dl>{facts}</dl></footer>
</main>
</body>
</html>
"""
    write(folder / "index.html", text)
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
    files = ", ".join(f'<a href="{name}.{form}">{form.upper()}</a>' for form in METADATA)
    return (
        f'<figure id="{name}"><h2>{html.escape(heading)}</h2>\n{images}\n<figcaption>'
        f'{html.escape(caption)} <span class="files">{files}</span></figcaption></figure>'
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
