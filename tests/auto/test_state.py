"""A state: what is drawn before the first sample, who has a say, and growth that keeps all."""

from itertools import pairwise

import numpy as np
import pytest

from auto.regimes import Rows, learn, nominal, regimes
from mooe.auto import core
from mooe.auto.experts.memory import IN_CHARGE, N_CONCEPTS
from mooe.auto.params import AutoParams
from mooe.auto.roster import CLASSES_ONLY, EXPERTS, NARROW_ONLY
from mooe.numerics.scores import answers, n_outputs_of

PARAMS = AutoParams(interval=8)


def block_of(d, **chosen):
    params = AutoParams(**chosen)
    return core.views(params, core.init(params, d))


@pytest.mark.parametrize("d", [1, 5, 24])
def test_all_pairs_of_few_columns_are_multiplied_each_once(d):
    pairs = block_of(d).inputs.pairs.astype(int)
    expected = {(i, j) for j in range(d) for i in range(j + 1)}
    assert {(min(pair), max(pair)) for pair in pairs.tolist()} == expected
    assert len(pairs) == len(expected)


def chosen_pairs(X, seed=0):
    """Return the pairs of columns that a model multiplies after rows, as sorted tuples."""
    params = AutoParams(seed=seed)
    state = core.init(params, X.shape[1], 2)
    core.predict_then_learn(params, state, X, np.arange(len(X)) % 2.0)
    seen = core.views(params, state).inputs
    columns = seen.order.astype(int)[seen.pairs.astype(int)]
    return [tuple(sorted(pair)) for pair in columns.tolist()]


def test_of_many_columns_300_pairs_are_drawn_by_the_seed_after_the_first_rows():
    X = np.random.default_rng(0).normal(size=(50, 60))
    assert (block_of(60).inputs.pairs == -1.0).all()
    one, same, other = (chosen_pairs(X, seed) for seed in (1, 1, 2))
    assert one == same != other
    assert len(set(one)) == 300
    assert 0 < sum(i == j for i, j in one) < 30  # squares as likely as others


def test_of_columns_of_two_kinds_numbers_are_multiplied_first():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(50, 10)), rng.integers(0, 2, (50, 40))])
    pairs = chosen_pairs(X)
    kinds = [(i >= 10) + (j >= 10) for i, j in pairs]
    assert {(i, j) for i, j in pairs if j < 10} == {(i, j) for j in range(10) for i in range(j + 1)}
    assert (kinds.count(0), kinds.count(1), kinds.count(2)) == (55, 245, 0)
    few = np.column_stack([rng.normal(size=(50, 2)), rng.integers(0, 2, (50, 40))])
    kinds = [(i >= 2) + (j >= 2) for i, j in chosen_pairs(few)]
    assert (kinds.count(0), kinds.count(1), kinds.count(2)) == (3, 80, 217)
    assert all(i != j for (i, j), kind in zip(chosen_pairs(few), kinds, strict=True) if kind == 2)


def test_groups_stay_with_their_columns_however_inputs_are_arranged_and_grow():
    rows, groups = nominal(np.random.default_rng(0), 120, 3, (5, 4), late=0.5)
    params, order = AutoParams(interval=8), np.random.default_rng(1).permutation(len(groups))
    X, groups = rows.X[:, order], groups[order]
    state = core.init(params, 8, 2, groups[:8])
    core.predict_then_learn(params, state, X[:60, :8], rows.y[:60])
    assert not np.array_equal(core.views(params, state).inputs.order, np.arange(8))
    np.testing.assert_array_equal(core.column_groups(params, state), groups[:8])
    core.grow_inputs(params, state, len(groups), groups[8:])
    core.predict_then_learn(params, state, X[60:], rows.y[60:])
    np.testing.assert_array_equal(core.column_groups(params, state), groups)
    seen = core.views(params, state).inputs
    one, other = seen.group[seen.pairs.astype(int)].T
    assert not ((one == other) & (one > 0)).any()
    assert len(seen.pairs) == 12 * 13 // 2 - 5 * 6 // 2 - 4 * 5 // 2
    core.grow_inputs(params, state, 130)
    assert state.n_groups == 0
    assert not core.column_groups(params, state).any()


