"""The algorithm: agreement with the literal reference, bit for bit in any chunks, and extremes."""

import math
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from made_streams import Stream, kept, paper_settings, stream, streams_for
from reference import Reference

from mooe.numerics.scores import answers, probabilities
from mooe.paper import core

TOLERANCE = 1e-10  # of scores in the unit of the targets
seeds = st.integers(0, 2**32 - 1)


def widened(scores, n_outputs):
    """Return a row of scores as a chunk reports it that ends with this number of outputs."""
    if len(scores) == 1 and n_outputs > 1:
        scores = [0.0 if scores[0] == -math.inf else -scores[0], scores[0]]
    return np.append(scores, np.full(n_outputs - len(scores), -math.inf))


def compared(params, rows, n_classes=0):
    """Learn the rows with core and reference, compare all they know; return the multipliers."""
    d = rows.X.shape[1]
    reference = Reference(n_features=d, n_classes=n_classes, **asdict(params))
    state = core.init(params, d, n_classes)
    multipliers = []
    scores = []
    for x, y, weight in zip(rows.X, rows.y, rows.weights, strict=True):
        scores.append(reference.learn(x, y, weight))
        before = state.n_intervals
        core.predict_then_learn(params, state, x[None], np.array([y]), np.array([weight]))
        if state.n_intervals > before and state.n_offline > 0:
            multipliers.extend(core.views(params, state).multipliers)
    whole = core.init(params, d, n_classes)
    reported = core.predict_then_learn(params, whole, rows.X, rows.y, rows.weights)
    assert kept(params, whole) == kept(params, state)
    expected = np.array([widened(s, state.n_outputs) for s in scores])
    unit = max(1.0, abs(state.low), abs(state.high)) if math.isfinite(state.low) else 1.0
    np.testing.assert_allclose(reported, expected, rtol=0, atol=TOLERANCE * unit)
    np.testing.assert_allclose(core.weights(params, state), reference.weights, atol=TOLERANCE)
    block, n = core.views(params, state), state.n_offline
    assert (n, state.t) == (len(reference.experts), len(reference.rows))
    assert block.fitted[:n].tolist() == reference.fitted
    atol = TOLERANCE * max(1.0, params.radius)
    np.testing.assert_allclose(block.online, reference.online, rtol=0, atol=atol)
    for k, expert in enumerate(reference.experts):
        np.testing.assert_allclose(block.experts[:, :, k], expert, rtol=0, atol=atol)
    return np.array(multipliers)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.data())
def test_it_agrees_with_the_reference_on_random_streams(data):
    params = data.draw(paper_settings(), "params")
    rows = data.draw(streams_for(params), "rows")
    known = data.draw(st.booleans(), "classes known beforehand")
    n_classes = int(np.nanmax(rows.y[rows.learnt], initial=0.0)) + 1
    known = known and params.task == "classification"
    multipliers = compared(params, rows, n_classes if known else 0)
    event("ball active" if np.any(multipliers > 0) else "ball never active")


@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(("interval", "d"), [(12, 3), (5, 20)])
def test_it_agrees_with_the_reference_where_the_ball_is_active_and_where_it_is_not(
    loss, n_classes, interval, d
):
    rows = stream(np.random.default_rng(d), n=70, d=d, n_classes=n_classes, noise=0.0)
    small, large = (
        core.Params(loss=loss, interval=interval, max_experts=4, radius=radius, pull=1e-3)
        for radius in (0.05, 50.0)
    )
    assert np.any(compared(small, rows) > 0)
    assert np.all(compared(large, rows) == 0)


def test_it_agrees_with_the_reference_where_one_row_returns_and_is_learnt_perfectly():
    # The loss and with it the pull fall to nothing, and one row leaves most directions free.
    params = core.Params(interval=2, max_experts=2, input_bound=0.2, scale=False)
    rows = Stream(np.full((30, 1), 0.198), np.r_[0.0, np.ones(29)], np.ones(30))
    compared(params, rows)


