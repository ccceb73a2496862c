"""The server beside an echo of FastAPI and a plain ASGI echo, on the same machine and client.

    python benchmarks/server.py           # writes results/server.json and the page; 7 minutes
    python benchmarks/server.py --print   # only tells

Each server is a process of its own, as is the client: 32 connections that send the next
request when they have the answer to the last. Beside feedback 32 more ask and tell in turns; the
same is asked with 32 in all, and the echo is asked by 64 too, so that like stands beside like. All
servers are asked in turns, again and again, and the median of the rounds counts: ratios,
and processor time per request; requests a second are those of this machine. FastAPI lives in
.venv-echo, which is made here, with the uvicorn that we have; PostgreSQL is started here too, from
Debian's package.
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import venv
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path

import digest
import numpy as np
import page
from server_load import (
    CONNECTIONS,
    PREDICT,
    asked,
    connect,
    inputs,
    label_of,
    label_request,
    request_of,
)

from mooe.auto.params import AutoParams
from mooe.client import Client
from mooe.evaluate.results import origin
from mooe.model import Model
from mooe.platform import Platform
from mooe.platform.requests import Learn
from mooe.platform.rows import row_of

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "platform"))

from postgres_server import new_database, postgres_server  # noqa: E402

RESULTS = Path(__file__).parent / "results" / "server.json"
VENV = ROOT / ".venv-echo"
ROUNDS, SECONDS = 7, 2.0
LABELS = 40_000  # predictions that wait for a load of labels, more than come in its seconds
LARGE = 128, 300  # columns and classes of a model of some 38 MB
MODELS = 1_000
OURS, POSTGRES, PLAIN, FASTAPI = "mooe", "mooe on PostgreSQL", "plain ASGI echo", "FastAPI echo"

ECHOES = {
    PLAIN: """
import uvicorn
async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    body = (await receive())["body"]
    head = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": head})
    await send({"type": "http.response.body", "body": body})
""",
    FASTAPI: """
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
""",
}
RUN = """
uvicorn.run(app, host="127.0.0.1", port={port}, log_level="warning", access_log=False, ws="none")
"""


def install():
    """Make the environment of the echoes, unless it is there."""
    python = VENV / "bin" / "python"
    if not (VENV / ".installed").exists():
        venv.create(VENV, with_pip=True)
        same = [f"{name}=={version(name)}" for name in ("uvicorn", "httptools")]
        pip = [python, "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
        subprocess.run([*pip, "fastapi", *same], check=True)
        (VENV / ".installed").touch()
    return python


class Served:
    """A server in a process of its own: ours on a store, or an echo."""

    def __init__(self, port, store=None, echo=None):
        self.port = port
        if echo is None:
            command = [sys.executable, "-m", "mooe", "serve", "--store", str(store)]
            command += ["--port", str(port), "--log-level", "warning"]
        else:
            command = [install(), "-c", ECHOES[echo] + RUN.format(port=port)]
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        self.client = Client(f"http://127.0.0.1:{port}", retries=600, timeout=120)
        if echo is None:
            self.client.request("GET", "/v2/health/ready")
        while True:  # until it answers at all
            try:
                asked(port, 0.0, [b""])
                return
            except OSError:
                time.sleep(0.1)

    def teach(self, model="m"):
        """Make a model that has learnt a thousand rows."""
        xs = inputs(1000, 9)
        self.client.create(model)
        self.client.learn_many(model, xs, [label_of(x) for x in xs])

    def processor(self):
        """Return the processor seconds that it has used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def post(self, path, rows):
        """Send an array of rows; return the answers."""
        return self.client.request("POST", path, rows)

    def end(self):
        self.client.close()
        self.process.terminate()
        self.process.wait()


def waiting_labels(served, model, label):
    """Return requests with the labels of predictions that a model made just now."""
    labels = []
    for first in range(0, LABELS, 1000):
        xs = inputs(1000, first)
        answers = served.post(f"/v1/models/{model}/predict", [{"x": x} for x in xs])
        pairs = zip(answers, xs, strict=True)
        labels += [label_request(answer["id"], label(x), model) for answer, x in pairs]
    return labels