def test_the_numbers_of_groups_decide_nothing():
    rows, groups = nominal(np.random.default_rng(0), 400, 3, (5, 4, 12), n_classes=3)
    found = []
    for numbers in (groups, np.array([0.0, 3.0, 1.0, 2.0])[groups.astype(int)]):
        state = core.init(PARAMS, len(groups), 3, numbers)
        found.append(core.predict_then_learn(PARAMS, state, rows.X, rows.y))
    np.testing.assert_array_equal(*found)


def test_products_of_indicators_are_of_different_columns_of_the_table():
    rows, groups = nominal(np.random.default_rng(0), 60, 2, (20, 20))
    params = AutoParams()
    state = core.init(params, len(groups), 2, groups)
    assert (core.views(params, state).inputs.pairs == -1.0).all()
    core.predict_then_learn(params, state, rows.X, rows.y)
    seen = core.views(params, state).inputs
    columns = seen.order.astype(int)[seen.pairs.astype(int)]
    kinds = (columns >= 2).sum(axis=1)
    assert [(kinds == kind).sum() for kind in (0, 1, 2)] == [3, 80, 217]
    assert (groups[columns[kinds == 2]].sum(axis=1) == 3.0).all()


def test_indicators_that_come_with_the_first_rows_take_no_room_from_numbers():
    rows, groups = nominal(np.random.default_rng(0), 120, 6, (20, 14))
    order = np.argsort(groups == 2, kind="stable")  # numbers, the one column, the other
    X, params = rows.X[:, order], AutoParams()
    state = core.init(params, 7, 2, groups[:7])
    core.predict_then_learn(params, state, X[:4, :7], rows.y[:4])
    for width in range(8, 41):
        core.grow_inputs(params, state, width, groups[width - 1 : width])
        core.predict_then_learn(params, state, X[width : width + 1, :width], rows.y[[width]])
    core.predict_then_learn(params, state, X[50:], rows.y[50:])
    seen = core.views(params, state).inputs
    columns = seen.order.astype(int)[seen.pairs.astype(int)]
    kinds = (columns >= 6).sum(axis=1)
    assert [(kinds == kind).sum() for kind in (0, 1, 2)] == [21, 6 * 34, 75]
    alone = core.init(params, 1, 2, np.ones(1))  # a column whose values are all there is
    core.grow_inputs(params, alone, 30, np.ones(29))
    assert alone.n_pairs == 0


def answers_in(rows, order, groups=None):
    """Return what is answered before each label, and to unlabelled rows in between."""
    X, groups = rows.X[:, order], None if groups is None else groups[order]
    state = core.init(PARAMS, len(order), 2, groups)
    asked = [core.predict(PARAMS, state, X[:9])]
    for ends in pairwise((0, 1, 2, 5, 9, 60, len(X))):
        part = slice(*ends)
        learn(PARAMS, state, Rows(X[part], rows.y[part], rows.weights[part], rows.known[part]))
        asked.append(core.predict(PARAMS, state, X[-9:]))
    return np.concatenate(asked)


@pytest.mark.parametrize("d", [6, 60])
@pytest.mark.parametrize("kind", ["numbers", "few values", "alike at first", "absent at first"])
def test_the_order_of_columns_decides_nothing(d, kind):
    rng = np.random.default_rng(0)
    rows = regimes(rng, n=300, d=d)
    if kind == "few values":
        rows.X[:] = rows.X > 1.0
    elif kind == "alike at first":
        rows.X[:7, : d - 2] = rows.X[:7, :1]
        rows.X[:, 2] = rows.X[:, 1]  # for ever
    elif kind == "absent at first":
        rows.X[:5, 1:] = np.nan
    expected = answers_in(rows, np.arange(d))
    for _ in range(3):
        np.testing.assert_array_equal(answers_in(rows, rng.permutation(d)), expected)


@pytest.mark.parametrize("sizes", [(4, 3, 4), (5, 5, 5, 2, 2)])
def test_the_order_of_nominal_columns_decides_nothing_either(sizes):
    rng = np.random.default_rng(1)
    rows, groups = nominal(rng, 300, 3, sizes)
    firsts = [np.flatnonzero(groups == 1 + g)[0] for g in range(len(sizes))]
    rows.X[:4, groups > 0] = 0.0
    rows.X[:3, firsts] = 1.0  # alike at first
    expected = answers_in(rows, np.arange(len(groups)), groups)
    for _ in range(3):
        numbers = {g: n for n, g in enumerate(rng.permutation(len(sizes)) + 1, 1)} | {0: 0}
        named = np.array([numbers[g] for g in groups.astype(int)], float)
        order = np.argsort(rng.random(len(sizes) + 4)[groups.astype(int)], kind="stable")
        np.testing.assert_array_equal(answers_in(rows, order, named), expected)


