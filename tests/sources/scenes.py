"""Topics of Kafka and streams of Redis as tests write and read them."""

import json
import random
import signal
import subprocess
import sys
from itertools import count
from pathlib import Path

from mooe.sources import Topics, connect

BEGIN = 1_700_000_000_000  # milliseconds


class KafkaScene:
    """Topics of a test."""

    kind = "kafka"

    def __init__(self, brokers, name):
        from confluent_kafka import Producer

        self.brokers, self.name, self.url = brokers, name, f"kafka://{brokers}"
        self._writer = Producer({"bootstrap.servers": brokers, "log_level": 0})

    def topic(self, role):
        return f"{self.name}-{role}"

    def topics(self, answers="answers", dead_letters="dead"):
        return Topics(
            *((self.topic("requests"),), (self.topic("labels"),)),
            *(answers and self.topic(answers), dead_letters and self.topic(dead_letters)),
        )

    def source(self, topics=None, group="mooe", **options):
        return connect(self.url, topics or self.topics(), f"{self.name}-{group}", **options)

    def send(self, role, *bodies, key=None, partition=None, time=None, flush=True):
        """Write messages; their times grow by a millisecond each."""
        for at, body in enumerate(bodies):
            value = body if isinstance(body, bytes | None) else json.dumps(body).encode()
            where = {} if partition is None else {"partition": partition}
            moment = (BEGIN if time is None else time) + at
            headers = [("trace", b"17")]
            self._writer.produce(
                *(self.topic(role), value, key), timestamp=moment, headers=headers, **where
            )
            self._writer.poll(0)
        if flush:
            self.flush()

    def flush(self):
        """Wait until all is written."""
        assert self._writer.flush(30) == 0

    def sent(self, role):
        """Return (value, key, headers) of all messages of a topic, partition by partition."""
        from confluent_kafka import Consumer, TopicPartition

        settings = {"bootstrap.servers": self.brokers, "group.id": "test", "log_level": 0}
        reader = Consumer({**settings, "enable.partition.eof": True, "enable.auto.commit": False})
        parts = reader.list_topics(self.topic(role), timeout=30).topics[self.topic(role)].partitions
        reader.assign([TopicPartition(self.topic(role), part, 0) for part in parts])
        found, ends = {part: [] for part in parts}, 0
        while ends < len(parts):
            message = reader.poll(30)
            assert message is not None, "the cluster does not answer"
            if message.error():
                ends += 1
            else:
                told = message.value(), message.key(), dict(message.headers() or ())
                found[message.partition()].append(told)
        reader.close()
        return [message for part in sorted(found) for message in found[part]]


class RedisServer:
    """A Redis server behind a socket in a folder."""

    def __init__(self, program, folder, *settings):
        socket = Path(folder) / "socket"
        self.url = f"unix://{socket}"
        own = ["--port", "0", "--unixsocket", socket, "--save", "", "--dir", folder]
        self._command, self._folder = [program, *map(str, own), *settings], folder
        self.start()

    def start(self):
        """Start it, and return when it can be asked."""
        self._process = subprocess.Popen(
            self._command, stdout=subprocess.PIPE, text=True, cwd=self._folder
        )
        lines = []
        for line in self._process.stdout:
            lines.append(line)
            if "ready to accept connections" in line.lower():
                return
        raise OSError(f"redis-server does not start: {lines}")

    def stop(self, kind=signal.SIGTERM):
        """End it."""
        self._process.send_signal(kind)
        self._process.communicate()


class RedisScene:
    """Streams of a test; times become ids of entries."""

    kind = "redis"

    def __init__(self, url, name):
        import redis

        self.url, self.name = url, name
        self.client = redis.Redis.from_url(url)
        self._work = self.client.pipeline(transaction=False)
        self._numbers = count()

    topic, topics, source = KafkaScene.topic, KafkaScene.topics, KafkaScene.source

    def send(self, role, *bodies, key=None, partition=None, time=None, flush=True):
        """Write messages; their times grow by a millisecond each."""
        for at, body in enumerate(bodies):
            value = body if isinstance(body, bytes) else json.dumps(body).encode()
            moment = (BEGIN if time is None else time) + at
            fields = {"value": value, "trace": b"17"}
            self._work.xadd(self.topic(role), fields, f"{moment}-{next(self._numbers)}")
        if flush:
            self.flush()

    def flush(self):
        """Wait until all is written."""
        self._work.execute()

    def sent(self, role):
        """Return (value, key, other fields) of all entries of a stream."""
        found = []
        for _, fields in self.client.xrange(self.topic(role)):
            value = fields.pop(b"value")
            found.append((value, None, {name.decode(): each for name, each in fields.items()}))
        return found


def conversation(n, seed=0):
    """Return (time, role, body) of requests, labels, and all that comes between them."""
    rng = random.Random(seed)
    told = []
    for i in range(n):
        x = {"a": rng.random(), "b": rng.random(), "c": float(i % 3)}
        label = "yes" if x["a"] > x["b"] else "no"
        time = BEGIN + 100 * i
        told.append((time, "requests", {"id": f"o{i}", "x": x}))
        late = time + rng.randrange(1, 1000)
        told.append((late, "labels", {"id": f"o{i}", "label": label}))
        if i % 7 == 0:  # sent twice
            told.append((late + rng.randrange(1, 500), "labels", {"id": f"o{i}", "label": label}))
        if i % 11 == 0:  # taken back, twice
            for k, other in enumerate(("maybe", label)):
                body = {"id": f"o{i}", "label": other, "correction": True}
                told.append((late + 600 + 200 * k, "labels", body))
        if i % 13 == 0:  # nobody asked
            told.append((time + 5, "labels", {"x": x, "label": label}))
        if i % 17 == 0:  # no id: the message gives its own
            told.append((time + 7, "requests", {"x": x}))
        if i % 23 == 1:  # another label, and no word of a correction
            told.append((late + 300, "labels", {"id": f"o{i}", "label": "maybe"}))
        if i % 50 == 0:
            told.append((time + 9, "labels", {"id": f"never {i}", "label": label}))
            told.append((time + 9, "requests", {"id": f"bad {i}", "x": {"a": "text"}}))
            told.append((time + 9, "labels", b"\xff no JSON"))
    told.sort(key=lambda each: each[0])
    return told


def hold(scene, told):
    """Write a conversation, its messages spread over partitions."""
    for at, (time, role, body) in enumerate(told):
        scene.send(role, body, partition=at % 4, time=time, flush=False)
    scene.flush()


def lessons(n, first=0):
    """Return labelled rows."""
    return [{"x": {"a": i}, "label": "yes" if i % 2 else "no"} for i in range(first, first + n)]


class Process(subprocess.Popen):
    """A process that does not outlive a test that fails beside it."""

    def __exit__(self, failure, *about):
        if failure is not None:
            self.kill()
        super().__exit__(failure, *about)


def started(*arguments):
    """Start the command in a process of its own."""
    return Process(
        [sys.executable, "-m", "mooe", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
