"""Our default model beside other stream learners: accuracy, rows a second, mean rank.

python benchmarks/peers.py                measure what is missing in results/peers.json, or was
                                          measured on an earlier state of the code
python benchmarks/peers.py --speed        rows a second on the first rows of each stream, in turns
python benchmarks/peers.py --again mooe   measure a model anew

The peers live in .venv-peers, which is made here, and need Java 17 or newer. Every run is a process
of its own, and is written as soon as it is there: an interrupted run goes on where it was.
"""

import argparse
import fcntl
import json
import subprocess
import sys
import time
import venv
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path

from peers_names import ENOUGH, ENTRIES, MODELS, SEEDED, SHOWN, STREAMS, points
from peers_section import digest_of

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).parent / "results" / "peers.json"
WORKER, PAGE = Path(__file__).with_name("peers_run.py"), Path(__file__).with_name("page.py")
VENV = ROOT / ".venv-peers"
PYTHON = VENV / "bin" / "python"
BUDGET = 60.0  # seconds of processor time for a model on a stream, once it has done enough rows
SEEDS = range(5)  # of ours; the peers have the first
SPEED_MODELS = ("mooe", "arf-30")
SPEED_STREAMS = tuple(stream for stream in STREAMS if stream not in SHOWN)


def install():
    """Make the environment of the peers, unless it is there and no older than pyproject.toml."""
    project, stamp = ROOT / "pyproject.toml", VENV / ".installed"
    if stamp.exists() and stamp.stat().st_mtime >= project.stat().st_mtime:
        return
    say(f"installing CapyMOA and River into {VENV.name}, a minute or two ...")
    if not PYTHON.exists():
        venv.create(VENV, with_pip=True)
    pip = [PYTHON, "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    subprocess.run([*pip, "capymoa>=0.15", "river>=0.22", "-e", f"{ROOT}[data]"], check=True)
    stamp.touch()


@cache
def installed():
    """Return the versions of the peers' libraries."""
    code = "from importlib.metadata import version as v; print(v('capymoa'), v('river'))"
    done = subprocess.run([PYTHON, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
    return dict(zip(("capymoa", "river"), done.stdout.split(), strict=True))


def stored():
    """Return the results as they are on disk."""
    if RESULTS.exists():
        return json.loads(RESULTS.read_text())
    return {"origins": [], "streams": {}, "speed": [], "runs": []}


def keep(record):
    """Add a record of an accuracy or a speed run to the results on disk, and render the page.

    It takes the place of an older one. Two programs may do so at the same time.
    """
    with (VENV / ".results.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        results = stored()
        origin, about = record.pop("origin"), record.pop("about", None)
        if origin not in results["origins"]:
            results["origins"].append(origin)
        record["origin"] = results["origins"].index(origin)
        if about is not None:
            about["nominal"] = len(about["nominal"])
            results["streams"][about.pop("name")] = about
        kind = "speed" if "rows_per_second" in record else "runs"
        results[kind] = [one for one in results[kind] if key(one) != key(record)] + [record]
        results[kind].sort(key=key)
        new = RESULTS.with_suffix(".new")
        new.write_text(one_line_each(results))
        new.replace(RESULTS)
        subprocess.run([sys.executable, PAGE])  # a page that fails is no reason to stop measuring


def key(record):
    """Return what a record is the result of, in the order of the streams and models."""
    place = MODELS.index(record["model"]) if "model" in record else -1
    return STREAMS.index(record["stream"]), place, record.get("seed", 0)


def one_line_each(results):
    """Return JSON with a line for each record."""
    parts = []
    for name, value in results.items():
        if isinstance(value, dict):
            lines = [f"{json.dumps(one)}: {json.dumps(value[one])}" for one in sorted(value)]
            parts.append(f"{json.dumps(name)}: {{\n " + ",\n ".join(lines) + "\n}")
        else:
            lines = [json.dumps(one) for one in value]
            parts.append(f"{json.dumps(name)}: [\n " + ",\n ".join(lines) + "\n]")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def is_done(task):
    """Whether a run of the present code is on disk, to its end or to enough rows."""
    for run in stored()["runs"]:
        if (run["stream"], run["model"], run["seed"]) == task:
            stopped = str(run["ended"]).startswith("budget")
            is_whole = not stopped or run["rows"] >= ENOUGH or run["stream"] in SHOWN
            return is_whole and run.get("digest") == digest_of([run["model"]], installed())
    return False


def work(arguments):
    """Run the worker and return its record; None if it failed before it had one."""
    command = [PYTHON, WORKER, *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        say(f"{' '.join(map(str, arguments))}: failed, exit {done.returncode}; not kept")
        return None
    return json.loads(done.stdout.splitlines()[-1])


def measure(task, asked):
    """Run a model on a stream unless that is on disk, and keep the record unless it is a trial."""
    stream, model, seed = task
    again = any(model in points(stream, entry) for entry in asked.again)
    budget = asked.budget
    if asked.max_rows is None and not again and is_done(task):
        return
    say(f"{stream} {model} seed {seed} ...")
    arguments = [stream, model, "--seed", seed, "--budget", budget]
    if asked.max_rows is not None:
        arguments += ["--max-rows", asked.max_rows]
    record = work(arguments)
    if record is None:
        return
    rows, spent = record["rows"], record["seconds"]
    share = sum(record["correct"]) / max(rows, 1)
    rate = rows / spent if spent else 0.0
    ended = f", ended by: {record['ended']}" if record["ended"] else ""
    say(f"{stream} {model} seed {seed}: {share:.4f} of {rows:,} rows, {rate:,.0f} rows/s{ended}")
    if asked.max_rows is None:
        record["digest"] = digest_of([model], record["origin"])
        keep(record)


def tasks(asked):
    """Return (stream, model, seed) in the order of running: that of the streams and entries."""
    found = {}
    for stream in asked.streams:
        for entry in asked.models:
            seeds = SEEDS if entry in SEEDED else SEEDS[:1]
            for model in points(stream, entry):
                found |= dict.fromkeys((stream, model, seed) for seed in seeds)
    return list(found)


def chosen(known, text):
    """Return the names in a text with commas."""
    names = text.split(",")
    for name in names:
        if name not in known:
            raise argparse.ArgumentTypeError(f"must be one of {', '.join(known)}, got {name!r}")
    return names


def options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    streams, models = partial(chosen, STREAMS), partial(chosen, ENTRIES)
    parser.add_argument("--streams", type=streams, default=list(STREAMS))
    parser.add_argument("--models", type=models, default=list(ENTRIES))
    parser.add_argument("--again", type=models, default=[], help="models to measure anew")
    parser.add_argument("--max-rows", type=int, help="only a trial: nothing is kept")
    parser.add_argument(
        "--budget",
        type=float,
        default=BUDGET,
        help=f"processor seconds for a model on a stream, after {ENOUGH:,} rows",
    )
    parser.add_argument("--jobs", type=int, choices=(1, 2), default=1)
    parser.add_argument("--speed", action="store_true", help="rows a second, measured in turns")
    return parser.parse_args()


def measure_speed(asked):
    """Measure rows a second on each stream, the models in turns within one process."""
    models = asked.models if len(asked.models) < len(ENTRIES) else SPEED_MODELS
    for stream in asked.streams if len(asked.streams) < len(STREAMS) else SPEED_STREAMS:
        models_here = [points(stream, entry)[0] for entry in models]
        now = digest_of(models_here, installed(), timed=True)
        if any((one["stream"], one.get("digest")) == (stream, now) for one in stored()["speed"]):
            continue
        record = work([stream, *models_here, "--speed"])
        if record is not None:
            keep({**record, "digest": now})


def say(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def main():
    asked = options()
    install()
    if asked.speed:
        measure_speed(asked)
    else:
        with ThreadPoolExecutor(asked.jobs) as pool:
            list(pool.map(lambda task: measure(task, asked), tasks(asked)))


if __name__ == "__main__":
    main()
