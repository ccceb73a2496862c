"""Our default model beside other stream learners as a section of the page, and the promises."""

import math
from statistics import fmean

import digest
from markdown_table import table
from peers_names import (
    ENOUGH,
    ENTRIES,
    GRIDS,
    MADE,
    REAL,
    SHOWN,
    STREAMS,
    TWO_FORMS,
    library_of,
    points,
)

RIVAL, RIVAL_FLOOR = "arf-30", 20  # ours has so many times its rows a second
OURS = "mooe"
PROTOCOL = """\
Prequential: every row is answered, then learnt, and all count from the first on. Nothing is tuned \
to a stream except the two "best in hindsight", which are the best of {lr} (rate {rates}) and {pa} \
(C {limits}) runs, each with StandardScaler and with raw inputs. CapyMOA's models have their \
defaults but for the number of trees: ARF and SRP 30 and 100, Leveraging Bagging 100; nearest \
neighbours are 3 of the last 1,000 rows; RCD and ADACC are MOA's, with its default base, naive \
Bayes, and with Hoeffding trees. They get dense rows, told beforehand how many classes there are \
and which columns are nominal or hold only 0 and 1 (on {forms} also with all columns \
numeric, and the better of both counts; ours gets them as numbers); no answer is the first \
class, as in CapyMOA's evaluation. River's models get dicts, StandardScaler in front (on Spam_full \
raw dicts of what is not zero), several classes one against the rest. Ours is the mean of {seeds} \
seeds, every other one run with seed 0; the made streams (benchmarks/streams.py) are those of seed \
0. A slow model may stop after {enough:,} rows of a longer stream, once its budget of processor \
time is spent; ranks are over the rows that all came to. Powersupply is hour below 12 \
or not, Spam the 499-word stand-in, WESAD a third party's features, GasSensor 8 of 10 batches. On \
Usenet1, Email and Powersupply the labels before give away nearly every label: ours looks at them, \
of the others no-change alone; what ours does without is in the next section. \
"""
# Why another model is ahead of ours, for each stream where one is.
REASONS = {
    "hyperplane": "one plane that turns slowly: those ahead are single linear models, and the "
    "mixture pays for trying others",
    "random-tree": "a tree of nominal columns, which ours gets as numbers here; read from a table, "
    "as texts, it is level with the forests",
}


def digest_of(models, versions, timed=False):
    """Return the digest, as of now, of what these models answer, or how long they take in turns.

    Those of others depend on their wrapper and the version of their library, not on ours.
    """
    parts = []
    for model in models:
        library = library_of(model)
        ours = library == "mooe"
        own = digest.of("peers", timed=timed)
        parts.append(own if ours else digest.of_peer(library, versions[library]))
    return digest.hashed(*parts)


def digests(results):
    """Yield the model of every run, and the speeds, with their digests and what these are now."""
    for one in (*results["runs"], *results["speed"]):
        models = [one["model"]] if "model" in one else list(one["rows_per_second"])
        name = one.get("model", "rows a second in turns")
        origin = results["origins"][one["origin"]]
        yield name, one.get("digest"), digest_of(models, origin, timed="model" not in one)


def rendered(results):
    """Return the section of the page."""
    runs = by_model(results)
    ranked = {stream: rows for stream in STREAMS if (rows := ranked_rows(results, runs, stream))}
    ranks = {stream: ranks_of(runs, stream, rows) for stream, rows in ranked.items()}
    kinds = {"real": REAL, "made": MADE}
    return (
        introduction(results)
        + "".join(accuracy_table(runs, ranked, ranks, *kind) for kind in kinds.items())
        + beaten(runs, ranked, ranks)
        + cut_table(results, runs, ranked)
        + rates_table(runs)
        + speed_table(results)
        + promises_table(results, ranks, kinds)
    )


def by_model(results):
    """Return the runs of each (stream, model): one for each seed."""
    found = {}
    for run in results["runs"]:
        found.setdefault((run["stream"], run["model"]), []).append(run)
    return found


def runs_of(runs, stream, entry):
    """Return the runs of each point of an entry; empty unless all points were run."""
    found = [runs.get((stream, model)) for model in points(stream, entry)]
    return found if all(found) else []


def managed(runs, stream, entry):
    """Return the rows that an entry came to; None where it was not run."""
    found = runs_of(runs, stream, entry)
    return min(run["rows"] for seeds in found for run in seeds) if found else None


