"""The demo's screen: a table that grows while the models learn, and the result below it."""

import time
from collections.abc import Sequence

import numpy as np
from rich import box
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from mooe.demo.replay import (
    N_CONCEPTS,
    N_FEATURES,
    VISIT,
    Replay,
    Visit,
    accuracy,
    concept_of,
    gain,
    lines,
    results,
    step,
)

__all__ = ["play", "summary"]

REFRESH = 0.1  # seconds between two looks at a line that is not full yet
NAMES = {
    "mooe": "MOOE",
    "newest-only": "MOOE, newest memory only",
    "online-alone": "its online expert alone",
    "no-change": "no change",
    "majority": "majority",
}
# Terminals that are less wide do without these columns.
WIDTH_FOR_HEAVIEST = 76
WIDTH_FOR_OWN = 52
WIDTH_FOR_HALVES = 76


def play(replay: Replay, console: Console, live: bool) -> bool:
    """In place: replay to the end, on the screen if live; False if the user interrupted it."""
    try:
        if live:
            watch(replay, console)
        else:
            while len(replay.visits) < replay.n_visits:
                step(replay)
    except KeyboardInterrupt:
        return False
    return True


def watch(replay: Replay, console: Console) -> None:
    """In place: replay to the end beside a table that shows where it is."""
    console.print(introduction(replay))
    drawn = 0.0
    with Live(console=console, auto_refresh=False) as screen:
        try:
            while len(replay.visits) < replay.n_visits:
                step(replay)
                full = len(replay.returns).bit_count() == 1
                if full or (replay.returns and time.monotonic() - drawn > REFRESH):
                    screen.update(progress(replay, console.width), refresh=True)
                    drawn = time.monotonic()
        finally:
            if replay.returns:
                screen.update(progress(replay, console.width), refresh=True)


def introduction(replay: Replay) -> Text:
    """Return what is about to happen."""
    return Text(
        f"\n{len(replay.stream.y):,} rows, {N_FEATURES} features: {N_CONCEPTS} concepts take turns "
        f"every {VISIT} rows. MOOE keeps experts of past intervals as memories; alone is its "
        f"online expert without them.\n"
    )


def progress(replay: Replay, width: int) -> RenderableType:
    """Return the growing table, a line per doubling of the returns."""
    table = plain_table()
    for header in ("returns", "row", "MOOE", "alone", "gain"):
        table.add_column(f"\n{header}", justify="right", no_wrap=True)
    if width >= WIDTH_FOR_OWN:
        table.add_column("weight of own\nmemories, %", justify="right", no_wrap=True)
    if width >= WIDTH_FOR_HEAVIEST:
        table.add_column("heaviest memory\nis of the rows", no_wrap=True)
    groups = lines(replay.returns)
    running = len(replay.visits) < replay.n_visits
    for group in groups:
        style = "dim" if running and group is groups[-1] else ""
        table.add_row(*cells(group)[: len(table.columns)], style=style)
    note = f"\nAccuracy in % in the {VISIT} rows after a return, since the line above."
    if width >= WIDTH_FOR_OWN:
        note += (
            " Own memories: experts of the same concept's earlier visits, at the return > "
            f"{VISIT - 1} rows later."
        )
    bar = ProgressBar(replay.n_visits, len(replay.visits), width=min(width, WIDTH_FOR_HEAVIEST))
    below: list[RenderableType] = [Text(note, style="dim")]
    if running:
        below += [Text(), bar]
    return Group(table, *below)


def plain_table() -> Table:
    """Return an empty table with a line below its header and no other."""
    return Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)


def cells(group: Sequence[Visit]) -> list[RenderableType]:
    """Return a line of the growing table."""
    last = group[-1]
    difference, _ = gain(group, "online-alone")
    before, after = own_shares(group)
    return [
        f"{last.number - N_CONCEPTS + 1:,}",
        f"{last.number * VISIT:,}",
        Text(percent(accuracy(group, "mooe")), style="bold"),
        percent(accuracy(group, "online-alone")),
        signed(difference),
        f"{100 * before:.0f} > {100 * after:.0f}",
        heaviest(last),
    ]


def heaviest(visit: Visit) -> Text:
    """Return where the visit's heaviest memory stems from."""
    if visit.heaviest is None:
        return Text("none")
    first, last = visit.heaviest.samples
    own = concept_of(visit.heaviest) == visit.concept
    word = Text("own  ", style="green") if own else Text("other", style="red")
    return word + Text(f" {first:,}-{last:,}")


def own_shares(visits: Sequence[Visit]) -> tuple[float, float]:
    """Return the mean share of the own memories, at the return and before the last label."""
    before, after = np.mean([(visit.own_before, visit.own_after) for visit in visits], axis=0)
    return float(before), float(after)


def summary(replay: Replay, width: int) -> RenderableType:
    """Return the final table and what it says; the replay has seen at least one return."""
    half = VISIT // 2
    table = plain_table()
    table.add_column("\naccuracy in %", no_wrap=True)
    table.add_column("\nall rows", justify="right", no_wrap=True)
    if width >= WIDTH_FOR_HALVES:
        table.add_column(f"rows 1-{half}\nof a return", justify="right")
        table.add_column(f"rows {half + 1}-{VISIT}\nof a return", justify="right")
        table.add_column("\nrows/s", justify="right")
    for row in results(replay):
        found = [
            NAMES[row["model"]],
            percent(row["accuracy"]),
            percent(row["accuracy_first_half"]),
            percent(row["accuracy_second_half"]),
            two_digits(row["rows_per_second"]),
        ]
        style = "bold" if row["model"] == "mooe" else ""
        table.add_row(*found[: len(table.columns)], style=style)
    return Group(Text(), table, Text(), *findings(replay))


def findings(replay: Replay) -> list[Text]:
    """Return what the replay showed, in words, and the next step."""
    returns = replay.returns
    over_alone, error = gain(returns, "online-alone")
    over_newest, other_error = gain(returns, "newest-only")
    before, after = own_shares(returns)
    precision = "" if np.isnan(error) else f" (standard error {100 * error:.1f})"
    if over_alone > 2.0 * error and over_newest > 2.0 * other_error:
        verdict = "memory helps"
    else:
        verdict = "not clear that memory helps"
    return [
        Text(
            f"MOOE in the {VISIT} rows after a return: {signed(over_alone)} points against its "
            f"online expert alone{precision}, {signed(over_newest)} "
            f"against its newest memory only; {verdict}."
        ),
        Text(
            f"Recall: the returning concept's own memories held {100 * before:.0f} % of the "
            f"memories' weight at the return, {100 * after:.0f} % after {VISIT - 1} rows."
        ),
        Text("Next: from mooe import MOOEClassifier (README.md, docs/algorithm.md)"),
    ]


def percent(fraction: float) -> str:
    """Return a fraction in percent."""
    return f"{100 * fraction:.1f}"


def two_digits(value: float) -> str:
    """Return a large number rounded to two significant digits."""
    return f"{float(format(value, '.2g')):,.0f}"


def signed(difference: float) -> Text:
    """Return a difference of fractions in percentage points."""
    style = "green" if difference > 0.0 else "red" if difference < 0.0 else ""
    return Text(f"{100 * difference:+.1f}", style=style)
