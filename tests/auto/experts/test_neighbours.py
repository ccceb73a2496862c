"""Neighbours: agreement with their oracle, nothing changed while closed, the laws while open."""

import math
from pathlib import Path

import numpy as np
import pytest
from numba import njit

from auto.regimes import Rows, learn, regimes, widened
from mooe import modelfile
from mooe.auto import core
from mooe.auto.experts.neighbours import GAIN, HEDGED, OPEN, ROWS, TUNED, most_blocks
from mooe.auto.file import WHOLES, learnt, restored
from mooe.auto.params import AutoParams
from mooe.model import Model
from mooe.named_rows import NamedRows
from mooe.numerics.draws import draw, key_of

GOLDEN = Path(__file__).parents[2] / "golden"
WITHOUT = ("neighbours",)
TOLERANCE = 1e-6  # of scores, in the unit of the targets, and of shares: distances are float32
FEW = ("forest", "leaves", "memory_plain", "memory_rich", "squares_slow", "squares_fast")


@njit
def drawn(seed, series, number):
    return draw(key_of(key_of(seed, series), number))


class Oracle:
    """The recipe, literally and slowly, above a model without neighbours that learns beside it."""

    def __init__(self, params, n_features, n_classes):
        self.params, self.regression = params, params.task == "regression"
        self.state = core.init(params, n_features, n_classes)
        self.rows = []  # (values, label, weight), the oldest first
        self.hedged = self.tuned = 0.01
        self.gain, self.open, self.lost = 0.0, False, [0.0, 0.0]
        self.n_open = 0

    def see(self, x):
        """Raw values in the order of inputs, as float32, and one over their deviations so far."""
        known = core.views(self.params, self.state).inputs
        given = x[known.order.astype(int)]
        raw = np.where(np.isnan(given), known.mean, given) - known.first
        raw = np.where(known.counts == 0, 0.0, raw)
        scale = np.zeros(len(x))
        varied = known.squares > 1e-300
        scale[varied] = np.sqrt(known.counts[varied] / known.squares[varied])
        return raw.astype(np.float32), scale.astype(np.float32)

    def blocks(self):
        """The rows of each block of 64 that is kept, the newest block first, rows newest first."""
        cut = [self.rows[i : i + 64] for i in range(0, len(self.rows), 64)]
        most = max(8, min(64, 98304 // (64 * self.state.n_features)))
        return [block[::-1] for block in cut[-most:][::-1]]

    def nearest(self, blocks, x, scale):
        """The ten nearest rows, with their squared distances in single precision."""
        found = []
        for values, label, weight in (row for block in blocks for row in block):
            distance = np.float32(0.0)
            for away in (x - values) * scale:
                distance = np.float32(float(away) * float(away) + float(distance))
            found.append((float(distance), len(found), label, weight))
        return sorted(found)[:10]

    def poll(self, near):
        """Scores by a list of rows."""
        weights = np.array([weight for *_, weight in near])
        far = near[-1][0]
        nearness = np.array([1.0 - one[0] / far if far > 0 else 1.0 for one in near])
        weights = np.maximum(0.02, nearness) * weights / weights.mean()
        labels = np.array([label for _, _, label, _ in near])
        if self.regression:
            unit = (labels - self.state.target_mean) / self.state.target_unit
            return np.array([weights @ unit / weights.sum()])
        n = max(2, self.state.n_outputs)
        shares = 0.1 + np.array([weights[labels == k].sum() for k in range(n)])
        shares /= shares.sum()
        return 2.0 * shares - 1.0 if n > 2 else shares[1:] - shares[:1]

    def charge(self, scores, label):
        """What scores are charged, by the counters after the label."""
        targets, state = self.targets(label), self.state
        if self.regression:
            low_high = np.clip(scores, state.low, state.high)
            return min(1.0, float((low_high - targets)[0] ** 2 / (8.0 * state.error)))
        squares = np.sum((scores - targets) ** 2)
        if len(scores) == 1:
            return 0.5 * (scores[0] * targets[0] <= 0) + 0.125 * squares
        return 0.5 * (np.argmax(scores) != label) + 0.5 * min(1.0, squares / 8.0)

    def targets(self, label):
        if self.regression:
            return np.array([(label - self.state.target_mean) / self.state.target_unit])
        classes = [1] if self.state.n_outputs == 1 else range(self.state.n_outputs)
        return np.array([1.0 if label == k else -1.0 for k in classes])

    def slopes(self, mixture, label):
        """The descent of the log-loss of scores, of which probabilities are the softmax."""
        targets = self.targets(label)
        if len(mixture) == 1:
            return targets / (1.0 + np.exp(4.0 * targets * mixture))
        odds = np.exp(2.0 * mixture)
        return (targets > 0) - odds / odds.sum()

    def pulls(self, mixture, first, own, label):
        """How much more the neighbours than the first mixture would have helped."""
        if not self.regression:
            return self.slopes(mixture, label) @ (own - first)
        usual = math.sqrt(self.state.error)
        error = np.clip((self.targets(label)[0] - mixture[0]) / usual, -1.0, 1.0)
        beside = [np.clip((one[0] - mixture[0]) / (2.0 * usual), -1.0, 1.0) for one in (own, first)]
        return error * (beside[0] - beside[1])

    def learn(self, x, label, weight, known):
        """Return the scores given before the label; learn it if there is one to learn."""
        one = Rows(x[None], np.array([label]), np.array([weight]), np.array([known]))
        labelled = not math.isnan(label) and weight > 0
        if labelled and not self.regression and label >= self.state.n_classes:
            said = self.learn(x, math.nan, weight, known)
            core.grow_classes(self.params, self.state, int(label) + 1)
            self.learn(x, label, weight, known)
            return said
        values, scale = self.see(x)
        mean, unit = self.state.target_mean, self.state.target_unit
        group, place = divmod(self.state.n_labelled, 8)
        sampled = place == int(8.0 * drawn(self.params.seed, 6, group))
        blocks = self.blocks()
        sampled = sampled and bool(blocks)
        asked = self.open or (labelled and sampled)
        if asked:
            lists = [self.poll(self.nearest(part, values, scale)) for part in (blocks[:8], blocks)]
            chance = np.exp(-np.array(self.lost))
            own = chance @ lists / chance.sum()
        weights, votes = core.explain(self.params, self.state, x[None])
        given = learn(self.params, self.state, one)[0]
        first = (given - mean) / unit
        if not np.isfinite(given).all():  # a single class has a mixture, but no score
            first = (weights @ votes - mean) / unit
        share = 0.5 * (self.hedged + self.tuned)
        moved = first + share * (own - first) if asked else first
        said = given
        if self.open and np.isfinite(given).all():
            self.n_open += 1
            said = mean + unit * moved if self.regression else moved
        if labelled:
            if asked:
                self.reweight(first, own, moved, lists, label, weight, sampled)
            self.rows.append((values, label, weight))
        return said

    def reweight(self, first, own, moved, lists, label, weight, sampled):
        lost_first, lost_own, lost = (
            weight * self.charge(scores, label) for scores in (first, own, moved)
        )
        if sampled:
            self.gain = (1 - 1 / 256) * self.gain + (lost_first - lost) / weight
        self.lost = [
            0.99 * before + weight * self.charge(scores, label)
            for before, scores in zip(self.lost, lists, strict=True)
        ]
        kept = self.hedged * np.exp(-lost_own), (1 - self.hedged) * np.exp(-lost_first)
        pull = weight * self.pulls(first + self.tuned * (own - first), first, own, label)
        tuned = self.tuned * np.exp(0.5 * pull), 1 - self.tuned
        self.hedged = 0.997 * kept[0] / sum(kept) + 0.0003
        self.tuned = float(np.clip(tuned[0] / sum(tuned), 1e-4, 1 - 1e-9))
        self.open = self.gain > 1 or (self.open and self.gain >= 0.5)


def local(seed=0, n=1200, d=2, n_classes=2, cells=3, **more):
    """Return rows whose labels are told by their neighbours alone: a board of random colours."""
    rng = np.random.default_rng(seed)
    rows = regimes(rng, n=n, d=d, n_classes=2, **more)
    X = np.where(np.isnan(rows.X), np.nan, rng.random((n, d)))
    place = np.floor(cells * np.nan_to_num(X[:, :2], nan=0.5)).astype(int)
    colours = rng.permutation(cells * cells) % max(n_classes, 2)
    y = colours[place[:, 0] * cells + place[:, -1] % cells].astype(float)
    if n_classes == 0:
        y = 100.0 + 5.0 * rng.normal(size=2)[y.astype(int)] + 0.1 * rng.normal(size=n)
    y = np.where(np.isnan(rows.y), np.nan, y)
    if n_classes:
        order = list(dict.fromkeys(y[~np.isnan(y) & (rows.weights > 0)]))
        y = np.array([float(order.index(one)) if one in order else np.nan for one in y])
    return Rows(X, y, rows.weights, rows.known)


def params_of(n_classes, **chosen):
    """Return parameters of a small model: linear experts alone, so that neighbours are worth it."""
    task = "classification" if n_classes else "regression"
    without = (*chosen.pop("without", FEW), "calibration")  # scores as they are mixed
    return AutoParams(task, interval=20, without=without, **chosen)


def status(params, state):
    return core.views(params, state).experts.neighbours.status


def is_open(params, state):
    return bool(status(params, state)[OPEN])


def opened(n_classes=2, n=1200, **more):
    """Return parameters, a state whose gate is open, and rows to go on with."""
    params, rows = params_of(n_classes), local(1, n=n + 300, n_classes=n_classes, cells=4, **more)
    state = core.init(params, rows.X.shape[1])
    learn(params, state, rows[:n])
    assert is_open(params, state)
    return params, state, rows[n:]


CASES = {
    "two classes": {},
    "four classes, which come one by one": {"n_classes": 4},
    "values": {"n_classes": 0},
    "values with weights": {"n_classes": 0, "weighted": True, "n": 700},
    "absent values, late labels": {
        "absent": 0.1,
        "unlabelled": 0.2,
        "late": 5,
        "d": 3,
        "n": 1500,
        "cells": 4,
    },
    "weights": {"weighted": True, "n_classes": 3, "n": 700},
    "a ring that is full": {"d": 128, "n": 850},
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_they_agree_with_the_oracle(case):
    rows = local(seed=1, **case)
    params = params_of(case.get("n_classes", 2))
    plain = params_of(case.get("n_classes", 2), without=(*FEW, *WITHOUT))
    d, n_classes = rows.X.shape[1], 2 if case.get("n_classes", 2) == 2 else 0
    state, oracle = core.init(params, d, n_classes), Oracle(plain, d, n_classes)
    for i, (x, y, weight, known) in enumerate(
        zip(rows.X, rows.y, rows.weights, rows.known, strict=True)
    ):
        unit = state.target_unit if n_classes == 0 else 1.0
        reported = learn(params, state, rows[i : i + 1])[0]
        expected = oracle.learn(x, y, weight, known)
        expected = widened(expected, len(reported))
        np.testing.assert_allclose(reported, expected, rtol=0, atol=TOLERANCE * max(1, unit))
        now = status(params, state)
        found = [now[HEDGED], now[TUNED], now[GAIN], now[OPEN]]
        own = [oracle.hedged, oracle.tuned, oracle.gain, oracle.open]
        np.testing.assert_allclose(found, own, rtol=0, atol=TOLERANCE, err_msg=f"row {i}")
    assert oracle.n_open > 50 or d == 128


# Closed


@pytest.mark.parametrize("n_classes", [2, 3, 0])
@pytest.mark.parametrize("d", [4, 140])
def test_while_closed_answers_are_those_without_neighbours_bit_for_bit(n_classes, d):
    rows = regimes(np.random.default_rng(0), n=400, d=d, n_classes=n_classes, weighted=True)
    params, plain = params_of(n_classes, without=()), params_of(n_classes, without=WITHOUT)
    state, other = core.init(params, d), core.init(plain, d)
    expected, compared = learn(plain, other, rows), 0
    for i in range(len(rows)):
        closed = d > 128 or not is_open(params, state)
        found = learn(params, state, rows[i : i + 1])[0]
        if closed:
            compared += 1
            np.testing.assert_array_equal(widened(found, expected.shape[1]), expected[i])
    assert compared > 300


@pytest.mark.parametrize("n_classes", [2, 3, 0])
def test_the_first_mixture_never_knows_of_them(n_classes):
    rows = local(n=1500, n_classes=n_classes)
    states = []
    for without in (FEW, (*FEW, *WITHOUT)):
        params = params_of(n_classes, without=without)
        states.append(core.init(params, 2))
        answers = learn(params, states[-1], rows)
        if without == FEW:
            assert is_open(params, states[-1])
            moved = answers
    assert (moved != answers).any()
    one = core.views(params_of(n_classes), states[0])
    other = core.views(params_of(n_classes, without=(*FEW, *WITHOUT)), states[1])
    for before, after in zip(one.mixture, other.mixture, strict=True):
        np.testing.assert_array_equal(before, after)
    np.testing.assert_array_equal(
        one.experts.linear.rich.busy.weights, other.experts.linear.rich.busy.weights
    )


def test_where_neighbours_tell_nothing_they_are_not_heard():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(4000, 8)), (rng.random(4000) < 0.4).astype(float)
    linear = (X @ rng.normal(size=8) > 0).astype(float)
    for labels in (y, linear):
        params = AutoParams()
        state = core.init(params, 8, 2)
        core.predict_then_learn(params, state, X, labels)
        assert not is_open(params, state)


# Open


@pytest.mark.parametrize("n_classes", [2, 4, 0])
def test_they_pay_where_labels_are_told_by_neighbours_alone(n_classes):
    rows = local(n=4000, n_classes=n_classes, cells=5)
    lost = []
    for without in (FEW, (*FEW, *WITHOUT)):
        params = params_of(n_classes, without=without)
        scores = learn(params, core.init(params, 2), rows)[1000:]
        if n_classes == 0:
            lost.append(np.mean((scores[:, 0] - rows.y[1000:]) ** 2))
        else:
            chosen = scores[:, 0] > 0 if n_classes == 2 else scores.argmax(axis=1)
            lost.append(np.mean(chosen != rows.y[1000:]))
    assert lost[0] < 0.7 * lost[1]


@pytest.mark.parametrize("n_classes", [2, 4, 0])
@pytest.mark.parametrize("more", [{}, {"absent": 0.1, "unlabelled": 0.1, "weighted": True, "d": 3}])
def test_rows_one_by_one_equal_one_chunk(n_classes, more):
    rows = local(n=1500, n_classes=n_classes, **more)
    params = params_of(n_classes)
    whole, single, few = (core.init(params, rows.X.shape[1]) for _ in range(3))
    expected = learn(params, whole, rows)
    for i in range(len(rows)):
        found = learn(params, single, rows[i : i + 1])[0]
        np.testing.assert_array_equal(widened(found, expected.shape[1]), expected[i])
    for i in range(0, len(rows), 7):
        learn(params, few, rows[i : i + 7])
    assert is_open(params, whole)
    for state in (single, few):
        assert state.block.tobytes() == whole.block.tobytes()
        assert state.counters.tobytes() == whole.counters.tobytes()


@pytest.mark.parametrize("n_classes", [2, 4, 0])
def test_predicting_changes_nothing_and_gives_what_learning_reports(n_classes):
    params, state, rows = opened(n_classes, unlabelled=0.1)
    for i in range(100):
        before = state.block.tobytes() + state.counters.tobytes()
        predicted = core.predict(params, state, rows.X[i : i + 1])
        assert state.block.tobytes() + state.counters.tobytes() == before
        np.testing.assert_array_equal(learn(params, state, rows[i : i + 1]), predicted)


@pytest.mark.parametrize("n_classes", [2, 4, 0])
def test_samples_by_name_are_answered_and_learnt_alike(n_classes):
    data = local(1, n=1300, n_classes=n_classes, cells=4)
    params = params_of(n_classes)
    rows, array = (NamedRows(Model(params, range(2))) for _ in range(2))
    scores = learn(params, array.model.state, data)
    compared = 0
    for i, (x, y) in enumerate(zip(data.X.tolist(), data.y.tolist(), strict=True)):
        if i % 3:  # answered first, or not
            rows.answer(dict(enumerate(x)))
            if i % 3 == 2 and len(rows.scores) == scores.shape[1]:
                compared += 1
                np.testing.assert_array_equal(rows.scores, scores[i])
        rows.learn(dict(enumerate(x)), y)
    assert compared > 300
    assert is_open(params, rows.model.state)
    assert rows.model.state.block.tobytes() == array.model.state.block.tobytes()


@pytest.mark.parametrize("n_classes", [2, 4, 0])
def test_weights_and_votes_make_the_score_with_the_neighbours_among_them(n_classes):
    params, state, rows = opened(n_classes)
    names = [member.name for member in core.experts(params, state)]
    weights, votes = core.explain(params, state, rows.X[:1])
    assert names[-1] == "neighbours"
    assert "neighbours" not in names[:-1]
    np.testing.assert_array_equal(weights, core.weights(params, state))
    assert weights.sum() == pytest.approx(1.0, abs=1e-12)
    assert weights[-1] == pytest.approx(status(params, state)[[HEDGED, TUNED]].mean())
    expected = core.predict(params, state, rows.X[:1])[0]
    np.testing.assert_allclose(weights @ votes, expected, rtol=1e-12)


def test_a_rhythm_of_eight_rows_does_not_deceive_the_gate():
    rows = local(1, n=2000)
    X, y = rows.X.copy(), rows.y.copy()
    X[::8], y[::8] = 0.5, np.random.default_rng(0).integers(0, 2, 250)
    params = params_of(2)
    state = core.init(params, 2, 2)
    core.predict_then_learn(params, state, X, y)
    assert is_open(params, state)


def test_while_closed_they_are_none_of_the_experts():
    params = AutoParams()
    state = core.init(params, 3, 2)
    assert "neighbours" not in [member.name for member in core.experts(params, state)]


def test_of_rows_that_are_alike_the_newest_are_the_nearest():
    params = params_of(2)
    X, y = np.zeros((300, 1)), np.zeros(300)
    X[1::2], y[-20:] = 1.0, 1.0  # ten of each value are of the other class
    state = core.init(params, 1, 2)
    core.predict_then_learn(params, state, X, y)
    status(params, state)[OPEN] = 1.0
    votes = core.explain(params, state, np.ones((1, 1)))[1]
    assert votes[-1, 0] == pytest.approx(10 / 10.2)


def test_a_heavier_row_counts_for_more():
    said = []
    for heavy in (1.0, 5.0):
        params, rng = params_of(2), np.random.default_rng(0)
        X, y = rng.random((200, 2)), rng.integers(0, 2, 200).astype(float)
        state = core.init(params, 2, 2)
        core.predict_then_learn(params, state, X, y, np.where(y == 1.0, heavy, 1.0))
        status(params, state)[OPEN] = 1.0
        said.append(
            np.mean([core.explain(params, state, x[None])[1][-1, 0] for x in X[:20] + 0.01])
        )
    assert said[1] > said[0] + 0.2


@pytest.mark.parametrize("factor", [1e6, 1e30, 1e60, 1e-60])
@pytest.mark.parametrize("n_classes", [2, 0])
def test_inputs_of_any_scale_give_finite_answers(n_classes, factor):
    params, state, rows = opened(n_classes)
    for X in (rows.X, rows.X * factor, rows.X):
        scores = learn(params, state, Rows(X, rows.y, rows.weights, rows.known))
        assert np.isfinite(scores).all()
        assert np.isfinite(state.block).all()
        assert np.isfinite(core.views(params, state).experts.neighbours.values).all()


def test_rows_of_great_weight_leave_finite_shares():
    params, state, rows = opened(2)
    heavy = Rows(rows.X, rows.y, np.full(len(rows), 1e50), rows.known)
    assert np.isfinite(learn(params, state, heavy)).all()
    assert np.isfinite(status(params, state)).all()


# Room and growth


def ring(params, state):
    """Return the labels in the ring and their row's values, as many as have been put there."""
    own, c = core.views(params, state).experts.neighbours, state
    n = min(c.ring_rows, most_blocks(c.n_features) * ROWS)
    values = own.values.reshape(-1, c.n_features + 1, ROWS).transpose(0, 2, 1)
    return own.labels[:n].copy(), values.reshape(-1, c.n_features + 1)[:n].copy()


def test_room_grows_with_what_was_learnt_and_no_further_than_the_ring():
    params, rng = AutoParams(), np.random.default_rng(0)
    state = core.init(params, 8, 2)
    room = []
    for _ in range(6):
        core.predict_then_learn(params, state, rng.normal(size=(1000, 8)), np.arange(1000) % 2.0)
        own = core.views(params, state).experts.neighbours
        room.append(own.labels.nbytes + own.values.nbytes)
    assert 40_000 < room[0] < 50_000
    assert room == sorted(room)
    assert room[-1] == room[-2] == 64 * 64 * (8 + 4 * 9)


@pytest.mark.parametrize(("d", "without"), [(129, ()), (4, WITHOUT)])
def test_who_has_no_neighbours_has_no_room_for_them(d, without):
    params = AutoParams(without=without)
    state = core.init(params, d, 2)
    core.predict_then_learn(params, state, np.ones((200, d)), np.arange(200) % 2.0)
    own = core.views(params, state).experts.neighbours
    assert (state.ring_room, state.ring_rows, [array.size for array in own]) == (0, 0, [0, 0, 0])


@pytest.mark.parametrize(("d", "blocks"), [(1, 64), (8, 64), (24, 64), (54, 28), (128, 12)])
def test_of_many_columns_fewer_rows_are_kept(d, blocks):
    assert most_blocks(d) == blocks


def test_a_ring_that_is_full_forgets_its_oldest_block():
    params = AutoParams(without=FEW)
    state = core.init(params, 128, 2)
    X = np.repeat(np.arange(1000.0)[:, None], 128, axis=1)
    core.predict_then_learn(params, state, X, np.arange(1000) % 2.0)
    values = ring(params, state)[1][:, 0]
    assert sorted(values[: 1000 - 768]) == [*range(768, 1000)]
    assert sorted(values[1000 - 768 :]) == [*range(1000 - 768, 768)]
    single = core.init(params, 128, 2)
    for i in range(1000):
        core.predict_then_learn(params, single, X[i : i + 1], np.array([i % 2.0]))
    assert single.block.tobytes() == state.block.tobytes()


@pytest.mark.parametrize("n", [768, 832, 1000])
def test_a_ring_that_is_full_is_restored(n):
    params = AutoParams(without=FEW)
    state = core.init(params, 128, 2)
    X = np.random.default_rng(0).normal(size=(n, 128))
    core.predict_then_learn(params, state, X, np.arange(n) % 2.0)
    counters, arrays = taken(params, state)
    other = restored(params, counters, arrays)
    for more in (state, other):
        core.predict_then_learn(params, more, X[:100], np.arange(100) % 2.0)
    for one, two in zip(ring(params, state), ring(params, other), strict=True):
        np.testing.assert_array_equal(one, two)
    for wrong in (-1, 1):
        forged = counters | {"ring_rows": n + wrong, "n_labelled": n + 1, "n_seen": n + 1}
        with pytest.raises(ValueError, match="must"):
            restored(params, forged, arrays)


def test_classes_that_come_late_leave_the_ring_as_it_is():
    params, state, rows = opened(2)
    before = ring(params, state)
    scores = core.predict(params, state, rows.X)[:, 0]
    core.grow_classes(params, state, 5)
    for one, other in zip(before, ring(params, state), strict=True):
        np.testing.assert_array_equal(one, other)
    after = core.predict(params, state, rows.X)
    assert is_open(params, state)
    np.testing.assert_array_equal(after.argmax(axis=1), scores > 0)


@pytest.mark.parametrize("n_classes", [2, 3, 0])
def test_columns_that_come_late_leave_the_rows_with_nothing_there(n_classes):
    params, state, rows = opened(n_classes)
    labels, values = ring(params, state)
    before = core.predict(params, state, rows.X)
    core.grow_inputs(params, state, 4)
    after = ring(params, state)
    np.testing.assert_array_equal(after[0], labels)
    np.testing.assert_array_equal(after[1][:, [0, 1, 4]], values)
    assert not after[1][:, 2:4].any()
    absent = np.column_stack([rows.X, np.full((len(rows), 2), np.nan)])
    np.testing.assert_allclose(core.predict(params, state, absent), before, rtol=0, atol=1e-9)
    more = Rows(np.column_stack([rows.X, rows.X]), rows.y, rows.weights, rows.known)
    single = state.copy()
    expected = learn(params, state, more)
    found = [learn(params, single, more[i : i + 1])[0] for i in range(len(more))]
    np.testing.assert_array_equal(found, expected)
    assert single.block.tobytes() == state.block.tobytes()


@pytest.mark.parametrize("n", [700, 1500, 1800])
def test_of_a_ring_that_has_to_be_smaller_the_newest_rows_are_left(n):
    params = AutoParams(without=FEW)
    state = core.init(params, 60, 2)
    X = np.repeat(np.arange(float(n))[:, None], 60, axis=1)
    core.predict_then_learn(params, state, X, np.arange(n) % 2.0)
    assert most_blocks(60) * ROWS == 1600
    core.grow_inputs(params, state, 120)
    labels, values = ring(params, state)
    left = np.arange(n)[-min(n, most_blocks(120) * ROWS) :]
    np.testing.assert_array_equal(values[:, 0], left)
    np.testing.assert_array_equal(labels, left % 2.0)
    core.predict_then_learn(params, state, np.ones((100, 120)), np.arange(100) % 2.0)


def test_inputs_that_become_wide_leave_no_neighbours():
    params, state, _ = opened(2)
    core.grow_inputs(params, state, 140)
    assert (state.ring_room, state.ring_rows) == (0, 0)
    assert "neighbours" not in [member.name for member in core.experts(params, state)]
    core.predict_then_learn(params, state, np.ones((10, 140)), np.arange(10) % 2.0)


# Model files


def taken(params, state):
    return {name: int(getattr(state, name)) for name in WHOLES}, learnt(params, state)


@pytest.mark.parametrize("n_classes", [2, 4, 0])
@pytest.mark.parametrize("n", [1200, 1216, 1231])
def test_saved_loaded_and_continued_equals_never_stopped(n_classes, n):
    params, state, rows = opened(n_classes, n)
    other = restored(params, *taken(params, state))
    np.testing.assert_array_equal(learn(params, state, rows), learn(params, other, rows))
    known = learnt(params, state)
    for name, array in learnt(params, other).items():
        np.testing.assert_array_equal(array, known[name], err_msg=name)
    assert (other.ring_rows, other.ring_room) == (state.ring_rows, state.ring_room)


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("format[23]-*.mooe")), ids=lambda p: p.stem)
def test_files_of_before_load_without_them(path):
    contents = modelfile.read(path)
    if contents.params.mode == "auto":
        assert "neighbours" in contents.params.without
        assert contents.state.ring_room == 0


