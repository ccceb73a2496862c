"""What is asked at one time, as one change of the store: checked, decided, noted; then learnt.

A turn changes nothing but models in memory, which count what is noted; they are read anew from the
store where it is not written. A request that is refused has noted nothing.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from mooe.platform import life
from mooe.platform.errors import ConflictError, PlatformError, StoreError
from mooe.platform.hosted import Hosted
from mooe.platform.ids import check_id, number_of, server_id
from mooe.platform.lesson import Lesson, known_of
from mooe.platform.life import Kind, Result, Status
from mooe.platform.requests import Answer, Feedback, Learn, Predict, Receipt, Request
from mooe.platform.rows import Row, of_row, same_x
from mooe.platform.store import Answered, Changes, Prediction, Store, dump

Results = list[Answer] | list[Receipt] | Exception


class Turn:
    """Requests that are carried out together.

    Parameters
    ----------
    store : Store
        Asked for predictions; written to by whoever takes the turn.
    champion : function of a name
        Returns a sound model that answers clients.
    shadows : function of such a model
        Returns the sound models behind it.
    now : int
        Microseconds since 1970.

    Attributes
    ----------
    changes : Changes
        What is to be stored.
    lessons : dict
        What is to be learnt once it is, by the number of the model.
    """

    def __init__(
        self,
        store: Store,
        champion: Callable[[str], Hosted],
        shadows: Callable[[Hosted], list[Hosted]],
        now: int,
    ) -> None:
        self.store, self._champion, self._shadows, self.now = store, champion, shadows, now
        self.changes = Changes()
        self.lessons: dict[int, Lesson] = {}
        self._found: dict[int, dict[str, Prediction]] = {}  # by model and id
        self._new: set[int] = set()

    def carry_out(self, request: Request) -> Results:
        """In place: note what a request changes; return its result, or why it is refused."""
        try:
            match request:
                case Predict():
                    return self._predict(request)
                case Feedback():
                    return self._feedback(request)
                case Learn():
                    return self._learn(request)
        except StoreError:
            raise
        except (ValueError, PlatformError) as problem:
            return problem

    def find(self, hosted: Hosted, ids: Iterable[str]) -> dict[str, Prediction]:
        """Return predictions of a model by their ids: these, and all that were asked for before."""
        found = self._found.setdefault(hosted.stored.k, {})
        unknown = {name for name in ids if name not in found}
        numbers = {name: n for name in unknown if (n := number_of(name)) is not None}
        given = unknown - numbers.keys()
        if given:
            found |= self.store.by_ids(hosted.stored.k, given)
        if numbers:
            for n, each in self.store.by_numbers(hosted.stored.k, numbers.values()).items():
                if each.id is None:
                    found[server_id(n)] = each
        return found

    def _predict(self, request: Predict) -> list[Answer]:
        """Answer rows in one go; those whose id is known have their answer."""
        hosted = self._champion(request.model)
        there = self._asked_before(hosted, request.rows, request.ids)
        width = hosted.check_rows(request.rows)
        ids, rows = request.ids, hosted.named(request.rows)
        if any(ids):
            new = _unanswered(ids, there)
            ids, rows = [ids[at] for at in new], [rows[at] for at in new]
        answers, beside = hosted.answer(rows), self._answers_beside(hosted, rows)
        self._set_width(hosted, width)
        hosted.n_answered += len(rows)
        k, known, version, now = hosted.stored.k, hosted.known, hosted.version, self.now
        numbers = self.store.next_numbers("prediction", "n", len(rows))
        made = [
            Prediction(n, k, name, now, row, answer, version, known, Status.PENDING)
            for n, name, row, answer in zip(numbers, ids, rows, answers, strict=True)
        ]
        self._add(made)
        for shadow, given in beside:
            of = shadow.stored.k
            self.changes.shadow_answers += [
                (n, of, answer) for n, answer in zip(numbers, given, strict=True)
            ]
        if ids is request.ids:
            return list(map(_answer_of, made))
        unnamed = (each for each in made if each.id is None)
        return [_answer_of(next(unnamed) if name is None else there[name]) for name in request.ids]

    def _answers_beside(
        self, hosted: Hosted, rows: Sequence[Row]
    ) -> list[tuple[Hosted, list[Answered]]]:
        """Return what the shadows of a model answer; one that cannot is put in quarantine."""
        beside = []
        for shadow in self._shadows(hosted):
            try:
                shadow.learner.check_rows(rows)
                beside.append((shadow, shadow.answer(rows)))
            except Exception as problem:
                shadow.quarantine(f"a row could not be answered ({problem!r:.200})")
        return beside

    def _asked_before(
        self, hosted: Hosted, rows: Sequence[Row], ids: Sequence[str | None]
    ) -> dict[str, Prediction]:
        """Return the predictions that ids have already; raise ConflictError for another x."""
        named = [(name, row) for name, row in zip(ids, rows, strict=True) if name is not None]
        if not named:
            return {}
        for name, _ in named:
            check_id(name)
        there = self.find(hosted, [name for name, _ in named])
        first: dict[str, Row] = {}
        for name, given in named:
            (row,) = hosted.named([given])
            before = there[name].row if name in there else first.setdefault(name, row)
            if before is not None and not same_x(before, row):
                raise ConflictError(f"id {name!r} was given to another x")
        return there

    def _feedback(self, request: Feedback) -> list[Receipt]:
        """Decide what becomes of labels."""
        hosted = self._champion(request.model)
        for name in request.ids:
            if not isinstance(name, str):
                raise ValueError(f"id must be a text, got {name!r:.80}")
        found = self.find(hosted, request.ids)
        receipts = []
        for name, label, correction in zip(
            request.ids, request.labels, request.corrections, strict=True
        ):
            prediction = found.get(name)
            if prediction is None:
                words = f"no prediction has id {name!r:.80}"
                receipts.append(Receipt(name, Result.UNKNOWN, None, words))
                continue
            try:
                receipts.append(self._take_label(hosted, prediction, label, bool(correction)))
            except ValueError as problem:
                receipts.append(Receipt(name, Result.INVALID, None, str(problem)))
        return receipts

    def _take_label(
        self, hosted: Hosted, prediction: Prediction, label: Any, correction: bool
    ) -> Receipt:
        """Note what a label does to its prediction."""
        row, name = prediction.row, prediction.public_id
        label = hosted.checked_label(label, row or Row(None, b""))
        late = hosted.settings.learns_late
        step = life.on_label(prediction.status, prediction.label, label, correction, late)
        if step.kind is None or step.status is None:
            return Receipt(name, step.result, prediction.seq, _why_not(step.result, prediction))
        if row is None:
            raise ValueError(f"the x of {name!r} was deleted: its label cannot be learnt")
        seq = self._note(hosted, prediction, label, step.kind, step.status)
        return Receipt(name, step.result, seq, waited=max(0, self.now - prediction.at) / 1e6)

    def _learn(self, request: Learn) -> list[Receipt]:
        """Note labelled rows that nobody has asked about."""
        hosted = self._champion(request.model)
        there = self._asked_before(hosted, request.rows, request.ids)
        width = hosted.check_rows(request.rows)
        rows = hosted.named(request.rows)
        labels = self._checked_labels(hosted, request.labels, rows)
        first: dict[str, Any] = {}
        for name, label in zip(request.ids, labels, strict=True):
            if name is not None:
                _check_same_label(name, label, there.get(name), first)
        self._set_width(hosted, width)
        receipts = []
        for at, (row, label, name) in enumerate(zip(rows, labels, request.ids, strict=True)):
            twin = None if name is None else there.get(name)
            if twin is not None and twin.status is not Status.WITHDRAWN:
                receipts.append(Receipt(twin.public_id, Result.DUPLICATE, twin.seq))
                continue
            given = None if request.at is None else request.at[at]
            time = self.now if given is None else given
            learnt = twin or self._labelled_row(hosted, row, name, time)
            seq = self._note(hosted, learnt, label, Kind.LEARN, Status.LEARNT)
            receipts.append(Receipt(learnt.public_id, Result.LEARNED, seq))
        return receipts

    def _labelled_row(self, hosted: Hosted, row: Row, name: str | None, at: int) -> Prediction:
        """In place: return a new row that nobody has asked about."""
        n, nothing = self.store.next_number("prediction", "n"), Answered(None, None)
        made = Prediction(n, hosted.stored.k, name, at, row, nothing, None, None, Status.PENDING)
        self._add([made])
        return made

    def _checked_labels(
        self, hosted: Hosted, labels: Sequence[Any], rows: Sequence[Row]
    ) -> list[Any]:
        """Return labels as they are stored, or raise ValueError; of one kind among themselves."""
        checked, classes, columns = [], hosted.classes.copy(), hosted.columns
        for label, row in zip(labels, rows, strict=True):
            try:
                checked.append(hosted.checked_label(label, row, classes, columns))
            except ValueError as problem:
                raise of_row(problem, len(checked), len(rows)) from problem
            if hosted.model.task == "classification":
                classes.number(checked[-1])
            if row.names is not None and not columns.issuperset(row.names):
                columns = set(columns) if columns is hosted.columns else columns
                columns.update(row.names)
        return checked

    def expire(self, hosted: Hosted, prediction: Prediction) -> None:
        """In place: wait no longer for a label; where the model has a default, learn that."""
        label = _default_label(hosted, prediction.row)
        status, kind = life.on_expiry(label is not None)
        if kind is None:
            self._move(prediction, status, None)
        else:
            self._note(hosted, prediction, label, kind, status)

    def _note(
        self, hosted: Hosted, prediction: Prediction, label: Any, kind: Kind, status: Status
    ) -> int:
        """In place: a label is to be learnt; return its number."""
        assert prediction.row is not None
        seq, k = hosted.accept(label, prediction.row), hosted.stored.k
        self.changes.feedback.append((k, seq, prediction.n, dump(label), self.now, int(kind)))
        self._move(prediction, status, seq)
        prediction.label, prediction.kind = label, kind
        known = known_of(seq, prediction.version, prediction.known_label)
        self.lessons.setdefault(k, Lesson()).add(seq, prediction.row, label, known)
        return seq

    def _add(self, predictions: Sequence[Prediction]) -> None:
        """In place: new predictions of a model."""
        self.changes.predictions += predictions
        for each in predictions[:1]:  # all of one model
            self._wait_for(each.model, len(predictions))
        self._new.update([each.n for each in predictions])
        for each in predictions:
            if each.id is not None:  # nobody knows any other yet
                self._found.setdefault(each.model, {})[each.id] = each

    def _move(self, prediction: Prediction, status: Status, seq: int | None) -> None:
        """In place: another status of a prediction."""
        if prediction.n not in self._new:
            before = self.changes.statuses.get(prediction.n)
            old = int(prediction.status) if before is None else before[3]
            self.changes.statuses[prediction.n] = (int(status), seq, prediction.n, old)
        if prediction.status is Status.PENDING:
            self._wait_for(prediction.model, -1)
        prediction.status, prediction.seq = status, seq

    def _wait_for(self, k: int, more: int) -> None:
        """In place: so many more labels of a model are waited for."""
        self.changes.pending[k] = self.changes.pending.get(k, 0) + more

    def _set_width(self, hosted: Hosted, width: int | None) -> None:
        """In place: the first row says how many values rows have."""
        if hosted.stored.width is None and width is not None:
            hosted.stored.width = self.changes.widths[hosted.stored.k] = width


def _check_same_label(
    name: str, label: Any, there: Prediction | None, first: dict[str, Any]
) -> None:
    """Raise ConflictError where an id is that of a prediction, or of a row of another label.

    A row that was withdrawn by a rollback takes any, if its x is still there.
    """
    if there is not None and there.version is not None:
        raise ConflictError(f"id {name!r} is that of a prediction: send its label as feedback")
    if there is not None and there.status is Status.WITHDRAWN and there.row is None:
        raise ValueError(f"the x of {name!r} was deleted: its label cannot be learnt")
    if there is None or there.status is Status.WITHDRAWN:
        before = first.setdefault(name, label)
    else:
        before = there.label
    if not life.same_label(before, label):
        raise ConflictError(f"id {name!r} was given to a row of another label")


def _default_label(hosted: Hosted, row: Row | None) -> Any:
    """Return what is learnt of a row whose label never came; None where nothing can be."""
    default = hosted.settings.default_label
    if default is None or row is None:
        return None
    try:
        return hosted.checked_label(default, row)
    except ValueError:  # the model would grow too large with its columns
        return None


def _why_not(result: Result, prediction: Prediction) -> str:
    """Return why a label is not learnt."""
    if result is Result.CONFLICT:
        return (
            f"the label {prediction.label!r:.80} was learnt before; send correction: true to "
            "replace it"
        )
    return "it was waited for no longer" if result is Result.EXPIRED else ""


def _unanswered(ids: Sequence[str | None], there: Mapping[str, Prediction]) -> Sequence[int]:
    """Return which rows have no prediction yet: those without an id, the first of each new one."""
    seen: set[str] = set()
    new = []
    for at, name in enumerate(ids):
        if name is not None:
            if name in there or name in seen:
                continue
            seen.add(name)
        new.append(at)
    return new


def _answer_of(prediction: Prediction) -> Answer:
    """Return an answer as its client sees it."""
    numbers, classes = prediction.answer
    name, version = prediction.id or server_id(prediction.n), prediction.version or 0
    if numbers is None:
        return Answer(name, None, [], version)
    if classes is None:
        return Answer(name, numbers[0], [], version)
    shares = list(zip(classes, numbers[1:], strict=False))
    return Answer(name, classes[int(numbers[0])], shares, version)
