"""Models of scikit-learn and River: each answers and learns as it would by hand."""

import numpy as np
import pandas as pd
import pytest
from made_streams import table
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Perceptron, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from mooe.evaluate import prequential
from mooe.evaluate.other_learners import START, steps_of, task_of

river = pytest.importorskip("river")
from river import compose, linear_model, preprocessing, tree  # noqa: E402

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
