"""The demo: concepts that come back, the default model with its memory and without, and the names.

The stream is made, so the truth is known: which concept is there, and since when. The published
algorithm is not among the models, because to compile it would double the time of the first start.
Numbers come first, then the screen: who is in charge while the models learn, and the result.
"""

import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
from rich import box
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from mooe.auto.params import MEMORIES, AutoParams
from mooe.datasets import Stream, recurring
from mooe.evaluate.learners import Learner, Majority, MooeLearner, NoChange
from mooe.evaluate.measures import MEASURES
from mooe.evaluate.results import Results, origin
from mooe.explanation import Concept

VISIT = 500  # rows
N_CONCEPTS = 4
N_FEATURES = 10
AT_FIRST = (50, 100)  # rows after a return over which accuracy is shown
PIECE = 50  # rows learnt at once; a visit's first so many one by one, to see who takes charge when
REPORT_ROWS = 20_000  # in which a reader can tell visits apart
LEAST_ROWS = (N_CONCEPTS + 1) * VISIT  # up to the end of the first return
WITHOUT = "mooe, no memory"

ACCURACY = MEASURES["accuracy"]
REFRESH = 0.1  # seconds between two looks in the middle of a visit
LATEST = 3  # returns shown in words
LETTERS = "ABCD"  # the concepts, which only the reader knows
COLOURS = ("cyan", "magenta", "yellow", "green", "blue", "red")
WIDTH = 80  # at most, so that lines of text stay short
WIDTH_FOR_WORDS = 56  # of the columns' names


