"""Makes the pictures and the printed output of docs/forecasting.md anew.

.venv/bin/python docs/images/forecast.py
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

HERE = Path(__file__).parent
PAGE = HERE.parent / "forecasting.md"
MOOE = str(Path(sys.executable).parent / "mooe")
PICTURES = {"forecast": "forecast", "coverage": "forecast-coverage", "recall": "forecast-recall"}
WIDTH = 1_000  # pixels


def main() -> None:
    """Run the command, take its figures and what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [MOOE, "forecast", "regimes", "--report", folder, "--quiet"],
            capture_output=True,
            text=True,
            check=True,
        )
        for name, kept in PICTURES.items():
            picture = Image.open(Path(folder) / f"{name}.png").convert("RGB")
            size = (WIDTH, picture.height * WIDTH // picture.width)
            picture.resize(size).quantize(64).save(HERE / f"{kept}.png", optimize=True)
    printed = done.stdout.partition("\nreport: ")[0].strip("\n")
    lines = "".join(f"    {line}".rstrip() + "\n" for line in printed.splitlines())
    before, _, rest = PAGE.read_text().partition("<!-- output -->\n")
    _, _, after = rest.partition("<!-- end of output -->")
    PAGE.write_text(f"{before}<!-- output -->\n\n{lines}\n<!-- end of output -->{after}")


if __name__ == "__main__":
    main()
