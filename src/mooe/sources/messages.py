"""What messages say: JSON to requests of the platform, answers to JSON."""

import json
from collections.abc import Mapping
from typing import Any, NoReturn

from mooe.platform.requests import Answer, Feedback, Learn, Predict, Request
from mooe.platform.rows import row_of
from mooe.platform.store import microseconds
from mooe.sources.source import Message, Reply, Topics

LONGEST_REASON = 500  # characters


def request_of(message: Message, topics: Topics, model: str | None) -> Request:
    """Return what a message asks for, or raise ValueError.

    With an x and no label it is a request, with a label and no x the label of a prediction, with
    both a labelled row that nobody has asked about. Other fields are left alone.

    model: of messages that name none.
    """
    body = _body(message.value)
    name, label = body.get("model", model), body.get("label")
    if not isinstance(name, str):
        raise ValueError(f"model must be the name of one, got {name!r:.80}")
    given = body.get("id")
    if given is not None and not isinstance(given, str):
        raise ValueError(f"id must be a text, got {given!r:.80}")
    is_request = label is None and "x" in body
    kinds = topics.requests if is_request else topics.labels
    if message.topic not in kinds or (label is None and not is_request):
        raise ValueError(_rule(message.topic, topics))
    if is_request:
        return Predict(name, [row_of(body["x"])], [given or message.name])
    if "x" in body:
        row, times = row_of(body["x"]), [_time(body, message)]
        return Learn(name, [row], [label], [given or message.name], times)
    if given is None:
        raise ValueError("id must be that of a prediction, or x given too; got neither")
    correction = body.get("correction", False)
    if not isinstance(correction, bool):
        raise ValueError(f"correction must be true or false, got {correction!r:.80}")
    return Feedback(name, [given], [label], [correction])


def answer_to(message: Message, topic: str, model: str, answer: Answer) -> Reply:
    """Return what is sent in answer to a request; the same answer is the same bytes."""
    return _reply(message, topic, {"model": model, **answer._asdict()})


def no_answer_to(message: Message, topic: str, reason: str) -> Reply:
    """Return what is sent to who waits for an answer that cannot be given."""
    try:
        body = _body(message.value)
    except ValueError:
        body = {}
    told = {"model": body.get("model"), "id": body.get("id") or message.name, "error": reason}
    return _reply(message, topic, told)


def dead_letter(message: Message, topic: str, reason: str) -> Reply:
    """Return a message as it was, with the reason why it is not carried out."""
    extras = (
        *message.extras,
        ("mooe-reason", reason[:LONGEST_REASON].encode(errors="replace")),
        ("mooe-message", message.name.encode()),
    )
    return Reply(topic, message.value, message.key, extras)


def _reply(message: Message, topic: str, body: Mapping[str, Any]) -> Reply:
    """Return a body as it is sent to who sent a message."""
    text = json.dumps(body, separators=(",", ":"))
    return Reply(topic, text.encode(), message.key, message.extras)


def _body(value: bytes | None) -> dict[str, Any]:
    """Return the JSON object of a message, or raise ValueError."""
    try:
        body = json.loads(value or b"", parse_constant=_refuse)
    except (ValueError, RecursionError) as problem:
        raise ValueError(
            f"a message must be a JSON object, got {(value or b'')[:80]!r} ({problem!s:.120})"
        ) from None
    if not isinstance(body, dict):
        raise ValueError(f"a message must be a JSON object, got {value!r:.80}")
    return body


def _refuse(constant: str) -> NoReturn:
    """Refuse what is no JSON, though Python would read it."""
    raise ValueError(f"{constant} is no JSON")


def _rule(topic: str, topics: Topics) -> str:
    """Return what messages of a topic must have."""
    rules = []
    if topic in topics.requests:
        rules.append("x and no label")
    if topic in topics.labels:
        rules.append("label with id or x")
    return f"a message of {topic} must have {', or '.join(rules)}"


def _time(body: Mapping[str, Any], message: Message) -> int | None:
    """Return when a labelled row came, in microseconds since 1970; None: now."""
    at = body.get("at")
    if at is None:
        return message.time * 1000 if message.time > 0 else None
    if isinstance(at, bool) or not isinstance(at, (int, float)):
        raise ValueError(f"at must be seconds since 1970, got {at!r:.80}")
    return microseconds(at)
