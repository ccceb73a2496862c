"""Every route of the server: its handler, what it takes and gives, and words for the documents."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse

from mooe.platform.errors import UnknownModelError
from mooe.platform.platform import Platform
from mooe.server import dashboard, messages, metrics
from mooe.server.messages import (
    AnswerBody,
    CountBody,
    ExpertBody,
    ExpireBody,
    ExplainBody,
    ExplanationBody,
    FeedbackBody,
    LearnBody,
    ModelBody,
    ModelFacts,
    PredictBody,
    PredictionBody,
    ReceiptBody,
    RegimeBody,
    RestoreBody,
    ScoreBody,
    SettingsBody,
    SnapshotBody,
    StatusBody,
    TitleBody,
)
from mooe.server.problems import BusyError

if TYPE_CHECKING:
    from mooe.server.app import Server

FILE = "application/octet-stream"
HTML, TEXT, EVENTS = "text/html", "text/plain", "text/event-stream"


@dataclass(frozen=True)
class Operation:
    """A route: method and path, who answers, and what the documents say of it."""

    method: str
    path: str
    handler: Callable[..., Awaitable[Any]]
    summary: str
    body: Any = None  # the type of what is sent
    gives: Any = None  # the type of what is returned, or its media type
    errors: tuple[int, ...] = ()
    example: Any = None  # of the body
    shows: Any = None  # of the answer
    takes_file: bool = False
    is_open: bool = False  # without a token, and before the server is ready
    parameters: dict[str, str] = field(default_factory=dict)  # of the query


def _model(request: Request) -> str:
    """Return the name of the model that a path speaks of."""
    return str(request.path_params["model"])


def _number(request: Request, name: str, default: int, most: int) -> int:
    """Return a number of the query, or raise ValueError."""
    text = request.query_params.get(name, str(default))
    n = int(text) if text.isascii() and text.isdigit() and len(text) <= 12 else 0
    if not 1 <= n <= most:
        raise ValueError(f"{name} must be a number from 1 to {most:,}, got {text!r:.40}")
    return n


async def _aside(work: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Ask the platform in a thread: the event loop goes on."""
    return await asyncio.to_thread(work, *arguments, **named)


async def list_models(server: "Server", request: Request, body: None) -> Any:
    platform = server.platform

    def listed() -> list[dict[str, Any]]:
        found = []
        for name in platform.models():
            with suppress(UnknownModelError):  # deleted meanwhile
                found.append(platform.facts(name))
        return found

    return await _aside(listed)


async def make_model(server: "Server", request: Request, body: ModelBody | bytes) -> Any:
    name, platform = _model(request), server.platform
    known = await _aside(platform.models)
    if isinstance(body, bytes):
        await _aside(platform.create, name, file=body)
    else:
        await _aside(
            platform.create,
            name,
            task=body.task,
            params=body.params,
            settings=body.settings.settings(),
            shadow_of=body.shadow_of,
            from_start=body.from_start,
        )
    facts = await _aside(platform.facts, name)
    return Response(
        msgspec.json.encode(facts), 200 if name in known else 201, media_type="application/json"
    )


async def show_model(server: "Server", request: Request, body: None) -> Any:
    return await _aside(server.platform.facts, _model(request))


async def delete_model(server: "Server", request: Request, body: None) -> Any:
    await _aside(server.platform.delete, _model(request))
    server.metrics.forget(_model(request))
    return Response(status_code=204)


async def change_settings(server: "Server", request: Request, body: SettingsBody) -> Any:
    await _aside(server.platform.set_settings, _model(request), body.settings())
    return await _aside(server.platform.facts, _model(request))


async def download(server: "Server", request: Request, body: None) -> Any:
    def blob() -> bytes:
        return server.platform.get(_model(request)).to_bytes()

    return Response(await _aside(blob), media_type=FILE)


async def show_experts(server: "Server", request: Request, body: None) -> Any:
    return list(map(ExpertBody.of, await _aside(server.platform.experts, _model(request))))