@dataclass
class Replay:
    """A demo under way."""

    stream: Stream
    seed: int
    learners: dict[str, Learner]
    seconds: dict[str, float]  # spent predicting and learning
    right: dict[str, np.ndarray]  # (n,), bool: which rows each model answered right
    # (n,): name of the regime in charge when a row had been learnt, 0 for none; from row `PIECE` of
    # a visit on it is known for every `PIECE` rows.
    charge: np.ndarray
    done: int = 0  # rows learnt so far; what the arrays hold beyond means nothing

    @property
    def n_returns(self) -> int:
        """How many visits of concepts that had been there before are over."""
        return max(0, self.done // VISIT - N_CONCEPTS)


@dataclass(frozen=True)
class Return:
    """A concept that is there again, and whether its regime was recognised."""

    row: int  # first of the visit, from 0
    concept: int
    regime: int  # name of the one in charge for most of the concept's last visit; 0 for none
    after: int | None  # rows of this visit learnt when that took over; None: it did not so far
    ago: int  # rows since it was last in charge, counted at `row`


def _make_learners(seed: int) -> dict[str, Learner]:
    """Return the demo's models by name, before their first row."""
    return {
        "mooe": MooeLearner(AutoParams(seed=seed)),
        WITHOUT: MooeLearner(AutoParams(seed=seed, without=MEMORIES)),
        "no-change": NoChange(),
        "majority": Majority(),
    }


def begin(rows: int, seed: int) -> Replay:
    """Return a replay of the demo's stream before its first row; a started visit is left out."""
    n = rows // VISIT * VISIT
    stream = recurring(n, N_FEATURES, N_CONCEPTS, VISIT, seed=seed)
    learners = _make_learners(seed)
    seconds = dict.fromkeys(learners, 0.0)
    right = {name: np.zeros(n, dtype=bool) for name in learners}
    return Replay(stream, seed, learners, seconds, right, np.zeros(n, dtype=np.int64))


def step(replay: Replay) -> None:
    """In place: every model predicts and learns the next rows, one or `PIECE` of them."""
    at = replay.done
    stop = at + (1 if at % VISIT < PIECE else PIECE)
    X, y = replay.stream.X[at:stop], replay.stream.y[at:stop]
    numbers = (y != replay.stream.y[0]).astype(np.float64)  # in order of appearance
    for name, learner in replay.learners.items():
        began = time.perf_counter()
        chosen = learner.predict_then_learn(X, numbers).chosen
        replay.seconds[name] += time.perf_counter() - began
        replay.right[name][at:stop] = chosen == numbers
    regime = in_charge(replay)
    replay.charge[at:stop] = regime.name if regime else 0
    replay.done = stop


def in_charge(replay: Replay) -> Concept | None:
    """Return the regime in charge now, None while it has no name."""
    mooe: Any = replay.learners["mooe"]
    return next((regime for regime in mooe.model.concepts() if regime.in_charge), None)


def return_in(replay: Replay, visit: int) -> Return:
    """Return what is known of a visit, numbered from 0, that is a return and has begun."""
    first = visit * VISIT
    end, before = min(first + VISIT, replay.done), first - N_CONCEPTS * VISIT
    concept = visit % N_CONCEPTS
    regime = int(np.bincount(replay.charge[before : before + VISIT]).argmax())
    if regime == 0:
        return Return(first, concept, 0, None, 0)
    ago = int(np.argmax(replay.charge[before:first][::-1] == regime)) + 1
    there = np.flatnonzero(replay.charge[first:end] == regime)
    after = int(there[0]) + 1 if len(there) and ago > 1 else None  # it had not left: no recognition
    return Return(first, concept, regime, after, ago)


def returns(replay: Replay) -> list[Return]:
    """Return all returns that are over."""
    return [return_in(replay, N_CONCEPTS + k) for k in range(replay.n_returns)]


def accuracy(replay: Replay, name: str) -> float:
    """Return a model's share of right answers so far; nobody could answer the first row."""
    right = replay.right[name]
    return float(right[min(1, replay.done - 1) : replay.done].mean())


def after_returns(replay: Replay, name: str, rows: int = VISIT) -> np.ndarray:
    """Return a model's share of right answers in the first rows after each return, (n_returns,)."""
    whole = replay.right[name][: replay.done // VISIT * VISIT].reshape(-1, VISIT)
    shares: np.ndarray = whole[N_CONCEPTS:, :rows].mean(axis=1)
    return shares


def gain(replay: Replay, rows: int) -> tuple[float, float]:
    """Return what memory adds to the accuracy after returns, and the standard error over them."""
    each = after_returns(replay, "mooe", rows) - after_returns(replay, WITHOUT, rows)
    error = np.std(each, ddof=1) / np.sqrt(len(each)) if len(each) > 1 else np.nan
    return float(each.mean()), float(error)


def results(replay: Replay) -> list[dict[str, Any]]:
    """Return a row per model over the rows learnt so far, at least one return.

    rows_to_recognise is the median over all returns; None where fewer than half were recognised.
    """
    waits = [np.inf if back.after is None else back.after for back in returns(replay)]
    median = float(np.median(waits))
    return [
        {
            "model": name,
            "stream": replay.stream.name,
            "rows": replay.done,
            "features": N_FEATURES,
            "classes": 2,
            "accuracy": accuracy(replay, name),
            "accuracy_after_return": float(after_returns(replay, name).mean()),
            **{
                f"accuracy_first_{rows}": float(after_returns(replay, name, rows).mean())
                for rows in AT_FIRST
            },
            "returns": replay.n_returns,
            "rows_to_recognise": median if name == "mooe" and median < np.inf else None,
            "seconds": replay.seconds[name],
            "rows_per_second": replay.done / replay.seconds[name],
            "seed": replay.seed,
            "version": version("mooe"),
        }
        for name in replay.learners
    ]


def report_runs(replay: Replay) -> tuple[list[Results], Results, list[float]]:
    """Return what a report is made of: all models, the one without memory, rows of changes."""
    from mooe.evaluate.loop import Entrant, Pass  # compiles what the screen does not need
    from mooe.evaluate.schedule import Schedule

    n = min(REPORT_ROWS, replay.done)
    stream = Stream(replay.stream.name, replay.stream.X[:n], replay.stream.y[:n])
    entrants = [
        Entrant(name, learner, watch=name == "mooe")
        for name, learner in _make_learners(replay.seed).items()
    ]
    run = Pass(entrants, stream.name, stream.task, Schedule(), VISIT // 2, replay.seed)
    run.go(stream.chunks(n))
    for results in run.results:
        results.origin = origin(data=stream.digest() or "")
    without = next(results for results in run.results if results.model == WITHOUT)
    return run.results, without, [float(row) for row in range(VISIT, n, VISIT)]


def play(replay: Replay, console: Console, live: bool) -> bool:
    """In place: replay to the end, on the screen if live; False if the user interrupted it."""
    drawn = 0.0
    live_screen = Live(console=console, auto_refresh=False, transient=True)
    try:
        if live:
            words = Text(
                f"\n{len(replay.stream.y):,} rows, {N_FEATURES} features: concepts "
                f"{', '.join(LETTERS)} take turns every {VISIT} rows and come back. No model is "
                "told which one is there, nor when it changes: mooe keeps an expert per regime and "
                "names those it knows.\n"
            )
            console.print(words, width=min(console.width, WIDTH))
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
