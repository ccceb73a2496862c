"""Tables from keys to their numbers, compiled: whole numbers, and texts.

A table is a list of pairs, a digest of the key and its number, as long as a power of two and at
most half full (open addressing). A whole number is told by its digest alone, for no two have the
same. Texts lie in one array of letters, each where `places` says: first letter, how many.
"""

import numpy as np

from mooe.numerics.addresses import fetch_item
from mooe.numerics.compiled import announced, compiled, part
from mooe.numerics.compiler import int64, types, void
from mooe.numerics.draws import key_of

longs = int64[::1]
pairs = int64[:, ::1]
letters = types.uint32[::1]
EMPTY = -1
DIGEST, NUMBER = range(2)
FIRST, LENGTH = range(2)
TOGETHER = 16  # keys whose places are fetched before the first of them is looked at


@part
def _digest_whole(key):
    """Return the digest of a whole number: a mixture of its bits that can be undone."""
    return np.int64(key_of(np.uint64(key), 0))


@part
def _digest_text(text, first, n):
    """Return the digest of n letters."""
    bits = np.uint64(n)
    for j in range(first, first + n):
        bits = (bits ^ np.uint64(text[j])) * np.uint64(0x9E3779B97F4A7C15)
        bits ^= bits >> np.uint64(29)
    return np.int64(key_of(bits, 1))


@part
def _number_of(digest, table):
    """Return the number of a whole number, EMPTY if it is not there."""
    mask = table.shape[0] - 1
    at = digest & mask
    while table[at, NUMBER] != EMPTY and table[at, DIGEST] != digest:
        at = (at + 1) & mask
    return table[at, NUMBER]


@part
def _number_of_text(digest, text, first, n, table, kept, places):
    """Return the number of a text, EMPTY if it is not there."""
    mask = table.shape[0] - 1
    at = digest & mask
    while table[at, NUMBER] != EMPTY:
        if table[at, DIGEST] == digest:
            number = table[at, NUMBER]
            begin, same = places[number, FIRST], places[number, LENGTH] == n
            for j in range(n if same else 0):
                same = same and kept[begin + j] == text[first + j]
            if same:
                return number
        at = (at + 1) & mask
    return EMPTY


with announced(__name__, "the look-up of keys (a few seconds)"):

    @compiled(void(longs, longs))
    def digest_wholes(keys, out):
        """In place: out = the digests of whole numbers."""
        for i in range(keys.shape[0]):
            out[i] = _digest_whole(keys[i])

    @compiled(void(letters, pairs, longs))
    def digest_texts(text, places, out):
        """In place: out = the digests of texts."""
        for i in range(places.shape[0]):
            first, n = places[i, FIRST], places[i, LENGTH]
            out[i] = _digest_text(text, first, n)

    @compiled(void(letters, pairs))
    def measure_texts(text, places):
        """In place: the lengths of texts without the zeros that they are filled up with."""
        for i in range(places.shape[0]):
            first, n = places[i, FIRST], places[i, LENGTH]
            while n > 0 and text[first + n - 1] == 0:
                n -= 1
            places[i, LENGTH] = n

    @compiled(void(longs, pairs, longs))
    def find_wholes(digests, table, out):
        """In place: out = the numbers of whole numbers, EMPTY for those that are not there."""
        mask, n = table.shape[0] - 1, digests.shape[0]
        for i in range(n):
            if i + TOGETHER < n:
                fetch_item(table, 2 * (digests[i + TOGETHER] & mask))
            out[i] = _number_of(digests[i], table)

    @compiled(void(longs, letters, pairs, pairs, letters, pairs, longs))
    def find_texts(digests, text, places, table, kept, kept_places, out):
        """In place: out = the numbers of texts, EMPTY for those that are not there."""
        mask, n = table.shape[0] - 1, digests.shape[0]
        for i in range(n + 3 * TOGETHER):  # a row's table, then places, then letters are fetched
            if i < n:
                fetch_item(table, 2 * (digests[i] & mask))
            k = i - TOGETHER
            if 0 <= k < n:
                number = table[digests[k] & mask, NUMBER]
                fetch_item(kept_places, 2 * max(number, 0))
            k -= TOGETHER
            if 0 <= k < n:
                number = table[digests[k] & mask, NUMBER]
                fetch_item(kept, kept_places[max(number, 0), FIRST])
            k -= TOGETHER
            if k >= 0:
                first, length = places[k, FIRST], places[k, LENGTH]
                own = digests[k], text, first, length
                out[k] = _number_of_text(*own, table, kept, kept_places)

    @compiled(void(longs, longs, pairs))
    def put_digests(digests, numbers, table):
        """In place: keys that are not there yet, by their digests, with their numbers."""
        mask = table.shape[0] - 1
        for i in range(digests.shape[0]):
            at = digests[i] & mask
            while table[at, NUMBER] != EMPTY:
                at = (at + 1) & mask
            table[at, DIGEST], table[at, NUMBER] = digests[i], numbers[i]
