"""The command on record: what a hundred runs print and write, to hold later code against.

    python tests/record/record.py compare               run all of it; exit code 1 if it differs
    python tests/record/record.py compare --only shop,errors
    python tests/record/record.py write                 renew the record, where numbers or words
                                                        change on purpose; then empty `CHANGES`
    python tests/record/record.py write --folder ELSEWHERE

The record is a text file per case in tests/record/kept;
what changed on purpose since then is listed in tests/record/changes.py. `test_record.py` compares
the most telling runs, this command all of them.

Of every run exit code, standard output, standard error and all files that it writes are kept. What
no two runs share is masked: times, speeds, memory, versions, places of folders. Figures are kept as
hashes, which count where the libraries that draw are those of the record; models as the hash of
their bytes and of each array in them. Streams with a name are run where MOOE_DATA_HOME has them.
"""

import argparse
import difflib
import gzip
import hashlib
import json
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path

from changes import CHANGES

KEPT = Path(__file__).parent / "kept"

# Runs by case; those of a case share a folder and come one after the other. What stands behind <
# goes to standard input.
SHOP = "--label bought --time when"
PLAIN = "--label bought --drop when"
CASES = {
    "shop": [
        f"run shop.csv {SHOP} --seed 3 --json --report report --predictions answers.csv --save m",
        f"run shop.csv {SHOP}",
        f"run shop.csv {PLAIN} --quiet --window 200 --missing mean",
        "inspect m",
        "inspect m --json",
        "predict m new.csv",
        "predict m new.csv --out predicted.csv",
        "predict m - < new.csv",
    ],
    "resume": [
        f"run first.csv {PLAIN} --save half --quiet",
        "run rest.csv --drop when --resume half --save two --predictions answers.csv --json",
        f"run shop.csv {PLAIN} --save one --quiet",
        "run rest.csv --drop when --resume half --max-rows 100",
        "inspect two --json",
    ],
    "late labels": [
        f"run shop.csv {SHOP} --delay 30 --label-probability 0.7 --json --report report",
        f"run shop.csv {SHOP} --delay 2h --save m",
        f"run shop.csv {PLAIN} --delay never --label-probability 0.5 --json",
        f"run shop.csv {PLAIN} --label-probability 0.1 --seed 5 --predictions answers.csv -q",
    ],
    "regression": [
        "run shop.csv --label weight --drop when --drop bought --json --report report --save m",
        "run shop.csv --label weight --time when --predictions answers.csv",
        "predict m new.csv",
        "inspect m",
        "run shop.csv --label weight --drop when --model mooe-paper --save p --json",
        "inspect p --json",
        "run shop.csv --label weight --drop when --drop bought --model condor --json",
    ],
    "paper mode": [
        f"run shop.csv {PLAIN} --model mooe-paper --json --report report --regret --save m",
        f"run shop.csv {PLAIN} --model mooe-paper --param interval=25 --param max_experts=6",
        "inspect m",
        "inspect m --json",
        "run rest.csv --drop when --resume m --save again --quiet",
        "predict again new.csv",
    ],
    "models": [
        f"run shop.csv {PLAIN} --param interval=20 --param without=no_change,merge --json --save m",
        "run recurring --max-rows 1500 --model ogd --json --save o",
        "inspect o",
        "run recurring --max-rows 1500 --model learnpp-nse --json --predictions answers.csv",
        "run recurring --max-rows 1500 --model learnpp-nse --report report",
        "run abrupt --max-rows 1000 --model dtel --json",
        "run abrupt --max-rows 1000 --model ader --json",
        "run gradual --max-rows 1000 --model ogd-classic --json",
        "run noise --max-rows 1000 --model no-change --json",
    ],
    "compare": [
        "compare recurring noise --models mooe,mooe-paper,ogd --repeats 2 --max-rows 1200 --json"
        " --report report",
        "compare recurring shop.csv --label bought --drop when --models mooe,learnpp-nse"
        " --max-rows 800 --quiet",
        "compare shop.csv --label weight --drop when --models mooe,ogd --max-rows 800 --json"
        " --report regression",
    ],
    "files": [
        "run - --label bought --drop when --quiet < shop.csv",
        "run shop.tsv --label bought --drop when --json",
        "run shop.csv.gz --label bought --drop when --json",
        "run shop.arff --label bought --json --save m",
        "run words.svm --json --save wide --predictions answers.csv",
        "inspect wide --json",
        "predict wide words.svm",
        "run ragged.csv --label b --skip-bad-rows",
        "run ragged.csv --label b",
        "run same.csv --label b",
    ],
    "demo": [
        "demo --json --rows 2500 --report report",
        "demo --rows 2500 --seed 2",
        "demo --rows 600",
    ],
    "reproduce": ["reproduce theory --quick --quiet --jobs 1 --out theory --json"],
    "errors": [
        "run nothing.csv --label y",
        "run shop.csv",
        "run shop.csv --label brought",
        "run shop.csv --label bought --drop when --model moee",
        "run shop.csv --label bought --param interval=0",
        "run shop.csv --label bought --param interval",
        "run shop.csv --label bought --param nothing=1",
        "run shop.csv --label bought --delay soon",
        "run shop.csv --label bought --drop when --delay 2h",
        "run shop.csv --label bought --label-probability 2",
        "run shop.csv --label bought --max-rows 0",
        "run shop.csv --label bought --drop when --task regression",
        "run shop.csv --label bought --drop when --missing error",
        "run shop.csv --label bought --drop when --save shop.csv/m",
        "run empty.csv --label y",
        "run header.csv --label y",
        "run Elektricity",
        "run shop.csv --label bought --model learnpp-nse --save m",
        "run shop.csv --resume shop.csv",
        "run shop.csv --resume nothing --model mooe",
        "predict shop.csv new.csv",
        "inspect nothing",
        "compare",
        "compare shop.csv --label bought --models mooe,moee",
        "data fetch Elektricity",
        "reproduce table9",
        "nothing",
        "run --nothing",
    ],
    "help": ["--help", "--version", "run --help", "compare --help", "data --help"],
}
STREAMS = {  # by the name of the stream, for which MOOE_DATA_HOME is asked
    "data": ["data list", "data list --json"],
    "Usenet1": ["run Usenet1 --json --report report --save m", "inspect m --json"],
    "Weather": ["run Weather --max-rows 4000 --model mooe-paper --json --save m"],
    "WESAD": ["compare WESAD --models mooe,ogd --json --report report"],
    "Spam_full": ["run Spam_full --max-rows 400 --json --save m --predictions answers.csv"],
    "Powersupply": ["run Powersupply24 --max-rows 3000 --json --save m"],
}
MOST_LINES = 40  # of a difference that are shown

