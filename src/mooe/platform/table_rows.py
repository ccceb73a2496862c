"""Rows of a table as rows of the model that it taught: texts and dates as `mooe run` reads them.

A model file that the command saved says what the columns of its table held. So the x of such a
model may be a row of that table, {"colour": "red", "when": "2026-11-17T13:00"}.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np

from mooe.model import Model
from mooe.streams.columns import layout_of
from mooe.streams.encoding import Encoder, Table
from mooe.streams.layout import Layout, Options
from mooe.tables import SourceColumns

SAMPLES = {"number": "0", "text": "text", "time": "2000-01-01T00:00"}  # a cell of each kind


class TableRows:
    """Reads rows as those of the table that a model was taught from.

    Texts that the model has not met are left out, as its columns stay as they are.

    Parameters
    ----------
    model : Model
        One that a table with texts or dates has taught, see `reader_of`.
    """

    def __init__(self, model: Model) -> None:
        noted = SourceColumns.of(model)
        known = noted.reading(model)
        self.kinds: dict[str, str] = dict(noted.inputs or {})
        texts = tuple((name, tuple(own)) for name, own in known["texts"].items())
        settings = {**known, "inputs": tuple(self.kinds.items()), "texts": texts}
        bare = Layout("x", tuple(self.kinds), Options(labelled=False, **settings))
        self._layout = layout_of(bare, [[SAMPLES[kind] for kind in self.kinds.values()]])
        self._columns = {str(name) for name in model.columns or ()}

    def values(self, x: Any) -> Any:
        """Return an x of the model for one of the table; what is the model's own stays as it is."""
        if not isinstance(x, Mapping) or any(
            name in self._columns and name not in self.kinds for name in x
        ):
            return x
        layout = self._layout
        numbers = [self._number(layout.names[at], x) for at in layout.number_columns]
        texts = [self._text(layout.names[at], x) for at in layout.text_columns]
        table = Table(np.array([numbers], float), np.array([texts], object).reshape(1, len(texts)))
        encoder = Encoder(layout)
        row = encoder.rows(table)[0][0]
        found = dict(zip(encoder.columns, row.tolist(), strict=True))
        found = {name: value for name, value in found.items() if name in self._columns}
        others = {name: value for name, value in x.items() if name not in self.kinds}
        return {**found, **others}

    def _number(self, name: str, x: Mapping[str, Any]) -> float:
        """Return a number of a row, of a date its seconds; NaN where it has none."""
        value = x.get(name)
        if value is None:
            return np.nan
        if self.kinds[name] != "time" and isinstance(value, int | float):
            return float(value)
        if self.kinds[name] == "time":
            try:
                when = datetime.fromisoformat(value)
                return when.replace(tzinfo=when.tzinfo or UTC).timestamp()
            except (TypeError, ValueError):
                rule = "a date such as 2026-11-17T13:00"
                raise ValueError(f"{name!r} in x must be {rule}, got {value!r:.80}") from None
        raise ValueError(f"{name!r} in x must be a number, got {value!r:.80}")

    def _text(self, name: str, x: Mapping[str, Any]) -> str | None:
        """Return a text of a row, None where it has none."""
        value = x.get(name)
        if value is None or value == "":
            return None
        if not isinstance(value, str | int | float):
            raise ValueError(f"{name!r} in x must be a text, got {value!r:.80}")
        return str(value)


def reader_of(model: Model) -> TableRows | None:
    """Return what reads the rows of a model's table; None where they are its own."""
    if "source" not in model.notes or not SourceColumns.of(model).is_encoded:
        return None
    return TableRows(model)
