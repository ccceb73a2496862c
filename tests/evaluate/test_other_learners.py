"""Models of scikit-learn and River: each answers and learns as it would by hand."""

from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from made_streams import table
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import KMeans
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    Perceptron,
    Ridge,
    SGDClassifier,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from mooe.evaluate import prequential
from mooe.evaluate.other_learners import START, steps_of, task_of
from mooe.evaluate.results import load

river = pytest.importorskip("river")
from river import compose, linear_model, multiclass, preprocessing, tree  # noqa: E402

N = 300


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


class Noting(OneHotEncoder):
    """An encoder that notes how many rows it was given at once."""

    def transform(self, X):
        self.sizes_ = [*getattr(self, "sizes_", ()), len(X)]
        return super().transform(X)


@pytest.mark.parametrize("delay", [0, 25])
def test_steps_that_have_learnt_take_rows_at_once_and_change_no_answer(delay):
    _, y, _ = table()
    frame = pd.DataFrame({"colour": np.random.default_rng(0).choice(["red", "blue"], N)})
    encoder = Noting(sparse_output=False).fit(frame)
    pipe = make_pipeline(encoder, SGDClassifier(random_state=0))
    at_once = answers_of(pipe, frame, y, delay=delay)
    assert len(encoder.sizes_) <= 3
    encoded = OneHotEncoder().fit_transform(frame).toarray()
    one_by_one = answers_of(SGDClassifier(random_state=0), encoded, y, delay=delay)
    assert at_once.predictions.tolist() == one_by_one.predictions.tolist()


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


@pytest.mark.parametrize("names", [("no", "yes"), (1, 2), ("yes", "no")])
def test_a_river_model_of_two_classes_takes_labels_of_any_kind(names):
    X, y, _ = table()
    y = y == "yes"
    labels = np.array([names[int(is_yes)] for is_yes in y], dtype=object)
    bools = answers_of(linear_model.LogisticRegression(), X, y)
    found = answers_of(linear_model.LogisticRegression(), X, labels)
    is_turned = names[0] == "yes"  # the later name by order is the one that is asked for
    assert set(found.predictions.tolist()) <= set(names)
    if not is_turned:
        said = [names[int(answer)] for answer in bools.predictions[1:]]
        assert found.predictions.tolist()[1:] == said
    assert found.cumulative["accuracy"] == pytest.approx(bools.cumulative["accuracy"], abs=0.02)


def test_a_river_model_of_two_classes_refuses_three_and_says_what_takes_them():
    X, y, _ = table()
    y = np.where(np.arange(len(y)) % 3 == 0, "perhaps", y)
    pipe = preprocessing.StandardScaler() | linear_model.LogisticRegression()
    with pytest.raises(ValueError, match=r"OneVsRestClassifier.*LogisticRegression.*3 classes"):
        answers_of(pipe, X, y)
    several = multiclass.OneVsRestClassifier(linear_model.LogisticRegression())
    assert answers_of(several, X, y).judged


class Noted(DecisionTreeClassifier):
    """A tree that notes, across clones, on which rows it was fitted; they are told by their c."""

    fits: ClassVar[list[list[float]]] = []

    def fit(self, X, y):
        self.fits.append(np.asarray(X)[:, 2].tolist())
        return super().fit(X, y)


def tree_by_hand(X, y, known_at, due):
    """Return answers of trees that are fitted when so many labels have come, None before any.

    known_at has the row before whose answer each label is known.
    """
    found, fitted, labels = [], None, list(dict.fromkeys(y.tolist()))
    order = sorted(range(len(X)), key=lambda i: (known_at[i], i))
    for i in range(len(X)):
        there = [j for j in order if known_at[j] <= i]
        usable = [n for n in due if n <= len(there)]
        if usable:
            rows = there[: usable[-1]]
            fitted = DecisionTreeClassifier(random_state=0).fit(X[rows], y[rows])
            found.append(fitted.predict(X[i : i + 1])[0])
        else:
            told = [y[j] for j in there]
            first = list(dict.fromkeys(told)) or labels
            found.append(max(first, key=told.count) if told else None)
    return found


@pytest.mark.parametrize("delay", [0, 7, lambda row: (row * 37) % 41])
def test_a_model_that_learns_all_rows_at_once_is_fitted_on_the_labels_so_far(delay):
    X, y, _ = table()
    Noted.fits.clear()
    model = Noted(random_state=0)
    results = answers_of(model, X, y, delay=delay)
    late = delay if callable(delay) else lambda row: delay
    known_at = [i + 1 + late(i) for i in range(N)]
    due = [100, 125, 157, 197, 247]
    assert results.predictions.tolist() == tree_by_hand(X, y, known_at, due)
    assert results.fits == due == [len(rows) for rows in Noted.fits]
    assert not hasattr(model, "tree_"), "the user's model stays as it is"
    assert (results.model, results.unanswered) == ("Noted", 1 + late(0) if delay == 7 else 1)
    assert results.summary()["fits"] == 5


def test_a_fit_knows_no_label_that_has_not_come():
    """Labels that no input tells: who answers them better than by chance has seen them."""
    draw = np.random.default_rng(0)
    X, y = draw.normal(size=(2_000, 3)), draw.integers(0, 2, 2_000)
    nearest = KNeighborsClassifier(1)  # which knows by heart what it was fitted on
    results = prequential(nearest, X, y, delay=50)
    assert results.cumulative["accuracy"] == pytest.approx(0.5, abs=0.04)
    assert prequential(nearest.fit(X, y), X, y).cumulative["accuracy"] < 0.55, "nor of before"
    assert np.mean(nearest.predict(X) == y) == 1.0, "the user's model stays as it is"


