"""Tables in LaTeX: as a tabular, or going on over pages with a caption."""

from mooe.report.tables import (
    BETWEEN,
    LINE,
    Table,
    broken_columns,
    column_sizes,
    text_columns,
)

# LaTeX's names of smaller letters, by how wide a table is, in lines, with which it still fits.
SIZES = {"": 0.95, "small": 1.05, "footnotesize": 1.15, "scriptsize": 1.35}
LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "−": "$-$",
    "±": r"$\pm$",
    "–": "--",
    "²": r"\textsuperscript{2}",
}


def as_latex(table: Table) -> str:
    """Return the table in LaTeX, for the package booktabs."""
    head, *rows = _latex_lines(table)
    begin = rf"\begin{{tabular}}{{{_latex_columns(table)}}}"
    end = (r"\bottomrule", r"\end{tabular}", "")
    return "\n".join([begin, r"\toprule", head, r"\midrule", *rows, *end])


def as_longtable(table: Table, caption: str) -> str:
    """Return the table in LaTeX, for the packages booktabs and longtable.

    It goes on over pages, and what is wider than a line is set smaller.
    """
    head, *rows = _latex_lines(table)
    lines = [
        rf"{{{_latex_size(table)}\setlength{{\LTcapwidth}}{{\linewidth}}",
        rf"\begin{{longtable}}{{{_latex_columns(table)}}}",
        rf"\caption{{{escape_latex(caption)}}} \\",
        *(r"\toprule", head, r"\midrule", r"\endfirsthead"),
        *(r"\toprule", head, r"\midrule", r"\endhead", r"\bottomrule", r"\endfoot"),
        *rows,
        *(r"\end{longtable}", "}", ""),
    ]
    return "\n".join(lines)


def _latex_lines(table: Table) -> list[str]:
    """Return head and rows in LaTeX; in columns of long text names may be broken at their _."""
    head = [escape_latex(name) for name in table.header]
    broken, rows = broken_columns(table), []
    for row in table.rows:
        texts = [escape_latex(cell.text) for cell in row]
        for at, share in enumerate(broken):
            if share:
                texts[at] = texts[at].replace(r"\_", r"\_\allowbreak{}")
        best = [
            rf"\textbf{{{text}}}" if c.best else text for c, text in zip(row, texts, strict=True)
        ]
        rows.append(best)
    return [" & ".join(line) + r" \\" for line in [head, *rows]]


def _latex_size(table: Table) -> str:
    r"""Return the command for letters with which a table fits into a line, '' where they all do.

    >>> from mooe.report.tables import Cell
    >>> _latex_size(Table(("a", "b"), ((Cell("name"), Cell("1.5")),)))
    ''
    >>> _latex_size(Table(("a",) * 9, ((Cell("0123456789"),) * 9,)))
    '\\scriptsize\\setlength{\\tabcolsep}{3pt}'
    """
    columns = zip(column_sizes(table), broken_columns(table), strict=True)
    width = sum(LINE * share if share else size for size, share in columns) / LINE
    width += BETWEEN * len(table.header) / LINE
    size = next((name for name, most in SIZES.items() if width <= most), "tiny")
    return rf"\{size}\setlength{{\tabcolsep}}{{3pt}}" if size else ""


def _latex_columns(table: Table) -> str:
    r"""Return the columns for tabular: numbers right, names left, long texts in broken lines.

    >>> from mooe.report.tables import Cell
    >>> _latex_columns(Table(("a", "b"), ((Cell("name"), Cell("1.5")),)))
    'lr'
    >>> _latex_columns(Table(("a", "b"), ((Cell("name"), Cell("many words " * 9)),)))
    'lp{0.89\\linewidth}'
    """
    columns = zip(broken_columns(table), text_columns(table), strict=True)
    return "".join(
        rf"p{{{share:.2f}\linewidth}}" if share else "l" if text else "r" for share, text in columns
    )


def escape_latex(text: str) -> str:
    r"""Return a text that LaTeX prints as it is.

    >>> print(escape_latex("50_% & more"))
    50\_\% \& more
    """
    return "".join(LATEX.get(sign, sign) for sign in " ".join(text.split()))
