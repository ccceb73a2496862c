"""A model of a platform in memory: what it has accepted, what it has learnt, what it tells."""

import copy
import logging
import time
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from mooe.labels import Labels
from mooe.model import REGIMES, Model
from mooe.platform.errors import QuarantineError, StoreError
from mooe.platform.learner import Learner
from mooe.platform.lesson import Lesson
from mooe.platform.rows import Names, Row
from mooe.platform.store import Answered, Rollback, StoredModel
from mooe.platform.table_rows import reader_of

LOG = logging.getLogger("mooe.platform")
LONGEST = 1e10  # seconds that a setting may ask for, some 300 years
UNSEEN_PACE = 1e-4  # seconds that a row is taken to need before one was learnt


@dataclass(frozen=True)
class Settings:
    """How a platform treats the predictions of a model.

    Attributes
    ----------
    expire_after : float or None
        Seconds after which a label is waited for no longer; None: for ever.
    default_label : label or None
        What is learnt then ("no click in 30 minutes = no"); None: nothing.
    learns_late : bool
        Whether a label that comes after that is learnt all the same.
    keep_inputs : float or None
        Seconds after which the x of a prediction that has its label is deleted; None: never.
    """

    expire_after: float | None = None
    default_label: Any = None
    learns_late: bool = False
    keep_inputs: float | None = None

    def __post_init__(self) -> None:
        for name in ("expire_after", "keep_inputs"):
            value = getattr(self, name)
            good = value is None or (
                isinstance(value, (int, float))
                and not isinstance(value, bool)
                and 0.0 <= value <= LONGEST
            )
            if not good:
                rule = f"None or seconds from 0 to {LONGEST:,.0f}"
                raise ValueError(f"{name} must be {rule}, got {value!r:.80}")
        if not isinstance(self.learns_late, bool):
            raise ValueError(f"learns_late must be True or False, got {self.learns_late!r:.80}")


