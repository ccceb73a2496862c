"""KeyedMOOE: one model for each key, many of them in one process, over rows of all keys at once.

Rows are checked, keys and labels numbered, slots brought into memory; then threads take the
rows of their keys in the order of arrival.
"""

import os
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from types import NoneType
from typing import Any

import numpy as np

from mooe.auto import layout as auto_layout
from mooe.auto.roster import EXPERTS
from mooe.engine import AnyParams, engine_of
from mooe.engine import params_of as engine_params
from mooe.explanation import Explanation
from mooe.keyed.batch import Batch, learn_batch, new_batch
from mooe.keyed.file import Reader, check_layout, loaded, write
from mooe.keyed.keys import Column, Keys, as_column
from mooe.keyed.names import dump_key, load_key
from mooe.keyed.settings import params_of
from mooe.keyed.shared import SharedModels, as_shared
from mooe.keyed.slot_store import FRESH, SlotStore
from mooe.keyed.slots import (
    ADDRESS,
    GONE,
    KIND,
    LINES,
    N_FACTS,
    SPILLED,
    Content,
    layout_of,
    n_corrected,
)
from mooe.labels import Labels, is_given
from mooe.model import Model
from mooe.modelfile import check_column_name
from mooe.numerics.checks import check_choice, check_whole
from mooe.numerics.features import LARGEST_INPUT, LARGEST_WEIGHT
from mooe.words import counted

# In the mixture of a new key: of a shared model's vote, that corrected, and with products.
VOTE_SHARES = 0.7, 0.15, 0.1
BUCKETS = 1  # chosen by `benchmarks/keyed_choices.py buckets`


