"""The prequential loop."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix, issparse

from mooe.auto import core
from mooe.auto.params import AutoParams
from mooe.auto.roster import EXPERTS
from mooe.datasets.synthetic import recurring
from mooe.estimators import MOOEClassifier
from mooe.evaluate.learners import Answers, Majority, MooeLearner, NoChange
from mooe.evaluate.loop import Entrant, Pass, prequential
from mooe.evaluate.schedule import Schedule
from mooe.labels import Labels
from mooe.model import Model
from mooe.paper.core import Params
from mooe.run.registry import make_learner
from mooe.streams.stream import Chunk, Stream


class Rows:
    """A stream of arrays in chunks of a chosen size."""

    def __init__(self, X, y, size=10_000, task="classification", times=None):
        self.name, self.task = "rows", task
        self.X, self.y, self.times, self.size = X, y, times, size

    def chunks(self, rows):
        for at in range(0, len(self.X), self.size):
            some = slice(at, at + self.size)
            times = None if self.times is None else self.times[some]
            yield SimpleNamespace(X=self.X[some], y=self.y[some], times=times, groups=())


class Diary:
    """A learner that answers nothing and writes down what it was told, and when."""

    takes_sparse = False

    def __init__(self):
        self.told, self.at = [], {}

    def predict_then_learn(self, X, y, known=None):
        for x, label in zip(X[:, 0].astype(int).tolist(), y.tolist(), strict=True):
            if label == label:
                self.told.append(x)
            else:
                self.at[x] = list(self.told)
        return Answers(np.full(len(X), -1))


def stream(n=700, c=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, np.array(["oak", "elm", "fir", "ash"])[(X @ rng.normal(size=(4, c))).argmax(axis=1)]


def test_every_row_counts_with_the_answer_given_before_its_label():
    X, y = stream()
    results = prequential(MooeLearner(Params()), Rows(X, y), store_predictions=True)
    answers = results.predictions
    assert answers[0] is None
    assert results.cumulative["accuracy"] == pytest.approx((answers == y)[1:].mean())
    assert (results.rows, results.unanswered, results.judged) == (700, 1, 699)


@pytest.mark.parametrize("delay", [0, 1, 90])
@pytest.mark.parametrize("size", [7, 700])
def test_rows_before_the_first_label_are_counted_apart_and_not_as_wrong(delay, size):
    X, y = stream()
    source = Rows(X, y, size)
    for learner in (MooeLearner(Params()), NoChange(), Majority()):
        results = prequential(learner, source, delay=delay, store_predictions=True)
        answers = results.predictions
        assert (answers[: delay + 1] == None).all()  # noqa: E711
        assert (results.rows, results.unanswered) == (700, delay + 1)
        assert results.judged == 700 - delay - 1
        assert results.cumulative["accuracy"] == pytest.approx((answers == y)[delay + 1 :].mean())


class Shy:
    """A learner that answers every other row, also after it has learnt."""

    takes_sparse = True

    def predict_then_learn(self, X, y, known=None):
        return Answers(np.where(X[:, 0] > 0, 0, -1))


def test_who_could_answer_and_does_not_is_wrong():
    X, _ = stream()
    results = prequential(Shy(), Rows(X, np.zeros(700, dtype=int)))
    is_shy = X[:, 0] <= 0
    assert results.unanswered == int(is_shy[0])
    assert results.cumulative["accuracy"] == pytest.approx((~is_shy[int(is_shy[0]) :]).mean())


def test_a_model_that_knows_the_classes_answers_before_the_first_label():
    X, y = stream()
    learner, known = MooeLearner(Params()), Labels()
    prequential(learner, Rows(X, y), known=known)
    results = prequential(learner, Rows(X, y), known=known, delay=50)
    assert (results.unanswered, results.judged) == (0, 700)


def test_values_without_an_answer_are_counted_apart():
    X, _ = stream()
    source = Rows(X, X[:, 0], task="regression")
    results = prequential(NoChange("regression"), source, delay=10)
    assert (results.rows, results.unanswered, results.judged) == (700, 11, 689)


def test_a_class_is_rare_or_named_and_judged_by_itself():
    X, y = stream()
    odd = np.where((X[:, 1] > 1.7) & (np.arange(700) > 5), "odd", "usual")
    results = prequential(MooeLearner(AutoParams()), Rows(X, odd), store_predictions=True)
    answers, truth = results.predictions[1:] == "odd", odd[1:] == "odd"
    rare = results.rare
    assert rare["class"] == "odd"
    assert rare["share"] == pytest.approx(np.mean(odd == "odd"))
    assert (rare["rows"], rare["alarms"]) == (truth.sum(), answers.sum())
    assert rare["hits"] == (truth & answers).sum()
    assert results.cumulative["rare_recall"] == pytest.approx(rare["hits"] / rare["rows"])
    assert 0.2 < results.cumulative["average_precision"] <= 1.0
    assert prequential(MooeLearner(Params()), Rows(X, y)).rare == {}
    named = prequential(MooeLearner(Params()), Rows(X, y), positive=y[0].item())
    assert named.rare["class"] == y[0]
    assert prequential(MooeLearner(Params()), Rows(X, y), positive="nobody").rare == {}


@pytest.mark.parametrize(
    ("has_dates", "step", "per_day"),
    [(True, 3600.0, 24.0), (True, 60.0, None), (False, 3600.0, None)],
)
def test_alarms_are_counted_by_the_day_where_times_are_dates(has_dates, step, per_day):
    X, _ = stream()
    odd = (X[:, 1] > 1.7).astype(int)
    times = 1.7e9 + step * np.arange(700)
    rows = Rows(X, odd, 90, times=times)
    rows.has_dates = has_dates
    results = prequential(NoChange(), rows)
    found = results.cumulative.get("alarms_per_day")
    expected = None if per_day is None else per_day * results.rare["alarms"] / 699
    assert found == (None if expected is None else pytest.approx(expected))


def test_a_learner_without_probabilities_has_an_average_precision_too():
    X, _ = stream()
    odd = (X[:, 1] > 1.7).astype(int)
    results = prequential(NoChange(), Rows(X, odd))
    assert results.cumulative["average_precision"] == pytest.approx(odd.mean(), abs=0.03)


def test_labels_that_are_far_from_all_others_are_named():
    X, _ = stream()
    values = X[:, 0].copy()
    values[[100, 300, 301]] = 9999.0
    results = prequential(
        MooeLearner(AutoParams(task="regression")), Rows(X, values, task="regression")
    )
    assert (results.far["rows"], results.far["labels"]) == (3, [[9999.0, 3]])
    assert results.cumulative["median_error"] < results.far["mae"] < 2.0
    assert results.cumulative["mae"] > 40.0


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 300), st.integers(1, 250))
def test_results_do_not_depend_on_the_chunks(size, window):
    X, y = stream(300)
    whole = prequential(MooeLearner(Params()), Rows(X, y), window=window)
    parts = prequential(MooeLearner(Params()), Rows(X, y, size), window=window)
    assert parts.cumulative == pytest.approx(whole.cumulative)
    assert [one["row"] for one in parts.windows] == [one["row"] for one in whole.windows]
    for one, other in zip(parts.windows, whole.windows, strict=True):
        assert one == pytest.approx(other)


def test_windows_are_cut_at_multiples_and_the_last_may_be_shorter():
    X, y = stream(250)
    results = prequential(MooeLearner(Params()), Rows(X, y, 70), window=100, store_predictions=True)
    assert [one["row"] for one in results.windows] == [100, 200, 250]
    assert [one["rows"] for one in results.windows] == [100, 100, 50]
    hits = results.predictions == y
    expected = [hits[1:100].mean(), hits[100:200].mean(), hits[200:].mean()]
    assert [one["accuracy"] for one in results.windows] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("n", "window"), [(1500, 50), (5000, 50), (5001, 100), (10_001, 500), (50_001, 1000)]
)
@pytest.mark.parametrize("size", [777, 100_000])
def test_a_short_stream_has_short_windows_and_a_long_one_no_more_than_can_be_seen(n, window, size):
    X = np.zeros((n, 1))
    y = np.random.default_rng(0).integers(0, 3, n)
    found = prequential(NoChange(), Rows(X, y, size))
    told = prequential(NoChange(), Rows(X, y, size), window=window)
    assert found.window == window
    assert found.windows == told.windows
    assert found.cumulative == pytest.approx(told.cumulative)


@settings(deadline=None)
@given(st.integers(0, 20), st.integers(1, 40))
def test_with_delay_d_the_labels_of_rows_up_to_t_minus_d_are_learnt(delay, size):
    n, diary = 60, Diary()
    X = np.arange(n, dtype=float)[:, None]
    prequential(diary, Rows(X, np.zeros(n, int), size), delay=max(delay, 1))
    delay = max(delay, 1)
    assert all(diary.at[t] == list(range(t - delay)) for t in range(n))
    assert diary.told == list(range(n - delay))


def test_late_labels_are_numbered_as_the_learner_meets_them():
    """The first label to arrive is of the second class of the stream."""
    X, y = stream(400, 2)
    delays = lambda row: None if row == 0 else 3 + row % 5  # noqa: E731
    late = prequential(MooeLearner(Params()), Rows(X, y), delay=delays, store_predictions=True)
    answers, begin = late.predictions, late.unanswered
    assert late.cumulative["accuracy"] == pytest.approx((answers == y)[begin:].mean())
    assert late.cumulative["accuracy"] > 0.7
    assert late.cumulative["log_loss"] < np.log(2)


def runs_of_labels(n=1500, length=6):
    """Return rows that say nothing, and labels that change every `length` rows."""
    X = np.random.default_rng(0).normal(size=(n, 2))
    return X, np.arange(n) // length % 2


class Forgetful(MooeLearner):
    """The default model, not told what was known at the answers."""

    last_label = None


@pytest.mark.parametrize("size", [1, 97, 1500])
def test_no_change_is_judged_by_what_it_said_when_the_label_was_not_known(size):
    """The label known at a row is always wrong, the one known when its own comes nearly never."""
    X, y = runs_of_labels()
    two = ("no_change", "squares_slow")
    params = AutoParams(without=tuple(name for name in EXPERTS if name not in two))

    def run(learner):
        results = prequential(learner, Rows(X, y, size), delay=5)
        names = [one.name for one in core.experts(learner.params, learner.state)]
        weight = core.weights(learner.params, learner.state)[names.index("no_change")]
        return results.cumulative["accuracy"], weight

    accuracy, weight = run(MooeLearner(params))
    assert accuracy > 0.45
    assert weight < 0.01
    accuracy, weight = run(Forgetful(params))
    assert accuracy < 0.01
    assert weight > 0.5


def test_late_labels_teach_the_same_model_in_any_chunks():
    X, y = stream(300)
    models = [MooeLearner(AutoParams()) for _ in range(3)]
    for model, size in zip(models, [1, 41, 300], strict=True):
        prequential(model, Rows(X, y, size), delay=7)
    assert len({model.state.block.tobytes() for model in models}) == 1


def test_with_labels_at_once_the_default_model_is_its_core():
    X, y = stream(300)
    model, params = MooeLearner(AutoParams()), AutoParams()
    prequential(model, Rows(X, y, 70))
    state = core.init(params, 4)
    core.predict_then_learn(params, state, X, Labels().encode(y))
    assert model.state.block.tobytes() == state.block.tobytes()


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_what_was_learnt_before_the_stream_is_known_at_its_first_rows(task):
    """Told together and told in two runs, with the same labels known at each answer."""
    X, y = stream(200)
    y = X[:, 0] if task == "regression" else y
    waits = [min(3, 99 - row % 100) for row in range(200)]  # all are told at the end of each half
    whole, parts = (MooeLearner(AutoParams(task=task)) for _ in range(2))
    prequential(whole, Rows(X, y, task=task), delay=waits.__getitem__, known=Labels())
    known = Labels()
    for some in (slice(0, 100), slice(100, 200)):
        source = Rows(X[some], y[some], task=task)
        prequential(parts, source, delay=waits[some].__getitem__, known=known)
    assert parts.state.block.tobytes() == whole.state.block.tobytes()


def test_no_label_ever_means_no_answer_ever():
    X, y = stream(50)
    results = prequential(MooeLearner(Params()), Rows(X, y), delay=None, store_predictions=True)
    assert set(results.predictions.tolist()) == {None}
    assert (results.rows, results.unanswered, results.judged) == (50, 50, 0)
    assert results.cumulative == {}


def test_rows_without_label_are_answered_and_not_judged():
    X, _ = stream(40)
    labels = np.array(["a", "b"] * 20, dtype=object)
    labels[::4] = None
    results = prequential(MooeLearner(Params()), Rows(X, labels), store_predictions=True)
    assert len(results.predictions) == 40
    judged = np.array([label is not None for label in labels])
    judged[:2] = False  # the first label is that of the second row
    answers = results.predictions
    assert (results.unanswered, results.judged) == (2, 29)
    assert results.cumulative["accuracy"] == pytest.approx((answers == labels)[judged].mean())


def test_regression_has_measures_of_its_own():
    X, _ = stream(300)
    source = Rows(X, X[:, 0], task="regression")
    model = MooeLearner(Params(task="regression", target_bounds=(-9, 9)))
    results = prequential(model, source)
    naive = prequential(Majority("regression"), source)
    assert set(results.cumulative) == {"mae", "median_error", "rmse", "r2"}
    assert results.cumulative["mae"] < naive.cumulative["mae"]


def test_max_rows_stops_there():
    X, y = stream(300)
    assert prequential(NoChange(), Rows(X, y, 70), max_rows=100).rows == 100


def test_an_interrupt_gives_the_results_so_far():
    X, y = stream(300)

    def stop(results):
        if results.rows >= 100:
            raise KeyboardInterrupt

    results = prequential(NoChange(), Rows(X, y, 50), progress=stop)
    assert results.interrupted
    assert results.rows == 100
    assert results.cumulative["accuracy"] >= 0.0


def test_experts_of_a_returning_concept_gain_weight_and_the_others_lose_it():
    """A B A B A with opposite concepts of 1,000 rows each, shorter than the paper's memory."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(5000, 5))
    concept = np.arange(5000) // 1000 % 2
    y = ((X @ rng.normal(size=5)) * np.where(concept == 0, 1, -1) > 0).astype(int)
    results = prequential(MooeLearner(Params()), Rows(X, y), watch=True)

    def share_of_a(first, last):
        shares = []
        for moment in results.moments:
            if first <= moment.row < last:
                of_a = [concept[50 * name] == 0 for name in moment.names]
                offline = np.array(moment.weights[:-1])
                shares.append(offline[of_a].sum() / offline.sum())
        return np.mean(shares)

    for begin in (1000, 3000):
        before, back = share_of_a(begin + 200, begin + 1000), share_of_a(begin + 1000, begin + 2000)
        assert back > before + 0.2


