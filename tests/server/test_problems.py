"""Errors as answers."""

import json

import pytest

from mooe.modelfile import ModelFileError
from mooe.platform.errors import (
    ConflictError,
    QuarantineError,
    StoreInUseError,
    StoreStoppedError,
    UnknownModelError,
)
from mooe.server.problems import BusyError, TokenError, TooLargeError, problem_body


@pytest.mark.parametrize(
    ("problem", "status"),
    [
        (UnknownModelError("x"), 404),
        (ConflictError("x"), 409),
        (QuarantineError("x"), 503),
        (StoreStoppedError("x"), 503),
        (StoreInUseError("x"), 503),
        (BusyError("x"), 429),
        (BusyError("x", 503), 503),
        (TooLargeError("x"), 413),
        (TokenError("x"), 401),
        (ModelFileError("x"), 422),
        (ValueError("x"), 422),
    ],
)
def test_every_error_has_its_status(problem, status):
    found, body, headers = problem_body(problem, "id")
    assert found == status
    assert json.loads(body)["detail"] == "x"
    assert ((b"retry-after", b"1") in headers) == (status in (429, 503))


def test_what_should_not_be_is_not_told_to_clients():
    status, body, _ = problem_body(KeyError("a secret"), "id")
    assert status == 500
    assert b"secret" not in body