class KeyedMOOE:
    """Many models, one for each key, that learn from rows of all keys in their order.

    Without a shared model every key learns as if it were alone, bit for bit, whatever the number of
    threads; so it does beside a frozen one. Beside one that learns, what is said of a row depends
    on the rows of its bucket that came before it.

    Parameters
    ----------
    setting : {"light", "full", "paper"}, AutoParams or Params
        What each key keeps: a light setting of the default model, the whole of it, or the paper's.
    task : {"classification", "regression"}
        Where the setting has a name.
    shared : None, "learning", AutoParams, Model or path of a model's file
        What new keys start from: nothing; one default model, which learns from the rows of all
        keys; the same with these parameters; a model that learns no more.
    buckets : int
        Parts that keys are shared out to by a hash, at least 1, each with a model of its own where
        a shared one learns: their number is part of what is learnt. By default one model learns
        from all keys, so that new ones start from all that is known; more of them learn beside each
        other on more processors, each from a part of the rows. Without one that learns the number
        changes nothing, for threads share out keys, not buckets.
    classes : iterable, optional
        Labels that are known to come: every key has room for them from the start.
    columns : iterable, optional
        Names of the columns, for what is explained.
    own : mapping, optional
        Parameters of keys that differ from the setting, of the same engine and task.
    threads : int, optional
        By default as many as there are processors.
    memory : int, optional
        Bytes of slots that are kept in memory; keys that were not used for longest wait in a file.
    spill : path, optional
        That file, which must not be there, where memory is limited; by default a temporary one
        without a name.
    seed : int
        Where the setting has a name.

    Attributes
    ----------
    labels : Labels
        Classes in the order in which they were met by any key.
    width : int or None
        Columns of the rows, None before the first.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> keys, X = rng.integers(0, 5, 2000), rng.normal(size=(2000, 3))
    >>> y = np.where(X[:, 0] * np.where(keys % 2, 1, -1) > 0, "up", "down")
    >>> model = KeyedMOOE()
    >>> answers = model.predict_then_learn(keys, X, y)
    >>> round(float((answers == y)[1000:].mean()), 2), len(model)
    (0.97, 5)
    """

    def __init__(
        self,
        setting: Any = "light",
        *,
        task: str = "classification",
        shared: Any = None,
        buckets: int = BUCKETS,
        classes: Any = None,
        columns: Any = None,
        own: Mapping[Hashable, AnyParams] | None = None,
        threads: int | None = None,
        memory: int | None = None,
        spill: str | os.PathLike[str] | None = None,
        seed: int = 0,
    ) -> None:
        check_choice("task", task, ("classification", "regression"))
        check_whole("buckets", buckets, 1)
        _check_machine(threads, memory, spill)
        self.params = params_of(setting, task, shared is not None, seed)
        about = as_shared(shared, self.params.task, seed)
        if about is not None and self.params.mode != "auto":
            raise ValueError(
                "shared must be None with the paper's model, whose mixture has no place for it, "
                f"got {shared!r:.80}"
            )
        self.buckets, self.threads = buckets, threads or os.cpu_count() or 1
        self.memory, self.spill = memory, spill
        self.columns = None if columns is None else _columns(columns)
        self.width: int | None = None if self.columns is None else len(self.columns)
        self.labels, self.keys = Labels(), Keys()
        if classes is not None:
            if self.task == "regression":
                raise ValueError(f"classes must be None in regression, got {classes!r:.80}")
            self.labels.add(_classes(classes))
        self.n_declared = len(self.labels)
        self.kinds: list[AnyParams] = [self.params]
        self.kind_of: dict[Hashable, int] = {}
        if not isinstance(own, (Mapping, NoneType)):
            raise ValueError(
                f"own must be a mapping from keys to their parameters, got {own!r:.80}"
            )
        for key, params in (own or {}).items():
            self._set_own(key, params)
        self.shared = None
        if about is not None:
            self.shared = SharedModels(about, buckets, self.labels, self.columns)
        self.store: SlotStore | None = None

    def _set_own(self, key: Hashable, params: Any) -> None:
        """In place: a key that has parameters of its own."""
        about = getattr(params, "mode", None), getattr(params, "task", None)
        if about != (self.params.mode, self.params.task):
            raise ValueError(
                f"own must hold parameters of the engine {self.params.mode!r} and the task "
                f"{self.params.task!r}, got {params!r:.80} for {key!r}"
            )
        if params not in self.kinds:
            self.kinds.append(params)
        try:
            (name,) = as_column([key]).taken(np.array([0]))
        except ValueError as problem:
            rule = "own must have keys that are hashable and not missing"
            raise ValueError(f"{rule}, got {key!r:.80}") from problem
        self.kind_of[name] = self.kinds.index(params)

    @property
    def task(self) -> str:
        """What it learns: "classification" or "regression"."""
        return self.params.task

    def __repr__(self) -> str:
        known = f"{counted(len(self), 'key')}, {self.task}, {self.params.mode}"
        return f"<KeyedMOOE: {known}, {self.told_shared()}>"

    def told_shared(self) -> str:
        """Return in words what new keys start from."""
        return "nothing shared" if self.shared is None else self.shared.told()

    # Keys

    def __len__(self) -> int:
        return 0 if self.store is None else int(self._are_there().sum())

    def __iter__(self) -> Iterator[Hashable]:
        if self.store is not None:
            for name, is_there in zip(self.keys.names, self._are_there().tolist(), strict=True):
                if is_there:
                    yield name

    def __contains__(self, key: Hashable) -> bool:
        return self._number(key) != FRESH

    def _are_there(self) -> np.ndarray:
        """Return which of the keys that have a number have a slot."""
        return self._started().is_there(np.arange(1, 1 + len(self.keys)))

    def _started(self) -> SlotStore:
        """Return the store, or raise ValueError before the first row."""
        if self.store is None:
            raise ValueError("a row must have been learnt, got none yet")
        return self.store

    def _number(self, key: Hashable) -> int:
        """Return the number of a key in the store, FRESH if it has learnt nothing."""
        try:
            number = 1 + int(self.keys.find(as_column([key]))[0])
        except ValueError:  # what cannot be a key is none
            return FRESH
        is_there = self.store is not None and self.store.is_there(np.array([number]))[0]
        return number if is_there else FRESH

    def n_bytes(self) -> int:
        """Return how many bytes the slots of all keys have, in memory or in the file."""
        return 0 if self.store is None else self.store.n_bytes()

    def n_waiting(self) -> int:
        """Return how many keys wait in the file."""
        return 0 if self.store is None else int((self.store.facts[:, ADDRESS] == SPILLED).sum())

    def forget(self, key: Hashable) -> None:
        """In place: a key has learnt nothing, and takes no room; KeyError if it is none."""
        number = self._known(key)
        self._started().forget(number)

    def _known(self, key: Hashable) -> int:
        """Return the number of a key that has learnt something, or raise KeyError."""
        number = self._number(key)
        if number == FRESH:
            raise KeyError(key)
        return number

    def model(self, key: Hashable) -> Model:
        """Return the model of a key, a copy that learns on its own.

        Beside a shared model that one's vote, and the same corrected, are added experts, which
        answer as they did when the copy was made and cannot be saved; in regression the model is
        that of what the shared model leaves over. KeyError for a key that has learnt nothing.
        """
        number, store = self._known(key), self._started()
        content = store.content(number)
        model = Model(store.params(number), self.columns)
        model.state = content.state
        names = [self.labels.names[one] for one in content.classes]
        model.labels = Labels(names)
        if self._corrects and self.shared is not None:
            bucket = int(self._buckets(as_column([key]), len(self.shared.orders))[0])
            model.added = self.shared.experts(bucket, content, self.labels)
        return model

    def explain(self, key: Hashable, x: Any) -> Explanation:
        """Return why one row, (1, width), is answered so by the model of a key."""
        return self.model(key).explain(self._rows(np.reshape(x, (1, -1))))

    # Learning and answering

    def predict_then_learn(self, keys: Any, X: Any, y: Any, weights: Any = None) -> np.ndarray:
        """In place: answer each row by its key's model, then let that learn it; all rows or none.

        With a limit of memory, rows go through in parts; if the file of keys that wait cannot be
        written, parts before are learnt, and a note of the OSError says how many rows that are.

        Parameters
        ----------
        keys : (n,) of any hashable values
            Arrays of whole numbers are quickest; then categories, then texts.
        X : array (n, width)
            NaN is an absent value.
        y : (n,)
            Labels; None or NaN where there is none, and a row is answered only.
        weights : array (n,), optional
            Scale losses and gradients; a row of weight 0 is not learnt.

        Returns
        -------
        array (n,) of objects: labels in their own form, or values; None where a key has no label
        yet, nor a shared model that has one.
        """
        return self._named(self._run(keys, X, y, weights, True).answers)

    def predict_proba_then_learn(
        self, keys: Any, X: Any, y: Any, weights: Any = None
    ) -> np.ndarray:
        """In place: as `predict_then_learn`; return probabilities, (n, n_classes) as in `labels`.

        0 for a class that a key has not met, NaN where it has no label yet.
        """
        self._check_has_classes()
        return self._shares(self._run(keys, X, y, weights, True, with_scores=True))

    def learn(self, keys: Any, X: Any, y: Any, weights: Any = None) -> None:
        """In place: learn rows in their order, all or none."""
        self._run(keys, X, y, weights, True)

    def predict(self, keys: Any, X: Any) -> np.ndarray:
        """Return the answer to each row, as `predict_then_learn`; nothing is changed."""
        return self._named(self._run(keys, X, None, None, False).answers)

    def predict_proba(self, keys: Any, X: Any) -> np.ndarray:
        """Return probabilities, as `predict_proba_then_learn`; nothing is changed."""
        self._check_has_classes()
        return self._shares(self._run(keys, X, None, None, False, with_scores=True))

    def _check_has_classes(self) -> None:
        """Raise ValueError in regression."""
        if self.task == "regression":
            raise ValueError("task must be 'classification' for probabilities, got 'regression'")

    def _named(self, answers: np.ndarray) -> np.ndarray:
        """Return answers in the labels' own form, None for none."""
        if self.task == "regression":
            named = answers.astype(object)
            named[np.isnan(answers)] = None
            return named
        table = np.empty(len(self.labels) + 1, object)
        table[:] = [*self.labels.names, None]
        chosen: np.ndarray = table[answers.astype(np.int64)]
        return chosen

    def _shares(self, batch: Batch) -> np.ndarray:
        """Return the probabilities of a batch."""
        return batch.probabilities(self.params, len(self.labels))

    def _run(
        self, keys: Any, X: Any, y: Any, weights: Any, is_learnt: bool, with_scores: bool = False
    ) -> Batch:
        """In place: answer rows, and learn them; return the batch with its answers."""
        X = self._rows(X)
        column = as_column(keys)
        if len(column) != len(X):
            raise ValueError(f"keys must be {len(X)}, one for each row of X, got {len(column)}")
        weights = _weights(weights, len(X))
        labels, y = self._labelled(y, len(X))
        for params in self.kinds:
            engine_of(params).check_inputs(params, X)
        before = self.labels, self.store, self.width
        if self.store is None and self.shared is not None:
            self.shared.start(X.shape[1])
        store = self.store or self._new_store(X.shape[1])
        learnt = (y == y) & (weights > 0.0)
        if is_learnt:
            numbers = 1 + self.keys.add(column, learnt)
            self.labels, self.store, self.width = labels, store, X.shape[1]
        else:
            numbers = 1 + self.keys.find(column)
        spare = list(range(1 + len(self.keys), 1 + len(self.keys) + self.threads))
        store.reserve(spare[-1])
        batch = self._batch(
            store, X, y, weights, numbers, column, len(labels) if with_scores else 0
        )
        n_done = 0
        try:
            for rows in self._parts(store, numbers):
                self._bring(store, numbers[rows], learnt[rows])
                batch.numbers[rows] = np.where(store.is_there(numbers[rows]), numbers[rows], FRESH)
                learn_batch(batch, rows, store, self.shared, spare)
                n_done += len(rows)
        except OSError as problem:  # of the file of keys that wait
            if is_learnt and not n_done:
                self.labels, self.store, self.width = before
            problem.add_note(f"{n_done:,} of {len(X):,} rows were answered and learnt, no others")
            raise
        return batch

    # Files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all keys to a file, see `mooe.keyed.file`: all, or the file stays as it was."""
        there = (
            1 + np.flatnonzero(self._are_there()) if self.store is not None else np.zeros(0, int)
        )
        names, facts = [self.keys.names[number - 1] for number in there.tolist()], np.zeros((0, 2))
        used: list[int] = []
        if self.store is not None:
            facts = self.store.facts[there][:, [KIND, LINES]]
            used = self.store.used(there).tolist()
        header = {
            "mode": self.params.mode,
            "kinds": [asdict(params) for params in self.kinds],
            "own": [[dump_key(key), kind] for key, kind in self.kind_of.items()],
            "buckets": self.buckets,
            "labels": self.labels.names,
            "n_declared": self.n_declared,
            "columns": self.columns,
            "width": self.width,
            "layouts": [layout_of(params, self.width or 0) for params in self.kinds],
            "keys": [dump_key(name) for name in names],
            "facts": facts.T.tolist(),
            "used": used,
            "shared": None if self.shared is None else self.shared.about(),
        }
        blobs = [] if self.shared is None else self.shared.to_blobs()
        slots = (self._started().slot(number) for number in there.tolist())
        write(path, header, blobs, slots)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        threads: int | None = None,
        memory: int | None = None,
        spill: str | os.PathLike[str] | None = None,
    ) -> "KeyedMOOE":
        """Return what `save` was called on, or raise ModelFileError; it goes on, bit for bit."""
        _check_machine(threads, memory, spill)

        def make(reader: Reader) -> KeyedMOOE:
            return cls._of(reader, {"threads": threads, "memory": memory, "spill": spill})

        found: KeyedMOOE = loaded(path, make)
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        """Copied and handed to another process as its file; keys wait in a file of the copy's."""
        with TemporaryDirectory() as folder:
            path = Path(folder) / "keys"
            self.save(path)
            return _of_bytes, (path.read_bytes(), self.threads, self.memory)

    @classmethod
    def _of(cls, reader: Reader, options: dict[str, Any]) -> "KeyedMOOE":
        """Return the models of a file."""
        header = reader.header
        kinds = [engine_params(header["mode"], values) for values in header["kinds"]]
        labels = header["labels"] if kinds[0].task == "classification" else []
        columns = header["columns"]
        if columns is not None:  # JSON has lists for tuples
            columns = [tuple(name) if isinstance(name, list) else name for name in columns]
        model = cls(kinds[0], buckets=header["buckets"], columns=columns, **options)
        model.kinds = kinds
        model.kind_of = {load_key(key): kind for key, kind in header["own"]}
        model.labels, model.n_declared = Labels(labels), header["n_declared"]
        model.width = header["width"]
        if header["shared"] is not None:
            model.shared = SharedModels.of_blobs(header["shared"], reader.blobs)
        facts = np.full((len(header["keys"]), N_FACTS), GONE)
        facts[:, [KIND, LINES]] = np.array(header["facts"], np.int64).T.reshape(-1, 2)
        if model.width is not None:
            check_layout(reader, kinds, model.width)
        if len(facts):
            model.store = model._new_store(model.width or 0)
            model.store.reserve(len(facts))
            model.keys.append([load_key(text) for text in header["keys"]])
        for place, slot in reader.slots(facts, kinds, model._corrects):
            kind, used = int(facts[place, KIND]), header["used"][place]
            model._started().restore(1 + place, kind, slot, used)
        return model

    def _bring(self, store: SlotStore, numbers: np.ndarray, learnt: np.ndarray) -> None:
        """In place: the slots of keys are in memory, those of new ones that learn are made."""
        is_there = store.is_there(numbers)
        needed = learnt & ~is_there if self.memory is None else learnt | is_there
        own = np.unique(numbers[needed])
        own = own[own != FRESH]
        store.bring(own, self._kinds_of(own) if self.kind_of else None)

    def _parts(self, store: SlotStore, numbers: np.ndarray) -> Iterator[np.ndarray]:
        """Yield rows in their order, as many at a time as memory has room for the slots of."""
        if self.memory is None:
            yield np.arange(len(numbers))
            return
        first = 0
        while first < len(numbers):
            names, rows = np.unique(numbers[first:], return_index=True)
            order = np.argsort(rows)
            total = 8 * np.cumsum(store.sizes(names[order]))
            n = max(1, int(np.searchsorted(total, self.memory // 2, side="right")))
            end = len(numbers) if n == len(rows) else first + int(rows[order[n]])
            yield np.arange(first, end)
            first = end

    def _kinds_of(self, numbers: np.ndarray) -> np.ndarray:
        """Return which parameters keys have."""
        names = self.keys.names
        return np.array([self.kind_of.get(names[number - 1], 0) for number in numbers.tolist()])

    def _buckets(self, column: Column, n: int) -> np.ndarray:
        """Return the bucket, of n, of each key."""
        if n == 1:
            return np.zeros(len(column), np.int64)
        digests = self.keys.digests_of(column).view(np.uint64)
        return np.asarray((digests >> np.uint64(32)) % np.uint64(n)).astype(np.int64)

    def _batch(
        self,
        store: SlotStore,
        X: np.ndarray,
        y: np.ndarray,
        weights: np.ndarray,
        numbers: np.ndarray,
        column: Column,
        n_scores: int,
    ) -> Batch:
        """Return rows with room for what is said of them."""
        batch, n = new_batch(store, X, y, weights, numbers, n_scores), len(X)
        if self.shared is not None:
            batch.buckets = self._buckets(column, len(self.shared.orders))
            batch.standard = np.zeros(batch.X.shape if self._corrects else (n, 0))
            n_votes = 1 if self.task == "regression" else len(self.labels)
            batch.votes, batch.n_known = np.full((n, n_votes), np.nan), np.zeros(n, np.int64)
            batch.orders = np.zeros((len(self.shared.orders), max(1, n_votes)), np.int64)
        return batch

    def _rows(self, X: Any) -> np.ndarray:
        """Return rows as compiled code takes them, or raise ValueError."""
        rows = _numbers("X", X, "an array of numbers")
        if rows.ndim != 2 or (self.width is not None and rows.shape[1] != self.width):
            width = "width" if self.width is None else self.width
            raise ValueError(f"X must have the shape (n, {width}), got {rows.shape}")
        return rows

    def _labelled(self, y: Any, n: int) -> tuple[Labels, np.ndarray]:
        """Return labels with new ones among them, and those of rows as numbers, NaN for none."""
        if y is None:
            return self.labels, np.full(n, np.nan)
        if self.task == "regression":
            return self.labels, _values(y, n)
        given = y if isinstance(y, np.ndarray) else np.asarray(y, dtype=object)
        if given.shape != (n,):
            raise ValueError(f"y must have the shape ({n},), got {given.shape}")
        labels, values = self.labels.copy(), given
        if given.dtype.kind not in "biu":
            listed = [one if is_given(one) else None for one in given.tolist()]
            labels.add(_python(one) for one in dict.fromkeys(listed) if one is not None)
            values = np.array(listed, object) if given.dtype.kind == "O" else given
        elif len(given):
            labels.add(given[:1].tolist() if given[0] not in labels.numbers else [])
        return labels, labels.encode(values)

    def _new_store(self, width: int) -> SlotStore:
        """Return a store without keys, for rows of a width."""

        def fresh(params: AnyParams) -> Content:
            state = engine_of(params).init(params, width, self.n_declared)
            if self._corrects:
                _add_votes(params, state)
            inputs = n_corrected(state)
            correction = np.zeros((int(state.n_outputs) if self._corrects else 0, inputs))
            return Content(state, list(range(self.n_declared)), correction)

        return SlotStore(self.kinds, fresh, self._corrects, self.memory, self.spill)

    @property
    def _corrects(self) -> bool:
        """Whether keys learn a correction on top of a shared model."""
        return self.shared is not None and self.task == "classification"


def _of_bytes(data: bytes, threads: int, memory: int | None, *_: Any) -> KeyedMOOE:
    """Return the models of a file's bytes; pickles of before name the file of keys that wait."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "keys"
        path.write_bytes(data)
        return KeyedMOOE.load(path, threads=threads, memory=memory)


def _check_machine(threads: Any, memory: Any, spill: Any) -> None:
    """Raise ValueError unless this is what a machine can be asked for."""
    if threads is not None:
        check_whole("threads", threads, 1)
    if memory is not None:
        check_whole("memory", memory, 1, 2**63)
    if not isinstance(spill, (str, os.PathLike, NoneType)):
        raise ValueError(f"spill must be the path of a file to be made, got {spill!r:.80}")
    if spill is not None and memory is None:
        raise ValueError(f"spill must be None without a limit of memory, got {spill!r:.80}")


def _columns(values: Any) -> list[Any]:
    """Return names of columns as Python's own values, or raise ValueError."""
    rule = f"columns must be different names, one for each column, got {values!r:.80}"
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise ValueError(rule)
    names = [tuple(map(_python, one)) if isinstance(one, tuple) else _python(one) for one in values]
    try:
        for one in names:
            check_column_name(one)
    except ValueError as problem:
        raise ValueError(f"{rule}: {problem}") from problem
    if len(set(names)) < len(names):
        raise ValueError(rule)
    return names


def _classes(values: Any) -> list[Any]:
    """Return labels that are known to come as Python's own values, or raise ValueError."""
    rule = f"classes must be labels of one type, different ones, got {values!r:.80}"
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise ValueError(rule)
    classes = [_python(one) for one in values]
    try:
        Labels().add(classes)
    except (TypeError, ValueError) as problem:
        raise ValueError(f"{rule}: {problem}") from problem
    if len(set(classes)) < len(classes):
        raise ValueError(rule)
    return classes


def _python(value: Any) -> Any:
    """Return a value of numpy's as Python's own, which a file gives back."""
    return value.item() if isinstance(value, np.generic) else value


def _add_votes(params: AnyParams, state: Any) -> None:
    """In place: a shared model's vote and that corrected are experts, and weigh most."""
    for _ in VOTE_SHARES:
        engine_of(params).add_expert(params, state)
    added = slice(len(EXPERTS), len(EXPERTS) + len(VOTE_SHARES))
    for shares in auto_layout.LAYOUT.views(params, state).mixture:
        shares[added] = 0.0
        shares *= (1.0 - sum(VOTE_SHARES)) / shares.sum()
        shares[added] = VOTE_SHARES


def _numbers(name: str, values: Any, rule: str) -> np.ndarray:
    """Return numbers as compiled code takes them, or raise ValueError."""
    try:
        if np.iscomplexobj(values):
            raise TypeError("they are complex")
        if getattr(getattr(values, "dtype", None), "kind", None) in ("m", "M"):
            raise TypeError("they are dates or times")
        found: np.ndarray = np.require(values, np.float64, ("C", "W"))
    except (TypeError, ValueError) as problem:
        raise ValueError(f"{name} must be {rule} ({problem!s:.200})") from problem
    return found


def _values(y: Any, n: int) -> np.ndarray:
    """Return the labels of a regression, NaN for none, or raise ValueError."""
    values = _numbers("y", y, "numbers, None or NaN for no label")
    if values.shape != (n,):
        raise ValueError(f"y must have the shape ({n},), got {values.shape}")
    _refuse("y", values, np.abs(values) > LARGEST_INPUT, f"at most {LARGEST_INPUT:g} in size")
    return values.copy()


def _weights(weights: Any, n: int) -> np.ndarray:
    """Return the weights of rows, or raise ValueError."""
    if weights is None:
        return np.ones(n)
    found = _numbers("weights", weights, "an array of numbers")
    if found.shape != (n,):
        raise ValueError(f"weights must have the shape ({n},), got {found.shape}")
    bad = ~((found >= 0.0) & (found <= LARGEST_WEIGHT))
    _refuse("weights", found, bad, f"at least 0 and at most {LARGEST_WEIGHT:g}")
    return found


def _refuse(name: str, values: np.ndarray, bad: np.ndarray, rule: str) -> None:
    """Raise ValueError for the first value that is bad."""
    if bad.any():
        row = int(bad.argmax())
        raise ValueError(f"{name} must be {rule}, got {values[row]:g} in row {row}")
