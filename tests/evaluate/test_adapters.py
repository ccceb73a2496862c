"""Any model under one roof: ours, scikit-learn's, River's, pipelines; each as it would go alone."""

import io
import re
from datetime import timedelta

import numpy as np
import pandas as pd
import pytest
from command import inside
from made_streams import table
from scipy import sparse
from shop import as_csv, made_rows
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.naive_bayes import GaussianNB

import mooe
from mooe.datasets import recurring
from mooe.evaluate import prequential
from mooe.evaluate.learners import MooeLearner

river = pytest.importorskip("river")
from river import tree  # noqa: E402

N = 300


def answers_of(model, X, y, **options):
    return prequential(model, X, y, store_predictions=True, **options)


def test_our_estimator_answers_as_the_learner_itself_and_has_learnt_the_rows():
    stream = recurring(n=1500, length=250)
    estimator = mooe.MOOEClassifier()
    results = answers_of(estimator, stream.X, stream.y)
    model = mooe.MOOEClassifier()
    learner = MooeLearner(model.begin(stream.X)[0])
    bare = prequential(learner, stream, store_predictions=True)
    assert results.predictions.tolist() == bare.predictions.tolist()
    assert results.cumulative == bare.cumulative
    assert results.model == "mooe"
    assert results.moments, "watched, for the recall map of its report"
    whole = mooe.MOOEClassifier().partial_fit(stream.X, stream.y)
    assert estimator.to_bytes() == whole.to_bytes()
    assert estimator.classes_.tolist() == [0, 1]
    assert not hasattr(model, "model_"), "begin leaves the estimator as it is"


def test_our_estimator_goes_on_from_what_it_knows_in_rows_of_any_kind():
    stream = recurring(n=900, length=150)
    frame = pd.DataFrame(stream.X, columns=[f"c{j}" for j in range(stream.X.shape[1])])
    estimator = mooe.MOOEClassifier().partial_fit(frame[:300], stream.y[:300])
    results = prequential(estimator, frame[300:], stream.y[300:])
    assert results.unanswered == 0
    whole = mooe.MOOEClassifier().partial_fit(frame, stream.y)
    assert estimator.to_bytes() == whole.to_bytes()
    assert estimator.feature_names_in_.tolist() == list(frame.columns)
    thin = prequential(mooe.MOOEClassifier(), sparse.csr_matrix(stream.X), stream.y)
    assert thin.cumulative == prequential(mooe.MOOEClassifier(), stream.X, stream.y).cumulative


@pytest.mark.parametrize("delay", [0, 20])
def test_our_estimator_takes_frames_with_texts_that_appear_later(delay):
    X, y, _ = table(1200)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    colours = np.array(["red", "blue", "green", "grey"])
    frame["colour"] = colours[np.arange(1200) % 7 % np.where(np.arange(1200) < 800, 3, 4)]
    estimator = mooe.MOOEClassifier()
    results = answers_of(estimator, frame, y, delay=delay)
    assert (results.rows, results.features, results.unanswered) == (1200, 4, delay + 1)
    assert results.cumulative["accuracy"] > 0.8
    assert estimator.feature_names_in_.tolist() == ["a", "b", "c", "colour"]
    assert estimator.predict(frame[-5:]).shape == (5,)
    if not delay:
        whole = mooe.MOOEClassifier().partial_fit(frame, y)
        assert estimator.to_bytes() == whole.to_bytes()
    again = prequential(estimator, frame[:300], y[:300])
    assert again.unanswered == 0


def test_our_estimator_is_judged_by_what_its_threshold_answers():
    stream = recurring(n=900, length=150)
    eager = mooe.MOOEClassifier(threshold=0.01)
    results = answers_of(eager, stream.X, stream.y, positive=1)
    assert np.mean(results.predictions[50:].astype(int)) > 0.9
    assert results.rare["class"] == 1
    assert results.cumulative["rare_recall"] > 0.95


def test_our_regressor_and_our_river_model_are_judged_too():
    X, y, values = table()
    results = prequential(mooe.MOOERegressor(), X, values, unit="kW")
    assert results.cumulative["median_error"] < results.cumulative["mae"]
    assert [other.model for other in results.others] == ["no-change", "mean"]
    assert {each.unit for each in (results, *results.others)} == {"kW"}
    from mooe.river_adapter import MOOEClassifier

    rows = answers_of(MOOEClassifier(), X, y).predictions.tolist()
    assert rows == answers_of(mooe.MOOEClassifier(), X, y).predictions.tolist()