def test_fits_are_few_and_the_share_can_be_told():
    X, y, values = table()
    assert prequential(DecisionTreeClassifier(), X, y, refit=1.0).fits == [100, 200]
    every = prequential(Ridge(), X, values, refit=1e-9)
    assert every.fits == list(range(100, N + 1))
    assert every.cumulative["r2"] > prequential(Ridge(), X, values, refit=1.0).cumulative["r2"]
    with pytest.raises(ValueError, match=r"refit must be a share above 0, got 0"):
        prequential(DecisionTreeClassifier(), X, y, refit=0)


def test_a_regression_answers_the_mean_and_then_as_by_hand():
    X, _, values = table()
    results = answers_of(LinearRegression(), X, values)
    assert np.isnan(results.predictions[0])
    assert results.predictions[50] == pytest.approx(values[:50].mean())
    by_hand = LinearRegression().fit(X[:125], values[:125]).predict(X[125:157])
    np.testing.assert_allclose(results.predictions[125:157], by_hand)


def test_the_same_rows_give_the_same_answers_however_they_are_asked():
    X, y, _ = table()
    forest = RandomForestClassifier(10, random_state=0)
    once, again = (answers_of(forest, X, y, delay=3) for _ in range(2))
    assert once.predictions.tolist() == again.predictions.tolist()
    assert once.cumulative == again.cumulative
    half = answers_of(forest, X, y, delay=3, max_rows=N // 2)
    assert half.predictions.tolist() == once.predictions[: N // 2].tolist()


def test_a_pipeline_with_texts_and_probabilities_is_fitted_as_a_whole():
    X, y, _ = table()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame.loc[::9, "a"] = np.nan
    frame["colour"] = np.where(X[:, 1] > 0, "red", "blue")
    encoder = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), ["a", "b", "c"]),
        (OneHotEncoder(handle_unknown="ignore"), ["colour"]),
    )
    results = answers_of(make_pipeline(encoder, LogisticRegression()), frame, pd.Series(y))
    assert results.model == "ColumnTransformer + LogisticRegression"
    alone = make_pipeline(encoder, LogisticRegression()).fit(frame[:100], y[:100])
    assert results.predictions[100:125].tolist() == alone.predict(frame[100:125]).tolist()
    assert results.cumulative["log_loss"] < 0.6
    assert "log_loss" not in prequential(LinearSVC(), X, y).cumulative


def test_absent_numbers_are_means_of_the_fit_where_a_model_takes_none():
    X, y, _ = table()
    holes = X.copy()
    holes[::7, 2] = np.nan
    model = LogisticRegression()
    results = answers_of(model, holes, y)
    means = np.nanmean(holes[:100], axis=0)
    filled = np.where(np.isnan(holes), means, holes)
    alone = model.fit(filled[:100], y[:100]).predict(filled[100:125])
    assert results.predictions[100:125].tolist() == alone.tolist()


def test_one_class_waits_for_the_other_and_a_fit_that_is_refused_leaves_the_one_before():
    X, y, _ = table()
    late = np.where(np.arange(N) < 140, "no", y)
    assert prequential(LogisticRegression(), X, late).fits == [157, 197, 247]
    late[:200] = y[:200]
    late[200] = "new"  # too few rows for the folds
    folds = CalibratedClassifierCV(GaussianNB(), cv=2)
    with pytest.warns(UserWarning, match="CalibratedClassifierCV could not be fitted on 247 lab"):
        results = prequential(folds, X, late)
    assert results.fits == [100, 125, 157, 197]


def test_a_model_that_was_never_fitted_is_said_not_to_be():
    X, y, values = table()
    with pytest.warns(UserWarning, match="SVC was never fitted: .* and 50 came; the most frequent"):
        assert prequential(SVC(), X[:50], y[:50]).fits == []
    with pytest.warns(UserWarning, match="Ridge was never fitted: .* and 0 came; the mean"):
        prequential(Ridge(), X, values, delay=None)
    with pytest.raises(ValueError, match="refit must be a share above 0, got 'daily'"):
        prequential(SVC(), X, y, refit="daily")


@pytest.mark.filterwarnings("ignore:SVC could not be fitted")
def test_a_model_that_can_never_be_fitted_is_an_error():
    y = table()[1]
    with pytest.raises(ValueError, match="could not convert string"):
        prequential(SVC(), pd.DataFrame({"colour": ["red"] * N}), y)


def test_the_page_says_how_often_a_model_was_fitted(tmp_path):
    X, y, _ = table()
    page = prequential(DecisionTreeClassifier(random_state=0), X, y).report(tmp_path)
    assert "it was fitted 5 times along the way, on all labels so far, 100 to 247 labels" in (
        page.read_text()
    )
    assert load(tmp_path).fits == [100, 125, 157, 197, 247]


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (KMeans(), "got KMeans"),
        (make_pipeline(StandardScaler(), PCA()), "got StandardScaler . PCA"),
        (SVC, r"got the class SVC, of which SVC\(\) would be one"),
        (object(), "got object"),
    ],
)
def test_what_tells_no_labels_is_refused(model, told):
    X, y, _ = table()
    with pytest.raises(ValueError, match=f"model must be one of mooe's, a classifier.*{told}"):
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
