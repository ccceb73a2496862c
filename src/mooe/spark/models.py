"""The models of a batch's keys, side by side in slots: all rows in one compiled pass."""

from dataclasses import dataclass

import numpy as np

from mooe.engine import AnyParams, engine_of
from mooe.keyed.batch import learn_rows, new_batch
from mooe.keyed.slot_store import FRESH, SlotStore
from mooe.keyed.slots import Content
from mooe.spark import layouts
from mooe.spark.record import Record


@dataclass
class Said:
    """What models said of rows, before their labels."""

    answers: np.ndarray  # (n,) classes by the key's own numbers, or values; -1 or NaN for none
    n_met: np.ndarray  # (n,) classes that the key had met, 0 where there is no answer
    shares: np.ndarray  # (n, n_classes) their probabilities, in the key's own order
    regimes: np.ndarray  # (n,) 0 for none


class Models:
    """The models of keys, by their numbers from 1 on.

    Parameters
    ----------
    params : parameters of all
    width : int
        Columns of the rows.
    records : list
        What was kept of each key, None for a new one.
    """

    def __init__(self, params: AnyParams, width: int, records: list[Record | None]) -> None:
        def fresh(params: AnyParams) -> Content:
            return Content(engine_of(params).init(params, width, 0), [], np.zeros((0, 0)))

        self.params, self.spare = params, 1 + len(records)
        self.store = SlotStore([params], fresh, False)
        self.store.reserve(self.spare)
        for number, record in enumerate(records, 1):
            if record is not None:
                slot = layouts.slot_of(params, record.state, len(record.labels))
                self.store.restore(number, 0, slot, 0)

    def learn(
        self, numbers: np.ndarray, X: np.ndarray, labels: np.ndarray, known: np.ndarray, n: int
    ) -> Said:
        """In place: answer rows of keys in their order, and learn those that have a label.

        labels: by the key's own numbers; known: as in `Model.learn`; n: classes that a key has at
        most.
        """
        learnt = np.unique(numbers[labels == labels])
        self.store.bring(learnt)
        there = np.where(self.store.is_there(numbers), numbers, FRESH)
        batch = new_batch(self.store, X, labels, np.ones(len(X)), there, n)
        batch.regimes = np.zeros(len(X))
        if not np.isnan(known).all():
            batch.known = known
        learn_rows(batch, np.arange(len(X)), self.store, self.spare)
        if self.params.task == "regression":
            n_met = (batch.answers == batch.answers).astype(np.int64)
            return Said(batch.answers, n_met, np.zeros((len(X), 0)), batch.regimes)
        shares = batch.probabilities(self.params, n)
        return Said(batch.answers, batch.n_met(), shares, batch.regimes)

    def state(self, number: int) -> tuple[bytes, str]:
        """Return the state of a key as bytes, and the name of its layout."""
        return layouts.of_slot(self.params, self.store.slot(number))
