"""The server beside an echo of FastAPI and a plain ASGI echo, on the same machine and client.

    python benchmarks/server.py          # writes results/server.json and the page; some minutes

Each server is a process of its own, as is the client: 32 connections that send the next request
when they have the answer to the last. Ratios count, and processor time per request; requests a
second are those of this machine. Needs `pip install fastapi` beside the extra `server`.
"""

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import digest
import numpy as np
import page

from mooe.auto.params import AutoParams
from mooe.client import Client
from mooe.evaluate.results import origin
from mooe.model import Model
from mooe.platform import Platform
from mooe.platform.learner import LAST, Learner
from mooe.platform.rows import row_of

RESULTS = Path(__file__).parent / "results" / "server.json"
CONNECTIONS, SECONDS, WARM = 32, 8.0, 2.0
D, MOST_LABELS = 8, 60_000

PLAIN = """
import uvicorn
async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    body = (await receive())["body"]
    head = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": head})
    await send({"type": "http.response.body", "body": body})
"""
FASTAPI = """
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
class Body(BaseModel):
    x: dict[str, float]
    id: str | None = None
app = FastAPI()
@app.post("/v1/models/m/predict")
async def echo(body: Body) -> Body:
    return body
"""
RUN = """
uvicorn.run(app, host="127.0.0.1", port={port}, log_level="warning", access_log=False, ws="none")
"""


class Served:
    """A server in a process of its own."""

    def __init__(self, code, port, folder):
        self.port = port
        if code is None:
            store = Path(folder, f"store-{port}")
            command = ["-m", "mooe", "serve", "--store", str(store), "--port", str(port)]
            command += ["--log-level", "warning"]
        else:
            command = ["-c", code + RUN.format(port=port)]
        self.process = subprocess.Popen([sys.executable, *command], stderr=subprocess.DEVNULL)
        path = "/v2/health/ready" if code is None else "/"
        until = time.monotonic() + 120
        while time.monotonic() < until:
            try:
                Client(f"http://127.0.0.1:{port}", retries=0).request("GET", path)
                break
            except OSError:
                time.sleep(0.1)
            except Exception as problem:  # an echo has no such route
                if code is None and "503" in str(problem):
                    time.sleep(0.1)
                    continue
                break

    def processor(self):
        """Return the processor seconds that it has used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        self.process.terminate()
        self.process.wait()


def request_of(path, body):
    """Return a request as it goes over the wire."""
    head = f"POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
    return f"{head}content-length: {len(body)}\r\n\r\n".encode() + body


async def connection(port, bodies, path, until, took):
    """Send requests one after the other; note how long each took, in seconds."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while time.perf_counter() < until:
        begin = time.perf_counter()
        writer.write(request_of(path, next(bodies)))
        head = await reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(head[:200])
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        await reader.readexactly(length)
        took.append((begin, time.perf_counter() - begin))
    writer.close()