def ranked_rows(results, runs, stream):
    """Return the rows that all entries came to, those that came to none aside.

    0 if an entry was not run, or if they are too few of a stream.
    """
    counts = [managed(runs, stream, entry) for entry in ENTRIES]
    if None in counts or stream in SHOWN:
        return 0
    rows = min((rows for rows in counts if rows), default=0)
    return rows if rows >= min(ENOUGH, results["streams"][stream]["rows"]) else 0


def accuracy(runs, stream, entry, rows):
    """Return the share of right answers in the first rows, the mean over seeds; None if unknown."""
    count = managed(runs, stream, entry)
    if not rows or not count or count < rows:
        return None
    return max(
        fmean(sum(run["correct"][: math.ceil(rows / run["part"])]) / rows for run in seeds)
        for seeds in runs_of(runs, stream, entry)
    )


def ranks_of(runs, stream, rows):
    """Return the rank of each entry, 1 the best; equals share theirs; no figure ranks last."""
    scores = {entry: accuracy(runs, stream, entry, rows) for entry in ENTRIES}
    scores = {entry: -1.0 if score is None else score for entry, score in scores.items()}
    return {
        entry: sum(other > score for other in scores.values())
        + (1 + sum(other == score for other in scores.values())) / 2
        for entry, score in scores.items()
    }


def mean_ranks(ranks):
    """Return the mean rank of each entry over the streams, the best first."""
    found = {entry: fmean(each[entry] for each in ranks.values()) for entry in ENTRIES}
    return dict(sorted(found.items(), key=lambda pair: pair[1]))


def introduction(results):
    origin = results["origins"][results["runs"][-1]["origin"]]
    named = ("mooe", "capymoa", "river", "numpy", "numba", "python")
    versions = ", ".join(f"{name} {origin[name]}" for name in named)
    numbers = {
        "lr": len(GRIDS["river-lr"]),
        "pa": len(GRIDS["river-pa"]),
        "rates": values(GRIDS["river-lr"]),
        "limits": values(GRIDS["river-pa"]),
        "forms": ", ".join(TWO_FORMS),
        "seeds": len({run["seed"] for run in results["runs"] if run["model"] == OURS}),
        "enough": ENOUGH,
    }
    return (
        PROTOCOL.format(**numbers) + f"{origin.get('processor', origin['machine'])}; {versions}.\n"
    )


def values(grid):
    """Return the least and the largest value of a grid."""
    found = sorted(float(name.split()[1]) for name in grid)
    return f"{found[0]:g} to {found[-1]:g}"


def accuracy_table(runs, ranked, ranks, kind, streams):
    """Return accuracies over the rows that all came to, and the mean ranks, the best first."""
    shown = [stream for stream in streams if any(name == stream for name, _ in runs)]
    own = {stream: ranks[stream] for stream in shown if stream in ranks}
    order = mean_ranks(own) if own else dict.fromkeys(ENTRIES)
    lines = []
    for entry, mean in order.items():
        cells = [
            percent(accuracy(runs, one, entry, ranked.get(one) or managed(runs, one, entry)))
            for one in shown
        ]
        lines.append([ENTRIES[entry], *cells, "" if mean is None else f"{mean:.2f}"])
    missing = [stream for stream in shown if stream not in ranked]
    note = " Not ranked, because runs are missing or came to too few rows: "
    note = f"{note}{', '.join(missing)}; there each over the rows it came to." if missing else ""
    return (
        f"\nAccuracy in % on the {kind} streams, and the mean rank over {len(own)} of them.{note}"
        "\n\n" + table(["model", *shown, "mean rank"], lines)
    )


def beaten(runs, ranked, ranks):
    """Return the streams where ours is not the first, who is, by how much, and why."""
    lines = []
    for stream, places in ranks.items():
        best = min(places, key=places.get)
        if places[OURS] > places[best]:
            both = [accuracy(runs, stream, entry, ranked[stream]) for entry in (best, OURS)]
            ahead = f"{100 * (both[0] - both[1]):.2f}"
            reason = REASONS.get(stream, "not looked into")
            lines.append([stream, ENTRIES[best], ahead, f"{places[OURS]:g}", reason])
    if not lines:
        return ""
    return "\nWhere ours is not the first.\n\n" + table(
        ["stream", "first", "points ahead", "rank of ours", "why"], lines
    )


