"""Ctrl-C waits while rows are learnt."""

import os
import signal

import numpy as np
import pytest

from mooe.run.interrupts import Interrupts
from mooe.streams.stream import Chunk, Stream


def press():
    os.kill(os.getpid(), signal.SIGINT)


def rows(n):
    return Stream("numbers", np.zeros((n, 1)), np.zeros(n))


def test_an_interrupt_waits_until_the_rows_at_hand_are_done():
    seen = []
    with Interrupts() as interrupts, pytest.raises(KeyboardInterrupt):  # noqa: PT012
        for chunk in interrupts.between(rows(40).chunks(10)):
            press()
            seen.append(len(chunk.y))  # still here
    assert seen == [10]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupt_comes_at_once_while_rows_are_awaited():
    def read():
        yield Chunk(np.zeros((1, 1)), np.zeros(1), ("f1",))
        press()
        yield Chunk(np.zeros((1, 1)), np.zeros(1), ("f1",))

    seen = []
    with Interrupts() as interrupts:
        with pytest.raises(KeyboardInterrupt):
            seen.extend(interrupts.between(read()))
        press()  # impatience changes nothing
    assert len(seen) == 1


def test_an_interrupt_after_the_last_row_does_not_cut_off_late_labels():
    with Interrupts() as interrupts:
        assert len(list(interrupts.between(rows(3).chunks()))) == 1
        press()
    assert interrupts.is_asked
