"""The files of a report: figures as PNG, SVG and PDF; the same results give the same bytes."""

import base64
import html
import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from mooe.evaluate.results import put
from mooe.plots import THEMES, themed

METADATA: dict[str, dict[str, Any]] = {  # nothing of the day or the machine
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
DPI = 200  # of PNG files, and of the recall map's cells


@dataclass(frozen=True)
class Picture:
    """A figure on the page: its name, heading and caption, and its SVG in every theme."""

    name: str
    heading: str
    caption: str
    drawings: dict[str, bytes]

    def as_html(self) -> str:
        """Return a <figure> with a picture for each theme, of which the style shows one."""
        images = [
            f'<img class="{theme}" alt="{html.escape(f"{self.heading}. {self.caption}")}" '
            f'src="data:image/svg+xml;base64,{base64.b64encode(drawing).decode()}">'
            for theme, drawing in self.drawings.items()
        ]
        files = ", ".join(f'<a href="{self.name}.{form}">{form.upper()}</a>' for form in METADATA)
        return (
            f'<figure id="{self.name}"><h2>{html.escape(self.heading)}</h2>\n'
            + "\n".join(images)
            + f"\n<figcaption>{html.escape(self.caption)} "
            + f'<span class="files">{files}</span></figcaption></figure>'
        )


def open_folder(folder: str | Path) -> Path:
    """Return the folder of a report, made if there is none."""
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _refusal(path, error) from error
    return path


def write(path: Path, content: str | bytes) -> None:
    """Write a file of the report; a link is replaced, not followed."""
    try:
        put(path, content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise _refusal(path.parent, error) from error


def _refusal(folder: Path, error: OSError) -> OSError:
    """Return an error of the same kind that names the folder and the rule."""
    reason = error.strerror or str(error)
    return type(error)(f"folder must be one that can be written, got {str(folder)!r}: {reason}")


def draw(
    folder: Path, name: str, heading: str, caption: str, plot: Callable[..., Any], *args: Any,
    **kwargs: Any,
) -> Picture:  # fmt: skip
    """Draw a figure in every theme; write the light one as PNG, SVG and PDF.

    Parameters
    ----------
    plot : callable
        One of `mooe.plots`, called with args and kwargs.
    """
    drawings = {}
    for theme in THEMES:
        figure = Figure()
        plot(*args, **kwargs, theme=theme, figure=figure)
        figure.draw_without_rendering()
        figure.set_layout_engine("none")  # laid out once, not for every form
        drawings[theme] = keep(folder, name, theme, figure)
    return Picture(name, heading, caption, drawings)


def keep(folder: Path, name: str, theme: str, figure: Figure) -> bytes:
    """Return a figure as SVG; the light one is written as PNG, SVG and PDF."""
    forms = {}
    for form in METADATA if theme == "light" else ("svg",):
        content = io.BytesIO()
        with themed(theme):
            figure.savefig(content, format=form, dpi=DPI, metadata=METADATA[form])
        forms[form] = content.getvalue()
        if theme == "light":
            write(folder / f"{name}.{form}", forms[form])
    return forms["svg"]
