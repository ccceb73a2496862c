"""What is kept of a key between two batches: its model, and where in its stream it is."""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from mooe.engine import AnyParams
from mooe.spark import layouts

FORMAT = 2  # of the columns; arrays inside are found by the name of their layout
FIRST_PACKED = 2  # before it states were kept as they are
CODEC = "lz4"  # halves a light state; bytes on their way to Spark cost more than packing them
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
        chances = None if likely is None else dict(likely)
        return cls(prediction, chances, regime, version)


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

    state: bytes  # as `layouts.to_bytes` makes them, of this version
    layout: str  # its name
    labels: list[Any]  # classes in the order in which the key met them
    place: float | int | None = None
    known: float = NOTHING
    n_late: int = 0  # labels that came out of order and were not learnt
    version: int = 0  # labels learnt

    COLUMNS = "format int, layout string, state binary, labels string, known double, late long"

    def to_columns(self) -> tuple[Any, ...]:
        """Return the columns of Spark's state, `COLUMNS` and the place."""
        labels = json.dumps(self.labels)
        state = len(self.state).to_bytes(8, "little") + pa.compress(
            self.state, codec=CODEC, asbytes=True
        )
        return FORMAT, self.layout, state, labels, self.known, self.n_late, self.place

    @classmethod
    def of_columns(
        cls, params: AnyParams, columns: tuple[Any, ...], description_of: Callable[[str], str]
    ) -> "Record":
        """Return the record that `to_columns` was called on, by this version or an older one.

        description_of: returns what was kept of a layout, by its name; asked where it is not this
        version's.
        """
        number, layout, blob, labels, known, late, place = columns
        if not 1 <= number <= FORMAT:
            raise ValueError(
                f"the state of a key must have a format up to {FORMAT}, got {number}: a newer mooe "
                "wrote it; upgrade mooe"
            )
        state = bytes(blob)
        if number >= FIRST_PACKED:
            size = int.from_bytes(state[:8], "little")
            state = pa.decompress(state[8:], size, codec=CODEC, asbytes=True)
        if not layouts.is_own(params, state, layout):
            found = layouts.migrated(params, state, description_of(layout))
            state = layouts.to_bytes(params, found)
            layout = layouts.name_of(params, state)
        version = int(layouts.counters_of(params, state)["n_labelled"][0])
        return cls(state, layout, json.loads(labels), place, known, late, version)