class Hosted:
    """A model of a platform; one thread at a time.

    Attributes
    ----------
    stored : StoredModel
    learner : Learner
        What answers and learns.
    head, version : int
        The last row of feedback that was stored, and the last that was learnt.
    last : label or None
        The last label that was learnt.
    classes, columns : Labels, set
        Classes and columns of all rows that were stored.
    reader : TableRows or None
        What reads rows of the table that taught it, where they are not its own.
    spent : float
        Seconds of learning since the last snapshot.
    pace : float
        Seconds that a row took to learn, lately.
    n_answered : int
        Rows answered since it was loaded.
    recognised : tuple or None
        The regime and first sample of a visit, and after how many rows it was recognised.
    backlog : Lesson
        What a thread of its own is to learn, where that takes long (`learn_behind`).
    """

    def __init__(self, stored: StoredModel, learner: Learner, head: int, last: Any) -> None:
        self.stored, self.learner = stored, learner
        self._settings, self._told_by = settings_of(stored), stored
        self.head = self.version = self.snapshot_seq = head
        self.last, self.n_answered = last, 0
        self.met_by_model()
        self.reader = reader_of(learner.model)
        self.spent, self.pace, self.is_being_saved = 0.0, 0.0, False
        self.backlog, self.is_being_taught = Lesson(), False
        self._twin: Learner | None = None
        self.recognised: tuple[tuple[int, int], int | None] | None = None
        self.problem = ""

    @property
    def settings(self) -> Settings:
        """How its predictions are treated."""
        if self._told_by is not self.stored:
            self._settings, self._told_by = settings_of(self.stored), self.stored
        return self._settings

    @property
    def model(self) -> Model:
        """All that was learnt."""
        return self.learner.model

    def met_by_model(self) -> None:
        """In place: what was stored is what the model has learnt."""
        self.classes, self.columns = self.model.labels.copy(), set(self.learner.columns)
        self._names: Names | None = None  # of the row that was stored last

    def quarantine(self, problem: str) -> None:
        """In place: the model cannot go on, others do."""
        self.problem = problem
        LOG.error("model %s is in quarantine: %s", self.stored.name, problem)

    def check_sound(self) -> None:
        """Raise QuarantineError for a model that cannot go on."""
        if self.problem:
            raise QuarantineError(
                f"model {self.stored.name!r} is in quarantine: {self.problem}; restore a snapshot "
                "or delete it"
            )

    # What it accepts

    def check_rows(self, rows: Sequence[Row]) -> int | None:
        """Return the width that rows have, or raise ValueError where the model has another."""
        width = self.stored.width
        for at, row in enumerate(rows):
            own = 0 if row.names is not None else row.width
            if width is None:
                width = own
            if own == width:
                continue
            rule = "a dict of numbers by name" if width == 0 else f"a list of {width} numbers"
            if width == 0 and row.width == len(self.model.columns or ()):
                continue  # values in the order of the columns
            given = "a dict" if own == 0 else f"{own} numbers"
            where = f" in row {at}" if len(rows) > 1 else ""
            raise ValueError(f"x must be {rule}, as before; got {given}{where}")
        self.learner.check_rows(rows)
        return width

    def named(self, rows: Sequence[Row]) -> list[Row]:
        """Return rows with the names of the columns where a list stands for them."""
        if self.stored.width != 0:
            return list(rows)
        columns = tuple(map(str, self.model.columns or ()))
        return [row if row.names is not None else Row(columns, row.values) for row in rows]

    def checked_label(
        self,
        label: Any,
        row: Row,
        classes: Labels | None = None,
        columns: set[Any] | None = None,
    ) -> Any:
        """Return a label as it is stored, or raise ValueError where it cannot be learnt.

        classes, columns: those of all rows before it, by default of those that were stored.
        """
        classes = self.classes if classes is None else classes
        columns = self.columns if columns is None else columns
        default, n_classes = self.settings.default_label, len(classes)
        if not n_classes and default is not None:
            classes = Labels([default])
        label = self.learner.checked_label(label, classes)
        n_classes += label not in classes.numbers
        has_names = row.names is not None
        self.learner.check_size(n_columns_with(columns, row), n_classes, has_names)
        return label

    def accept(self, label: Any, row: Row) -> int:
        """In place: return the number of the next row of feedback, which has this label."""
        self.head += 1
        if row.names is not self._names:
            self._names = row.names
            self.columns.update(row.names or ())
        if self.model.task == "classification":
            self.classes.number(label)
        return self.head

    def likely_seconds(self, n: int) -> float:
        """Return how long n rows are likely to take to be learnt.

        A model that has learnt elsewhere, or before a restart, may be large. One that is new learns
        its first rows before it answers the next.
        """
        return n * (self.pace or (UNSEEN_PACE if self.model.n_labelled else 0.0))

    def lags(self, head: int) -> bool:
        """Whether a thread has still to teach it rows up to one of feedback."""
        return self.is_being_taught and self.version < head

    # Answers and lessons

    def answer(self, rows: Sequence[Row]) -> list[Answered]:
        """Return the answers to rows."""
        answers = self.learner.answer(rows)
        if answers is None:
            return [Answered(None, None)] * len(rows)
        classes = self.learner.labels
        return [Answered(numbers, classes) for numbers in answers]

    @property
    def known(self) -> float | None:
        """The last label that was learnt, as it is stored beside an answer."""
        if self.last is None or not self.model.n_labelled:
            return None
        if self.model.task == "regression":
            return float(self.last)
        number = self.model.labels.numbers.get(self.last)
        return None if number is None else float(number)

    def learn(self, lesson: Lesson) -> None:
        """In place: learn rows; one that cannot be learnt puts the model in quarantine."""
        if not lesson.seqs or self.problem:
            return
        self._twin = None  # which would be behind
        if self._teach(self.learner, lesson):
            self.version, self.last = lesson.seqs[-1], lesson.labels[-1]

    def _teach(self, learner: Learner, lesson: Lesson) -> bool:
        """In place: let a learner learn rows; return whether it could."""
        begin = time.thread_time()
        try:
            learner.learn(lesson.rows, lesson.labels, lesson.known)
        except Exception as problem:
            self.quarantine(f"row {lesson.seqs[0]} or after could not be learnt ({problem!r:.200})")
            return False
        seconds = time.thread_time() - begin
        self.spent += seconds
        pace = seconds / len(lesson.seqs)
        # A row that took long may have been held up; one that did not shows what it takes.
        self.pace = min(pace, self.pace + 0.1 * (pace - self.pace))
        return True

    def learn_behind(self, lesson: Lesson, lock: AbstractContextManager[Any]) -> None:
        """In place: learn rows in a thread of their own while the model goes on answering.

        A twin learns them, takes the model's place under the lock, and then the other one learns
        the same: both are equal, bit for bit.
        """
        if self._twin is None:
            with lock:
                self._twin = Learner(self.model.copy())
        twin = self._twin
        if not self._teach(twin, lesson):
            return
        with lock:
            twin.model.notes = self.model.notes
            self.learner, self._twin = twin, self.learner
            self.version, self.last = lesson.seqs[-1], lesson.labels[-1]
        spent = self.spent  # what both learn is learnt once
        self._teach(self._twin, lesson)
        self.spent = spent

    def replay(self, lessons: Iterator[Lesson]) -> int:
        """In place: learn rows of the store again; return how many."""
        n = 0
        try:
            for lesson in lessons:
                if None in lesson.rows:
                    gone = lesson.seqs[lesson.rows.index(None)]  # type: ignore[arg-type]
                    raise StoreError(
                        f"the inputs of row {gone} were deleted: it cannot be learnt again"
                    )
                self.learn(lesson)
                n += len(lesson.seqs)
        except StoreError as problem:
            self.problem = str(problem)
        return n

    # What it tells

    def seqs(self, samples: Sequence[int]) -> dict[int, int]:
        """Return the rows of feedback that the model knows as samples, by sample."""
        begins = self.stored.settings.get("begins", 0)
        return seqs_of(samples, self.model.n_labelled, self.version, self.rollbacks, begins)

    def dated(self, times: Callable[[Sequence[int]], dict[int, int]]) -> Model:
        """Return the model with the dates at which regimes began and ended; the state is shared.

        times returns when rows of feedback were asked about, by number, in microseconds.
        """
        shown = copy.copy(self.model)
        if shown.state is None:
            return shown
        seqs = self.seqs(sorted(shown.engine.samples_spoken_of(shown.params, shown.state)))
        known = times(list(seqs.values()))

        def date_of(sample: int) -> datetime | None:
            time_of = known.get(seqs.get(sample, 0))
            if time_of is None:
                return None
            return datetime.fromtimestamp(time_of / 1e6, UTC).replace(tzinfo=None)

        shown.note_dates(date_of)
        return shown

    rollbacks: Sequence[Rollback] = ()


