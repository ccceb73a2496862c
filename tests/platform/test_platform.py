"""The platform as its users call it, on both kinds of stores."""

import logging
import sqlite3
import threading
from contextlib import suppress
from datetime import UTC, datetime

import numpy as np
import pytest
from lessons import taught

from mooe import MOOEClassifier
from mooe.auto.inputs import NARROW
from mooe.auto.params import AutoParams
from mooe.auto.roster import EXPERTS, NARROW_ONLY
from mooe.datasets import recurring
from mooe.model import Model
from mooe.numerics import checks
from mooe.platform import (
    ConflictError,
    Platform,
    QuarantineError,
    Result,
    Settings,
    Status,
    StoreInUseError,
    StoreStoppedError,
    UnknownModelError,
    UnknownPredictionError,
    learner,
    store,
)
from mooe.platform import open_models as module
from mooe.platform import platform as platform_module
from mooe.platform.learner import Learner
from mooe.platform.requests import Feedback

ROWS = [({"a": float(i % 7), "b": float(i % 3)}, "yes" if i % 7 > 3 else "no") for i in range(120)]


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self, now=1_700_000_000.0):
        self.now = now

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def platform(place, clock):
    with Platform(place, clock=clock) as platform:
        yield platform


def teach(platform, model="m", rows=ROWS):
    for x, label in rows:
        answer = platform.predict(model, x)
        platform.feedback(model, answer.id, label)


def reopened(platform, place, clock):
    """Return the platform as it is after its process was killed."""
    platform._models._saver.shutdown()
    platform.store.database.close()
    platform._models._is_open = False
    while True:
        with suppress(StoreInUseError):  # PostgreSQL lets go of a session a moment later
            return Platform(place, clock=clock)


def test_an_answer_is_none_before_the_first_label_and_a_class_after_it(platform):
    platform.create("m")
    assert platform.predict("m", {"a": 1}, "first") == ("first", None, [], 0)
    receipt = platform.feedback("m", "first", "yes")
    assert (receipt.result, receipt.seq, receipt.duplicate) == (Result.LEARNED, 1, False)
    assert platform.predict("m", {"a": 1}, "next") == ("next", "yes", [("yes", 1.0)], 1)


def test_labels_are_learnt_exactly_once_and_in_their_order(platform):
    platform.create("m")
    lessons = []
    for x, label in ROWS:
        answer = platform.predict("m", x)
        platform.feedback("m", answer.id, label)
        assert platform.feedback("m", answer.id, label).duplicate
        lessons.append((x, label, np.nan))
    assert platform.get("m").to_bytes() == taught(lessons)


def test_late_labels_are_learnt_with_what_was_known_when_the_row_was_answered(platform):
    platform.create("m")
    platform.learn("m", {"a": 0}, "no")
    first = platform.predict("m", {"a": 1})
    platform.learn("m", {"a": 2}, "yes")
    second = platform.predict("m", {"a": 3})
    platform.feedback("m", second.id, "yes")
    platform.feedback("m", first.id, "no")
    lessons = [({"a": 0}, "no", np.nan), ({"a": 2}, "yes", np.nan)]
    lessons += [({"a": 3}, "yes", np.nan), ({"a": 1}, "no", "no")]
    assert platform.get("m").to_bytes() == taught(lessons)


def test_where_labels_come_at_once_their_order_is_learnt(platform):
    platform.create("m")
    right = []
    for label in ["yes", "no"] * 60:
        answer = platform.predict("m", {"a": 1})
        right.append(answer.prediction == label)
        platform.feedback("m", answer.id, label)
    assert all(right[-40:])


def test_another_label_is_a_conflict_unless_it_is_a_correction(platform):
    platform.create("m")
    platform.predict("m", {"a": 1}, "x")
    platform.feedback("m", "x", "yes")
    with pytest.raises(ConflictError, match="'yes' was learnt before; send correction"):
        platform.feedback("m", "x", "no")
    receipt = platform.feedback("m", "x", "no", correction=True)
    assert (receipt.result, receipt.seq) == (Result.LEARNED, 2)
    assert platform.feedback("m", "x", "no").duplicate
    assert platform.get("m").n_labelled == 2


def test_the_same_id_has_the_same_answer_and_another_x_is_a_conflict(platform):
    platform.create("m")
    teach(platform)
    answer = platform.predict("m", {"a": 5, "b": 1}, "order")
    teach(platform)
    assert platform.predict("m", {"b": 1.0, "a": 5}, "order") == answer
    with pytest.raises(ConflictError, match="'order' was given to another x"):
        platform.predict("m", {"a": 5, "b": 2}, "order")


def test_ids_that_nobody_gave_are_unknown(platform):
    platform.create("m")
    platform.create("other")
    answer = platform.predict("m", {"a": 1})
    for name in ("nobody", "~999", "~", "~-1", "~01", "", "a\0b", "\ud800", "x" * 201):
        with pytest.raises(UnknownPredictionError):
            platform.feedback("m", name, "yes")
    with pytest.raises(UnknownPredictionError):
        platform.feedback("other", answer.id, "yes")
    for name in ("~1", "", "a\nb", "x" * 201, 7):
        with pytest.raises(ValueError, match="id must be a text"):
            platform.predict("m", {"a": 1}, name)


@pytest.mark.parametrize(
    ("labels", "kind"),
    [((1, 2, 1.0), int), ((True, False), bool), (("1", "true"), str), ((1.5, 2.5), float)],
)
def test_labels_keep_the_type_that_they_have_in_json(platform, labels, kind):
    platform.create("m")
    for at, label in enumerate(labels * 3):
        platform.learn("m", {"a": at % 2}, label)
    answer = platform.predict("m", {"a": 1})
    assert type(answer.prediction) is kind
    assert {type(label) for label, _ in answer.probabilities} == {kind}


@pytest.mark.parametrize(
    ("first", "other"), [("1", 1), (1, True), (True, "true"), (True, 0), (0, False)]
)
def test_labels_of_different_types_are_refused(platform, first, other):
    platform.create("m")
    platform.learn("m", {"a": 1}, first)
    with pytest.raises(ValueError, match="as before"):
        platform.learn("m", {"a": 1}, other)
    platform.create("fresh")
    with pytest.raises(ValueError, match="as before"):
        platform.learn_many("fresh", [{"a": 1}, {"a": 2}], [first, other])
    assert platform.get("fresh").n_labelled == 0


def test_rows_may_be_lists_of_the_same_length(platform):
    platform.create("m")
    for i in range(40):
        platform.learn("m", [i % 2, None], "odd" if i % 2 else "even")
    assert platform.predict("m", [1, 2]).prediction == "odd"
    with pytest.raises(ValueError, match="list of 2 numbers, as before; got 3 numbers"):
        platform.predict("m", [1, 2, 3])
    with pytest.raises(ValueError, match="got a dict"):
        platform.predict("m", {"a": 1})


