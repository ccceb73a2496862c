"""mooe reproduce: the tables, figures and theorems of the paper, computed again."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mooe.cli.app import app, check_folder, fail, note, usage
from mooe.cli.options import AsJson, Quiet, place
from mooe.cli.output_paths import check_outputs, published_files

if TYPE_CHECKING:
    from mooe_paper.workers import Reproduction

LONG = 100  # characters, of a sentence, for which a table on a terminal has no room


@app.command()
def reproduce(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="RESULT...",
            help="table1, table2, table3, figure-kmax, figure-regret, figure-loss, theory, or all.",
        ),
    ],
    quick: Annotated[
        bool, typer.Option("--quick", help="Only what needs no download; minutes.")
    ] = False,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Processes to work in; by default, one per core.")
    ] = None,
    out: Annotated[Path, place("--out", "FOLDER", "Results, report, finished cells.")] = Path(
        "reproduced"
    ),
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Compute the paper's tables and figures again, and say which printed numbers hold.

    What is finished is kept in the folder: started again, the command goes on where it was.
    """
    wanted = _result_names(names)
    check_outputs(published_files(), [("--out", out)])
    check_folder("the results", out)
    from mooe_paper.workers import new_reproduction, usable_cores

    work = new_reproduction(wanted, out, quick)
    problems, interrupted = _run(work, jobs or usable_cores(), quiet)
    for problem in [*dict.fromkeys(job.missing for job in work.jobs if job.missing), *problems]:
        note(problem)
    done = [name for name in wanted if work.write_result(name)]
    if done:
        _show(done, out, as_json)
    if interrupted:
        left = len(work.unfinished())
        fail(f"interrupted; {left} of {len(work.jobs)} cells are left, the same command goes on")
    if problems:
        raise typer.Exit(1)


def _result_names(names: list[str]) -> list[str]:
    """Return the results to compute, each once, in the order of `RESULTS`."""
    from mooe.streams.stream import nearest
    from mooe_paper import RESULTS

    for name in names:
        if name not in RESULTS and name != "all":
            hint = nearest(name, [*RESULTS, "all"])
            rule = f"result must be one of {', '.join(RESULTS)} or all, got {name!r}"
            usage("RESULT", rule + (f"; {hint}" if hint else ""))
    return [name for name in RESULTS if name in names or "all" in names]


def _run(work: "Reproduction", n_processes: int, quiet: bool) -> tuple[list[str], bool]:
    """Run what is not finished; return what went wrong, and whether the user interrupted."""
    from mooe_paper.progress import CellProgress
    from mooe_paper.workers import run_jobs

    problems: list[str] = []
    unfinished = work.unfinished()
    costs = [job.experiment.cost for job in unfinished]
    n_before = sum(not job.missing for job in work.jobs) - len(unfinished)
    outcomes = run_jobs(unfinished, n_processes)
    try:
        with CellProgress(n_before, costs, n_processes, not quiet) as watcher:
            for job, problem in outcomes:
                if problem:
                    problems.append(problem)
                watcher.see(job.name, job.experiment.cost)
    except KeyboardInterrupt:
        return problems, True
    finally:
        outcomes.close()
    return problems, False


def _show(done: list[str], out: Path, as_json: bool) -> None:
    """Write the report; print the tables, or JSON."""
    from mooe.cli.terminal_tables import to_stdout
    from mooe.words import counted
    from mooe_paper import result_module
    from mooe_paper.paper_report import write_report
    from mooe_paper.store import load_result, records_of

    page = write_report(out)
    tables: dict[str, Any] = {}
    for name in done:
        records = records_of(load_result(out / f"{name}.json"))
        tables[name] = [vars(table) for table in result_module(name).tables(records)]
    if as_json:
        print(json.dumps({"tables": tables, "report": str(page)}, indent=2))
        return
    console = to_stdout()
    for name in done:
        console.print(f"\n{result_module(name).TITLE}", style="bold", markup=False)
        for table in tables[name]:
            if any(isinstance(v, str) and len(v) > LONG for row in table["rows"] for v in row):
                where = f"{counted(len(table['rows']), 'line')} of text, in {out / name}.md"
                console.print(f"\n{table['title']}: {where}", markup=False, soft_wrap=True)
            else:
                _print_table(table, console)
    console.print(f"\nreport: {page}", markup=False, soft_wrap=True)


def _print_table(table: dict[str, Any], console: Any) -> None:
    """Print a table as the terminal has room for it, and its note."""
    from rich.markup import escape

    from mooe.cli.terminal_tables import plain_table
    from mooe_paper.experiment import cell_text

    drawn = plain_table()
    for at, column in enumerate(table["columns"]):
        is_number = any(isinstance(row[at], float) for row in table["rows"])
        drawn.add_column(escape(column), justify="right" if is_number else "left")
    for row in table["rows"]:
        drawn.add_row(*(escape(cell_text(value, table["digits"])) for value in row))
    console.print(f"\n{table['title']}", markup=False)
    console.print(drawn)
    if table["note"]:
        console.print(table["note"], style="dim", markup=False)