def test_frequencies_are_normal_and_phases_uniform_in_turns():
    found = [block_of(7, seed=seed) for seed in range(40)]
    radians = 2.0 * np.pi * np.concatenate([block.inputs.frequencies.ravel() for block in found])
    assert radians.std() == pytest.approx(0.7 / np.sqrt(7), rel=0.03)
    assert abs(radians.mean()) < 0.01
    phases = np.concatenate([block.inputs.phases for block in found])
    assert (phases.min() >= 0.0, phases.max() < 1.0) == (True, True)
    assert phases.mean() == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize(("d", "on"), [(128, set(EXPERTS)), (129, set(EXPERTS) - set(NARROW_ONLY))])
def test_wide_inputs_leave_the_experts_on_plain_inputs(d, on):
    params = AutoParams()
    state = core.init(params, d)
    weighed = {member.name: member.weight for member in core.experts(params, state)}
    assert set(weighed) == on
    np.testing.assert_allclose(list(weighed.values()), 1.0 / len(on), rtol=1e-12)


def test_parts_that_are_left_out_are_not_drawn():
    block = block_of(5, without=("fourier", "products"))
    assert (block.inputs.phases.size, block.inputs.pairs.size) == (0, 0)
    assert block.experts.linear.rich.busy.weights.shape[1] == 6


@pytest.mark.parametrize(
    ("task", "n_classes", "outputs"),
    [("classification", c, o) for c, o in ((0, 1), (1, 1), (2, 1), (3, 3), (9, 9))]
    + [("regression", 0, 1)],
)
def test_two_classes_need_one_score_and_more_one_each(task, n_classes, outputs):
    params = AutoParams(task)
    assert n_outputs_of(params, n_classes) == outputs
    assert core.init(params, 2, n_classes).n_outputs == outputs


def test_nobody_is_in_charge_before_the_first_interval_has_closed():
    params = AutoParams()
    state = core.init(params, 3)
    block = core.views(params, state)
    assert (
        block.experts.memory.plain.status[IN_CHARGE]
        == block.experts.memory.rich.status[IN_CHARGE]
        == -1
    )
    assert core.concepts(params, state) == []


def learnt(d=4, n_classes=2, n=150, params=PARAMS, **more):
    rows = regimes(np.random.default_rng(0), n=n, d=d, n_classes=n_classes, **more)
    state = core.init(params, d, n_classes)
    learn(params, state, rows)
    return state, rows


PLAIN = AutoParams(interval=8, without=("autoregression", "calibration", "forest", "leaves"))


@pytest.mark.parametrize("d", [4, 140])
@pytest.mark.parametrize("after", [3, 6])
def test_classes_that_nobody_met_are_answered_never_and_the_others_as_before(d, after):
    state, rows = learnt(d, params=PLAIN)
    before = core.predict(PLAIN, state, rows.X)[:, 0]
    core.grow_classes(PLAIN, state, after)
    scores = core.predict(PLAIN, state, rows.X)
    assert (state.n_classes, scores.shape) == (after, (150, after))
    np.testing.assert_allclose(scores[:, 1], before, rtol=0, atol=1e-12)
    np.testing.assert_allclose(scores[:, 0], -before, rtol=0, atol=1e-12)
    np.testing.assert_allclose(scores[:, 2:], -1.0, rtol=0, atol=1e-12)


def test_more_classes_leave_the_scores_of_those_there_are():
    state, rows = learnt(n_classes=3, params=PLAIN)
    before = core.predict(PLAIN, state, rows.X)
    core.grow_classes(PLAIN, state, 5)
    np.testing.assert_array_equal(core.predict(PLAIN, state, rows.X)[:, :3], before)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_trees_give_next_to_nothing_to_classes_that_nobody_met(n_classes):
    state, rows = learnt(n_classes=n_classes)
    before = answers(PARAMS, core.predict(PARAMS, state, rows.X))
    core.grow_classes(PARAMS, state, 6)
    scores = core.predict(PARAMS, state, rows.X)
    assert (scores[:, n_classes:].max(axis=1) < scores[:, :n_classes].max(axis=1)).all()
    assert np.mean(answers(PARAMS, scores) == before) > 0.97


