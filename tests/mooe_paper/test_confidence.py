"""Words on intervals of means over seeds."""

import pytest

from mooe_paper.confidence import both, claim_of_gain, estimate_text, word


@pytest.mark.parametrize(
    ("difference", "said"),
    [([-1, -2, -0.1], "lower"), ([1, 0.1, 2], "higher"), ([-1, -2, 0.0], "no difference")],
)
def test_a_word_needs_the_whole_interval_on_one_side(difference, said):
    assert word(difference) == said


def test_both_words_are_said_once_where_they_are_one():
    low, none = [-1, -2, -0.5], [0, -1, 1]
    assert both(low, low) == "both lower"
    assert both(none, none) == "no difference"
    assert both(low, none) == "loss lower, error no difference"
    assert claim_of_gain(low) == "holds"
    assert claim_of_gain(none) == "not shown"


def test_what_is_written_says_mean_and_half_the_interval():
    low, mean, high = -2.0, -1.0, 0.0
    assert estimate_text([mean, low, high], 1) == "−1.0 ± 1.0"
    assert estimate_text([0.03, 0.01, 0.05], 1, scale=100.0) == "3.0 ± 2.0"