def n_columns_with(columns: Set[Any], row: Row) -> int:
    """Return how many columns there are with those of a row.

    >>> n_columns_with({"a", "b"}, Row(("b", "c"), bytes(16)))
    3
    >>> n_columns_with(set(), Row(None, bytes(16)))
    2
    """
    if row.names is None:
        return max(len(columns), row.width)
    return len(columns) + len(row.names) - sum(map(columns.__contains__, row.names))


def settings_of(stored: StoredModel) -> Settings:
    """Return how the predictions of a model are treated."""
    return Settings(**{name: stored.settings[name] for name in asdict(Settings())})


def seqs_of(
    samples: Sequence[int],
    n_labelled: int,
    version: int,
    rollbacks: Sequence[Rollback],
    begins: int,
) -> dict[int, int]:
    """Return the rows of feedback that a model knows as samples, counted back from the last.

    >>> seqs_of([0, 8, 9], 10, 12, [Rollback(1, 8, 11, 0)], 0)
    {8: 8, 9: 12}
    >>> seqs_of([9], 10, 12, [], 11), seqs_of([8], 10, 12, [], 11)
    ({9: 12}, {})
    """
    found = {}
    gaps = sorted(((each.after, each.until) for each in rollbacks), key=lambda gap: -gap[1])
    for sample in samples:
        seq, left = version, n_labelled - 1 - sample
        for after, until in gaps:
            if seq <= after:
                continue
            above = seq - until  # rows from seq down to the first above the gap
            if above > left:
                break
            left, seq = left - max(above, 0), after
        seq -= left
        if seq > begins:
            found[sample] = seq
    return found


def titles_in(model: Model) -> dict[str, str]:
    """Return the names that users gave to regimes of a model, by number."""
    titles: dict[str, str] = model.notes.get(REGIMES, {}).get("titles", {})
    return titles


def titled(notes: dict[str, Any], titles: dict[str, str]) -> dict[str, Any]:
    """Return the notes of a model with these names of regimes; equal names are equal notes.

    >>> titled({"regimes": {"titles": {"3": "summer"}}}, {}), titled({}, {"3": "summer"})
    ({}, {'regimes': {'titles': {'3': 'summer'}}})
    """
    others = {name: value for name, value in notes.get(REGIMES, {}).items() if name != "titles"}
    regimes = {**others, "titles": titles} if titles else others
    rest = {name: value for name, value in notes.items() if name != REGIMES}
    return {**rest, REGIMES: regimes} if regimes else rest