def test_values_predict_values(platform):
    platform.create("m", task="regression")
    for i in range(200):
        platform.learn("m", {"a": i % 10}, 3.0 * (i % 10) + 1)
    answer = platform.predict("m", {"a": 4}, "x")
    assert answer.prediction == pytest.approx(13.0, abs=0.5)
    assert answer.probabilities == []
    for label in ("13", True, None, float("inf")):
        with pytest.raises(ValueError, match="must be a number"):
            platform.feedback("m", "x", label)
    assert platform.feedback("m", "x", 13).result is Result.LEARNED
    assert platform.feedback("m", "x", 13.0).duplicate


def test_many_rows_give_the_answers_of_one_by_one(platform):
    for name in ("one", "many"):
        platform.create(name)
        platform.learn_many(name, [x for x, _ in ROWS], [label for _, label in ROWS])
    xs = [x for x, _ in ROWS[:30]]
    one = [platform.predict("one", x)[1:] for x in xs]
    assert [answer[1:] for answer in platform.predict_many("many", xs)] == one
    assert platform.get("one").to_bytes() == platform.get("many").to_bytes()


def test_a_batch_with_a_bad_row_is_refused_whole(platform):
    platform.create("m")
    with pytest.raises(ValueError, match="'a' in x must be a finite number"):
        platform.predict_many("m", [{"a": 1}, {"a": "red"}])
    with pytest.raises(ConflictError):
        platform.predict_many("m", [{"a": 1}, {"a": 2}], ["same", "same"])
    assert platform.n_pending("m") == 0
    twice = platform.predict_many("m", [{"a": 1}, {"a": 1}], ["same", "same"])
    assert twice[0] == twice[1]
    assert platform.n_pending("m") == 1


def test_labels_of_a_batch_are_judged_one_by_one(platform):
    platform.create("m")
    platform.predict_many("m", [{"a": 1}, {"a": 2}], ["one", "two"])
    ids = ["one", "nobody", "two", "one", "two", "two"]
    labels = ["yes", "yes", 3, "yes", "no", "yes"]
    receipts = platform.feedback_many("m", ids, labels)
    assert [str(each.result) for each in receipts] == [
        *("learned", "unknown", "invalid", "duplicate", "learned", "conflict")
    ]


def test_what_expires_is_learnt_by_default_where_the_model_says_so(platform, clock):
    platform.create("waits")
    platform.create("clicks", settings=Settings(expire_after=1800, default_label="no"))
    for name in ("waits", "clicks"):
        platform.predict(name, {"a": 1}, "x")
    clock.now += 1801
    platform.predict("clicks", {"a": 2}, "young")
    platform.maintain()
    assert platform.prediction("clicks", "x").label == "no"
    assert [each.public_id for each in platform.pending("clicks")] == ["young"]
    assert platform.n_pending("waits") == 1
    assert platform.feedback("clicks", "x", "no").duplicate
    assert platform.feedback("clicks", "x", "yes").result is Result.EXPIRED
    assert platform.expire(clock.now, "waits") == 1
    assert platform.feedback("waits", "x", "yes").result is Result.EXPIRED
    with pytest.raises(ValueError, match="label must be a text"):
        platform.learn("clicks", {"a": 1}, 1)


def test_late_labels_are_learnt_where_the_model_allows_it(platform, clock):
    platform.create("m", settings=Settings(default_label=False, learns_late=True))
    platform.predict("m", {"a": 1}, "x")
    clock.now += 1
    assert platform.expire(clock.now) == 1
    assert platform.feedback("m", "x", True).result is Result.LEARNED
    assert platform.get("m").n_labelled == 2


@pytest.mark.parametrize("kind", ["closed", "killed"])
def test_a_restart_changes_nothing(platform, place, clock, kind):
    platform.create("m")
    platform.create("paper", params={"mode": "paper", "interval": 20})
    platform.create("behind", shadow_of="m", params={"seed": 5})
    teach(platform)
    teach(platform, "paper")
    before = {name: platform.get(name).to_bytes() for name in platform.models()}
    answer = platform.predict("m", {"a": 1}, "x")
    experts = platform.experts("m")
    if kind == "closed":
        platform.close()
        other = Platform(place, clock=clock)
    else:
        other = reopened(platform, place, clock)
    with other:
        assert {name: other.get(name).to_bytes() for name in other.models()} == before
        assert other.predict("m", {"a": 1}, "x") == answer
        assert other.experts("m") == experts
        assert len(other.snapshots("m")) == (kind == "closed")
        assert other.check() == []


def test_models_are_the_default_or_with_parameters_or_from_a_file(platform):
    estimator = MOOEClassifier().partial_fit(np.arange(40.0).reshape(20, 2) % 3, ["a", "b"] * 10)
    blob = estimator.to_bytes()
    platform.create("default")
    platform.create("seeded", params={"seed": 3, "max_concepts": 5})
    platform.create("file", file=blob)
    platform.create("file", file=blob)  # the same again changes nothing
    assert platform.get("seeded").params == AutoParams(seed=3, max_concepts=5)
    assert platform.predict("file", [1, 2]).prediction in ("a", "b")
    platform.learn("file", [1.0, 2.0], "a")
    same = Learner(Model.from_bytes(blob))
    from mooe.platform.rows import row_of

    same.learn([row_of([1.0, 2.0])], ["a"], [np.nan])
    assert platform.get("file").to_bytes() == same.model.to_bytes()
    for wrong, words in (
        ({"params": {"seed": 4}}, r"with params \{\}, got \{'seed': 4\}"),
        ({"params": {"mode": "paper"}}, "with mode 'auto', got 'paper'"),
        ({"task": "regression"}, "with task 'classification', got 'regression'"),
        ({"file": blob}, "from another file"),
        ({"settings": Settings(learns_late=True)}, "with learns_late False, got True"),
    ):
        with pytest.raises(ConflictError, match=f"model 'default' exists {words}; delete it"):
            platform.create("default", **wrong)
    platform.set_settings("default", Settings(expire_after=60.0))
    with pytest.raises(ConflictError, match=r"with expire_after 60\.0, got None"):
        platform.create("default")
    for wrong in (
        {"name": "a/b"},
        {"name": ""},
        {"name": "../x"},
        {"name": "x" * 101},
        {"params": {"seed": -1}},
        {"params": {"colour": 1}},
        {"params": {"mode": "magic"}},
        {"task": "poetry"},
        {"file": b"nothing"},
        {"settings": Settings(default_label=[1])},
    ):
        with pytest.raises(ValueError, match=r"must|not a model"):
            platform.create(**{"name": "new", **wrong})
    assert platform.models() == ["default", "seeded", "file"]


