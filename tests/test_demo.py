"""The demo's numbers and screen."""

import io
import math

import numpy as np
import pytest
from rich.console import Console

from mooe.core import answers, init, predict_then_learn
from mooe.datasets import recurring
from mooe.demo import LEAST_ROWS, begin, play, results, summary
from mooe.demo.replay import MODELS, VISIT, concept_of, gain, lines, step
from mooe.demo.screen import progress

ROWS = 20_000


def replayed(rows=ROWS, seed=0):
    replay = begin(rows, seed)
    assert play(replay, Console(file=io.StringIO()), live=False)
    return replay


@pytest.fixture(scope="module")
def replay():
    return replayed()


def by_model(replay):
    return {row["model"]: row for row in results(replay)}


def text_of(renderable, width):
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(renderable)
    return console.file.getvalue()


def test_mooe_beats_its_online_expert_alone_after_a_return(replay):
    found = by_model(replay)
    mooe, alone = (found[name]["accuracy_after_return"] for name in ("mooe", "online-alone"))
    assert mooe > alone + 0.02
    for other in ("online-alone", "newest-only"):
        difference, error = gain(replay.returns, other)
        assert difference > 4 * error


@pytest.mark.parametrize("seed", range(1, 6))
def test_it_does_not_hang_on_the_seed(seed):
    difference, error = gain(replayed(seed=seed).returns, "online-alone")
    assert difference > 2 * error


def test_the_returning_concepts_memories_gain_weight(replay):
    before = np.mean([visit.own_before for visit in replay.returns])
    after = np.mean([visit.own_after for visit in replay.returns])
    assert before < 0.35
    assert after > 0.55
    own = [concept_of(visit.heaviest) == visit.concept for visit in replay.returns]
    assert np.mean(own) > 0.65


def test_the_heaviest_memory_is_of_an_earlier_visit(replay):
    assert replay.visits[0].heaviest is None
    assert math.isnan(replay.visits[0].own_before)
    for visit in replay.returns:
        first, last = visit.heaviest.samples
        assert last < visit.number * VISIT
        assert set(replay.stream.concept[first : last + 1]) == {concept_of(visit.heaviest)}


def test_its_accuracies_are_those_of_the_whole_stream_in_one_piece(replay):
    stream = recurring(ROWS, 15, 2, VISIT)
    found = by_model(replay)
    for name, params in MODELS.items():
        scores = predict_then_learn(params, init(params, 15), stream.X, stream.y.astype(float))
        right = answers(params, scores) == stream.y
        assert found[name]["accuracy"] == right.mean()
        assert found[name]["accuracy_after_return"] == right[2 * VISIT :].mean()


def test_results_carry_what_a_reader_needs(replay):
    found = results(replay)
    assert [row["model"] for row in found] == [*MODELS, "no-change", "majority"]
    for row in found:
        assert (row["stream"], row["rows"], row["features"]) == ("recurring", ROWS, 15)
        assert (row["classes"], row["seed"]) == (2, 0)
        assert row["rows_per_second"] == row["rows"] / row["seconds"]
        halves = row["accuracy_first_half"] + row["accuracy_second_half"]
        assert halves / 2 == pytest.approx(row["accuracy_after_return"], abs=1e-12)


def test_the_same_seed_gives_the_same_numbers(replay):
    timed = {"seconds", "rows_per_second"}
    for one, other in zip(results(replay), results(replayed()), strict=True):
        assert {k: v for k, v in one.items() if k not in timed} == {
            k: v for k, v in other.items() if k not in timed
        }


def test_a_visit_that_would_be_cut_short_is_left_out():
    assert len(begin(199, 0).stream.y) == 150


def test_one_return_is_enough_for_a_summary():
    text = text_of(summary(replayed(LEAST_ROWS), 80), 80)
    assert "not clear that memory helps" in " ".join(text.split())
    assert "nan" not in text


@pytest.mark.parametrize(
    ("n", "ends"), [(0, []), (1, [1]), (2, [1, 2]), (3, [1, 2, 3]), (9, [1, 2, 4, 8, 9])]
)
def test_lines_end_at_every_doubling_and_at_the_last(n, ends):
    groups = lines(range(1, n + 1))
    assert [group[-1] for group in groups] == ends
    assert [number for group in groups for number in group] == list(range(1, n + 1))


@pytest.mark.parametrize("width", [36, 52, 76, 80, 120])
def test_tables_fit_the_terminal_without_cutting_anything(replay, width):
    for shown in (progress(replay, width), summary(replay, width)):
        text = text_of(shown, width)
        assert "…" not in text
        assert max(map(len, text.splitlines())) <= width
        assert "MOOE" in text


def test_the_summary_shows_the_computed_numbers(replay):
    text = text_of(summary(replay, 80), 80)
    for row in results(replay):
        assert f"{100 * row['accuracy']:.1f}" in text
        assert f"{100 * row['accuracy_first_half']:.1f}" in text
    assert f"{100 * gain(replay.returns, 'online-alone')[0]:+.1f} points" in text


def test_an_interrupt_keeps_the_visits_that_are_done(monkeypatch):
    replay = begin(ROWS, 0)

    def interrupted(replay):
        if len(replay.visits) == 7:
            raise KeyboardInterrupt
        return step(replay)

    monkeypatch.setattr("mooe.demo.screen.step", interrupted)
    assert not play(replay, Console(file=io.StringIO()), live=False)
    assert {row["rows"] for row in results(replay)} == {7 * VISIT}


def test_a_live_screen_grows_and_ends_with_the_whole_table():
    console = Console(file=io.StringIO(), force_terminal=True, width=80, height=40)
    replay = begin(2_000, 0)
    assert play(replay, console, live=True)
    drawn = console.file.getvalue()
    assert "2,000 rows, 15 features: 2 concepts take turns every 50 rows" in drawn
    assert drawn.count("heaviest memory") >= len(lines(replay.returns))
