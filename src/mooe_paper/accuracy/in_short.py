"""The results in a few counts, from their tables alone, as the page on the paper has them."""

from typing import Any

from mooe_paper.accuracy.verdicts import NOT_RUN
from mooe_paper.cells import Table

__all__ = ["OURS", "short_table"]

OURS = ("mooe-paper", "mooe")
ABOVE = ("above batch", "barely above")
OWN, BATCH = "Ours, with the trivial models", "Batch references"
SWEPT = "the paper's number"  # the last column of a sweep
ALONE = "mooe"  # not the paper's
Tables = dict[str, list[Table]]  # by result


def short_table(tables: Tables) -> Table:
    """Return how many printed numbers hold, which model is best where, and what is out of reach."""
    words = printed_verdicts(tables)
    ran = [word for word in words if word != NOT_RUN]
    rows: list[list[Any]] = [
        [f"printed numbers: {word}", share(ran.count(word), len(ran))]
        for word in ("holds", "ours higher", "ours lower")
    ]
    best = best_models(tables)
    for model in OURS:
        firsts = sum(models == [model] for models in best.values())
        rows.append([f"streams on which {model} is best of all", share(firsts, len(best))])
    reached = column(tables, BATCH, "verdict")
    above = sum(word in ABOVE for word in reached)
    rows.append(["the paper's MOOE, above every batch reference", share(above, len(reached))])
    placed = [word for some in tables.values() for one in some if SWEPT in one.columns
              for row in one.rows if (word := row[one.columns.index(SWEPT)])]  # fmt: skip
    within = placed.count("within the sweep")
    rows.append(["printed numbers of MOOE and Condor within our sweep", share(within, len(placed))])
    return Table(
        "In short, in numbers",
        ["count", "of those that were run"],
        rows,
        "Best of all: the highest accuracy of the paper's four methods, our default model mooe, "
        f"no-change and majority, on {', '.join(best) or 'no stream'}. The default model is left "
        "out of the first three lines.",
    )


def printed_verdicts(tables: Tables) -> list[str]:
    """Return the verdicts on printed numbers in tables that compare the paper with ours.

    Our default model, which is not in the paper, is left out.
    """
    return [
        word
        for some in tables.values()
        for one in some
        if {"paper", "verdict"} <= set(one.columns)
        for row in one.rows
        if row[one.columns.index("paper")] is not None and ALONE not in row
        if (word := row[one.columns.index("verdict")])
    ]


def best_models(tables: Tables) -> dict[str, list[str]]:
    """Return the models with the highest accuracy, by stream; several where they are equal."""
    out: dict[str, list[str]] = {}
    for stream, scores in accuracies(tables).items():
        if set(OURS) <= set(scores):
            best = max(scores.values())
            out[stream] = [model for model, value in scores.items() if value == best]
    return out


def accuracies(tables: Tables) -> dict[str, dict[str, float]]:
    """Return our accuracy by stream and model: a column for each model, or a line."""
    out: dict[str, dict[str, float]] = {}
    for some in tables.values():
        for one in some:
            if one.title != OWN:
                continue
            for row in one.rows:
                line = dict(zip(one.columns, row, strict=True))
                if "model" in line:
                    found = {str(line["model"]): line["accuracy"]}
                else:
                    found = {name: line[name] for name in one.columns[2:]}
                known = {name: value for name, value in found.items() if value is not None}
                out.setdefault(str(line["stream"]), {}).update(known)
    return out


def column(tables: Tables, title: str, name: str) -> list[str]:
    """Return the words in a column of the tables with a title."""
    return [
        word
        for some in tables.values()
        for one in some
        if one.title == title
        for row in one.rows
        if (word := row[one.columns.index(name)])
    ]


def share(n: int, of: int) -> str:
    """Return a count in words.

    >>> share(3, 8)
    '3 of 8'
    """
    return f"{n:,} of {of:,}"