def test_a_deleted_model_is_gone_with_all_that_it_stored(platform):
    for name in ("m", "other"):
        platform.create(name)
        teach(platform, name, ROWS[:20])
    platform.create("behind", shadow_of="m")
    teach(platform, "m", ROWS[:5])
    platform.save_snapshot("m")
    platform.delete("m")
    assert platform.models() == ["other"]
    with pytest.raises(UnknownModelError, match="no model is called 'm'"):
        platform.predict("m", {"a": 1})
    for table in ("prediction", "feedback", "names", "snapshot", "shadow_answer"):
        (rest,) = platform.store.database.select(f"SELECT count(*) FROM {table} WHERE model <> 2")
        assert rest == (0,)
    platform.create("m", task="regression")
    platform.learn("m", [1.0], 2.0)
    assert platform.check() == []


def test_a_shadow_learns_unseen_is_compared_and_takes_over(platform, place, clock):
    platform.create("m", params={"without": ["forest", "leaves"]})
    teach(platform, rows=ROWS[:40])
    platform.create("new", shadow_of="m")
    platform.create("whole", shadow_of="m", from_start=True)
    teach(platform)
    scores = platform.compare("m")
    assert [scores[name].n for name in ("m", "new", "whole")] == [159, 119, 120]
    assert all(0.0 < score.accuracy <= 1.0 for score in scores.values())
    assert platform.get("new").n_labelled == 120
    assert platform.get("whole").n_labelled == 160
    with pytest.raises(ValueError, match="must not be a shadow"):
        platform.predict("new", {"a": 1})
    waiting = platform.predict("m", {"a": 6}, "waiting")
    assert waiting.version == 160
    shadow = platform.get("whole").to_bytes()
    platform.promote("whole")
    assert platform.models() == ["m", "new"]
    assert platform.get("m").to_bytes() == shadow
    platform.feedback("m", "waiting", "yes")
    assert platform.get("m").n_labelled == 161
    before = platform.get("m").to_bytes()
    with reopened(platform, place, clock) as other:
        assert other.get("m").to_bytes() == before
        assert other.get("new").n_labelled == 121
        assert other.check() == []


def test_answers_are_judged_by_the_labels_that_count(platform):
    platform.create("m")
    platform.create("other", shadow_of="m", params={"seed": 5})
    teach(platform, rows=ROWS[:20])
    before, marks = platform.compare("m"), platform.outcomes("m", 0, 20)
    wrong = {"yes": "no", "no": "yes"}
    for at in range(20, 30):
        platform.feedback("m", platform.predict("m", ROWS[at][0], f"id{at}").id, wrong[ROWS[at][1]])
    poisoned = platform.compare("m")
    assert poisoned["m"].n == before["m"].n + 10
    for at in range(20, 30):
        platform.feedback("m", f"id{at}", ROWS[at][1], correction=True)
    corrected = platform.compare("m")
    assert [corrected[name].n for name in corrected] == [poisoned[name].n for name in poisoned]
    assert corrected["m"].accuracy > poisoned["m"].accuracy
    assert [seq for seq, *_ in platform.outcomes("m", 20, 40)["m"]] == list(range(31, 41))
    platform.restore("m", 20)
    assert platform.compare("m") == before
    assert platform.outcomes("m", 0, 40) == marks
    for window in (0, -1, True, 2**31, "x"):
        with pytest.raises(ValueError, match="window must be a number from 1 on"):
            platform.compare("m", window)


def test_what_became_of_labels_and_where_samples_lie_can_be_asked(platform, clock):
    platform.create("m", settings=Settings(expire_after=60.0))
    platform.create("other", shadow_of="m", params={"seed": 5})
    for at, (x, label) in enumerate(ROWS[:40]):
        clock.now += 1.0
        platform.predict("m", x, f"id{at}")
        platform.feedback("m", f"id{at}", label)
    marks = platform.outcomes("m", 10, 30)
    assert list(marks) == ["m", "other"]
    assert [seq for seq, _, _ in marks["m"]] == list(range(11, 31))
    assert marks["m"][0][1] == clock.now - 29.0
    of_all = [mark for _, _, mark in platform.outcomes("m", 0, 40)["m"]]
    assert len(of_all) == 39  # nobody could answer the first
    assert sum(of_all) / 39 == platform.compare("m")["m"].accuracy
    assert platform.places("m", [0, 39, 39, 7]) == {
        at: (at + 1, clock.now - 39.0 + at) for at in (0, 7, 39)
    }
    assert platform.last_input("m") == (["a", "b"], ROWS[39][0])
    assert platform.size("m") == (2, 40)
    traffic = platform.traffic("m")
    assert (traffic.answered, traffic.labels, traffic.last) == (40, 40, clock.now)
    assert traffic.pace > 0.0
    platform.predict("m", {"a": 1.0})
    platform.expire(clock.now + 1.0)
    platform.predict("m", {"a": 1.0})
    assert platform.n_expired("m") == (1, 0)
    platform.set_settings("m", Settings(expire_after=60.0, default_label="no"))
    platform.expire(clock.now + 1.0)
    assert platform.n_expired("m") == (1, 1)


def test_a_shadow_learns_the_first_label_after_a_restart_once(platform, place, clock):
    platform.create("m")
    platform.create("behind", shadow_of="m", params={"seed": 2})
    platform.predict("m", {"a": 1}, "x")
    with reopened(platform, place, clock) as other:
        other.feedback("m", "x", "yes")
        assert other.get("behind").n_labelled == 1


def test_a_shadow_that_cannot_go_on_does_not_hurt_its_model(platform):
    platform.create("m")
    strict = {"mode": "paper", "scale": False, "input_bound": 2.0}
    platform.create("behind", shadow_of="m", params=strict)
    teach(platform)
    assert platform.get("m").n_labelled == len(ROWS)
    assert "could not be" in platform.facts("behind")["problem"]
    with pytest.raises(QuarantineError, match="behind"):
        platform.promote("behind")


def test_a_model_is_taken_back_to_before_a_poisoned_hour(platform, place, clock):
    platform.create("m")
    platform.create("behind", shadow_of="m", params={"seed": 1})
    teach(platform)
    good = {name: platform.get(name).to_bytes() for name in platform.models()}
    clock.now += 3600
    for at in range(30):
        answer = platform.predict("m", {"a": float(at % 7)}, f"bad-{at}")
        platform.feedback("m", answer.id, "poison")
    clock.now += 3600
    platform.save_snapshot("m")
    seq = platform.seq_before("m", datetime.fromtimestamp(clock.now - 3700, UTC))
    assert seq == len(ROWS)
    assert platform.model_at("m", seq).to_bytes() == good["m"]
    changes = {change.what: change[1:] for change in platform.diff("m", seq)}
    assert changes["labels learnt"] == (120, 150)
    assert changes["class poison"] == ("unknown", "known")
    assert platform.restore("m", seq) == 30
    assert {name: platform.get(name).to_bytes() for name in platform.models()} == good
    assert platform.feedback("m", "bad-0", "no").result is Result.LEARNED  # waits for a label
    with pytest.raises(ValueError, match="row that counts"):
        platform.restore("m", seq + 5)
    after = {name: platform.get(name).to_bytes() for name in platform.models()}
    with reopened(platform, place, clock) as other:
        assert {name: other.get(name).to_bytes() for name in other.models()} == after
        assert other.check() == []