async def show_regime(server: "Server", request: Request, body: None) -> Any:
    regime = await _aside(server.platform.regime, _model(request))
    if regime is None:
        return None
    return RegimeBody.of(regime, await _aside(server.platform.recognised_after, _model(request)))


async def show_regimes(server: "Server", request: Request, body: None) -> Any:
    return list(map(RegimeBody.of, await _aside(server.platform.regimes, _model(request))))


async def name_regime(server: "Server", request: Request, body: TitleBody) -> Any:
    number = request.path_params["number"]
    await _aside(server.platform.name_regime, _model(request), number, body.title)
    return await show_regimes(server, request, None)


async def explain(server: "Server", request: Request, body: ExplainBody) -> Any:
    made = await _aside(server.platform.explain, _model(request), id=body.id, x=body.x)
    return ExplanationBody.of(made)


async def show_prediction(server: "Server", request: Request, body: None) -> Any:
    name = str(request.path_params["id"])
    return PredictionBody.of(await _aside(server.platform.prediction, _model(request), name))


async def show_pending(server: "Server", request: Request, body: None) -> Any:
    limit = _number(request, "limit", 100, 10_000)
    rows = await _aside(server.platform.pending, _model(request), limit)
    return list(map(PredictionBody.of, rows))


async def expire(server: "Server", request: Request, body: ExpireBody) -> Any:
    return CountBody(await _aside(server.platform.expire, body.before, _model(request)))


async def compare(server: "Server", request: Request, body: None) -> Any:
    window = _number(request, "window", 1000, 100_000)
    scores = await _aside(server.platform.compare, _model(request), window)
    return {name: ScoreBody.of(score) for name, score in scores.items()}


async def promote(server: "Server", request: Request, body: None) -> Any:
    await _aside(server.platform.promote, _model(request))
    return await list_models(server, request, None)


async def list_snapshots(server: "Server", request: Request, body: None) -> Any:
    return list(map(SnapshotBody.of, await _aside(server.platform.snapshots, _model(request))))


async def save_snapshot(server: "Server", request: Request, body: None) -> Any:
    return SnapshotBody.of(await _aside(server.platform.save_snapshot, _model(request)))


async def restore(server: "Server", request: Request, body: RestoreBody) -> Any:
    platform: Platform = server.platform
    if (body.seq is None) == (body.before is None):
        raise ValueError("restore needs seq or before, and not both")
    seq = body.seq
    if body.before is not None:
        seq = await _aside(platform.seq_before, _model(request), body.before)
    return CountBody(await _aside(platform.restore, _model(request), seq))


async def events(server: "Server", request: Request, body: None) -> Any:
    await _aside(server.platform.facts, _model(request))  # which says whether there is one
    headers = {"cache-control": "no-store"}
    if request.method == "HEAD":  # a stream would never end
        return Response(media_type=EVENTS, headers=headers)
    stream = server.events.listen(_model(request))
    return StreamingResponse(stream, media_type=EVENTS, headers=headers)


async def show_dashboard(server: "Server", request: Request, body: None) -> Any:
    headers = {"content-security-policy": server.dashboard.policy, **dashboard.HEADERS}
    return HTMLResponse(server.dashboard.page, headers=headers)


async def show_overview(server: "Server", request: Request, body: None) -> Any:
    window = _number(request, "window", dashboard.WINDOW, dashboard.KEPT)
    return await _aside(server.dashboard.overview, _model(request), window)


async def show_input(server: "Server", request: Request, body: None) -> Any:
    return await _aside(server.dashboard.last_input, _model(request))


async def live(server: "Server", request: Request, body: None) -> Any:
    return StatusBody("live")


async def ready(server: "Server", request: Request, body: None) -> Any:
    if not server.is_ready:
        raise BusyError(server.not_ready, 503)
    return StatusBody("ready")


