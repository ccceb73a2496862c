"""Clients of a server as a benchmark needs them: connections that ask again when they are answered.

One process with an event loop, which does as little as it can.
"""

import asyncio
import json
import random
import time
from itertools import cycle

CONNECTIONS, D = 32, 8
PREDICT = "/v1/models/m/predict"


def inputs(n, seed=0):
    """Return n inputs as dicts."""
    rng = random.Random(seed)
    return [{f"x{j}": round(rng.gauss(0, 1), 6) for j in range(D)} for _ in range(n)]


def request_of(path, body):
    """Return a request as it goes over the wire."""
    head = f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    return f"{head}content-length: {len(body)}\r\n\r\n".encode() + body


def label_request(name, label, model="m"):
    """Return the request that tells the label of a prediction."""
    body = json.dumps({"id": name, "label": label})
    return request_of(f"/v1/models/{model}/feedback", body.encode())


def label_of(x):
    """Return the label of an input, which can be learnt."""
    return "yes" if x["x0"] > 0 else "no"


class Connection(asyncio.Protocol):
    """Sends the next request when it has the answer to the last.

    requests: an iterator of requests; told: a function of the body of each answer. took: gets the
    seconds of each.
    """

    def __init__(self, requests, until, took, told=None):
        self.requests, self.until, self.took, self.told = requests, until, took, told
        self.done, self.buffer = asyncio.get_running_loop().create_future(), b""

    def connection_made(self, transport):
        self.transport = transport
        self.send()

    def send(self):
        self.begin = time.perf_counter()
        request = next(self.requests, None) if self.begin < self.until else None
        if request is None:
            self.transport.close()
            self.done.set_result(None)
        else:
            self.transport.write(request)

    def data_received(self, data):
        self.buffer += data
        head, found, body = self.buffer.partition(b"\r\n\r\n")
        if not found:
            return
        if not head.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(self.buffer[:300])
        if len(body) < int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0]):
            return
        self.buffer = b""
        self.took.append(time.perf_counter() - self.begin)
        if self.told is not None:
            self.told(body)
        self.send()


async def connect(port, requests, until, took, told=None):
    """Have one connection until a time."""
    loop = asyncio.get_running_loop()
    _, made = await loop.create_connection(
        lambda: Connection(requests, until, took, told), "127.0.0.1", port
    )
    await made.done


def pairs(xs):
    """Return the requests of a client that asks and tells, and what hears the answers."""
    ids = []

    def requests():
        for request in cycle(xs):
            yield request
            x = json.loads(request.partition(b"\r\n\r\n")[2])["x"]
            yield label_request(ids.pop(), label_of(x))

    def told(body):
        answer = json.loads(body)
        if "prediction" in answer:
            ids.append(answer["id"])

    return requests(), told


def asked(port, seconds, xs, labels=None, connections=CONNECTIONS, telling=0):
    """Return the seconds of each request of a load, of others beside it, and of the whole.

    xs: requests to predict; labels: requests that are sent instead, each once. telling: how many
    of the connections ask and tell in turns; theirs are the requests beside.
    """

    async def work():
        begin = time.perf_counter()
        until, took, others = begin + seconds, [], []
        each = iter(labels) if labels is not None else None
        tasks = []
        for k in range(connections):
            first = k * len(xs) // connections
            if k < telling:
                requests, told = pairs(xs[first:] or xs)
                tasks.append(connect(port, requests, until, others, told))
            else:
                own = each or cycle(xs[first:] + xs[:first])
                tasks.append(connect(port, own, until, took))
        await asyncio.gather(*tasks)
        return took, others, time.perf_counter() - begin

    return asyncio.run(work())