def test_a_time_that_a_clock_passed_twice_is_not_taken_back_to_by_guessing(platform, clock):
    platform.create("m")
    begin = clock.now
    for seconds, n in ((0, 4), (7200, 3), (3000, 5), (9000, 2)):  # set back after row 7
        clock.now = begin + seconds
        platform.learn_many("m", [{"a": k} for k in range(n)], ["yes", "no", "no", "yes", "no"][:n])
    for seconds, seq in ((0, 0), (1, 4), (3000, 4), (7300, 12), (9001, 14)):
        assert platform.seq_before("m", begin + seconds) == seq
    with pytest.raises(ValueError, match=r"row 5 came after it .* row 12 before it.* 4 .* 12"):
        platform.seq_before("m", begin + 3600)
    platform.restore("m", 4)  # rows that count no longer do not matter
    assert platform.seq_before("m", begin + 3600) == 4
    platform.learn("m", {"a": 1}, "yes")
    assert platform.seq_before("m", clock.now + 1) == 15
    clock.now -= 60
    platform.learn("m", {"a": 1}, "yes")
    with pytest.raises(ValueError, match=r"row 15 came after it .* 4 \(which"):
        platform.seq_before("m", clock.now + 1)


def test_inputs_are_deleted_on_request_and_the_model_goes_on(platform, place, clock):
    platform.create("m", settings=Settings(keep_inputs=0))
    teach(platform)
    platform.predict("m", {"a": 77777.125}, "waits")
    platform.predict("m", {"a": 88888.125}, "told")
    platform.feedback("m", "told", "yes")
    before = platform.get("m").to_bytes()
    clock.now += 1
    platform.maintain()
    assert platform.prediction("m", "told").x is None
    assert platform.prediction("m", "waits").x == {"a": 77777.125}
    assert platform.predict("m", {"a": 88888.125}, "told").version == 120
    with pytest.raises(ValueError, match="was deleted"):
        platform.feedback("m", "told", "no", correction=True)
    with pytest.raises(ValueError, match="inputs of row 1 were deleted"):
        platform.model_at("m", 60)
    with reopened(platform, place, clock) as other:
        assert other.get("m").to_bytes() == before
        assert other.check() == []


def test_regimes_are_told_with_dates_and_can_be_named(platform, place, clock):
    stream = recurring(n=3000, n_features=3, n_concepts=2, length=500, seed=1)
    platform.create("m")
    begin = clock.now
    for first in range(0, 3000, 50):
        clock.now = begin + 3600.0 * first
        part = slice(first, first + 50)
        platform.learn_many("m", stream.X[part].tolist(), stream.y[part].tolist())
    regime = platform.regime("m")
    assert regime is not None
    assert regime.in_charge
    assert regime.dates[-1][0].startswith(("2023", "2024"))
    days = datetime.fromtimestamp(begin + 3600.0 * regime.visits[-1][0], UTC)
    assert regime.dates[-1][0][:7] in (f"{days:%Y-%m}", f"{days.replace(day=1):%Y-%m}")
    platform.name_regime("m", regime.name, "winter")
    with pytest.raises(ValueError, match="number must be that of a regime"):
        platform.name_regime("m", 99, "x")
    platform.learn("m", stream.X[0].tolist(), int(stream.y[0]))
    before = platform.get("m").to_bytes()
    with reopened(platform, place, clock) as other:
        assert other.regime("m").title == "winter"
        assert other.get("m").to_bytes() == before


def test_answers_are_explained(platform):
    platform.create("m")
    with pytest.raises(ValueError, match="must have learnt a label"):
        platform.explain("m", x={"a": 1})
    teach(platform)
    answer = platform.predict("m", {"a": 6, "b": 1, "new": 2}, "x")
    explanation = platform.explain("m", id="x")
    assert explanation.answer == answer.prediction
    assert dict(answer.probabilities)["yes"] == pytest.approx(explanation.probabilities["yes"])
    assert explanation.inputs[0].column == "a"
    with pytest.raises(ValueError, match="an id or an x"):
        platform.explain("m")


def test_a_model_that_cannot_learn_is_in_quarantine_and_others_go_on(
    platform, place, clock, monkeypatch, caplog
):
    platform.create("m")
    platform.create("other")
    teach(platform)
    saved = platform.save_snapshot("m")
    learn = Learner.learn

    def fails(self, rows, labels, known):
        if "poison" in labels:
            raise FloatingPointError("no number")
        learn(self, rows, labels, known)

    monkeypatch.setattr(Learner, "learn", fails)
    with caplog.at_level(logging.ERROR):
        platform.learn("m", {"a": 1}, "poison")
    assert "in quarantine" in caplog.text
    with pytest.raises(QuarantineError, match="row 121 or after could not be learnt"):
        platform.predict("m", {"a": 1})
    teach(platform, "other", ROWS[:10])
    with reopened(platform, place, clock) as other:
        with pytest.raises(QuarantineError):
            other.predict("m", {"a": 1})
        other.restore("m", saved.seq)
        assert other.predict("m", {"a": 1}).prediction == "no"


def test_snapshots_are_made_when_learning_since_the_last_took_long(
    platform, place, clock, monkeypatch
):
    monkeypatch.setattr(module, "DUE_AFTER", 0.002)
    platform.create("m")
    teach(platform)
    platform._models._saver.submit(lambda: None).result()  # what was asked for is done
    snapshots = platform.snapshots("m")
    assert snapshots
    assert {each.kind for each in snapshots} == {"automatic"}
    before = platform.get("m").to_bytes()
    for each in snapshots:
        blob = platform.store.snapshot_bytes(each)
        assert platform.model_at("m", each.seq).to_bytes() == blob
    with reopened(platform, place, clock) as other:
        assert other.get("m").to_bytes() == before


def test_other_arithmetic_is_met_by_snapshots_and_said(platform, place, clock, caplog, monkeypatch):
    platform.create("m")
    teach(platform)
    before = platform.get("m").to_bytes()
    monkeypatch.setattr(module, "numerics_version", lambda: "another")
    with caplog.at_level(logging.WARNING), reopened(platform, place, clock) as other:
        assert other.get("m").to_bytes() == before
        assert "last 120 rows of feedback were learnt again" in caplog.text
        assert other.snapshots("m")[-1].numerics == "another"
        caplog.clear()
    with caplog.at_level(logging.WARNING), Platform(place, clock=clock) as again:
        again.get("m")
        assert caplog.text == ""


def test_a_second_process_is_refused_in_words(platform, place):
    with pytest.raises(StoreInUseError, match="is in use"):
        Platform(place)


def test_a_closed_platform_says_so(place):
    platform = Platform(place)
    platform.create("m")
    platform.close()
    platform.close()
    with pytest.raises(StoreStoppedError, match="closed"):
        platform.predict("m", {"a": 1})


