"""Tables of digests find what was put into them, and nothing else."""

import numpy as np

from mooe.keyed.lookup import (
    EMPTY,
    digest_texts,
    digest_wholes,
    find_texts,
    find_wholes,
    measure_texts,
    put_digests,
)


def table(digests, room):
    pairs = np.full((room, 2), EMPTY)
    put_digests(digests, np.arange(len(digests)), pairs)
    return pairs


def test_whole_numbers_are_found_in_a_table_that_is_half_full():
    wholes = np.array([0, -1, 2**62, -(2**62), 5, 6, 7, 8])
    digests, out = np.empty(8, np.int64), np.empty(8, np.int64)
    digest_wholes(wholes, digests)
    assert len(set(digests.tolist())) == 8
    find_wholes(digests, table(digests, 16), out)
    assert out.tolist() == list(range(8))
    others = np.empty(8, np.int64)
    digest_wholes(wholes + 100, others)
    find_wholes(others, table(digests, 16), out)
    assert out.tolist() == [EMPTY] * 8


def test_texts_with_the_same_digest_are_told_apart_by_their_letters():
    letters = np.array([97, 98, 99, 97, 98], np.uint32)
    places = np.array([[0, 2], [2, 1]])
    same = np.array([5, 5])
    out = np.empty(3, np.int64)
    wanted = np.array([[3, 2], [2, 1], [1, 1]])
    find_texts(np.array([5, 5, 5]), letters, wanted, table(same, 8), letters, places, out)
    assert out.tolist() == [0, 1, EMPTY]


def test_texts_are_measured_without_what_fills_them_up():
    letters = np.array(["ab", "a", ""], "U2").view(np.uint32)
    places = np.array([[0, 2], [2, 2], [4, 2]])
    measure_texts(letters, places)
    assert places[:, 1].tolist() == [2, 1, 0]
    digests = np.empty(3, np.int64)
    digest_texts(letters, places, digests)
    assert len(set(digests.tolist())) == 3