@pytest.mark.parametrize("chosen", [{"meta_rate": 1000.0}, {"meta_rate": None}], ids=str)
def test_priorities_hold_among_weights_too_small_for_a_float(chosen):
    rows = stream(np.random.default_rng(0), n=200)
    heavy = Stream(rows.X, rows.y, np.full(200, 1.0 if chosen["meta_rate"] else 1000.0))
    compared(core.Params(interval=20, max_experts=6, radius=2.0, online_rate=0.1, **chosen), heavy)


def test_labels_outside_the_target_bounds_are_learnt_as_the_nearest_bound():
    rows = stream(np.random.default_rng(1), n_classes=0)
    params = core.Params(task="regression", interval=20, target_bounds=(0.0, 10.0))
    beyond, clipped = (core.init(params, 3) for _ in range(2))
    core.predict_then_learn(params, beyond, rows.X, rows.y)
    core.predict_then_learn(params, clipped, rows.X, rows.y.clip(0.0, 10.0))
    assert beyond.n_clipped == np.sum((rows.y < 0) | (rows.y > 10)) > 0
    np.testing.assert_array_equal(
        core.predict(params, beyond, rows.X), core.predict(params, clipped, rows.X)
    )


def learn_in_chunks(params, state, rows, cuts):
    """Learn the rows up to each cut in turn; return the scores of all, as the last chunk's."""
    scores = []
    for first, last in zip([0, *cuts], [*cuts, len(rows.X)], strict=True):
        chunk = slice(first, last)
        chunk_scores = core.predict_then_learn(
            params, state, rows.X[chunk], rows.y[chunk], rows.weights[chunk]
        )
        scores.extend(chunk_scores)
    return np.array([widened(s, state.n_outputs) for s in scores])


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.data())
def test_any_chunks_give_the_same_bits(data):
    params = data.draw(paper_settings(), "params")
    rows = data.draw(streams_for(params), "rows")
    n, d = rows.X.shape
    cuts = data.draw(st.lists(st.integers(0, n), max_size=6).map(sorted), "cuts")
    whole, single, chunked = (core.init(params, d) for _ in range(3))
    expected = learn_in_chunks(params, whole, rows, [])
    np.testing.assert_array_equal(learn_in_chunks(params, single, rows, range(1, n)), expected)
    np.testing.assert_array_equal(learn_in_chunks(params, chunked, rows, cuts), expected)
    assert kept(params, single) == kept(params, whole)
    assert kept(params, chunked) == kept(params, whole)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.data())
def test_predict_gives_what_learning_reports_and_changes_nothing(data):
    params = data.draw(paper_settings(), "params")
    rows = data.draw(streams_for(params, n=60), "rows")
    state = core.init(params, rows.X.shape[1])
    for i in range(len(rows.X)):
        this = slice(i, i + 1)
        before, block = kept(params, state), state.block.tobytes()
        predicted = core.predict(params, state, rows.X[this])
        assert kept(params, state) == before
        assert state.block.tobytes() == block
        n_outputs = state.n_outputs
        reported = core.predict_then_learn(
            params, state, rows.X[this], rows.y[this], rows.weights[this]
        )
        if state.n_outputs == n_outputs:
            np.testing.assert_array_equal(reported, predicted)
        else:
            np.testing.assert_array_equal(reported[0], widened(predicted[0], state.n_outputs))


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.data())
def test_rows_that_are_not_learnt_change_nothing(data):
    params = data.draw(paper_settings(), "params")
    rows = data.draw(streams_for(params), "rows")
    everything, learnt = (core.init(params, rows.X.shape[1]) for _ in range(2))
    core.predict_then_learn(params, everything, rows.X, rows.y, rows.weights)
    part = rows.learnt
    core.predict_then_learn(params, learnt, rows.X[part], rows.y[part], rows.weights[part])
    assert kept(params, everything) == kept(params, learnt)


def learnt_state(rows, **chosen):
    params = core.Params(**{"interval": 20, "max_experts": 4, **chosen})
    state = core.init(params, rows.X.shape[1])
    core.predict_then_learn(params, state, rows.X, rows.y, rows.weights)
    return params, state


