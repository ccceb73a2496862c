"""The demo's numbers and screen."""

import io
from functools import cache

import numpy as np
import pytest
from rich.console import Console

from mooe.demo import (
    AT_FIRST,
    LEAST_ROWS,
    N_CONCEPTS,
    VISIT,
    WITHOUT,
    Return,
    after_returns,
    begin,
    gain,
    play,
    progress,
    recognition,
    report_runs,
    results,
    return_in,
    returns,
    sentence,
    step,
    strip,
    summary,
)

ROWS = 20_000
SEEDS = range(4)


@cache
def replayed(rows=ROWS, seed=0):
    replay = begin(rows, seed)
    assert play(replay, Console(file=io.StringIO()), live=False)
    return replay


@pytest.fixture
def replay():
    return replayed()


def by_model(replay):
    return {row["model"]: row for row in results(replay)}


def text_of(renderable, width):
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(renderable)
    return console.file.getvalue()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_return_is_recognised_within_some_dozen_rows(seed):
    found = [one.after or VISIT for one in returns(replayed(seed=seed))]
    assert len(found) == ROWS // VISIT - N_CONCEPTS
    assert np.median(found) <= 15
    assert np.mean(np.array(found) <= 50) >= 0.95


@pytest.mark.parametrize("seed", SEEDS)
def test_memory_helps_after_a_return(seed):
    for rows, least in zip(AT_FIRST, (0.12, 0.10), strict=True):
        difference, error = gain(replayed(seed=seed), rows)
        assert difference > least
        assert difference > 4 * error


@pytest.mark.parametrize("seed", SEEDS)
def test_regimes_are_the_concepts(seed):
    replay = replayed(seed=seed)
    later = slice(N_CONCEPTS * VISIT, None)
    charge, concept = replay.charge[later], replay.stream.concept[later]
    own = [np.bincount(charge[concept == c]).argmax() for c in range(N_CONCEPTS)]
    assert sorted(own) == [1, 2, 3, 4]
    assert np.mean(charge == np.array(own)[concept]) > 0.95


def test_a_return_is_counted_from_its_first_row():
    replay = begin(LEAST_ROWS, 0)
    replay.charge[:] = np.repeat([1, 2, 3, 4, 4], VISIT)
    replay.charge[N_CONCEPTS * VISIT + 16 :] = 1
    replay.done = LEAST_ROWS
    assert returns(replay) == [Return(2_000, 0, 1, 17, 1_501)]
    replay.done = N_CONCEPTS * VISIT + 16
    assert return_in(replay, N_CONCEPTS).after is None  # not yet


def test_what_is_no_recognition_does_not_count_as_one():
    replay = begin(LEAST_ROWS, 0)
    replay.done = LEAST_ROWS
    assert returns(replay) == [Return(2_000, 0, 0, None, 0)]  # no regime has a name
    replay.charge[:] = 1  # one regime for all concepts
    assert returns(replay)[0].after is None
    assert by_model_without_time(replay)["mooe"]["rows_to_recognise"] is None


def by_model_without_time(replay):
    replay.seconds = dict.fromkeys(replay.seconds, 1.0)
    return by_model(replay)


def test_its_accuracies_are_those_of_the_usual_evaluation(replay):
    everyone, without, marks = report_runs(replay)
    found = by_model(replay)
    assert [one.model for one in everyone] == list(found)
    for one in everyone:
        assert one.cumulative["accuracy"] == pytest.approx(found[one.model]["accuracy"], abs=1e-12)
    assert without.model == WITHOUT
    changes = np.flatnonzero(np.diff(replay.stream.concept)) + 1
    assert marks == changes.tolist()
    assert len({name for moment in everyone[0].moments for name in moment.names}) >= N_CONCEPTS


def test_results_carry_what_a_reader_needs(replay):
    found = results(replay)
    assert [row["model"] for row in found] == ["mooe", WITHOUT, "no-change", "majority"]
    for row in found:
        assert (row["stream"], row["rows"], row["features"]) == ("recurring", ROWS, 10)
        assert (row["classes"], row["seed"], row["returns"]) == (2, 0, 36)
        assert row["rows_per_second"] == row["rows"] / row["seconds"]
        right = replay.right[row["model"]].reshape(-1, VISIT)[N_CONCEPTS:]
        assert row["accuracy_first_50"] == pytest.approx(right[:, :50].mean(), abs=1e-12)
        assert row["accuracy_first_100"] == pytest.approx(right[:, :100].mean(), abs=1e-12)
        assert row["accuracy_after_return"] == pytest.approx(right.mean(), abs=1e-12)
    assert found[0]["rows_to_recognise"] == np.median([one.after for one in returns(replay)])


