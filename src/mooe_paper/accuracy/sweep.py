"""Printed numbers beside ours with every setting of a sweep, and the one that fits a table best.

A method's verdicts in a table or figure are given twice: with our defaults, and with the one
setting of its sweep with which most of the numbers that the paper prints of it there hold. One
setting serves all cells of a table: to take the best for each cell would be tuning on the answers.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mooe_paper.accuracy.comparison import (
    HOLDS,
    Measure,
    Size,
    accuracy,
    all_rows,
    comparison,
    mean,
    verdict,
)
from mooe_paper.accuracy.models import cost_of
from mooe_paper.experiment import Experiment, Record, Records, ResultTable, matching
from mooe_paper.printed_numbers import ROUNDING
from mooe_paper.unknowns import N_SETTINGS, SWEEPS, WORDS, default_setting

SETTINGS_TITLE = "How many printed numbers hold, by setting"
TAKEN = "taken"
SWEEP_COLUMN = "the paper's number"  # where it lies beside a sweep
WHOLE = "The whole sweep is shown; picking the best cell of a line would be tuning on the answers."


@dataclass(frozen=True)
class Printed:
    """A number that the paper prints, or might, and our runs for it.

    Attributes
    ----------
    of : tuple of str
        What it is of: a stream, a measure, a number of experts.
    model : str
    paper : float or None
        In percent.
    runs : dict of str to list of records
        By the name of the setting, one for each seed; the first setting is our default.
    measure, size : callable
        As for `comparison`.
    """

    of: tuple[str, ...]
    model: str
    paper: float | None
    runs: Mapping[str, list[Record]]
    measure: Measure = accuracy
    size: Size = all_rows

    def values(self, setting: str) -> list[float]:
        """Return ours with a setting, one for each seed, in percent."""
        return [v for run in self.runs.get(setting, []) if (v := self.measure(run)) is not None]

    def ours(self, setting: str) -> float | None:
        """Return the mean of ours with a setting."""
        return mean(self.values(setting))

    def verdict(self, setting: str) -> str:
        """Return the verdict with a setting, '' where there is none."""
        values = self.values(setting)
        return verdict(self.paper, values, self.size(self.runs[setting][0])) if values else ""

    def line(self, setting: str) -> list[Any]:
        """Return the columns `COLUMNS`: with our default, and with the setting that was taken."""
        default = next(iter(self.runs), "")
        line = comparison(self.runs.get(default, []), self.paper, self.measure, self.size)
        if not setting:
            return [*line, None, ""]
        word = self.verdict(setting)
        return [*line, self.ours(setting), f"{word} at {setting}" if word else ""]


def runs_of(records: Records, model: str, **values: Any) -> dict[str, list[Record]]:
    """Return the records of a method by the name of the setting, our default first.

    A method that is not swept has one setting, without name.
    """
    own = matching(records, model=model, **values)
    if model not in SWEEPS:
        return {"": own}
    found = {default_setting(model): own}
    for setting in list(SWEEPS[model])[1:]:
        runs = matching(records, model=f"{model} swept", setting=setting, **values)
        if runs:
            found[setting] = runs
    return found


def sweep_experiments(
    function: Callable[..., Record],
    stream: str,
    needs: tuple[str, ...],
    quick: bool,
    more: Mapping[str, Any] | None = None,
    slowness: float = 1.0,
) -> list[Experiment]:
    """Return every setting of every method but its default; `quick`: the last of each.

    Parameters
    ----------
    function : callable
        Takes `stream`, `model`, `setting`, and `more` arguments.
    slowness : float
        As for `model_experiments`.
    """
    return [
        Experiment(
            f"{stream} {model} with {setting}",
            function,
            {"stream": stream, "model": model, "setting": setting, **(more or {})},
            needs,
            slowness * cost_of(stream, model),
        )
        for model, settings in SWEEPS.items()
        for setting in list(settings)[-1 if quick else 1 :]
    ]


def compared(numbers: Sequence[Printed]) -> list[Printed]:
    """Return the numbers that the paper prints and that were run."""
    return [n for n in numbers if n.paper is not None and n.values(next(iter(n.runs), ""))]


def holding(numbers: Sequence[Printed], setting: str) -> int:
    """Return how many printed numbers hold with a setting."""
    return sum(number.verdict(setting) == HOLDS for number in compared(numbers))


def distance(numbers: Sequence[Printed], setting: str) -> float:
    """Return how far ours with a setting are from the printed numbers, in points, in the mean."""
    gaps = [abs((n.ours(setting) or 0.0) - (n.paper or 0.0)) for n in compared(numbers)]
    return mean(gaps) or 0.0


def complete_settings(numbers: Sequence[Printed]) -> list[str]:
    """Return the settings that were run for all printed numbers, in the order of the sweep."""
    known = compared(numbers)
    if not known:
        return []
    return [name for name in known[0].runs if all(number.values(name) for number in known)]


def table_setting(numbers: Sequence[Printed]) -> str:
    """Return the one setting of a method for a table; '' where nothing is to be compared.

    Most of its printed numbers hold with it; of equals it is the first of the sweep.
    """
    return max(complete_settings(numbers), key=lambda name: holding(numbers, name), default="")


def by_model(numbers: Sequence[Printed]) -> dict[str, list[Printed]]:
    """Return the numbers of every method that is swept."""
    swept = {model: [n for n in numbers if n.model == model] for model in SWEEPS}
    return {model: own for model, own in swept.items() if own}


def table_settings(numbers: Sequence[Printed]) -> dict[str, str]:
    """Return the one setting of every method for a table."""
    return {model: table_setting(own) for model, own in by_model(numbers).items()}


def allowance(numbers: Sequence[Printed]) -> str:
    """Say how the last two columns of a comparison came about."""
    tried = [len(complete_settings(own)) for own in by_model(numbers).values() if compared(own)]
    if not tried:
        return ""
    few, many = min(tried), max(tried)
    return (
        "The last two columns have one setting per method and table, the same for all of its "
        f"numbers: of {few if few == many else f'{few} to {many}'} that were tried of each method, "
        "the one with which most of them hold, of equals the first of its sweep, our default "
        "before others."
    )


def settings_table(numbers: Sequence[Printed]) -> ResultTable:
    """Return, for every method and setting, how many printed numbers of a table hold with it."""
    rows: list[list[Any]] = []
    for model, own in by_model(numbers).items():
        taken = table_setting(own)
        for name in complete_settings(own):
            word = TAKEN if name == taken else ""
            share = f"{holding(own, name)} of {len(compared(own))}"
            rows.append([model, name, share, distance(own, name), mean_of(own, name), word])
    return ResultTable(
        SETTINGS_TITLE,
        ["model", "setting", "hold", "points off, mean", "ours, mean", ""],
        rows,
        f"Every method has up to {N_SETTINGS} settings of what is unknown of it, the first is our "
        f"default. {'. '.join(f'{model}: {text}' for model, text in WORDS.items())}. Taken: the "
        "one with which most numbers of this table hold, of equals the first; with "
        "settings other than the default each was run once, with one seed.",
    )


def mean_of(numbers: Sequence[Printed], setting: str) -> float | None:
    """Return the mean of ours with a setting over all numbers that were run."""
    return mean([v for number in compared(numbers) if (v := number.ours(setting)) is not None])


def sweep_table(
    numbers: Sequence[Printed], model: str, title: str, columns: Sequence[str]
) -> ResultTable:
    """Return ours with every setting of a method, a line for each number; `columns` name it."""
    own = [n for n in numbers if n.model == model and n.values(default_setting(model))]
    tried = [name for name in SWEEPS[model] if any(number.values(name) for number in own)]
    rows = []
    for number in own:
        values = [number.ours(name) for name in tried]
        rows.append([*number.of, number.paper, *values, place_in(number.paper, values)])
    return ResultTable(
        title,
        [*columns, "paper", *tried, SWEEP_COLUMN],
        rows,
        f"In %. Unknown, and swept: {WORDS[model]}. Our default is {default_setting(model)}. "
        f"{WHOLE}",
    )


def place_in(paper: float | None, values: Sequence[float | None]) -> str:
    """Say where a printed number, which is rounded, lies beside a sweep.

    >>> place_in(5.0, [4.0, None, 6.0]), place_in(7.0, [4.0, None, 6.0]), place_in(5.0, [4.96])
    ('within the sweep', 'above the sweep', 'within the sweep')
    """
    known = [value for value in values if value is not None]
    if paper is None or not known:
        return ""
    if min(known) - ROUNDING <= paper <= max(known) + ROUNDING:
        return "within the sweep"
    return "above the sweep" if paper > max(known) else "below the sweep"