def test_inputs_are_not_modified():
    rows = stream(np.random.default_rng(2), n_classes=3, absent=0.1, unlabelled=0.1, weighted=True)
    before = [array.tobytes() for array in (rows.X, rows.y, rows.weights)]
    params, state = learnt_state(rows)
    core.predict(params, state, rows.X)
    core.explain(params, state, rows.X[:1])
    core.check_inputs(params, rows.X)
    assert [array.tobytes() for array in (rows.X, rows.y, rows.weights)] == before


@pytest.mark.parametrize("start", ["warm", "random"])
def test_the_same_seed_gives_the_same_bytes_and_another_only_where_it_is_used(start):
    rows = stream(np.random.default_rng(3))
    first, again, other = (kept(*learnt_state(rows, start=start, seed=s)) for s in (4, 4, 5))
    assert first == again
    assert (first == other) == (start == "warm")


def test_random_starts_lie_in_the_ball_and_differ_from_interval_to_interval():
    params = core.Params(interval=1, max_experts=1, start="random", radius=2.0, online_rate=0.0)
    state = core.init(params, 8, n_classes=3)
    starts = []
    for _ in range(4):
        starts.append(core.views(params, state).online.copy())
        core.predict_then_learn(params, state, np.ones((1, 8)), np.zeros(1))
    assert len({s.tobytes() for s in starts}) == 4
    assert max(np.linalg.norm(s, axis=1).max() for s in starts) <= 2.0
    assert min(np.linalg.norm(s, axis=1).min() for s in starts) > 0.2


def test_a_copy_shares_nothing():
    rows = stream(np.random.default_rng(4), n_classes=3)
    params, state = learnt_state(rows)
    copy, before = state.copy(), kept(params, state)
    core.predict_then_learn(params, copy, rows.X, rows.y)
    assert kept(params, state) == before
    core.predict_then_learn(params, state, rows.X, rows.y)
    assert kept(params, state) == kept(params, copy)


EXTREMES = {
    "inputs of 1e12": lambda X: X * 1e12,
    "offset of 1e12": lambda X: X + 1e12,
    "times 1e6": lambda X: X * 1e6,
    "tiny": lambda X: X * 1e-140,
    "largest": lambda X: np.clip(X * 1e98, -1e100, 1e100),
    "constant": lambda X: np.full_like(X, 1234567.1),
    "zeros": np.zeros_like,
    "constant at first": lambda X: np.where(np.arange(len(X))[:, None] < 100, 0.1, X),
    "one step of 1e12": lambda X: np.where(np.arange(len(X))[:, None] == 77, 1e12, X),
    "one feature": lambda X: X[:, :1].copy(),
    "one sample": lambda X: X[:1],
    "no value present": lambda X: np.full_like(X, np.nan),
}


@pytest.mark.parametrize("extreme", EXTREMES)
@pytest.mark.parametrize(
    "chosen",
    [
        {"task": "classification", "loss": "squared"},
        {"task": "classification", "loss": "logistic"},
        {"task": "regression"},
        {"task": "regression", "interval": 1},
        {"loss": "logistic", "radius": 1e3, "input_bound": 1e3},
        {"loss": "squared", "radius": 1e-6, "intercept": False},
        {"meta_rate": 1e6},
        {"radius": 1e-50, "input_bound": 1e-50},
        {"radius": 1e50, "input_bound": 1e50},
    ],
    ids=str,
)
def test_scores_and_state_stay_finite(extreme, chosen):
    regression = chosen.get("task") == "regression"
    made = stream(np.random.default_rng(5), n=150, d=4, n_classes=0 if regression else 3)
    X = EXTREMES[extreme](made.X)
    y = made.y[: len(X)]
    params, state = learnt_state(Stream(X, y, np.ones(len(X))), **chosen)
    block = core.views(params, state)
    assert np.isfinite(core.predict(params, state, X)).all() or state.n_classes == 1
    for name in ("mean", "squares", "online", "losses"):
        assert np.isfinite(getattr(block, name)).all(), name
    experts = block.experts[:, :, : state.n_offline]
    assert np.linalg.norm(experts, axis=1).max(initial=0) <= params.radius * (1 + 1e-12)
    assert core.weights(params, state).sum() == pytest.approx(1, abs=1e-12)