def test_an_error_leaves_our_estimator_as_it_was():
    stream = recurring(n=300, length=50)
    estimator = mooe.MOOEClassifier().partial_fit(stream.X, stream.y)
    before = estimator.to_bytes()
    with pytest.raises(ValueError, match="y must have a value for each of 300 rows, got 299"):
        prequential(estimator, stream.X, stream.y[:-1])
    with pytest.raises(ValueError, match="delay must be in rows"):
        prequential(estimator, stream.X, stream.y, delay=timedelta(days=1))
    assert estimator.to_bytes() == before


def test_labels_may_come_late_by_time_and_rows_before_the_first_are_counted_apart():
    X, y, _ = table()
    times = np.datetime64("2024-01-01") + np.arange(N) * np.timedelta64(1, "h")
    at = {"times": times, "delay": timedelta(days=1)}
    results = prequential(SGDClassifier(random_state=0), X, y, **at)
    assert (results.rows, results.unanswered, results.judged) == (N, 24, N - 24)
    assert {other.unanswered for other in results.others} == {24}
    frame = prequential(SGDClassifier(random_state=0), X, y, **(at | {"times": pd.Series(times)}))
    assert frame.cumulative == results.cumulative


def test_rows_without_label_are_answered_and_not_judged():
    X, y, values = table()
    some = pd.Series(y).where(np.arange(N) % 3 > 0)
    for model in (SGDClassifier(random_state=0), tree.HoeffdingTreeClassifier()):
        results = answers_of(model, X, some)
        assert results.judged + results.unanswered == (np.arange(N) % 3 > 0).sum() + 1
        assert all(answer is not None for answer in results.predictions[5:])
    values[::2] = np.nan
    assert prequential(SGDRegressor(random_state=0), X, values).judged == N // 2 - 1


def test_a_learner_needs_to_be_told_the_task_where_it_does_not_know_it():
    class Silent:
        takes_sparse = True

        def predict_then_learn(self, X, y, known=None):
            raise AssertionError("asked")

    with pytest.raises(ValueError, match=r"task must be .*, the model does not say"):
        prequential(Silent(), np.zeros((2, 1)), [0, 1])


def page_of(folder):
    """Return the page of a report without what no two runs share: speeds, versions, hashes."""
    page = (folder / "index.html").read_text()
    page = re.sub(r"(<td><data value=\"[^\"]*\">[\d,.]+</data></td>){2}</tr>", "</tr>", page)
    return re.sub(r"<footer>.*</footer>", "", page, flags=re.DOTALL)


def test_the_report_of_a_frame_is_that_of_its_file(tmp_path):
    """With the twin without memory, columns by name, dates: nothing is left for the command."""
    path = tmp_path / "shop.csv"
    path.write_text(as_csv(made_rows(1500)))
    frame = pd.read_csv(path)
    results = prequential(
        mooe.MOOEClassifier(),
        frame[["size", "colour", "weight"]],
        frame["bought"],
        times=frame["when"],
        name="shop.csv",
        delay="2h",
    )
    results.report(tmp_path / "python")
    options = ("--label", "bought", "--time", "when", "--delay", "2h")
    done = inside("run", path, *options, "--quiet", "--report", tmp_path / "command")
    assert done.exit_code == 0, done.stderr
    page = page_of(tmp_path / "python")
    assert page == page_of(tmp_path / "command")
    assert "mooe, no memory" in page
    foot = (tmp_path / "command" / "index.html").read_text()
    assert "<dt>inputs</dt><dd>size, colour, weight</dd>" in foot
    assert "<dt>label</dt><dd>bought</dd>" in foot
    assert results.inputs == ["size", "colour", "weight"]
    assert {weight["column"] for r in results.concepts for weight in r["inputs"]} >= {"weight"}


def test_a_model_that_is_not_watched_goes_alone():
    stream = recurring(n=600, length=150)
    watched = prequential(mooe.MOOEClassifier(), stream.X, stream.y)
    alone = prequential(mooe.MOOEClassifier(), stream.X, stream.y, watch=False)
    assert watched.cumulative == alone.cumulative
    assert watched.without_memory.model == "mooe, no memory"
    assert alone.without_memory is None
    assert not alone.moments
    paper = prequential(mooe.PaperMOOEClassifier(interval=50), stream.X, stream.y)
    assert paper.without_memory.model == "ogd"


def test_the_model_without_memory_decides_as_the_other_does():
    stream = recurring(n=900, length=150)
    eager = mooe.MOOEClassifier(threshold=0.01, class_weight={1: 5.0})
    results = prequential(eager, stream.X, stream.y, positive=1)
    assert results.without_memory.cumulative["rare_recall"] > 0.95


