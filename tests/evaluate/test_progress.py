"""The doubling table and the bar."""

import io

import numpy as np
import pytest
from rich.console import Console

from mooe.datasets import Stream, recurring
from mooe.evaluate.learners import NoChange
from mooe.evaluate.loop import Entrant, Pass, prequential
from mooe.evaluate.progress import RunProgress
from mooe.evaluate.schedule import Schedule
from mooe.run.registry import make_learner
from mooe.streams.arrangement import ArrangedStream


def watched(stream, model="no-change", is_terminal=False, **options):
    console = Console(file=io.StringIO(), width=80, force_terminal=is_terminal)
    with RunProgress(lambda: stream.n_rows, console=console, **options) as shown:
        entrant = Entrant(model, make_learner(model, stream.task))
        run = Pass([entrant], stream.name, stream.task, Schedule())
        run.go(ArrangedStream(stream).chunks(), progress=shown.see)
    return console.file.getvalue(), run.results[0]


def lines_of(text):
    return [line.split() for line in text.splitlines()[2:]]


def test_a_line_comes_whenever_the_rows_double():
    text, _ = watched(recurring(n=1000))
    assert [line[0] for line in lines_of(text)] == [f"{2**k:,}" for k in range(10)]
    assert max(map(len, text.splitlines())) <= 80


def test_a_line_tells_accuracy_since_last_so_far_label_and_prediction():
    y = np.array(["a", "a", "b", "b", "b", "b", "a", "b"], dtype=object)
    text, _ = watched(Stream("letters", np.zeros((8, 1)), y))
    assert [" ".join(line) for line in lines_of(text)] == [
        "1 - - a -",
        "2 100.00 % 100.00 % a a",
        "4 50.00 % 66.67 % b b",
        "8 50.00 % 57.14 % b a",
    ]


def test_the_averages_are_those_of_the_results():
    stream = recurring(n=4096)
    text, results = watched(stream, "mooe")
    last = lines_of(text)[-1]
    assert last[0] == "4,096"
    assert last[3] == f"{100 * results.cumulative['accuracy']:.2f}"
    half = prequential(make_learner("mooe"), Stream("half", stream.X[:2048], stream.y[:2048]))
    hits, before = (run.judged * run.cumulative["accuracy"] for run in (results, half))
    since = (hits - before) / 2048
    assert last[1] == f"{100 * since:.2f}"


def test_rows_without_label_are_not_counted():
    y = np.array([None, "a", None, "a"], dtype=object)
    text, _ = watched(Stream("gaps", np.zeros((4, 1)), y))
    assert [" ".join(line) for line in lines_of(text)] == [
        "1 - - - -",
        "2 - - a -",
        "4 100.00 % 100.00 % a a",
    ]


def test_regression_shows_the_mean_absolute_error():
    stream = Stream("values", np.zeros((4, 1)), np.array([1.0, 2.0, 4.0, 4.0]), task="regression")
    text, _ = watched(stream)
    assert [" ".join(line) for line in lines_of(text)] == [
        "1 - - 1 -",
        "2 1.000 1.000 2 1",
        "4 1.000 1.000 4 4",
    ]
    assert "MAE" in text


def test_long_labels_are_cut():
    y = np.array(["a label that is far too long"] * 2, dtype=object)
    text, _ = watched(Stream("long", np.zeros((2, 1)), y))
    assert "a label tha..." in text


def test_a_label_does_not_steer_the_terminal():
    y = np.array(["no\x1b[31m"] * 2, dtype=object)
    text, _ = watched(Stream("odd", np.zeros((2, 1)), y))
    assert r"no\x1b[31m" in text
    assert "\x1b" not in text


def test_there_is_no_bar_off_a_terminal_and_none_before_two_seconds(monkeypatch):
    monkeypatch.setattr("mooe.evaluate.progress.PATIENCE", -1.0)
    assert "/s" not in watched(recurring(n=100))[0]
    monkeypatch.setattr("mooe.evaluate.progress.PATIENCE", 1e9)
    assert "/s" not in watched(recurring(n=100), is_terminal=True)[0]


@pytest.mark.parametrize("options", [{}, {"show_lines": False}])
def test_a_terminal_shows_rows_speed_and_time_left(monkeypatch, options):
    monkeypatch.setattr("mooe.evaluate.progress.PATIENCE", -1.0)
    text, _ = watched(recurring(n=30_000), is_terminal=True, **options)
    assert "30,000 rows" in text
    assert "/s" in text
    assert ("since last" in text) == (options == {})
    assert "/s" not in watched(recurring(n=100), is_terminal=True, show_bar=False)[0]


def test_a_guess_that_was_too_low_is_dropped(monkeypatch):
    monkeypatch.setattr("mooe.evaluate.progress.PATIENCE", -1.0)
    console = Console(file=io.StringIO(), force_terminal=True)
    with RunProgress(lambda: 10, console=console) as watcher:
        watcher.move(5)
        assert watcher.bar.tasks[0].total == 10
        watcher.move(11)
        assert watcher.bar.tasks[0].total is None


def test_answers_are_not_changed_by_being_watched():
    stream = recurring(n=500)
    _, results = watched(stream)
    assert results.cumulative == prequential(NoChange(), stream).cumulative
