"""The online platform: predict now, learn when the label comes, lose nothing."""

from mooe.platform.comparison import Score
from mooe.platform.errors import (
    ConflictError,
    PlatformError,
    QuarantineError,
    StoreError,
    StoreInUseError,
    StoreStoppedError,
    UnknownModelError,
    UnknownPredictionError,
)
from mooe.platform.hosted import Settings
from mooe.platform.life import Result, Status
from mooe.platform.platform import Platform
from mooe.platform.requests import Answer, Receipt

__all__ = [
    "Answer",
    "ConflictError",
    "Platform",
    "PlatformError",
    "QuarantineError",
    "Receipt",
    "Result",
    "Score",
    "Settings",
    "Status",
    "StoreError",
    "StoreInUseError",
    "StoreStoppedError",
    "UnknownModelError",
    "UnknownPredictionError",
]