def test_the_same_seed_gives_the_same_numbers():
    timed = {"seconds", "rows_per_second"}
    one, other = (results(replayed.__wrapped__(LEAST_ROWS)) for _ in range(2))
    assert [{k: v for k, v in row.items() if k not in timed} for row in one] == [
        {k: v for k, v in row.items() if k not in timed} for row in other
    ]


def test_a_visit_that_would_be_cut_short_is_left_out():
    assert len(begin(2_999, 0).stream.y) == 2_500


def test_one_return_is_enough_for_a_summary():
    text = " ".join(text_of(summary(replayed(LEAST_ROWS), 80), 80).split())
    assert "not clear that memory helps" in text
    assert "of 1 returns" in text
    assert "nan" not in text


def test_a_memory_that_hurts_is_said_to_hurt(replay):
    right = replay.right | {"mooe": replay.right[WITHOUT], WITHOUT: replay.right["mooe"]}
    swapped = type(replay)(**vars(replay) | {"right": right})
    assert after_returns(swapped, "mooe").mean() < after_returns(swapped, WITHOUT).mean()
    text = text_of(summary(swapped, 80), 80)
    assert "memory hurts" in text
    assert f"adds {100 * gain(swapped, 50)[0]:+.2f} points" in text


@pytest.mark.parametrize("width", [36, 56, 80, 120])
def test_everything_fits_the_terminal_and_nothing_is_cut(replay, width):
    for shown in (progress(replay, width), summary(replay, width)):
        text = text_of(shown, width)
        assert "…" not in text
        assert max(map(len, text.splitlines())) <= width
        for row in results(replay):
            assert row["model"] in text
            for key in ("accuracy", "accuracy_first_50", "accuracy_first_100"):
                assert f" {100 * row[key]:.2f}" in text


def test_the_strip_shows_who_was_in_charge_of_the_latest_visits(replay):
    concept, *regimes = text_of(strip(replay, 80), 80).splitlines()
    assert concept == "concept   " + "ABCD" * 10
    assert regimes[0].rstrip() == "regime 1  " + "   ".join("A" * 10)
    assert len(regimes) == 4
    assert strip(replay, 22).plain.splitlines()[0] == "concept   " + "ABCD" * 3


def test_the_first_row_can_be_drawn():
    replay = begin(LEAST_ROWS, 0)
    step(replay)
    text = text_of(progress(replay, 80), 80)
    assert "no regime has a name yet" in text
    assert "nan" not in text


def test_a_return_is_told_when_it_is_recognised_or_over():
    replay = begin(LEAST_ROWS, 0)
    replay.charge[:] = np.repeat([1, 2, 3, 4, 4], VISIT)
    step(replay)  # a first row, for a regime to ask for
    for done, told in ((LEAST_ROWS - 1, False), (LEAST_ROWS, True)):
        replay.done = done
        assert ("not recognised" in text_of(progress(replay, 80), 80)) == told
    replay.charge[LEAST_ROWS - 2] = replay.charge[0] = 1
    replay.done = LEAST_ROWS - 1
    assert "recognised after 499 rows" in text_of(progress(replay, 80), 80)


def test_returns_in_words():
    assert sentence(Return(12_000, 2, 3, 17, 1_250)).plain == (
        " 12,000 C  regime 3 is back: recognised after 17 rows; last seen 1,250 rows ago"
    )
    assert "after 1 row;" in sentence(Return(12_000, 2, 3, 1, 1_250)).plain
    assert sentence(Return(12_000, 2, 0, None, 0)).plain.endswith("not recognised")
    found = [Return(0, 0, 1, after, 1) for after in (9, None, 4, 30)]
    assert recognition(found).plain == (
        "Recognised 3 of 4 returns, half of these within 9 rows, all within 30."
    )
    assert recognition(found[1:2]).plain == "Recognised 0 of 1 returns."


def test_an_interrupt_keeps_the_rows_that_are_done(monkeypatch):
    replay = begin(ROWS, 0)

    def interrupted(replay):
        if replay.done == 3_003:
            raise KeyboardInterrupt
        step(replay)

    monkeypatch.setattr("mooe.demo.step", interrupted)
    assert not play(replay, Console(file=io.StringIO()), live=False)
    assert {(row["rows"], row["returns"]) for row in results(replay)} == {(3_003, 2)}


def test_a_live_screen_tells_every_return_when_it_is_over():
    console = Console(file=io.StringIO(), force_terminal=True, width=80, height=40)
    replay = begin(4_000, 0)
    assert play(replay, console, live=True)
    drawn = console.file.getvalue()
    assert "4,000 rows, 10 features: concepts A, B, C, D take turns every 500 rows" in drawn
    for one in returns(replay):
        assert f"recognised after {one.after} rows; last seen {one.ago:,} rows ago" in drawn
