"""What a run leaves behind: answers, a report, a table, and remarks."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mooe.cli.app import note

if TYPE_CHECKING:
    from mooe.results import Results
    from mooe.runs import Run

__all__ = ["Output", "answers", "remarks", "show", "written_report"]


@dataclass(frozen=True)
class Output:
    """What is to be written, and where."""

    save: Path | None
    predictions: Path | None
    report: Path | None
    as_json: bool
    quiet: bool


def answers(results: "Results", labels: Any) -> list[tuple[int, Any, Any]]:
    """Return number, label and answer of the rows of a chunk."""
    chosen = [] if results.predictions is None else results.predictions.tolist()
    first = results.rows - len(chosen)
    return list(zip(range(first, results.rows), labels.tolist(), chosen, strict=True))


def written_report(job: "Run", output: Output) -> Path:
    """Write results and report, the model without memory beside it if it has one."""
    from mooe import results
    from mooe.report import write_report

    folder = output.report or Path()
    job.results.origin = results.origin(data=job.stream.digest() or "")
    results.save(job.results, folder)
    return write_report(folder, [job.results, *job.others], job.alone)


def show(job: "Run", output: Output, page: Path | None) -> None:
    """Print the final table, and what lies where."""
    from mooe.cli.tables import final_table, to_stdout

    console, results = to_stdout(), job.results
    sizes = [counted(results.rows, "row"), counted(results.features, "feature")]
    if results.task == "classification":
        sizes.append(counted(len(results.classes), "class"))
    console.print(f"\n{results.stream}: {', '.join(sizes)}\n", soft_wrap=True, markup=False)
    console.print(final_table([results, *job.others], console.width))
    written = [("model", output.save), ("answers", output.predictions), ("report", page)]
    lines = [f"{what}: {path}" for what, path in written if path is not None]
    if results.remembers == "regimes" and not output.quiet:
        lines.insert(0, regime_line(results))
    if lines:
        console.print("\n".join(["", *lines]), soft_wrap=True, markup=False)


def regime_line(results: "Results") -> str:
    """Return which regimes are known, and which one the stream is in."""
    n, now = len(results.concepts), [one for one in results.concepts if one["in_charge"]]
    if not n:
        return "regimes: none known yet"
    if not now:
        return f"regimes: {n:,} known; now in none of them"
    since = now[0]["visits"][-1][0]
    here = f"row {since:,}" if since >= 0 else "before the stream"
    return f"regimes: {n:,} known; now in regime {now[0]['name']}, here since {here}"


def counted(n: int, what: str) -> str:
    """Return how many there are, in words."""
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}{'es' if what.endswith('s') else 's'}"


def remarks(job: "Run", output: Output) -> None:
    """Say on standard error what a user should know of the data."""
    feed, results, spool = job.feed, job.results, job.feed.spool
    if feed.n_missing:
        cells = counted(feed.n_missing, "cell")
        note(
            f"{cells} without a value: a number is taken as the mean so far, a text as none; "
            "--missing error refuses them"
        )
    if feed.n_skipped:
        note(f"{counted(feed.n_skipped, 'bad row')} left out")
    if results.rows and not results.cumulative:
        note("warning: no row has a label, so nothing was learnt; is --label the right column?")
    if output.save is not None and job.plan.delay != 0:
        note("labels that had not come yet are not in the saved model")
    if results.rows and spool is not None and spool.is_constant:
        note(
            "warning: the label never changes, so every model is right; "
            "is --label the right column?"
        )
    best = max(job.others, key=lambda other: other.cumulative.get("accuracy", -1.0), default=None)
    if best is not None and best.cumulative.get("accuracy", -1.0) > results.cumulative.get(
        "accuracy", 2.0
    ):
        note(f"{best.model} is right more often than {results.model} on this stream")
