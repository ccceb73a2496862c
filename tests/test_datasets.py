"""The streams: their laws, and the recipe written once more."""

import numpy as np
import pytest

from mooe.datasets import Stream, recurring


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