def status_with(place, value):
    def forge(counters, arrays):
        arrays["neighbours.status"][place] = value

    return forge


def array_with(name, value):
    def forge(counters, arrays):
        arrays[name][...] = value

    return forge


def counter_with(value):
    def forge(counters, arrays):
        counters["ring_rows"] = value

    return forge


def shortened(name):
    def forge(counters, arrays):
        arrays[name] = arrays[name][:-1]

    return forge


FORGERIES = {
    "labels of classes that are not there": array_with("neighbours.labels", 2.0),
    "labels before the first": array_with("neighbours.labels", -1.0),
    "half a label": array_with("neighbours.labels", 0.5),
    "rows without weight": array_with("neighbours.values", 0.0),
    "values beyond all bounds": array_with("neighbours.values", 3e38),
    "values that are no numbers": array_with("neighbours.values", np.nan),
    "a share of nothing": status_with(HEDGED, 0.0),
    "a share of all": status_with(TUNED, 1.0),
    "half open": status_with(OPEN, 0.5),
    "rows that were never learnt": counter_with(2**40),
    "no rows": counter_with(0),
    "fewer rows": counter_with(64),
    "a row less": counter_with(1199),
    "a row more": counter_with(1201),
    "too few labels": shortened("neighbours.labels"),
    "too few values": shortened("neighbours.values"),
    "too few numbers": shortened("neighbours.status"),
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
def test_a_forged_file_is_refused(forge):
    params, state, _ = opened(2)
    counters, arrays = taken(params, state)
    restored(params, counters, arrays)  # as it is it is accepted
    forge(counters, arrays)
    with pytest.raises(ValueError, match="must"):
        restored(params, counters, arrays)


def test_an_open_gate_without_rows_is_refused():
    params = AutoParams()
    counters, arrays = taken(params, core.init(params, 3))
    arrays["neighbours.status"][OPEN] = 1.0
    with pytest.raises(ValueError, match="must say whether rows are asked"):
        restored(params, counters, arrays)
