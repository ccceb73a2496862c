"""What is kept of a key between two batches: its model, and where in its stream it is.

A model is kept as the bytes of a model file, which every later version reads: that is how states
migrate. The rest are plain columns of Spark's state.
"""

import json
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mooe.engine import AnyParams
from mooe.model import Model

FORMAT = 1  # of these columns; the model's bytes have a number of their own
NOTHING = -math.inf  # no label was known yet, as `Model.learn` takes it


@dataclass
class Answer:
    """What was said of a row before its label was known."""

    prediction: Any = None
    probabilities: dict[Any, float] | None = None
    regime: int | None = None
    version: int = 0  # labels that the model had learnt

    def to_json(self) -> str:
        """Return the answer as a text; labels that are no text stay what they are."""
        likely = None if self.probabilities is None else list(self.probabilities.items())
        return json.dumps([self.prediction, likely, self.regime, self.version])

    @classmethod
    def of_json(cls, text: str) -> "Answer":
        """Return the answer that `to_json` was called on."""
        prediction, likely, regime, version = json.loads(text)
        return cls(
            prediction, None if likely is None else dict(map(tuple, likely)), regime, version
        )


@dataclass
class WaitingRow:
    """A row that was answered and whose label has not come."""

    x: np.ndarray  # (n_features,)
    known: float  # the last label that was known when it was answered, NOTHING for none
    answer: Answer = field(default_factory=Answer)

    def to_columns(self) -> tuple[bytes, float, str]:
        """Return the columns of Spark's state."""
        return self.x.tobytes(), self.known, self.answer.to_json()

    @classmethod
    def of_columns(cls, inputs: bytes, known: float, answer: str) -> "WaitingRow":
        """Return the row that `to_columns` was called on."""
        return cls(np.frombuffer(inputs, np.float64), known, Answer.of_json(answer))


@dataclass
class Record:
    """A key: its model, the place of the last row that brought a label, that label, and a count."""

    model: Model
    place: float | int | None = None
    known: float = NOTHING
    n_late: int = 0  # labels that came out of order and were not learnt

    def to_columns(self) -> tuple[Any, ...]:
        """Return the columns of Spark's state."""
        return FORMAT, self.model.to_bytes(), self.place, self.known, self.n_late

    @classmethod
    def of_columns(cls, number: int, model: bytes, *rest: Any) -> "Record":
        """Return the record that `to_columns` was called on, by this version or an older one."""
        if not 1 <= number <= FORMAT:
            raise ValueError(
                f"the state of a key must have a format up to {FORMAT}, got {number}: a newer mooe "
                "wrote it; upgrade mooe"
            )
        return cls(Model.from_bytes(model, verify=False), *rest)

    @classmethod
    def new(cls, params: AnyParams) -> "Record":
        """Return what is kept of a key before its first label."""
        return cls(Model(params))
