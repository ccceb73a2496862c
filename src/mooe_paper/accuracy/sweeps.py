"""What the paper leaves open: a method with every setting that was tried, never the best alone."""

from typing import Any

from mooe_paper.accuracy.comparing import accuracy, listed, of
from mooe_paper.accuracy.judged import cost_of, judged
from mooe_paper.accuracy.published import ACCURACY, RECURRING, ROUNDING
from mooe_paper.cells import Cell, Found, Table

__all__ = ["SETTINGS", "place_in", "sweep_cells", "sweep_table", "swept"]

SETTINGS: dict[str, dict[str, dict[str, str]]] = {  # by method and name
    "condor": {f"mu {mu}": {"mu": mu} for mu in ("0.0001", "0.001", "0.01", "0.1", "1", "10")},
    "mooe-paper": {
        "R 1": {"radius": "1"},
        "R 3": {"radius": "3"},
        "R 10": {"radius": "10"},
        "R 30": {"radius": "30"},
        "logistic": {"radius": "10", "loss": "logistic"},
        "printed step": {"radius": "10", "step": "printed"},
        "reset": {"radius": "10", "start": "reset"},
        "queue": {"radius": "10", "priority": "queue"},
    },
}
TITLES = {
    "condor": "Condor, by the strength mu of its pull",
    "mooe-paper": "MOOE as published, by what the paper leaves open",
}
NOTES = {
    "condor": "Neither paper gives mu; ours is 0.1.",
    "mooe-paper": "The paper does not give the radius R of the ball; ours is 1. The last four have "
    "R = 10: logistic loss, the step as printed, an online expert that starts anew in each "
    "interval, the oldest expert leaving.",
}


def sweep_cells(stream: str, rows: int | None, needs: tuple[str, ...], quick: bool) -> list[Cell]:
    """Return every setting on a stream; `quick`: the first and the last."""
    out = []
    for model, settings in SETTINGS.items():
        names = list(settings)
        for name in (names[0], names[-1]) if quick else names:
            arguments: dict[str, Any] = {"stream": stream, "model": model, "setting": name}
            if rows is not None:
                arguments["max_rows"] = rows
            cost = cost_of(stream, model)
            out.append(Cell(f"{stream} {model} with {name}", swept, arguments, needs, cost))
    return out


def swept(stream: str, model: str, setting: str, max_rows: int | None = None) -> dict[str, Any]:
    """Return the record of a model with a setting."""
    record = judged(stream, model, parameters=SETTINGS[model][setting], max_rows=max_rows)
    return {**record, "model": f"{model} swept", "setting": setting}


def sweep_table(found: Found, model: str) -> Table:
    """Return the accuracy of a method with every setting, a line for each stream."""
    records = of(found, model=f"{model} swept")
    tried = [name for name in SETTINGS[model] if of(found, model=f"{model} swept", setting=name)]
    rows = []
    for stream in listed(record["stream"] for record in records):
        here = of(found, stream=stream, model=f"{model} swept")
        by_name = {one["setting"]: accuracy(one) for one in here}
        values = [by_name.get(name) for name in tried]
        paper = printed(stream, model)
        rows.append([stream, paper, *values, place_in(paper, values)])
    return Table(
        TITLES[model],
        ["stream", "paper", *tried, "the paper's number"],
        rows,
        f"Accuracy in %. {NOTES[model]} The whole sweep is shown; picking the best cell of a line "
        "would be tuning on the answers.",
    )


def printed(stream: str, model: str) -> float | None:
    """Return the accuracy that the paper prints, None where it prints none."""
    if stream in RECURRING:
        return RECURRING[stream][model][0]
    return ACCURACY.get(stream, {}).get(model)


def place_in(paper: float | None, values: list[float | None]) -> str:
    """Return where a printed number, which is rounded, lies beside a sweep.

    >>> place_in(5.0, [4.0, None, 6.0]), place_in(7.0, [4.0, None, 6.0]), place_in(5.0, [4.96])
    ('within the sweep', 'above the sweep', 'within the sweep')
    """
    known = [value for value in values if value is not None]
    if paper is None or not known:
        return ""
    if min(known) - ROUNDING <= paper <= max(known) + ROUNDING:
        return "within the sweep"
    return "above the sweep" if paper > max(known) else "below the sweep"