def test_a_class_that_comes_late_is_learnt():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 3))
    y = (X[:, 0] > 0).astype(float)
    y[1000:][X[1000:, 1] > 0.8] = 2.0
    state = core.init(PARAMS, 3)
    scores = core.predict_then_learn(PARAMS, state, X, y)
    assert np.mean(scores[2000:].argmax(axis=1) == y[2000:]) > 0.9


@pytest.mark.parametrize("d", [4, 127])
@pytest.mark.parametrize("n_classes", [2, 3, 0])
def test_features_that_appear_find_experts_that_do_not_know_them(d, n_classes):
    params = AutoParams("classification" if n_classes else "regression", interval=8)
    state, rows = learnt(d, n_classes, params=params)
    before = core.predict(params, state, rows.X)
    waves = core.views(params, state).inputs.frequencies.copy()
    core.grow_inputs(params, state, d + 1)
    # A column that was never there counts as its mean of nothing: 0.
    more = np.column_stack([rows.X, np.full(150, np.nan)])
    np.testing.assert_allclose(core.predict(params, state, more), before, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(core.views(params, state).inputs.frequencies[:d], waves)


@pytest.mark.parametrize(("before", "after"), [(3, 6), (140, 150), (100, 140), (128, 129)])
@pytest.mark.parametrize("n_classes", [2, 3, 0])
def test_what_has_grown_goes_on_learning(before, after, n_classes):
    params = AutoParams("classification" if n_classes else "regression", interval=8)
    state, _ = learnt(before, n_classes, params=params, zeros=0.3)
    concepts = core.views(params, state).experts.memory.plain.status[N_CONCEPTS]
    core.grow_inputs(params, state, after)
    assert state.n_features == after
    assert core.views(params, state).experts.memory.plain.status[N_CONCEPTS] == concepts
    weights = core.weights(params, state)
    assert weights.sum() == pytest.approx(1.0)
    left = len(NARROW_ONLY) if after > 128 else 0
    assert len(weights) == len(EXPERTS) - left - (0 if n_classes else len(CLASSES_ONLY))
    rows = regimes(np.random.default_rng(1), n=300, d=after, n_classes=n_classes, zeros=0.3)
    single, whole = state.copy(), state
    expected = learn(params, whole, rows)
    found = [learn(params, single, rows[i : i + 1])[0] for i in range(300)]
    np.testing.assert_array_equal(found, expected)
    assert np.isfinite(expected).all()
    assert np.isfinite(whole.block).all()
    assert single.block.tobytes() == whole.block.tobytes()


def test_inputs_that_become_wide_need_an_expert_on_plain_inputs():
    plain = ("passive_plain", "adagrad", "no_change", "memory_plain", "usual", "autoregression")
    params = AutoParams(interval=8, without=plain)
    state, _ = learnt(100, 2, params=params)
    before = state.block.tobytes()
    with pytest.raises(ValueError, match="without must leave an expert for wide inputs, got"):
        core.grow_inputs(params, state, 129)
    assert (state.n_features, state.block.tobytes()) == (100, before)


def test_a_column_that_comes_late_is_learnt():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 3))
    y = (X[:, 2] > 0).astype(float)  # told by the column that comes late
    params = AutoParams()
    state = core.init(params, 2, 2)
    core.predict_then_learn(params, state, X[:2000, :2], y[:2000])
    core.grow_inputs(params, state, 3)
    scores = core.predict_then_learn(params, state, X[2000:], y[2000:])[:, 0]
    assert np.mean((scores > 0)[200:] == y[2200:]) > 0.9


