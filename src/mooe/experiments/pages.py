"""Pages of the documentation in which tables and figures stand between marks, and are filled in.

`<!-- rendered: table1 -->` begins all tables and figures of a result, `<!-- rendered: table1 | Who
is best -->` a single table by its title, `<!-- rendered: figure-kmax | figures -->` the figures,
`<!-- rendered: verdicts -->` how many printed numbers hold, `<!-- rendered: in short -->` that and
other counts; `<!-- end -->` ends each of them.
"""

import re
from typing import Any

from mooe.experiments import RESULTS, result_of
from mooe.experiments.accuracy.in_short import short_table
from mooe.experiments.cells import Table
from mooe.experiments.report import NOT_RUN, tally
from mooe.experiments.shown import as_markdown
from mooe.experiments.stored import found_in

__all__ = ["fill", "verdict_table"]

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

    def filled(found: re.Match[str]) -> str:
        begin, name, part, end = found.groups()
        return f"{begin}\n{rendered(name, part, kept, images)}\n{end}"

    return MARKED.sub(filled, text)


def rendered(name: str, part: str | None, kept: dict[str, dict[str, Any]], images: str) -> str:
    """Return what stands between a pair of marks."""
    if name == "verdicts":
        return as_markdown(verdict_table(kept))
    if name == "in short":
        everything = {one: result_of(one).tables(found_in(kept[one])) for one in kept}
        return as_markdown(short_table(everything))
    if name not in RESULTS:
        raise ValueError(f"rendered must name one of {', '.join(RESULTS)}, got {name!r}")
    if name not in kept:
        return f"Not run yet: `mooe reproduce {name}`.\n"
    found, module = found_in(kept[name]), result_of(name)
    tables = module.tables(found)
    drawn = [
        f"![{figure.get_label()}]({images}/{stem}.png)\n"
        for stem, figure in module.figures(found).items()
    ]
    if part == FIGURES:
        return "\n".join(drawn)
    if part is None:
        return "\n".join([*map(as_markdown, tables), *drawn])
    titles = [table.title for table in tables]
    if part not in titles:
        raise ValueError(f"rendered: {name} must have one of {titles}, got {part!r}")
    return as_markdown(tables[titles.index(part)])


def verdict_table(kept: dict[str, dict[str, Any]]) -> Table:
    """Return how many printed numbers hold, result by result."""
    rows: list[list[Any]] = []
    for name, one in kept.items():
        counts = tally(result_of(name).tables(found_in(one)))
        if counts:
            rows.append([one["title"], *(counts.get(word, 0) for word in VERDICTS)])
    sums = [sum(row[at] for row in rows) for at in range(1, len(VERDICTS) + 1)]
    rows.append(["all", *sums])
    return Table("Printed numbers beside ours", ["result", *VERDICTS], rows)
