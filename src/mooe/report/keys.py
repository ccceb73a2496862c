"""The report of a keyed stream: worst keys, keys that drift, regimes that come back across keys."""

from pathlib import Path

import numpy as np

from mooe.evaluate.key_results import ENOUGH, Family, KeyedResults
from mooe.plots import plot_ages, plot_changes, plot_spread
from mooe.report import page
from mooe.report.tables import NONE, Cell, Table
from mooe.words import counted, some_of, times

MOST = 20  # lines of a table
MOST_INPUTS = 3  # that tell a regime


def write_keyed_report(folder: str | Path, results: KeyedResults) -> Path:
    """Write index.html, its figures as PNG, SVG and PDF, and the table of worst keys."""
    table = worst_table(results)
    path = page.open_report(folder, table)
    drifts, families = results.drifts(), results.families()
    blocks = [
        page.answer("How well did it work, key by key?", how_well(results)),
        page.tiles(_tiles(results)),
        page.answer("Which keys drift?", which_drift(results)),
        page.answer("Which regimes come back across keys?", which_return(results, families)),
    ]
    if results.by_age():
        blocks.append(page.draw(
            path, "ages", "By age of key",
            "The measure over all rows that were so many rows into their key; what a key's model "
            "knows grows from left to right. no-change repeats the key's last label"
            + _of_first(results),
            plot_ages, results,
        ))  # fmt: skip
        blocks.append(page.draw(
            path, "changes", "Along the stream",
            "Above the measure over all keys in windows of the stream; below how many keys changed "
            "their regime there. A peak is a change that many keys share.",
            plot_changes, results,
        ))  # fmt: skip
    if table.rows:
        blocks.append(page.table_block("worst", "The worst keys", table, _few(results)))
    if drifts:
        notes = ["Returns are changes to a regime that the key was in before."]
        blocks.append(page.table_block("drifts", "Keys that drift", drift_table(results), notes))
    if families:
        notes = [
            "Regimes of different keys are taken as one where the weights of their inputs are "
            "alike; the inputs named are those that weigh most, with the sign of their weight. "
            "Went back: keys that returned to it."
        ]
        table = family_table(results, families)
        blocks.append(page.table_block("families", "Regimes across keys", table, notes))
    if not np.isnan(results.by_key()).all():
        blocks.append(page.draw(
            path, "spread", "Keys beside each other",
            f"How many keys have which measure; keys with fewer than {ENOUGH} judged rows are left "
            "out.",
            plot_spread, results,
        ))  # fmt: skip
    under = f"{results.stream}: {results.rows:,} rows of {counted(len(results.names), 'key')}"
    foot = {
        "stream": results.stream,
        "key": results.key,
        "label": results.label,
        "inputs": some_of(results.inputs),
        "rows": f"{results.rows:,}",
        "new keys start from": results.shared,
        "seed": str(results.seed),
        **results.origin,
    }
    facts = {name: fact for name, fact in foot.items() if fact}
    return page.write_page(
        path, f"One model per {results.key} on {results.stream}", under, blocks, facts
    )


def _of_first(results: KeyedResults) -> str:
    """Say what repeating the last label is worth where a key has none yet."""
    first, *_ = results.by_age()[0]
    if first > 1:
        return "."
    is_regression = results.task == "regression"
    counts = "is taken to be as far off as the model" if is_regression else "that counts as wrong"
    return f"; at a key's first row it has none, and {counts}."


def how_well(results: KeyedResults) -> list[str]:
    """Say how well it worked over all rows and over the keys, in sentences."""
    measure, n = results.measure, int(results.judged.sum())
    if not n:
        return [f"No row of {results.rows:,} had both a label and an answer."]
    value, trivial = results.value, float(results.no_change.sum()) / n
    keys, rows = counted(len(results.names), "key"), counted(n, "row")
    if results.task == "classification":
        first = f"{measure.text(value)} of {rows} {_were(n)} answered right, over {keys}."
    else:
        first = f"Answers were off by {measure.text(value)} on average over {rows} of {keys}."
    said = [first, f"Repeating each key's last label gives {measure.text(trivial)}."]
    return said + _compared(results)


def _were(n: int) -> str:
    return "was" if n == 1 else "were"


def _compared(results: KeyedResults) -> list[str]:
    """Say how keys lie beside each other, if there are several that can be compared."""
    measure, n_enough = results.measure, int((results.judged >= ENOUGH).sum())
    low, middle, high = results.spread()
    if len(results.names) == 1:
        return []
    if middle is None or low is None or high is None:
        return [f"No key has {ENOUGH} judged rows, so that keys could be compared."]
    if n_enough == 1:
        return [f"Only one key has {ENOUGH} judged rows or more: {measure.text(middle)}."]
    whose = "Half of the keys"
    if n_enough < len(results.names):
        whose = f"Of {n_enough:,} keys with at least {ENOUGH} judged rows half"
    return [
        f"{whose} lie between {measure.text(low)} and {measure.text(high)}, the middle one at "
        f"{measure.text(middle)}."
    ]


