"""The online platform: predict now, learn when the label comes, lose nothing, learn nothing twice.

All that is asked at one time is one transaction (`Platform.apply`): requests are checked and their
rules decided, everything is stored, and then it is learnt. A prediction is acknowledged once it is
committed, a label once it is on disk (`Platform.wait`).
"""

import logging
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np

from mooe.auto.params import AutoParams
from mooe.engine import row_kernels
from mooe.explanation import Concept, Expert, Explanation
from mooe.model import Model
from mooe.platform.comparison import Score, outcome, score_of
from mooe.platform.creation import model_of_file, new_model
from mooe.platform.errors import (
    ConflictError,
    QuarantineError,
    StoreError,
    UnknownModelError,
    UnknownPredictionError,
)
from mooe.platform.history import (
    follow,
    fresh,
    last_that_counts,
    rows_until_recognised,
    sound_at,
    state_from,
    taken_back,
)
from mooe.platform.hosted import Hosted, Settings, settings_of, titled, titles_in
from mooe.platform.life import Result
from mooe.platform.open_models import OpenModels
from mooe.platform.requests import (
    Answer,
    Feedback,
    Learn,
    Predict,
    Receipt,
    Request,
)
from mooe.platform.rows import Row, of_row, row_of
from mooe.platform.snapshots import Change, difference, superfluous
from mooe.platform.store import (
    MessageKey,
    Prediction,
    Rollback,
    Snapshot,
    Store,
    StoredModel,
    is_void,
    microseconds,
    open_store,
    reading,
)
from mooe.platform.turn import Results, Turn

LOG = logging.getLogger("mooe.platform")
MODEL_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")


class Gauges(NamedTuple):
    """What changes from label to label of a model."""

    name: str
    version: int
    pending: int
    regime: int | None
    weights: dict[str, float]
    snapshot_age: float | None  # seconds
    problem: str


class Traffic(NamedTuple):
    """What has come and gone of a model."""

    answered: int  # rows, since it was loaded
    labels: int  # that were stored, ever
    pace: float  # seconds that a label took to learn, lately
    last: float | None  # when the last label came, in seconds since 1970
    rollbacks: int  # how often it was taken back


@dataclass(frozen=True)
class Past:
    """What rows of feedback that are learnt again depend on; rows that come later do not matter."""

    models: list[StoredModel]
    rollbacks: list[Rollback]
    head: int = field(compare=False)  # the last row by then


Basis = TypeVar("Basis")
Learnt = TypeVar("Learnt")
Outcome = TypeVar("Outcome")


