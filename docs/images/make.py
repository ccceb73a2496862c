"""Makes the pictures of docs/command.md anew: the terminal, the report, the recall map.

    .venv/bin/python docs/images/make.py

needs Debian's chromium.
"""

import os
import pty
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

HERE = Path(__file__).parent
MOOE = str(Path(sys.executable).parent / "mooe")


def screen(*arguments: str) -> str:
    """Return what the command writes to a terminal of 80 columns."""
    written = bytearray()

    def read(descriptor: int) -> bytes:
        data = os.read(descriptor, 4096)
        written.extend(data)
        return data

    os.environ.update(COLUMNS="80", LINES="50", TERM="xterm-256color")
    pty.spawn([MOOE, *arguments], read)
    return written.decode().replace("\r\n", "\n")


def picture(text: str, path: Path, title: str) -> None:
    """Write a terminal's text as SVG."""
    with open(os.devnull, "w") as nowhere:
        console = Console(record=True, width=80, file=nowhere)
        console.print(Text.from_ansi(text))
        console.save_svg(str(path), title=title, unique_id="mooe")


def shoot(shown: Path, path: Path, width: int, height: int) -> None:
    """Write a screenshot of a file as a browser shows it."""
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run(
            [
                "chromium",
                *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"),
                *("--disable-background-networking", "--disable-component-update"),
                *("--disable-sync", "--hide-scrollbars", f"--window-size={width},{height}"),
                f"--user-data-dir={profile}",
                f"--screenshot={path}",
                shown.as_uri(),
            ],
            check=True,
            capture_output=True,
        )


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        command = ("run", "recurring", "--report", "report")
        terminal = Path(folder) / "run.svg"
        picture(screen(*command), terminal, f"mooe {' '.join(command)}")
        shoot(terminal, HERE / "run.png", 1000, 700)
        shoot(Path(folder) / "report" / "index.html", HERE / "report.png", 1100, 2600)
        recall = Path(folder) / "report" / "recall.png"
        (HERE / "recall.png").write_bytes(recall.read_bytes())


if __name__ == "__main__":
    main()
