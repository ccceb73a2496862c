"""The field's made streams: their laws, and their published definitions written once more."""

from itertools import pairwise, product

import numpy as np
import pytest

from mooe.datasets import (
    StreamError,
    agrawal,
    hyperplane,
    increasing_noise,
    led,
    mixed,
    random_tree,
    rbf,
    sea,
    sine,
    stagger,
    waveform,
)

# name: function, inputs, classes, nominal columns
STREAMS = {
    "agrawal": (agrawal, 9, 2, (3, 4, 5)),
    "random-tree": (random_tree, 10, 4, (5, 6, 7, 8, 9)),
    "rbf": (rbf, 10, 5, ()),
    "led": (led, 24, 10, tuple(range(24))),
    "sea": (sea, 3, 2, ()),
    "stagger": (stagger, 3, 2, (0, 1, 2)),
    "mixed": (mixed, 4, 2, (0, 1)),
    "sine": (sine, 4, 2, ()),
    "waveform": (waveform, 40, 3, ()),
    "hyperplane": (hyperplane, 10, 2, ()),
}
MAKERS = [make for make, *_ in STREAMS.values()]
each_stream = pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
# Those whose labels are wrong with a probability.
with_label_noise = pytest.mark.parametrize(
    "make",
    [random_tree, rbf, sea, stagger, mixed, sine, hyperplane],
    ids=lambda make: make.__name__,
)
INPUTS, CHANGES, CHOICES, NOISE, CONCEPT = range(5)


def drawn(seed, *purpose):
    """Return the generator that a definition draws from."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=purpose))


def turns_of(make):
    """Return the name of the parameter that holds a stream's concepts."""
    return "swapped" if make in (led, waveform) else "concepts"


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_is_what_its_docstring_promises(name):
    make, n_features, n_classes, nominal = STREAMS[name]
    stream = make()
    assert (stream.name, stream.n_rows) == (name, 40_000)
    assert stream.X.shape == (40_000, n_features)
    assert (stream.X.dtype, stream.y.dtype, stream.concept.dtype) == (float, np.int64, np.int64)
    assert stream.X.flags.c_contiguous
    assert np.isfinite(stream.X).all()
    assert np.unique(stream.y).tolist() == list(range(n_classes))
    assert (stream.nominal, len(stream.feature_names)) == (nominal, n_features)
    codes = stream.X[:, list(nominal)]
    np.testing.assert_array_equal(codes, codes.astype(int))
    assert stream.citation


@each_stream
def test_the_same_seed_gives_the_same_rows_and_another_seed_others(make):
    one, same, other = make(500, seed=3), make(500, seed=3), make(500, seed=4)
    assert one.digest() == same.digest()
    assert not np.array_equal(one.X, other.X)
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    make(100)
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002


@each_stream
@pytest.mark.parametrize("width", [0, 90])
def test_the_first_rows_do_not_depend_on_how_many_follow(make, width):
    options = {"length": 100, "width": width, "seed": 5, turns_of(make): (0, 1, 0)}
    if make not in (agrawal, waveform):
        options["noise"] = 0.2
    whole = make(1_000, **options)
    for n in (0, 1, 2, 137, 999):
        part = make(n, **options)
        np.testing.assert_array_equal(part.X, whole.X[:n])
        np.testing.assert_array_equal(part.y, whole.y[:n])
        np.testing.assert_array_equal(part.concept, whole.concept[:n])