class Platform:
    """Many named models in one store, safe for threads; one process at a time.

    Parameters
    ----------
    place : path or URL
        A SQLite file, made where there is none, or postgresql://user@host/database.
    clock : function
        Returns the time in seconds since 1970.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> platform = Platform(os.path.join(folder.name, "shop.mooe"))
    >>> platform.create("clicks")
    >>> for size, label in [(1.0, "no"), (9.0, "yes")] * 20:
    ...     answer = platform.predict("clicks", {"size": size})
    ...     receipt = platform.feedback("clicks", answer.id, label)
    >>> platform.predict("clicks", {"size": 9.0}, id="order 17").prediction
    'yes'
    >>> receipt.result, platform.feedback("clicks", answer.id, "yes").duplicate
    (<Result.LEARNED: 'learned'>, True)
    >>> platform.close()
    >>> folder.cleanup()
    """

    def __init__(
        self, place: str | os.PathLike[str], *, clock: Callable[[], float] = time.time
    ) -> None:
        self.place, self.store = place, open_store(place)
        self.clock = clock
        self._models = OpenModels(self.store, clock)
        self._lock = self._models.lock

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop: a snapshot of every model that has learnt since its last, then the store."""
        self._models.close()

    # Models

    def create(
        self,
        name: str,
        *,
        task: str = "classification",
        params: dict[str, Any] | None = None,
        file: bytes | None = None,
        settings: Settings | None = None,
        shadow_of: str | None = None,
        from_start: bool = False,
    ) -> None:
        """Make a model: the default one, one with parameters, or one from the bytes of its file.

        Making the same model again changes nothing; another one of the same name is a conflict.

        Parameters
        ----------
        params : dict, optional
            Those of the default model; with "mode": "paper" those of the paper's.
        shadow_of : str, optional
            The model whose answers and feedback it shares, unseen, to be compared with it.
        from_start : bool
            Whether a shadow learns what the model has learnt so far too; its inputs must be there.
        """
        if not isinstance(name, str) or MODEL_NAME.fullmatch(name) is None:
            rule = "1 to 100 letters, digits, _, - and ., the first a letter, digit or _"
            raise ValueError(f"name of a model must be {rule}, got {name!r:.120}")
        if from_start and shadow_of is None:
            raise ValueError("from_start must be False without shadow_of, got True")
        chosen = settings or Settings()
        if file is None:
            stored = new_model(name, task, params or {}, chosen)
        else:
            stored = model_of_file(name, file, chosen)
        if from_start and shadow_of is not None:
            self._create_from_start(stored, file, shadow_of)
        else:
            with self._lock:
                if not self._is_there(stored, file, shadow_of):
                    if shadow_of is not None:
                        champion = self._put_behind(stored, shadow_of)
                        stored.settings["begins"] = champion.head
                    self._add(stored, file)
        self.wait()

    def _create_from_start(self, stored: StoredModel, file: bytes | None, of: str) -> None:
        """Make a shadow that has learnt what its model has, while others have their turn."""

        def look() -> Past | None:
            if self._is_there(stored, file, of):
                return None
            champion = self._put_behind(stored, of)
            return self._past([champion.stored], champion.head)

        def learn(store: Store, past: Past | None) -> Hosted | None:
            if past is None:
                return None
            if gone := store.n_without_input(past.models[0].k):
                raise ValueError(
                    f"from_start must be False where inputs were deleted, got True: {gone:,} rows "
                    f"of {of!r} cannot be learnt again"
                )
            base = fresh(stored) if file is None else Model.from_bytes(file)
            return state_from(store, stored, base, 0, past.head)[0]

        def add(past: Past | None, state: Hosted | None) -> bool:
            if past is not None and state is not None:
                follow(self.store, state, past.head, self.store.last_seq(past.models[0].k))
                self._add(stored, file)
                self._models.take(state)
            return True

        self._learnt_beside(look, learn, add)

    def _is_there(self, stored: StoredModel, file: bytes | None, shadow_of: str | None) -> bool:
        """Whether a model was made before; raise ConflictError where its name is another's."""
        self._models.check_open()
        there = self._models.by_name().get(stored.name)
        if there is not None:
            self._check_is_same(there, stored, file, shadow_of)
        return there is not None

    def _add(self, stored: StoredModel, file: bytes | None) -> None:
        """Store a new model."""
        stored.k, stored.created = self.store.next_number("model", "k"), self._models.now()
        numerics = "" if file is None else self._models.known_numerics()
        begins = stored.settings["begins"]
        self._models.write(lambda: self.store.add_model(stored, file, numerics, begins))
        self._models.read_anew()

    def _put_behind(self, stored: StoredModel, of: str) -> Hosted:
        """In place: a new model stands behind another; return that one."""
        champion = self._models.open(of)
        if champion.stored.shadow_of is not None:
            raise ValueError(f"shadow_of must be a model that answers, got the shadow {of!r}")
        if champion.stored.task != stored.task:
            raise ValueError(
                f"task must be {champion.stored.task!r} as of {of!r}, got {stored.task!r}"
            )
        stored.shadow_of, stored.width = champion.stored.k, champion.stored.width
        return champion

    def _check_is_same(
        self, there: StoredModel, stored: StoredModel, file: bytes | None, shadow_of: str | None
    ) -> None:
        """Raise ConflictError unless a model is the one that exists."""
        champion = self._models.champion_name(there)
        facts = [
            {
                "task": each.task,
                "mode": each.mode,
                "params": each.params,
                "shadow_of": of,
                **asdict(settings_of(each)),
            }
            for each, of in ((there, champion), (stored, shadow_of))
        ]
        for what, found in facts[0].items():
            if found != facts[1][what]:
                raise ConflictError(
                    f"model {there.name!r} exists with {what} {found!r:.120}, got "
                    f"{facts[1][what]!r:.120}; delete it first, or take another name"
                )
        firsts = [each for each in self.store.snapshots(there.k) if each.kind == "first"]
        blob = self.store.snapshot_bytes(firsts[0]) if firsts else None
        if blob != file:
            raise ConflictError(
                f"model {there.name!r} exists from another file; "
                "delete it first, or take another name"
            )

    def models(self) -> list[str]:
        """Return the names of all models, shadows too, in the order in which they were made."""
        with self._lock:
            return list(self._models.by_name())

    def facts(self, model: str) -> dict[str, Any]:
        """Return what there is to know of a model: JSON values."""
        with self._lock:
            stored = self._models.of_name(model)
            owner = stored.shadow_of or stored.k
            hosted = self._models.hosted.get(stored.k)
            champion = self._models.champion_name(stored)
            return {
                "name": model,
                "task": stored.task,
                "mode": stored.mode,
                "params": stored.params,
                "settings": asdict(settings_of(stored)),
                "created": stored.created / 1e6,
                "shadow_of": champion,
                "shadows": [each.name for each in self._models.shadows_of(stored)],
                "feedback": hosted.head if hosted else self.store.last_seq(owner),
                "pending": 0 if champion else self.store.n_pending(stored.k),
                "problem": hosted.problem if hosted else "",
            }

    def get(self, model: str) -> Model:
        """Return a copy of a model with all that was stored for it learnt."""
        with self._lock:
            self._models.of_name(model)
            self.settle(model)
            return self._models.open(model).model.copy()

    def set_settings(self, model: str, settings: Settings) -> None:
        """Change how the predictions of a model are treated from now on."""
        with self._lock:
            hosted = self._models.open(model)
            if settings.default_label is not None:
                hosted.learner.checked_label(settings.default_label, hosted.classes)
            changed = replace(
                hosted.stored, settings={**hosted.stored.settings, **asdict(settings)}
            )
            self._models.write(lambda: self.store.set_model(changed))
            hosted.stored = self._models.by_name()[model] = changed
        self.wait()

    def delete(self, model: str) -> None:
        """Delete a model with its shadows, predictions, feedback and snapshots."""
        with self._lock:
            stored = self._models.of_name(model)
            gone = [stored, *self._models.shadows_of(stored)]
            self._models.write(lambda: self.store.delete_model(stored.k, self._models.now()))
            for each in gone:
                self._models.hosted.pop(each.k, None)
            self._models.read_anew()
        self._purge()
        self.wait()

    def _purge(self) -> None:
        """Delete what deleted models have stored, piece by piece; others go on in between."""
        with self._lock:
            pieces, has_more = self.store.purge(), True
        while has_more:
            with self._lock.behind_others():
                self._models.check_open()
                try:
                    has_more = next(pieces, "done") != "done"
                except BaseException:
                    self._models.reset()
                    raise

    # Predictions and labels, one by one

    def predict(self, model: str, x: Any, id: str | None = None) -> Answer:
        """Return the answer to a row; the same id with the same x gives the same answer.

        Parameters
        ----------
        x : dict of numbers by name, or list of numbers
            None is an absent value.
        id : str, optional
            By default the platform gives one.
        """
        return self.predict_many(model, [x], [id])[0]

    def feedback(self, model: str, id: str, label: Any, correction: bool = False) -> Receipt:
        """Learn the label of a prediction, exactly once; return when it is on disk.

        The same label again is a duplicate, another one raises ConflictError unless it is sent as a
        correction; an id that nobody gave raises UnknownPredictionError.
        """
        (receipt,) = self.feedback_many(model, [id], [label], [correction])
        return accepted(receipt)

    def learn(
        self, model: str, x: Any, label: Any, id: str | None = None, at: float | None = None
    ) -> Receipt:
        """Learn a labelled row that nobody has asked about; with an id exactly once.

        at: when it came, in seconds since 1970.
        """
        (receipt,) = self.learn_many(model, [x], [label], [id], at)
        return accepted(receipt)

    # Many at a time

    def predict_many(
        self, model: str, X: Iterable[Any], ids: Sequence[str | None] | None = None
    ) -> list[Answer]:
        """Return the answers to rows, which are asked for in one go: all or none."""
        rows = self.rows(model, X)
        answers: list[Answer] = self._one(Predict(model, rows, _ids(ids, len(rows))))
        return answers

    def feedback_many(
        self,
        model: str,
        ids: Sequence[str],
        labels: Sequence[Any],
        corrections: Sequence[bool] | None = None,
    ) -> list[Receipt]:
        """Learn labels in their order; return what became of each, when they are on disk."""
        given = [False] * len(ids) if corrections is None else corrections
        if not len(ids) == len(labels) == len(given):
            raise ValueError(f"labels must be {len(ids)}, one for each id, got {len(labels)}")
        receipts: list[Receipt] = self._one(Feedback(model, ids, labels, given))
        return receipts

    def learn_many(
        self,
        model: str,
        X: Iterable[Any],
        labels: Sequence[Any],
        ids: Sequence[str | None] | None = None,
        at: float | None = None,
    ) -> list[Receipt]:
        """Learn labelled rows in their order, all or none of those that are new."""
        rows = self.rows(model, X)
        if len(labels) != len(rows):
            raise ValueError(f"labels must be {len(rows)}, one for each row, got {len(labels)}")
        time_of = None if at is None else [microseconds(at)] * len(rows)
        request = Learn(model, rows, labels, _ids(ids, len(rows)), time_of)
        receipts: list[Receipt] = self._one(request)
        return receipts

    def rows(self, model: str, X: Iterable[Any]) -> list[Row]:
        """Return inputs as a request takes them, or raise ValueError.

        Those of a model that a table has taught may be rows of that table, with texts and dates.
        """
        listed = X.tolist() if isinstance(X, np.ndarray) and X.ndim == 2 else list(X)
        with self._lock:
            reader = self._models.open(model).reader
        found: list[Row] = []
        for x in listed:
            try:
                found.append(row_of(x if reader is None else reader.values(x)))
            except ValueError as problem:
                raise of_row(problem, len(found), len(listed)) from problem
        return found

    def _one(self, request: Request) -> Any:
        """Carry out a request; return when labels are on disk and learnt, also by a slow model."""
        (result,) = self.apply([request])
        if isinstance(result, Exception):
            raise result
        if not isinstance(request, Predict):
            self.wait()
            self.settle(request.model)
        return result

    def wait(self) -> None:
        """Return when all that was committed survives a loss of power; threads share the work."""
        self.store.database.sync(self.store.database.commits)

    # One transaction

    def apply(
        self,
        requests: Sequence[Request],
        positions: Mapping[tuple[str, int], int] | None = None,
        refusals: Callable[[list[Results]], Mapping[MessageKey, str]] = lambda results: {},
        told: Iterable[MessageKey] = (),
    ) -> list[Results]:
        """Carry out requests in one transaction; return the result or error of each.

        Labels may be lost with the power until `wait` returns, and a slow model may not have learnt
        them until `settle` does. Where the store fails it raises StoreError, and none was carried
        out.

        positions: how far sources of requests have been read with these, by name and part.
        refusals: given the results, returns why messages of sources are refused: it is stored with
        them, for senders that do not know it when this process ends.
        told: messages whose senders know by now.
        """
        with self._lock:
            self._models.check_open()
            turn = self._turn()
            turn.changes.positions.update(positions or {})
            results: list[Results] = []
            try:
                results += map(turn.carry_out, requests)
                turn.changes.refusals.update(refusals(results))
                turn.changes.told.extend(told)
            except BaseException:
                self._models.reset()
                raise
            self._finish(turn)
            return results

    def _turn(self) -> Turn:
        """Return an empty turn, for requests of now."""
        return Turn(
            self.store, self._models.champion, self._models.sound_shadows, self._models.now()
        )

    def _finish(self, turn: Turn) -> None:
        """Store what a turn has noted, then learn it."""
        if not turn.changes.is_empty:
            self._models.write(lambda: self.store.write(turn.changes))
        for k, lesson in turn.lessons.items():
            self._models.learn(self._models.hosted[k], lesson)

    def settle(self, model: str | None = None) -> None:
        """Return when slow models, which learn in threads, have learnt all that was stored."""
        self._models.settle(model)

    # Waiting for labels

    def prediction(self, model: str, id: str) -> Prediction:
        """Return all that is stored of a prediction."""
        with self._lock:
            found = self._turn().find(self._models.champion(model), [id])
            if id not in found:
                raise UnknownPredictionError(f"no prediction of {model!r} has id {id!r:.80}")
            return found[id]

    def positions(self, source: str) -> dict[int, int]:
        """Return how far a source of requests has been read, by its parts, see `apply`."""
        with self._lock:
            self._models.check_open()
            return self.store.positions(source)

    def refusals(self, source: str) -> dict[MessageKey, str]:
        """Return why messages of a source were refused whose senders may not know, see `apply`."""
        with self._lock:
            self._models.check_open()
            return self.store.refusals(source)

    def pending(self, model: str, limit: int = 1000) -> list[Prediction]:
        """Return predictions whose labels are waited for, oldest first."""
        _check_count("limit", limit)
        with self._lock:
            return self.store.pending(self._models.champion(model).stored.k, limit=limit)

    def n_pending(self, model: str) -> int:
        """Return how many labels are waited for."""
        with self._lock:
            return self.store.n_pending(self._models.of_name(model).k)

    def n_expired(self, model: str) -> tuple[int, int]:
        """Return how many labels were waited for in vain: without, and with a default label."""
        with self._lock:
            return self.store.n_expired(self._models.of_name(model).k)

    def expire(self, before: float, model: str | None = None) -> int:
        """Wait no longer for labels of predictions made before a time; return how many.

        A model that has a default label learns it. before: seconds since 1970.
        """
        n, time_of = 0, microseconds(before)
        for name in [model] if model is not None else self.models():
            try:
                n += self._expire(name, time_of)
            except (QuarantineError, UnknownModelError):
                if model is not None:
                    raise  # of all models those that can go on do
        self.wait()
        return n

    def _expire(self, name: str, before: int) -> int:
        """Expire predictions of a model, piece by piece; others go on in between."""
        n, after, has_more = 0, 0, True
        while has_more:
            with self._lock.behind_others():
                if self._models.of_name(name).shadow_of is not None:
                    break
                after, expired, has_more = self._expire_some(name, after, before)
            n += expired
        return n

    def _expire_some(self, name: str, after: int, before: int) -> tuple[int, int, bool]:
        """Expire some predictions; return the last of them, how many, and if there may be more."""
        self._models.check_open()
        hosted = self._models.champion(name)
        rows = self.store.pending(hosted.stored.k, after, before=before)
        if not rows:
            return after, 0, False
        turn = self._turn()
        for prediction in rows:
            turn.expire(hosted, prediction)
        self._finish(turn)
        return rows[-1].n, len(rows), True

    def maintain(self) -> None:
        """Do what is due: expire, delete inputs as models ask for it, thin out snapshots."""
        self._purge()  # what a process that died has left
        for name in self.models():
            with suppress(QuarantineError, UnknownModelError):  # others go on
                self._maintain(name, self.clock())

    def _maintain(self, name: str, now: float) -> None:
        """Do what is due of a model."""
        with self._lock:
            stored = self._models.of_name(name)
            settings = settings_of(stored)
            gone = superfluous(self.store.snapshots(stored.k), self._models.now())
            if gone:
                self._models.write(lambda: self.store.delete_snapshots(each.k for each in gone))
        if stored.shadow_of is not None:
            return
        if settings.expire_after is not None:
            self.expire(now - settings.expire_after, name)
        if settings.keep_inputs is not None:
            self.forget_inputs(name, now - settings.keep_inputs)

    def forget_inputs(self, model: str, before: float | None = None) -> int:
        """Delete the x of predictions that are waited for no longer; return how many.

        A snapshot is saved first where none is behind them, for what is deleted cannot be learnt
        again. before: made before that time, in seconds since 1970.
        """
        n, time_of = 0, self._models.now() + 1 if before is None else microseconds(before)
        while some := self._forget_some(model, time_of):
            n += some
        if n:
            with self._lock:
                self.store.database.scrub()
        self.wait()
        return n

    def _forget_some(self, model: str, before: int) -> int:
        """Delete the x of some predictions, others go on afterwards; return how many."""
        with self._lock.behind_others():
            hosted = self._models.champion(model)
            sound = [hosted, *self._models.sound_shadows(hosted)]
            upto = min(each.version for each in sound)  # a slow one may be behind the others
            found = self.store.inputs_before(hosted.stored.k, before, upto)
            for each in sound:
                if each.snapshot_seq < max(found.values(), default=0):
                    self._models.save(each, each.model.to_bytes(), each.version, "automatic")
            if found:
                self._models.write(lambda: self.store.delete_inputs(found))
            return len(found)

    # What models tell

    def explain(self, model: str, id: str | None = None, x: Any = None) -> Explanation:
        """Return why a prediction, or a row, is answered so by the model as it is now."""
        if (id is None) == (x is None):
            raise ValueError("explain needs an id or an x, and not both")
        row = self.prediction(model, id).row if id is not None else self.rows(model, [x])[0]
        if row is None:
            raise ValueError(f"the x of {id!r} was deleted: it cannot be explained")
        with self._lock:
            hosted = self._models.open(model)
            hosted.check_rows([row])
            if not hosted.model.n_labelled:
                raise ValueError(
                    f"model {model!r} must have learnt a label to explain, got none yet"
                )
            (row,) = hosted.named([row])
            return hosted.model.explain(hosted.learner.matrix(row))

    def backlog(self, model: str) -> int:
        """Return how many rows wait to be learnt by a slow model."""
        return self._models.backlog(model)

    def versions(self) -> dict[str, int]:
        """Return how many labels each model has learnt, of all that are open."""
        with self._lock:
            self._models.check_open()
            return {each.stored.name: each.version for each in self._models.hosted.values()}

    def gauges(self, names: Iterable[str] | None = None) -> list[Gauges]:
        """Return what changes from label to label, of some models or all that are open.

        Others have their turn between one and the next.
        """
        found = []
        for name in self.versions() if names is None else names:
            with self._lock:
                stored = self._models.by_name().get(name)
                hosted = None if stored is None else self._models.hosted.get(stored.k)
                if hosted is not None:
                    found.append(self._gauges_of(hosted))
        return found

    def _gauges_of(self, hosted: Hosted) -> Gauges:
        """Return what changes from label to label of a model."""
        experts = hosted.model.experts()
        counted: dict[str, float] = {}
        for expert in experts:
            counted[expert.called] = counted.get(expert.called, 0.0) + expert.weight
        snapshots = self.store.snapshots(hosted.stored.k)
        now = self._models.now()
        age = max(0, now - snapshots[-1].at) / 1e6 if snapshots else None
        is_shadow = hosted.stored.shadow_of is not None
        return Gauges(
            name=hosted.stored.name,
            version=hosted.version,
            pending=0 if is_shadow else self.store.n_pending(hosted.stored.k),
            regime=hosted.model.regime(),
            weights=counted,
            snapshot_age=age,
            problem=hosted.problem,
        )

    def warm_up(self) -> None:
        """Load compiled code and every model, so that nobody waits for that later."""
        for name in self.models():
            with self._lock:
                if name in self._models.by_name():
                    self._models.open(name)
        self._models.known_numerics()
        row_kernels(AutoParams())

    def experts(self, model: str) -> list[Expert]:
        """Return the experts and their weights."""
        with self._lock:
            return self._models.open(model).model.experts()

    def regimes(self, model: str) -> list[Concept]:
        """Return the regimes that a model knows: when they were here, and which is in charge."""
        with self._lock:
            hosted = self._models.open(model)
            owner = hosted.stored.shadow_of or hosted.stored.k
            return hosted.dated(lambda seqs: self.store.times(owner, seqs)).concepts()

    def regime(self, model: str) -> Concept | None:
        """Return the regime that the stream is in, since when, and when it was here before."""
        return next((each for each in self.regimes(model) if each.in_charge), None)

    def recognised_after(self, model: str) -> int | None:
        """Return after how many rows of its visit the regime in charge was recognised.

        A model keeps when a visit began, which it knows afterwards. So these rows are learnt again,
        beside it; None where no regime is in charge, or where it can no longer be told.
        """
        with self._lock:
            hosted = self._models.open(model)
            stored, until = hosted.stored, hosted.version
            found = [each for each in hosted.model.concepts() if each.in_charge and each.visits]
            if not found:
                return None
            visit = found[0].name, found[0].visits[-1][0]
            begin = hosted.seqs([visit[1]]).get(visit[1])
            if hosted.recognised is not None and hosted.recognised[0] == visit:
                return hosted.recognised[1]
        n = None
        if begin is not None:
            try:
                with reading(self.place) as store:
                    n = rows_until_recognised(store, stored, begin, until, visit[0])
            except (StoreError, ValueError):
                return None  # deleted or taken back meanwhile
        hosted.recognised = visit, n
        return n

    def places(self, model: str, samples: Iterable[int]) -> dict[int, tuple[int, float]]:
        """Return the rows of feedback that a model knows as samples, and when they were asked.

        Of each its number and seconds since 1970. What was learnt elsewhere is left out.
        """
        with self._lock:
            hosted = self._models.open(model)
            seqs = hosted.seqs(sorted(set(samples)))
            times = self.store.times(hosted.stored.shadow_of or hosted.stored.k, seqs.values())
            return {at: (seq, times[seq] / 1e6) for at, seq in seqs.items() if seq in times}

    def traffic(self, model: str) -> Traffic:
        """Return what has come and gone of a model."""
        with self._lock:
            hosted = self._models.open(model)
            owner = hosted.stored.shadow_of or hosted.stored.k
            last = self.store.label_time(owner, hosted.head)
            return Traffic(
                *(hosted.n_answered, hosted.head, hosted.pace),
                None if last is None else last / 1e6,
                len(hosted.rollbacks),
            )

    def size(self, model: str) -> tuple[int, int]:
        """Return how many columns a model knows, and how many labels it has learnt, here or not."""
        with self._lock:
            held = self._models.open(model).model
            return len(held.columns or ()), held.n_labelled

    def last_input(self, model: str) -> tuple[list[Any], Any]:
        """Return the columns of a model, and the x that it learnt last or None."""
        with self._lock:
            hosted = self._models.open(model)
            owner = hosted.stored.shadow_of or hosted.stored.k
            learnt = self.store.learnt(owner, hosted.version - 1, hosted.version)
            row = next(iter(learnt.rows), None)
            return list(hosted.model.columns or ()), None if row is None else row.as_given()

    def name_regime(self, model: str, number: int, title: str) -> None:
        """Call a regime by a name; "" takes it away."""
        with self._lock:
            hosted = self._models.open(model)
            trial = hosted.model.copy()
            trial.name_regime(number, title)
            titles = titles_in(trial)
            changed = replace(hosted.stored, settings={**hosted.stored.settings, "titles": titles})
            self._models.write(lambda: self.store.set_model(changed))
            hosted.stored = self._models.by_name()[model] = changed
            hosted.model.notes = titled(hosted.model.notes, titles)
        self.wait()

    # Shadows

    def compare(self, model: str, window: int = 1000) -> dict[str, Score]:
        """Return how well a model and its shadows answered the latest labelled predictions.

        Each shadow is judged by the rows that it was asked beside the model; all by the labels that
        count, not by those that were corrected or rolled back.
        """
        _check_count("window", window)
        with self._lock:
            stored = self._models.of_name(model)
            shadows = self._models.shadows_of(stored)
        with reading(self.place) as store:  # which takes long: others have their turn
            scores = {model: score_of(stored.task, store.answered(stored.k, None, window))}
            for shadow in shadows:
                rows = store.answered(stored.k, shadow.k, window)
                scores[shadow.name] = score_of(stored.task, rows)
            return scores

    def outcomes(
        self, model: str, after: int, until: int
    ) -> dict[str, list[tuple[int, float, float]]]:
        """Return how a model and its shadows did on labelled predictions, in their order.

        Of each the number of its feedback, when it was asked in seconds since 1970, and 1 for the
        right class, 0 for a wrong one, or the size of a value's error.
        """
        with self._lock.behind_others():  # who reads a long stream asks piece by piece
            stored = self._models.of_name(model)
            asked: list[tuple[str, int | None]] = [(model, None)]
            asked += [(each.name, each.k) for each in self._models.shadows_of(stored)]
            found = {}
            for name, shadow in asked:
                rows = self.store.answers_between(stored.k, shadow, after, until)
                marks = ((seq, at / 1e6, outcome(label, answer)) for seq, at, label, answer in rows)
                found[name] = [(seq, at, mark) for seq, at, mark in marks if mark is not None]
            return found

    def promote(self, shadow: str) -> None:
        """Let a shadow answer in place of the model that it stands behind, from now on.

        The model keeps its name, predictions and feedback; what it was is a snapshot.
        """
        with self._lock:
            challenger = self._models.settled(shadow)
            name = self._models.champion_name(challenger.stored)
            if name is None:
                raise ValueError(f"model to promote must be a shadow, got {shadow!r}")
            challenger.check_sound()
            champion = self._models.open(name)
            _check_can_follow(champion, challenger)
            self._keep_history(champion)
            titles = challenger.stored.settings.get("titles", {})
            settings = {**champion.stored.settings, "titles": titles}
            settings["begins"] = challenger.stored.settings.get("begins", 0)
            changed = replace(
                champion.stored,
                mode=challenger.stored.mode,
                params=challenger.stored.params,
                settings=settings,
            )
            states = [(changed, challenger.model.to_bytes())]
            numerics, gone = self._models.known_numerics(), challenger.stored.k
            self._models.write(
                lambda: self.store.replace_states(
                    states, champion.head, self._models.now(), "promoted", numerics, promoted=gone
                )
            )
            for k in (changed.k, gone):
                self._models.hosted.pop(k)
            self._models.read_anew()
        self._purge()
        self.wait()

    def _keep_history(self, hosted: Hosted) -> None:
        """Save what a model was made as and what it is, before another takes its place."""
        k, kinds = hosted.stored.k, [each.kind for each in self.store.snapshots(hosted.stored.k)]
        if "first" not in kinds:
            blob, begins = fresh(hosted.stored).to_bytes(), hosted.stored.settings["begins"]
            numerics, created = self._models.known_numerics(), hosted.stored.created
            for _ in self.store.add_snapshot(k, begins, created, "first", blob, numerics):
                pass
        if not hosted.problem:
            self._models.save(hosted, hosted.model.to_bytes(), hosted.version, "saved")

    # Snapshots

    def snapshots(self, model: str) -> list[Snapshot]:
        """Return the snapshots of a model, oldest first."""
        with self._lock:
            return self.store.snapshots(self._models.of_name(model).k)

    def save_snapshot(self, model: str) -> Snapshot:
        """Save a snapshot of a model as it is now, to be kept."""
        with self._lock:
            hosted = self._models.open(model)
            hosted.check_sound()
            self._models.save(hosted, hosted.model.to_bytes(), hosted.version, "saved")
            saved = self.store.snapshots(hosted.stored.k)[-1]
        self.wait()
        return saved

    def restore(self, model: str, seq: int) -> int:
        """Take a model back to when it had learnt a row of feedback; return how many rows that is.

        What was learnt after it counts no longer, for shadows neither; predictions whose labels
        that were wait for new ones. Others have their turn while rows are learnt again. Labels of
        the model that come meanwhile are learnt, and count.
        """

        def look() -> Past:
            stored = self._models.of_name(model)
            if stored.shadow_of is not None:
                raise ValueError(f"model to restore must not be a shadow, got {model!r}")
            head = self._checked_head(stored, seq)
            past = self._past([stored, *self._models.shadows_of(stored)], head)
            if is_void(seq, past.rollbacks):
                raise ValueError(f"seq must be that of a row that counts, got {seq!r:.40}")
            return past

        def learn(store: Store, past: Past) -> list[Hosted | None]:
            stored, *shadows = past.models
            return [sound_at(store, stored, seq), *(_shadow_at(store, s, seq) for s in shadows)]

        def restored(past: Past, states: list[Hosted | None]) -> int | None:
            return self._restored(past, states, seq)

        n = self._learnt_beside(look, learn, restored)
        self.wait()
        return n

    def _restored(self, past: Past, states: list[Hosted | None], seq: int) -> int | None:
        """Let models go on from states of before; None where they cannot learn what came since.

        Returns how many rows count no longer. A shadow whose state is lost is in quarantine as soon
        as it is loaded: the rows that it needs are not there.
        """
        k, now = past.models[0].k, self._models.now()
        last, numerics = self.store.last_seq(k), self._models.known_numerics()
        going: list[tuple[StoredModel, bytes | None]] = []
        for stored, state in zip(past.models, states, strict=True):
            if state is not None:
                follow(self.store, state, past.head, last)
            if state is not None and not state.problem:
                going.append(taken_back(state))
            elif stored.k == k:
                return None
            else:
                going.append((stored, None))
        taken = Rollback(k, seq, past.head, now) if seq < past.head else None
        self._models.write(
            lambda: self.store.replace_states(going, last, now, "restored", numerics, taken)
        )
        for changed, _ in going:
            self._models.by_name()[changed.name] = changed
            self._models.hosted.pop(changed.k, None)
        return past.head - seq

    def _past(self, models: Sequence[StoredModel], head: int) -> Past:
        """Return what is to be learnt again depends on; models as they are now."""
        self._models.meet_numerics()
        owner = models[0].shadow_of or models[0].k
        return Past([replace(each) for each in models], self.store.rollbacks(owner), head)

    def _learnt_beside(
        self,
        look: Callable[[], Basis],
        learn: Callable[[Store, Basis], Learnt],
        then: Callable[[Basis, Learnt], Outcome | None],
    ) -> Outcome:
        """Return what comes of rows that are learnt again while others have their turn.

        Parameters
        ----------
        look : function
            Under the lock: returns what the rows depend on. Where that has changed meanwhile, all
            is done again.
        learn : function
            Reads the store, and learns.
        then : function
            Under the lock: goes on with what was learnt; None: all is done again.
        """
        while True:
            with self._lock:
                basis = look()
            problem: Exception | None = None
            try:
                with reading(self.place) as store:
                    learnt = learn(store, basis)
            except (ValueError, StoreError) as failed:
                problem = failed
            with self._lock:
                if look() != basis:
                    continue
                if problem is not None:
                    raise problem
                outcome = then(basis, learnt)
            if outcome is not None:
                return outcome

    def _checked_head(self, stored: StoredModel, seq: int) -> int:
        """Return the last row of feedback, or raise ValueError for a number that is none's."""
        head = self.store.last_seq(stored.shadow_of or stored.k)
        if type(seq) is not int or not 0 <= seq <= head:
            raise ValueError(f"seq must be that of a row, from 0 to {head:,}, got {seq!r:.40}")
        return head

    def seq_before(self, model: str, when: datetime | float) -> int:
        """Return the last row of feedback that counts and came before a time.

        Rows are in the order in which they came, whatever a clock said: where it was set back
        across that time, a row after it came before one that is before it, and which of them is
        meant is for the caller to say. That is a ValueError with the numbers of both.
        """
        seconds = when.timestamp() if isinstance(when, datetime) else when
        with self._lock:
            stored = self._models.of_name(model)
            owner = stored.shadow_of or stored.k
            last, first = self.store.seqs_around(owner, microseconds(seconds))
            rollbacks = self.store.rollbacks(owner)
        if first is not None and first < last:
            safe = last_that_counts(first - 1, rollbacks)
            raise ValueError(
                f"when must be a time that the clock passed once, got {when}: by it row {first} "
                f"came after it and, later, row {last} before it; say which row is meant, "
                f"{safe} (which leaves none of after it) or {last}"
            )
        return last

    def model_at(self, model: str, seq: int) -> Model:
        """Return a model as it was when it had learnt a row of feedback; nothing is changed."""

        def look() -> Past:
            stored = self._models.of_name(model)
            return self._past([stored], self._checked_head(stored, seq))

        def learn(store: Store, past: Past) -> Model:
            return sound_at(store, past.models[0], seq).model

        return self._learnt_beside(look, learn, lambda past, found: found)

    def diff(self, model: str, before: int, after: int | None = None) -> list[Change]:
        """Return what a model has learnt from one row of feedback to another, by default now."""
        now = self.get(model) if after is None else self.model_at(model, after)
        return difference(self.model_at(model, before), now)

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Write a copy of the whole store into a new file, while it is in use."""
        self._models.check_open()
        self.store.database.backup(Path(path))

    def check(self) -> list[str]:
        """Return what is wrong with the store, in words."""
        with self._lock:
            return self.store.problems()


def _shadow_at(store: Store, stored: StoredModel, seq: int) -> Hosted | None:
    """Return a shadow as it was at a row, None where that is lost: its model is not held up."""
    try:
        return sound_at(store, stored, seq)
    except (ValueError, StoreError) as problem:
        LOG.warning("the shadow %s cannot be taken back: %s", stored.name, problem)
        return None


def accepted(receipt: Receipt) -> Receipt:
    """Return a receipt, or raise what it says went wrong."""
    match receipt.result:
        case Result.CONFLICT:
            raise ConflictError(receipt.message)
        case Result.UNKNOWN:
            raise UnknownPredictionError(receipt.message)
        case Result.INVALID:
            raise ValueError(receipt.message)
    return receipt


def _check_can_follow(champion: Hosted, challenger: Hosted) -> None:
    """Raise ValueError for a shadow that could not go on with its model's labels."""
    name = challenger.stored.name
    if champion.model.n_labelled and not challenger.model.n_labelled:
        raise ValueError(f"shadow {name!r} must have learnt a label to be promoted, got none yet")
    for label in champion.classes.names[:1]:
        challenger.learner.checked_label(label, challenger.classes)


def _check_count(name: str, value: Any) -> None:
    """Raise ValueError unless a value is a number of rows that a store can be asked for."""
    if type(value) is not int or not 1 <= value < 2**31:
        raise ValueError(f"{name} must be a number from 1 on, got {value!r:.40}")


def _ids(ids: Sequence[str | None] | None, n: int) -> Sequence[str | None]:
    """Return one id for each row, or raise ValueError."""
    if ids is None:
        return [None] * n
    if len(ids) != n:
        raise ValueError(f"ids must be {n}, one for each row, got {len(ids)}")
    return ids
