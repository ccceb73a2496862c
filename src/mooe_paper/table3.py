"""Table 3: Covertype with noise that grows until it is all noise."""

from typing import Any

from mooe.evaluate.measures import TRIVIAL
from mooe_paper.accuracy.comparison import (
    COLUMNS,
    PROTOCOL,
    RULE,
    mean,
    missing_reason,
    n_seeds,
    not_run,
    printed_as,
)
from mooe_paper.accuracy.models import MODELS, SEEDS, model_experiments
from mooe_paper.accuracy.runs import run_in_noise
from mooe_paper.accuracy.sweep import (
    Printed,
    allowance,
    runs_of,
    settings_table,
    sweep_experiments,
    table_settings,
)
from mooe_paper.experiment import Experiment, Records, ResultTable, matching, no_figures
from mooe_paper.printed_numbers import GROWING_NOISE

TITLE = "Table 3: Covertype with growing noise"
figures = no_figures
STREAM = "Covertype"
MADE, MADE_ROWS = "recurring", 6_000
RUNS = (
    ". Labels are left as they are: they come in runs, so no-change is not touched by the noise, "
    "nor is mooe, which has it among its experts."
)


def experiments(quick: bool) -> list[Experiment]:
    """Return every model with noise of several seeds, and every setting with noise of one."""
    stream, needs = (MADE, ()) if quick else (STREAM, (STREAM,))
    rows = {"max_rows": MADE_ROWS} if quick else {}
    n_seeds = 2 if quick else SEEDS
    slowness = 2.0  # trees on noise grow deep
    models = model_experiments(run_in_noise, stream, needs, n_seeds, rows, MODELS, slowness)
    return models + sweep_experiments(run_in_noise, stream, needs, quick, rows, slowness)


def tables(records: Records) -> list[ResultTable]:
    """Return paper against ours, with the accuracy over the last tenth of the rows, and sweeps."""
    named = bool(missing_reason(records, STREAM) or matching(records, stream=f"{STREAM}-noise"))
    numbers = [
        Printed(
            (model,),
            model,
            GROWING_NOISE.get(printed_as(model)) if named else None,
            runs_of(records, model),
        )
        for model in (*MODELS, *TRIVIAL)
    ]
    taken = table_settings(numbers)
    rows: list[list[Any]] = []
    for number in numbers:
        last = mean([100.0 * run["tail"] for run in matching(records, model=number.model)])
        rows.append([number.model, *number.line(taken.get(number.model, "")), last])
    where = RUNS if named else f", on {MADE} in the place of {STREAM}."
    note = (
        f"Accuracy in %{where} Row t of n is (1 - t/n) x + (t/n) e, x standardised as it arrives, "
        "e standard normal; the paper gives no schedule, and this one was not swept. Spread over "
        f"{n_seeds(records)} seeds of the noise. {PROTOCOL} {RULE} "
        f"{allowance(numbers)}{not_run(records)}"
    )
    columns = ["model", *COLUMNS, "last tenth"]
    return [ResultTable("Paper and ours", columns, rows, note), settings_table(numbers)]
