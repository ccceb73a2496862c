"""Messages of several parts come in the order of their times, whoever was fetched first."""

import random

from mooe.sources import Message
from mooe.sources.time_order import TimeOrder


def message(topic, part, position, time):
    return Message(topic, part, position, f"{topic}/{part}/{position}", time, b"")


def test_a_part_that_may_have_an_earlier_message_is_waited_for():
    order = TimeOrder(("a", "b"))
    for topic in ("a", "b"):
        order.add_part((topic, 0))
    order.add(message("a", 0, 0, 5))
    assert order.missing == {("b", 0)}
    assert order.take(9) == []
    assert [each.time for each in order.take(9, is_patient=False)] == [5]
    order.add(message("a", 0, 1, 6))
    order.ended(("b", 0))
    assert [each.time for each in order.take(9)] == [6]
    assert not order.is_at_end, "a may have more"
    order.ended(("a", 0))
    assert order.is_at_end


def test_at_the_same_time_requests_come_before_labels():
    order = TimeOrder(("requests", "labels"))
    for topic in ("labels", "requests"):
        order.add_part((topic, 0))
        order.add(message(topic, 0, 0, 5))
        order.ended((topic, 0))
    assert [each.topic for each in order.take(9)] == ["requests", "labels"]


def test_the_order_does_not_depend_on_what_was_fetched_when():
    def run(seed):
        """Feed the parts at random, as brokers would, and return the order that comes out."""
        times, rng = random.Random(0), random.Random(seed)
        parts = {(topic, part): [] for topic in ("a", "b") for part in range(3)}
        for at in range(300):
            queue = parts[times.choice(list(parts))]
            queue.append((len(queue), 10 * at + times.randrange(30)))
        order, taken = TimeOrder(("a", "b")), []
        for part in parts:
            order.add_part(part)
        while not order.is_at_end:
            part = rng.choice(list(parts))
            for _ in range(rng.randrange(40)):
                if parts[part]:
                    order.add(message(*part, *parts[part].pop(0)))
            if not parts[part]:
                order.ended(part)
            taken += order.take(rng.randrange(1, 50))
        return [each.name for each in taken]

    first = run(0)
    assert len(first) == 300
    for seed in range(1, 20):
        assert run(seed) == first


def test_a_part_that_is_dropped_is_forgotten():
    order = TimeOrder(("a",))
    for part in (0, 1):
        order.add_part(("a", part))
        order.add(message("a", part, 0, part))
    order.drop_part(("a", 0))
    order.ended(("a", 1))
    assert order.parts == [("a", 1)]
    assert [each.part for each in order.take(9)] == [1]
    order.ended(("a", 0))  # of a part that is gone
    assert order.is_at_end