@pytest.mark.parametrize("watch", [False, True])
@pytest.mark.parametrize("delay", [0, 300])
def test_the_regimes_at_the_end_are_told_in_rows_of_the_stream(watch, delay):
    stream = recurring(n=6000, length=1000)
    learner = MooeLearner(AutoParams())
    rows = Rows(stream.X, stream.y, 777)
    results = prequential(learner, rows, watch=watch, delay=delay, label_probability=0.7)
    assert results.remembers == "regimes"
    assert [one["name"] for one in results.concepts] == [
        one["name"] for one in learner.concepts()[1]
    ]
    long = [(a, b) for one in results.concepts for a, b in one["visits"] if b - a > 400]
    assert len(long) == 6
    for first, last in long:  # each within one stretch of the stream
        inside = stream.concept[first : last + 1]
        assert np.mean(inside == np.bincount(inside).argmax()) > 0.9


def test_learners_without_regimes_tell_of_none():
    X, y = stream()
    assert prequential(NoChange(), Rows(X, y)).concepts == []
    paper = prequential(MooeLearner(Params()), Rows(X, y))
    assert (paper.concepts, paper.remembers) == ([], "intervals")
    bare = MooeLearner(AutoParams(without=("memory_plain", "memory_rich")))
    bare_results = prequential(bare, Rows(X, y))
    assert (bare_results.concepts, bare_results.remembers) == ([], "")


