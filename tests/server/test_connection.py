"""What one turn of the event loop writes is sent in one piece."""

import asyncio

from mooe.server.connection import Joined


class Noted:
    """A transport that notes what it is told."""

    def __init__(self):
        self.told = []

    def write(self, data):
        self.told.append(data)

    def close(self):
        self.told.append("closed")

    def is_closing(self):
        return "closed" in self.told


def test_head_and_body_of_an_answer_are_one_piece():
    async def told():
        noted = Noted()
        joined = Joined(noted)
        joined.write(b"head ")
        joined.write(b"body")
        assert noted.told == []
        await asyncio.sleep(0)
        joined.write(b"later")
        await asyncio.sleep(0)
        return noted.told

    assert asyncio.run(told()) == [b"head body", b"later"]


def test_what_was_written_is_sent_before_it_closes():
    async def told():
        noted = Noted()
        joined = Joined(noted)
        joined.write(b"last words")
        assert not joined.is_closing()
        joined.close()
        assert joined.is_closing()
        await asyncio.sleep(0)
        return noted.told

    assert asyncio.run(told()) == [b"last words", "closed"]
