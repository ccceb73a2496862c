"""The models of a store that are in memory: loaded when they are needed, taught, saved.

Whoever asks for a model holds the lock; what memory counts is only true while the store agrees, so
all is forgotten where it could not be written.
"""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from mooe.model import Model
from mooe.platform.errors import StoreError, StoreStoppedError, UnknownModelError
from mooe.platform.history import state_at
from mooe.platform.hosted import Hosted
from mooe.platform.learner import numerics_version
from mooe.platform.lesson import Lesson
from mooe.platform.lock import TurnLock
from mooe.platform.snapshots import DUE_AFTER, superfluous
from mooe.platform.store import Store, StoredModel, microseconds

LOG = logging.getLogger("mooe.platform")
SLOW = 0.002  # seconds of learning that nobody else is to wait for


class OpenModels:
    """Models by name, of one store.

    Parameters
    ----------
    store : Store
    clock : function
        Returns the time in seconds since 1970.

    Attributes
    ----------
    lock : TurnLock
        Held by whoever looks at models or changes them.
    hosted : dict
        Those that are in memory, by their number.
    """

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self.store, self.clock = store, clock
        self.lock = TurnLock()
        self.hosted: dict[int, Hosted] = {}
        self._taught = self.lock.condition()
        self._saver = ThreadPoolExecutor(1, "mooe-snapshots")
        self._teachers = ThreadPoolExecutor(2, "mooe-learning")
        self._numerics = ""
        self._is_open = True
        self._stored: dict[str, StoredModel] | None = None
        self._behind: dict[int, list[str]] = {}  # names of shadows, by the number of their model

    def now(self) -> int:
        """Return the time in microseconds since 1970."""
        return microseconds(self.clock())

    def check_open(self) -> None:
        """Raise StoreStoppedError once the platform is closed."""
        if not self._is_open:
            raise StoreStoppedError("the platform is closed: open the store again")

    def close(self) -> None:
        """Stop: a snapshot of every model that has learnt since its last, then the store."""
        with self.lock:
            if not self._is_open:
                return
            self._is_open = False
        self._teachers.shutdown(wait=True)
        self._saver.shutdown(wait=True)
        with self.lock:
            try:
                for hosted in self.hosted.values():
                    if hosted.version > hosted.snapshot_seq and not hosted.problem:
                        self.save(hosted, hosted.model.to_bytes(), hosted.version, "automatic")
                self.store.database.sync(self.store.database.commits)
            except StoreError as problem:
                LOG.warning("no snapshot at the end: %s", problem)
            finally:
                self.store.database.close()

    def write(self, write: Callable[[], Any]) -> None:
        """Write to the store; where that fails, forget what memory has counted."""
        try:
            write()
        except BaseException:
            self.reset()
            raise

    def reset(self) -> None:
        """In place: all that memory knows is read anew from the store when it is next needed."""
        self.store.forget()
        self.read_anew()
        self.hosted.clear()

    # By name

    def by_name(self) -> dict[str, StoredModel]:
        """Return the models of the store by name."""
        if self._stored is None:
            known = {k: hosted.stored for k, hosted in self.hosted.items()}
            models = [known.get(each.k, each) for each in self.store.models()]
            self._stored = {each.name: each for each in models}
            self._behind = {}
            for each in self._stored.values():
                if each.shadow_of is not None:
                    self._behind.setdefault(each.shadow_of, []).append(each.name)
        return self._stored

    def read_anew(self) -> None:
        """In place: which models there are is read anew when it is next asked for."""
        self._stored = None

    def of_name(self, name: str) -> StoredModel:
        """Return a model of the store, or raise UnknownModelError."""
        self.check_open()
        stored = self.by_name().get(name)
        if stored is None:
            raise UnknownModelError(f"no model is called {name!r:.120}; make it with create")
        return stored

    def shadows_of(self, stored: StoredModel) -> list[StoredModel]:
        """Return the models that stand behind a model."""
        models = self.by_name()
        return [models[name] for name in self._behind.get(stored.k, ())]

    def champion_name(self, stored: StoredModel) -> str | None:
        """Return the name of the model that a shadow stands behind, None of any other model."""
        models = self.by_name().values()
        return next((each.name for each in models if each.k == stored.shadow_of), None)

    def open(self, name: str) -> Hosted:
        """Return a model in memory; one that was not there is loaded, see `state_at`."""
        stored = self.of_name(name)
        hosted = self.hosted.get(stored.k)
        if hosted is None:
            self.meet_numerics()
            hosted = self._loaded(stored)
        return hosted

    def _loaded(self, stored: StoredModel) -> Hosted:
        """In place: load a model."""
        owner = stored.shadow_of or stored.k
        snapshots = self.store.snapshots(stored.k)
        hosted, _ = state_at(self.store, stored, self.store.last_seq(owner), snapshots)
        hosted.snapshot_seq = snapshots[-1].seq if snapshots else 0
        self.take(hosted)
        return hosted

    def take(self, hosted: Hosted) -> None:
        """In place: a model that has learnt all that is stored for it."""
        if hosted.problem:
            hosted.quarantine(hosted.problem)
        self.hosted[hosted.stored.k] = hosted

    def champion(self, name: str) -> Hosted:
        """Return a sound model that answers clients."""
        hosted = self.open(name)
        if hosted.stored.shadow_of is not None:
            raise ValueError(f"model must not be a shadow, which clients do not see; got {name!r}")
        hosted.check_sound()
        for shadow in self.shadows_of(hosted.stored):
            self.open(shadow.name)  # before anything is stored that it would load and learn again
        return hosted

    def sound_shadows(self, hosted: Hosted) -> list[Hosted]:
        """Return the shadows of a model that can go on."""
        opened = [self.open(each.name) for each in self.shadows_of(hosted.stored)]
        return [each for each in opened if not each.problem]

    # Learning

    def learn(self, hosted: Hosted, lesson: Lesson) -> None:
        """Teach a model and its shadows what was stored; a slow one learns in a thread."""
        for each in [hosted, *self.sound_shadows(hosted)]:
            each.head = hosted.head
            is_slow = each.likely_seconds(len(lesson.seqs)) > SLOW
            if is_slow or each.is_being_taught:
                each.backlog.extend(lesson)
                if not each.is_being_taught:
                    each.is_being_taught = True
                    self._teachers.submit(self._teach_behind, each)
                continue
            each.learn(lesson)
            self._after_learning(each)

    def _teach_behind(self, hosted: Hosted) -> None:
        """Teach a slow model, in a thread, all that waits for it; others go on meanwhile."""
        while True:
            with self.lock:
                lesson, hosted.backlog = hosted.backlog, Lesson()
                is_gone = self.hosted.get(hosted.stored.k) is not hosted
                if not lesson.seqs or hosted.problem or is_gone:
                    hosted.is_being_taught = False
                    self._taught.notify_all()
                    return
            try:
                hosted.learn_behind(lesson, self.lock)
            except Exception as problem:
                hosted.quarantine(f"it could not learn in a thread ({problem!r:.200})")
            with self.lock:
                self._after_learning(hosted)
                self._taught.notify_all()

    def _after_learning(self, hosted: Hosted) -> None:
        """Make a snapshot where one is due."""
        if hosted.problem:
            return
        if hosted.spent > DUE_AFTER and not hosted.is_being_saved and self._is_open:
            hosted.is_being_saved, hosted.spent = True, 0.0
            model, seq = hosted.model.copy(), hosted.version
            self._saver.submit(self._save_behind, hosted, model, seq)

    def settle(self, model: str | None = None) -> None:
        """Return when slow models, which learn in threads, have learnt all that is stored by now.

        Others have their turn meanwhile: who needs a model opens it afterwards.
        """
        with self.lock:
            stored = None if model is None else self.by_name().get(model)
            if model is not None and stored is None:
                return  # deleted meanwhile
            for each in list(self.hosted.values()):
                head = each.head
                while (stored is None or each.stored.k == stored.k) and each.lags(head):
                    self._taught.wait()

    def settled(self, name: str) -> Hosted:
        """Return a model in memory once it lags behind nothing; others have turns meanwhile."""
        while (hosted := self.open(name)).lags(hosted.head):
            self._taught.wait()
        return hosted

    def backlog(self, model: str) -> int:
        """Return how many rows wait to be learnt by a slow model; asked without the lock."""
        stored = (self._stored or {}).get(model)
        hosted = None if stored is None else self.hosted.get(stored.k)
        return 0 if hosted is None else len(hosted.backlog.seqs)

    # Saving

    def save(self, hosted: Hosted, blob: bytes, seq: int, kind: str) -> None:
        """Write a snapshot at once."""
        numerics, k, now = self.known_numerics(), hosted.stored.k, self.now()
        for _ in self.store.add_snapshot(k, seq, now, kind, blob, numerics):
            pass
        hosted.snapshot_seq, hosted.spent = max(seq, hosted.snapshot_seq), 0.0

    def _save_behind(self, hosted: Hosted, model: Model, seq: int) -> None:
        """Write a snapshot in a thread of its own, piece by piece; others go on in between."""
        try:
            blob = model.to_bytes()
            with self.lock:
                numerics, now = self.known_numerics(), self.now()
                pieces = self.store.add_snapshot(
                    hosted.stored.k, seq, now, "automatic", blob, numerics
                )
            has_more = True
            while has_more:
                with self.lock.behind_others():
                    if self.hosted.get(hosted.stored.k) is not hosted:
                        self.store.delete_incomplete()
                        return  # deleted or restored meanwhile
                    has_more = next(pieces, "done") != "done"
            with self.lock:
                hosted.snapshot_seq = max(seq, hosted.snapshot_seq)
                gone = superfluous(self.store.snapshots(hosted.stored.k), self.now())
                if gone:
                    self.store.delete_snapshots(each.k for each in gone)
        except Exception as problem:
            LOG.warning("no snapshot of %s: %s", hosted.stored.name, problem)
        finally:
            hosted.is_being_saved = False

    def known_numerics(self) -> str:
        """Return the fingerprint of what this process computes."""
        return self._numerics or numerics_version()

    def meet_numerics(self) -> None:
        """Where another version wrote the store: learn again at once what was behind snapshots.

        Its last bits may come out otherwise. Snapshots follow, so that it happens once.
        """
        if self._numerics:
            return
        self._numerics = numerics_version()
        before = self.store.numerics()
        if before == self._numerics:
            return
        for stored in self.by_name().values() if before else ():
            hosted = self.hosted.get(stored.k) or self._loaded(stored)
            n = hosted.version - hosted.snapshot_seq
            if n > 0 and not hosted.problem:
                LOG.warning(
                    "%s: the store was written by other arithmetic (%s, now %s); the last %s rows "
                    "of feedback were learnt again and may differ in the last bits",
                    *(stored.name, before, self._numerics, f"{n:,}"),
                )
                self.save(hosted, hosted.model.to_bytes(), hosted.version, "automatic")
        self.write(lambda: self.store.set_numerics(self._numerics))
