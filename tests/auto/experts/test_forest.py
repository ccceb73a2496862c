"""The forest: agreement with its oracle, what it can tell that others cannot, room and files."""

import numpy as np
import pytest
from forest_reference import ForestReference, poisson

from auto.regimes import Rows, learn, nominal, regimes
from mooe.auto import core
from mooe.auto.experts import forest
from mooe.auto.experts.forest import BAGS, MANY, NODE, PAIR, TESTS, TREES, WHICH
from mooe.auto.file import learnt, restored
from mooe.auto.params import AutoParams
from mooe.auto.roster import ROSTER
from mooe.numerics.blocks import records
from mooe.numerics.scores import answers

ALONE = tuple(name for name in ROSTER if name not in ("forest", "leaves"))


def trained(X, y, **chosen):
    params = AutoParams(**chosen)
    state = core.init(params, X.shape[1])
    return params, state, core.predict_then_learn(params, state, X, y)


def noise(n, d=8, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n).astype(float)
    y[:n_classes] = np.arange(n_classes)
    return rng.normal(size=(n, d)), y


def checkered(n, d=2, seed=0):
    """Return rows whose class is that of a field of a chess board."""
    X = np.random.default_rng(seed).uniform(0, 3, (n, d))
    y = np.floor(X[:, 0]) + np.floor(X[:, 1])
    return X, (y % 2 != y[0] % 2).astype(float)


@pytest.mark.parametrize("n_classes", [2, 5, 0])
def test_it_agrees_with_its_oracle_through_splits_and_new_starts(n_classes):
    rows = regimes(np.random.default_rng(3), n=900, d=5, n_classes=n_classes, length=300)
    task = "classification" if n_classes else "regression"
    params = AutoParams(task, without=ALONE, seed=4)
    state = core.init(params, 5, n_classes)
    said = learn(params, state, rows)
    order = core.views(params, state).inputs.order.astype(int)
    reference = ForestReference(4, 5, n_classes)
    target_mean = target_squares = 0.0
    votes = []
    for i, (x, y) in enumerate(zip(rows.X[:, order], rows.y, strict=True)):
        votes.append(reference.vote(x - rows.X[0, order]))
        target = y
        if not n_classes:
            step = y - target_mean
            target_mean += step / (i + 1)
            target_squares += step * (y - target_mean)
            target = (y - target_mean) / (np.sqrt(target_squares / (i + 1)) or 1.0)
        reference.learn(y, target, 1.0, i + 1)
    assert reference.n_splits > 100
    m = core.views(params, state).experts.forest
    sizes = [len(reference.leaves_of(tree)) for tree in reference.trees]
    assert m.n_leaves.tolist() == sizes
    means = np.array(reference.errors)[:, 1:]
    np.testing.assert_allclose(m.errors[:, 1:], means, rtol=0, atol=1e-6)
    if n_classes:
        shares = np.mean(votes, axis=1)  # what half of each would say
        assert np.mean(shares.argmax(-1) == said.argmax(-1)) > 0.9
    explained = core.explain(params, state, rows.X[-1:])[1]
    final = reference.vote(rows.X[-1, order] - rows.X[0, order])
    if not n_classes:
        final = state.target_mean + state.target_unit * final
        final = np.clip(final, rows.y.min(), rows.y.max())
    np.testing.assert_allclose(explained, final, rtol=0, atol=1e-4)


def test_a_tree_starts_again_when_its_errors_rise():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3))
    y = (X[:, 0] > 0).astype(float)
    y[1000:] = 1.0 - y[1000:]
    params, state, _ = trained(X[:1000], y[:1000], without=ALONE)
    m = core.views(params, state).experts.forest
    assert (m.errors[:, 0] == 1000.0).sum() > 15
    scores = core.predict_then_learn(params, state, X[1000:], y[1000:])
    m = core.views(params, state).experts.forest
    assert (m.errors[:, 0] < 1000.0).all()
    right = answers(params, scores) == y[1000:]
    assert right[:20].mean() < 0.5
    assert right[300:].mean() > 0.9


def test_it_tells_fields_of_a_chess_board_and_steps_apart():
    X, y = checkered(4000)
    for without, least in ((ALONE, 0.85), ((), 0.85)):
        params, _, scores = trained(X, y, without=without)
        assert np.mean(answers(params, scores)[2000:] == y[2000:]) > least
    params, _, scores = trained(X, y, without=("forest", "leaves", "neighbours"))
    assert np.mean(answers(params, scores)[2000:] == y[2000:]) < 0.8
    steps = np.floor(X[:, 0]) * np.floor(X[:, 1])
    errors = []
    for without in ((), ("forest", "leaves", "neighbours")):
        _, _, values = trained(X, steps, task="regression", without=without)
        errors.append(np.abs(values[2000:, 0] - steps[2000:]).mean())
    assert errors[0] < 0.5 * errors[1]