def which_drift(results: KeyedResults) -> list[str]:
    """Say how many keys changed their regime, and which did most."""
    drifts = results.drifts()
    if not drifts:
        return ["No key changed its regime, as far as its model tells."]
    back = sum(returns > 0 for _, _, returns in drifts)
    first = (
        f"{counted(len(drifts), 'key')} of {len(results.names):,} changed "
        f"{'their' if len(drifts) > 1 else 'its'} regime, "
        f"{_so_many(back, len(drifts))} went back to one {'they' if len(drifts) > 1 else 'it'} had "
        "been in."
    )
    name, changes, returns = drifts[0]
    return [
        first,
        f"Most often {name}: {counted(changes, 'change')}, {counted(returns, 'return')}.",
    ]


def _so_many(n: int, of: int) -> str:
    """Say how many of them did.

    >>> _so_many(3, 3), _so_many(0, 3), _so_many(2, 3), _so_many(1, 1)
    ('all of them', 'none of them', '2 of them', 'and')
    """
    if of == 1:
        return "and" if n else "and never"
    return {0: "none of them", of: "all of them"}.get(n, f"{n:,} of them")


def which_return(results: KeyedResults, families: list[Family]) -> list[str]:
    """Say which regimes several keys have in common."""
    if not families:
        if not results.regimes:
            return ["No key has been seen long enough to know a regime."]
        if any(regime.weights for regimes in results.regimes.values() for regime in regimes):
            return ["No two keys have a regime in common."]
        return ["What regimes have in common is told where models are at hand: in one process."]
    most = families[0]
    first = (
        f"{counted(len(families), 'regime')} {'is' if len(families) == 1 else 'are'} shared by "
        f"several keys; the most common one by {counted(len(most.keys), 'key')}."
    )
    back = f"{counted(most.n_returning, 'key')} went back to it, {times(most.returns)} in all"
    return [first, f"{back}; it is told by {_tell(most, results)}."]


def worst_table(results: KeyedResults) -> Table:
    """Make a line for each of the keys that were answered worst."""
    measure, value = results.measure, results.by_key()
    drifts = {name: (changes, back) for name, changes, back in results.drifts()}
    rows = []
    for at in results.worst(MOST):
        trivial = float(results.no_change[at] / results.judged[at])
        changes, back = drifts.get(results.names[at], (0, 0))
        rows.append((
            Cell(results.names[at]),
            Cell(f"{results.n_rows[at]:,}", float(results.n_rows[at])),
            Cell(measure.number(float(value[at])), float(value[at])),
            Cell(measure.number(trivial), trivial),
            Cell(f"{changes:,}", float(changes)),
            Cell(f"{back:,}", float(back)),
        ))  # fmt: skip
    return Table(
        (results.key, "rows", measure.heading, "no-change", "changes", "returns"), tuple(rows)
    )


def drift_table(results: KeyedResults) -> Table:
    """Make a line for each of the keys that changed their regime most often."""
    numbers = {name: at for at, name in enumerate(results.names)}
    value, measure = results.by_key(), results.measure
    rows = []
    for name, changes, back in results.drifts()[:MOST]:
        at = numbers[name]
        own = float(value[at])
        rows.append((
            Cell(name),
            Cell(f"{results.n_rows[at]:,}", float(results.n_rows[at])),
            Cell(f"{len(results.regimes[name]):,}", float(len(results.regimes[name]))),
            Cell(f"{changes:,}", float(changes)),
            Cell(f"{back:,}", float(back)),
            Cell(NONE) if own != own else Cell(measure.number(own), own),
        ))  # fmt: skip
    return Table(
        (results.key, "rows", "regimes", "changes", "returns", measure.heading), tuple(rows)
    )


def family_table(results: KeyedResults, families: list[Family]) -> Table:
    """Make a line for each regime that several keys share."""
    rows = [
        (
            Cell(_tell(family, results)),
            *(
                Cell(f"{count:,}", float(count))
                for count in (len(family.keys), family.n_returning, family.returns, family.rows)
            ),
        )
        for family in families[:MOST]
    ]
    return Table(("regime", "keys", "went back", "returns", "rows"), tuple(rows))


def _tell(family: Family, results: KeyedResults) -> str:
    """Name the inputs that weigh most in a regime, for the class that they make up."""
    label, weights = max(family.weights.items(), key=lambda one: float(np.abs(one[1]).max()))
    names = [*results.inputs, *(f"input {at}" for at in range(len(results.inputs), len(weights)))]
    order = np.argsort(-np.abs(weights), kind="stable")[:MOST_INPUTS].tolist()
    told = ", ".join(
        f"{names[at]}\N{NO-BREAK SPACE}{'+' if weights[at] > 0 else '−'}"
        for at in order
        if weights[at]
    )
    return told if results.task == "regression" else f"{label}: {told}"


def _few(results: KeyedResults) -> list[str]:
    """Say which keys are left out."""
    few = int((results.judged < ENOUGH).sum())
    if not few:
        return []
    are = "is" if few == 1 else "are"
    return [f"{counted(few, 'key')} with fewer than {ENOUGH} judged rows {are} left out."]


def _tiles(results: KeyedResults) -> list[tuple[str, str, str]]:
    """Fill the tiles."""
    measure = results.measure
    unit = measure.unit if measure.unit == "%" or measure.has_own_unit else ""
    tiles = [("keys", f"{len(results.names):,}", ""), ("rows", f"{results.rows:,}", "")]
    if results.judged.sum():
        tiles.append((measure.name, measure.number(results.value), unit))
    middle = results.spread()[1]
    if middle is not None:
        tiles.append(("the middle key", measure.number(middle), unit))
    return [*tiles, ("keys that drift", f"{len(results.drifts()):,}", "")]
