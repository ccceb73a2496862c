"""Compiled code finds what lies at an address."""

import numpy as np

from mooe.numerics.addresses import fetch_ahead, fetch_item, floats_at, record_at
from mooe.numerics.compiler import njit

RECORD = np.dtype([("n", "i8"), ("share", "f8")], align=True)


@njit(nogil=True, _nrt=False)
def double_at(address, n):
    fetch_ahead(address)
    floats = floats_at(address, n)
    fetch_item(floats, n - 1)
    for i in range(floats.shape[0]):
        floats[i] *= 2.0


@njit(nogil=True, _nrt=False)
def count_at(like, address):
    record = record_at(like, address)[0]
    record.n += 1
    record.share = 0.5 * record.n


def test_floats_are_read_and_written_where_they_lie():
    values = np.arange(6.0)
    double_at(values.ctypes.data + 16, 3)
    assert values.tolist() == [0.0, 1.0, 4.0, 6.0, 8.0, 5.0]


def test_a_record_is_read_and_written_where_it_lies():
    block = np.zeros(4)
    block[1:3].view(RECORD)["n"] = 6
    count_at(np.zeros(1, RECORD), block[1:].ctypes.data)
    assert block[1:3].view(RECORD).tolist() == [(7, 3.5)]
    assert block[[0, 3]].tolist() == [0.0, 0.0]
