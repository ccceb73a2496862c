"""What is counted of a keyed stream: by key, by age, along the stream; regimes across keys."""

import numpy as np

from mooe.evaluate.key_results import KeyedResults, KeyRegime, regimes_of_rows


def made(rows, task="classification"):
    results = KeyedResults("made", "shop", "y", task)
    keys, labels, answers = zip(*rows, strict=True)
    results.add(np.array(keys), labels, answers)
    return results


def test_rows_at_once_equal_rows_one_by_one():
    rng = np.random.default_rng(0)
    rows = [(f"k{rng.integers(5)}", str(rng.integers(2)), str(rng.integers(2))) for _ in range(200)]
    rows[3], rows[9] = (*rows[3][:2], None), (rows[9][0], None, "1")
    whole, single = made(rows), KeyedResults("made", "shop", "y")
    for key, label, answer in rows:
        single.add(np.array([key]), [label], [answer])
    assert whole.summary() == single.summary()
    assert whole.rows == 200
    assert whole.judged.sum() == 198


def test_keys_are_judged_by_their_rows_with_label_and_answer():
    rows = [("a", 1, None), ("a", 1, 1), ("b", 0, 1), ("a", 0, 1), ("a", None, 1)] * 10
    results = made(rows)
    assert results.names == ["a", "b"]
    assert results.judged.tolist() == [20, 10]
    assert results.by_key().tolist() == [0.5, 0.0]
    assert results.worst(1) == [1]
    assert results.no_change.tolist() == [10.0, 9.0]  # of b the first has none before it


def test_in_regression_errors_are_summed_and_the_largest_is_the_worst():
    results = made([("a", 1.0, 1.5), ("b", 1.0, 3.0)] * 10, "regression")
    assert results.by_key().tolist() == [0.5, 2.0]
    assert results.worst(2) == [1, 0]
    assert results.measure.key == "mae"


def test_the_first_value_of_a_key_is_no_error_of_repeating_its_last():
    results = made([("a", 300.0, 302.0), ("a", 301.0, 300.5), ("b", 290.0, 293.0)], "regression")
    assert results.no_change.tolist() == [2.0 + 1.0, 3.0]  # the model's own, where there is none


def test_keys_with_few_rows_are_not_compared():
    results = made([("a", 1, 0)] * 9 + [("b", 1, 1)] * 10)
    assert results.worst(5) == [1]
    assert results.spread() == [1.0, 1.0, 1.0]


def test_ages_are_counted_in_powers_of_two():
    results = made([("a", 1, at % 2) for at in range(8)])
    assert [(first, last, n) for first, last, _, _, n in results.by_age()] == [
        *((1, 1, 1), (2, 3, 2), (4, 7, 4), (8, 15, 1)),
    ]


def test_changes_are_found_at_the_rows_of_the_stream():
    rows = [(key, 1, 1) for _ in range(50) for key in ("a", "b")]
    results = made(rows)
    results.regimes = {"b": [KeyRegime(1, ((0, 9), (20, 49))), KeyRegime(2, ((10, 19),))]}
    assert results.changes().tolist() == [21, 41]
    assert results.drifts() == [("b", 2, 1)]
    last, value, changed = results.windows()
    assert last[-1] == 100
    assert np.nansum(value) == len(value)
    assert changed.sum() == 2


def test_regimes_that_are_alike_are_one_across_keys():
    results = made([("a", 1, 1), ("b", 1, 1), ("c", 1, 1)] * 10)
    one, other = np.array([1.0, 0.0]), np.array([0.0, -2.0])
    results.regimes = {
        "a": [KeyRegime(1, ((0, 2), (6, 9)), {"y": one}), KeyRegime(2, ((3, 5),), {"y": other})],
        "b": [KeyRegime(1, ((0, 9),), {"y": 3.0 * one + 0.1})],
        "c": [KeyRegime(1, ((0, 9),), {"z": one})],
    }
    (family,) = results.families()
    assert (set(family.keys), family.returns, family.n_returning, family.rows) == (
        {"a", "b"},
        1,
        1,
        17,
    )


def test_a_stream_without_labels_has_nothing_to_tell():
    results = made([("a", None, None)])
    assert np.isnan(results.value)
    summary = results.summary()
    assert summary["accuracy"] is None
    assert summary["worst"] == summary["by_age"] == summary["drifts"] == []
    assert regimes_of_rows([None, None]) == []