async def pairs(port, bodies, until, took, labels):
    """Ask and tell: a prediction, then its label; note how long both took."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)

    async def send(path, body):
        begin = time.perf_counter()
        writer.write(request_of(path, body))
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        answer = await reader.readexactly(length)
        took.append((begin, time.perf_counter() - begin))
        return answer

    while time.perf_counter() < until:
        answer = json.loads(await send("/v1/models/m/predict", next(bodies)))
        label = json.dumps({"id": answer["id"], "label": next(labels)}).encode()
        await send("/v1/models/m/feedback", label)
    writer.close()


def labels_of(served, n):
    """Yield bodies of feedback: the labels of n predictions that were made before."""
    client, made, bodies = Client(f"http://127.0.0.1:{served.port}"), rows(5), []
    for _ in range(0, n, 1000):
        xs = [json.loads(next(made))["x"] for _ in range(1000)]
        for answer, label in zip(client.predict_many("m", xs), yes_or_no(), strict=False):
            bodies.append(json.dumps({"id": answer.id, "label": label}).encode())
    client.close()
    return iter(bodies)


def rows(seed=0):
    """Yield bodies of requests to predict."""
    rng = random.Random(seed)
    while True:
        x = {f"x{j}": round(rng.gauss(0, 1), 6) for j in range(D)}
        yield json.dumps({"x": x}).encode()


def yes_or_no():
    while True:
        yield "yes"
        yield "no"


def load(served, kind):
    """Return what a load of some seconds measured of a server."""
    ids = labels_of(served, MOST_LABELS) if kind == "feedback" else None

    async def work():
        begin = time.perf_counter()
        until, asked, told = begin + WARM + SECONDS, [], []
        path, labels = "/v1/models/m/predict", yes_or_no()
        if kind == "feedback":
            path = "/v1/models/m/feedback"
            tasks = [connection(served.port, ids, path, until, asked) for _ in range(CONNECTIONS)]
        else:
            n = CONNECTIONS
            tasks = [connection(served.port, rows(k), path, until, asked) for k in range(n)]
        if kind == "beside":
            n = CONNECTIONS
            tasks += [pairs(served.port, rows(-k), until, told, labels) for k in range(n)]

        async def clock():
            await asyncio.sleep(WARM)
            before = served.processor()
            await asyncio.sleep(SECONDS - 0.2)
            return (served.processor() - before) / (SECONDS - 0.2)

        busy, *_ = await asyncio.gather(clock(), *tasks)
        return begin + WARM, busy, asked, told

    start, busy, asked, told = asyncio.run(work())
    times = sorted(seconds for begin, seconds in asked if begin >= start)
    others = sum(begin >= start for begin, _ in told)
    n = len(times)
    return {
        "requests a second": n / SECONDS,
        "processor us a request": 1e6 * busy * SECONDS / (n + others),
        "p50 ms": 1e3 * times[n // 2],
        "p99 ms": 1e3 * times[int(0.99 * n)],
    }


def in_process(folder):
    """Return microseconds of processor time a row, of batches of 1,000 and of a replay."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, D))
    xs = [dict(zip([f"x{j}" for j in range(D)], row, strict=True)) for row in X.tolist()]
    labels = ["yes" if row[0] > 0 else "no" for row in X.tolist()]

    def best(run, n, times=7):
        least = np.inf
        for _ in range(times):
            begin = time.process_time()
            run()
            least = min(least, time.process_time() - begin)
        return 1e6 * least / n

    found = {}
    with Platform(Path(folder, "inside")) as platform:
        platform.create("m")
        platform.learn_many("m", xs, labels)
        found["predict, batches of 1,000"] = best(
            lambda: platform.predict_many("m", xs[:1000]), 1000
        )
        scores = platform._hosted[1].learner._rows.score_rows
        names = [f"x{j}" for j in range(D)]
        found["model alone"] = best(lambda: scores(names, X[:1000]), 1000)
        found["replay"] = best(lambda: platform.model_at("m", 4000), 4000, 3)
    kept = [row_of(x) for x in xs]

    def learn():
        learner = Learner(Model(AutoParams()))
        for k in range(0, 4000, 1000):
            part = slice(k, k + 1000)
            learner.learn(kept[part], labels[part], [LAST] * 1000)

    found["learning in chunks of 1,000"] = best(learn, 4000, 3)
    return found


def batches(served):
    """Return microseconds of processor time a row of the server, of batches of 1,000 rows."""
    client = Client(f"http://127.0.0.1:{served.port}")
    bodies = rows(7)
    xs = [json.loads(next(bodies))["x"] for _ in range(1000)]
    client.predict_many("m", xs)
    before, n = served.processor(), 30
    for _ in range(n):
        client.predict_many("m", xs)
    used = served.processor() - before
    client.close()
    return 1e6 * used / (1000 * n)


def measured():
    """Return all figures."""
    codes = {"mooe": None, "plain ASGI echo": PLAIN, "FastAPI echo": FASTAPI}
    found = {"load": {}}
    with tempfile.TemporaryDirectory() as folder:
        for at, (name, code) in enumerate(codes.items()):
            served = Served(code, 8231 + at, folder)
            try:
                if code is None:
                    client = Client(f"http://127.0.0.1:{served.port}")
                    client.create("m")
                    made = rows(9)
                    xs = [json.loads(next(made))["x"] for _ in range(1000)]
                    names = ["yes" if x["x0"] > 0 else "no" for x in xs]
                    client.learn_many("m", xs, names)
                    client.close()
                found["load"][name] = {"predict": load(served, "predict")}
                if code is None:
                    found["load"][name]["beside feedback"] = load(served, "beside")
                    found["load"][name]["feedback"] = load(served, "feedback")
                    found["HTTP batches of 1,000, us a row"] = batches(served)
            finally:
                served.end()
        found["in process, us a row"] = in_process(folder)
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Measure the server.")
    parser.add_argument("--print", action="store_true", help="print instead of keeping")
    asked = parser.parse_args()
    whole = {**measured(), "digest": digest.of("server"), "origin": origin()}
    if asked.print:
        print(json.dumps(whole, indent=1))
        sys.exit()
    RESULTS.write_text(json.dumps(whole, indent=1, sort_keys=True) + "\n")
    page.write()
