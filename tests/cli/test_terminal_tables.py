"""The tables that commands print."""

import io
import re

from made import made, made_rare, made_values
from rich.console import Console

from mooe.cli.terminal_tables import (
    Terminal,
    comparison_tables,
    final_table,
    plain_table,
    two_digits,
)


def printed(table):
    console = Console(width=120, file=io.StringIO())
    console.print(table)
    return console.file.getvalue()


def test_a_table_has_a_row_for_each_model_and_as_many_measures_as_there_is_room_for():
    rows = [made(), made("no-change", 0.5)]
    wide, narrow = (printed(final_table(rows, width)).splitlines() for width in (120, 45))
    assert re.split(r"\s{2,}", wide[0].strip()) == [
        "model",
        *["accuracy", "kappa", "kappa-M", "kappa-T", "macro F1", "log-loss"],
        "rows/s",
    ]
    assert wide[2].split()[:4] == ["mooe", "80.00", "%", "0.600"]
    assert wide[3].split()[-2:] == ["-", "4,000"]  # no-change has no probabilities
    assert narrow[0].split() == ["model", "accuracy", "kappa", "rows/s"]


def test_no_cell_of_a_table_steers_the_terminal():
    console = Terminal(width=80, file=io.StringIO())
    table = plain_table("na\x1b[31mme")
    table.add_row("a\x00b")
    console.print(table, "class\x1b]0;x")
    text = console.file.getvalue()
    assert all(seen in text for seen in (r"na\x1b[31mme", r"a\x00b", r"class\x1b]0;x"))
    assert "\x1b" not in text


def test_speeds_are_rounded_to_two_digits():
    assert [two_digits(value) for value in (0.0, 1234.0, 56789.0)] == ["0", "1,200", "57,000"]


def test_streams_without_a_label_are_compared_with_a_dash():
    done = [made(), made("ogd", 0.7), made_values(), made_values("ogd")]
    (table,) = map(printed, comparison_tables(done, 80))
    assert "80.00 %" in table
    assert "0.5000" in table
    empty = made(stream="empty")
    empty.cumulative = {}
    (table,) = map(printed, comparison_tables([made(), empty], 80))
    assert "-" in table.splitlines()[-1]
    (table,) = map(printed, comparison_tables([empty], 80))
    assert table.splitlines()[-1].split()[1] == "-"


def test_a_comparison_is_never_wider_than_the_terminal():
    names = ["mooe", "a model of a long name", "ogd", "learnpp-nse", "no-change", "majority"]
    streams = ["made", "a stream with a name that is longer than its column"]
    done = [made(name, 0.1 * at, stream=s) for at, name in enumerate(names, 1) for s in streams]
    for width in (80, 60):
        tables = [printed(table) for table in comparison_tables(done, width)]
        assert len(tables) > 1
        assert all(len(line.rstrip()) <= width for table in tables for line in table.splitlines())
        assert [name for name in names if any(name in table for table in tables)] == names
    (one,) = map(printed, comparison_tables([run for run in done if run.stream == "made"], 60))
    assert all(len(line.rstrip()) <= 60 for line in one.splitlines())
    assert "60.00 %" in one


def test_a_rare_class_is_in_the_table_right_after_the_accuracy_within_eighty_columns():
    lines = printed(final_table([made_rare(), made_rare("no-change", 0.01)], 80)).splitlines()
    assert max(map(len, lines)) <= 80
    assert re.split(r"\s{2,}", lines[0].strip()) == [
        "model", "accuracy", "AP", "precision", "recall", "F1", "alarms/1k", "rows/s",
    ]  # fmt: skip
    assert lines[2].split()[1:8] == ["99.30", "%", "0.600", "75.00", "%", "60.00", "%"]


def test_a_stream_with_a_rare_class_is_compared_by_its_average_precision_too():
    rare, other = made_rare(), made_rare("ogd", 0.3)
    (one,) = map(printed, comparison_tables([rare, other], 80))
    assert re.split(r"\s{2,}", one.splitlines()[0].strip())[1:3] == ["accuracy", "AP"]
    assert "0.300" in one.splitlines()[3]
    done = [rare, other, made(stream="usual"), made("ogd", stream="usual")]
    (both,) = map(printed, comparison_tables(done, 80))
    lines = both.splitlines()
    assert lines[2].split()[0] == "made"
    assert lines[3].split() == ["AP", "0.600", "0.300"]
    assert lines[4].split()[0] == "usual"
