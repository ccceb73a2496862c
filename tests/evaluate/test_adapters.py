"""Any model under one roof: ours, scikit-learn's, River's, pipelines; each as it would go alone."""

import io
import re
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pandas as pd
import pytest
from command import inside
from scipy import sparse
from shop import as_csv, made_rows
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Perceptron, SGDClassifier, SGDRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

import mooe
from mooe.datasets import recurring
from mooe.evaluate import prequential
from mooe.evaluate.adapters import START, seconds_of, steps_of, task_of
from mooe.evaluate.learners import MooeLearner

river = pytest.importorskip("river")
from river import compose, linear_model, preprocessing, tree  # noqa: E402

N = 300


def table(n=N, seed=0):
    """Return rows, their classes and their values."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=n) > 0, "yes", "no")
    return X, y, 3.0 * X[:, 0] + X[:, 1]


def answers_of(model, X, y, **options):
    return prequential(model, X, y, store_predictions=True, **options)


def by_hand(model, X, y, classes):
    """Return the answers of a scikit-learn model, row by row, None before the first label."""
    found = []
    for i in range(len(X)):
        found.append(model.predict(X[i : i + 1])[0] if i else None)
        model.partial_fit(X[i : i + 1], y[i : i + 1], classes=classes)
    return found


def test_a_scikit_learn_model_answers_as_by_hand_and_has_learnt_the_rows():
    X, y, _ = table()
    model, alone = (SGDClassifier(loss="log_loss", random_state=0) for _ in range(2))
    results = answers_of(model, X, y)
    assert results.predictions.tolist() == by_hand(alone, X, y, np.unique(y))
    assert np.array_equal(model.coef_, alone.coef_)
    assert results.model == "SGDClassifier"
    assert (results.rows, results.features, results.unanswered) == (N, 3, 1)
    assert sorted(results.classes) == ["no", "yes"]
    assert "log_loss" in results.cumulative


def test_a_scikit_learn_model_that_was_fitted_goes_on():
    X, y, _ = table()
    model = SGDClassifier(random_state=0).partial_fit(X[:50], y[:50], classes=["no", "yes"])
    results = answers_of(model, X[50:], y[50:])
    assert results.unanswered == 0
    assert results.predictions[0] in ("no", "yes")


def test_a_model_without_probabilities_is_judged_by_its_answers():
    X, y, _ = table()
    results = prequential(Perceptron(random_state=0), X, y)
    assert results.cumulative["accuracy"] > 0.7
    assert "log_loss" not in results.cumulative


def test_a_model_that_knows_one_class_yet_gives_no_warning_and_no_nonsense():
    X, y, _ = table()
    results = prequential(GaussianNB(), X, y)
    assert results.cumulative["accuracy"] > 0.8
    assert np.isfinite(results.cumulative["log_loss"])


def test_the_steps_of_a_pipeline_learn_row_by_row():
    X, y, _ = table()
    pipe = make_pipeline(StandardScaler(), SGDClassifier(random_state=0))
    results = answers_of(pipe, 100.0 * X, y)
    scaler, model, expected = StandardScaler(), SGDClassifier(random_state=0), []
    for i in range(N):
        row = 100.0 * X[i : i + 1]
        expected.append(model.predict(scaler.transform(row))[0] if i else None)
        model.partial_fit(scaler.partial_fit(row).transform(row), y[i : i + 1], ["no", "yes"])
    assert results.predictions.tolist() == expected
    assert results.model == "StandardScaler + SGDClassifier"
    assert pipe.predict(100.0 * X).shape == (N,)


def test_a_step_that_learns_once_is_fitted_on_the_first_labels_and_rows_stay_frames():
    X, y, _ = table()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["colour"] = np.where(X[:, 1] > 0, "red", "blue")
    encoder = make_column_transformer(
        (StandardScaler(), ["a", "b", "c"]), (OneHotEncoder(handle_unknown="ignore"), ["colour"])
    )
    pipe = make_pipeline(encoder, SGDClassifier(loss="log_loss", random_state=0))
    results = answers_of(pipe, frame, pd.Series(y))
    classes = list(dict.fromkeys(y.tolist()))  # of two that are equally frequent, the first
    usual = [max(classes, key=y[:i].tolist().count) for i in range(1, START)]
    assert results.predictions[1:START].tolist() == usual
    scaler = pipe[0].named_transformers_["standardscaler"]
    assert scaler.n_samples_seen_ == START
    assert np.mean(results.predictions[START:] == y[START:]) > 0.8
    assert pipe.predict(frame).shape == (N,)


def test_a_step_without_state_keeps_nobody_waiting():
    X, y, _ = table()
    pipe = make_pipeline(FunctionTransformer(np.tanh), SGDClassifier(random_state=0))
    assert answers_of(pipe, X, y).predictions[1] is not None
    assert len(steps_of(pipe)) == 2


def test_absent_numbers_become_the_mean_so_far_for_models_that_take_none():
    X, y, _ = table()
    holes = X.copy()
    holes[::7, 2] = np.nan
    filled, seen = holes.copy(), np.zeros(3)
    for i in range(N):
        filled[i] = np.where(np.isnan(filled[i]), seen, filled[i])
        seen = seen + (filled[i] - seen) / (i + 1)
    with_holes = answers_of(SGDClassifier(random_state=0), holes, y)
    without = answers_of(SGDClassifier(random_state=0), filled, y)
    assert with_holes.predictions.tolist() == without.predictions.tolist()
    assert np.isnan(holes[0, 2]), "the user's rows are left as they are"


@pytest.mark.parametrize("delay", [0, 25])
def test_a_river_model_answers_as_by_hand_and_has_learnt_the_rows(delay):
    X, y, _ = table()
    model, alone = tree.HoeffdingTreeClassifier(grace_period=20), None
    results = answers_of(model, X, y, delay=delay)
    alone, expected = tree.HoeffdingTreeClassifier(grace_period=20), []
    dicts = [{f"x{j}": value for j, value in enumerate(row)} for row in X.tolist()]
    for i, x in enumerate(dicts):
        if i > delay:
            alone.learn_one(dicts[i - delay - 1], str(y[i - delay - 1]))
        expected.append(alone.predict_one(x))
    assert results.predictions.tolist() == expected
    assert results.unanswered == delay + 1
    for x, label in zip(dicts[N - delay - 1 :], y[N - delay - 1 :], strict=True):
        if delay == 0:
            alone.learn_one(x, str(label))
    assert model.n_nodes == alone.n_nodes


def test_a_river_pipeline_takes_frames_dicts_and_texts():
    X, y, values = table()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["colour"] = np.where(X[:, 1] > 0, "red", "blue")

    def pipe():
        texts = compose.Select("colour") | preprocessing.OneHotEncoder()
        numbers = compose.Select("a", "b", "c") | preprocessing.StandardScaler()
        return (texts + numbers) | linear_model.LogisticRegression()

    samples = frame.to_dict("records")
    found = answers_of(pipe(), frame, y == "yes")
    assert found.cumulative["accuracy"] > 0.8
    assert (
        answers_of(pipe(), samples, y == "yes").predictions.tolist() == found.predictions.tolist()
    )
    regression = preprocessing.StandardScaler() | linear_model.LinearRegression()
    assert task_of(regression) == "regression"
    assert prequential(regression, X, values).cumulative["r2"] > 0.8


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


def test_times_are_seconds_whatever_they_come_as():
    day = datetime(2024, 5, 1, tzinfo=UTC)
    expected = [day.timestamp()]
    for times in (
        np.array(["2024-05-01"], dtype="datetime64[ns]"),
        pd.Series(pd.to_datetime(["2024-05-01"])),
        pd.Series(pd.to_datetime(["2024-05-01"], utc=True)),
        [day],
        [datetime(2024, 5, 1)],
        [date(2024, 5, 1)],
        ["01.05.2024"],
        ["2024-05-01T00:00"],
        expected,
    ):
        assert seconds_of(times).tolist() == expected
    assert seconds_of(None) is None


def test_rows_without_label_are_answered_and_not_judged():
    X, y, values = table()
    some = pd.Series(y).where(np.arange(N) % 3 > 0)
    for model in (SGDClassifier(random_state=0), tree.HoeffdingTreeClassifier()):
        results = answers_of(model, X, some)
        assert results.judged + results.unanswered == (np.arange(N) % 3 > 0).sum() + 1
        assert all(answer is not None for answer in results.predictions[5:])
    values[::2] = np.nan
    assert prequential(SGDRegressor(random_state=0), X, values).judged == N // 2 - 1


@pytest.mark.parametrize(
    "model", [RandomForestClassifier(), make_pipeline(StandardScaler(), RandomForestClassifier())]
)
def test_a_model_that_learns_all_rows_at_once_is_refused_with_what_to_do(model):
    X, y, _ = table()
    with pytest.raises(ValueError, match=r"partial_fit.* got RandomForestClassifier.*add_expert"):
        prequential(model, X, y)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.zeros((3, 2)), None, "y must be given beside X"),
        (np.zeros((3, 2)), np.zeros((3, 2)), "y must have one label for each row"),
        ("abc", [0, 1, 0], "X must be a table of rows"),
        ([{"a": 1.0}], ["yes"], "X must be an array or a frame for a scikit-learn model"),
    ],
)
def test_what_is_no_table_is_refused(X, y, message):
    with pytest.raises((ValueError, TypeError), match=message):
        prequential(SGDClassifier(), X, y)


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


def test_odd_times_are_said_and_count_as_the_ones_before():
    X, y, _ = table()
    times = pd.Series(pd.date_range("2024-01-01", periods=N, freq="h"))
    times[[3, 4, 200]] = pd.NaT
    times[100] = times[50]
    told = "of the times 3 cannot be read .*, 1 run back; rows stay in their order"
    with pytest.warns(UserWarning, match=told):
        results = prequential(mooe.MOOEClassifier(), X, y, times=times, delay="1d")
    assert results.unanswered == 24
    assert all(np.isfinite(time) for _, time in results.times)
    with pytest.raises(ValueError, match="times must hold a date or a number, got none"):
        prequential(mooe.MOOEClassifier(), X, y, times=[None] * N)
    with pytest.raises(ValueError, match=r"times must be dates that can be read.*got 'noon'"):
        prequential(mooe.MOOEClassifier(), X, y, times=["noon"] * N)


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