async def show_metrics(server: "Server", request: Request, body: None) -> Any:
    return Response(await _aside(server.metrics.text), media_type=metrics.MEDIA)


async def show_openapi(server: "Server", request: Request, body: None) -> Any:
    return server.document


async def show_docs(server: "Server", request: Request, body: None) -> Any:
    return HTMLResponse(server.page)


async def hot(server: "Server", request: Request, body: Any) -> Any:
    """Stand for a route that is answered before Starlette is asked."""
    raise NotImplementedError


_M = "/v1/models/{model}"
_ROW, _MISSING, _BAD = {"size": 3.0, "hour": 14}, (404,), (404, 422)
_HOT = (400, 404, 413, 422, 429, 503)
_ANSWER = {
    "id": "order 17",
    "prediction": "yes",
    "probabilities": [["no", 0.25], ["yes", 0.75]],
    "version": 1200,
}
_RECEIPT = {"id": "order 17", "result": "learned", "duplicate": False, "seq": 1201}

OPERATIONS = (
    Operation("GET", "/", show_dashboard, "The live page.", None, HTML, is_open=True),
    Operation("GET", "/v1/models", list_models, "All models.", gives=list[ModelFacts]),
    Operation(
        *("PUT", _M, make_model),
        "Make a model: {} for the default classifier, task and params, or the bytes of a model "
        "file. 201 if it is new, 200 if the same one is there, 409 for another.",
        *(ModelBody, ModelFacts, (400, 404, 409, 413, 422)),
        example={"task": "classification", "params": {"seed": 1}},
        takes_file=True,
    ),
    Operation(
        "GET", _M, show_model, "What there is to know of a model.", None, ModelFacts, _MISSING
    ),
    Operation("DELETE", _M, delete_model, "Delete a model with all it stored.", errors=_MISSING),
    Operation(
        *("PUT", f"{_M}/settings", change_settings, "How its predictions are treated."),
        *(SettingsBody, ModelFacts, (400, *_BAD)),
        example={"expire_after": 1800, "default_label": "no"},
    ),
    Operation("GET", f"{_M}/file", download, "Its model file.", None, FILE, _MISSING),
    Operation(
        *("POST", f"{_M}/predict", hot),
        "Answer a row, a JSON array of rows, or lines of JSON (application/x-ndjson). The same id "
        "with the same x has the same answer, with another x it is a 409.",
        *(PredictBody | list[PredictBody], AnswerBody | list[AnswerBody], (*_HOT, 409)),
        example={"x": _ROW, "id": "order 17"},
        shows=_ANSWER,
    ),
    Operation(
        *("POST", f"{_M}/feedback", hot),
        "Learn the label of a prediction, exactly once: 200 when it is on disk, duplicate where it "
        "was learnt before, 409 for another label unless it is a correction, 404 for an unknown "
        "id. Of arrays and lines every receipt has its own result.",
        *(FeedbackBody | list[FeedbackBody], ReceiptBody | list[ReceiptBody], (*_HOT, 409)),
        example={"id": "order 17", "label": "yes"},
        shows=_RECEIPT,
    ),
    Operation(
        *("POST", f"{_M}/learn", hot),
        "Learn labelled rows that nobody has asked about; with an id exactly once.",
        *(LearnBody | list[LearnBody], ReceiptBody | list[ReceiptBody], (*_HOT, 409)),
        example={"x": _ROW, "label": "yes"},
        shows=_RECEIPT,
    ),
    Operation(
        "GET",
        f"{_M}/experts",
        show_experts,
        "Experts and weights.",
        None,
        list[ExpertBody],
        _MISSING,
    ),
    Operation(
        *("GET", f"{_M}/regime", show_regime),
        "The regime that the stream is in, since when, after how many rows it was recognised, and "
        "when it was here before; null for none.",
        *(None, RegimeBody | None, _MISSING),
    ),
    Operation(
        "GET", f"{_M}/regimes", show_regimes, "All regimes.", None, list[RegimeBody], _MISSING
    ),
    Operation(
        *("PUT", f"{_M}/regimes/{{number:int}}", name_regime, "Give a regime a name."),
        *(TitleBody, list[RegimeBody], (400, *_BAD)),
        example={"title": "summer"},
    ),
    Operation(
        *("POST", f"{_M}/explain", explain, "Why a prediction or a row is answered so, now."),
        *(ExplainBody, ExplanationBody, (400, *_BAD)),
        example={"x": _ROW},
    ),
    Operation(
        *("GET", f"{_M}/predictions/{{id:path}}", show_prediction),
        "All that is stored of a prediction.",
        *(None, PredictionBody, _MISSING),
    ),
    Operation(
        *("GET", f"{_M}/pending", show_pending, "Predictions that wait for a label, oldest first."),
        *(None, list[PredictionBody], _BAD),
        parameters={"limit": "how many at most, 100"},
    ),
    Operation(
        *("POST", f"{_M}/expire", expire, "Wait no longer for labels of old predictions."),
        *(ExpireBody, CountBody, (400, *_BAD)),
        example={"before": 1790000000},
    ),
    Operation(
        *("GET", f"{_M}/comparison", compare),
        "How well the model and its shadows answered the latest labelled predictions.",
        *(None, dict[str, ScoreBody], _BAD),
        parameters={"window": "how many predictions, 1000"},
    ),
    Operation(
        *("GET", f"{_M}/overview", show_overview),
        "All that the live page shows: accuracy along the stream, regimes, experts, traffic.",
        *(None, dashboard.Overview, _BAD),
        parameters={"window": f"labels to judge by, {dashboard.WINDOW}"},
    ),
    Operation(
        *("GET", f"{_M}/input", show_input, "Its columns, and the x that it learnt last."),
        *(None, dashboard.InputBody, _MISSING),
    ),
    Operation(
        *("POST", f"{_M}/promote", promote, "Let a shadow answer in its model's place."),
        *(None, list[ModelFacts], (404, 422, 503)),
    ),
    Operation(
        "GET",
        f"{_M}/snapshots",
        list_snapshots,
        "Its snapshots.",
        None,
        list[SnapshotBody],
        _MISSING,
    ),
    Operation(
        "POST", f"{_M}/snapshots", save_snapshot, "Save a snapshot.", None, SnapshotBody, (404, 503)
    ),
    Operation(
        *("POST", f"{_M}/restore", restore, "Take a model back; what came after counts no longer."),
        *(RestoreBody, CountBody, (400, *_BAD, 503)),
        example={"seq": 1200},
    ),
    Operation(
        *("GET", f"{_M}/events", events, "What happens, as it happens: progress and regime."),
        *(None, EVENTS, _MISSING),
    ),
    Operation(
        "GET", "/v2/health/live", live, "The server is there.", None, StatusBody, is_open=True
    ),
    Operation(
        *("GET", "/v2/health/ready", ready, "The server can answer: all is loaded and replayed."),
        *(None, StatusBody, (503,)),
        is_open=True,
    ),
    Operation("GET", "/metrics", show_metrics, "Metrics for Prometheus.", None, TEXT),
    Operation("GET", "/openapi.json", show_openapi, "This, for machines.", None, dict[str, Any]),
    Operation("GET", "/docs", show_docs, "This, as a page.", None, HTML),
)
HOT: dict[str, Any] = {
    "predict": msgspec.json.Decoder(PredictBody | list[PredictBody]),
    "feedback": msgspec.json.Decoder(FeedbackBody | list[FeedbackBody]),
    "learn": msgspec.json.Decoder(LearnBody | list[LearnBody]),
}
HOT_LINES: dict[str, Any] = {
    "predict": msgspec.json.Decoder(PredictBody),
    "feedback": msgspec.json.Decoder(FeedbackBody),
    "learn": msgspec.json.Decoder(LearnBody),
}
PROBLEM = messages.Problem