def test_regimes_of_a_frame_are_dated_and_their_columns_named():
    stream = recurring(n=2000, n_features=3, n_concepts=2, length=250)
    frame = pd.DataFrame(stream.X, columns=["a", "b", "c"])
    model = mooe.MOOEClassifier()
    days = pd.date_range("2024-01-01", periods=2000, freq="D")
    results = prequential(model, frame, stream.y, times=days)
    columns = {weight["column"] for regime in results.concepts for weight in regime["inputs"]}
    assert columns <= {"a", "b", "c"}
    assert columns
    assert model.concepts_[0].dates[0][0].startswith("20")


def test_a_label_brings_its_name_and_its_unit():
    X, _, values = table()
    results = prequential(mooe.MOOERegressor(), X, pd.Series(values, name="load (MW)"))
    assert {each.label for each in (results, *results.others)} == {"load (MW)"}
    assert {each.unit for each in (results, *results.others)} == {"MW"}
    told = prequential(mooe.MOOERegressor(), X, pd.Series(values, name="load (MW)"), unit="GW")
    assert told.unit == "GW"


@pytest.mark.parametrize("delay", ["1d", "24 h", timedelta(days=1)])
def test_a_delay_is_said_as_the_command_has_it(delay):
    X, y, _ = table()
    times = np.datetime64("2024-01-01") + np.arange(N) * np.timedelta64(1, "h")
    assert prequential(mooe.MOOEClassifier(), X, y, times=times, delay=delay).unanswered == 24
    assert prequential(mooe.MOOEClassifier(), X, y, delay="never").unanswered == N
    with pytest.raises(ValueError, match=r"delay must be a number of rows, a time .* got 'soon'"):
        prequential(mooe.MOOEClassifier(), X, y, delay="soon")


@pytest.mark.parametrize(
    ("positive", "told"),
    [
        ("yess", r"one of the labels \(.*\), got 'yess'; nearest: yes"),
        (1, "got 1"),
    ],
)
@pytest.mark.parametrize("model", [mooe.MOOEClassifier, SGDClassifier])
def test_a_misspelt_positive_class_is_refused_before_anything_is_learnt(model, positive, told):
    X, y, values = table()
    model = model()
    with pytest.raises(ValueError, match=f"positive must be .*{told}"):
        prequential(model, X, y, positive=positive)
    assert not hasattr(model, "classes_")
    with pytest.raises(ValueError, match="it is 1, not '1'"):
        prequential(model, X, (y == "yes").astype(int), positive="1")
    with pytest.raises(ValueError, match="positive must be left out in a regression"):
        prequential(mooe.MOOERegressor(), X, values, positive=1)


def test_a_class_that_the_model_knows_from_before_may_be_the_positive_one():
    X, y, _ = table()
    model = mooe.MOOEClassifier().partial_fit(X, y)
    rest = X[y == "no"], y[y == "no"]
    assert prequential(model, *rest, positive="yes").rows == len(rest[1])


def test_a_bar_is_shown_on_a_terminal_where_rows_take_long(monkeypatch):
    X, y, _ = table()
    screen = io.StringIO()
    screen.isatty = lambda: True
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr("mooe.evaluate.progress.PATIENCE", -1.0)
    monkeypatch.setenv("TERM", "xterm")
    prequential(GaussianNB(), np.repeat(X, 3, axis=0), np.repeat(y, 3))
    assert "900 rows" in screen.getvalue()
    screen.truncate(0)
    prequential(GaussianNB(), X, y, progress=False)
    assert not screen.getvalue().strip("\0")
    seen = []
    prequential(GaussianNB(), np.repeat(X, 3, axis=0), np.repeat(y, 3), progress=seen.append)
    assert len(seen) == 2


def test_rows_of_a_frame_come_in_chunks_that_change_nothing(monkeypatch):
    X, y, _ = table(1200)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["colour"] = np.array(["red", "blue"])[np.arange(1200) % 3 % 2]
    whole, parts, seen = mooe.MOOEClassifier(), mooe.MOOEClassifier(), []
    results = answers_of(whole, frame, y)
    monkeypatch.setattr("mooe.evaluate.adapters.IN_MEMORY", 400)
    cut = prequential(parts, frame, y, progress=lambda results: seen.append(results.rows))
    assert cut.cumulative == results.cumulative
    assert seen == [1, 401, 801, 1200]
    assert whole.to_bytes() == parts.to_bytes()


def test_labels_that_are_no_numbers_are_refused_by_a_regressor_with_the_first_of_them():
    with pytest.raises(ValueError, match="y must hold numbers for a regressor, got 'hot'"):
        prequential(mooe.MOOERegressor(), np.zeros((2, 1)), ["hot", "cold"])
