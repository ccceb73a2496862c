"""The command on record: its most telling runs again; masks hide what no two runs share."""

import json
import platform
import re
import sys
from pathlib import Path

import changes
import pytest
import record

from mooe import MOOEClassifier, modelfile

ROOT = Path(__file__).parents[2]
TELLING = {  # runs by case; `record.py compare` has them all
    "shop": (1, 2, 4, 6),
    "resume": (1, 2),
    "late labels": (1,),
    "regression": (1, 2, 3),
    "paper mode": (1, 3, 5),
    "models": (1, 2, 3, 4),
    "compare": (3,),
    "files": (4, 5, 9),
    "demo": (2,),
    "reproduce": (1,),
    "errors": (3, 4, 5, 21),
    "Usenet1": (1, 2),
    "Spam_full": (1,),
}


@pytest.mark.skipif(
    (platform.system(), platform.machine()) != ("Linux", "x86_64"),
    reason="the record is of Linux on x86-64",
)
@pytest.mark.parametrize("name", TELLING)
def test_the_command_prints_and_writes_what_is_on_record(name):
    if name in record.STREAMS and not record.is_here(name):
        pytest.skip(f"MOOE_DATA_HOME has no {name}")
    lines = {**record.CASES, **record.STREAMS}[name]
    now = record.carry_out({number: lines[number - 1] for number in TELLING[name]})
    runs = {path.split("/")[0] for path in now}
    kept = record.read_record(record.file_of(record.KEPT, name))
    before = {path: text for path, text in kept.items() if path.split("/")[0] in runs}
    seen = "\n\n".join(record.differences(name, before, now))
    assert not seen, f"{seen}\n\nOn purpose? See the docstring of {record.__file__}."


def test_the_record_has_every_case_is_small_and_names_no_place():
    paths = sorted(record.KEPT.iterdir())
    assert paths == sorted(
        record.file_of(record.KEPT, name) for name in (*record.CASES, *record.STREAMS)
    )
    assert sum(path.stat().st_size for path in paths) < 3 * 2**19
    assert not [path for path in paths if re.search(r"/(home|tmp|work|root)/", path.read_text())]


@pytest.mark.parametrize("change", changes.CHANGES, ids=lambda change: change.changelog[:40])
def test_a_change_on_purpose_is_in_the_changelog_and_not_yet_in_the_record(change):
    assert change.changelog in " ".join((ROOT / "CHANGELOG.md").read_text().split())
    seen = [
        f"{name}/{path}"
        for name in (*record.CASES, *record.STREAMS)
        for path, text in record.read_record(record.file_of(record.KEPT, name)).items()
        if re.fullmatch(change.paths, f"{name}/{path}") and re.search(change.before, text)
    ]
    assert seen, "the record knows this change: take it out of CHANGES"


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
    assert f'"format": {modelfile.FORMAT}' in one
    assert "\nshares F64 [" in one
    assert record.masked("m", model[:-1] + bytes([model[-1] ^ 1]), tmp_path) != one


def test_a_record_is_read_as_it_was_written(tmp_path):
    texts = {"01/stdout.txt": "a\n\n|b\r\nc", "01/stderr.txt": "", "01/files/a.csv/b c.md": "1\n"}
    record.write_record(tmp_path / "case.txt", texts)
    assert record.read_record(tmp_path / "case.txt") == texts


def test_figures_count_where_the_libraries_that_draw_them_are_those_of_the_record():
    before = {"versions.txt": "matplotlib 3", "01/files/a.svg.txt": f"figure {'a' * 64}\n"}
    now = {**before, "01/files/a.svg.txt": f"figure {'b' * 64}\n"}
    assert list(record.differences("shop", before, now))
    assert not list(record.differences("shop", before, {**now, "versions.txt": "matplotlib 4"}))


def started(monkeypatch, what, folder):
    monkeypatch.setattr(record, "CASES", {"the help": ["--version", "nothing"]})
    monkeypatch.setattr(record, "STREAMS", {})
    monkeypatch.setattr(sys, "argv", ["record.py", what, "--folder", str(folder)])
    record.main()


def test_a_record_that_was_just_written_has_no_difference_and_a_changed_one_has(
    monkeypatch, tmp_path, capsys
):
    started(monkeypatch, "write", tmp_path)
    started(monkeypatch, "compare", tmp_path)
    assert capsys.readouterr().out == "no difference\n"
    kept = record.read_record(tmp_path / "the-help.txt")
    kept["01/stdout.txt"] = "mooe 0.0.0\n"
    del kept["02/stderr.txt"]
    record.write_record(tmp_path / "the-help.txt", kept)
    with pytest.raises(SystemExit, match="2 files differ"):
        started(monkeypatch, "compare", tmp_path)
    told = capsys.readouterr().out
    assert "-mooe 0.0.0\n" in told
    assert "--- before/the help/01/stdout.txt\n" in told
    assert "--- (nothing)\n+++ now/the help/02/stderr.txt\n" in told
    assert "No such command 'nothing'" in told
