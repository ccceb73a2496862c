"""A client of `mooe serve`, in plain Python: typed, with retries that cannot learn anything twice.

Rows without an id get one here, so that a request that is sent again is known by it.
"""

import http.client
import json
import random
import ssl
import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

__all__ = ["Answer", "Client", "Receipt", "ServerError"]

Label = str | bool | int | float
X = Mapping[str, float | str | None] | Sequence[float | None]
AGAIN = (429, 502, 503, 504)  # statuses that pass
LONGEST_PAUSE = 5.0  # seconds


class Answer(NamedTuple):
    """The answer to a row; prediction is None before the first label."""

    id: str
    prediction: Any
    probabilities: list[tuple[Any, float]]
    version: int


class Receipt(NamedTuple):
    """What became of a label: "learned", "duplicate", "conflict", "unknown", "expired"..."""

    id: str
    result: str
    duplicate: bool
    seq: int | None
    message: str = ""


class ServerError(Exception):
    """What the server refuses: `status` and, as text, why."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(f"{status}: {detail}")
        self.status, self.detail = status, detail


class Client:
    """A server of models; threads may share it.

    Parameters
    ----------
    url : str
        Where it is: http://127.0.0.1:8080.
    token : str, optional
        The bearer token that it asks for.
    retries : int
        How often a request is sent again where the server is busy or cannot be reached.
    timeout : float
        Seconds to wait for an answer.
    """

    def __init__(
        self, url: str, token: str | None = None, retries: int = 5, timeout: float = 30.0
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"url must be that of a server, http://host:port, got {url!r}")
        self._parts, self._prefix = parts, parts.path.rstrip("/")
        self.retries, self.timeout = retries, timeout
        self._headers = {"authorization": f"Bearer {token}"} if token else {}
        self._local = threading.local()

    def predict(self, model: str, x: X, id: str | None = None) -> Answer:
        """Return the answer to a row; the same id with the same x gives the same answer."""
        return self._answer(self._post(model, "predict", {"x": _plain(x), "id": id or _new_id()}))

    def predict_many(
        self, model: str, X: Sequence[X], ids: Sequence[str] | None = None
    ) -> list[Answer]:
        """Return the answers to rows, asked for in one go."""
        names = [_new_id() for _ in X] if ids is None else ids
        rows = [{"x": _plain(x), "id": name} for x, name in zip(X, names, strict=True)]
        return list(map(self._answer, self._post(model, "predict", rows)))

    def feedback(self, model: str, id: str, label: Label, correction: bool = False) -> Receipt:
        """Learn the label of a prediction, exactly once; returns when it is on disk."""
        body = {"id": id, "label": label, "correction": correction}
        return Receipt(**self._post(model, "feedback", body))

    def feedback_many(
        self, model: str, ids: Sequence[str], labels: Sequence[Label]
    ) -> list[Receipt]:
        """Learn labels in their order; return what became of each."""
        rows = [{"id": name, "label": label} for name, label in zip(ids, labels, strict=True)]
        return [Receipt(**each) for each in self._post(model, "feedback", rows)]

    def learn(self, model: str, x: X, label: Label, id: str | None = None) -> Receipt:
        """Learn a labelled row that nobody has asked about, exactly once."""
        body = {"x": _plain(x), "label": label, "id": id or _new_id()}
        return Receipt(**self._post(model, "learn", body))

    def learn_many(
        self, model: str, X: Sequence[X], labels: Sequence[Label], ids: Sequence[str] | None = None
    ) -> list[Receipt]:
        """Learn labelled rows in their order, exactly once."""
        names = [_new_id() for _ in X] if ids is None else ids
        rows = [
            {"x": _plain(x), "label": label, "id": name}
            for x, label, name in zip(X, labels, names, strict=True)
        ]
        return [Receipt(**each) for each in self._post(model, "learn", rows)]

    def models(self) -> list[dict[str, Any]]:
        """Return what there is to know of all models."""
        return list(self.request("GET", "/v1/models"))

    def create(self, model: str, file: bytes | None = None, **options: Any) -> dict[str, Any]:
        """Make a model: options are task, params, settings, shadow_of; or from a file's bytes."""
        body: Any = options if file is None else file
        return dict(self.request("PUT", _path(model), body))

    def delete(self, model: str) -> None:
        """Delete a model with all that it stored."""
        self.request("DELETE", _path(model))

    def ask(self, model: str, what: str) -> Any:
        """Return what the server tells of a model: experts, regime, snapshots, comparison, ..."""
        return self.request("GET", f"{_path(model)}/{what}")

    def tell(self, model: str, what: str, **body: Any) -> Any:
        """Send a model something else than rows: explain, restore, expire, promote, snapshots."""
        return self.request("POST", f"{_path(model)}/{what}", body)

    def file(self, model: str) -> bytes:
        """Return the model file of a model, for `mooe.load` and `Model.from_bytes`."""
        blob: bytes = self.request("GET", f"{_path(model)}/file", is_raw=True)
        return blob

    def request(self, method: str, path: str, body: Any = None, is_raw: bool = False) -> Any:
        """Send a request, again where that helps; return the JSON of the answer."""
        headers, blob = dict(self._headers), None
        if isinstance(body, bytes):
            headers["content-type"], blob = "application/octet-stream", body
        elif body is not None:
            headers["content-type"] = "application/json"
            blob = json.dumps(body, allow_nan=False, default=_number).encode()
        for attempt in range(self.retries + 1):
            is_last = attempt == self.retries
            pause = min(LONGEST_PAUSE, 0.05 * 2**attempt) * (0.5 + random.random())
            try:
                status, given, answer = self._send(method, path, blob, headers)
            except (OSError, http.client.HTTPException):
                self._close()
                if is_last:
                    raise
                time.sleep(pause)
                continue
            if status in AGAIN and not is_last:
                wait = given.get("retry-after", "")
                time.sleep(min(LONGEST_PAUSE, float(wait)) if wait.isdigit() else pause)
                continue
            if status >= 400:
                raise ServerError(status, _detail(answer))
            return answer if is_raw or not answer else json.loads(answer)
        raise AssertionError("the last attempt returns or raises")

    def _send(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[int, Any, bytes]:
        """Send a request once, over the connection of this thread."""
        connection = getattr(self._local, "connection", None)
        if connection is None:
            where = self._parts.hostname or "", self._parts.port
            if self._parts.scheme == "https":
                safe = ssl.create_default_context()
                connection = http.client.HTTPSConnection(*where, timeout=self.timeout, context=safe)
            else:
                connection = http.client.HTTPConnection(*where, timeout=self.timeout)
            self._local.connection = connection
        connection.request(method, self._prefix + path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()

    def _close(self) -> None:
        """Let go of the connection of this thread."""
        connection = getattr(self._local, "connection", None)
        if connection is not None:
            connection.close()
            self._local.connection = None

    close = _close

    def _post(self, model: str, verb: str, body: Any) -> Any:
        """Send rows of a model."""
        return self.request("POST", f"{_path(model)}/{verb}", body)

    @staticmethod
    def _answer(body: dict[str, Any]) -> Answer:
        """Return an answer with pairs as tuples."""
        pairs = [(label, share) for label, share in body["probabilities"]]
        return Answer(body["id"], body["prediction"], pairs, body["version"])


def _path(model: str) -> str:
    """Return the path of a model."""
    return f"/v1/models/{quote(model, safe='')}"


def _plain(x: Any) -> Any:
    """Return an x as JSON has it: NaN is an absent value."""
    if isinstance(x, Mapping):
        return {name: _value(value) for name, value in x.items()}
    return [_value(value) for value in (x.tolist() if hasattr(x, "tolist") else x)]


def _value(value: Any) -> Any:
    """Return a value of an x as JSON has it."""
    if hasattr(value, "item"):
        value = _number(value)
    return None if isinstance(value, float) and value != value else value


def _number(value: Any) -> Any:
    """Return a number of numpy's as Python's, for JSON."""
    if hasattr(value, "item") and not getattr(value, "shape", ()):
        return value.item()
    raise TypeError(f"{type(value).__name__} object is not JSON: {value!r:.80}")


def _new_id() -> str:
    """Return an id that nobody else has."""
    return uuid.uuid4().hex


def _detail(answer: bytes) -> str:
    """Return what a problem+json says."""
    try:
        return str(json.loads(answer)["detail"])
    except (ValueError, KeyError, TypeError):
        return answer[:200].decode(errors="replace")