def test_threads_share_a_platform(platform):
    platform.create("m")
    problems = []

    def work(k):
        try:
            for i in range(15):
                answer = platform.predict("m", {"a": i, "b": k}, f"{k}-{i}")
                platform.feedback("m", answer.id, "yes" if i % 2 else "no")
        except Exception as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert platform.get("m").n_labelled == 60
    assert platform.check() == []


def test_a_backup_is_a_store_of_its_own(tmp_path):
    with Platform(tmp_path / "store") as platform:
        platform.create("m")
        teach(platform)
        platform.backup(tmp_path / "copy")
        before = platform.get("m").to_bytes()
        platform.learn("m", {"a": 1}, "yes")
    with Platform(tmp_path / "copy") as other:
        assert other.get("m").to_bytes() == before


def test_a_damaged_store_is_found_out(tmp_path):
    with Platform(tmp_path / "store") as platform:
        platform.create("m")
        teach(platform)
    with sqlite3.connect(tmp_path / "store") as store:
        store.execute("DELETE FROM feedback WHERE seq = 5")
        store.execute("UPDATE prediction SET status = 0 WHERE n = 7")
        store.execute("UPDATE snapshot_part SET bytes = x'00' WHERE part = 0")
    store.close()
    with Platform(tmp_path / "store") as platform:
        problems = "\n".join(platform.check())
    for words in ("numbers of a model", "without a row of feedback", "wait for a label", "damaged"):
        assert words in problems


@pytest.mark.parametrize(
    "params",
    [
        {"max_concepts": 10**6},
        {"interval": 10**8},
        {"mode": "paper", "interval": 10**8},
        {"mode": "paper", "max_experts": 10**9},
    ],
)
def test_parameters_of_which_no_model_can_be_made_are_refused_at_once(platform, params):
    with pytest.raises(ValueError, match="must be at most"):
        platform.create("large", params=params)
    assert "large" not in platform.models()


def test_of_many_rows_the_wrong_one_is_named(platform):
    platform.create("m")
    good = {"a": 1.0}
    for bad in ({"a": "red"}, {"a": 1e300}, None):
        with pytest.raises(ValueError, match=r"^row 2: .*x must be"):
            platform.predict_many("m", [good, good, bad, good])
    with pytest.raises(ValueError, match=r"^row 1: label must be a text as before, got 3"):
        platform.learn_many("m", [good] * 3, ["yes", 3, 4])
    with pytest.raises(ValueError, match=r"^'a' in x"):  # of one row there is nothing to tell
        platform.predict("m", {"a": "red"})
    assert (platform.n_pending("m"), platform.facts("m")["feedback"]) == (0, 0)


@pytest.mark.parametrize("x", [{f"x{k}": 1.0 for k in range(9_000)}, [1.0] * 9_000])
def test_a_first_row_that_is_too_wide_for_its_parameters_is_refused_and_nothing_is_stored(
    platform, x
):
    platform.create("m", params={"interval": 100_000})
    answer = platform.predict("m", x)
    with pytest.raises(ValueError, match="interval must be at most"):
        platform.feedback("m", answer.id, "yes")
    assert platform.facts("m")["feedback"] == 0
    assert platform.facts("m")["problem"] == ""


@pytest.mark.parametrize(("mode", "most"), [("auto", 3_000_000), ("paper", 3_500_000)])
def test_columns_that_come_late_are_refused_where_the_model_could_not_learn_them(
    platform, monkeypatch, mode, most
):
    monkeypatch.setattr(checks, "LARGEST_STATE", most)
    platform.create("m", params={"mode": mode, "interval": 1001})
    wide = [{f"{letter}{k}": 1.0 for k in range(400)} for letter in "abc"]
    platform.learn_many("m", [{"a1": 1.0}, {"a1": 2.0}], ["yes", "no"])
    with pytest.raises(ValueError, match="row 2: interval must be at most"):
        platform.learn_many("m", wide, ["yes", "no", "yes"])  # each by itself would do
    answers = platform.predict_many("m", wide)
    receipts = platform.feedback_many("m", [each.id for each in answers], ["yes", "no", "yes"])
    assert [each.result.value for each in receipts] == ["learned", "learned", "invalid"]
    assert "interval must be at most" in receipts[2].message
    assert platform.learn("m", {"a2": 1.0}, "yes").seq == 5
    assert platform.facts("m")["problem"] == ""


def test_columns_that_leave_no_expert_are_refused(platform):
    others = [name for name in EXPERTS if name not in NARROW_ONLY]
    platform.create("m", params={"without": others})
    platform.learn_many("m", [{"a": 1.0}, {"a": 2.0}], ["yes", "no"])
    with pytest.raises(ValueError, match="without must leave an expert for wide inputs"):
        platform.learn("m", {f"x{k}": 1.0 for k in range(NARROW)}, "yes")
    assert platform.learn("m", {f"x{k}": 1.0 for k in range(NARROW - 1)}, "yes").seq == 3
    assert platform.facts("m")["problem"] == ""


def test_a_class_too_many_is_refused(platform, monkeypatch):
    monkeypatch.setattr(checks, "LARGEST_STATE", 750_000)
    platform.create("m", params={"mode": "paper", "max_experts": 1001})
    x = {f"x{k}": 1.0 for k in range(100)}
    platform.learn("m", x, "class 0")
    with pytest.raises(ValueError, match="row 7: max_experts must be at most"):
        platform.learn_many("m", [{"x1": 1.0}] * 20, [f"class {k}" for k in range(20)])
    assert platform.learn("m", x, "class 1").seq == 2
    assert platform.facts("m")["problem"] == ""


def test_a_model_is_deleted_in_pieces_between_which_others_have_their_turn(platform, monkeypatch):
    platform.create("gone")
    platform.create("stays")
    platform.learn_many("gone", [{"a": k % 3} for k in range(50)], ["yes", "no"] * 25)
    platform.save_snapshot("gone")
    monkeypatch.setattr(store, "AT_ONCE", 10)
    purge, n_pieces = platform.store.purge, []

    def counted():
        for piece in purge():
            n_pieces.append(platform.store.database.commits)
            platform.predict("stays", {"a": 1})
            yield piece

    monkeypatch.setattr(platform.store, "purge", counted)
    platform.delete("gone")
    assert len(n_pieces) == len(set(n_pieces)) == 11  # predictions, feedback, a snapshot
    assert platform.models() == ["stays"]
    assert platform.n_pending("stays") == 11
    assert platform.check() == []


