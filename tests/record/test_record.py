"""The record of the command: masks hide what no two runs share and nothing else."""

import json
import sys

import pytest
import record

from mooe import MOOEClassifier


def kept(path, text, folder):
    return record.masked(path, text.encode(), folder)


def test_times_speeds_and_versions_of_json_are_masked_and_no_other_value(tmp_path):
    told = {"rows": 5, "seconds": 0.1, "origin": {"numpy": "2", "data": "ab"}, "numpy": [1]}
    one = kept("stdout.txt", json.dumps(told), tmp_path)
    other = {**told, "seconds": 0.2, "origin": {"numpy": "3", "data": "ab"}}
    assert kept("stdout.txt", json.dumps(other), tmp_path) == one
    for change in ({"rows": 6}, {"origin": {"numpy": "2", "data": "cd"}}, {"numpy": [2]}):
        assert kept("stdout.txt", json.dumps({**told, **change}), tmp_path) != one


TERMINAL = """\
model       accuracy       rows/s
─────────────────────────────────
mooe          83.2 %       42,000
no-change     50.9 %   34,000,000

regimes: 2 known
"""
MARKDOWN = """\
| model | accuracy (%) | rows/s | seconds |
| --- | ---: | ---: | ---: |
| mooe | **87.96** | 42,000 | 0.06 |
"""
LATEX = r"""
model & accuracy (\%) & rows/s & seconds \\
\midrule
mooe & \textbf{87.96} & 42,000 & 0.06 \\
\bottomrule
"""
PAGE = (
    '<table><thead><tr><th scope="col" class="text">model</th><th scope="col">rows/s</th></tr>'
    '</thead><tbody>\n<tr><th scope="row">mooe</th><td><data value="42000.0">42,000</data></td>'
    "</tr></tbody></table><dt>numpy</dt><dd>2.4.6</dd><dt>data</dt><dd>ab</dd>"
)


@pytest.mark.parametrize(
    ("path", "text", "figure"),
    [
        ("stdout.txt", TERMINAL, "83.2 %"),
        ("t.md", MARKDOWN, "87.96"),
        ("t.tex", LATEX, "87.96"),
        ("index.html", PAGE, "<dd>ab"),
    ],
)
def test_speeds_in_tables_are_masked_and_no_other_cell(tmp_path, path, text, figure):
    one = kept(path, text, tmp_path)
    slower = text.replace("     42,000", "        900").replace("42,000", "900")
    slower = slower.replace("42000.0", "900.0").replace("0.06", "2.80").replace("2.4.6", "2.5")
    assert slower != text
    assert kept(path, slower, tmp_path) == one
    for cell in ("mooe", figure):
        assert kept(path, text.replace(cell, "another"), tmp_path) != one


def test_what_is_said_while_something_is_compiled_is_no_part_of_a_run(tmp_path):
    said = "mooe: compiling the kernels (10 to 20 s), once for this version ...\n"
    assert kept("stderr.txt", said + "mooe: 5 rows\n", tmp_path) == "mooe: 5 rows\n"


def test_one_byte_of_a_figure_or_of_a_model_is_seen(tmp_path):
    assert kept("a.svg", "<svg/>", tmp_path) != kept("a.svg", "<svg />", tmp_path)
    model = MOOEClassifier().partial_fit([[0.0], [1.0]], [0, 1], classes=[0, 1]).to_bytes()
    one = record.masked("m", model, tmp_path)
    assert '"format": 3' in one
    assert "\nshares F64 [" in one
    assert record.masked("m", model[:-1] + bytes([model[-1] ^ 1]), tmp_path) != one


def test_a_folder_with_the_name_of_a_file_is_looked_into(tmp_path):
    for name, text in (("before", "1\n"), ("now", "2\n")):
        record.write(tmp_path / name / "shop.csv" / "table.md", text)
    (told,) = record.differences(tmp_path / "before", tmp_path / "now")
    assert told.splitlines()[-2:] == ["-1", "+2"]


def started(monkeypatch, what, folder):
    monkeypatch.setattr(record, "CASES", {"the help": ["--version", "nothing"]})
    monkeypatch.setattr(record, "STREAMS", {})
    monkeypatch.setattr(sys, "argv", ["record.py", what, str(folder)])
    record.main()


def test_a_record_that_was_just_written_has_no_difference_and_a_changed_one_has(
    monkeypatch, tmp_path, capsys
):
    started(monkeypatch, "write", tmp_path)
    started(monkeypatch, "compare", tmp_path)
    assert capsys.readouterr().out == "no difference\n"
    (tmp_path / "the-help" / "01" / "stdout.txt").write_text("mooe 0.0.0\n")
    (tmp_path / "the-help" / "02" / "stderr.txt").unlink()
    with pytest.raises(SystemExit, match="2 files differ"):
        started(monkeypatch, "compare", tmp_path)
    told = capsys.readouterr().out
    assert "-mooe 0.0.0\n" in told
    assert "--- before/the-help/01/stdout.txt\n" in told
    assert "--- (nothing)\n+++ now/the-help/02/stderr.txt\n" in told
    assert "No such command 'nothing'" in told