def test_memory_is_looked_at_evenly_however_long_the_stream():
    stream = recurring(n=60_000, length=250)
    results = prequential(MooeLearner(Params()), Rows(stream.X, stream.y), watch=True)
    assert 400 <= len(results.moments) < 800
    assert (
        len({b.row - a.row for a, b in zip(results.moments, results.moments[1:], strict=False)})
        <= 2
    )


def test_a_window_holds_at_least_a_row():
    X, y = stream(10)
    with pytest.raises(ValueError, match="window must be at least 1, got 0"):
        prequential(NoChange(), Rows(X, y), window=0)


def test_regrets_are_recorded_on_request_and_change_no_answer():
    X, y = stream(300, 2)
    plain = prequential(MooeLearner(Params()), Rows(X, y), store_predictions=True)
    judged = prequential(
        MooeLearner(Params()), Rows(X, y), regret=True, watch=True, store_predictions=True
    )
    assert np.array_equal(plain.predictions, judged.predictions)
    assert plain.regrets == []
    assert [one["interval"] for one in judged.regrets] == [1, 2, 3, 4, 5]
    assert len(judged.moments) == 6
    with pytest.raises(ValueError, match="regret must be that of mode='paper', got NoChange"):
        prequential(NoChange(), Rows(X, y), regret=True)