def test_a_store_is_sound_while_a_model_is_deleted(platform, place, clock, monkeypatch):
    monkeypatch.setattr(store, "AT_ONCE", 10)
    for name in ("kept", "m"):
        platform.create(name)
        teach(platform, name, ROWS[:40])
    platform.save_snapshot("m")
    purge = platform.store.purge

    def killed():
        for _, piece in zip(range(6), purge(), strict=False):
            yield piece
            assert platform.check() == []
        raise KeyboardInterrupt

    monkeypatch.setattr(platform.store, "purge", killed)
    with pytest.raises(KeyboardInterrupt):
        platform.delete("m")
    with reopened(platform, place, clock) as again:
        assert again.check() == []
        again.maintain()
        assert again.check() == []
        ((n,),) = again.store.database.select("SELECT count(*) FROM prediction")
        assert n == 40


def test_a_default_label_does_not_let_a_model_grow_beyond_its_bounds(platform, clock, monkeypatch):
    platform.create("m", settings=Settings(expire_after=60, default_label="no"))
    platform.learn("m", {"a": 1}, "yes")
    monkeypatch.setattr(learner, "MOST_CELLS", 6)
    for names in ("ab", "cdefg", "a"):
        platform.predict("m", dict.fromkeys(names, 1.0), names)
    clock.now += 61.0
    platform.maintain()
    status = [platform.prediction("m", name).status for name in ("ab", "cdefg", "a")]
    assert status == [Status.DEFAULTED, Status.EXPIRED, Status.DEFAULTED]
    assert platform.facts("m")["problem"] == ""