def percent(share):
    return "" if share is None else f"{100 * share:.2f}"


def cut_table(results, runs, ranked):
    """Return those that did not come to the end of a stream, and ours on the same rows."""
    lines = []
    for stream in STREAMS:
        for entry in ENTRIES:
            found = [run for seeds in runs_of(runs, stream, entry) for run in seeds]
            cut = min(found, key=lambda run: run["rows"], default={"ended": None})
            if cut["ended"] is None:
                continue
            rows, whole = cut["rows"], results["streams"][stream]["rows"]
            both = [percent(accuracy(runs, stream, one, rows)) for one in (entry, OURS)]
            counted = f"{ranked[stream]:,}" if stream in ranked else ""
            lines.append(
                [stream, ENTRIES[entry], cut["ended"], f"{rows:,} of {whole:,}", *both, counted]
            )
    if not lines:
        return ""
    head = ["stream", "model", "ended by", "rows", "accuracy", "mooe on these rows", "rows ranked"]
    return (
        "\nNot to the end; such a stream is ranked over the rows that all came to, and the table "
        "above shows these; who came to none ranks last. Budgets are processor time.\n\n"
        + table(head, lines)
    )


def rates_table(runs):
    """Return rows a second of the whole runs; of several points only the first."""
    shown = [stream for stream in STREAMS if any(name == stream for name, _ in runs)]
    entries = [entry for entry in ENTRIES if not entry.endswith(" best")]
    lines = []
    for entry in entries:
        cells = []
        for stream in shown:
            found = runs_of(runs, stream, entry)[:1]
            found = [run for seeds in found for run in seeds]
            rows, spent = sum(run["rows"] for run in found), sum(run["seconds"] for run in found)
            cells.append(f"{significant(rows / spent):,.0f}" if rows and spent else "")
        lines.append([ENTRIES[entry], *cells])
    return "\nRows a second of processor time over these runs, one thread.\n\n" + table(
        ["model", *shown], lines
    )


def significant(number):
    """Return a number to three digits."""
    return float(f"{number:.3g}")


def ratios(results):
    """Return our rows a second over those of ARF, 30 trees, for each stream measured in turns."""
    both = {one["stream"]: one["rows_per_second"] for one in results["speed"]}
    return {
        stream: rates[OURS] / rates[RIVAL]
        for stream, rates in both.items()
        if OURS in rates and RIVAL in rates
    }


def speed_table(results):
    """Return rows a second on the first rows of each stream, measured in turns."""
    if not results["speed"]:
        return ""
    models = list(
        dict.fromkeys(name for one in results["speed"] for name in one["rows_per_second"])
    )
    found = ratios(results)
    lines = []
    for one in results["speed"]:
        rates = one["rows_per_second"]
        cells = [f"{significant(rates[name]):,.0f}" if name in rates else "" for name in models]
        ratio = found.get(one["stream"])
        lines.append([one["stream"], f"{one['rows']:,}", *cells, f"{ratio:.0f}" if ratio else ""])
    titles = [ENTRIES.get(name, name) for name in models]
    return (
        "\nRows a second of processor time on the first rows of each stream, the models in turns "
        f"within one process, the quickest of {results['speed'][0]['turns']} turns.\n\n"
        + table(["stream", "rows", *titles, f"mooe to {ENTRIES[RIVAL]}"], lines)
    )


def promises_table(results, ranks, kinds):
    """Return what is promised and whether it holds."""
    lines = []
    for kind, streams in kinds.items():
        own = {stream: ranks[stream] for stream in streams if stream in ranks}
        if own:
            means = mean_ranks(own)
            other = min(mean for entry, mean in means.items() if entry != OURS)
            what = f"mean rank of mooe, {len(own)} {kind} streams"
            lines.append([what, means[OURS], f"< {other:.2f}", means[OURS] < other])
    found = ratios(results)
    if found:
        least = min(found, key=found.get)
        what = f"rows/s of mooe to {ENTRIES[RIVAL]}, least of {len(found)} streams ({least})"
        lines.append([what, found[least], f">= {RIVAL_FLOOR}", found[least] >= RIVAL_FLOOR])
    rows = [
        [what, f"{x:.3g}", bound, "ok" if holds else "missed"] for what, x, bound, holds in lines
    ]
    return "\n" + table(["promise", "measured", "bound", ""], rows) if rows else ""