@pytest.mark.parametrize("delay", [0, 3])
def test_a_learner_goes_on_with_the_classes_that_it_knows(delay):
    X, y = stream()
    known, whole = Labels(), Labels()
    parts = MooeLearner(Params())
    for some in (slice(0, 300), slice(300, 700)):
        # Each part hands out its labels to the end, as the whole does once.
        n = some.stop - some.start
        waits = [min(delay, n - 1 - row) for row in range(n)]
        prequential(parts, Rows(X[some], y[some]), delay=waits.__getitem__, known=known)
    one = MooeLearner(Params())
    cut = [min(delay, (300 if row < 300 else 700) - 1 - row) for row in range(700)]
    prequential(one, Rows(X, y), delay=cut.__getitem__, known=whole)
    assert known.names == whole.names
    assert set(known.names) == set(y)
    assert parts.state.block.tobytes() == one.state.block.tobytes()


def test_classes_met_later_than_they_appear_are_added_in_the_learners_order():
    X, y = stream(4)
    y = np.array(["oak", "elm", "fir", "elm"])
    known = Labels()
    prequential(MooeLearner(Params()), Rows(X, y), delay=[3, 0, 0, 0].__getitem__, known=known)
    assert known.names == ["elm", "fir", "oak"]


@pytest.mark.parametrize("delay", [0, 3])
@pytest.mark.parametrize(
    "labels", [["oak", "elm", "fir"], [7, -3, 40], [0.5, 2.0, 1.5], ["02", "2", "+2"]], ids=str
)
def test_predictions_are_labels_as_the_stream_has_them(labels, delay):
    y = np.array([labels[i] for i in np.random.default_rng(0).integers(3, size=60)])
    results = prequential(
        NoChange(), Rows(np.zeros((60, 1)), y), delay=delay, store_predictions=True
    )
    wait = delay + 1  # the label of row t is known when row t + 1 + delay is answered
    assert results.predictions.tolist() == [None] * wait + y[:-wait].tolist()


