"""Pages of the documentation in which tables and figures stand between marks, and are filled in.

`<!-- rendered: table1 -->` begins all tables and figures of a result, `<!-- rendered: table1 | Who
is best -->` a single table by its title, `<!-- rendered: figure-kmax | figures -->` the figures,
`<!-- rendered: verdicts -->` how many printed numbers hold, `<!-- rendered: in short -->` that and
other counts; `<!-- end -->` ends each of them.
"""

import re
from collections.abc import Callable
from typing import Any

from mooe_paper import RESULTS, result_of
from mooe_paper.accuracy.in_short import short_table
from mooe_paper.accuracy.verdicts import NOT_RUN
from mooe_paper.cells import Table
from mooe_paper.paper_report import tally
from mooe_paper.shown import as_markdown
from mooe_paper.stored import found_in

__all__ = ["between_marks", "fill", "verdict_table"]

MARKED = re.compile(
    r"(<!-- rendered: ([^|>]+?)(?: \| ([^>]+?))? -->\n).*?(<!-- end -->)", re.DOTALL
)
VERDICTS = ("holds", "ours higher", "ours lower", NOT_RUN)
FIGURES = "figures"


def fill(text: str, kept: dict[str, dict[str, Any]], images: str = "images") -> str:
    """Return a page with everything between marks as the results have it.

    Parameters
    ----------
    text : str
        The page.
    kept : dict
        Results by name, see `results_in`.
    images : str
        Folder of the figures, as the page names it.
    """

    tables = {name: result_of(name).tables(found_in(one)) for name, one in kept.items()}

    def rendered(name: str, part: str | None) -> str:
        if name == "verdicts":
            return as_markdown(verdict_table(kept, tables))
        if name == "in short":
            return as_markdown(short_table(tables))
        if name not in RESULTS:
            raise ValueError(f"rendered must name one of {', '.join(RESULTS)}, got {name!r}")
        if name not in kept:
            return f"Not run yet: `mooe reproduce {name}`.\n"
        if part == FIGURES:
            return drawn(name, kept[name], images)
        if part is None:
            shown = [*map(as_markdown, tables[name]), drawn(name, kept[name], images)]
            return "\n".join(filter(None, shown))
        titles = [table.title for table in tables[name]]
        if part not in titles:
            raise ValueError(f"rendered: {name} must have one of {titles}, got {part!r}")
        return as_markdown(tables[name][titles.index(part)])

    return between_marks(text, rendered)


def between_marks(text: str, rendered: Callable[[str, str | None], str]) -> str:
    """Return a page with what is rendered of a name, and of a part or None, between its marks."""

    def filled(found: re.Match[str]) -> str:
        begin, name, part, end = found.groups()
        return f"{begin}\n{rendered(name, part)}\n{end}"

    return MARKED.sub(filled, text)


def drawn(name: str, kept: dict[str, Any], images: str) -> str:
    """Return the figures of a result, as a page refers to them."""
    figures = result_of(name).figures(found_in(kept))
    lines = [f"![{figure.get_label()}]({images}/{stem}.png)\n" for stem, figure in figures.items()]
    return "\n".join(lines)


def verdict_table(kept: dict[str, dict[str, Any]], tables: dict[str, list[Table]]) -> Table:
    """Return how many printed numbers hold, result by result."""
    rows: list[list[Any]] = []
    for name, one in kept.items():
        counts = tally(tables[name])
        if counts:
            rows.append([one["title"], *(counts.get(word, 0) for word in VERDICTS)])
    sums = [sum(row[at] for row in rows) for at in range(1, len(VERDICTS) + 1)]
    rows.append(["all", *sums])
    return Table("Printed numbers beside ours", ["result", *VERDICTS], rows)