@each_stream
def test_concepts_take_turns_and_come_back(make):
    turns = (1, 0, 1, 1)
    concept = make(5_000, length=75, **{turns_of(make): turns}).concept
    assert concept.tolist() == [turns[row // 75 % 4] for row in range(5_000)]


@each_stream
def test_a_concept_is_the_same_whenever_it_comes(make):
    """Rows of a concept are those of the stream that knows no other."""
    still = {"speed": 0.0} if make in (rbf, hyperplane) else {}
    alone = make(600, **{turns_of(make): (1,)}, **still)
    among = make(600, length=100, **{turns_of(make): (0, 1)}, **still)
    rows = among.concept == 1
    assert rows.sum() == 300
    np.testing.assert_array_equal(among.X[rows], alone.X[rows])
    np.testing.assert_array_equal(among.y[rows], alone.y[rows])
    assert not np.array_equal(
        np.column_stack([among.X, among.y])[~rows], np.column_stack([alone.X, alone.y])[~rows]
    )


def test_a_change_of_some_width_rises_in_a_straight_line():
    stream = sea(400_000, concepts=(3, 1), length=100_000, width=80_000)
    new = (stream.concept == 1).reshape(20, -1).mean(axis=1)  # in parts of 20,000 rows
    rise, fall = [0.125, 0.375, 0.625, 0.875], [0.875, 0.625, 0.375, 0.125]
    expected = [0, 0, 0, *rise, 1, *fall, 0, *rise, 1, *fall[:2]]  # the last change has begun
    np.testing.assert_allclose(new, expected, atol=0.02)


@with_label_noise
def test_the_share_of_wrong_labels_is_the_noise(make):
    clean, noisy = make(noise=0.0), make(noise=0.2)
    np.testing.assert_array_equal(clean.X, noisy.X)
    share = np.mean(clean.y != noisy.y)
    assert abs(share - 0.2) < 4 * np.sqrt(0.2 * 0.8 / 40_000)
    n_classes = STREAMS[clean.name][2]
    away = np.bincount((noisy.y - clean.y) % n_classes, minlength=n_classes)
    assert np.ptp(away[1:]) < 5 * np.sqrt(8_000)  # all other classes alike
    assert (make(noise=1.0).y != clean.y).all()


def literal_group_a(function, row):
    """Write the functions of Agrawal et al. (1993) as they are printed; theirs count from 1."""
    salary, commission, age, elevel, _, _, hvalue, hyears, loan = row
    k = 1_000
    match function + 1:
        case 1:
            return age < 40 or age >= 60
        case 2:
            return (
                (age < 40 and 50 * k <= salary <= 100 * k)
                or (40 <= age < 60 and 75 * k <= salary <= 125 * k)
                or (age >= 60 and 25 * k <= salary <= 75 * k)
            )
        case 3:
            return (
                (age < 40 and elevel in (0, 1))
                or (40 <= age < 60 and elevel in (1, 2, 3))
                or (age >= 60 and elevel in (2, 3, 4))
            )
        case 4:
            if age < 40:
                if elevel in (0, 1):
                    return 25 * k <= salary <= 75 * k
                return 50 * k <= salary <= 100 * k
            if age < 60:
                if elevel in (1, 2, 3):
                    return 50 * k <= salary <= 100 * k
                return 75 * k <= salary <= 125 * k
            if elevel in (2, 3, 4):
                return 50 * k <= salary <= 100 * k
            return 25 * k <= salary <= 75 * k
        case 5:
            if age < 40:
                if 50 * k <= salary <= 100 * k:
                    return 100 * k <= loan <= 300 * k
                return 200 * k <= loan <= 400 * k
            if age < 60:
                if 75 * k <= salary <= 125 * k:
                    return 200 * k <= loan <= 400 * k
                return 300 * k <= loan <= 500 * k
            if 25 * k <= salary <= 75 * k:
                return 300 * k <= loan <= 500 * k
            return 100 * k <= loan <= 300 * k
        case 6:
            total = salary + commission
            return (
                (age < 40 and 50 * k <= total <= 100 * k)
                or (40 <= age < 60 and 75 * k <= total <= 125 * k)
                or (age >= 60 and 25 * k <= total <= 75 * k)
            )
        case 7:
            disposable = 0.67 * (salary + commission) - 0.2 * loan - 20 * k
        case 8:
            disposable = 0.67 * (salary + commission) - 5 * k * elevel - 20 * k
        case 9:
            disposable = 0.67 * (salary + commission) - 5 * k * elevel - 0.2 * loan - 10 * k
        case 10:
            equity = 0 if hyears < 20 else 0.1 * hvalue * (hyears - 20)
            disposable = 0.67 * (salary + commission) - 5 * k * elevel + 0.2 * equity - 10 * k
    return disposable > 0


# Shares of group A where they can be counted on one's fingers: of 61 ages, 41 are in function 0.
GROUP_A = (41 / 61, 50 / 130, (20 * 2 + 20 * 3 + 21 * 3) / (61 * 5), 50 / 130, 200 / 500)


@pytest.mark.parametrize("function", range(10))
def test_persons_are_in_the_group_that_the_publication_says(function):
    stream = agrawal(20_000, (function,), perturbation=0.0, seed=function)
    assert stream.y.tolist() == [int(literal_group_a(function, row)) for row in stream.X]
    share = stream.y.mean()
    if function < 5:
        assert abs(share - GROUP_A[function]) < 0.015
    elif function in (7, 9):  # known to be skewed
        assert 0.97 < share < 1.0
    else:
        assert 0.35 < share < 0.65


def test_functions_agree_with_the_publication_at_their_boundaries():
    from mooe.datasets.generators import _is_in_group_a, _Persons

    money = [k * 1_000.0 for k in (25, 50, 75, 100, 125)]
    loans = [k * 1_000.0 for k in (100, 200, 300, 400, 500)]
    ages, levels = (39.0, 40.0, 59.0, 60.0), range(5)
    rows = [
        (salary, commission, age, float(level), 1.0, 0.0, 5e5, hyears, loan)
        for salary, commission, age, level, hyears, loan in product(
            money, (0.0, 25_000.0), ages, levels, (19.0, 20.0, 21.0), loans
        )
    ]
    persons = _Persons(*np.array(rows).T)
    for function in range(10):
        expected = [bool(literal_group_a(function, row)) for row in rows]
        assert _is_in_group_a(function, persons).tolist() == expected


def test_persons_are_drawn_as_published():
    stream = agrawal(100_000, perturbation=0.0)
    p = dict(zip(stream.feature_names, stream.X.T, strict=True))
    for name, low, high in [
        ("salary", 20e3, 150e3),
        ("age", 20, 80),
        ("hyears", 1, 30),
        ("loan", 0, 500e3),
        ("elevel", 0, 4),
        ("car", 1, 20),
        ("zipcode", 0, 8),
    ]:
        assert p[name].min() >= low
        assert p[name].max() <= high
        assert abs(p[name].mean() - (low + high) / 2) < 0.01 * (high - low)
    earns = p["salary"] < 75e3
    assert not p["commission"][~earns].any()
    assert p["commission"][earns].min() >= 10e3
    assert p["commission"][earns].max() <= 75e3
    ratio = p["hvalue"] / (100e3 * (9 - p["zipcode"]))
    assert ratio.min() >= 0.5
    assert ratio.max() <= 1.5
    for name in ("elevel", "car", "zipcode", "age", "hyears"):
        _, counts = np.unique(p[name], return_counts=True)
        assert np.ptp(counts) < 0.2 * counts.mean()


def test_perturbation_blurs_numbers_once_the_group_is_known():
    clean, blurred = agrawal(perturbation=0.0), agrawal(perturbation=0.1)
    np.testing.assert_array_equal(clean.y, blurred.y)
    away = dict(zip(clean.feature_names, (blurred.X - clean.X).T, strict=True))
    for name in ("elevel", "car", "zipcode"):
        assert not away[name].any()
    worth = 100e3 * (9 - clean.X[:, 5])
    ranges = {"salary": 130e3, "age": 60, "hvalue": worth, "hyears": 29, "loan": 500e3}
    for name, span in ranges.items():
        share = away[name] / span / 0.1
        assert abs(share.min() + 0.5) < 0.01
        assert abs(share.max() - 0.5) < 0.01
    has_none = clean.X[:, 1] == 0.0
    assert not away["commission"][has_none].any()
    assert np.abs(away["commission"][~has_none]).max() <= 0.1 * 65e3 / 2


def slow_tree(rng, depth=6, first_leaf=3):
    """Draw a tree of the defaults level by level, as nested lists; a leaf is its class."""
    root = [None]
    level = [(root, 0, [(0.0, 1.0)] * 5, [5, 6, 7, 8, 9])]
    for now in range(depth + 1):
        following = []
        for home, place, ranges, unused in level:
            leaf, which, where = rng.random(3)
            if now == depth or (now >= first_leaf and leaf < 0.15):
                home[place] = int(where * 4)
                continue
            column = [0, 1, 2, 3, 4, *unused][int(which * (5 + len(unused)))]
            if column < 5:
                low, high = ranges[column]
                cut, children = low + where * (high - low), [None] * 2
                for side, part in enumerate([(low, cut), (cut, high)]):
                    changed = [*ranges[:column], part, *ranges[column + 1 :]]
                    following.append((children, side, changed, unused))
            else:
                cut, children = None, [None] * 5
                rest = [other for other in unused if other != column]
                following += [(children, code, ranges, rest) for code in range(5)]
            home[place] = (column, cut, children)
        level = following
    return root[0]


def leaf_of(node, row):
    while not isinstance(node, int):
        column, cut, children = node
        node = children[int(row[column]) if cut is None else int(row[column] >= cut)]
    return node


@pytest.mark.parametrize("seed", [0, 7])
def test_a_random_tree_is_its_recipe(seed):
    stream = random_tree(3_000, concepts=(0, 4), length=500, seed=seed)
    trees = {number: slow_tree(drawn(seed, CONCEPT, number)) for number in (0, 4)}
    u = drawn(seed, INPUTS).random((3_000, 10))
    np.testing.assert_array_equal(stream.X[:, :5], u[:, :5])
    np.testing.assert_array_equal(stream.X[:, 5:], (5 * u[:, 5:]).astype(int))
    expected = [leaf_of(trees[c], row) for c, row in zip(stream.concept, stream.X, strict=True)]
    assert stream.y.tolist() == expected


def test_trees_of_one_kind_of_input_and_of_one_split():
    numeric = random_tree(2_000, n_numeric=3, n_nominal=0, n_classes=2)
    assert (numeric.X.shape, numeric.nominal) == ((2_000, 3), ())
    nominal = random_tree(2_000, (0,), n_numeric=0, n_nominal=2, n_values=3, depth=9, first_leaf=9)
    for codes in product(range(3), repeat=2):  # all columns are used, and a path has each once
        rows = np.equal(nominal.X, codes).all(axis=1)
        assert len(set(nominal.y[rows])) == 1
    stump = random_tree(2_000, (0,), n_numeric=0, n_nominal=1, depth=1)
    for code in range(5):
        assert len(set(stump.y[stump.X[:, 0] == code])) == 1
    root = random_tree(200, (0,), first_leaf=0, leaf_share=1.0)
    assert len(set(root.y)) == 1


@pytest.mark.parametrize("speed", [0.0, 0.003])
def test_clouds_are_those_of_centres_that_walk_and_bounce(speed):
    n, seed = 2_000, 3
    stream = rbf(n, concepts=(0, 2), length=300, speed=speed, seed=seed)
    worlds = {}
    for number in (0, 2):
        rng = drawn(seed, CONCEPT, number)
        centres, (label, spread, weight) = rng.random((50, 10)), rng.random((3, 50))
        way = rng.random((50, 10))
        way /= np.sqrt((way**2).sum(axis=1))[:, None]
        worlds[number] = [centres, (5 * label).astype(int), spread, np.cumsum(weight), way]
    offset, choice = drawn(seed, INPUTS).standard_normal((n, 11)), drawn(seed, CHOICES).random(n)
    for row in range(n):
        centres, label, spread, upto, way = worlds[row // 300 % 2 * 2]
        own = int((upto <= choice[row] * upto[-1]).sum())
        toward = offset[row, 1:] / np.sqrt((offset[row, 1:] ** 2).sum())
        expected = centres[own] + spread[own] * offset[row, 0] * toward
        np.testing.assert_allclose(stream.X[row], expected, rtol=0, atol=1e-9)
        assert stream.y[row] == label[own]
        for world in worlds.values():  # all walk, also those that are not visited
            centres, way = world[0], world[-1]
            centres += speed * way
            beyond = (centres > 1.0) | (centres < 0.0)
            centres[beyond] = np.where(centres > 1.0, 2.0 - centres, -centres)[beyond]
            way[beyond] *= -1.0


DIGITS = """
 _       _   _       _   _   _   _   _
| |   |  _|  _| |_| |_  |_    | |_| |_|
|_|   | |_   _|   |  _| |_|   | |_|  _|
"""


def segments(digit):
    """Read the segments of a digit off the picture: from top to bottom, from left to right."""
    lines = [line.ljust(40)[4 * digit : 4 * digit + 3] for line in DIGITS.split("\n")[1:4]]
    places = [(0, 1), (1, 0), (1, 2), (1, 1), (2, 0), (2, 2), (2, 1)]
    return [int(lines[i][j] != " ") for i, j in places]


def test_digits_light_their_segments():
    stream = led(500, swapped=(0,), noise=0.0)
    assert stream.X[:, :7].astype(int).tolist() == [segments(digit) for digit in stream.y]
    assert abs(led(swapped=(0,)).X[:, 7:].mean() - 0.5) < 0.01


def test_segments_are_wrong_as_often_as_told_and_allow_what_breiman_says():
    clean, noisy = led(noise=0.0), led(noise=0.1)
    np.testing.assert_array_equal(clean.y, noisy.y)
    is_wrong = (clean.X != noisy.X)[clean.concept == 0]
    np.testing.assert_allclose(is_wrong[:, :7].mean(axis=0), 0.1, atol=0.015)
    assert not is_wrong[:, 7:].any()
    n_wrong = np.array(
        [
            [sum(a != b for a, b in zip(seen, segments(digit), strict=True)) for digit in range(10)]
            for seen in product((0, 1), repeat=7)
        ]
    )
    best = (0.1**n_wrong * 0.9 ** (7 - n_wrong)).max(axis=1).sum() / 10
    assert round(best, 2) == 0.74  # Breiman et al., section 2.6.1


@pytest.mark.parametrize(("make", "n_relevant"), [(led, 7), (waveform, 21)])
def test_inputs_change_places_in_pairs(make, n_relevant):
    most = min(n_relevant, STREAMS[make.__name__][1] - n_relevant)
    before, pairs = make(2_000, swapped=(0,)).X, []
    for number in range(most + 1):
        after = make(2_000, swapped=(number,)).X
        moved = np.flatnonzero((before != after).any(axis=0))
        assert len(moved) == 2 * number
        assert (moved < n_relevant).sum() == number
        for column in moved:
            (other,) = [k for k in moved if np.array_equal(after[:, k], before[:, column])]
            assert (other < n_relevant) != (column < n_relevant)
            np.testing.assert_array_equal(after[:, column], before[:, other])
        pairs.append(set(moved))
    assert all(few < many for few, many in pairwise(pairs))


def test_sums_are_compared_with_the_thresholds_of_street_and_kim():
    stream = sea(noise=0.0)
    thresholds = {0: 8.0, 1: 9.0, 2: 7.0, 3: 9.5}
    expected = [
        int(row[0] + row[1] <= thresholds[c])
        for c, row in zip(stream.concept.tolist(), stream.X, strict=True)
    ]
    assert stream.y.tolist() == expected
    assert stream.X.min() >= 0.0
    assert stream.X.max() <= 10.0
    for concept, threshold in thresholds.items():  # a triangle of the square
        assert abs(stream.y[stream.concept == concept].mean() - threshold**2 / 200) < 0.02


def test_blocks_are_told_by_the_concepts_of_schlimmer_and_granger():
    stream = stagger(6_000, length=1_000)
    sizes, colours, shapes = (
        ("small", "medium", "large"),
        ("red", "blue", "green"),
        ("circular", "square", "triangular"),
    )
    for concept, row, label in zip(stream.concept, stream.X.astype(int), stream.y, strict=True):
        size, colour, shape = sizes[row[0]], colours[row[1]], shapes[row[2]]
        expected = [
            size == "small" and colour == "red",
            colour == "green" or shape == "circular",
            size == "medium" or size == "large",
        ]
        assert label == expected[concept]
    assert len(np.unique(stream.X, axis=0)) == 27


def curve(x):
    return 0.5 + 0.3 * np.sin(3 * np.pi * x)


def test_two_of_three_conditions_decide_and_are_reversed():
    stream = mixed(6_000, length=1_000)
    for concept, (v, w, x, y), label in zip(stream.concept, stream.X, stream.y, strict=True):
        is_positive = sum([v == 1.0, w == 1.0, y < curve(x)]) >= 2
        assert label == (is_positive if concept == 0 else not is_positive)
    np.testing.assert_allclose(stream.X.mean(axis=0), 0.5, atol=0.03)


def test_points_lie_below_the_curves_of_gama_et_al():
    stream = sine(8_000, length=1_000)
    for concept, (x, y, _, _), label in zip(stream.concept, stream.X, stream.y, strict=True):
        expected = [y < np.sin(x), y >= np.sin(x), y < curve(x), y >= curve(x)]
        assert label == expected[concept]
    assert sine(10, n_irrelevant=0).X.shape == (10, 2)


def test_waves_are_mixed_in_pairs():
    n, seed = 2_000, 4
    stream = waveform(n, swapped=(0,), seed=seed)
    noise, u = drawn(seed, INPUTS).standard_normal((n, 40)), drawn(seed, CHOICES).random((n, 2))
    wave = {peak: [max(6 - abs(i - peak), 0) for i in range(1, 22)] for peak in (7, 15, 11)}
    for row in range(n):
        label = int(3 * u[row, 0])
        first, second = [(7, 15), (7, 11), (15, 11)][label]
        share = u[row, 1]
        mixture = [
            share * a + (1 - share) * b for a, b in zip(wave[first], wave[second], strict=True)
        ]
        np.testing.assert_allclose(stream.X[row] - noise[row], [*mixture, *[0] * 19], atol=1e-12)
        assert stream.y[row] == label


def test_a_hyperplane_turns_as_its_weights_walk():
    n, seed = 3_000, 2
    options = {"speed": 0.01, "reversal": 0.3, "n_features": 4, "n_drifting": 3, "noise": 0.0}
    stream = hyperplane(n, concepts=(0, 1), length=400, seed=seed, **options)
    weights = [drawn(seed, CONCEPT, number).random(4) for number in (0, 1)]
    X, u = drawn(seed, INPUTS).random((n, 4)), drawn(seed, CHOICES).random((n, 3))
    np.testing.assert_array_equal(stream.X, X)
    grows = np.array([1.0, 1.0, 1.0])
    for row in range(n):
        own = weights[row // 400 % 2]
        above = (own * X[row]).sum() - own.sum() / 2
        if abs(above) > 1e-9:
            assert stream.y[row] == (above >= 0.0)
        for other in weights:
            other[:3] += 0.01 * grows
        grows = np.where(u[row] < 0.3, -grows, grows)


@pytest.mark.parametrize(
    ("make", "wrong", "message"),
    [
        *((make, {"n": -1}, "n must be at least 0, got -1") for make in MAKERS),
        *((make, {"length": 0}, "length must be at least 1, got 0") for make in MAKERS),
        *((make, {"seed": -1}, "seed must be at least 0, got -1") for make in MAKERS),
        (sea, {"width": -1}, "width must be at least 0, got -1"),
        (sea, {"length": 9, "width": 10}, "width must be at most length = 9, got 10"),
        (agrawal, {"concepts": (0, 10)}, "concepts must be .* numbers from 0 to 9, got .0, 10."),
        (sea, {"concepts": (4,)}, "concepts must be .* whole numbers from 0 to 3, got .4,."),
        (sea, {"concepts": ()}, r"concepts must be one or more whole numbers .*, got \(\)"),
        (sea, {"concepts": 2}, "concepts must be one or more whole numbers .*, got 2"),
        (sea, {"concepts": (0.5,)}, "concepts must be one or more whole numbers .*, got .0.5,."),
        (stagger, {"concepts": (3,)}, "concepts must be .* numbers from 0 to 2, got .3,."),
        (mixed, {"concepts": (2,)}, "concepts must be .* numbers from 0 to 1, got .2,."),
        (sine, {"concepts": (4,)}, "concepts must be .* numbers from 0 to 3, got .4,."),
        (rbf, {"concepts": (-1,)}, "concepts must be .* numbers from 0, got .-1,."),
        (led, {"swapped": (8,)}, "swapped must be .* numbers from 0 to 7, got .8,."),
        (led, {"n_irrelevant": 2}, r"swapped must be .* from 0 to 2, got \(0, 3, 7\)"),
        (waveform, {"swapped": (20,)}, "swapped must be .* numbers from 0 to 19, got .20,."),
        (waveform, {"n_irrelevant": -1}, "n_irrelevant must be at least 0, got -1"),
        (sine, {"n_irrelevant": -1}, "n_irrelevant must be at least 0, got -1"),
        (agrawal, {"perturbation": 1.1}, "perturbation must be between 0 and 1, got 1.1"),
        (led, {"noise": float("nan")}, "noise must be between 0 and 1, got nan"),
        (sea, {"noise": -0.1}, "noise must be between 0 and 1, got -0.1"),
        (rbf, {"speed": float("inf")}, "speed must be between 0 and 1, got inf"),
        (rbf, {"n_centres": 0}, "n_centres must be at least 1, got 0"),
        (rbf, {"n_classes": 1}, "n_classes must be at least 2, got 1"),
        (hyperplane, {"reversal": 2}, "reversal must be between 0 and 1, got 2"),
        (hyperplane, {"n_drifting": 11}, "n_drifting must be at most n_features = 10, got 11"),
        (random_tree, {"depth": 0}, "depth must be at least 1, got 0"),
        (random_tree, {"n_values": 1}, "n_values must be at least 2, got 1"),
        (random_tree, {"leaf_share": 1.5}, "leaf_share must be between 0 and 1, got 1.5"),
        (random_tree, {"n_numeric": 0, "n_nominal": 0}, r"n_numeric \+ n_nominal must be at least"),
    ],
)
def test_errors_carry_name_value_and_rule(make, wrong, message):
    with pytest.raises(StreamError, match=f"^{message}"):
        make(**wrong)


def test_codes_that_noise_was_added_to_are_no_longer_nominal():
    assert stagger(1_000).nominal == (0, 1, 2)
    assert increasing_noise(stagger(1_000)).load().nominal == ()


def rows_of_river(dataset, n=1_000):
    pairs = list(dataset.take(n))
    return np.array([[*x.values()] for x, _ in pairs], dtype=float), np.array(
        [int(y) for _, y in pairs]
    )


def test_river_has_the_same_rules_where_it_follows_the_publications():
    synth = pytest.importorskip("river.datasets.synth")
    from mooe.datasets.generators import _is_in_group_a, _Persons

    for variant, threshold in enumerate([8.0, 9.0, 7.0, 9.5]):
        X, y = rows_of_river(synth.SEA(variant=variant, seed=0))
        np.testing.assert_array_equal(1 - y, X[:, 0] + X[:, 1] <= threshold)
    for function in (0, 1, 2, 3, 5):  # its 4 is another rule
        X, y = rows_of_river(synth.Agrawal(classification_function=function, seed=0))
        np.testing.assert_array_equal(y, _is_in_group_a(function, _Persons(*X.T)))
    for function in (6, 7, 8, 9):  # there group A is 0, and 2/3 stands for .67
        X, y = rows_of_river(synth.Agrawal(classification_function=function, seed=0))
        assert np.mean(1 - y == _is_in_group_a(function, _Persons(*X.T))) > 0.99
    X, y = rows_of_river(synth.LED(seed=0, noise_percentage=0.0))
    assert X.astype(int).tolist() == [segments(digit) for digit in y]
