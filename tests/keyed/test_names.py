"""Keys as texts and back."""

from datetime import date, datetime

import pytest

from mooe.keyed.names import dump_key, load_key

KEYS = ["a", "ü\ud800", 7, -(2**70), 2.5, b"\0x", ("a", (1, b"y")), date(2024, 5, 1)]


@pytest.mark.parametrize("key", [*KEYS, datetime(2024, 5, 1, 12, 30, 1, 5), (), ("tuple", "a")])
def test_a_key_comes_back_as_it_was(key):
    again = load_key(dump_key(key))
    assert again == key
    assert type(again) is type(key)


def test_texts_of_different_keys_differ():
    keys = [1, "1", 1.5, "1.5", (1,), ("1",), b"1", "31", ["bytes", "31"][0]]
    assert len({dump_key(key) for key in keys}) == len(keys)


@pytest.mark.parametrize("key", [frozenset(), object, ("a", None)])
def test_a_key_that_a_file_cannot_give_back_is_refused(key):
    with pytest.raises(ValueError, match="keys of a file must be text, numbers, bytes, dates"):
        dump_key(key)