FIGURES = {".pdf", ".png", ".svg"}
TEXTS = {".csv", ".html", ".json", ".md", ".tex", ".txt"}
LARGEST = 50_000  # characters of a text that is kept as it is
MASK = "(masked)"
KEYS = {"memory", "rows_per_second", "seconds", "version"}  # of JSON
VERSIONS = ("mooe", "numpy", "numba", "scikit-learn", "scipy", "python", "machine")
COLUMNS = {"rows/s", "seconds"}  # of tables
SEPARATORS = {" | ": r"\s*\|\s*", " & ": r"\s*(?:&|\\\\)\s*", "  ": r"\s{2,}"}  # of their cells
# Said once, while something is compiled or found; not a matter of the run.
PASSING = re.compile(r"^(mooe: compiling .*|Matplotlib is building the font cache.*)\n", re.M)


def shop(n=1200, seed=0):
    """Return rows with a time, a text, missing cells, and labels of two concepts that return."""
    rng = random.Random(seed)
    lines = ["when,size,colour,weight,bought"]
    for i in range(n):
        a, b = rng.gauss(0, 1), rng.gauss(0, 1)
        colour = rng.choice(["red", "blue", "dark blue", "green"][: 3 if i < n // 2 else 4])
        first = i // 150 % 2 == 0
        yes = (a + b if first else a - b) + (colour == "red") + 0.3 * rng.gauss(0, 1) > 0
        day, hour, minute = 1 + i // 1440, i // 60 % 24, i % 60
        size = "" if rng.random() < 0.02 else f"{a:.4f}"
        when = f"2024-01-{day:02}T{hour:02}:{minute:02}"
        lines.append(f"{when},{size},{colour},{b:.4f},{'yes' if yes else 'no'}")
    return lines


def words(n=400, seed=0):
    """Return lines of LIBSVM: bags of words, of which more and more are known."""
    rng = random.Random(seed)
    lines = []
    for i in range(n):
        label = rng.random() < 0.5
        bag = {rng.randrange(3, 40 + 5 * i) for _ in range(12)} | {1 if label else 2}
        lines.append(f"{int(label)} " + " ".join(f"{word}:1" for word in sorted(bag)))
    return lines


def write_inputs(folder):
    """Write the files that the runs read."""
    lines = shop()
    cells = [line.split(",") for line in lines]
    half = len(lines) // 2
    arff = [
        "@relation shop",
        "@attribute size numeric",
        "@attribute colour {red,blue,'dark blue',green}",
        "@attribute weight numeric",
        "@attribute bought {no,yes}",
        "@data",
        *(
            ",".join([size or "?", f"'{colour}'" if " " in colour else colour, *rest])
            for _, size, colour, *rest in cells[1:500]
        ),
    ]
    texts = {
        "shop.csv": lines,
        "first.csv": lines[:half],
        "rest.csv": [lines[0], *lines[half:]],
        "new.csv": [",".join([row[2], row[1], row[3], "more"]) for row in cells[:120]],
        "shop.tsv": ["\t".join(row) for row in cells[:400]],
        "shop.arff": arff,
        "words.svm": words(),
        "ragged.csv": ["a,b", "1,x", "2", "3,y", "4,x,5", "6,y"],
        "same.csv": ["a,b", *(f"{i % 3},x" for i in range(40))],
        "empty.csv": [],
        "header.csv": ["x,y"],
    }
    for name, text in texts.items():
        (folder / name).write_text("".join(f"{line}\n" for line in text))
    with gzip.GzipFile(folder / "shop.csv.gz", "wb", mtime=0) as file:
        file.write("".join(f"{line}\n" for line in lines[:400]).encode())


def chosen(only):
    """Return the cases to run: those asked for, streams only where they are."""
    for name in only:
        if name not in CASES and name not in STREAMS:
            sys.exit(f"--only must name cases of {', '.join([*CASES, *STREAMS])}; got {name!r}")
    cases = {}
    for name, lines in {**CASES, **STREAMS}.items():
        if only and name not in only:
            continue
        if name in STREAMS and not is_here(name):
            print(f"{name}: not run, MOOE_DATA_HOME has no such stream", file=sys.stderr)
        else:
            cases[name] = dict(enumerate(lines, 1))
    return cases


def is_here(name):
    """Return whether MOOE_DATA_HOME has what a case of named streams needs."""
    home = os.environ.get("MOOE_DATA_HOME")
    return bool(home) and (name == "data" or any(Path(home).glob(f"{name}.*")))


def carry_out(runs):
    """Run commands by their numbers in a folder of their own; return their record.

    It is a dict of texts by path, such as 01/stdout.txt and 01/files/report/table.md.
    """
    record = {"versions.txt": versions()}
    with tempfile.TemporaryDirectory(prefix="mooe-record-") as place:
        folder = Path(place).resolve() / "work"
        folder.mkdir()
        write_inputs(folder)
        known = snapshot(folder)
        for number, line in runs.items():
            command, _, source = line.partition(" < ")
            done = subprocess.run(
                [sys.executable, "-m", "mooe", *shlex.split(command)],
                cwd=folder,
                env=surroundings(),
                input=(folder / source).read_bytes() if source else b"",
                capture_output=True,
                check=False,
            )
            run = f"{number:02}"
            record[f"{run}/command.txt"] = f"mooe {line}\nexit code {done.returncode}\n"
            record[f"{run}/stdout.txt"] = masked("stdout.txt", done.stdout, folder)
            record[f"{run}/stderr.txt"] = masked("stderr.txt", done.stderr, folder)
            before, known = known, snapshot(folder)
            for path in sorted(path for path in known if known[path] != before.get(path)):
                content = (folder / path).read_bytes()
                record[f"{run}/{described(path)}"] = masked(path, content, folder)
    return record


def versions():
    """Return what the bytes of a figure depend on, beside the numbers in it."""
    return "".join(f"{name} {version(name)}\n" for name in ("matplotlib", "numpy", "pillow"))


def write_record(path, record):
    """Write the record of a case: the path of each text, then its lines behind bars."""
    lines = []
    for name, text in record.items():
        lines += [name, *(f"|{line}" for line in text.split("\n"))]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())


def read_record(path):
    """Return the record of a case as `write_record` wrote it; an empty one if there is no file."""
    texts, lines = {}, []
    for line in path.read_bytes().decode().split("\n")[:-1] if path.exists() else []:
        if line.startswith("|"):
            lines.append(line[1:])
        else:
            lines = texts[line] = []
    return {name: "\n".join(lines) for name, lines in texts.items()}


def file_of(folder, name):
    """Return the path of a case's record."""
    return folder / f"{name.replace(' ', '-')}.txt"


def surroundings():
    """Return the environment of a run: a terminal's wishes do not reach it."""
    wishes = {"FORCE_COLOR", "NO_COLOR", "COLUMNS", "LINES", "TTY_COMPATIBLE", "MPLBACKEND"}
    kept = {name: value for name, value in os.environ.items() if name not in wishes}
    blas = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")
    blas["OPENBLAS_CORETYPE"] = "Haswell"  # the last bits of its sums hang on the processor
    return {**kept, **blas, "TERM": "dumb"}


def snapshot(folder):
    """Return the hash of every file in a folder by its path; cells of experiments hash the code."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    names = {path.relative_to(folder).as_posix(): path for path in paths}
    return {
        name: hashlib.sha256(path.read_bytes()).hexdigest()
        for name, path in names.items()
        if "/cells/" not in name
    }


def described(path):
    """Return the name under which a file is on record."""
    return f"files/{path}" + ("" if Path(path).suffix in TEXTS else ".txt")


def masked(path, content, folder):
    """Return what is kept of a file or a stream, as text."""
    kind = Path(path).suffix
    if kind in FIGURES:
        return f"figure {hashlib.sha256(content).hexdigest()}\n"
    if kind not in TEXTS:
        return of_model(content)
    text = content.decode()
    try:
        text = json.dumps(without_times(json.loads(text)), indent=1) + "\n"
    except ValueError:
        text = without_speeds(PASSING.sub("", text))
        if kind == ".html":
            text = of_page(text)
    text = re.sub(r"[\w-]+ took least time, .*? most, \d+\.\d+", f"time {MASK}", text)
    text = re.sub(r"\S*mooe-demo-\w+", "(folder)", text)
    for place, name in ((folder.parent, "(folder)"), (os.environ.get("MOOE_DATA_HOME"), "(data)")):
        text = text.replace(str(place), name) if place else text
    return shortened(text)


def shortened(text):
    """Return a text, or what tells it from others where it is long."""
    if len(text) <= LARGEST:
        return text
    return f"{len(text)} characters, sha256 {hashlib.sha256(text.encode()).hexdigest()}\n"


def without_times(value, keys=KEYS):
    """Return JSON without what no two runs share: the numbers and texts of these keys."""
    if isinstance(value, list):
        return [without_times(item, keys) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {}
    for key, item in value.items():
        is_masked = key in keys and not isinstance(item, (dict, list))
        below = VERSIONS if key == "origin" else KEYS
        kept[key] = MASK if is_masked else without_times(item, below)
    return kept


def without_speeds(text):
    """Return text whose tables, of terminal, Markdown or LaTeX, have no times and speeds.

    Tables with such a column lose the spaces around their cells, which depend on the numbers.
    """
    lines, places = [], []
    for line in text.split("\n"):
        mark = next((mark for mark in SEPARATORS if re.search(SEPARATORS[mark], line.strip())), "")
        cells = re.split(SEPARATORS[mark], line.strip()) if mark else [line.strip()]
        if COLUMNS & set(cells):
            places = [at for at, cell in enumerate(cells) if cell in COLUMNS]
            lines.append(mark.join(cells))
        elif not places or not line.strip():
            places = []
            lines.append(line)
        elif len(cells) > max(places):
            lines.append(mark.join(MASK if at in places else cell for at, cell in enumerate(cells)))
        else:
            lines.append(line.rstrip("─"))
    return "\n".join(lines)


def of_page(text):
    """Return a page with its figures as hashes, without times, speeds and versions."""

    def figure(match):
        return f"data:figure {hashlib.sha256(match[0].encode()).hexdigest()}"

    def table(match):
        heads = re.findall(r"<th scope=\"col\"[^>]*>(.*?)</th>", match[0])
        places = {at for at, head in enumerate(heads) if head in COLUMNS}

        def row(match):
            cells = re.findall(r"<t[hd]\b.*?</t[hd]>", match[0])
            kept = [f"<td>{MASK}</td>" if at in places else cell for at, cell in enumerate(cells)]
            return f"<tr>{''.join(kept)}</tr>"

        head, body, rest = match[0].partition("<tbody>")
        return head + body + re.sub(r"<tr>.*?</tr>", row, rest)

    text = re.sub(r"<svg\b.*?</svg>", figure, text, flags=re.S)
    text = re.sub(r"<table>.*?</table>", table, text, flags=re.S)
    named = "|".join(map(re.escape, VERSIONS))
    return re.sub(rf"<dt>({named})</dt><dd>.*?</dd>", rf"<dt>\1</dt><dd>{MASK}</dd>", text)


def of_model(content):
    """Return the hash of a model's bytes, its header and a hash of every array."""
    text = f"{len(content)} bytes, sha256 {hashlib.sha256(content).hexdigest()}\n"
    try:
        length = int.from_bytes(content[:8], "little")
        header, body = json.loads(content[8 : 8 + length]), content[8 + length :]
    except ValueError:  # no model
        return text
    for name, note in header.pop("__metadata__", {}).items():
        text += f"{name} {shortened(json.dumps(unpacked(note), indent=1))}\n"
    for name, array in header.items():
        first, last = array["data_offsets"]
        digest = hashlib.sha256(body[first:last]).hexdigest()
        text += f"{name} {array['dtype']} {array['shape']} {digest}\n"
    return text


def unpacked(value):
    """Return a text of JSON as what it stands for, also where it holds such texts."""
    if isinstance(value, str) and value.startswith(("{", "[")):
        value = json.loads(value)
    if isinstance(value, dict):
        return {key: unpacked(item) for key, item in value.items()}
    return value


def carry_out_all(cases, jobs):
    """Yield the names and records of cases, several of which are carried out at a time."""
    with ThreadPoolExecutor(jobs) as pool:
        waiting = {name: pool.submit(carry_out, runs) for name, runs in cases.items()}
        for name, done in waiting.items():
            yield name, done.result()
            print(f"{name}: {len(cases[name])} runs", file=sys.stderr, flush=True)


def differences(name, before, now):
    """Yield the differences of two records of a case, text by text, but for those on purpose."""
    before, now = dict(before), dict(now)
    draws_alike = before.pop("versions.txt", "") == now.pop("versions.txt", "")
    for path in sorted(before.keys() | now.keys()):
        texts = [record.get(path, "") for record in (before, now)]
        if not draws_alike:
            texts = [re.sub(r"\bfigure \w{64}", f"figure {MASK}", text) for text in texts]
        for change in CHANGES:
            texts = change.left_out(f"{name}/{path}", *texts)
        sides = [
            f"{side}/{name}/{path}" if path in record else "(nothing)"
            for side, record in (("before", before), ("now", now))
        ]
        lines = list(
            difflib.unified_diff(*(text.split("\n") for text in texts), *sides, lineterm="")
        )
        if lines or "(nothing)" in sides:
            more = len(lines) - MOST_LINES
            rest = [f"... {more} lines more"] if more > 0 else []
            yield "\n".join([*(lines or sides)[:MOST_LINES], *rest])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("write", "compare"))
    parser.add_argument("--folder", type=Path, default=KEPT)
    parser.add_argument("--only", type=lambda text: text.split(","), default=[], metavar="A,B")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N")
    asked = parser.parse_args()
    seen = []
    for name, now in carry_out_all(chosen(asked.only), asked.jobs):
        path = file_of(asked.folder, name)
        if asked.what == "write":
            write_record(path, now)
        else:
            seen += differences(name, read_record(path), now)
    if asked.what == "compare":
        print("\n\n".join(seen) or "no difference")
    if seen:
        sys.exit(f"{len(seen)} files differ")


if __name__ == "__main__":
    main()