def test_predictions_of_a_regression_are_values():
    y = np.array([0.5, 2.0, -1.0])
    source = Rows(np.zeros((3, 1)), y, task="regression")
    results = prequential(NoChange("regression"), source, store_predictions=True)
    assert results.predictions.dtype == np.float64
    assert np.array_equal(results.predictions, [np.nan, 0.5, 2.0], equal_nan=True)


def test_progress_sees_the_answers_of_every_chunk():
    X, y = stream(100)
    seen = []
    results = prequential(
        MooeLearner(Params()),
        Rows(X, y, size=30),
        store_predictions=True,
        progress=lambda so_far: seen.append(so_far.predictions),
    )
    assert [len(some) for some in seen] == [30, 30, 30, 10]
    assert np.array_equal(np.concatenate(seen), results.predictions)
    again = prequential(NoChange(), Rows(X, y), progress=lambda so_far: None)
    assert again.predictions is None


@pytest.mark.parametrize(
    ("platform", "unit"), [("linux", 1024), ("darwin", 1)], ids=["KiB on Linux", "bytes on macOS"]
)
def test_the_memory_of_a_run_is_in_bytes_on_every_system(monkeypatch, platform, unit):
    usage = SimpleNamespace(ru_maxrss=300_000_000 // unit)
    fake = SimpleNamespace(RUSAGE_SELF=0, getrusage=lambda who: usage)
    monkeypatch.setitem(sys.modules, "resource", fake)
    monkeypatch.setattr(sys, "platform", platform)
    results = prequential(NoChange(), Rows(*stream(10)))
    assert results.memory == 300_000_000 // unit * unit


def test_a_system_that_does_not_tell_its_memory_runs_all_the_same(monkeypatch):
    monkeypatch.setitem(sys.modules, "resource", None)  # as on Windows: importing it fails
    results = prequential(NoChange(), Rows(*stream(10)))
    assert (results.rows, results.memory) == (10, 0)


class Handed:
    """A stream of one chunk, dense or sparse."""

    name, task = "handed", "classification"

    def __init__(self, X, y):
        self.chunk = Chunk(X, y, tuple(f"c{j}" for j in range(X.shape[1])), None)

    def chunks(self, rows):
        yield self.chunk


@pytest.mark.parametrize("model", ["mooe", "no-change", "mooe-paper"])
def test_more_columns_than_a_model_can_hold_are_refused(model):
    X = csr_matrix(([1.0], ([0], [29_999_999])), shape=(2, 30_000_000))
    wide = Stream("wide", X, np.array([0, 1]))
    message = "columns of wide must be at most 4,000,000 for a model to learn, got 30,000,000"
    with pytest.raises(ValueError, match=message):
        prequential(make_learner(model), wide)


def test_sparse_rows_are_made_dense_a_few_at_a_time_for_a_learner_that_needs_it():
    class Widths(NoChange):
        takes_sparse = False

        def predict_then_learn(self, X, y, known=None):
            largest.append(X.size)
            return super().predict_then_learn(X, y)

    largest = []
    X = csr_matrix((np.ones(50), (np.arange(50), np.arange(50))), shape=(50, 1_000_000))
    y = np.arange(50) % 3
    seen = []
    results = prequential(
        Widths(),
        Stream("wide", X, y),
        store_predictions=True,
        progress=lambda so_far: seen.extend(so_far.predictions),
    )
    assert max(largest) <= 4_000_000
    assert results.predictions.tolist() == [None, *y[:-1].tolist()] == seen


@pytest.mark.parametrize("delay", [0, 7, None])
@pytest.mark.parametrize("model", ["mooe", "no-change"])
def test_columns_may_be_added_to_sparse_rows(model, delay):
    rng = np.random.default_rng(0)
    X = rng.random((300, 200)) * (rng.random((300, 200)) < 0.05)
    X[:100, 150:] = 0.0
    y = (X @ rng.normal(size=200) > 0).astype(np.int64)

    class Growing(Handed):
        def chunks(self, rows):
            for start, width in ((0, 150), (100, 200), (200, 200)):
                some = slice(start, start + 100)
                yield SimpleNamespace(X=self.X[some, :width], y=y[some], times=None, groups=())

    growing = Growing(X, y)
    growing.X = csr_matrix(X)
    options = {"delay": delay, "store_predictions": True}
    results = prequential(make_learner(model), growing, **options)
    whole = prequential(make_learner(model), Handed(csr_matrix(X), y), **options)
    if model == "no-change":
        assert results.predictions.tolist() == whole.predictions.tolist()
    assert results.rows == 300


@pytest.mark.parametrize("delay", [0, 7])
@pytest.mark.parametrize("model", ["mooe", "no-change", "mooe-paper"])
def test_sparse_rows_are_judged_as_dense_ones(model, delay):
    rng = np.random.default_rng(0)
    X = rng.random((300, 140)) * (rng.random((300, 140)) < 0.05)
    y = (X @ rng.normal(size=140) > 0).astype(np.int64)
    dense, sparse = (
        prequential(make_learner(model), Handed(rows, y), delay=delay, store_predictions=True)
        for rows in (X, csr_matrix(X))
    )
    assert np.array_equal(dense.predictions, sparse.predictions)
    assert dense.cumulative == sparse.cumulative


def entrants(params=None, known=()):
    return [
        Entrant("mooe", MooeLearner(params or AutoParams()), Labels(known), watch=True),
        Entrant("bare", MooeLearner(AutoParams(without=("memory_plain", "memory_rich")))),
        Entrant("no-change", NoChange(), store_predictions=True),
        Entrant("majority", Majority()),
    ]


PLAIN = ("cumulative", "windows", "window", "moments", "concepts", "rows", "features", "remembers")


@pytest.mark.parametrize("options", [(0, 1.0, 0), (7, 1.0, 0), (3, 0.6, 5), (None, 1.0, 0)])
@pytest.mark.parametrize("size", [1, 97, 1500])
def test_in_one_pass_every_learner_does_as_it_would_alone(options, size):
    X, y = stream(600)
    delay, probability, seed = options
    together = Pass(entrants(), "rows", "classification", Schedule(*options), seed=seed)
    together.go(Rows(X, y, size).chunks(0))
    for entrant, results in zip(entrants(), together.results, strict=True):
        alone = prequential(
            entrant.learner,
            Rows(X, y, size),
            delay=delay,
            label_probability=probability,
            seed=seed,
            watch=entrant.watch,
            store_predictions=entrant.store_predictions,
        )
        for name in PLAIN:
            assert getattr(results, name) == getattr(alone, name), name
        assert results.classes == alone.classes
        assert (results.predictions is None) == (alone.predictions is None)
        if alone.predictions is not None:
            assert results.predictions.tolist() == alone.predictions.tolist()


@pytest.mark.parametrize("delay", [0, 4])
def test_beside_a_model_that_goes_on_the_others_start_fresh(delay):
    """Its classes come first, in its order; the others know only those of the stream."""
    X, y = stream(500)
    first = [label for label in ("ash", "fir", "elm", "oak") if label != y[0]]
    old = Labels(first)
    start = Model(AutoParams())
    start.learn(X[:60], old.encode(y[:60]))

    def resumed():
        return Entrant("mooe", MooeLearner(start.copy()), old.copy())

    fresh = entrants()[1:]
    together = Pass([resumed(), *fresh], "rows", "classification", Schedule(delay))
    together.go(Rows(X, y, 83).chunks(0))
    alone = resumed()
    model = prequential(alone.learner, Rows(X, y, 83), delay=delay, known=alone.known)
    assert together.results[0].cumulative == model.cumulative
    assert together.results[0].classes[: len(old)] == old.names
    assert together.trials[0].entrant.known.names == alone.known.names
    state = together.trials[0].entrant.learner.state
    assert state.block.tobytes() == alone.learner.state.block.tobytes()
    for entrant, results in zip(entrants()[1:], together.results[1:], strict=True):
        by_itself = prequential(entrant.learner, Rows(X, y, 83), delay=delay)
        assert results.cumulative == by_itself.cumulative
        assert results.windows == by_itself.windows
        assert results.classes == list(dict.fromkeys(y.tolist()))


class Counter:
    """A stream that counts how often its rows are asked for."""

    def __init__(self, rows):
        self.rows, self.n = rows, 0

    def chunks(self, rows):
        self.n += 1
        return self.rows.chunks(rows)


def test_rows_are_read_scheduled_and_numbered_once_for_all(monkeypatch):
    X, y = stream(300)
    source, calls = Counter(Rows(X, y, 100)), {"arrive": 0, "encode": 0}

    def counted(kind, name):
        real = getattr(kind, name)

        def call(self, *arguments):
            calls[name] += 1
            return real(self, *arguments)

        monkeypatch.setattr(kind, name, call)

    counted(Schedule, "arrive")
    counted(Labels, "encode")
    Pass(entrants(), "rows", "classification", Schedule(5)).go(source.chunks(0))
    assert source.n == 1
    assert calls == {"arrive": 3, "encode": 3}


@pytest.mark.parametrize(
    ("task", "labels", "constant"),
    [
        ("classification", ["a", "a"], True),
        ("classification", ["a", None], True),
        ("classification", ["a", "b"], False),
        ("classification", [None, None], False),
        ("regression", [1.5, 1.5, np.nan], True),
        ("regression", [1.5, 2.5], False),
        ("regression", [np.nan], False),
    ],
)
def test_a_pass_knows_whether_labels_differ(task, labels, constant):
    y = np.array(labels, dtype=object if task == "classification" else float)
    run = Pass([Entrant("majority", Majority(task))], "rows", task, Schedule())
    run.go(Rows(np.zeros((len(y), 1)), y, 1, task).chunks(0))
    assert run.label_is_constant == constant


def test_a_label_that_is_an_identity_is_refused():
    run = Pass([Entrant("m", Majority())], "rows", "classification", Schedule(), most_classes=10)
    with pytest.raises(ValueError, match="at most 10 classes, got 11: is --label"):
        run.go(Rows(np.zeros((11, 1)), np.arange(11)).chunks(0))


def test_an_interrupt_ends_the_pass_for_all():
    X, y = stream(300)

    def stop(results, labels):
        assert len(labels) == 50
        if results.rows >= 100:
            raise KeyboardInterrupt

    run = Pass(entrants(), "rows", "classification", Schedule())
    run.go(Rows(X, y, 50).chunks(0), progress=stop)
    assert [(results.rows, results.interrupted) for results in run.results] == [(100, True)] * 4


def test_sparse_rows_stay_sparse_only_where_every_learner_takes_them():
    seen = []

    class Looking(Majority):
        def predict_then_learn(self, X, y, known=None):
            seen.append(issparse(X))
            return super().predict_then_learn(X, y, known)

    class Dense(Looking):
        takes_sparse = False

    handed = Handed(csr_matrix(np.eye(4)), np.arange(4))
    for kinds in ([Looking, Looking], [Looking, Dense]):
        run = Pass([Entrant("", kind()) for kind in kinds], "", "classification", Schedule())
        run.go(handed.chunks(0))
    assert seen == [True, True, False, False]


def test_costs_are_counted_of_the_class_that_the_threshold_is_about():
    """Of every model of the pass, by false alarms and misses over the rows that are judged."""
    stream = recurring(n=1500, length=250)
    model = MOOEClassifier(threshold={"cost": (1.0, 9.0)}, positive=1)
    results = prequential(model, stream.X, stream.y, store_predictions=True)
    for run in (results, *results.others, results.without_memory):
        costs = run.costs
        assert run.cumulative["cost"] == costs["false_alarms"] + 9.0 * costs["misses"]
        assert (costs["class"], costs["false_alarm"], costs["miss"]) == (1, 1.0, 9.0)
    said, truth = results.predictions[1:], stream.y[1:]
    assert results.costs["false_alarms"] == np.sum((said == 1) & (truth == 0))
    assert results.costs["misses"] == np.sum((said == 0) & (truth == 1))
    cautious = prequential(MOOEClassifier(), stream.X, stream.y)
    assert "cost" not in cautious.cumulative
    assert not cautious.costs
    second = prequential(MOOEClassifier(threshold={"cost": (1.0, 9.0)}), stream.X, stream.y)
    assert second.costs == results.costs, "of two classes the second"
