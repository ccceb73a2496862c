"""What messages ask for."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mooe.platform.requests import Answer, Feedback, Learn, Predict
from mooe.sources import Message, Topics
from mooe.sources.messages import answer_to, dead_letter, no_answer_to, request_of

TOPICS = Topics(("requests", "both"), ("labels", "both"), "answers", "dead")


def message(topic, body, time=1_000):
    value = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    return Message(topic, 2, 17, f"{topic}/2/17", time, value, b"key", (("trace", b"9"),))


@pytest.mark.parametrize("topic", ["requests", "both"])
def test_a_row_is_a_request_and_its_id_that_of_the_message_if_it_has_none(topic):
    request = request_of(message(topic, {"x": {"a": 1}}), TOPICS, "m")
    assert isinstance(request, Predict)
    assert (request.model, request.ids) == ("m", [f"{topic}/2/17"])
    request = request_of(message(topic, {"x": [1], "id": "o", "model": "n"}), TOPICS, "m")
    assert (request.model, request.ids) == ("n", ["o"])


@pytest.mark.parametrize("topic", ["labels", "both"])
def test_a_label_is_feedback_and_with_a_row_a_lesson(topic):
    body = {"id": "o", "label": "yes", "correction": True, "other": 1}
    assert request_of(message(topic, body), TOPICS, "m") == Feedback("m", ["o"], ["yes"], [True])
    lesson = request_of(message(topic, {"x": [1], "label": 0}), TOPICS, "m")
    assert isinstance(lesson, Learn)
    assert (lesson.ids, lesson.labels, lesson.at) == ([f"{topic}/2/17"], [0], [1_000_000])
    lesson = request_of(message(topic, {"x": [1], "label": False, "at": 3.5}), TOPICS, "m")
    assert (lesson.labels, lesson.at) == ([False], [3_500_000])


@pytest.mark.parametrize(
    ("topic", "body", "rule"),
    [
        ("requests", None, "must be a JSON object, got b''"),
        ("requests", b"\xff", "must be a JSON object"),
        ("requests", b"[" * 100_000, "must be a JSON object"),
        ("requests", b"[1]", "must be a JSON object"),
        ("requests", b'{"x": [NaN]}', "NaN is no JSON"),
        ("requests", {"x": [1], "id": 17}, "id must be a text, got 17"),
        ("requests", {"x": [1], "model": None}, "model must be the name of one, got None"),
        ("requests", {"x": {"a": "text"}}, "'a' in x must be a finite number"),
        ("requests", {"x": 3}, "x must be a dict"),
        ("requests", {"x": [1], "label": "yes"}, "of requests must have x and no label"),
        ("requests", {"id": "o"}, "of requests must have x and no label"),
        ("labels", {"x": [1]}, "of labels must have label with id or x"),
        ("labels", {"id": "o", "label": None}, "of labels must have label with id or x"),
        ("both", {"id": "o"}, "x and no label, or label with id or x"),
        ("labels", {"label": "yes"}, "id must be that of a prediction, or x given too"),
        ("labels", {"id": "o", "label": 1, "correction": "no"}, "correction must be true or false"),
        ("labels", {"x": [1], "label": 1, "at": "now"}, "at must be seconds since 1970"),
        ("labels", {"x": [1], "label": 1, "at": 1e300}, "must be seconds since 1970"),
    ],
)
def test_what_makes_no_sense_is_told_why(topic, body, rule):
    with pytest.raises(ValueError, match=rule):
        request_of(message(topic, body), TOPICS, "m")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(["model", "id", "x", "label", "correction", "at", "other"])


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from(["requests", "labels", "both"]),
    st.one_of(
        st.binary(max_size=30),
        st.dictionaries(FIELDS, JSON, max_size=7).map(lambda body: json.dumps(body).encode()),
    ),
)
def test_whatever_is_sent_is_a_request_or_a_reason(topic, value):
    sent = message(topic, value)
    try:
        request_of(sent, TOPICS, "m")
    except ValueError as problem:
        reason = str(problem)
        json.loads(no_answer_to(sent, "answers", reason).value)
        assert dead_letter(sent, "dead", reason).value == value


def test_an_answer_goes_back_with_the_key_and_the_extras_of_its_request():
    answer = Answer("o", True, [(True, 0.75), (False, 0.25)], 3)
    reply = answer_to(message("requests", {}), "answers", "m", answer)
    assert (reply.topic, reply.key, reply.extras) == ("answers", b"key", (("trace", b"9"),))
    told = '{"model":"m","id":"o","prediction":true,"probabilities":[[true,0.75],[false,0.25]],'
    assert reply.value == f'{told}"version":3}}'.encode()


def test_a_dead_letter_is_the_message_as_it_was_and_the_reason():
    reply = dead_letter(message("labels", b"\xff"), "dead", "bad " * 1000)
    assert (reply.value, reply.key) == (b"\xff", b"key")
    extras = dict(reply.extras)
    assert extras["trace"] == b"9"
    assert extras["mooe-message"] == b"labels/2/17"
    assert extras["mooe-reason"].startswith(b"bad bad")
    assert len(extras["mooe-reason"]) == 500


def test_who_asked_in_vain_is_told():
    told = json.loads(no_answer_to(message("requests", {"id": "o"}), "answers", "why").value)
    assert told == {"model": None, "id": "o", "error": "why"}
    told = json.loads(no_answer_to(message("requests", b"{"), "answers", "why").value)
    assert told["id"] == "requests/2/17"
