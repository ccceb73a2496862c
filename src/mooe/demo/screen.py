"""The demo's screen: who is in charge while the models learn, and the result in the end."""

import time
from collections.abc import Sequence
from contextlib import nullcontext

import numpy as np
from rich import box
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from mooe.demo.replay import (
    AT_FIRST,
    N_CONCEPTS,
    N_FEATURES,
    VISIT,
    Replay,
    Return,
    accuracy,
    after_returns,
    gain,
    in_charge,
    return_in,
    returns,
    step,
)
from mooe.evaluate.measures import MEASURES

ACCURACY = MEASURES["accuracy"]
REFRESH = 0.1  # seconds between two looks in the middle of a visit
LATEST = 3  # returns shown in words
LETTERS = "ABCD"  # the concepts, which only the reader knows
COLOURS = ("cyan", "magenta", "yellow", "green", "blue", "red")
WIDTH = 80  # at most, so that lines of text stay short
WIDTH_FOR_WORDS = 56  # of the columns' names


def play(replay: Replay, console: Console, live: bool) -> bool:
    """In place: replay to the end, on the screen if live; False if the user interrupted it."""
    drawn = 0.0
    live_screen = Live(console=console, auto_refresh=False, transient=True)
    try:
        if live:
            console.print(_introduction(replay), width=min(console.width, WIDTH))
        with live_screen if live else nullcontext() as screen:
            while replay.done < len(replay.stream.y):
                step(replay)
                is_time = replay.done % VISIT == 0 or time.monotonic() - drawn > REFRESH
                if screen is not None and is_time:
                    screen.update(progress(replay, console.width), refresh=True)
                    drawn = time.monotonic()
    except KeyboardInterrupt:
        return False
    return True


def _introduction(replay: Replay) -> Text:
    """Return what is about to happen."""
    return Text(
        f"\n{len(replay.stream.y):,} rows, {N_FEATURES} features: concepts {', '.join(LETTERS)} "
        f"take turns every {VISIT} rows and come back. No model is told which one is there, nor "
        f"when it changes: mooe keeps an expert per regime and names those it knows.\n"
    )


def progress(replay: Replay, width: int) -> RenderableType:
    """Return the screen in the middle of a replay, at least one row of it."""
    bar = ProgressBar(len(replay.stream.y), replay.done, width=min(width, WIDTH))
    begun = (replay.done - 1) // VISIT + 1  # visits
    latest = [return_in(replay, visit) for visit in range(N_CONCEPTS, begun)[-LATEST:]]
    decided = [back for back in latest if back.after is not None or back.row + VISIT <= replay.done]
    return Group(
        strip(replay, width),
        Text(),
        _now(replay),
        *(sentence(back) for back in reversed(decided)),
        Text(),
        _accuracies(replay, width),
        Text(),
        bar,
    )


def strip(replay: Replay, width: int) -> Text:
    """Return a line per regime: a letter for each visit that it was in charge of in the end.

    The letter is that of the concept that was there, as the first line has them all.
    """
    begun = (replay.done - 1) // VISIT + 1
    room = max(1, min(width, 4 * WIDTH) - len("regime 10 "))
    visits = np.arange(begun)[-room:]
    ends = np.minimum((visits + 1) * VISIT, replay.done) - 1
    regimes, letters = replay.charge[ends], [LETTERS[visit % N_CONCEPTS] for visit in visits]
    out = Text("concept   " + "".join(letters), style="dim", no_wrap=True)
    for name in np.unique(regimes[regimes > 0]).tolist():
        line = "".join(np.where(regimes == name, letters, " "))
        out.append(f"\nregime {name:<3}{line}", style=f"not dim {_colour(name)}")
    return out


def _now(replay: Replay) -> Text:
    """Return which regime is in charge, and when it was before."""
    out = Text(f"Row {replay.done:,}: ")
    regime = in_charge(replay)
    if regime is None:
        return out.append("no regime has a name yet.")
    out.append(f"regime {regime.name}", style=f"bold {_colour(regime.name)}")
    before = [f"{first:,}-{last:,}" for first, last in reversed(regime.visits[-3:-1])]
    return out.append(
        f" is in charge; before, of rows {', '.join(before)}." if before else " is in charge."
    )


def sentence(back: Return) -> Text:
    """Return a return in words."""
    out = Text(f"{back.row:>7,} {LETTERS[back.concept]}  ", style="dim")
    if back.after is None:
        return out.append("not recognised", style="not dim red")
    out.append(f"regime {back.regime} is back", style=f"not dim {_colour(back.regime)}")
    recognised = "1 row" if back.after == 1 else f"{back.after} rows"
    return out.append(
        f": recognised after {recognised}; last seen {back.ago:,} rows ago", style="not dim"
    )


def _accuracies(replay: Replay, width: int) -> Table:
    """Return the accuracy of every model, the best of each column in bold."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    table.add_column("accuracy\nin %", no_wrap=True)
    table.add_column("all\nrows", justify="right", no_wrap=True)
    columns = [[accuracy(replay, name) for name in replay.learners]]
    for rows in AT_FIRST if replay.n_returns else ():
        words = f"first {rows}\nafter return" if width >= WIDTH_FOR_WORDS else f"first\n{rows}"
        table.add_column(words, justify="right", no_wrap=True)
        columns.append([after_returns(replay, name, rows).mean() for name in replay.learners])
    for name, *values in zip(replay.learners, *columns, strict=True):
        best = [value == max(column) for value, column in zip(values, columns, strict=True)]
        cells = zip(values, best, strict=True)
        table.add_row(name, *(Text(ACCURACY.number(v), "bold" if b else "") for v, b in cells))
    return table


def summary(replay: Replay, width: int) -> RenderableType:
    """Return the final table and what it says; the replay has seen at least one return."""
    return Group(
        Text(),
        strip(replay, width),
        Text(),
        _accuracies(replay, width),
        Text(),
        recognition(returns(replay)),
        _worth(replay),
        Text("Next: mooe run FILE --label COLUMN, on your own table; or from mooe import "
             "MOOEClassifier (README.md). mooe compare recurring --models mooe,mooe-paper has the "
             "published algorithm beside it."),
    )  # fmt: skip


def recognition(all_returns: Sequence[Return]) -> Text:
    """Return how often and how soon regimes were recognised."""
    waits = sorted(back.after for back in all_returns if back.after is not None)
    out = f"Recognised {len(waits)} of {len(all_returns)} returns"
    if waits:
        out += f", half of these within {waits[(len(waits) - 1) // 2]} rows, all within {waits[-1]}"
    return Text(f"{out}.")


def _worth(replay: Replay) -> Text:
    """Return what memory was worth in the first rows after a return, in words."""
    rows = AT_FIRST[0]
    difference, error = gain(replay, rows)
    clear = "memory helps" if difference > 0.0 else "memory hurts"
    verdict = clear if abs(difference) > 2.0 * error else "not clear that memory helps"
    precision = "" if np.isnan(error) else f" (standard error {ACCURACY.number(error)})"
    points = f"{ACCURACY.signed(difference, difference, '-')} points"
    return Text(
        f"Memory adds {points} in the first {rows} rows after a return{precision}: {verdict}."
    )


def _colour(regime: int) -> str:
    """Return the colour of a regime."""
    return COLOURS[(regime - 1) % len(COLOURS)]
