"""Which topics are read and which are written."""

import pytest

from mooe.sources import Topics


def test_a_topic_that_is_read_for_both_is_read_once():
    assert Topics(("a", "b"), ("b", "c")).read == ("a", "b", "c")


def test_something_must_be_read():
    with pytest.raises(ValueError, match="must name a topic to read"):
        Topics(answers="a")


@pytest.mark.parametrize("sent", ["answers", "dead_letters"])
def test_what_is_sent_must_not_be_read_again(sent):
    with pytest.raises(ValueError, match="must not be read again, got 'a'"):
        Topics(("a",), **{sent: "a"})


def test_a_source_that_sends_nothing_knows_it():
    assert not Topics(("a",)).sends
    assert Topics(("a",), dead_letters="b").sends