def test_bags_are_poisson_numbers():
    assert len(BAGS) == 4096
    assert BAGS.mean() == pytest.approx(4.0, abs=0.01)
    assert BAGS.var() == pytest.approx(4.0, abs=0.05)
    assert BAGS.tolist() == [poisson(part << 52) for part in range(4096)]


def test_a_model_of_eight_columns_takes_less_than_600_kB_after_1000_rows():
    X, y = noise(1000)  # where trees grow as fast as they can
    params, state, _ = trained(X, y)
    assert state.leaves_used > 500
    assert state.block.nbytes + state.counters.nbytes < 600_000
    assert sum(array.nbytes for array in learnt(params, state).values()) < 600_000


@pytest.mark.parametrize("labels", ["noise", "linear", "steps"])
def test_a_regression_of_eight_columns_takes_little_more_after_1000_rows(labels):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(1000, 8))
    y = {
        "noise": rng.normal(size=1000),
        "linear": X @ np.arange(8.0),
        "steps": np.floor(4 * X[:, 0]) + 2 * np.floor(3 * X[:, 1]) + 0.1 * rng.normal(size=1000),
    }[labels]
    params = AutoParams("regression")
    state = core.init(params, 8)
    core.predict_then_learn(params, state, X, y)
    assert state.leaves_used > 500
    assert state.copies == 2
    assert state.block.nbytes + state.counters.nbytes < 660_000
    assert sum(array.nbytes for array in learnt(params, state).values()) < 600_000


@pytest.mark.parametrize("without", [("forest", "leaves"), ()])
def test_a_forest_that_is_left_out_takes_no_room(without):
    params = AutoParams(without=without)
    state = core.init(params, 8, 2)
    m = core.views(params, state).experts.forest
    assert (state.leaf_room == 0) == (m.leaves.size == 0) == bool(without)
    assert core.init(AutoParams(), 129, 2).leaf_room == 0


