"""The streams: their laws, and the recipe written once more."""

import numpy as np
import pytest

from mooe.datasets import (
    Stream,
    StreamError,
    abrupt,
    gradual,
    increasing_noise,
    moving_gaussians,
    noise,
    recurring,
)
from mooe.datasets.drift import shifted


def recipe(seed):
    """Write the definition of `recurring` with its defaults as plainly as it can be."""
    rng = np.random.default_rng(seed)
    directions = rng.normal(size=(4, 10))
    X = rng.uniform(-1, 1, size=(40_000, 10))
    flips = rng.random(40_000)
    y = []
    for row in range(40_000):
        direction = directions[(row // 2_000) % 4]
        label = X[row] @ (direction / np.sqrt(direction @ direction)) > 0
        y.append(int(label != (flips[row] < 0.05)))
    return X, y


@pytest.mark.parametrize("seed", [0, 7])
def test_recurring_is_its_recipe(seed):
    stream = recurring(seed=seed)
    X, y = recipe(seed)
    assert stream.name == "recurring"
    np.testing.assert_array_equal(stream.X, X)
    np.testing.assert_array_equal(stream.y, y)


def test_the_same_seed_gives_the_same_rows_and_another_seed_others():
    one, same, other = recurring(500, seed=3), recurring(500, seed=3), recurring(500, seed=4)
    assert one.X.tobytes() == same.X.tobytes()
    assert one.y.tobytes() == same.y.tobytes()
    assert not np.array_equal(one.X, other.X)


def test_no_global_generator_is_used():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    recurring(100)
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002


@pytest.mark.parametrize(("n_concepts", "length"), [(1, 10), (2, 75), (4, 2_000), (7, 1)])
def test_concepts_take_turns_in_the_same_order(n_concepts, length):
    concept = recurring(5_000, n_concepts=n_concepts, length=length).concept
    assert concept.tolist() == [row // length % n_concepts for row in range(5_000)]


def test_types_are_those_that_the_docstring_promises():
    stream = recurring(100, n_features=3)
    assert stream.X.shape == (100, 3)
    assert (stream.X.dtype, stream.y.dtype, stream.concept.dtype) == (float, np.int64, np.int64)
    assert stream.X.flags.c_contiguous
    assert np.abs(stream.X).max() <= 1.0
    assert set(stream.y.tolist()) == {0, 1}


def test_the_share_of_flipped_labels_is_the_noise():
    clean, noisy = recurring(noise=0.0), recurring(noise=0.05)
    share = np.mean(clean.y != noisy.y)
    assert abs(share - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 40_000)
    np.testing.assert_array_equal(recurring(noise=1.0).y, 1 - clean.y)


def test_without_noise_every_concept_is_linear_and_without_constant():
    stream = recurring(4_000, n_features=2, n_concepts=3, length=50, noise=0.0)
    angles = np.linspace(0.0, 2.0 * np.pi, 20_000)
    candidates = np.stack([np.cos(angles), np.sin(angles)])
    for concept in range(3):
        rows = stream.concept == concept
        agree = (stream.X[rows] @ candidates > 0) == (stream.y[rows, None] == 1)
        assert agree.mean(axis=0).max() == 1.0


def test_a_ridge_that_knows_the_concept_scores_what_was_published():
    stream = recurring()
    right = 0
    for concept in range(4):
        rows = stream.concept == concept
        X, target = stream.X[rows], 2.0 * stream.y[rows] - 1.0
        w = np.linalg.solve(X.T @ X + np.eye(10), X.T @ target)
        right += np.count_nonzero((X @ w > 0) == (target > 0))
    assert round(100 * right / 40_000, 1) == 93.1


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n": -1}, "n must be at least 0, got -1"),
        ({"n_features": 0}, "n_features must be at least 1, got 0"),
        ({"n_concepts": 0}, "n_concepts must be at least 1, got 0"),
        ({"length": 0}, "length must be at least 1, got 0"),
        ({"seed": -1}, "seed must be at least 0, got -1"),
        ({"noise": 1.5}, "noise must be between 0 and 1, got 1.5"),
        ({"noise": float("nan")}, "noise must be between 0 and 1, got nan"),
    ],
)
def test_errors_carry_name_value_and_rule(wrong, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        recurring(**wrong)


def test_an_empty_stream_is_a_stream():
    stream = recurring(0)
    assert stream.X.shape == (0, 10)
    assert len(stream.y) == len(stream.concept) == 0


def test_a_stream_cannot_be_changed_by_name():
    stream = Stream("mine", np.zeros((1, 1)), np.zeros(1))
    assert stream.concept is None
    with pytest.raises(AttributeError):
        stream.name = "yours"


MAKERS = [abrupt, gradual, moving_gaussians, noise, recurring]


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_every_generator_gives_the_same_bytes_for_the_same_seed(make):
    one, same, other = make(seed=3), make(seed=3), make(seed=4)
    assert one.digest() == same.digest()
    assert one.digest() != other.digest()
    assert one.X.flags.c_contiguous
    assert set(one.y.tolist()) == {0, 1}
    assert one.n_rows == len(one.y) == len(one.X)


def test_a_stream_in_memory_is_given_in_chunks():
    stream = recurring(25, n_features=3)
    chunks = list(stream.chunks(10))
    assert [len(chunk.y) for chunk in chunks] == [10, 10, 5]
    np.testing.assert_array_equal(np.concatenate([chunk.X for chunk in chunks]), stream.X)
    np.testing.assert_array_equal(np.concatenate([chunk.y for chunk in chunks]), stream.y)
    assert stream.feature_names == chunks[0].columns == ("f1", "f2", "f3")
    assert stream.load() is stream


def test_no_abrupt_concept_comes_back():
    assert abrupt(10, n_concepts=3).concept.tolist() == [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]
    stream = abrupt(40_000, noise=0.0)
    for concept in range(4):
        rows = stream.concept == concept
        w = np.linalg.lstsq(stream.X[rows], 2.0 * stream.y[rows] - 1.0, rcond=None)[0]
        assert np.mean((stream.X @ w > 0)[rows] == stream.y[rows]) > 0.95
        assert np.mean((stream.X @ w > 0)[~rows] == stream.y[~rows]) < 0.85


def test_gradual_concepts_rise_in_a_straight_line():
    stream = gradual(200_000, n_concepts=2, width=100_000)
    assert not stream.concept[:50_000].any()
    assert stream.concept[150_000:].all()
    share = stream.concept[50_000:150_000].reshape(10, -1).mean(axis=1)
    np.testing.assert_allclose(share, np.arange(0.05, 1.0, 0.1), atol=0.02)


def test_gradual_without_width_is_abrupt():
    np.testing.assert_array_equal(gradual(width=0).concept, abrupt().concept)
    with pytest.raises(
        StreamError, match="width must be at most n / n_concepts = 10000, got 10001"
    ):
        gradual(width=10_001)


def test_moving_gaussians_follow_the_paper():
    stream = moving_gaussians(n_intervals=200)
    means = np.empty((2, 200, 2))
    for label in (0, 1):
        for interval in range(200):
            rows = stream.X[(stream.concept == interval) & (stream.y == label)]
            assert len(rows) == 500
            means[label, interval] = rows.mean(axis=0)
            assert np.all(np.abs(rows.std(axis=0) - 1.0) < 0.2)
    assert np.all((means[:, 0] > -0.3) & (means[:, 0] < 10.3))
    steps = np.diff(means, axis=1)
    assert steps.min() > -0.3
    assert steps.max() < 5.3
    assert abs(steps.mean() - 2.5) < 0.3
    with pytest.raises(StreamError, match="length must be even, got 3"):
        moving_gaussians(length=3)


def still(n=45_000, n_features=3):
    """Return rows of two classes with different means, in order of their labels."""
    rng = np.random.default_rng(0)
    y = np.repeat([-1.0, 1.0], n // 2)
    return Stream("still", rng.uniform(0, 1, (n, n_features)) + y[:, None], y)


@pytest.mark.parametrize("leaking", [False, True])
def test_shifts_move_classes_together_unless_they_leak(leaking):
    stream = shifted(still(), "moved", 3_000, leaking)
    assert stream.name == ("moved-leaking" if leaking else "moved")
    assert (stream.n_rows, set(stream.y.tolist())) == (45_000, {0, 1})
    assert ("gives it away" in stream.note) == leaking
    parts = [stream.concept == interval for interval in range(15)]
    assert abs(np.mean(stream.y[parts[0]]) - 0.5) < 0.05  # shuffled
    assert stream.X[parts[0]].min() >= 0.0
    assert stream.X[parts[0]].max() <= 1.0
    apart = np.array(
        [
            stream.X[part & (stream.y == 1)].mean(axis=0)
            - stream.X[part & (stream.y == 0)].mean(axis=0)
            for part in parts
        ]
    )
    spread = np.array([stream.X[part & (stream.y == 0)].var(axis=0).mean() for part in parts])
    np.testing.assert_allclose(np.diff(spread), 1.0, atol=0.8)  # one unit of noise after each
    moved = np.abs(np.diff(apart, axis=0)).mean()
    assert (moved > 0.2) == leaking


def test_shifts_need_enough_rows():
    with pytest.raises(StreamError, match="stream must have at least 60,000 rows, got 45000"):
        shifted(still(), "moved", 4_000)


def test_noise_grows_until_the_inputs_say_nothing():
    stream = recurring(20_000, n_concepts=1, noise=0.0)
    noisy = increasing_noise(stream)
    assert noisy.name == "recurring-noise"
    X = noisy.load().X
    expected = (stream.X[5_000] - stream.X[:5_001].mean(axis=0)) / stream.X[:5_001].std(axis=0)
    rng = np.random.default_rng(0)
    e = rng.normal(size=stream.X.shape)
    np.testing.assert_allclose(X[5_000], 0.75 * expected + 0.25 * e[5_000], rtol=1e-9, atol=1e-9)
    w = np.linalg.lstsq(stream.X, 2.0 * stream.y - 1.0, rcond=None)[0]
    right = ((X @ w > 0) == stream.y).reshape(10, -1).mean(axis=1)
    assert right[0] > 0.93
    assert right[-1] < 0.56
    small = np.concatenate([chunk.X for chunk in noisy.chunks(777)])
    assert small.tobytes() == X.tobytes()
    with pytest.raises(StreamError, match="n_rows must be known"):
        increasing_noise(Stream("unknown", read=lambda rows: iter(())))