def noise(x):
    """Return a label that nobody can learn, of a model that always errs."""
    return random.choice(["yes", "no"])


LABELLED = {"feedback": ("m", label_of), "feedback, labels of noise": ("noise", noise)}
# Connections of a load, and how many of them ask and tell; other loads have 32 and none.
TWICE = 2 * CONNECTIONS
SHARED = {
    "predict, 64 connections": (TWICE, 0),
    "beside feedback": (TWICE, CONNECTIONS),
    "beside feedback, 32 connections in all": (CONNECTIONS, CONNECTIONS // 2),
}
KINDS = {
    OURS: ["predict", *SHARED, *LABELLED],
    POSTGRES: ["predict", "beside feedback", "feedback"],
    PLAIN: ["predict"],
    FASTAPI: ["predict", "predict, 64 connections"],
}


def load(served, kind, xs):
    """Return what a load of some seconds measured of a server."""
    labels = waiting_labels(served, *LABELLED[kind]) if kind in LABELLED else None
    before = served.processor()
    shared = SHARED.get(kind, (CONNECTIONS, 0))
    took, others, seconds = asked(served.port, SECONDS, xs, labels, *shared)
    used, n = served.processor() - before, len(took)
    times = sorted(took)
    return {
        "requests a second": n / seconds,
        "processor us a request": 1e6 * used / (n + len(others)),
        "p50 ms": 1e3 * times[n // 2],
        "p99 ms": 1e3 * times[int(0.99 * n)],
    }


def loads(servers, rounds):
    """Return the rounds of every load, by server and kind."""
    xs = [request_of(PREDICT, json.dumps({"x": x}).encode()) for x in inputs(64 * CONNECTIONS)]
    found = {name: {kind: [] for kind in KINDS[name]} for name in servers}
    for _ in range(rounds):
        for name, served in servers.items():
            for kind in KINDS[name]:
                found[name][kind].append(load(served, kind, xs))
    return found


def batches(served):
    """Return microseconds of processor time a row of the server, of batches of 1,000 rows."""
    found, xs = {}, inputs(1000, 7)
    for kind in ("without ids", "with ids of the client"):
        used = []
        for _ in range(12):
            sent = [rows_of(xs, kind != "without ids") for _ in range(4)]
            before = served.processor()
            for rows in sent:
                served.post(PREDICT, rows)
            used.append(1e6 * (served.processor() - before) / (1000 * len(sent)))
        found[kind] = statistics.median(used[2:])
    return found


def rows_of(xs, have_ids):
    """Return rows to predict; with ids that nobody has given yet, where they have some."""
    stamp = time.perf_counter_ns()
    return [{"x": x, "id": f"{stamp}-{k}" if have_ids else None} for k, x in enumerate(xs)]


def best(run, n, times):
    """Return the least microseconds of processor time that a run took, of each of its n rows."""
    least = np.inf
    for _ in range(times):
        begin = time.process_time()
        run()
        least = min(least, time.process_time() - begin)
    return 1e6 * least / n


def in_process(place):
    """Return microseconds of processor time a row, of batches of 1,000 and of a replay."""
    xs = inputs(4000)
    X = np.array([list(x.values()) for x in xs])
    y = (X[:, 0] > 0).astype(float)
    found = {}
    with Platform(place) as platform:
        platform.create("m")
        platform.warm_up()
        platform.learn_many("m", xs, [label_of(x) for x in xs])
        found["predict, batches of 1,000"] = best(
            lambda: platform.predict_many("m", xs[:1000]), 1000, 15
        )
        model = platform.get("m")
        found["the model's own share of it"] = best(lambda: model.predict_proba(X[:1000]), 1000, 15)
        platform.store.delete_snapshots(each.k for each in platform.snapshots("m"))
        found["replay"] = best(lambda: platform.model_at("m", 4000), 4000, 7)

    def learn():
        model = Model(AutoParams())
        model.labels.add(["no", "yes"])
        for k in range(0, 4000, 1000):
            model.learn(X[k : k + 1000], y[k : k + 1000])

    found["learning in chunks of 1,000"] = best(learn, 4000, 7)
    return found


def beside_a_large_model(served):
    """Return how long a small model's answers take while a large one learns chunks of 1,000."""
    d, n_classes = LARGE
    rng = np.random.default_rng(0)
    X, W = rng.normal(size=(1000, d)), rng.normal(size=(d, n_classes))
    labels = [f"class {k}" for k in (X @ W).argmax(axis=1)]
    labels[:n_classes] = [f"class {k}" for k in range(n_classes)]
    rows = [{"x": x, "label": label} for x, label in zip(X.tolist(), labels, strict=True)]
    served.client.create("large")
    served.teach("small")
    learn, end, chunks = "/v1/models/large/learn", threading.Event(), [0]
    served.post(learn, rows)

    def teach():
        while not end.is_set():
            served.post(learn, rows)
            chunks[0] += 1

    thread = threading.Thread(target=teach)
    thread.start()
    try:
        path, took = "/v1/models/small/predict", []
        xs = [request_of(path, json.dumps({"x": x}).encode()) for x in inputs(5000)]
        asyncio.run(connect(served.port, iter(xs), time.perf_counter() + 30.0, took))
    finally:
        end.set()
        thread.join()
    size, took = len(served.client.file("large")), sorted(took)
    return {
        "large model, MB": size / 1e6,
        "chunks it learnt meanwhile": chunks[0],
        "answers of the small one": len(took),
        "p50 ms": 1e3 * took[len(took) // 2],
        "p99 ms": 1e3 * took[int(0.99 * len(took))],
    }


def many_models(place):
    """Return seconds to open a store of a thousand models: after a stop, and after a kill.

    After a stop each has a snapshot; after a kill ten rows are behind it.
    """
    xs = inputs(60)
    labels = [label_of(x) for x in xs]
    with Platform(place) as platform:
        for k in range(MODELS):
            platform.create(f"m{k}")
            platform.learn_many(f"m{k}", xs[:50], labels[:50])
    found, rows = {"models": MODELS}, [row_of(x) for x in xs[50:]]
    for how in ("stop", "kill"):
        used = time.process_time()
        platform = Platform(place)
        platform.warm_up()
        found[f"processor seconds after a {how}"] = time.process_time() - used
        for k in range(MODELS):
            platform.apply([Learn(f"m{k}", rows, labels[50:], [None] * len(rows))])
        platform.store.database.close()  # as if it were killed
    return found


def measured(rounds):
    """Return all figures."""
    found = {}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        places = {OURS: folder / "store"}
        try:
            server = stack.enter_context(postgres_server())
            places[POSTGRES] = new_database(server)
        except OSError as problem:
            print(problem, file=sys.stderr)
        servers = {}
        for at, (name, place) in enumerate(places.items()):
            servers[name] = Served(8231 + at, place)
            stack.callback(servers[name].end)
            servers[name].teach()
            servers[name].teach("noise")
        for at, name in enumerate(ECHOES):
            servers[name] = Served(8241 + at, echo=name)
            stack.callback(servers[name].end)
        loads({name: servers[name] for name in ECHOES}, 1)  # they are warm as ours is
        found["load"] = loads(servers, rounds)
        found["HTTP batches of 1,000, us a row"] = {name: batches(servers[name]) for name in places}
        found["beside a large model"] = beside_a_large_model(servers[OURS])
        inside = {OURS: folder / "inside"}
        if POSTGRES in places:
            inside[POSTGRES] = new_database(server)
        found["in process, us a row"] = {name: in_process(each) for name, each in inside.items()}
        found["many models"] = many_models(folder / "many")
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Measure the server.")
    parser.add_argument("--print", action="store_true", help="print instead of keeping")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    given = parser.parse_args()
    whole = {**measured(given.rounds), "digest": digest.of("server"), "origin": origin()}
    if given.print:
        print(json.dumps(whole, indent=1))
        sys.exit()
    RESULTS.write_text(json.dumps(whole, indent=1, sort_keys=True) + "\n")
    page.write()
