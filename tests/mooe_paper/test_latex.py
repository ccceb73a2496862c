"""LaTeX reads every table of the paper's page."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from mooe_paper import RESULTS, result_module
from mooe_paper.formats import as_latex
from mooe_paper.store import records_of, results_in

KEPT = results_in(Path(__file__).parents[2] / "docs" / "results")
MARGIN = 40.0  # points, of the 57 beside the text
PAPER = r"""\documentclass{article}
\usepackage[margin=2cm]{geometry}
\usepackage{booktabs,longtable}
\begin{document}
%s
\end{document}
"""


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="pdflatex is not installed")
@pytest.mark.parametrize("name", RESULTS)
def test_tables_are_read_and_fit_into_their_lines(name, tmp_path):
    tables = result_module(name).tables(records_of(KEPT[name]))
    (tmp_path / "paper.tex").write_text(PAPER % "\n".join(map(as_latex, tables)), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "paper.pdf").read_bytes().startswith(b"%PDF")
    beyond = [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt", done.stdout)]
    assert max(beyond, default=0.0) < MARGIN