def test_two_may_delete_at_the_same_time_and_an_id_is_never_given_twice(platform, place, clock):
    for name in ("a", "b"):
        platform.create(name)
        old = platform.predict(name, {"x": 1}).id
    threads = [threading.Thread(target=platform.delete, args=(name,)) for name in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with reopened(platform, place, clock) as platform:
        platform.create("b")
        new = platform.predict("b", {"x": 1}).id
        assert new != old
        with pytest.raises(UnknownPredictionError):
            platform.feedback("b", old, "yes")


def test_a_backup_waits_for_nobody_and_nobody_waits_for_it(tmp_path):
    with Platform(tmp_path / "store") as platform:
        platform.create("m")
        platform.learn("m", {"a": 1}, "yes")
        copying = threading.Thread(target=platform.backup, args=(tmp_path / "copy",))
        with platform._lock:  # somebody works
            copying.start()
            copying.join(60)
            assert not copying.is_alive()
        platform.learn("m", {"a": 2}, "no")
    with Platform(tmp_path / "copy") as copy:
        assert copy.facts("m")["feedback"] == 1
        assert copy.check() == []


def test_a_list_of_nothing_is_refused_and_poisons_nobody(platform):
    platform.create("m")
    platform.learn("m", {"a": 1.0}, "yes")
    for send in (lambda: platform.predict("m", []), lambda: platform.learn("m", [], "no")):
        with pytest.raises(ValueError, match="x must be a dict of numbers by name or a list"):
            send()
    assert platform.facts("m")["problem"] == ""
    assert platform.learn("m", {"a": 2.0}, "no").seq == 2


@pytest.mark.parametrize("seq", [-1, 3, 0.5, True, 2**70])
def test_a_row_that_is_not_there_can_neither_be_shown_nor_gone_back_to(platform, seq):
    platform.create("m")
    platform.learn_many("m", [{"a": 1.0}, {"a": 2.0}], ["yes", "no"])
    for ask in (platform.model_at, platform.restore):
        with pytest.raises(ValueError, match="seq must be that of a row, from 0 to 2"):
            ask("m", seq)


def test_a_clock_that_goes_back_makes_no_label_wait_less_than_no_time(platform, clock):
    platform.create("m")
    answer = platform.predict("m", {"a": 1.0})
    clock.now -= 3600.0
    assert platform.feedback("m", answer.id, "yes").waited == 0.0
    assert [each.id for each in platform.pending("m", 5)] == []
    with pytest.raises(ValueError, match="limit must be a number from 1 on"):
        platform.pending("m", -1)


def test_labelled_rows_of_a_poisoned_hour_can_be_learnt_again(platform, place, clock):
    platform.create("m")
    rows = [(x, label, f"row {k}") for k, (x, label) in enumerate(ROWS[:20])]
    platform.learn_many("m", *zip(*[(x, "poison", name) for x, _, name in rows], strict=True))
    platform.restore("m", 0)
    X, labels, names = zip(*rows, strict=True)
    receipts = platform.learn_many("m", X, labels, names)
    assert [receipt.result for receipt in receipts] == [Result.LEARNED] * 20
    assert platform.learn("m", X[3], labels[3], names[3]).duplicate
    with pytest.raises(ConflictError, match="another label"):
        platform.learn("m", X[3], "poison", names[3])
    before = platform.get("m").to_bytes()
    assert platform.check() == []
    with reopened(platform, place, clock) as again:
        assert again.get("m").to_bytes() == before


def test_a_model_in_quarantine_keeps_nobody_else_from_being_maintained(platform, clock):
    for name in ("bad", "good"):
        platform.create(name, settings=Settings(expire_after=1.0))
        platform.predict(name, {"a": 1})
    platform._models.open("bad").quarantine("poison")
    clock.now += 10.0
    platform.maintain()
    assert (platform.n_pending("bad"), platform.n_pending("good")) == (1, 0)
    platform.predict("good", {"a": 1})
    assert platform.expire(clock.now + 1.0) == 1
    with pytest.raises(QuarantineError):
        platform.expire(clock.now + 1.0, "bad")


def damage(platform, model, kind):
    """Let the newest snapshot of a kind be other bytes than were written."""
    k = [each.k for each in platform.snapshots(model) if each.kind == kind][-1]
    database = platform.store.database
    with database.transaction():
        database.execute("UPDATE snapshot_part SET bytes = ? WHERE snapshot = ?", (b"noise", k))


def test_where_a_snapshot_is_damaged_the_rows_before_it_are_learnt_again(
    platform, place, clock, caplog
):
    platform.create("m")
    teach(platform, rows=ROWS[:40])
    platform.save_snapshot("m")
    teach(platform, rows=ROWS[40:60])
    platform.save_snapshot("m")
    teach(platform, rows=ROWS[60:70])
    expected = platform.get("m").to_bytes()
    damage(platform, "m", "saved")
    with reopened(platform, place, clock) as again:
        again.warm_up()
        assert again.get("m").to_bytes() == expected
        assert "the snapshot at 60 is damaged" in caplog.text
        assert any("damaged" in problem for problem in again.check())


def test_a_model_whose_beginning_is_damaged_is_in_quarantine_and_others_go_on(
    platform, place, clock
):
    made = MOOEClassifier().fit(np.arange(40.0).reshape(20, 2), [0, 1] * 10)
    platform.create("bad", file=made.to_bytes())
    platform.create("good")
    platform.create("shadow", file=made.to_bytes(), shadow_of="good")
    teach(platform, "good", ROWS[:5])
    for name in ("bad", "shadow"):
        damage(platform, name, "first")
    with reopened(platform, place, clock) as again:
        again.warm_up()
        with pytest.raises(QuarantineError, match="damaged"):
            again.predict("bad", [1.0, 2.0])
        teach(again, "good", ROWS[5:10])
        assert "damaged" in again.facts("shadow")["problem"]


def test_inputs_that_a_shadow_has_still_to_learn_are_not_deleted(
    platform, place, clock, monkeypatch
):
    platform.create("m")
    platform.create("shadow", shadow_of="m")
    names = [platform.predict("m", x).id for x, _ in ROWS[:20]]
    platform._models.open("shadow").pace = 1e9  # so it learns in a thread, which has no time
    monkeypatch.setattr(platform._models._teachers, "submit", lambda *work: None)
    labels = [label for _, label in ROWS[:20]]
    platform.apply([Feedback("m", names, labels, [False] * 20)])
    clock.now += 1.0
    platform.forget_inputs("m")
    with reopened(platform, place, clock) as again:
        assert again.get("shadow").n_labelled == 20


@pytest.mark.parametrize("at", [-2e11, 3e11, float("nan")])
def test_a_time_that_no_calendar_knows_is_refused(platform, at):
    platform.create("m")
    with pytest.raises(ValueError, match="years 5 to 9892"):
        platform.learn("m", {"a": 1}, "yes", at=at)
    platform.learn("m", {"a": 1}, "yes", at=-61e9)
    assert platform.pending("m") == []
    with pytest.raises(ValueError, match="years 5 to 9892, got 'noon'"):
        platform.expire("noon")


def test_a_label_is_no_book(platform):
    platform.create("m")
    with pytest.raises(ValueError, match="at most 1,000 characters"):
        platform.learn("m", {"a": 1}, "y" * 1_001)
    assert platform.learn("m", {"a": 1}, "y" * 1_000).result is Result.LEARNED


def test_a_shadow_whose_inputs_are_gone_does_not_keep_its_model_from_going_back(
    platform, place, clock, caplog
):
    platform.create("m")
    teach(platform, rows=ROWS[:10])
    platform.create("shadow", shadow_of="m", from_start=True)
    platform._models.open("shadow").quarantine("poison")  # so no snapshot of it is saved
    clock.now += 1.0
    platform.forget_inputs("m")
    teach(platform, rows=ROWS[10:30])
    with pytest.raises(ValueError, match="inputs of row 1 were deleted"):
        platform.restore("m", 5)
    assert "model m is in quarantine" not in caplog.text
    assert platform.restore("m", 20) == 10
    teach(platform, rows=ROWS[30:40])
    assert "deleted" in platform.facts("shadow")["problem"]
    before = platform.get("m").to_bytes()
    assert platform.check() == []
    with reopened(platform, place, clock) as again:
        assert again.get("m").to_bytes() == before


def test_a_shadow_of_rows_whose_inputs_were_deleted_is_refused_when_it_is_asked_for(
    platform, clock
):
    platform.create("m", settings=Settings(keep_inputs=60))
    teach(platform, rows=ROWS[:10])
    clock.now += 61.0
    teach(platform, rows=ROWS[10:20])
    platform.maintain()
    rule = "from_start must be False where inputs were deleted, got True: 10 rows of 'm'"
    with pytest.raises(ValueError, match=rule):
        platform.create("shadow", shadow_of="m", from_start=True)
    assert platform.models() == ["m"]
    platform.create("shadow", shadow_of="m")
    teach(platform, rows=ROWS[20:30])
    assert platform.get("shadow").n_labelled == 10


def test_a_shadow_and_a_model_of_the_same_name_are_not_the_same(platform):
    for name in ("m", "other"):
        platform.create(name)
    platform.create("shadow", shadow_of="m")
    platform.create("shadow", shadow_of="m")  # again
    for name, of, found in (
        ("shadow", None, "'m'"),
        ("shadow", "other", "'m'"),
        ("m", "other", None),
    ):
        with pytest.raises(ConflictError, match=f"exists with shadow_of {found}, got {of!r}"):
            platform.create(name, shadow_of=of)
    assert platform.models() == ["m", "other", "shadow"]


def test_only_a_shadow_begins_from_the_start(platform):
    with pytest.raises(ValueError, match="from_start must be False without shadow_of, got True"):
        platform.create("m", from_start=True)
    assert platform.models() == []


def test_a_shadow_from_the_start_needs_only_the_rows_that_count(platform, clock):
    platform.create("m")
    teach(platform, rows=ROWS[:20])
    clock.now += 1.0
    assert platform.forget_inputs("m") == 20
    assert platform.restore("m", 0) == 20
    teach(platform, rows=ROWS[20:30])
    platform.create("shadow", shadow_of="m", from_start=True)
    assert platform.get("shadow").n_labelled == 10
    assert platform.get("shadow").to_bytes() == platform.get("m").to_bytes()


def test_a_shadow_that_cannot_be_taken_back_never_answers_with_what_was_taken_back(
    platform, place, clock
):
    platform.create("m")
    platform.create("shadow", shadow_of="m")
    teach(platform, rows=ROWS[:20])
    platform.save_snapshot("m")
    teach(platform, rows=ROWS[20:30])
    clock.now += 1.0
    platform.forget_inputs("m")  # of all rows; only the model has a snapshot at the 20th
    assert platform.restore("m", 20) == 10
    with reopened(platform, place, clock) as again:
        teach(again, rows=ROWS[30:40])
        assert "deleted" in again.facts("shadow")["problem"]
        with pytest.raises(QuarantineError):
            again.promote("shadow")


def test_inputs_are_found_without_a_look_at_all_rows_and_deleted_in_pieces(
    tmp_path, clock, monkeypatch
):
    monkeypatch.setattr(store, "AT_ONCE", 10)
    with Platform(tmp_path / "store", clock=clock) as platform:
        platform.create("m", settings=Settings(keep_inputs=60))
        teach(platform, rows=ROWS[:25])
        asked, select = [], platform.store.database.select
        monkeypatch.setattr(
            platform.store.database,
            "select",
            lambda sql, values=(): asked.append((sql, values)) or select(sql, values),
        )
        clock.now += 61.0
        assert platform.forget_inputs("m", clock.now - 60.0) == 25
        found = [each for each in asked if "FROM prediction" in each[0]]
        assert len(found) == 4  # ten, ten, five, none
        plans = [select(f"EXPLAIN QUERY PLAN {sql}", values) for sql, values in found]
        words = {line for plan in plans for *_, line in plan}
        assert words == {"SEARCH prediction USING INDEX prediction_inputs (model=? AND at<?)"}


def test_a_snapshot_is_saved_before_inputs_are_deleted_only_where_they_are_behind_none(
    platform, clock
):
    platform.create("m", settings=Settings(keep_inputs=60))
    teach(platform, rows=ROWS[:20])
    platform.maintain()
    assert platform.snapshots("m") == []  # nothing is old enough
    clock.now += 61.0
    teach(platform, rows=ROWS[20:30])
    platform.maintain()
    assert [each.seq for each in platform.snapshots("m")] == [30]
    teach(platform, rows=ROWS[30:40])
    platform.maintain()
    clock.now += 59.0  # the second ten rows are not old enough, and a snapshot is behind all others
    platform.maintain()
    assert [each.seq for each in platform.snapshots("m")] == [30]
    clock.now += 2.0
    platform.maintain()
    assert [each.seq for each in platform.snapshots("m")] == [30, 40]


def test_a_shadow_that_has_learnt_nothing_does_not_take_over(platform):
    platform.create("m")
    platform.create("early", shadow_of="m")
    platform.promote("early")  # neither has learnt anything
    teach(platform, rows=ROWS[:20])
    platform.create("new", shadow_of="m")
    with pytest.raises(ValueError, match="must have learnt a label"):
        platform.promote("new")
    with pytest.raises(ValueError, match="label must be a text"):
        platform.learn("m", {"a": 1}, 7)
    teach(platform, rows=ROWS[20:21])
    platform.promote("new")
    with pytest.raises(ValueError, match="label must be a text"):
        platform.learn("m", {"a": 1}, 7)


def test_a_shadow_of_other_labels_does_not_take_over(platform, tmp_path):
    numbers = MOOEClassifier().fit(np.arange(40.0).reshape(-1, 1) % 7, np.arange(40) % 7 > 3)
    numbers.save(tmp_path / "numbers.mooe")
    platform.create("m")
    platform.create("shadow", shadow_of="m", file=(tmp_path / "numbers.mooe").read_bytes())
    teach(platform, rows=ROWS[:5])
    with pytest.raises(ValueError, match="label"):
        platform.promote("shadow")


def while_rows_are_learnt_again(monkeypatch, name, work, meanwhile):
    """Carry out what learns rows again in a thread, and something else before it has done so."""
    began, may, learn = threading.Event(), threading.Event(), getattr(platform_module, name)

    def held(*about):
        if threading.current_thread() is thread and not began.is_set():
            began.set()
            assert may.wait(60)
        return learn(*about)

    found = []
    thread = threading.Thread(target=lambda: found.append(work()))
    monkeypatch.setattr(platform_module, name, held)
    thread.start()
    assert began.wait(60)
    others = threading.Thread(target=meanwhile)
    others.start()
    others.join(60)
    was_held_up = others.is_alive()
    may.set()
    thread.join()
    others.join()
    assert not was_held_up
    return found


def test_a_model_that_is_taken_back_holds_nobody_up_and_what_comes_meanwhile_counts(
    platform, place, clock, monkeypatch
):
    for name in ("m", "other"):
        platform.create(name)
    platform.create("behind", shadow_of="m", params={"seed": 1})
    teach(platform, rows=ROWS[:20])
    for at in range(10):
        platform.predict("m", ROWS[20 + at][0], f"bad-{at}")
        platform.feedback("m", f"bad-{at}", "poison")
    platform.feedback("m", "bad-1", "yes", correction=True)
    platform.feedback("m", "bad-2", "yes", correction=True)

    def meanwhile():
        teach(platform, "other", ROWS[:5])
        teach(platform, rows=ROWS[40:50])
        platform.feedback("m", "bad-0", "no", correction=True)
        platform.feedback("m", "bad-1", "no", correction=True)

    taken = while_rows_are_learnt_again(
        monkeypatch, "sound_at", lambda: platform.restore("m", 20), meanwhile
    )
    assert taken == [12]
    assert [platform.get(name).n_labelled for name in ("m", "behind")] == [32, 32]
    kinds = [platform.prediction("m", f"bad-{at}") for at in range(4)]
    assert [(each.status.name, each.label) for each in kinds] == [
        *[("LEARNT", "no"), ("LEARNT", "no"), ("WITHDRAWN", None), ("WITHDRAWN", None)]
    ]
    assert platform.feedback("m", "bad-3", "no").result is Result.LEARNED
    assert platform.check() == []
    before = {name: platform.get(name).to_bytes() for name in ("m", "behind")}
    platform.store.delete_snapshots(each.k for name in before for each in platform.snapshots(name))
    with reopened(platform, place, clock) as other:  # all rows that count are learnt once more
        assert {name: other.get(name).to_bytes() for name in before} == before


def test_inputs_that_are_deleted_while_a_model_is_taken_back_do_not_stop_it(
    platform, clock, monkeypatch
):
    platform.create("m")
    teach(platform, rows=ROWS[:20])
    clock.now += 60.0

    def meanwhile():
        teach(platform, rows=ROWS[20:25])
        clock.now += 60.0
        platform.forget_inputs("m", clock.now - 30.0)

    platform.save_snapshot("m")
    teach(platform, rows=ROWS[20:30])
    taken = while_rows_are_learnt_again(
        monkeypatch, "sound_at", lambda: platform.restore("m", 20), meanwhile
    )
    assert taken == [15]  # what cannot be learnt again is taken back too
    assert platform.facts("m")["problem"] == ""
    assert platform.get("m").n_labelled == 20


def test_a_shadow_that_learns_from_the_start_holds_nobody_up(platform, place, clock, monkeypatch):
    platform.create("m")
    teach(platform, rows=ROWS[:20])
    while_rows_are_learnt_again(
        monkeypatch,
        "state_from",
        lambda: platform.create("behind", shadow_of="m", from_start=True),
        lambda: teach(platform, rows=ROWS[20:40]),
    )
    teach(platform, rows=ROWS[40:50])
    expected = platform.get("m").to_bytes()
    assert platform.get("behind").to_bytes() == expected
    with reopened(platform, place, clock) as other:
        assert other.get("behind").to_bytes() == expected


@pytest.mark.parametrize(
    ("meanwhile", "refusal"),
    [
        (lambda platform: platform.restore("m", 10), "row that counts, got 15"),
        (lambda platform: platform.delete("m"), "no model is called 'm'"),
    ],
)
def test_a_model_is_taken_back_only_as_it_is_once_its_rows_are_learnt_again(
    platform, monkeypatch, meanwhile, refusal
):
    platform.create("m")
    teach(platform, rows=ROWS[:20])

    def restored():
        with pytest.raises((ValueError, UnknownModelError), match=refusal):
            platform.restore("m", 15)
        return "refused"

    found = while_rows_are_learnt_again(
        monkeypatch, "sound_at", restored, lambda: meanwhile(platform)
    )
    assert found == ["refused"]


def test_a_model_of_lists_takes_lists_also_after_it_was_taken_back(platform):
    platform.create("m")
    assert platform.experts("m") == []  # it is in memory before another one is made
    platform.create("other")
    platform.learn_many("m", [[1.0, 2.0], [3.0, 4.0]], ["yes", "no"])
    platform.restore("m", 1)
    with pytest.raises(ValueError, match="x must be a list of 2 numbers, as before; got a dict"):
        platform.predict("m", {"a": 1.0})
    assert platform.predict("m", [1.0, 2.0]).prediction == "yes"
