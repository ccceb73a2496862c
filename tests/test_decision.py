"""Weights of classes and thresholds: what they change, what they leave, in every shell."""

import math
import pickle

import numpy as np
import pytest
from sklearn.base import clone

from mooe import MOOEClassifier, MOOERegressor, load
from mooe.auto.params import AutoParams
from mooe.decision import Decision, Tally, log_odds, of_json
from mooe.evaluate.learners import MooeLearner
from mooe.model import Model
from mooe.modelfile import ModelFileError
from mooe.numerics.scores import probabilities

PARAMS = AutoParams()
DECISIONS = {
    "balanced": {"class_weight": "balanced"},
    "weights": {"class_weight": {"rare": 5.0}},
    "threshold": {"threshold": 0.2, "positive": "rare"},
    "cost": {"threshold": {"cost": (1.0, 9.0)}, "positive": "rare"},
    "alarms": {"threshold": {"alarm_rate": 0.1}, "positive": "rare"},
    "all": {"class_weight": "balanced", "threshold": {"alarm_rate": 0.1}, "positive": "rare"},
}
each_decision = pytest.mark.parametrize("chosen", DECISIONS.values(), ids=DECISIONS)


def stream(n=600, share=0.1, names=("rare", "usual")):
    """Return rows, labels of which few are the first name, and the chance of that."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(n, 3))
    odds = 3.0 * X[:, 0] - 2.0 + math.log(share / (1 - share))
    chance = 1 / (1 + np.exp(-odds))
    return X, np.where(rng.random(n) < chance, *names)


def three_classes(n=600):
    X, y = stream(n)
    return X, np.where((y == "usual") & (X[:, 1] > 0.5), "other", y)


REFUSED = [
    ("class_weight", "even", "None, 'balanced' or a dict"),
    ("class_weight", 3.0, "None, 'balanced' or a dict"),
    *(("class_weight", {"a": bad}, "numbers above 0") for bad in (0, -1.0, math.inf, "1", None)),
    ("class_weight", {None: 1.0}, "text or finite numbers"),
    *(("threshold", bad, "above 0 and below 1") for bad in (0, 1.0, -0.1, 7, math.nan)),
    *(("threshold", bad, "None, a probability") for bad in ("half", True, {}, {"rate": 0.1})),
    ("threshold", {"cost": (1, 1), "alarm_rate": 0.1}, "None, a probability"),
    *(("threshold", {"alarm_rate": bad}, "above 0 and below 1") for bad in (0.0, 1, "x")),
    *(("threshold", {"cost": bad}, "two finite numbers") for bad in (1.0, (1,), (0, 1), "ab")),
    ("positive", [1], "text or finite numbers"),
]


@pytest.mark.parametrize(("name", "value", "rule"), REFUSED)
def test_a_wrong_value_is_refused_with_its_name_and_the_rule(name, value, rule):
    with pytest.raises(ValueError, match=name) as error:
        Decision(**{name: value})
    assert rule in str(error.value)
    X, y = stream(20)
    with pytest.raises(ValueError, match=name):
        MOOEClassifier(**{name: value}).fit(X, y)


def test_numbers_of_numpy_become_those_of_python():
    one = Decision({np.int64(3): np.float32(2)}, {"cost": [np.int64(1), 3]}, np.int64(3))
    assert one == Decision({3: 2.0}, {"cost": (1.0, 3.0)}, 3)
    assert type(one.positive) is int


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_log_odds_are_those_of_the_probabilities(n_classes):
    scores = np.random.default_rng(0).normal(size=(20, 1 if n_classes == 2 else n_classes))
    for positive in range(n_classes):
        chance = probabilities(PARAMS, scores)[:, positive]
        found = [log_odds(PARAMS, row, positive) for row in scores.tolist()]
        np.testing.assert_allclose(found, np.log(chance / (1 - chance)), rtol=1e-9, atol=1e-12)


def test_a_threshold_of_a_half_answers_as_none_does():
    X, y = stream()
    plain, half = MOOEClassifier().fit(X, y), MOOEClassifier(threshold=0.5).fit(X, y)
    np.testing.assert_array_equal(plain.predict(X), half.predict(X))
    assert half.model_.state.block.tobytes() == plain.model_.state.block.tobytes()


@pytest.mark.parametrize("rows", [stream, three_classes])
@pytest.mark.parametrize("threshold", [0.05, 0.3, 0.9])
def test_the_positive_class_is_answered_above_the_threshold_else_the_likeliest_other(
    rows, threshold
):
    X, y = rows()
    model = MOOEClassifier(threshold=threshold, positive="rare").fit(X, y)
    chances, at = model.predict_proba(X), list(model.classes_).index("rare")
    others = chances.copy()
    others[:, at] = -1.0
    expected = np.where(chances[:, at] > threshold, at, others.argmax(axis=1))
    np.testing.assert_array_equal(model.predict(X), model.classes_[expected])
    np.testing.assert_array_equal(chances, MOOEClassifier().fit(X, y).predict_proba(X))
    np.testing.assert_array_equal(
        model.decision_function(X), MOOEClassifier().fit(X, y).decision_function(X)
    )


def test_the_positive_class_is_the_second_of_two_unless_it_is_named():
    X, y = stream()
    second = MOOEClassifier(threshold=0.05).fit(X, y)
    named = MOOEClassifier(threshold=0.05, positive="usual").fit(X, y)
    np.testing.assert_array_equal(second.predict(X), named.predict(X))
    rare = MOOEClassifier(threshold=0.05, positive="rare").fit(X, y)
    assert (rare.predict(X) == "rare").sum() > (named.predict(X) == "rare").sum()


def test_a_threshold_by_cost_is_the_one_that_costs_least():
    X, y = stream()
    cost = MOOEClassifier(threshold={"cost": (1, 9)}, positive="rare").fit(X, y)
    fixed = MOOEClassifier(threshold=0.1, positive="rare").fit(X, y)
    np.testing.assert_array_equal(cost.predict(X), fixed.predict(X))


def test_a_third_class_asks_for_the_name_of_the_positive_one_and_leaves_the_model_as_it_was():
    X, y = stream(100)
    model = MOOEClassifier(threshold=0.2).fit(X, y)
    before = model.to_bytes()
    with pytest.raises(ValueError, match="positive must name the class"):
        model.partial_fit(X[:2], ["other", "rare"])
    assert model.to_bytes() == before
    named = MOOEClassifier(threshold=0.2, positive="rare").fit(X, y)
    assert "other" in named.partial_fit(X[:2], ["other", "rare"]).classes_


@pytest.mark.parametrize("rate", [0.02, 0.1, 0.3])
def test_about_the_share_of_rows_is_answered_that_was_asked_for(rate):
    X, y = stream(4000)
    model = Model(PARAMS)
    model.decide(Decision(threshold={"alarm_rate": rate}, positive="rare"))
    chosen, _ = model.answer_then_learn(X, model.labels.encode(y))
    share = (chosen == model.labels.numbers["rare"]).mean()
    assert share == pytest.approx(rate, abs=0.01)
    alarms = np.array(model.labels.names)[chosen] == "rare"
    assert (y[alarms] == "rare").mean() > 2 * (y == "rare").mean()


def test_balanced_weights_go_by_the_rows_so_far():
    decision = Decision("balanced")
    labels = [0.0, 0.0, math.nan, 1.0, 0.0, 2.0]
    weights, tally = decision.weights(["a", "b", "c"], labels, [1.0] * 6, Tally())
    assert weights == [1.0, 1.0, 1.0, 3 / 2, 4 / (2 * 3), 5 / (3 * 1)]
    assert tally.counts == (3, 1, 1)
    first, half = decision.weights(["a", "b", "c"], labels[:4], [1.0] * 4, Tally())
    rest, whole = decision.weights(["a", "b", "c"], labels[4:], [1.0] * 2, half)
    assert (first + rest, whole) == (weights, tally)


def test_weights_of_classes_are_those_of_rows():
    X, y = stream()
    given = MOOEClassifier().fit(X, y, np.where(y == "rare", 10.0, 2.0))
    model = MOOEClassifier(class_weight={"rare": 5.0}).fit(X, y, np.full(len(y), 2.0))
    assert model.model_.state.block.tobytes() == given.model_.state.block.tobytes()


@each_decision
def test_rows_one_by_one_equal_one_chunk_and_predicting_changes_nothing(chosen):
    X, y = three_classes(200) if chosen.get("positive") else stream(200)
    chunk, single = Model(PARAMS), Model(PARAMS)
    for model in (chunk, single):
        model.decide(Decision(**chosen))
    numbers = chunk.labels.encode(y)
    numbers[7:12] = math.nan
    answered, _ = chunk.answer_then_learn(X, numbers)
    for i, name in enumerate(y):
        if numbers[i] == numbers[i]:
            single.labels.encode(np.array([name]))
        said = single.predict(X[i : i + 1])
        before = single.to_bytes() if i % 50 == 0 else b""
        single.predict(X)
        assert before in (b"", single.to_bytes())
        again, _ = single.answer_then_learn(X[i : i + 1], numbers[i : i + 1])
        assert single.named(again) == said == chunk.named(answered[i : i + 1])
    assert single.to_bytes() == chunk.to_bytes()


@pytest.mark.parametrize(
    "chosen",
    [{"threshold": 0.05}, {"threshold": {"alarm_rate": 0.1}}, {"class_weight": {1: 5.0}}],
    ids=str,
)
def test_classes_without_names_are_decided_on_by_their_numbers(chosen):
    X, y = stream(200, names=(1.0, 0.0))
    chunk, single = Model(PARAMS), Model(PARAMS)
    for model in (chunk, single):
        model.decide(Decision(**chosen))
    answered, _ = chunk.answer_then_learn(X, y)
    rows = [single.answer_then_learn(X[i : i + 1], y[i : i + 1])[0] for i in range(len(X))]
    np.testing.assert_array_equal(np.concatenate(rows), answered)
    assert single.to_bytes() == chunk.to_bytes()


@each_decision
def test_it_is_saved_with_the_model_and_goes_on_in_every_shell(chosen, tmp_path):
    X, y = stream(300)
    model = MOOEClassifier(**chosen).fit(X[:150], y[:150])
    model.save(tmp_path / "model.mooe")
    again = load(tmp_path / "model.mooe")
    assert again.get_params() == {**model.get_params(), "random_state": 0}
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    again.partial_fit(X[150:], y[150:])
    model.partial_fit(X[150:], y[150:])
    assert again.to_bytes() == model.to_bytes()
    assert Model.load(tmp_path / "model.mooe").decision == Decision(**chosen)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    assert clone(model).get_params() == model.get_params()


@each_decision
def test_river_decides_as_scikit_learn_does(chosen):
    river_adapter = pytest.importorskip("mooe.river_adapter")
    pandas = pytest.importorskip("pandas")
    X, y = stream(200)
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    own = MOOEClassifier(**chosen).fit(frame, y)
    one, many = river_adapter.MOOEClassifier(**chosen), river_adapter.MOOEClassifier(**chosen)
    for row, label in zip(X.tolist(), y.tolist(), strict=True):
        one.learn_one(dict(zip("abc", row, strict=True)), label)
    many.learn_many(frame, pandas.Series(y))
    assert one.to_bytes() == many.to_bytes() == own.to_bytes()
    said = [one.predict_one(dict(zip("abc", row, strict=True))) for row in X.tolist()]
    assert said == own.predict(frame).tolist() == many.predict_many(frame).tolist()
    loaded = river_adapter.MOOEClassifier.from_bytes(own.to_bytes())
    assert loaded.predict_many(frame).tolist() == said
    assert loaded.clone().threshold == own.threshold


def test_evaluation_counts_the_answers_by_threshold():
    X, y = stream(300)
    model, other = Model(PARAMS), Model(PARAMS)
    for one in (model, other):
        one.decide(Decision(threshold={"alarm_rate": 0.2}, positive="rare"))
    numbers = model.labels.encode(y)
    other.labels.encode(y)
    answers = MooeLearner(model).predict_then_learn(X, numbers)
    np.testing.assert_array_equal(answers.chosen, other.answer_then_learn(X, numbers)[0])


def test_a_regression_has_no_decision():
    with pytest.raises(ValueError, match="must be None in regression"):
        Model(AutoParams("regression")).decide(Decision(threshold=0.2))
    assert "threshold" not in MOOERegressor().get_params()


@pytest.mark.parametrize("chosen", DECISIONS.values(), ids=DECISIONS)
def test_json_gives_it_back(chosen):
    decision, tally = Decision(**chosen), Tally(0.25, (3, 4))
    assert of_json(decision.to_json(tally)) == (decision, tally)


@pytest.mark.parametrize(
    "change", [{"level": math.nan}, {"level": 1e9}, {"counts": [-1]}, {"counts": [0.5]}]
)
def test_a_forged_tally_is_refused(change):
    with pytest.raises(ValueError, match=next(iter(change))):
        of_json({**Decision("balanced").to_json(Tally()), **change})


def test_a_file_with_counts_of_classes_that_are_not_there_is_refused():
    X, y = stream(60)
    model = MOOEClassifier(class_weight="balanced").fit(X, y).model_
    model.tally = Tally(0.0, (1, 2, 3))
    with pytest.raises(ModelFileError, match="counts must be those of 2 classes"):
        Model.from_bytes(model.to_bytes())


@pytest.mark.parametrize(
    "chosen", [{"threshold": 0.2, "positive": "rar"}, {"class_weight": {"rar": 3.0}}]
)
def test_a_misspelt_label_is_refused_by_fit_which_knows_all_classes(chosen):
    X, y = stream(200)
    model = MOOEClassifier(**chosen)
    (name,) = set(chosen) & {"positive", "class_weight"}
    with pytest.raises(ValueError, match=f"{name} must be one of the labels .*'rare'.*got 'rar'"):
        model.fit(X, y)
    assert not hasattr(model, "model_")
    assert model.partial_fit(X, y).classes_.tolist() == ["rare", "usual"], "it may come yet"


def test_a_positive_number_among_labels_that_are_texts_is_refused_whatever_comes():
    X, y = stream(200)
    with pytest.raises(ValueError, match=r"positive must be like the labels, such as '.*', got 1"):
        MOOEClassifier(threshold=0.2, positive=1).partial_fit(X, y)
