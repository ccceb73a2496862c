"""mooe inspect: what is in a model file."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from mooe.cli.app import app, usage
from mooe.cli.options import AsJson

if TYPE_CHECKING:
    from mooe.model import Model

MOST_NAMES = 8  # of classes or columns in a line


@app.command()
def inspect(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model file.")],
    name: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NUMBER=NAME", help="Call a regime by a name, in the file; repeatable."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what a saved model has learnt: parameters, experts, classes, columns, regimes."""
    from mooe.model import Model

    if not model.exists():
        raise ValueError(f"model file must exist, got {str(model)!r}")
    from mooe.modelfile import ModelFileError, kind_of

    try:
        kind = kind_of(model.read_bytes())
    except ModelFileError as problem:
        raise ModelFileError(f"{model}: {problem}") from problem
    if kind:
        if name:
            usage("--name", f"must be left out, for {model} is a forecaster")
        _inspect_forecasters(model, as_json)
        return
    known = Model.load(model)
    if name:
        _name_regimes(known, name)
        known.save(model)
    facts = _facts(model, known)
    if as_json:
        print(json.dumps(facts, indent=2))
        return
    from mooe.cli.terminal_tables import to_stdout

    console = to_stdout()
    experts, concepts, params = (facts.pop(name) for name in ("experts", "concepts", "params"))
    for what, value in facts.items():
        console.print(f"{what.replace('_', ' '):<14}{_line(value)}", markup=False, soft_wrap=True)
    console.print("\nparameters    " + ", ".join(f"{k}={v}" for k, v in params.items()) + "\n")
    console.print(_expert_table(experts))
    if concepts:
        console.print()
        console.print(_regime_table(concepts))
        lines = "\n".join(["", *_regime_lines(known)])
        console.print(lines, markup=False, soft_wrap=True)


def _inspect_forecasters(path: Path, as_json: bool) -> None:
    """Show what saved forecasters have learnt: of many series the first."""
    from mooe.forecast.frames import Place, load_all

    forecasters = load_all(path)
    first = next(iter(forecasters.values()))
    facts: dict[str, Any] = {
        "file": str(path),
        "bytes": path.stat().st_size,
        "series": len(forecasters),
        "horizon": first.horizon,
        "seasons": list(first.seasons_),
        "levels": list(first.levels),
        "memory": first.memory,
        "rows": {name or "all": each.n_rows_ for name, each in forecasters.items()},
    }
    if first.notes.get("series"):
        place = Place.of(first)
        facts |= {"step": place.grid.said(), "next": place.grid.texts([place.next])[0]}
        facts["channels"] = list(place.columns.targets)
    weights = first.explain().weights
    if as_json:
        print(json.dumps({**facts, "weights": weights}, indent=2))
        return
    from mooe.cli.terminal_tables import plain_table, to_stdout

    console, rows = to_stdout(), facts.pop("rows")
    facts["rows"] = f"{sum(rows.values()):,}"
    for what, value in facts.items():
        told = value if isinstance(value, str) else json.dumps(value).strip("[]")
        console.print(f"{what:<14}{told}", markup=False, soft_wrap=True)
    table = plain_table("steps", "expert", "weight")
    for line in (line for line in weights if line["channel"] == 0):
        for at, (expert, share) in enumerate(list(line["weights"].items())[:3]):
            steps = "" if at else f"{line['first']}-{line['last']}"
            table.add_row(steps, expert, f"{100 * share:.1f} %")
    console.print()
    console.print(table)


def _expert_table(experts: list[dict[str, Any]]) -> Any:
    """Return the experts, heaviest first."""
    from mooe.cli.terminal_tables import plain_table

    fitted = any("interval" in expert for expert in experts)
    table = plain_table("expert", *(("interval", "samples") if fitted else ()), "weight")
    for expert in sorted(experts, key=lambda expert: -expert["weight"]):
        weight = f"{100 * expert['weight']:.2f} %"
        if not fitted:
            table.add_row(expert["name"].replace("_", " "), weight)
            continue
        first, last = expert["samples"]
        samples = f"{first:,}-{last:,}" if last >= first else "none yet"
        table.add_row(expert["kind"], f"{expert['interval']:,}", samples, weight)
    return table


def _regime_table(regimes: list[dict[str, Any]]) -> Any:
    """Return the regimes that the memory knows."""
    from mooe.cli.terminal_tables import plain_table

    table = plain_table("regime", "samples", "recognised", "visits", "last in charge")
    for regime in regimes:
        last = regime["dates"][-1][1] if regime["dates"] else ""
        now = "now" if regime["in_charge"] else last or f"{regime['last']:,}"
        numbers = (f"{regime[name]:,}" for name in ("samples", "recognised"))
        called = f"{regime['name']} {regime['title']}".strip()
        table.add_row(escape(called), *numbers, f"{len(regime['visits']):,}", now)
    return table


def _name_regimes(model: "Model", pairs: list[str]) -> None:
    """In place: give regimes their names, or stop where one is wrong."""
    for pair in pairs:
        number, sign, title = pair.partition("=")
        if not sign or not number.strip().isdigit():
            usage(
                "--name", f"must be a regime's number and its name, such as 3=summer, got {pair!r}"
            )
        try:
            model.name_regime(int(number), title)
        except ValueError as problem:
            usage("--name", problem)


def _regime_lines(model: "Model") -> list[str]:
    """Return when each regime was here, and what it is like."""
    from mooe.explanation import gone_text, regime_text

    lines, regimes = [], model.concepts()
    for regime in regimes:
        told = "; ".join([regime.when(), *regime.description()])
        lines.append(f"{regime_text(regime.name, regime.title)}: {told}")
    gone = gone_text([regime.name for regime in regimes])
    return [*lines, gone] if gone else lines


def _facts(path: Path, model: "Model") -> dict[str, Any]:
    """Return what is in a model file."""
    from mooe.tables import SourceColumns

    params, state = model.params, model.start(0)
    noted = SourceColumns.of(model) if "source" in model.notes else None
    kind = "Classifier" if model.task == "classification" else "Regressor"
    return {
        "file": str(path),
        "kind": f"MOOE{kind}" if params.mode == "auto" else f"PaperMOOE{kind}",
        "model": noted and noted.model,
        "mode": params.mode,
        "task": params.task,
        "samples": model.n_labelled,
        "intervals": model.engine.n_intervals(params, state),
        "classes": model.labels.names if model.task == "classification" else None,
        "label": noted and noted.label,
        "features": state.n_features,
        "columns": model.columns,
        "state_bytes": state.block.nbytes + state.counters.nbytes,
        "expert_bytes": model.engine.sizes(params, state),
        "file_bytes": path.stat().st_size,
        "params": {k: v for k, v in asdict(params).items() if k != "task"},
        "experts": [expert.facts() for expert in model.experts()],
        "concepts": [asdict(concept) for concept in model.concepts()],
    }


def _line(value: Any) -> str:
    """Return a fact in a line."""
    if isinstance(value, list):
        from mooe.words import some_of

        return some_of(value, MOST_NAMES)
    if isinstance(value, dict):
        return (
            ", ".join(f"{name.replace('_', ' ')} {size:,}" for name, size in value.items()) or "-"
        )
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else str(value)