def test_room_grows_with_the_trees_and_is_the_same_however_rows_come():
    X, y = noise(700, d=3, n_classes=3)
    params, whole, _ = trained(X, y)
    single, rooms = core.init(params, 3), []
    for i in range(len(X)):
        core.predict_then_learn(params, single, X[i : i + 1], y[i : i + 1])
        rooms.append(single.leaf_room)
        assert single.leaves_used < single.leaf_room
    assert single.block.tobytes() == whole.block.tobytes()
    assert rooms == sorted(rooms)
    assert rooms[-1] > 4 * rooms[0]
    assert (single.leaf_room - single.leaves_used) <= max(16, single.leaf_room // 16)


def test_trees_are_full_in_the_end_and_go_on_learning():
    X, y = noise(30_000, d=2)
    params, state, _ = trained(X, y)
    m = core.views(params, state).experts.forest
    s, c = records(params, state.counters)
    assert forest.most_leaves(s, c) == 256
    assert m.n_leaves.max() == 256
    assert state.leaf_room <= 256 * TREES
    before = m.leaves.copy()
    core.predict_then_learn(params, state, *noise(50, d=2, seed=1))
    after = core.views(params, state).experts.forest.leaves
    assert not np.array_equal(before, after[: len(before)])


def test_trees_are_small_where_classes_are_many():
    params = AutoParams()
    state = core.init(params, 10, 400)
    s, c = records(params, state.counters)
    width = forest.places_in_leaf(s, c).width
    assert forest.most_leaves(s, c) * TREES * width <= forest.MOST_NUMBERS
    assert forest.most_leaves(s, c) < 20


def test_trees_that_are_larger_than_late_classes_allow_leave_the_others_less():
    X, y = checkered(24_000, seed=3)
    params = AutoParams(without=("neighbours",))
    state = core.init(params, 2)
    for first in range(0, 16_000, 200):
        core.predict_then_learn(params, state, *(part[first : first + 200] for part in (X, y)))
        s, c = records(params, state.counters)
        for t in range(TREES // 2):  # small ones beside large ones
            forest.start_again.py_func(s, c, core.views(params, state).experts.forest, t)
    core.grow_classes(params, state, 100)
    s, c = records(params, state.counters)
    most = forest.most_leaves(s, c)
    before = core.views(params, state).experts.forest.n_leaves.copy()
    assert before.max() > most
    assert before.sum() + (TREES // 2) * most > TREES * most
    core.predict_then_learn(params, state, X[16_000:], y[16_000:])
    after = core.views(params, state).experts.forest.n_leaves
    assert after.sum() == state.leaves_used - state.leaves_free == TREES * most
    assert state.leaves_used <= state.leaf_room


@pytest.mark.parametrize("weight", [1e-6, 0.5, 1e50])
@pytest.mark.parametrize("n_classes", [2, 3, 0])
def test_rows_of_any_weight_leave_a_model_that_is_finite_and_can_be_saved(weight, n_classes):
    params = AutoParams("classification" if n_classes else "regression", interval=10)
    rows = regimes(np.random.default_rng(0), n=200, d=3, n_classes=n_classes)
    state = core.init(params, 3, n_classes)
    learn(params, state, Rows(rows.X, rows.y, np.full(200, weight), rows.known))
    assert np.isfinite(core.views(params, state).experts.forest.leaves).all()
    assert (state.leaves_used > TREES) == (weight > 1e-3)
    again(params, state)


def again(params, state, forge=lambda counters, arrays: None):
    """Return the state that is read from what is written of a state, perhaps after a forgery."""
    from mooe.auto.file import WHOLES

    counters, arrays = {name: int(getattr(state, name)) for name in WHOLES}, learnt(params, state)
    forge(counters, arrays)
    return restored(params, counters, arrays)


def test_trees_that_were_given_back_are_restored_and_taken_again():
    X, y = checkered(2500)
    y[1200:] = 1.0 - y[1200:]  # every tree starts again
    params, state, _ = trained(X[:1400], y[:1400])
    assert state.leaves_free > 20
    other = again(params, state)
    for each in (state, other):
        core.predict_then_learn(params, each, X[1400:], y[1400:])
    assert state.block.tobytes() == other.block.tobytes()
    assert state.counters.tobytes() == other.counters.tobytes()


def test_a_pair_that_was_given_back_must_be_empty_for_who_takes_it_again_reads_it():
    X, y = checkered(1400)
    y[1200:] = 1.0 - y[1200:]  # every tree starts again
    params, state, _ = trained(X, y)

    def forge(counters, arrays):
        given_back = arrays["forest.free"].astype(int)
        arrays["forest.nodes"].view(np.int32)[given_back, 1, PAIR] = 1_000_000

    with pytest.raises(ValueError, match="must"):
        again(params, state, forge)


def node_with(place, value):
    def forge(counters, arrays):
        nodes = arrays["forest.nodes"].view(np.int32)
        inner = np.argwhere(nodes[:, :, PAIR] > 0)[3]
        nodes[*inner, place] = value

    return forge


def array_with(name, value, place=...):
    def forge(counters, arrays):
        arrays[f"forest.{name}"][place] = value

    return forge


def leaf_with(name, value):
    def forge(counters, arrays):
        params = AutoParams(interval=6)
        s, c = records(params, core.init(params, 3, 2).counters)
        at = getattr(forest.places_in_leaf(s, c), name)
        arrays["forest.leaves"].view(np.int32)[:, at] = value

    return forge


def counter_with(name, value):
    def forge(counters, arrays):
        counters[name] = value

    return forge


FORGERIES = {
    "a column that is not there": node_with(WHICH, 3),
    "a column before the first": node_with(WHICH, -1),
    "a pair that is not there": node_with(PAIR, 10_000),
    "a pair of another tree": node_with(PAIR, 1),
    "a circle": node_with(PAIR, 0),
    "an owner that is no tree": array_with("owner", TREES + 1.0, 30),
    "leaves that nobody owns": array_with("owner", 0.0, 30),
    "a leaf to be split that is none": array_with("ready", 1.0, 0),
    "more leaves than the tree has": array_with("n_leaves", 40.0, 2),
    "errors above 1": array_with("errors", 2.0),
    "more tests than there is room for": leaf_with("n_tests", 17),
    "tests of columns that are not there": leaf_with("features", 3),
    "counts below 0": array_with("leaves", -1.0, np.s_[:, 0]),
    "numbers that grow out of 32 bits": array_with("leaves", 1e30, np.s_[:, 0]),
    "more leaves than are written": counter_with("leaves_used", 10_000),
    "fewer leaves than trees": counter_with("leaves_used", 3),
    "more given back than were taken": counter_with("leaves_free", 10_000),
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
def test_a_forged_forest_is_refused(forge):
    params = AutoParams(interval=6)
    state = core.init(params, 3, 2)
    learn(params, state, regimes(np.random.default_rng(0), n=300))
    again(params, state)
    with pytest.raises(ValueError, match="must"):
        again(params, state, forge)


def test_nodes_of_a_pair_lie_side_by_side():
    X, y = checkered(500)
    params, state, _ = trained(X, y)
    m = core.views(params, state).experts.forest
    nodes = m.nodes.reshape(-1, 2, NODE)
    assert (nodes[:TREES, 0, PAIR] > 0).all()  # every root was split
    assert nodes[state.leaves_used :].sum() == 0


def nominal_parts(n_classes, how, sizes=(4, 3), n=800, seed=5):
    """Return rows in two parts, the groups of their columns, and how many columns the first has.

    "late": the last value of each nominal column, whose indicator stands last, is in the second.
    """
    late = 0.5 * (how == "late")
    rng = np.random.default_rng(seed)
    rows, groups = nominal(rng, n, 3, sizes, n_classes, 0.2 * (how == "absent"), late)
    is_last = (groups > 0) & (groups != np.append(groups[1:], 0)) & (late > 0)
    order = np.argsort(is_last, kind="stable")
    X, width = rows.X[:, order], len(groups) - int(is_last.sum())
    y, middle = rows.y, n // 2
    return [(X[:middle, :width], y[:middle]), (X[middle:], y[middle:])], groups[order], width


def taught(parts, groups, width, n_classes, chosen=None, single=False, stop=lambda state: state):
    """Return the state of a model that has learnt both parts, by chunks or row by row."""
    params = AutoParams("classification" if n_classes else "regression", **(chosen or {}))
    state = core.init(params, width, n_classes, groups[:width])
    for X, y in parts:
        if X.shape[1] > state.n_features:
            core.grow_inputs(params, state, X.shape[1], groups[width:])
        state = stop(state)
        for i in range(len(X)) if single else [slice(None)]:
            core.predict_then_learn(params, state, np.atleast_2d(X[i]), np.atleast_1d(y[i]))
    return params, state


@pytest.mark.parametrize("sizes", [(4, 3), (8, 12, 2)])
@pytest.mark.parametrize("n_classes", [2, 5, 0])
@pytest.mark.parametrize("how", ["whole", "absent", "late"])
def test_it_agrees_with_its_oracle_on_nominal_columns(sizes, n_classes, how):
    parts, groups, width = nominal_parts(n_classes, how, sizes)
    chosen = {"without": ALONE, "seed": 4}
    params, state = taught(parts, groups, width, n_classes, chosen)
    order = core.views(params, state).inputs.order.astype(int)
    reference = ForestReference(4, width, n_classes, groups[order[:width]])
    firsts = np.zeros(0)
    mean = squares = row = 0
    for X, y in parts:
        if X.shape[1] > reference.d:
            reference.grow_columns(groups[order])
        X = X[:, order[: reference.d]]
        firsts = np.append(firsts, X[0, len(firsts) :])
        for x, label in zip(X, y, strict=True):
            reference.vote(x - firsts, x, firsts)
            row += 1
            step = label - mean
            mean += step / row
            squares += step * (label - mean)
            target = (label - mean) / (np.sqrt(squares / row) or 1.0)
            reference.learn(label, target, 1.0, row)
    assert reference.n_splits > 60
    assert any(len(node.children) > 2 for tree in reference.trees for node in inner_nodes(tree))
    m = core.views(params, state).experts.forest
    assert m.n_leaves.tolist() == [len(reference.leaves_of(tree)) for tree in reference.trees]
    means = np.array(reference.errors)[:, 1:]
    np.testing.assert_allclose(m.errors[:, 1:], means, rtol=0, atol=1e-6)
    x = X[-1]
    final = reference.vote(x - firsts, x, firsts)
    if not n_classes:
        final = state.target_mean + state.target_unit * final
        final = np.clip(final, state.target_least, state.target_most)
    explained = core.explain(params, state, parts[-1][0][-1:])[1]
    np.testing.assert_allclose(explained, final, rtol=0, atol=1e-4)


def inner_nodes(node):
    children = [other for child in node.children for other in inner_nodes(child)]
    return [node, *children] if node.split is not None else []


@pytest.mark.parametrize("n_classes", [2, 4, 0])
@pytest.mark.parametrize("how", ["absent", "late"])
def test_nominal_columns_are_learnt_alike_in_any_chunks_and_after_any_stop(n_classes, how):
    given = *nominal_parts(n_classes, how), n_classes
    params, whole = taught(*given)
    _, single = taught(*given, single=True)
    _, stopped = taught(*given, stop=lambda state: again(params, state))
    for other in (single, stopped):
        assert other.counters.tobytes() == whole.counters.tobytes()
        assert other.block.tobytes() == whole.block.tobytes()
    tests = columns_tested(params, whole)
    assert ((tests > MANY) & (tests // MANY >= 3)).any()


def columns_tested(params, state):
    """Return what the leaves try, (n_leaves, TESTS); places that are not used are 0."""
    at = forest.places_in_leaf(*records(params, state.counters))
    m = core.views(params, state).experts.forest
    leaves = m.tests.reshape(-1, at.width)[: state.leaves_used]
    used = np.arange(TESTS) < leaves[:, [at.n_tests]]
    return np.where(used, leaves[:, at.features : at.thresholds], 0)


def test_a_column_of_the_table_is_drawn_as_often_as_any_other():
    rows, groups = nominal(np.random.default_rng(0), 2000, 5, (12, 12, 12, 12, 12), 3)
    y = np.random.default_rng(1).integers(0, 3, 2000).astype(float)  # nothing pays, so all stay
    y[:3] = 0.0, 1.0, 2.0
    of_numbers = []
    for known in (groups, None):
        params = AutoParams(without=ALONE)
        state = core.init(params, len(groups), 3, known)
        core.predict_then_learn(params, state, rows.X, y)
        order = core.views(params, state).inputs.order.astype(int)
        counts = np.bincount(order[columns_tested(params, state)].ravel(), minlength=len(groups))
        of_numbers.append(counts[1:5].sum() / counts[1:].sum())
    assert of_numbers[0] > 0.3 > 2.0 * of_numbers[1]


def test_a_split_into_many_takes_no_more_room_than_there_is():
    rng = np.random.default_rng(0)
    rows, groups = nominal(rng, 20_000, 1, (8, 8, 8, 8), 4)
    params = AutoParams(without=ALONE)
    state = core.init(params, len(groups), 4, groups)
    y = (rows.y + rng.integers(0, 2, len(rows))) % 4.0
    for part in np.array_split(np.arange(len(rows)), 40):
        core.predict_then_learn(params, state, rows.X[part], y[part])
        s, c = records(params, state.counters)
        assert forest.rows_left(s, c) > 0
        m = core.views(params, state).experts.forest
        assert m.n_leaves.max() <= forest.most_leaves(s, c)
    assert m.n_leaves.max() > 250
    again(params, state)


def many_with(change):
    def forge(counters, arrays):
        at = forest.places_in_leaf(*forge.records)
        leaves = arrays["forest.leaves"].view(np.int32)
        tests = leaves[:, at.features : at.thresholds]
        used = np.arange(TESTS) < leaves[:, [at.n_tests]]
        change(tests, *np.argwhere((tests > MANY) & used)[0], leaves, at)

    return forge


def set_test(value, behind=0):
    def change(tests, leaf, place, leaves, at):
        tests[leaf, place + behind] = value

    return many_with(change)


def cut_short(tests, leaf, place, leaves, at):
    leaves[leaf, at.n_tests] = place + 1


def group_with(value, place=...):
    def forge(counters, arrays):
        arrays["group"][place] = value

    return forge


OF_GROUPS = {
    "a group that is not there": set_test(4 * MANY + 9),
    "no group": set_test(4 * MANY),
    "more values than the group has": set_test(5 * MANY + 1),
    "two values": set_test(2 * MANY + 1),
    "a number without end": set_test(2**30),
    "a place of no test": set_test(MANY),
    "a test within a test": set_test(0, behind=1),
    "half a test": many_with(cut_short),
    "tests of groups that are gone": group_with(0.0),
    "groups that are not counted": group_with(3.0, 5),
    "groups that are no numbers": group_with(0.5, 5),
    "more groups than are told": counter_with("n_groups", 3),
    "fewer groups than are told": counter_with("n_groups", 1),
}


@pytest.mark.parametrize("forge", OF_GROUPS.values(), ids=OF_GROUPS)
def test_forged_tests_of_nominal_columns_are_refused(forge):
    parts, groups, width = nominal_parts(2, "whole")
    params, state = taught(parts[:1], groups, width, 2)
    again(params, state)
    forge.records = records(params, state.counters)
    with pytest.raises(ValueError, match="must"):
        again(params, state, forge)
