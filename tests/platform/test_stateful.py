"""The platform against a simple model of it: whatever is done in whatever order, both agree."""

import math
import tempfile
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from lessons import taught

from mooe.platform import (
    ConflictError,
    Platform,
    Result,
    Settings,
    StoreInUseError,
    UnknownModelError,
    UnknownPredictionError,
)
from mooe.platform import open_models as module

SLOW = module.SLOW
XS = st.fixed_dictionaries(
    {"a": st.integers(-3, 3)}, optional={"b": st.integers(-3, 3), "c": st.integers(0, 1)}
)
LABELS = st.sampled_from(["yes", "no", "maybe"])
IDS = st.sampled_from([None, None, "one", "two", "three"])
PLACES = st.integers(0, 60)
POLICIES = {
    "waits": Settings(),
    "defaults": Settings(default_label="no"),
    "learns late": Settings(default_label="no", learns_late=True),
    "takes late": Settings(learns_late=True),
}


class Asked:
    """A prediction, as anybody would write it down."""

    def __init__(self, x, answer, known, at):
        self.x, self.answer, self.known, self.at = x, answer, known, at
        self.status, self.label, self.taught = "pending", None, []


class Life(RuleBasedStateMachine):
    """What may happen to a model on a platform."""

    @initialize(policy=st.sampled_from(sorted(POLICIES)))
    def begin(self, policy):
        self.place = self.new_place()
        self.now = 1_000_000.0
        self.policy = POLICIES[policy]
        self.platform = None
        self.open()
        self.platform.create("m", settings=self.policy)
        self.asked, self.lessons, self.void = {}, [], []
        self.lineages = [(0, 0, 0)]  # from which row on, what it began after, its seed
        self.shadow = None  # what it began after, its seed

    def new_place(self):
        self.folder = tempfile.TemporaryDirectory()
        return f"{self.folder.name}/store"

    def open(self):
        self.platform = None
        while self.platform is None:  # a server takes a moment to see that a client has gone
            with suppress(StoreInUseError):
                self.platform = Platform(self.place, clock=lambda: self.now)

    def teardown(self):
        module.SLOW = SLOW
        if hasattr(self, "platform"):
            self.platform.close()
            if hasattr(self, "folder"):
                self.folder.cleanup()

    def counting(self, begins):
        """The lessons after a beginning that were not rolled back."""
        rows = zip(self.lessons[begins:], self.void[begins:], strict=True)
        return [lesson for lesson, gone in rows if not gone]

    @property
    def learnt(self):
        """The lessons that the model has learnt: one that was promoted knows only its own."""
        return self.counting(self.lineages[-1][1])

    def expected(self, begins, seed):
        """The bytes of a model that has learnt what counts after its beginning."""
        return taught(self.counting(begins), seed)

    def teach(self, asked, label, known):
        if asked.answer is not None and asked.answer.version == len(self.lessons):
            known = math.nan  # nothing has been learnt since: all labels were known
        self.lessons.append((asked.x, label, known))
        self.void.append(False)
        asked.status, asked.label = "learnt", label
        asked.taught.append(len(self.lessons))

    def last(self):
        return self.learnt[-1][1] if self.learnt else -math.inf

    @rule(x=XS, name=IDS)
    def predict(self, x, name):
        if name in self.asked and self.asked[name].x != x:
            with pytest.raises(ConflictError):
                self.platform.predict("m", x, name)
            return
        self.platform.settle()
        answer = self.platform.predict("m", x, name)
        if name in self.asked and self.asked[name].answer is not None:
            assert answer == self.asked[name].answer
            return
        assert answer.id not in self.asked
        assert answer.version == len(self.lessons)
        assert (answer.prediction is None) == (not self.learnt)
        self.asked[answer.id] = Asked(x, answer, self.last(), self.now)

    @rule(place=PLACES, label=LABELS, correction=st.booleans())
    def feedback(self, place, label, correction):
        if not self.asked:
            with pytest.raises(UnknownPredictionError):
                self.platform.feedback("m", "nobody", label)
            return
        name = list(self.asked)[place % len(self.asked)]
        asked, late = self.asked[name], self.policy.learns_late
        learns = asked.status in ("pending", "withdrawn")
        learns |= asked.status == "expired" and (late or correction)
        differs = asked.status in ("learnt", "defaulted") and asked.label != label
        learns |= differs and (correction or (asked.status == "defaulted" and late))
        if learns:
            assert self.platform.feedback("m", name, label, correction).result is Result.LEARNED
            self.teach(asked, label, asked.known)
        elif differs and asked.status == "learnt":
            with pytest.raises(ConflictError):
                self.platform.feedback("m", name, label, correction)
        elif differs or asked.status == "expired":
            assert self.platform.feedback("m", name, label, correction).result is Result.EXPIRED
        else:
            assert self.platform.feedback("m", name, label, correction).duplicate

    @rule(x=XS, label=LABELS, name=IDS)
    def learn(self, x, label, name):
        there = self.asked.get(name)
        is_free = there is None or there.status == "withdrawn"
        if there is not None and (
            there.x != x or there.answer is not None or not (is_free or there.label == label)
        ):
            with pytest.raises(ConflictError):
                self.platform.learn("m", x, label, name)
            return
        receipt = self.platform.learn("m", x, label, name)
        assert receipt.duplicate is not is_free
        if is_free:
            asked = self.asked.setdefault(receipt.id, Asked(x, None, math.nan, self.now))
            self.teach(asked, label, math.nan)

    @rule(xs=st.lists(XS, min_size=1, max_size=5), labels=st.lists(LABELS, min_size=5, max_size=5))
    def predict_and_label_many(self, xs, labels):
        self.platform.settle()
        answers = self.platform.predict_many("m", xs)
        for x, answer in zip(xs, answers, strict=True):
            self.asked[answer.id] = Asked(x, answer, self.last(), self.now)
        labels = labels[: len(xs)]
        receipts = self.platform.feedback_many("m", [answer.id for answer in answers], labels)
        for answer, label, receipt in zip(answers, labels, receipts, strict=True):
            assert receipt.result is Result.LEARNED
            self.teach(self.asked[answer.id], label, self.asked[answer.id].known)

    @rule(label=st.sampled_from([1, True, 2.5, None, float("nan"), ["yes"], "\0"]), x=XS)
    def bad_labels_are_refused(self, label, x):
        if self.learnt or self.policy.default_label is not None:
            with pytest.raises(ValueError, match="must"):
                self.platform.learn("m", x, label)

    @rule(x=st.sampled_from([{"a": "text"}, [1.0] * 9, {"a": math.inf}, 3, {"a": [1]}, {1: 1.0}]))
    def bad_rows_are_refused(self, x):
        if isinstance(x, list) and not self.asked:
            return
        with pytest.raises(ValueError, match=r"x must|in x must"):
            self.platform.predict("m", x)

    @rule(slow=st.sampled_from([-1.0, 1e9]))
    def learning_is_slow_or_quick_from_now_on(self, slow):
        module.SLOW = slow  # rows are learnt in a thread, or at once

    @rule(seconds=st.integers(0, 5))
    def time_passes(self, seconds):
        self.now += seconds

    @rule(age=st.integers(0, 8))
    def expire(self, age):
        before = self.now - age
        due = [each for each in self.asked.values() if each.status == "pending"]
        due = [each for each in due if each.at < before]
        assert self.platform.expire(before) == len(due)
        for each in due:
            each.status = "expired"
            if self.policy.default_label is not None:
                self.teach(each, self.policy.default_label, each.known)
                each.status = "defaulted"

    @rule(is_clean=st.booleans())
    def restart(self, is_clean):
        if is_clean:
            self.platform.close()
        else:  # as a killed process leaves it: no snapshot, nothing said
            self.platform.settle()
            self.platform._models._saver.shutdown()
            self.platform.store.database.close()
        self.open()

    @rule()
    def save_a_snapshot(self):
        self.platform.save_snapshot("m")

    @precondition(lambda self: self.lessons)
    @rule(place=PLACES)
    def roll_back(self, place):
        seq = place % (len(self.lessons) + 1)
        if seq and self.void[seq - 1]:
            with pytest.raises(ValueError, match="row that counts"):
                self.platform.restore("m", seq)
            return
        self.platform.restore("m", seq)
        self.lineages = [each for each in self.lineages if each[0] <= seq]
        self.void[seq:] = [True] * (len(self.void) - seq)
        for asked in self.asked.values():
            stay = [at for at in asked.taught if not self.void[at - 1]]
            if len(stay) == len(asked.taught) or max(asked.taught) <= seq:
                continue
            asked.taught = stay
            if stay:
                asked.label = self.lessons[stay[-1] - 1][1]
                continue
            asked.status, asked.label = "withdrawn", None

    @precondition(lambda self: self.shadow is None)
    @rule(from_start=st.booleans(), seed=st.integers(1, 3))
    def put_a_shadow_behind(self, from_start, seed):
        self.platform.create("s", shadow_of="m", params={"seed": seed}, from_start=from_start)
        self.shadow = 0 if from_start else len(self.lessons), seed

    @precondition(lambda self: self.shadow is not None)
    @rule()
    def promote(self):
        if self.learnt and not self.counting(self.shadow[0]):
            with pytest.raises(ValueError, match="must have learnt a label"):
                self.platform.promote("s")
            return
        self.platform.promote("s")
        self.lineages.append((len(self.lessons), *self.shadow))
        self.shadow = None

    @rule()
    def unknown_names_are_refused(self):
        with pytest.raises(UnknownModelError):
            self.platform.predict("nobody", {"a": 1})

    @invariant()
    def what_waits_is_known(self):
        if hasattr(self, "platform"):
            waiting = [name for name, each in self.asked.items() if each.status == "pending"]
            pending = self.platform.pending("m")
            assert self.platform.n_pending("m") == len(waiting)
            assert sorted(each.public_id for each in pending) == sorted(waiting)

    @invariant()
    def the_model_has_learnt_exactly_the_lessons(self):
        if hasattr(self, "platform") and self.lessons:
            assert self.platform.get("m").to_bytes() == self.expected(*self.lineages[-1][1:])
            if self.shadow is not None:
                assert self.platform.get("s").to_bytes() == self.expected(*self.shadow)

    @invariant()
    def the_store_is_sound(self):
        if hasattr(self, "platform"):
            assert self.platform.check() == []


HOW = settings(
    max_examples=40,
    stateful_step_count=30,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # shrinking would take minutes
    suppress_health_check=list(HealthCheck),
)
TestLife = Life.TestCase
TestLife.settings = HOW


def test_all_of_it_holds_on_postgresql_too(postgres_url):
    psycopg = pytest.importorskip("psycopg")

    class OnPostgres(Life):
        def new_place(self):
            with psycopg.connect(postgres_url, autocommit=True) as server:
                server.execute("DROP SCHEMA public CASCADE")
                server.execute("CREATE SCHEMA public")
            return postgres_url

    run_state_machine_as_test(OnPostgres, settings=settings(HOW, max_examples=10))