def test_an_added_expert_that_is_always_right_gets_the_weight():
    params = AutoParams()
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 3)), rng.integers(0, 2, 400).astype(float)
    state = core.init(params, 3, 2)
    core.predict_then_learn(params, state, X[:200], y[:200])
    before = core.weights(params, state)
    core.add_expert(params, state)
    weights = core.weights(params, state)
    n = len(EXPERTS)
    np.testing.assert_allclose(weights, np.append(before * n, 1.0) / (n + 1), rtol=1e-9)
    told = np.stack([1.0 - 2.0 * y, 2.0 * y - 1.0], axis=-1)[:, None]  # (n, 1 expert, 2 classes)
    scores = core.predict_then_learn(params, state, X[200:], y[200:], added=told[200:])[:, 0]
    assert np.mean((scores > 0)[50:] == y[250:]) == 1.0
    assert [member.name for member in core.experts(params, state)] == [*EXPERTS, "added"]
    assert core.weights(params, state)[-1] > 0.9


@pytest.mark.parametrize("n_classes", [2, 3])
def test_an_added_expert_is_heard_in_any_chunks(n_classes):
    params = AutoParams(interval=8)
    state, rows = learnt(4, n_classes)
    for _ in range(3):
        core.add_expert(params, state)
    told = np.random.default_rng(2).uniform(-1, 1, (150, 3, n_classes))
    single = state.copy()
    expected = core.predict_then_learn(params, state, rows.X, rows.y, added=told)
    for i in range(150):
        one = slice(i, i + 1)
        found = core.predict_then_learn(params, single, rows.X[one], rows.y[one], added=told[one])
        np.testing.assert_array_equal(found, expected[one])
    assert single.block.tobytes() == state.block.tobytes()
    with pytest.raises(ValueError, match="added must hold the scores of 3 experts"):
        core.predict(params, state, rows.X)


def test_the_order_of_two_classes_does_not_matter_to_an_added_expert():
    params = AutoParams()
    rows = regimes(np.random.default_rng(0), n=120, d=4)
    told = np.random.default_rng(1).uniform(-1, 1, (120, 1, 2))
    one, other = core.init(params, 4, 2), core.init(params, 4, 2)
    for state, y, scores in ((one, rows.y, told), (other, 1.0 - rows.y, told[:, :, ::-1])):
        core.add_expert(params, state)
        core.predict_then_learn(params, state, rows.X, y, added=scores)
    np.testing.assert_allclose(core.weights(params, one), core.weights(params, other), rtol=1e-9)
    assert core.weights(params, one)[-1] > 0.0


def test_in_regression_an_added_expert_says_labels_and_is_heard_in_any_chunks():
    params = AutoParams(task="regression", interval=8)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 2)), 1000.0 + 50.0 * rng.normal(size=300)
    told = np.column_stack([y, y - 1e5])[:, :, None]  # always right, far too low
    state = core.init(params, 2)
    for _ in range(2):
        core.add_expert(params, state)
    single = state.copy()
    scores = core.predict_then_learn(params, state, X, y, added=told)[:, 0]
    for i in range(300):
        one = slice(i, i + 1)
        found = core.predict_then_learn(params, single, X[one], y[one], added=told[one])
        assert np.array_equal(found[0], scores[one], equal_nan=True)
    assert single.block.tobytes() == state.block.tobytes()
    assert np.abs(scores - y)[100:].mean() < 5.0
    assert core.weights(params, state)[-2] > 0.9
    votes = core.explain(params, state, X[:1], told[:1])[1][:, 0]
    assert votes[-2] == pytest.approx(y[0])
    assert votes[-1] == pytest.approx(y.min())  # as far as labels went


def test_growth_in_mid_interval_keeps_the_open_rows():
    # A wide state and one with a constant column more say the same.
    params = AutoParams(interval=40)
    rows = regimes(np.random.default_rng(0), n=130, d=4, length=30)
    grown, from_start = core.init(params, 4, 2), core.init(params, 5, 2)
    learn(params, grown, rows[:70])
    core.grow_inputs(params, grown, 5)
    more = Rows(np.column_stack([rows.X, np.zeros(130)]), rows.y, rows.weights, rows.known)
    learn(params, grown, more[70:])
    learn(params, from_start, more)
    blocks = [core.views(params, state) for state in (grown, from_start)]
    orders = [np.append(block.inputs.order.argsort(), 5) for block in blocks]
    for a, b in zip(*(block.experts.linear.plain for block in blocks), strict=True):
        a, b = (one.weights[:, order] for one, order in zip((a, b), orders, strict=True))
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-12)
    losses = [block.experts.memory.plain.losses[:10] for block in blocks]
    np.testing.assert_allclose(*losses, rtol=0, atol=1e-12)
