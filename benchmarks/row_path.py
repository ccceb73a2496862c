"""Which files of mooe a row of a CSV file crosses: `mooe run FILE --label y`, once all is loaded.

    python benchmarks/row_path.py            # files, and how many functions ran in each
    python benchmarks/row_path.py --names    # also the functions

What Python calls is counted, not what compiled code does. A run has a beginning (options, the look
at the file, new models), the pass over the rows, and an end (the table). In the pass the first rows
make a model grow, so what every row crosses is what some later chunks enter.
"""

import argparse
import contextlib
import io
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from types import FrameType
from typing import Any

import mooe
from mooe.cli import app

SOURCE = Path(mooe.__file__).parent
ROWS = 200_000  # more than two blocks of text
PASS, CHUNK = "Run.go", "Pass._take"  # functions in which the pass happens, and a chunk of it
FIRST, LAST = 20, 30  # chunks that are looked at; a new one begins at rows 1, 2, 4, 8, ... too
PARTS = ("beginning", "pass", "every row", "end")

Functions = dict[str, set[str]]  # by file


def run(path: Path) -> None:
    """Run the command, in silence."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        app(["run", str(path), "--label", "y"], standalone_mode=False)


def functions_called(path: Path) -> dict[str, Functions]:
    """Return the functions of mooe that each part of a run enters."""
    found: dict[str, Functions] = {part: defaultdict(set) for part in PARTS}
    part, n_chunks = "beginning", 0

    def note(frame: FrameType, event: str, _: Any) -> None:
        nonlocal part, n_chunks
        code = frame.f_code
        if event not in ("call", "return") or code.co_name == "<module>":
            return
        file = Path(code.co_filename)
        if not file.is_relative_to(SOURCE):
            return
        if event == "return":
            n_chunks += code.co_qualname == CHUNK
            part = "end" if code.co_qualname == PASS else part
            return
        part = "pass" if code.co_qualname == PASS else part
        name = file.relative_to(SOURCE).as_posix()
        found[part][name].add(code.co_qualname)
        if part == "pass" and FIRST <= n_chunks < LAST:
            found["every row"][name].add(code.co_qualname)

    sys.setprofile(note)
    try:
        run(path)
    finally:
        sys.setprofile(None)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--names", action="store_true", help="also the functions")
    names = parser.parse_args().names
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        rows = (f"{i % 7},{i % 11},{'ab'[i % 2]},{i % 3 % 2}" for i in range(ROWS))
        path.write_text("a,b,c,y\n" + "\n".join(rows) + "\n")
        run(path)  # loads and compiles what it needs
        found = functions_called(path)
    for part, files in found.items():
        print(f"\n{part}: {sum(map(len, files.values()))} functions in {len(files)} files")
        for file in sorted(files):
            print(f"{len(files[file]):4}  {file}", *(sorted(files[file]) if names else ()))
    print(f"\nin all: {len(set().union(*found.values()))} files")


if __name__ == "__main__":
    main()