def test_standardised_answers_do_not_depend_on_the_unit_of_the_inputs():
    rows = stream(np.random.default_rng(6), n_classes=3)
    params = core.Params(interval=20, max_experts=4)
    plain, scaled = (core.init(params, 3) for _ in range(2))
    one = core.predict_then_learn(params, plain, rows.X, rows.y)
    other = core.predict_then_learn(params, scaled, rows.X * 2.0**20, rows.y)
    np.testing.assert_array_equal(one, other)


def test_nothing_is_known_before_a_label_and_one_class_is_predicted_once_it_is_met():
    X = np.ones((1, 2))
    params = core.Params()
    state = core.init(params, 2)
    assert np.isnan(core.predict(params, state, X)).all()
    assert answers(params, core.predict(params, state, X)).tolist() == [-1]
    core.predict_then_learn(params, state, X, np.zeros(1))
    assert core.predict(params, state, X).tolist() == [[-math.inf]]
    assert answers(params, core.predict(params, state, X)).tolist() == [0]


def test_a_regression_without_labels_knows_its_weights_and_no_answer():
    params = core.Params(task="regression")
    state = core.init(params, 2)
    weights, scores = core.explain(params, state, np.ones((1, 2)))
    assert weights.tolist() == core.weights(params, state).tolist() == [1.0]
    assert np.isnan(scores).all()
    assert np.isnan(core.predict(params, state, np.ones((1, 2)))).all()


@pytest.mark.parametrize(
    "chosen", [{}, {"loss": "logistic"}, {"n_classes": 3}, {"task": "regression"}], ids=str
)
def test_explained_weights_and_votes_make_up_the_score(chosen):
    chosen = dict(chosen)
    n_classes = chosen.pop("n_classes", 0 if chosen.get("task") == "regression" else 2)
    rows = stream(np.random.default_rng(7), n_classes=n_classes)
    params, state = learnt_state(rows, **chosen)
    assert state.n_offline == 3
    for x in rows.X[:20]:
        weights, scores = core.explain(params, state, x[None])
        np.testing.assert_allclose(
            weights @ scores, core.predict(params, state, x[None])[0], rtol=0, atol=1e-12
        )
    assert weights.tolist() == core.weights(params, state).tolist()


def test_experts_say_where_they_come_from():
    rows = stream(np.random.default_rng(8), n=110)
    params, state = learnt_state(rows, priority="queue", max_experts=3)
    found = core.experts(params, state)
    assert [(e.kind, e.interval, e.samples) for e in found] == [
        ("offline", 3, (60, 79)),
        ("offline", 4, (80, 99)),
        ("online", 5, (100, 109)),
    ]
    assert [e.weight for e in found] == core.weights(params, state).tolist()


def test_probabilities_sum_to_one_and_rank_as_the_scores_do():
    rng = np.random.default_rng(9)
    for loss in ("squared", "logistic"):
        params = core.Params(loss=loss)
        scores = rng.normal(size=(50, 4)) * 10.0 ** rng.uniform(-3, 3, (50, 1))
        chances = probabilities(params, scores)
        np.testing.assert_allclose(chances.sum(axis=1), 1, atol=1e-12)
        np.testing.assert_array_equal(chances.argmax(axis=1), scores.argmax(axis=1))
        single = probabilities(params, scores[:, :1])
        np.testing.assert_array_equal(single[:, 1] > 0.5, scores[:, 0] > 0)


def test_the_logistic_probability_is_that_of_its_score():
    chances = probabilities(core.Params(loss="logistic"), np.array([[0.7]]))
    assert chances[0, 1] == pytest.approx(1 / (1 + math.exp(-0.7)))


def test_new_classes_keep_the_old_scores():
    rows = stream(np.random.default_rng(10), n=80)
    params, state = learnt_state(rows)
    assert (state.t, state.n_offline) == (0, 3)  # within an interval the weights follow the losses
    before = core.predict(params, state, rows.X)
    core.grow_classes(params, state, 3)
    three = core.predict(params, state, rows.X)
    np.testing.assert_allclose(three[:, :2], np.column_stack([-before, before]), atol=1e-14)
    np.testing.assert_allclose(three[:, 2], -1.0, atol=1e-14)
    core.grow_classes(params, state, 6)
    six = core.predict(params, state, rows.X)
    assert answers(params, six).max() <= 1
    np.testing.assert_allclose(six[:, 3:], -1.0, atol=1e-14)


