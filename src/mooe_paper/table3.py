"""Table 3: Covertype with noise that grows until it is all noise."""

from typing import Any

from mooe.evaluate.measures import TRIVIAL
from mooe_paper.accuracy.comparison import (
    COLUMNS,
    PROTOCOL,
    RULE,
    comparison,
    mean,
    missing_reason,
    n_seeds,
    not_run,
    printed_as,
)
from mooe_paper.accuracy.models import MODELS, SEEDS, model_experiments
from mooe_paper.accuracy.runs import run_in_noise
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
    """Return every model on the stream, with noise of several seeds."""
    stream, needs = (MADE, ()) if quick else (STREAM, (STREAM,))
    rows = {"max_rows": MADE_ROWS} if quick else {}
    n_seeds = 2 if quick else SEEDS
    slowness = 2.0  # trees on noise grow deep
    return model_experiments(run_in_noise, stream, needs, n_seeds, rows, MODELS, slowness)


def tables(records: Records) -> list[ResultTable]:
    """Return paper against ours, with the accuracy over the last tenth of the rows."""
    named = bool(missing_reason(records, STREAM) or matching(records, stream=f"{STREAM}-noise"))
    rows: list[list[Any]] = []
    for model in (*MODELS, *TRIVIAL):
        runs = matching(records, model=model)
        paper = GROWING_NOISE.get(printed_as(model)) if named else None
        line = comparison(runs, paper)
        last = mean([100.0 * run["tail"] for run in runs])
        rows.append([model, *line, last])
    where = RUNS if named else f", on {MADE} in the place of {STREAM}."
    note = (
        f"Accuracy in %{where} Row t of n is (1 - t/n) x + (t/n) e, x standardised as it arrives, "
        "e standard normal; the paper gives no schedule. Spread over "
        f"{n_seeds(records)} seeds of the noise. {PROTOCOL} {RULE}{not_run(records)}"
    )
    return [ResultTable("Paper and ours", ["model", *COLUMNS, "last tenth"], rows, note)]
