"""Errors as answers: problem+json, one status for each kind of error."""

from http import HTTPStatus

import msgspec
from starlette.exceptions import HTTPException

from mooe.platform.errors import (
    ConflictError,
    PlatformError,
    QuarantineError,
    StoreError,
    UnknownModelError,
    UnknownPredictionError,
)
from mooe.server.messages import Problem

MEDIA = b"application/problem+json"
RETRY_AFTER = 1  # seconds


class BusyError(PlatformError):
    """Too much waits to be learnt, or the server is not ready: come back in a moment."""

    def __init__(self, message: str, status: int = 429) -> None:
        super().__init__(message)
        self.status = status


class TooLargeError(PlatformError):
    """A body of too many bytes."""


class TokenError(PlatformError):
    """No token, or a wrong one."""


class OtherSiteError(PlatformError):
    """A browser asks on behalf of another site."""


STATUSES: tuple[tuple[type[Exception], int], ...] = (
    (TooLargeError, 413),
    (TokenError, 401),
    (OtherSiteError, 403),
    (UnknownModelError, 404),
    (UnknownPredictionError, 404),
    (ConflictError, 409),
    (QuarantineError, 503),
    (StoreError, 503),
    (msgspec.ValidationError, 422),
    (msgspec.DecodeError, 400),
    (UnicodeDecodeError, 400),
    (RecursionError, 400),  # JSON that is too deep
    (ValueError, 422),
)


def status_of(problem: Exception) -> int:
    """Return the HTTP status of an error; 500 for one that should not be."""
    if isinstance(problem, BusyError):
        return problem.status
    if isinstance(problem, HTTPException):
        return int(problem.status_code)
    return next((status for kind, status in STATUSES if isinstance(problem, kind)), 500)


def problem_body(
    problem: Exception, request_id: str
) -> tuple[int, bytes, list[tuple[bytes, bytes]]]:
    """Return status, body and headers of an error."""
    status = status_of(problem)
    detail = "something went wrong inside; the log has it" if status == 500 else _words(problem)
    body = Problem("about:blank", HTTPStatus(status).phrase, status, detail, request_id)
    headers = [(b"content-type", MEDIA)]
    if status in (429, 503):
        headers.append((b"retry-after", str(RETRY_AFTER).encode()))
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if isinstance(problem, HTTPException) and problem.headers:
        headers += [(k.lower().encode(), v.encode()) for k, v in problem.headers.items()]
    return status, msgspec.json.encode(body), headers


def _words(problem: Exception) -> str:
    """Return what an error says."""
    if isinstance(problem, HTTPException):
        return str(problem.detail)
    return str(problem)