def test_a_second_class_changes_no_array():
    params = core.Params(interval=7)
    state = core.init(params, 2)
    core.predict_then_learn(params, state, np.ones((5, 2)), np.zeros(5))
    block = state.block.tobytes()
    core.grow_classes(params, state, 2)
    assert (state.n_classes, state.block.tobytes()) == (2, block)


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("chosen", [{}, {"n_classes": 3}, {"loss": "logistic"}], ids=str)
def test_features_that_stay_absent_change_no_score(scale, intercept, chosen):
    chosen = dict(chosen)
    rows = stream(np.random.default_rng(11), d=3, n_classes=chosen.pop("n_classes", 2))
    X = rows.X if scale else rows.X / 300.0
    params, narrow = learnt_state(
        Stream(X[:70], rows.y[:70], rows.weights[:70]), scale=scale, intercept=intercept, **chosen
    )
    wide = narrow.copy()
    core.grow_inputs(params, wide, 5)
    absent = np.column_stack([X, np.full((len(X), 2), np.nan)])
    np.testing.assert_allclose(
        core.predict(params, wide, absent), core.predict(params, narrow, X), rtol=0, atol=1e-14
    )
    assert core.weights(params, wide).tobytes() == core.weights(params, narrow).tobytes()
    np.testing.assert_allclose(
        core.predict_then_learn(params, wide, absent[70:], rows.y[70:]),
        core.predict_then_learn(params, narrow, X[70:], rows.y[70:]),
        rtol=0,
        atol=TOLERANCE,
    )


def test_new_features_are_learnt_once_they_come():
    rng = np.random.default_rng(12)
    params = core.Params(interval=20)
    state = core.init(params, 1)
    useless = rng.normal(size=(100, 1))
    y = rng.integers(2, size=100).astype(float)
    y[:2] = 0, 1
    core.predict_then_learn(params, state, useless, y)
    core.grow_inputs(params, state, 2)
    told = np.column_stack([useless, y + 0.1 * rng.normal(size=100)])
    scores = core.predict_then_learn(params, state, told, y)
    assert np.mean(answers(params, scores)[50:] == y[50:]) > 0.9


def test_memory_does_not_grow_with_the_stream():
    rows = stream(np.random.default_rng(13), n=5000)
    params = core.Params(interval=5, max_experts=4)
    state = core.init(params, 3)
    before = state.block.nbytes, state.counters.nbytes
    core.predict_then_learn(params, state, rows.X, rows.y)
    assert (state.n_intervals, state.n_offline) == (1000, 3)
    assert (state.block.nbytes, state.counters.nbytes) == before


@pytest.mark.parametrize("bad", [np.inf, -np.inf, 1.1e100])
def test_values_that_no_expert_can_take_are_named_with_their_place(bad):
    X = np.ones((3, 2))
    X[1, 1] = bad
    with pytest.raises(ValueError, match=r"X must hold finite .*got .*row 1, column 1") as caught:
        core.check_inputs(core.Params(), X)
    assert f"got {bad} in row" in str(caught.value)


def test_absent_values_are_fine_where_they_are_allowed():
    X = np.array([[0.5, np.nan]])
    core.check_inputs(core.Params(), X)
    core.check_inputs(core.Params(scale=False), X)
    with pytest.raises(ValueError, match="column 0"):
        core.check_inputs(core.Params(), np.array([[np.inf, np.nan]]))


def test_a_row_that_is_too_long_is_an_error_without_scaling_only():
    X = np.array([[0.6, 0.8], [0.6, 0.81]])
    core.check_inputs(core.Params(), X)
    core.check_inputs(core.Params(scale=False), X[:1])
    with pytest.raises(ValueError, match=r"input_bound = 1, got 1\.00802 in row 1"):
        core.check_inputs(core.Params(scale=False), X)
